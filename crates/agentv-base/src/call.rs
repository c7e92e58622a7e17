//! The calls of tools that a target left a trail of, each with what came back and how long it took,
//! whether the trail is a trace or messages.
//!
//! A trace tells of a call and of its result in two events. They belong together by their `id`
//! where both have one; else a result is that of the oldest call without one that has its name, or,
//! where it has no name, of the oldest of all. A result that belongs to no call is left out.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;
use serde_json::Value;

use crate::{
    message::{Message, ToolCall},
    trace::{TraceEvent, TraceEventKind},
};

/// Where a trace says how long a call took.
const DURATION: &str = "duration_ms";

/// One call of a tool. What the trail does not say is not known, which is not the same as empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call<'a> {
    pub tool: &'a str,
    pub input: Option<&'a Value>,
    pub output: Option<&'a Value>,
    pub id: Option<&'a str>,
    pub timestamp: Option<&'a str>,
    pub duration_ms: Option<f64>,
}

/// The tool that an event is a call of. A call that does not say of what is none.
pub(crate) fn tool_called(event: &TraceEvent) -> Option<&str> {
    (event.kind == TraceEventKind::ToolCall).then(|| filled(event.name.as_deref()))?
}

/// The calls of messages, without those that do not say of what.
pub(crate) fn called(messages: &[Message]) -> impl Iterator<Item = &ToolCall> {
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    calls.filter(|call| filled(Some(&call.tool)).is_some())
}

pub(crate) fn nameless_in_trace(events: &[TraceEvent]) -> usize {
    let calls = events.iter().filter(|event| event.kind == TraceEventKind::ToolCall);
    calls.filter(|event| tool_called(event).is_none()).count()
}

pub(crate) fn nameless_in_messages(messages: &[Message]) -> usize {
    let all: usize = messages.iter().map(|message| message.tool_calls.len()).sum();
    all - called(messages).count()
}

pub(crate) fn of_messages(messages: &[Message]) -> Vec<Call<'_>> {
    called(messages)
        .map(|call| {
            let ToolCall { tool, input, output, id, timestamp, duration_ms } = call;
            Call {
                tool,
                input: input.as_ref(),
                output: output.as_ref(),
                id: id.as_deref(),
                timestamp: timestamp.as_deref(),
                duration_ms: duration_ms.filter(|duration| is_duration(*duration)),
            }
        })
        .collect()
}

pub(crate) fn of_trace(events: &[TraceEvent]) -> Vec<Call<'_>> {
    let mut calls = Vec::new();
    let mut open = OpenCalls::default();
    for event in events {
        if let Some(tool) = tool_called(event) {
            open.add(calls.len(), tool, filled(event.id.as_deref()));
            calls.push(Call {
                tool,
                input: event.input.as_ref(),
                output: event.output.as_ref(),
                id: event.id.as_deref(),
                timestamp: event.timestamp.as_deref(),
                duration_ms: told_duration(event),
            });
        } else if event.kind == TraceEventKind::ToolResult
            && let Some(call) = open.take(event).and_then(|index| calls.get_mut(index))
        {
            call.output = event.output.as_ref().or(call.output);
            call.duration_ms = told_duration(event)
                .or(call.duration_ms)
                .or_else(|| between(call.timestamp?, event.timestamp.as_deref()?));
        }
    }
    calls
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn told_duration(event: &TraceEvent) -> Option<f64> {
    let duration = event.metadata.as_ref()?.get(DURATION)?.as_f64()?;
    is_duration(duration).then_some(duration)
}

fn is_duration(milliseconds: f64) -> bool {
    milliseconds.is_finite() && milliseconds >= 0.0
}

/// The milliseconds between two times; nothing where one of them is no time with an offset, or
/// where the clock went backwards.
fn between(start: &str, end: &str) -> Option<f64> {
    let (start, end): (Timestamp, Timestamp) = (start.parse().ok()?, end.parse().ok()?);
    let milliseconds = end.duration_since(start).as_secs_f64() * 1000.0;
    // Times tell nanoseconds at most; what stands behind is from the multiplication.
    let milliseconds = (milliseconds * 1e6).round() / 1e6;
    is_duration(milliseconds).then_some(milliseconds)
}

/// The calls that wait for a result. Each call stands in several queues and leaves them when it is
/// met there again, so that a long trace takes time in proportion to its length.
#[derive(Default)]
struct OpenCalls<'a> {
    settled: Vec<bool>,
    by_id: HashMap<&'a str, VecDeque<usize>>,
    by_name: HashMap<&'a str, Queues>,
    all: Queues,
}

/// Calls from the oldest on.
#[derive(Default)]
struct Queues {
    every: VecDeque<usize>,
    without_id: VecDeque<usize>,
}

impl<'a> OpenCalls<'a> {
    fn add(&mut self, index: usize, tool: &'a str, id: Option<&'a str>) {
        self.settled.push(false);
        for queues in [self.by_name.entry(tool).or_default(), &mut self.all] {
            queues.every.push_back(index);
            if id.is_none() {
                queues.without_id.push_back(index);
            }
        }
        if let Some(id) = id {
            self.by_id.entry(id).or_default().push_back(index);
        }
    }

    /// The call that a result belongs to, which has its result from now on.
    fn take(&mut self, result: &TraceEvent) -> Option<usize> {
        let id = filled(result.id.as_deref());
        // A second result with an id is that of no other call.
        if let Some(queue) = id.and_then(|id| self.by_id.get_mut(id)) {
            return oldest(queue, &mut self.settled);
        }
        let queues = match filled(result.name.as_deref()) {
            Some(name) => self.by_name.get_mut(name)?,
            None => &mut self.all,
        };
        // Two different ids say that the two do not belong together.
        let queue = if id.is_some() { &mut queues.without_id } else { &mut queues.every };
        oldest(queue, &mut self.settled)
    }
}

fn oldest(queue: &mut VecDeque<usize>, settled: &mut [bool]) -> Option<usize> {
    while let Some(index) = queue.pop_front() {
        if let Some(settled) = settled.get_mut(index).filter(|settled| !**settled) {
            *settled = true;
            return Some(index);
        }
    }
    None
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
