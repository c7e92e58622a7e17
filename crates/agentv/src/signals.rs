//! Ctrl-C and its relatives: the first asks the run to end, the second ends it now.

use agentv_base::StopLevel;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};

/// Listens for as long as the runtime lives.
pub fn listen() -> std::io::Result<mpsc::UnboundedReceiver<StopLevel>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut level = StopLevel::Terminate;
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            if sender.send(level).is_err() {
                return;
            }
            level = StopLevel::Kill;
        }
    });
    Ok(receiver)
}
