//! `agentv invoke`: only the provider, to see what a target gives back.

use std::{collections::BTreeMap, sync::Arc};

use agentv_base::{Outcome, RunEvent, SettledCase, Sink, SinkFault};
use agentv_exec::provider::kept::KeptResponse;
use serde::Serialize;

use super::{Attention, current_dir, refuse, report_loaded, select_alone};
use crate::{
    args::InvokeArgs,
    console::Console,
    discreet::Discreet,
    exit::Exit,
    settings::{self, Answering, Asking, Scope},
    sinks::WarningsOnly,
    wiring::{self, Grading},
};

pub fn run(args: &InvokeArgs, console: Console) -> Exit {
    match invoke(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn invoke(args: &InvokeArgs, console: Console) -> Result<Exit, Exit> {
    let mut loaded = agentv_case::load(&settings::load_options(
        &args.paths,
        &args.select,
        current_dir(console)?,
    ));
    select_alone(&mut loaded, &args.select);
    let overrides = settings::target_overrides(std::slice::from_ref(&args.target));
    let asking = Asking::from(&args.ask);
    let Attention { runtime, signals } = Attention::begin(console)?;
    let assembly = wiring::assemble(
        &mut loaded,
        &overrides,
        asking,
        Scope::ONCE,
        Grading::None,
        Answering::PLAINLY,
        console,
    );
    report_loaded(&loaded, console)?;
    let Some(mut assembly) = assembly else { return Err(Exit::Refused) };
    let plan = Arc::new(std::mem::take(&mut assembly.plan));
    let unanswered = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let printer =
        Printer { console, next: 0, waiting: BTreeMap::new(), unanswered: Arc::clone(&unanswered) };
    let sinks: Vec<Box<dyn Sink>> = vec![Box::new(printer), Box::new(WarningsOnly::new(console))];
    let sinks: Vec<Box<dyn Sink>> = vec![Box::new(Discreet::new(&loaded.redactor, sinks))];
    let end = runtime.block_on(async {
        let end =
            agentv_engine::run(plan, assembly.limits, None, assembly.stop.clone(), signals, sinks)
                .await;
        assembly.close(console).await;
        end
    });
    if let Some(fault) = &end.fault {
        refuse(fault.message.clone(), console);
        return Ok(Exit::Unevaluated);
    }
    let unanswered = unanswered.load(std::sync::atomic::Ordering::Relaxed);
    Ok(match (end.totals.interrupted, unanswered) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Passed,
        (false, _) => Exit::Unevaluated,
    })
}

/// Prints one line a case, in the order of the cases, each as soon as those before it are out.
struct Printer {
    console: Console,
    next: usize,
    waiting: BTreeMap<usize, String>,
    unanswered: Arc<std::sync::atomic::AtomicUsize>,
}

impl Printer {
    fn print(&self, line: &str) -> Result<(), SinkFault> {
        self.console.result(line).map_err(|error| SinkFault { message: error.to_string() })
    }
}

impl Sink for Printer {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        match event {
            RunEvent::Settled(settled) => {
                if matches!(settled.outcome, Outcome::Failed { .. }) {
                    self.unanswered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
                let line =
                    line(settled).map_err(|error| SinkFault { message: error.to_string() })?;
                self.waiting.insert(settled.slot, line);
                while let Some(line) = self.waiting.remove(&self.next) {
                    self.print(&line)?;
                    self.next += 1;
                }
            }
            // A stopped run has gaps; what is behind them is still worth seeing.
            RunEvent::Finished(_) => {
                for line in std::mem::take(&mut self.waiting).into_values() {
                    self.print(&line)?;
                }
            }
            RunEvent::Started { .. }
            | RunEvent::Invoking { .. }
            | RunEvent::Invoked { .. }
            | RunEvent::Grading { .. }
            | RunEvent::Graded { .. }
            | RunEvent::Waiting { .. }
            | RunEvent::Skipped(_)
            | RunEvent::Warning(_)
            | RunEvent::Stopping(_) => {}
        }
        Ok(())
    }
}

fn line(settled: &SettledCase) -> serde_json::Result<String> {
    let mut line = Line {
        eval_id: settled.case.id(),
        target: &settled.target,
        response: None,
        error: None,
        error_kind: None,
    };
    match &settled.outcome {
        Outcome::Answered { response } | Outcome::Assessed { response, .. } => {
            line.response = Some(KeptResponse::of(response));
        }
        Outcome::Failed { failure } => {
            line.error = Some(&failure.message);
            line.error_kind = Some(failure.kind.name());
        }
    }
    Ok(serde_json::to_string(&line)? + "\n")
}

/// What `invoke` prints of a case. Inside the program the same words are snake_case.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    eval_id: &'a str,
    target: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<KeptResponse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_kind: Option<&'a str>,
}
