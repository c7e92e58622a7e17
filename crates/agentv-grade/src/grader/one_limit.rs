//! `latency` and `cost`: the answer took no longer than so many milliseconds, or cost no more than
//! so many US dollars.

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Shape};

use super::{immediate::fallible, limits::Limits, measured};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

/// What is limited.
#[derive(Clone, Copy)]
pub(crate) enum OneLimit {
    Latency,
    Cost,
}

const MAX_MS: Key =
    Key::new("max_ms", Shape::Limit, "The most milliseconds that an answer may take")
        .or(&["threshold", "max_duration_ms", "value"])
        .required();
const MAX_USD: Key =
    Key::new("max_usd", Shape::Limit, "The most US dollars that an answer may cost")
        .or(&["budget", "threshold", "max_cost_usd", "value"])
        .required();

impl OneLimit {
    fn key(self) -> &'static str {
        match self {
            Self::Latency => MAX_MS.name,
            Self::Cost => MAX_USD.name,
        }
    }
}

impl GraderKind for OneLimit {
    fn name(&self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Cost => "cost",
        }
    }

    fn description(&self) -> &'static str {
        match self {
            Self::Latency => "The answer took at most `max_ms` milliseconds",
            Self::Cost => "The answer cost at most `max_usd` US dollars",
        }
    }

    fn manual(&self) -> Manual {
        match self {
            Self::Latency => LATENCY,
            Self::Cost => COST,
        }
    }

    fn keys(&self) -> &'static [Key] {
        match self {
            Self::Latency => const { &[MAX_MS] },
            Self::Cost => const { &[MAX_USD] },
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
        let kind = *self;
        fields.required(kind.key(), problems)?;
        let limit = fields.limit(kind.key(), problems)?;
        Some(fallible(move |context| {
            let (verb, value, unit) = match kind {
                Self::Latency => ("took", measured::duration_ms(context.response)?, "ms"),
                Self::Cost => ("cost", measured::cost_usd(context.response)?, "USD"),
            };
            let mut limits = Limits::default();
            limits.check(verb, value, limit, unit);
            limits.all()
        }))
    }
}

const LATENCY: Manual = Manual {
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

const COST: Manual = Manual {
    text: "Scores 1 where the answer cost no more, else 0. The cost is `cost_usd` of the target's \
           record. Nothing is computed from tokens and prices: where the record has no `cost_usd`, \
           the case is an error that says so.",
    examples: &[Example::new(
        "At most five cents",
        "type: cost\nmax_usd: 0.05",
        &[
            Answer::record(r#"{"text": "Paris", "cost_usd": 0.0125}"#, 1.0),
            Answer::record(r#"{"text": "Paris", "cost_usd": 0.06}"#, 0.0),
        ],
    )],
    elsewhere: Elsewhere { promptfoo: "`cost`", inspect_ai: "", deepeval: "", original: "`cost`" },
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
    fn a_duration_that_cannot_be_a_limit_is_an_error() {
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

    #[test]
    fn a_cost_is_compared_under_every_name_of_the_limit() {
        for name in ["max_usd", "budget", "threshold", "max_cost_usd", "maxCostUsd", "value"] {
            let keys = json!({"type": "cost", name: "0.1"});
            assert_eq!(
                check(&keys, &json!({"cost_usd": 0.1})),
                Ok(Ok("cost 0.1 USD, within 0.1 USD".to_owned()))
            );
            assert_eq!(
                check(&keys, &json!({"cost_usd": 0.25})),
                Ok(Err("cost 0.25 USD, more than 0.1 USD".to_owned()))
            );
        }
    }

    #[test]
    fn an_answer_that_must_be_free_can_be() {
        let keys = json!({"type": "cost", "max_usd": 0});
        assert_eq!(
            check(&keys, &json!({"cost_usd": 0})),
            Ok(Ok("cost 0 USD, within 0 USD".to_owned()))
        );
    }

    #[test]
    fn what_adding_decimals_leaves_over_is_within_the_limit() {
        let record = json!({"cost_usd": 0.1 + 0.2});
        assert!(check(&json!({"type": "cost", "max_usd": 0.3}), &record).unwrap().is_ok());
        let more = json!({"cost_usd": 0.301});
        assert!(check(&json!({"type": "cost", "max_usd": 0.3}), &more).unwrap().is_err());
    }

    #[test]
    fn a_cost_that_nobody_reported_is_a_fault_also_where_tokens_were() {
        for kind in ["cost", "not_cost"] {
            let record = json!({"token_usage": {"input": 1, "output": 1}});
            let fault = check(&json!({"type": kind, "max_usd": 1}), &record).unwrap_err();
            assert!(fault.contains("`cost_usd` of its record"), "{fault}");
        }
    }

    #[test]
    fn a_cost_that_cannot_be_a_limit_is_an_error() {
        assert_eq!(
            errors_of(&json!({"type": "cost", "budget": -0.1})),
            [("/budget".to_owned(), "`max_usd` must not be negative".to_owned())]
        );
        assert_eq!(
            errors_of(&json!({"type": "cost", "max_usd": null})),
            [("/max_usd#key".to_owned(), "cost needs `max_usd`".to_owned())]
        );
    }
}
