//! Ctrl-C and its relatives: the first asks the run to end, the second ends it now.

use agentv_base::StopLevel;
use agentv_exec::process::hangup_is_ignored;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
};

/// The number of the signal for a file that may not grow any more, on every system.
const FILE_TOO_LARGE: i32 = 25;

/// Listens for as long as the runtime lives. A hangup counts unless whoever started us said that it
/// should not: overnight runs are started with `nohup`.
pub fn listen() -> std::io::Result<mpsc::UnboundedReceiver<StopLevel>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
    // Nobody waits for it: where it is heard, a write that is too long fails with a reason instead
    // of ending the run without a word. Programs that are started do not inherit that.
    let too_large = signal(SignalKind::from_raw(FILE_TOO_LARGE))?;
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let _heard = too_large;
        let mut level = StopLevel::Terminate;
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                () = received(&mut hangup) => {}
            }
            if sender.send(level).is_err() {
                return;
            }
            level = StopLevel::Kill;
        }
    });
    Ok(receiver)
}

/// Waits for ever for a signal that nobody listens for.
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}
