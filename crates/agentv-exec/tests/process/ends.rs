//! How processes start and end: codes, signals, deadlines, and what cannot be started.

use std::time::Duration;

use agentv_base::{Exit, ProcessFault, Program, Stdout};

use crate::sandbox::Sandbox;

#[tokio::test(flavor = "multi_thread")]
async fn an_exit_code_is_told_as_it_is() {
    let sandbox = Sandbox::shared().await;
    for code in [0, 1, 7, 255] {
        let output = sandbox.run(sandbox.agent(&format!("exit {code}"))).await;
        assert_eq!(output.exit, Exit::Code(code));
        assert_eq!(output.ended_leftovers, 0);
        assert_eq!(output.leaked, []);
    }
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_death_by_signal_is_told_by_its_number() {
    let sandbox = Sandbox::shared().await;
    for signal in [6, 9, 15] {
        let line = format!("kill -{signal} $$");
        let output = sandbox.run(sandbox.shell(line)).await;
        assert_eq!(output.exit, Exit::Signal(signal));
    }
    let output = sandbox.run(sandbox.agent("die-by 9")).await;
    assert_eq!(output.exit, Exit::Signal(9));
    let agent = agentv_testkit::fake_agent().to_str().unwrap().to_owned();
    let argv = vec![agent, String::from("die-by"), String::from("6")];
    let output = sandbox.run(sandbox.spec(Program::Argv(argv))).await;
    assert_eq!(output.exit, Exit::Signal(6));
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_hangs_is_ended_at_its_deadline() {
    let sandbox = Sandbox::shared().await;
    let (output, deadline) = sandbox.run_late(sandbox.agent("write ready x sleep 600")).await;
    assert_eq!(output.exit, Exit::TimedOut);
    assert!(output.duration >= deadline);
    assert!(output.duration < Duration::from_mins(9));
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_the_deadline_is_kept() {
    let sandbox = Sandbox::shared().await;
    let spec = sandbox.shell("echo out; echo err >&2; touch ready; exec sleep 600");
    let (output, _) = sandbox.run_late(spec).await;
    assert_eq!(output.stdout.text(), "out\n");
    assert_eq!(output.stderr.text(), "err\n");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_ignores_sigterm_is_killed_after_the_grace() {
    let sandbox = Sandbox::shared().await;
    let words = "ignore-term spawn group ignore-term sleep 600 end write ready x sleep 600";
    let (output, deadline) = sandbox.run_late(sandbox.agent(words)).await;
    assert_eq!(output.exit, Exit::TimedOut);
    assert!(output.duration >= deadline + Duration::from_secs(1));
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_tidies_up_on_sigterm_has_the_time_for_it() {
    let sandbox = Sandbox::shared().await;
    let line = "trap 'echo tidied > tidied; exit 0' TERM; touch ready; sleep 600 & wait";
    let (output, _) = sandbox.run_late(sandbox.shell(line)).await;
    assert_eq!(output.exit, Exit::TimedOut);
    assert!(sandbox.folder.path().join("tidied").exists());
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_of_the_shell_has_the_time_to_tidy_up_although_the_shell_ends_at_once() {
    let sandbox = Sandbox::shared().await;
    let child =
        "trap 'sleep 0.2; echo tidied > tidied; exit 0' TERM; touch ready; sleep 600 & wait";
    let (output, _) = sandbox.run_late(sandbox.shell(format!("sh -c {child:?}; true"))).await;
    assert_eq!(output.exit, Exit::TimedOut);
    assert!(sandbox.folder.path().join("tidied").exists(), "{output:?}");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deadline_holds_when_a_grandchild_keeps_stdout_open() {
    let sandbox = Sandbox::shared().await;
    let words = "spawn group ignore-term sleep 600 end write ready x sleep 600";
    let (output, _) = sandbox.run_late(sandbox.agent(words)).await;
    assert_eq!(output.exit, Exit::TimedOut);
    assert_eq!(output.ended_leftovers, 1);
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_started_says_what_is_missing() {
    let sandbox = Sandbox::shared().await;
    let missing = Program::Argv(vec![String::from("no-such-program"), String::from("x")]);
    let fault = sandbox.fault(sandbox.spec(missing)).await;
    assert!(matches!(fault, ProcessFault::Spawn(_)), "{fault}");
    assert!(fault.to_string().contains("`no-such-program`"), "{fault}");

    let mut spec = sandbox.shell("true");
    spec.cwd = sandbox.folder.path().join("no-such-folder");
    let fault = sandbox.fault(spec).await;
    assert!(fault.to_string().contains("no-such-folder"), "{fault}");

    let fault = sandbox.fault(sandbox.spec(Program::Argv(Vec::new()))).await;
    assert!(fault.to_string().contains("is empty"), "{fault}");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nul_byte_is_refused_before_anything_starts() {
    let sandbox = Sandbox::shared().await;
    let long = format!("touch started #{}\0", "x".repeat(200 * 1024));
    let argv = vec![String::from("touch"), String::from("started\0x")];
    for program in [
        Program::Shell(String::from("touch started #\0")),
        Program::Shell(long),
        Program::Argv(argv),
    ] {
        let fault = sandbox.fault(sandbox.spec(program)).await;
        assert!(matches!(fault, ProcessFault::Spawn(_)), "{fault}");
        assert!(fault.to_string().contains("NUL"), "{fault}");
    }
    for (name, value) in [("A\0B", "x"), ("A=B", "x"), ("", "x"), ("A", "x\0y")] {
        let mut spec = sandbox.shell("touch started");
        spec.env = vec![(name.to_owned(), value.to_owned())];
        let fault = sandbox.fault(spec).await;
        assert!(matches!(fault, ProcessFault::Spawn(_)), "{fault}");
        assert!(fault.to_string().contains("variable"), "{fault}");
    }
    assert!(!sandbox.folder.path().join("started").exists());
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_any_length_runs_and_its_script_is_gone_afterwards() {
    let sandbox = Sandbox::shared().await;
    let before = std::fs::read_dir(sandbox.scratch()).unwrap().count();
    for size in [100 * 1024 - 100, 128 * 1024, 8 * 1024 * 1024] {
        let word = "x".repeat(size);
        // A builtin takes what the system would refuse to a program.
        let mut spec = sandbox.shell(format!("printf '%s' {word}; ls \"$(dirname \"$0\")\" >&2"));
        spec.stdout = Stdout::CaptureHead(usize::MAX);
        let output = sandbox.run(spec).await;
        assert_eq!(output.exit, Exit::Code(0));
        assert_eq!(output.stdout.head.len(), size);
    }
    assert_eq!(std::fs::read_dir(sandbox.scratch()).unwrap().count(), before);
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_folder_and_the_variables_are_those_of_the_description() {
    let sandbox = Sandbox::shared().await;
    let mut spec = sandbox.shell("pwd -P; echo \"$GREETING\"; echo \"$AGENTV_INVOCATION\"");
    spec.env = vec![
        (String::from("GREETING"), String::from("hello 'you'")),
        (String::from("AGENTV_INVOCATION"), String::from("forged")),
    ];
    let text = sandbox.run(spec).await.stdout.text();
    let lines: Vec<_> = text.lines().collect();
    let folder = sandbox.folder.path().canonicalize().unwrap();
    assert_eq!(lines.first(), folder.to_str().as_ref());
    assert_eq!(lines.get(1), Some(&"hello 'you'"));
    assert!(lines[2].starts_with(sandbox.token()), "{text}");
    sandbox.close().await;
}
