//! What is known of how an answer came about: time, cost, tokens and the trail that the agent left.
//! What nobody measured is a fault that says how a target reports it, and never a 0.

use agentv_base::{GraderFault, Response, TokenUsage, TraceEvent, TraceEventKind};

use super::trajectory::known_names;
use crate::panel::TRAIL_LOST;

pub(super) fn duration_ms(response: &Response) -> Result<f64, GraderFault> {
    response.duration_ms.ok_or_else(|| {
        GraderFault::new(
            "nobody knows how long this answer took: one answer of a batch cannot be timed from \
             outside, so a target reports it as `duration_ms` of its record, a number of at least 0",
        )
    })
}

pub(super) fn cost_usd(response: &Response) -> Result<f64, GraderFault> {
    response.cost_usd.ok_or_else(|| {
        GraderFault::new(
            "nobody knows what this answer cost: a target reports it as `cost_usd` of its record, a \
             number of at least 0",
        )
    })
}

pub(super) fn token_usage(response: &Response) -> Result<TokenUsage, GraderFault> {
    response.token_usage.ok_or_else(|| {
        GraderFault::new(
            "nobody knows how many tokens this answer took: a target reports them as \
             `token_usage: {input, output}` of its record, both whole numbers",
        )
    })
}

/// How many tools were called, those that only read among them.
pub(super) fn tool_calls(
    response: &Response,
    only_reads: impl Fn(&str) -> bool,
) -> Result<(usize, usize), GraderFault> {
    kept_trail(response)?;
    known_names(response)?;
    let calls = response.calls().ok_or_else(|| {
        GraderFault::new(
            "nobody knows which tools were called: a target reports them as `trace` or as \
             `output_messages` of its record",
        )
    })?;
    let reading = calls.iter().filter(|call| only_reads(call.tool)).count();
    Ok((calls.len(), reading))
}

/// How often a model was asked. An answer for which no model was asked at all cannot be told from
/// a trail that leaves such steps out, so none is unknown too.
pub(super) fn model_calls(response: &Response) -> Result<usize, GraderFault> {
    kept_trail(response)?;
    let count = match (&response.trace, &response.output_messages) {
        (Some(events), _) => of_kind(events, TraceEventKind::ModelStep).count(),
        (None, Some(messages)) => {
            messages.iter().filter(|message| message.role == "assistant").count()
        }
        (None, None) => 0,
    };
    if count > 0 {
        return Ok(count);
    }
    Err(GraderFault::new(
        "nobody knows how often a model was called: a target reports it as `model_step` events of \
         `trace`, or without a `trace` as assistant messages of `output_messages`, in its record",
    ))
}

/// Messages do not tell of errors; only an explicit trace does.
pub(super) fn errors(response: &Response) -> Result<usize, GraderFault> {
    kept_trail(response)?;
    let events = response.trace.as_deref().ok_or_else(|| {
        GraderFault::new(
            "nobody knows whether there were errors: a target reports them as `error` events of \
             `trace` in its record",
        )
    })?;
    Ok(of_kind(events, TraceEventKind::Error).count())
}

/// Which graders need the trail depends on their keys, so it is asked for here.
fn kept_trail(response: &Response) -> Result<(), GraderFault> {
    if response.trail_was_lost() { Err(GraderFault::new(TRAIL_LOST)) } else { Ok(()) }
}

fn of_kind(events: &[TraceEvent], kind: TraceEventKind) -> impl Iterator<Item = &TraceEvent> {
    events.iter().filter(move |event| event.kind == kind)
}
