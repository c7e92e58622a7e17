//! Limits of memory and CPU time: however a process is started, it and its children have them.

use agentv_base::{Exit, ProcessLimits, Program};

use crate::sandbox::Sandbox;

const LIMITS: ProcessLimits =
    ProcessLimits { memory_bytes: Some(512 * 1024 * 1024), cpu_seconds: Some(7) };

#[tokio::test(flavor = "multi_thread")]
async fn a_line_a_script_and_a_program_have_the_same_limits() {
    let sandbox = Sandbox::shared().await;
    let ask = "ulimit -v; ulimit -S -t";
    let argv = ["sh", "-c", ask].map(str::to_owned).to_vec();
    let long = format!("{ask}\n# {}", "a line that is too long to be an argument ".repeat(4000));
    let child = format!("sh -c '{ask}'; true");
    for program in [
        Program::Shell(ask.to_owned()),
        Program::Shell(long),
        Program::Shell(child),
        Program::Argv(argv),
    ] {
        let mut spec = sandbox.spec(program.clone());
        let output = sandbox.run(spec.clone()).await;
        assert_ne!(output.stdout.text(), "524288\n7\n");
        spec.limits = LIMITS;
        let output = sandbox.run(spec).await;
        assert_eq!(output.exit, Exit::Code(0));
        assert_eq!(output.stdout.text(), "524288\n7\n", "{program:?}");
        assert_eq!(output.stderr.text(), "");
    }
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_reach_a_program_with_limits_as_they_are() {
    let sandbox = Sandbox::shared().await;
    let words = ["printf", "<%s>", "", "a b", "$HOME", "'\"\\", "-n", "é"];
    let mut spec = sandbox.spec(Program::Argv(words.map(str::to_owned).to_vec()));
    spec.limits = LIMITS;
    let output = sandbox.run(spec).await;
    assert_eq!(output.stdout.text(), "<><a b><$HOME><'\"\\><-n><é>");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_used_up_its_seconds_is_ended_by_the_system() {
    let sandbox = Sandbox::shared().await;
    let limits = ProcessLimits { cpu_seconds: Some(1), ..ProcessLimits::default() };
    let mut spec = sandbox.shell("while :; do :; done");
    spec.limits = limits;
    let output = sandbox.run(spec).await;
    assert_eq!(output.exit, Exit::Signal(24));
    assert_eq!(limits.explain(output.exit), " (it used up its 1 CPU seconds)");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_beyond_the_limit_is_refused_to_the_program() {
    let sandbox = Sandbox::shared().await;
    // The shell holds the text in memory, and more than once.
    let mut spec = sandbox.shell("x=$(head -c 40000000 /dev/zero | tr '\\0' x); echo ${#x}");
    let output = sandbox.run(spec.clone()).await;
    assert_eq!(output.stdout.text(), "40000000\n");
    spec.limits = ProcessLimits { memory_bytes: Some(32 * 1024 * 1024), cpu_seconds: None };
    let output = sandbox.run(spec).await;
    assert_ne!(output.exit, Exit::Code(0));
    assert_eq!(output.stdout.text(), "");
    sandbox.close().await;
}
