//! One process from its start to the moment when nothing of it is left.

use std::{io, mem, os::unix::process::ExitStatusExt as _, pin::pin, time::Duration};

use agentv_base::{
    Exit, ProcessFault, ProcessOutput, ProcessSpec, Stdin, Stdout, Stop, StopLevel, WriteInput,
};
use tokio::time::Instant;

use super::{
    capture::Capture,
    command::about,
    ending::Ending,
    input::Input,
    ladder::{Cause, Ladder},
    leader::Leader,
    leftovers::{Sweep, end_leftovers_of, leaked},
    limits,
    runner::Processes,
    streams::{drain_both, feed},
    waiting::{Flow, Waited, wait_for},
};

/// What was written before a process ended is in its pipes already; this is for a leftover that is
/// about to finish its sentence.
const DRAIN_GRACE: Duration = Duration::from_millis(200);

/// Signals by which terminals and those who end programs speak to a whole process group: SIGHUP,
/// SIGINT, SIGTERM. A process that has just been started may still be in ours.
const MEANT_FOR_ALL: [i32; 3] = [1, 2, 15];

/// We hear of the same signal at the same moment, but may be told later.
const HEARD_SOON: Duration = Duration::from_millis(100);

/// Whether the run is being stopped, so that what ended a process was meant for the run.
async fn is_stopped(stop: &Stop) -> bool {
    tokio::time::timeout(HEARD_SOON, stop.reached(StopLevel::Terminate)).await.is_ok()
}

/// `written` stands in for the standard input that `spec` describes.
pub(super) async fn run(
    processes: &Processes,
    mut spec: ProcessSpec,
    written: Option<WriteInput<'_>>,
) -> Result<ProcessOutput, ProcessFault> {
    let stop = processes.stop();
    if stop.level() >= StopLevel::Terminate {
        return Err(ProcessFault::Interrupted);
    }
    let described = mem::replace(&mut spec.stdin, Stdin::Null);
    let input = match written {
        Some(write) => Input::written(write, processes.scripts()),
        None => Input::described(described, processes.scripts()),
    };
    let input = input.map_err(|error| {
        ProcessFault::Spawn(about("what it reads could not be written down", &error))
    })?;
    let (stdin, piped) = input.split();
    // Starting takes a part of the time, for short commands most of it.
    let started = Instant::now();
    let mut leader = Leader::start(processes, &spec, stdin).map_err(ProcessFault::Spawn)?;
    // A deadline beyond what the clock can say is none.
    let mut ladder = Ladder::new(spec.deadline.and_then(|limit| started.checked_add(limit)));

    let mut stdout = match spec.stdout {
        Stdout::Capture | Stdout::File(_) => Capture::both_ends(),
        Stdout::CaptureHead(limit) => Capture::beginning(limit),
    };
    let mut stderr = Capture::both_ends();
    let (waited, duration, left, flowed) = {
        let streams = leader.streams();
        let feeding = feed(streams.stdin, piped);
        let draining = pin!(drain_both(streams.stdout, &mut stdout, streams.stderr, &mut stderr,));
        let mut flow = Flow::new(draining);
        let waited = wait_for(&mut leader, &mut ladder, stop, feeding, &mut flow)
            .await
            .map_err(ProcessFault::Io)?;
        let duration = started.elapsed();
        if matches!(waited, Waited::GivenUp) {
            leader.give_up();
        }
        flow.finish_within(DRAIN_GRACE).await;
        let ending = ladder
            .asked()
            .map_or_else(Ending::default, |asked| Ending::after_asking(leader.pid(), asked));
        let left = end_leftovers_of(leader.number(), ending, stop).await;
        // Whoever held a stream is gone now, or is none of ours.
        flow.finish_within(DRAIN_GRACE).await;
        (waited, duration, left, flow.result())
    };

    let Sweep { ended: ended_leftovers, leaked: mut still_there } = left;
    let status = match waited {
        Waited::Ended(status) => Some(status),
        Waited::GivenUp => {
            still_there.push(leaked(leader.pid()));
            None
        }
    };
    let exit = match (ladder.cause(), status) {
        (Some(Cause::Stopped), _) => return Err(ProcessFault::Interrupted),
        (Some(Cause::Deadline), _) | (None, None) => Exit::TimedOut,
        (None, Some(status)) => status
            .code()
            .map(Exit::Code)
            .or_else(|| status.signal().map(Exit::Signal))
            .ok_or_else(|| ProcessFault::Io(io::Error::other(format!("odd end: {status}"))))?,
    };
    if matches!(exit, Exit::Signal(signal) if MEANT_FOR_ALL.contains(&signal))
        && is_stopped(stop).await
    {
        return Err(ProcessFault::Interrupted);
    }
    flowed.map_err(ProcessFault::Io)?;
    let output = ProcessOutput {
        exit,
        stdout: stdout.finish(),
        stderr: stderr.finish(),
        duration,
        ended_leftovers,
        leaked: still_there,
    };
    match limits::refusal(&spec.limits, leader.marker(), &output) {
        Some(refusal) => Err(ProcessFault::Spawn(refusal)),
        None => Ok(output),
    }
}
