//! `tool_trajectory`: which tools were called, with which arguments, how often, in which order and
//! for how long. Its keys are read in `read.rs` and checked together in `checks.rs`; how calls are
//! compared stands in `trajectory/`.

mod checks;
mod manual;
mod read;

use std::sync::Arc;

use agentv_base::{Call, Fields, Grader, GraderFault, Key, Part, Problems, Score, Shape, words_of};

use super::trajectory::{
    NO_TRAIL,
    args::ARGS_MATCH,
    compare::{Compared, Mode, compare},
    limits::Limits,
    of_calls,
    step::Step,
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::Manual,
};

pub(crate) struct ToolTrajectory;

const MODES: [(&str, Mode); 6] = [
    ("any_order", Mode::AnyOrder),
    ("in_order", Mode::InOrder),
    ("exact", Mode::Exact),
    ("unordered", Mode::Unordered),
    ("subset", Mode::Subset),
    ("superset", Mode::Superset),
];

const EXPECTED: Shape = Shape::Either(&[Shape::Name, Shape::Part(&EXPECTED_TOOL)]);
const ARGS: Shape = Shape::Either(&[Shape::AnyMap, Shape::Choice(&["any"])]);
const EXPECTED_TOOL: Part = Part {
    what: "expected tool",
    tables: &[&[
        Key::new("tool", Shape::Name, "The name of the tool").or(&["name"]).required(),
        Key::new("args", ARGS, "Its arguments").or(&["input"]).default("any"),
        Key::new("args_match", ARGS_MATCH, "How its arguments are compared")
            .default("that of the grader"),
        Key::new("output", Shape::Any, "What it gave back; maps may have more"),
        Key::new("max_duration_ms", Shape::Positive, "How long it may take"),
    ]],
};

impl GraderKind for ToolTrajectory {
    fn name(&self) -> &'static str {
        "tool_trajectory"
    }

    fn description(&self) -> &'static str {
        "The tools that were called: which, with which arguments, in which order, how often and for \
         how long"
    }

    fn manual(&self) -> Manual {
        manual::MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                Key::new(
                    "mode",
                    Shape::Choice(const { &words_of(&MODES) }),
                    "How calls are compared with `expected`",
                ),
                Key::new("expected", Shape::List(&EXPECTED), "The calls that are expected"),
                Key::new("args_match", ARGS_MATCH, "How arguments are compared").default("exact"),
                Key::new(
                    "args_match_by_tool",
                    Shape::MapOf(&ARGS_MATCH),
                    "How the arguments of a tool are compared, in place of `args_match`",
                ),
                Key::new(
                    "minimums",
                    Shape::MapOf(&Shape::CountLimit),
                    "How often each tool must be called",
                ),
                Key::new(
                    "maximums",
                    Shape::MapOf(&Shape::CountLimit),
                    "How often each tool may be called",
                ),
                Key::new("forbidden", Shape::List(&Shape::Name), "Tools that may not be called"),
                Key::new("min_steps", Shape::Count, "How many calls there must be"),
                Key::new("max_steps", Shape::CountLimit, "How many calls there may be"),
                Key::new("max_call_duration_ms", Shape::Positive, "How long each call may take"),
                Key::new(
                    "max_total_duration_ms",
                    Shape::Positive,
                    "How long all calls together may take",
                ),
            ]
        }
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        _: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        let trajectory = read::trajectory(fields, problems)?;
        Some(of_calls(move |calls| trajectory.score(calls)))
    }
}

/// What is wanted of the calls of an answer.
#[derive(Debug)]
struct Trajectory {
    /// How calls are compared with `expected`; nothing where there are only limits.
    mode: Option<Mode>,
    expected: Vec<Step>,
    limits: Limits,
}

impl Trajectory {
    /// The score of the calls. An answer that came without any trail has none of the calls that
    /// are wanted, which is a score of 0 whatever is wanted.
    fn score(&self, calls: Option<&[Call<'_>]>) -> Result<Score, GraderFault> {
        let Some(calls) = calls else {
            return Ok(Score::binary(false, NO_TRAIL));
        };
        let mut compared = match self.mode {
            Some(mode) => compare(mode, &self.expected, calls)?,
            None => Compared::default(),
        };
        let mut broken = false;
        for (met, said) in self.limits.check_minimums(calls) {
            if self.mode == Some(Mode::AnyOrder) {
                compared.of += 1;
                compared.met += usize::from(met);
            } else {
                broken |= !met;
            }
            if met { &mut compared.hits } else { &mut compared.misses }.push(said);
        }
        for (met, said) in self.limits.check_others(calls)? {
            broken |= !met;
            if met { &mut compared.hits } else { &mut compared.misses }.push(said);
        }
        let Compared { met, of, hits, misses } = compared;
        let score = match of {
            _ if broken => 0.0,
            0 => 1.0,
            of => met as f64 / of as f64,
        };
        Ok(Score { score, hits, misses, ..Score::default() })
    }
}

#[cfg(test)]
#[path = "tool_trajectory_tests.rs"]
mod tests;
