//! All kinds of misbehaviour side by side, round after round.

use std::{env, time::Duration};

use agentv_base::{Exit, ProcessOutput, ProcessSpec, Stdin};
use agentv_testkit::assert_no_process_with;
use tokio::task::JoinSet;

use crate::sandbox::Sandbox;

const AT_A_TIME: usize = 64;

/// Set to run more rounds than the two of an ordinary test.
const ROUNDS: &str = "AGENTV_PROCESS_ROUNDS";

/// A kind of process: what it does, its deadline in milliseconds, and what must come out.
struct Kind {
    line: &'static str,
    deadline: u64,
    exit: Exit,
    /// None where it depends on who is faster.
    leftovers: Option<usize>,
}

const fn kind(line: &'static str, exit: Exit, leftovers: Option<usize>) -> Kind {
    Kind { line, deadline: 120_000, exit, leftovers }
}

const fn late(line: &'static str) -> Kind {
    Kind {
        line,
        // Should it be too early for a machine under load, a later one is tried.
        deadline: 1_500,
        exit: Exit::TimedOut,
        leftovers: None,
    }
}

#[rustfmt::skip]
const KINDS: &[Kind] = &[
    kind("exec AGENT print answer", Exit::Code(0), Some(0)),
    kind("exec AGENT print answer exit 7", Exit::Code(7), Some(0)),
    kind("exec AGENT print answer die-by 9", Exit::Signal(9), Some(0)),
    kind("exec AGENT noise 5000000 enoise 5000000 print answer", Exit::Code(0), Some(0)),
    kind("exec AGENT print answer read-input", Exit::Code(0), Some(0)),
    kind("AGENT print one; AGENT print answer", Exit::Code(0), Some(0)),
    kind("exec AGENT spawn group sleep 600 end print answer", Exit::Code(0), Some(1)),
    kind("exec AGENT spawn session sleep 600 end print answer", Exit::Code(0), Some(1)),
    kind("AGENT spawn session+quiet ignore-term sleep 600 end print answer", Exit::Code(0), Some(1)),
    kind("exec AGENT spawn daemon sleep 600 end print answer", Exit::Code(0), Some(1)),
    kind("AGENT spawn daemon+quiet sleep 600 end; AGENT print answer exit 5", Exit::Code(5), Some(1)),
    kind("exec AGENT spawn session+quiet spawn group sleep 600 end spawn session sleep 600 end sleep 600 end print answer", Exit::Code(0), None),
    kind("exec AGENT spawn session+clean+quiet tag TOKEN sleep 600 end print answer", Exit::Code(0), Some(0)),
    late("AGENT print answer sleep 600; true"),
    late("exec AGENT print answer ignore-term sleep 600"),
    late("exec AGENT spawn session ignore-term sleep 600 end print answer ignore-term sleep 600"),
    late("AGENT spawn daemon sleep 600 end print answer sleep 600"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_at_a_time_leave_nothing_behind() {
    let rounds = env::var(ROUNDS).map_or(2, |rounds| rounds.parse().unwrap());
    for _ in 0..rounds {
        one_round().await;
    }
}

async fn one_round() {
    let sandbox = std::sync::Arc::new(Sandbox::alone().await);
    let mut running = JoinSet::new();
    for number in 0..AT_A_TIME {
        let kind = &KINDS[number % KINDS.len()];
        let mut spec = describe(&sandbox, kind);
        let sandbox = std::sync::Arc::clone(&sandbox);
        running.spawn(async move {
            loop {
                let output = sandbox.run(spec.clone()).await;
                if check(kind, &output) {
                    break;
                }
                spec.deadline = spec.deadline.map(|deadline| deadline * 3);
            }
        });
    }
    while let Some(result) = running.join_next().await {
        result.unwrap();
    }
    let token = sandbox.token().to_owned();
    let sandbox = std::sync::Arc::into_inner(sandbox).unwrap();
    sandbox.close().await;
    assert_no_process_with(&token);
}

fn describe(sandbox: &Sandbox, kind: &Kind) -> ProcessSpec {
    let mut spec = sandbox.agents(&kind.line.replace("TOKEN", sandbox.token()));
    spec.deadline = Some(Duration::from_millis(kind.deadline));
    spec.stdin = Stdin::Bytes(vec![b'x'; 300_000]);
    spec
}

/// Whether it came as far as it was meant to before its deadline.
fn check(kind: &Kind, output: &ProcessOutput) -> bool {
    let line = kind.line;
    assert_eq!(output.exit, kind.exit, "{line}: {}", output.stderr.text());
    assert_eq!(output.leaked, [], "{line}");
    if let Some(leftovers) = kind.leftovers {
        assert_eq!(output.ended_leftovers, leftovers, "{line}");
    }
    let text = output.stdout.text();
    let answered = text.contains("answer\n");
    assert!(answered || output.exit == Exit::TimedOut, "{line}: {text}");
    answered
}
