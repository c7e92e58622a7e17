//! Processes that take turns.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use agentv_base::{
    BoxFuture, Captured, Exit, ProcessFault, ProcessLimits, ProcessOutput, ProcessRunner,
    ProcessSpec, Program, Stdin, Stdout, Stop, StopLevel,
};
use agentv_exec::process::Turns;
use tokio::sync::Semaphore;

use crate::sandbox::{Sandbox, until};

/// The processes of a sandbox as those who take turns are handed them.
struct Lent(Arc<Sandbox>);

impl ProcessRunner for Lent {
    fn run(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        self.0.processes.run(spec)
    }
}

async fn taking_turns(at_once: usize) -> (Arc<Sandbox>, Turns) {
    let sandbox = Arc::new(Sandbox::shared().await);
    let turns = Turns::new(Arc::new(Lent(Arc::clone(&sandbox))), at_once, sandbox.stop.clone());
    (sandbox, turns)
}

async fn close(sandbox: Arc<Sandbox>, turns: Turns) {
    drop(turns);
    Arc::into_inner(sandbox).unwrap().close().await;
}

/// Counts the processes that it is told to run, whose deadlines begin with that, and lets each end
/// when it is allowed to.
struct Held {
    begun: AtomicUsize,
    may_end: Semaphore,
}

impl ProcessRunner for Held {
    fn run(&self, _: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        Box::pin(async {
            self.begun.fetch_add(1, Ordering::SeqCst);
            self.may_end.acquire().await.unwrap().forget();
            Ok(output(Exit::Code(0), 0))
        })
    }
}

#[tokio::test]
async fn one_that_waits_has_written_nothing_and_its_deadline_has_not_begun() {
    let held = Arc::new(Held { begun: AtomicUsize::new(0), may_end: Semaphore::new(0) });
    let begun = || held.begun.load(Ordering::SeqCst);
    let runner: Arc<dyn ProcessRunner> = Arc::clone(&held) as _;
    let turns = Turns::new(runner, 1, Stop::default());
    let told = AtomicBool::new(false);
    let tell = |_: &mut dyn std::io::Write| {
        told.store(true, Ordering::SeqCst);
        Ok(())
    };
    let (mut first, mut second) = (turns.run(sleeper()), turns.run_reading(sleeper(), &tell));
    // Each comes as far as it can.
    tokio::select! {
        biased;
        _ = &mut first => panic!("the first has ended"),
        _ = &mut second => panic!("the second has ended"),
        () = std::future::ready(()) => {}
    }
    assert_eq!((begun(), told.load(Ordering::SeqCst)), (1, false));
    held.may_end.add_permits(2);
    first.await.unwrap();
    second.await.unwrap();
    assert_eq!((begun(), told.load(Ordering::SeqCst)), (2, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_the_end_of_waiting() {
    let (sandbox, turns) = taking_turns(1).await;
    let first = sandbox.agent("write ready x sleep 600");
    let second = sandbox.shell("touch started");
    let raise = async {
        until("the first runs", || sandbox.folder.path().join("ready").exists()).await;
        sandbox.stop.raise(StopLevel::Terminate);
    };
    let (first, second, ()) = tokio::join!(turns.run(first), turns.run(second), raise);
    assert!(matches!(first, Err(ProcessFault::Interrupted)));
    assert!(matches!(second, Err(ProcessFault::Interrupted)));
    assert!(!sandbox.folder.path().join("started").exists());
    close(sandbox, turns).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_that_leave_processes_behind_are_remembered_a_few_of_them() {
    let (sandbox, turns) = taking_turns(4).await;
    for number in 0..12 {
        turns.run(sandbox.shell(format!("sleep 600 & exit {number}"))).await.unwrap();
        turns.run(sandbox.shell("exit 0")).await.unwrap();
    }
    let untidy = turns.untidy();
    assert_eq!(untidy.len(), 10, "{untidy:?}");
    assert!(untidy.iter().all(|command| command.starts_with("sleep 600 & exit")), "{untidy:?}");
    close(sandbox, turns).await;
}

fn output(exit: Exit, ended_leftovers: usize) -> ProcessOutput {
    ProcessOutput {
        exit,
        stdout: Captured::default(),
        stderr: Captured::default(),
        duration: Duration::ZERO,
        ended_leftovers,
        leaked: Vec::new(),
    }
}

fn sleeper() -> ProcessSpec {
    ProcessSpec {
        program: Program::Shell("sleep 9".to_owned()),
        cwd: "/".into(),
        env: Vec::new(),
        stdin: Stdin::Null,
        stdout: Stdout::Capture,
        deadline: None,
        limits: ProcessLimits::default(),
    }
}

/// Says of every process that it ended like this and that children of it were ended after it.
struct Ended(Exit);

impl ProcessRunner for Ended {
    fn run(&self, _: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        Box::pin(async { Ok(output(self.0, 1)) })
    }
}

#[tokio::test]
async fn only_what_ended_by_itself_can_leave_something_behind() {
    for (exit, untidy) in [(Exit::Code(0), 1), (Exit::Signal(9), 1), (Exit::TimedOut, 0)] {
        let turns = Turns::new(Arc::new(Ended(exit)), 1, Stop::default());
        turns.run(sleeper()).await.unwrap();
        assert_eq!(turns.untidy().len(), untidy, "{exit:?}");
    }
}
