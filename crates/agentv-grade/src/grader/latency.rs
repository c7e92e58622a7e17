//! `latency`: the answer took no longer than so many milliseconds.

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Shape};

use super::{immediate::fallible, limits::Limits, measured};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct Latency;

impl GraderKind for Latency {
    fn name(&self) -> &'static str {
        "latency"
    }

    fn description(&self) -> &'static str {
        "The answer took at most `max_ms` milliseconds"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[Key::new("max_ms", Shape::Limit, "The most milliseconds that an answer may take")
                .or(&["threshold", "max_duration_ms", "value"])
                .required()]
        }
    }

    fn can_be_negated(&self) -> bool {
        true
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        _: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        fields.required("max_ms", problems)?;
        let limit = fields.limit("max_ms", problems)?;
        Some(fallible(move |context| {
            let mut limits = Limits::default();
            limits.check("took", measured::duration_ms(context.response)?, limit, "ms");
            limits.all()
        }))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores 1 where the answer took no longer, else 0. The time is `duration_ms` of the \
           target's record where the target reports it, else what AgentV measured for the process \
           that answered. One answer of a batch cannot be timed from outside: where its record has \
           no `duration_ms`, the case is an error that says so.",
    examples: &[Example::new(
        "At most three seconds",
        "type: latency\nmax_ms: 3000",
        &[
            Answer::record(r#"{"text": "Paris", "duration_ms": 1240}"#, 1.0),
            Answer::record(r#"{"text": "Paris", "duration_ms": 4100.5}"#, 0.0),
        ],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`latency`",
        inspect_ai: "",
        deepeval: "",
        original: "`latency`",
    },
};

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Project, errors_of, eval_case, response};

    /// The one hit or miss, or the fault.
    fn check(keys: &Value, record: &Value) -> Result<Result<String, String>, String> {
        let given = Project::new().try_grade(keys, &eval_case(), &response(record));
        let given = given.map_err(|fault| fault.message)?;
        Ok(given.hits.into_iter().next().ok_or_else(|| given.misses[0].clone()))
    }

    #[test]
    fn a_duration_is_compared_under_every_name_of_the_limit() {
        for name in ["max_ms", "maxMs", "threshold", "max_duration_ms", "value"] {
            let keys = json!({"type": "latency", name: 100});
            let (hit, miss) = ("took 100 ms, within 100 ms", "took 100.5 ms, more than 100 ms");
            assert_eq!(check(&keys, &json!({"duration_ms": 100})), Ok(Ok(hit.to_owned())));
            assert_eq!(check(&keys, &json!({"duration_ms": 100.5})), Ok(Err(miss.to_owned())));
        }
    }

    #[test]
    fn negated_it_wants_the_limit_broken_and_states_the_same_facts() {
        let keys = json!({"type": "not-latency", "max_ms": 100});
        assert_eq!(
            check(&keys, &json!({"duration_ms": 200})),
            Ok(Ok("took 200 ms, more than 100 ms".to_owned()))
        );
    }

    #[test]
    fn a_duration_that_nobody_measured_is_a_fault_and_no_score() {
        for kind in ["latency", "not-latency"] {
            let fault = check(&json!({"type": kind, "max_ms": 100}), &json!({})).unwrap_err();
            assert!(fault.contains("`duration_ms` of its record"), "{fault}");
        }
    }

    #[test]
    fn a_limit_that_cannot_be_one_is_an_error() {
        for (keys, at, message) in [
            (json!({"type": "latency"}), "", "latency needs `max_ms`"),
            (json!({"type": "latency", "max_ms": -1}), "/max_ms", "`max_ms` must not be negative"),
            (
                json!({"type": "latency", "max_ms": "3s"}),
                "/max_ms",
                "`max_ms` must be a number, not a string",
            ),
            (
                json!({"type": "latency", "max_ms": 1, "threshold": 2}),
                "/threshold#key",
                "`threshold` and `max_ms` are the same key of latency",
            ),
        ] {
            assert_eq!(errors_of(&keys), [(at.to_owned(), message.to_owned())]);
        }
    }
}
