//! What a stop does to what runs and to what would.

use agentv_base::{ProcessFault, ProcessRunner as _, Stdout, StopLevel};

use crate::sandbox::{Sandbox, until};

/// Runs an agent that says when it is ready, then raises the sign to each of `levels`.
async fn stop_while_running(sandbox: &Sandbox, words: &str, levels: &[StopLevel]) -> ProcessFault {
    let ready = sandbox.folder.path().join("ready");
    let mut spec = sandbox.agent(&format!("{words} write ready x sleep 600"));
    spec.deadline = None;
    let raise = async {
        until("it runs", || ready.exists()).await;
        for level in levels {
            sandbox.stop.raise(*level);
            tokio::task::yield_now().await;
        }
    };
    let (result, ()) = tokio::join!(sandbox.processes.run(spec), raise);
    result.unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_what_runs() {
    let sandbox = Sandbox::shared().await;
    let fault = stop_while_running(&sandbox, "", &[StopLevel::Terminate]).await;
    assert!(matches!(fault, ProcessFault::Interrupted), "{fault}");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_what_ignores_it_and_what_it_left_behind() {
    let sandbox = Sandbox::shared().await;
    let words = "ignore-term spawn group+quiet ignore-term sleep 600 end";
    let fault = stop_while_running(&sandbox, words, &[StopLevel::Terminate]).await;
    assert!(matches!(fault, ProcessFault::Interrupted), "{fault}");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_stop_kills_what_ignores_the_first() {
    let sandbox = Sandbox::shared().await;
    let words = "ignore-term spawn group+quiet ignore-term sleep 600 end";
    let levels = [StopLevel::Terminate, StopLevel::Kill];
    let fault = stop_while_running(&sandbox, words, &levels).await;
    assert!(matches!(fault, ProcessFault::Interrupted), "{fault}");
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn once_stopped_nothing_is_started() {
    let sandbox = Sandbox::shared().await;
    for level in [StopLevel::Terminate, StopLevel::Kill] {
        sandbox.stop.raise(level);
        // Its output would be there even if it were ended at once.
        let mut spec = sandbox.shell("true");
        spec.stdout = Stdout::File(sandbox.folder.path().join("started"));
        let fault = sandbox.fault(spec).await;
        assert!(matches!(fault, ProcessFault::Interrupted), "{fault}");
    }
    assert!(!sandbox.folder.path().join("started").exists());
    sandbox.close().await;
}

/// The signal of a terminal comes to every process of its group, and to one that has just been
/// started as well: such a death is no fault of the command.
#[tokio::test(flavor = "multi_thread")]
async fn a_death_by_the_signal_that_stops_the_run_is_an_interruption() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    // As the program does. What is ignored is ignored by commands as well, as in a script's background.
    let _heard: Vec<_> = kinds.into_iter().map(|kind| signal(kind).unwrap()).collect();
    for signal in ["INT", "TERM", "HUP"] {
        let sandbox = Sandbox::shared().await;
        let run = sandbox.processes.run(sandbox.shell(format!("kill -{signal} $$")));
        let told_later = async {
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
            sandbox.stop.raise(StopLevel::Terminate);
        };
        let (result, ()) = tokio::join!(run, told_later);
        assert!(matches!(result, Err(ProcessFault::Interrupted)), "{signal}: {result:?}");
        sandbox.close().await;
    }
}
