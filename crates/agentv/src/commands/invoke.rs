//! `agentv invoke`: only the provider, to see what a target gives back.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use agentv_base::{
    Message, Outcome, Raw, Response, RunEvent, SettledCase, Sink, SinkFault, TokenUsage, ToolCall,
    TraceEvent,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Attention, current_dir, refuse, report_loaded, select};
use crate::{
    args::InvokeArgs,
    console::Console,
    discreet::Discreet,
    exit::Exit,
    settings::{self, Asking},
    sinks::WarningsOnly,
    wiring::{self, Grading},
};

pub fn run(args: &InvokeArgs, console: Console) -> Exit {
    match invoke(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn invoke(args: &InvokeArgs, console: Console) -> Result<Exit, Exit> {
    let mut loaded =
        agentv_case::load(&settings::load_options(&args.select, current_dir(console)?));
    select(&mut loaded, &args.select);
    let overrides = settings::target_overrides(std::slice::from_ref(&args.target));
    let asking = Asking::from(&args.ask);
    let Attention { runtime, signals } = Attention::begin(console)?;
    let assembly = wiring::assemble(&mut loaded, &overrides, asking, Grading::None, console);
    report_loaded(&loaded, console)?;
    let Some(assembly) = assembly else { return Err(Exit::Refused) };
    let unanswered = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let printer =
        Printer { console, next: 0, waiting: BTreeMap::new(), unanswered: Arc::clone(&unanswered) };
    let sinks: Vec<Box<dyn Sink>> = vec![Box::new(printer), Box::new(WarningsOnly::new(console))];
    let mut sinks: Vec<Box<dyn Sink>> = vec![Box::new(Discreet::new(&loaded.redactor, sinks))];
    let end = runtime.block_on(async {
        let end = agentv_engine::run(
            Arc::clone(&assembly.plan),
            assembly.limits,
            None,
            assembly.stop.clone(),
            signals,
            &mut sinks,
        )
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
            line.response = Some(ResponseView::of(response));
        }
        Outcome::Failed { failure } => {
            line.error = Some(&failure.message);
            line.error_kind = Some(failure.kind.name());
        }
    }
    Ok(serde_json::to_string(&line)? + "\n")
}

// The camelCase shapes of what `invoke` prints. Inside the program, and in files, the same words
// are snake_case.

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    eval_id: &'a str,
    target: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<ResponseView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_kind: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResponseView<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_messages: Option<Vec<MessageView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a [TraceEvent]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_usage: Option<TokenUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    raw: RawView<'a>,
}

/// How the answer came about: of a command, of a model, or from a record.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum RawView<'a> {
    Command(CommandView<'a>),
    Model {
        model: &'a str,
        url: &'a str,
        status: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        finish_reason: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        request_id: Option<&'a str>,
        tries: u32,
    },
    Record {
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a Path>,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommandView<'a> {
    command: &'a str,
    exit_code: Option<i32>,
    stderr: &'a str,
    cwd: &'a Path,
    output_file: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageView<'a> {
    role: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCallView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Map<String, Value>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolCallView<'a> {
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
}

impl<'a> ResponseView<'a> {
    fn of(response: &'a Response) -> Self {
        let messages = response.output_messages.as_ref();
        Self {
            text: &response.text,
            output_messages: messages.map(|list| list.iter().map(MessageView::of).collect()),
            trace: response.trace.as_deref(),
            token_usage: response.token_usage,
            cost_usd: response.cost_usd,
            duration_ms: response.duration_ms,
            raw: RawView::of(&response.raw),
        }
    }
}

impl<'a> RawView<'a> {
    fn of(raw: &'a Raw) -> Self {
        match raw {
            Raw::Command(raw) => Self::Command(CommandView {
                command: &raw.command,
                exit_code: raw.exit_code,
                stderr: &raw.stderr,
                cwd: &raw.cwd,
                output_file: raw.output_file.as_deref(),
                record_id: raw.record_id.as_deref(),
            }),
            Raw::Model(raw) => Self::Model {
                model: &raw.model,
                url: &raw.url,
                status: raw.status,
                finish_reason: raw.finish_reason.as_deref(),
                request_id: raw.request_id.as_deref(),
                tries: raw.tries,
            },
            Raw::Record(raw) => Self::Record { file: raw.file.as_deref(), line: raw.line },
        }
    }
}

impl<'a> MessageView<'a> {
    fn of(message: &'a Message) -> Self {
        Self {
            role: &message.role,
            name: message.name.as_deref(),
            content: message.content.as_ref(),
            tool_calls: message.tool_calls.iter().map(ToolCallView::of).collect(),
            timestamp: message.timestamp.as_deref(),
            metadata: message.metadata.as_ref(),
        }
    }
}

impl<'a> ToolCallView<'a> {
    fn of(call: &'a ToolCall) -> Self {
        Self {
            tool: &call.tool,
            input: call.input.as_ref(),
            output: call.output.as_ref(),
            id: call.id.as_deref(),
            timestamp: call.timestamp.as_deref(),
            duration_ms: call.duration_ms,
        }
    }
}
