//! Small listeners of a run that belong to no display and no record.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use agentv_base::{RunEvent, Sink, SinkFault};
use agentv_report::Summary;

use crate::console::Console;

/// A sink that is still needed when the run is over.
pub struct Shared<S>(pub Arc<Mutex<S>>);

impl<S: Sink> Sink for Shared<S> {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        self.hear_all(&[event])
    }

    fn hear_all(&mut self, events: &[&RunEvent]) -> Result<(), SinkFault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).hear_all(events)
    }
}

/// Counts what is skipped; rows are added up by whoever records them.
pub struct Skipping(pub Arc<Mutex<Summary>>);

impl Sink for Skipping {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        if let RunEvent::Skipped(skipped) = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).skip(skipped);
        }
        Ok(())
    }
}

/// What must be said also where no progress is shown, each thing once.
pub struct WarningsOnly {
    console: Console,
    said: HashSet<String>,
}

impl WarningsOnly {
    pub fn new(console: Console) -> Self {
        Self { console, said: HashSet::new() }
    }
}

impl Sink for WarningsOnly {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        if let RunEvent::Warning(text) = event
            && self.said.insert(text.clone())
        {
            self.console.say(&format!("warning: {}\n", agentv_base::escape_controls(text)));
        }
        Ok(())
    }
}
