//! Processes that take turns: no more than so many of them run at a time, whoever asks. Those that
//! wait hold no memory and no deadline of theirs has begun.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use agentv_base::{
    BoxFuture, Exit, ProcessFault, ProcessOutput, ProcessRunner, ProcessSpec, Program, Stop,
    StopLevel, WriteInput,
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How many commands are remembered that left processes behind.
const MOST_REMEMBERED: usize = 10;

pub struct Turns {
    processes: Arc<dyn ProcessRunner>,
    places: Semaphore,
    stop: Stop,
    untidy: Mutex<BTreeSet<String>>,
}

impl Turns {
    /// `stop` must be that of `processes`: when it is raised, nobody gets a turn any more.
    pub fn new(processes: Arc<dyn ProcessRunner>, at_once: usize, stop: Stop) -> Self {
        let places = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self { processes, places: Semaphore::new(places), stop, untidy: Mutex::default() }
    }

    /// Commands that left processes running when they had ended, which then were ended for them:
    /// a few, as they were run, secrets and all.
    pub fn untidy(&self) -> Vec<String> {
        self.untidy.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, ProcessFault> {
        tokio::select! {
            biased;
            () = self.stop.reached(StopLevel::Terminate) => Err(ProcessFault::Interrupted),
            place = self.places.acquire() => place.map_err(|_| ProcessFault::Interrupted),
        }
    }

    async fn run_in_turn<'a>(
        &'a self,
        spec: ProcessSpec,
        input: Option<WriteInput<'a>>,
    ) -> Result<ProcessOutput, ProcessFault> {
        let _turn = self.turn().await?;
        let command = words(&spec.program);
        let ran = match input {
            Some(input) => self.processes.run_reading(spec, input).await?,
            None => self.processes.run(spec).await?,
        };
        // What is ended at its deadline is ended with all its children, and left none behind.
        if ran.ended_leftovers > 0 && ran.exit != Exit::TimedOut {
            let mut untidy = self.untidy.lock().unwrap_or_else(PoisonError::into_inner);
            if untidy.len() < MOST_REMEMBERED {
                untidy.insert(command);
            }
        }
        Ok(ran)
    }
}

impl ProcessRunner for Turns {
    fn run(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        Box::pin(self.run_in_turn(spec, None))
    }

    fn run_reading<'a>(
        &'a self,
        spec: ProcessSpec,
        input: WriteInput<'a>,
    ) -> BoxFuture<'a, Result<ProcessOutput, ProcessFault>> {
        Box::pin(self.run_in_turn(spec, Some(input)))
    }
}

fn words(program: &Program) -> String {
    match program {
        Program::Shell(line) => line.clone(),
        Program::Argv(argv) => argv.join(" "),
    }
}
