//! `cost`: the answer cost no more than so many US dollars.

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Shape};

use super::{immediate::fallible, limits::Limits, measured};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct Cost;

impl GraderKind for Cost {
    fn name(&self) -> &'static str {
        "cost"
    }

    fn description(&self) -> &'static str {
        "The answer cost at most `max_usd` US dollars"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[Key::new("max_usd", Shape::Limit, "The most US dollars that an answer may cost")
                .or(&["budget", "threshold", "max_cost_usd", "value"])
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
        fields.required("max_usd", problems)?;
        let limit = fields.limit("max_usd", problems)?;
        Some(fallible(move |context| {
            let mut limits = Limits::default();
            limits.check("cost", measured::cost_usd(context.response)?, limit, "USD");
            limits.all()
        }))
    }
}

const MANUAL: Manual = Manual {
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
    fn a_cost_that_nobody_reported_is_a_fault_also_where_tokens_were() {
        for kind in ["cost", "not_cost"] {
            let record = json!({"token_usage": {"input": 1, "output": 1}});
            let fault = check(&json!({"type": kind, "max_usd": 1}), &record).unwrap_err();
            assert!(fault.contains("`cost_usd` of its record"), "{fault}");
        }
    }

    #[test]
    fn a_limit_that_cannot_be_one_is_an_error() {
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
