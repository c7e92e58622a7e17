//! Ends what invocations leave behind: each invocation its own leftovers, the sweep at the end of
//! a run whatever is still there.

use agentv_base::{LeakedProcess, Stop, StopLevel, excerpt};
use nix::sys::signal::Signal;
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    ending::{Ending, Force, LEFTOVER_PATIENCE, Leftover, Next},
    household::{HOUSEHOLD, Number},
    system,
};

/// What is told of the command of a leaked process: enough to know it by, not the whole prompt.
const LONGEST_COMMAND: usize = 200;

/// What the sweep at the end of a run found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    /// Processes that outlived their invocation and are now ended.
    pub ended: usize,
    pub leaked: Vec<LeakedProcess>,
}

/// Ends the leftovers of an invocation whose leader has ended.
pub(super) async fn end_leftovers_of(number: Number, mut ending: Ending, stop: &Stop) -> Sweep {
    HOUSEHOLD.census().await;
    loop {
        let found = HOUSEHOLD.leftovers_of(number);
        if let Some(sweep) = act(&mut ending, number, stop, &found).await {
            return sweep;
        }
        if HOUSEHOLD.leftovers_of(number).is_empty() {
            // The children of an orphan come to us when it ends, so that only a look which finds
            // nothing is the last one.
            HOUSEHOLD.census().await;
        }
    }
}

/// Ends every child of the runner that no invocation looks after.
pub(super) async fn end_unknown_children(run: &str, stop: &Stop) -> Sweep {
    // What they left behind comes to us only when they have ended, so they are first.
    let unended = wait_for_abandoned(run).await;
    let place = HOUSEHOLD.enter();
    let sweeper = place.number();
    let mut ending = Ending::default();
    let mut sweep = loop {
        HOUSEHOLD.enter_unknown_children(sweeper);
        let found = HOUSEHOLD.leftovers_of(sweeper);
        if let Some(sweep) = act(&mut ending, sweeper, stop, &found).await {
            break sweep;
        }
    };
    sweep.ended += HOUSEHOLD.members().strays.remove(run).unwrap_or(0);
    sweep.leaked.extend(unended);
    sweep
}

/// Waits for leaders that were killed without anybody waiting for them. Returns those that do not
/// end; the runtime goes on trying to reap them.
async fn wait_for_abandoned(run: &str) -> Vec<LeakedProcess> {
    let abandoned: Vec<_> =
        HOUSEHOLD.members().abandoned.extract_if(.., |abandoned| abandoned.run == run).collect();
    let limit = Instant::now() + LEFTOVER_PATIENCE;
    let mut unended = Vec::new();
    for mut one in abandoned {
        match timeout_at(limit, one.child.wait()).await {
            Ok(_) => drop(HOUSEHOLD.members().leaders.remove(&one.pid)),
            Err(_) => unended.push(leaked(one.pid)),
        }
    }
    unended
}

/// Takes one step towards the end of what was found; the result when there is no other.
async fn act(
    ending: &mut Ending,
    number: Number,
    stop: &Stop,
    found: &[Leftover],
) -> Option<Sweep> {
    let hurry = stop.level() >= StopLevel::Kill;
    match ending.step(Instant::now(), hurry, found) {
        Next::Over { ended, leaked } => {
            let leaked = leaked.into_iter().map(name).collect();
            Some(Sweep { ended, leaked })
        }
        Next::Signal { force, to, pause } => {
            let signal = match force {
                Force::Terminate => Signal::SIGTERM,
                Force::Kill => Signal::SIGKILL,
            };
            HOUSEHOLD.signal_leftovers(number, &to, signal);
            sleep(pause).await;
            None
        }
    }
}

fn name(leftover: Leftover) -> LeakedProcess {
    match leftover {
        Leftover::Process { pid, .. } => leaked(pid),
        Leftover::Group(group) => {
            LeakedProcess { pid: group, command: String::from("(members of a process group)") }
        }
    }
}

pub(super) fn leaked(pid: i32) -> LeakedProcess {
    LeakedProcess { pid, command: excerpt(&system::command_line(pid), LONGEST_COMMAND) }
}
