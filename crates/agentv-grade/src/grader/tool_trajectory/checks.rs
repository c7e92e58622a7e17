//! What keys of a trajectory, each of them right, can have wrong together: nothing to compare, or
//! limits that no answer could meet.

use agentv_base::{Diagnostic, Fields, Node, Problems};

use super::{
    super::trajectory::{compare::Mode, limits::Limits},
    MODES, Trajectory,
};
use crate::numbers::times;

/// Whether there is something to compare, and a way to do it.
pub(super) fn mode(
    mode: Option<Mode>,
    has_expected: bool,
    limits: &Limits,
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<()> {
    let missing = |message: &str, hint: &str| {
        Diagnostic::error(message).code("missing-key").at(fields.span()).hint(hint)
    };
    let problem = match mode {
        None if has_expected => {
            missing("`expected` needs `mode`", "add `mode: in_order`, or another mode")
        }
        None if limits.is_empty() => missing(
            "tool_trajectory needs `mode`, or a limit",
            "add `mode: …` and `expected: […]`, or a limit such as `max_steps: …`",
        ),
        Some(Mode::AnyOrder) if !has_expected && limits.minimums.is_empty() => missing(
            "the mode `any_order` needs `minimums` or `expected`",
            "add `minimums: {tool: 1}`",
        ),
        Some(
            mode @ (Mode::InOrder | Mode::Exact | Mode::Unordered | Mode::Subset | Mode::Superset),
        ) if !has_expected => missing(
            &format!("the mode `{}` needs `expected`", name_of(mode)),
            "add `expected: [{tool: name}]`",
        ),
        // In the other modes an empty list says something: no tool may be called.
        Some(Mode::AnyOrder | Mode::InOrder | Mode::Superset)
            if fields.get("expected").and_then(Node::as_list).is_some_and(<[Node]>::is_empty) =>
        {
            let span = fields.get("expected").map_or(fields.span(), |node| node.span);
            Diagnostic::error("`expected` is empty, so every answer would pass").at(span)
        }
        None | Some(_) => return Some(()),
    };
    problems.push(problem);
    None
}

fn name_of(mode: Mode) -> &'static str {
    MODES.iter().find(|(_, known)| *known == mode).map_or("", |(name, _)| name)
}

/// Limits that no answer could meet together, or beside what is expected.
pub(super) fn contradictions(
    trajectory: &Trajectory,
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<()> {
    let Trajectory { mode, expected, limits } = trajectory;
    let span = |key: &str| fields.get(key).map_or(fields.span(), |node| node.span);
    let mut found = Vec::new();
    // What must be called, where not only some of it gives credit.
    let all_needed =
        matches!(mode, Some(Mode::InOrder | Mode::Exact | Mode::Unordered | Mode::Superset));
    let no_others = matches!(mode, Some(Mode::Exact | Mode::Unordered | Mode::Subset));
    let needed = |tool: &str| {
        let minimum = limits.minimums.iter().find(|(name, _)| name == tool);
        let minimum = minimum.map_or(0, |(_, least)| *least);
        let expected = expected.iter().filter(|step| step.tool.written() == tool).count();
        if all_needed { minimum.max(expected) } else { minimum }
    };
    for (tool, most) in &limits.maximums {
        let least = needed(tool);
        if least > *most {
            let message = format!(
                "`{tool}` must be called {} and may be called {}",
                times(least),
                times(*most)
            );
            found.push((span("maximums"), message));
        }
    }
    for tool in limits.forbidden.iter().filter(|tool| needed(tool) > 0) {
        found.push((span("forbidden"), format!("`{tool}` must be called and is forbidden")));
    }
    let least = limits.min_steps.unwrap_or(0);
    let least = if all_needed { least.max(expected.len()) } else { least };
    if let Some(most) = limits.max_steps.filter(|most| *most < least) {
        let message = format!("there must be {least} calls and there may be {most}");
        found.push((span("max_steps"), message));
    }
    if let Some(least) = limits.min_steps.filter(|least| no_others && *least > expected.len()) {
        let message = format!("there must be {least} calls and {} are expected", expected.len());
        found.push((span("min_steps"), message));
    }
    let good = found.is_empty();
    for (span, message) in found {
        problems.error(span, message);
    }
    good.then_some(())
}
