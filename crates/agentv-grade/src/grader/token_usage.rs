//! `token_usage`: the answer took no more than so many tokens, in all, to read or to write.

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Shape};

use super::{
    immediate::fallible,
    limits::{Limits, need_one_of},
    measured,
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct TokenUsage;

const KEYS: &[Key] = &[
    Key::new("max_total", Shape::CountLimit, "The most tokens in all: input and output"),
    Key::new("max_input", Shape::CountLimit, "The most tokens that were read, cached ones too"),
    Key::new("max_output", Shape::CountLimit, "The most tokens that were written"),
];

impl GraderKind for TokenUsage {
    fn name(&self) -> &'static str {
        "token_usage"
    }

    fn description(&self) -> &'static str {
        "The answer took at most so many tokens: `max_total`, `max_input`, `max_output`"
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
        need_one_of("token_usage", KEYS, |_| true, fields, problems);
        let max_total = fields.count_limit("max_total", problems);
        let max_input = fields.count_limit("max_input", problems);
        let max_output = fields.count_limit("max_output", problems);
        Some(fallible(move |context| {
            let usage = measured::token_usage(context.response)?;
            let mut limits = Limits::default();
            for (value, limit, of) in [
                (usage.total(), max_total, "tokens"),
                (usage.input, max_input, "input tokens"),
                (usage.output, max_output, "output tokens"),
            ] {
                if let Some(limit) = limit {
                    limits.check_count("took", value, limit, of);
                }
            }
            limits.all()
        }))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores 1 where every limit is kept, else 0; each limit is a hit or a miss. It needs at \
           least one. The numbers are `token_usage` of the target's record, `{input, output, \
           cached}`: the total is input and output, and `cached` says how many of the input came \
           from a cache, so it is not added. Where the record has no `token_usage`, the case is an \
           error that says so.",
    examples: &[
        Example::new(
            "A limit for all tokens",
            "type: token_usage\nmax_total: 2000",
            &[
                Answer::record(
                    r#"{"text": "Paris", "token_usage": {"input": 1200, "output": 80, "cached": 1000}}"#,
                    1.0,
                ),
                Answer::record(
                    r#"{"text": "Paris", "token_usage": {"input": 1900, "output": 101}}"#,
                    0.0,
                ),
            ],
        ),
        Example::new(
            "Limits for what is read and what is written",
            "type: token_usage\nmax_input: 1000\nmax_output: 200",
            &[Answer::record(
                r#"{"text": "Paris", "token_usage": {"input": 1200, "output": 80}}"#,
                0.0,
            )],
        ),
    ],
    elsewhere: Elsewhere { promptfoo: "", inspect_ai: "", deepeval: "", original: "`token_usage`" },
};

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Project, errors_of, eval_case, response};

    /// The score, the hits and the misses, or the fault.
    fn check(keys: &Value, usage: &Value) -> Result<(f64, Vec<String>, Vec<String>), String> {
        let record = json!({"token_usage": usage});
        let given = Project::new().try_grade(keys, &eval_case(), &response(&record));
        given.map(|score| (score.score, score.hits, score.misses)).map_err(|fault| fault.message)
    }

    #[test]
    fn every_limit_is_a_hit_or_a_miss_and_one_miss_is_enough_to_fail() {
        let keys =
            json!({"type": "token-usage", "max_total": 30, "max_input": 10, "max_output": "30"});
        let (score, hits, misses) = check(&keys, &json!({"input": 11, "output": 20})).unwrap();
        assert!(score.abs() < 1e-12);
        assert_eq!(hits, ["took 20 output tokens, within 30"]);
        assert_eq!(misses, ["took 31 tokens, more than 30", "took 11 input tokens, more than 10"]);
    }

    #[test]
    fn what_came_from_a_cache_is_part_of_the_input() {
        let keys = json!({"type": "token_usage", "max_total": 30});
        let given = check(&keys, &json!({"input": 20, "output": 10, "cached": 15})).unwrap();
        assert_eq!(given, (1.0, vec!["took 30 tokens, within 30".to_owned()], vec![]));
    }

    #[test]
    fn no_numbers_are_too_large() {
        let keys = json!({"type": "token_usage", "max_total": 1});
        let (_, _, misses) = check(&keys, &json!({"input": u64::MAX, "output": 2})).unwrap();
        assert_eq!(misses, ["took 18446744073709551615 tokens, more than 1"]);
    }

    #[test]
    fn tokens_that_nobody_reported_are_a_fault() {
        let fault =
            check(&json!({"type": "token_usage", "max_output": 0}), &Value::Null).unwrap_err();
        assert!(fault.contains("`token_usage: {input, output}` of its record"), "{fault}");
    }

    #[test]
    fn every_limit_that_cannot_be_one_is_told() {
        assert_eq!(
            errors_of(&json!({"type": "token_usage", "max_total": -1, "max_output": 1.5})),
            [
                ("/max_total".into(), "`max_total` must be a whole number of at least 0".into()),
                ("/max_output".into(), "`max_output` must be a whole number of at least 0".into()),
            ]
        );
        assert_eq!(
            errors_of(&json!({"type": "token_usage"})),
            [(String::new(), "token_usage needs at least one limit".to_owned())]
        );
    }
}
