//! `execution_metrics`: several limits at once of how an answer came about. This file reads them;
//! what is known of an answer stands in `measured.rs`, and what is said of a limit in `limits.rs`.

use std::{collections::HashSet, sync::Arc};

use agentv_base::{
    Diagnostic, Fields, Grader, GraderFault, Key, Problems, Response, Score, Shape, reaches,
};

use super::{
    immediate::fallible,
    limits::{Limits, need_one_of},
    measured,
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
    numbers::number,
};

pub(crate) struct ExecutionMetrics;

/// How far the share of reading calls may be from the one that is wanted.
const TOLERANCE: f64 = 0.2;

/// Names that coding agents give to tools that only read.
const EXPLORATION_TOOLS: [&str; 10] =
    ["read", "grep", "glob", "search", "list", "Read", "Grep", "Glob", "WebSearch", "WebFetch"];

const KEYS: &[Key] = &[
    Key::new("max_tool_calls", Shape::CountLimit, "The most calls of tools"),
    Key::new("max_llm_calls", Shape::CountLimit, "The most calls of a model"),
    Key::new("max_tokens", Shape::CountLimit, "The most tokens, input and output"),
    Key::new("max_cost_usd", Shape::Limit, "The most US dollars"),
    Key::new("max_duration_ms", Shape::Limit, "The most milliseconds"),
    Key::new("max_errors", Shape::CountLimit, "The most errors in the trace"),
    Key::new("target_exploration_ratio", Shape::Share, "The share of tool calls that only read"),
    Key::new("exploration_tolerance", Shape::Share, "How far that share may be off").default("0.2"),
    Key::new("exploration_tools", Shape::List(&Shape::Name), "The tools that only read").default(
        "`read`, `grep`, `glob`, `search`, `list`, `Read`, `Grep`, `Glob`, `WebSearch`, `WebFetch`",
    ),
];

impl GraderKind for ExecutionMetrics {
    fn name(&self) -> &'static str {
        "execution_metrics"
    }

    fn description(&self) -> &'static str {
        "Limits of calls, tokens, cost, time and errors: the share of them that is kept"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        KEYS
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        _: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        let is_limit = |key: &Key| key.name.starts_with("max_") || key.name.starts_with("target_");
        need_one_of("execution_metrics", KEYS, is_limit, fields, problems);
        let wanted = Wanted {
            tool_calls: fields.count_limit("max_tool_calls", problems),
            llm_calls: fields.count_limit("max_llm_calls", problems),
            tokens: fields.count_limit("max_tokens", problems),
            cost_usd: fields.limit("max_cost_usd", problems),
            duration_ms: fields.limit("max_duration_ms", problems),
            errors: fields.count_limit("max_errors", problems),
            exploration: read_exploration(fields, problems),
        };
        Some(fallible(move |context| wanted.score(context.response)))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores the share of the limits that are kept; each limit is a hit or a miss with both \
           numbers. It needs at least one.\n\n\
           - Calls of tools and of a model are counted in `trace` where there is one, else in \
           `output_messages`: a call of a model is a `model_step` event, or a message of the \
           assistant. Errors are the `error` events of `trace`.\n\
           - `max_tokens` limits input and output together, as `max_total` of \
           [token_usage](token_usage.md).\n\
           - `target_exploration_ratio` wants a share of the tool calls to be of tools that only \
           read, `exploration_tolerance` more or less. Names of tools are compared letter by \
           letter. Without any call there is no such share, which is a miss.\n\n\
           A number that nobody reported, such as the cost, makes the case an error that says what \
           is missing and how a target reports it. A trail without any call of a model leaves \
           their number unknown.",
    examples: &[
        Example::new(
            "A small budget",
            "type: execution_metrics\nmax_tool_calls: 2\nmax_llm_calls: 3\nmax_errors: 0\n\
             max_tokens: 2000\nmax_cost_usd: 0.05\nmax_duration_ms: 5000",
            &[Answer::record(
                r#"{"text": "Paris", "duration_ms": 7250, "cost_usd": 0.02, "token_usage": {"input": 900, "output": 60}, "trace": [{"type": "model_step"}, {"type": "tool_call", "name": "search"}, {"type": "error", "text": "rate limit"}, {"type": "model_step"}]}"#,
                0.6667,
            )],
        ),
        Example::new(
            "Look before you write",
            "type: execution_metrics\ntarget_exploration_ratio: 0.6\nexploration_tolerance: 0.1\n\
             exploration_tools: [read_file, find]",
            &[
                Answer::record(
                    r#"{"text": "Done.", "trace": [{"type": "tool_call", "name": "find"}, {"type": "tool_call", "name": "read_file"}, {"type": "tool_call", "name": "write_file"}]}"#,
                    1.0,
                ),
                Answer::record(
                    r#"{"text": "Done.", "trace": [{"type": "tool_call", "name": "write_file"}]}"#,
                    0.0,
                ),
            ],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "",
        inspect_ai: "",
        deepeval: "",
        original: "`execution_metrics`",
    },
};

/// The limits that are set.
struct Wanted {
    tool_calls: Option<u64>,
    llm_calls: Option<u64>,
    tokens: Option<u64>,
    cost_usd: Option<f64>,
    duration_ms: Option<f64>,
    errors: Option<u64>,
    exploration: Option<Exploration>,
}

/// The share of calls that only read.
struct Exploration {
    ratio: f64,
    tolerance: f64,
    tools: HashSet<String>,
}

fn read_exploration(fields: &Fields<'_>, problems: &mut Problems) -> Option<Exploration> {
    let ratio = fields.share("target_exploration_ratio", problems);
    let tolerance = fields.share("exploration_tolerance", problems);
    let tools = read_tools(fields, problems);
    if fields.get("target_exploration_ratio").is_none() {
        for name in ["exploration_tolerance", "exploration_tools"] {
            let Some(entry) = fields.entry(name).filter(|entry| !entry.value.is_null()) else {
                continue;
            };
            let message = format!("`{name}` says nothing without `target_exploration_ratio`");
            problems.push(Diagnostic::error(message).code("misplaced-key").at(entry.key_span));
        }
    }
    Some(Exploration { ratio: ratio?, tolerance: tolerance.unwrap_or(TOLERANCE), tools })
}

fn read_tools(fields: &Fields<'_>, problems: &mut Problems) -> HashSet<String> {
    let Some(items) = fields.list("exploration_tools", problems) else {
        return EXPLORATION_TOOLS.iter().map(ToString::to_string).collect();
    };
    if let (true, Some(node)) = (items.is_empty(), fields.get("exploration_tools")) {
        problems.error(node.span, "`exploration_tools` is empty, so no call would only read");
    }
    let read = items.iter().filter_map(|item| {
        let name = item.as_str().filter(|name| !name.trim().is_empty());
        if name.is_none() {
            let message = "an exploration tool must be the name of a tool";
            problems.push(Diagnostic::error(message).code("wrong-type").at(item.span));
        }
        name.map(str::to_owned)
    });
    read.collect()
}

impl Wanted {
    fn score(&self, response: &Response) -> Result<Score, GraderFault> {
        let mut limits = Limits::default();
        let mut count = |limit: Option<u64>,
                         measure: &dyn Fn() -> Result<usize, GraderFault>,
                         verb: &str,
                         of: &str| {
            let Some(limit) = limit else { return };
            if let Some(value) = limits.known(measure()) {
                limits.check_count(verb, value as u64, limit, of);
            }
        };
        let tool_calls = || measured::tool_calls(response, |_| false).map(|(all, _)| all);
        count(self.tool_calls, &tool_calls, "made", "tool calls");
        count(self.llm_calls, &|| measured::model_calls(response), "made", "model calls");
        count(self.errors, &|| measured::errors(response), "had", "errors");
        if let Some(limit) = self.tokens
            && let Some(usage) = limits.known(measured::token_usage(response))
        {
            limits.check_count("took", usage.total(), limit, "tokens");
        }
        if let Some(limit) = self.cost_usd
            && let Some(cost) = limits.known(measured::cost_usd(response))
        {
            limits.check("cost", cost, limit, "USD");
        }
        if let Some(limit) = self.duration_ms
            && let Some(duration) = limits.known(measured::duration_ms(response))
        {
            limits.check("took", duration, limit, "ms");
        }
        if let Some(exploration) = &self.exploration {
            exploration.check(response, &mut limits);
        }
        limits.share()
    }
}

impl Exploration {
    fn check(&self, response: &Response, limits: &mut Limits) {
        let calls = measured::tool_calls(response, |tool| self.tools.contains(tool));
        let Some((all, reading)) = limits.known(calls) else { return };
        let wanted = format!("{} ± {}", number(self.ratio), number(self.tolerance));
        if all == 0 {
            limits.note(false, format!("called no tool, so no share of calls is {wanted}"));
            return;
        }
        let share = reading as f64 / all as f64;
        let kept = reaches(self.tolerance, (share - self.ratio).abs());
        let said = if kept { "within" } else { "not within" };
        let fact = format!("{reading} of {all} tool calls only read ({share:.2}), {said} {wanted}");
        limits.note(kept, fact);
    }
}

#[cfg(test)]
#[path = "execution_metrics_tests.rs"]
mod tests;
