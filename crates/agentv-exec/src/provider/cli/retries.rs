//! The keys of a `cli` target about asking again after a failure. They only say what the target
//! wishes; who waits and counts is the engine.

use std::sync::Arc;

use agentv_base::{
    Backoff, Diagnostic, FailureKind, Fields, Key, Problems, RetryPolicy, Shape, choice_of,
    words_of,
};

use crate::provider::waits::{Waits, span_of};

pub(super) const RETRY_KEYS: [Key; 5] = [
    Key::new("max_retries", Shape::CountLimit, "How often a case that failed is asked again")
        .default("`--max-retries`, else 0"),
    Key::new("retry_initial_delay_ms", Shape::Positive, "The wait before the second attempt")
        .default("250"),
    Key::new(
        "retry_max_delay_ms",
        Shape::Positive,
        "The longest wait; up to a quarter is added to it",
    )
    .default("60000"),
    Key::new("retry_backoff_factor", Shape::Positive, "How much longer each wait is, from 1 on")
        .default("2"),
    Key::new(
        "retry_on",
        Shape::List(&Shape::Choice(const { &words_of(&KINDS) })),
        "After which kinds of errors",
    )
    .default("all of them"),
];

/// The errors that a command can end in and that another attempt can change.
const KINDS: [(&str, FailureKind); 8] = [
    ("spawn", FailureKind::Spawn),
    ("exit", FailureKind::Exit),
    ("signal", FailureKind::Signal),
    ("timeout", FailureKind::Timeout),
    ("output", FailureKind::Output),
    ("batch", FailureKind::Batch),
    ("missing", FailureKind::Missing),
    ("target", FailureKind::Target),
];

pub(super) fn read(fields: &Fields<'_>, problems: &mut Problems) -> Option<RetryPolicy> {
    let waits = Waits::read(fields, Backoff::default(), problems);
    let on = fields.optional("retry_on", problems, kinds);
    let Waits { max_retries, backoff } = waits?;
    Some(RetryPolicy { max_retries, on: on?, backoff })
}

fn kinds(fields: &Fields<'_>, name: &str, problems: &mut Problems) -> Option<Arc<[FailureKind]>> {
    let items = fields.list(name, problems)?;
    if items.is_empty() {
        problems.push(
            Diagnostic::error(format!("`{name}` is empty"))
                .at(span_of(fields, name))
                .hint("write `max_retries: 0` to ask nothing again"),
        );
        return None;
    }
    let mut kinds = Vec::with_capacity(items.len());
    let mut all_known = true;
    for item in items {
        match choice_of("kind of error", item, &KINDS, problems) {
            Some(kind) if kinds.contains(&kind) => {
                problems.push(
                    Diagnostic::error(format!("`{name}` names `{}` twice", kind.name()))
                        .at(item.span)
                        .hint("once is enough"),
                );
                all_known = false;
            }
            Some(kind) => kinds.push(kind),
            None => all_known = false,
        }
    }
    all_known.then(|| kinds.into())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agentv_base::Node;
    use serde_json::{Value, json};

    use super::*;

    fn check(settings: &Value) -> (Option<RetryPolicy>, Vec<String>) {
        let node = Node::from_json(settings);
        let mut problems = Problems::default();
        let fields = Fields::read(&node, "target", &[&RETRY_KEYS], &mut problems).unwrap();
        let policy = read(&fields, &mut problems);
        (policy, problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn a_target_that_says_nothing_leaves_all_to_the_command_line() {
        assert_eq!(check(&json!({})), (Some(RetryPolicy::default()), vec![]));
    }

    #[test]
    fn every_key_has_its_meaning_in_either_spelling() {
        let said = json!({
            "maxRetries": 4, "retry_initial_delay_ms": 10, "retryMaxDelayMs": 40,
            "retry_backoff_factor": 3, "retry_on": ["timeout", "signal"],
        });
        let policy = RetryPolicy {
            max_retries: Some(4),
            on: Some([FailureKind::Timeout, FailureKind::Signal].into()),
            backoff: Backoff {
                initial: Duration::from_millis(10),
                most: Duration::from_millis(40),
                factor: 3.0,
            },
        };
        assert!(policy.retries(FailureKind::Signal) && !policy.retries(FailureKind::Exit));
        assert_eq!(check(&said), (Some(policy), vec![]));
    }

    #[test]
    fn zero_retries_are_said_and_not_the_same_as_nothing_said() {
        let (policy, _) = check(&json!({"max_retries": 0}));
        assert_eq!(policy.unwrap().max_retries, Some(0));
    }

    #[test]
    fn whatever_another_attempt_can_change_may_be_chosen_and_nothing_else() {
        // What belongs to models has their own retries.
        let of_models = [FailureKind::Connection, FailureKind::Http];
        for kind in FailureKind::ALL {
            let (policy, problems) = check(&json!({"retry_on": [kind.name()]}));
            let may = kind.is_worth_another_attempt() && !of_models.contains(kind);
            assert_eq!(policy.is_some(), may, "{kind:?}");
            assert_eq!(problems.is_empty(), may, "{problems:?}");
        }
    }

    #[test]
    fn everything_wrong_is_named_at_once() {
        let said = json!({
            "max_retries": -1, "retry_initial_delay_ms": 0, "retry_backoff_factor": 0.5,
            "retry_on": ["exit", "crash", "exit", 3],
        });
        let (policy, problems) = check(&said);
        assert_eq!(policy, None);
        assert_eq!(
            problems,
            [
                "`max_retries` must be a whole number of at least 0",
                "`retry_initial_delay_ms` must be greater than 0",
                "`retry_backoff_factor` must be at least 1",
                "unknown kind of error `crash`",
                "`retry_on` names `exit` twice",
                "`kind of error` must be a string, not a number",
            ]
        );
        let (policy, problems) = check(&json!({"retry_on": []}));
        assert_eq!((policy, problems), (None, vec!["`retry_on` is empty".to_owned()]));
        let (policy, problems) =
            check(&json!({"retry_initial_delay_ms": 9, "retry_max_delay_ms": 3}));
        assert_eq!(policy, None);
        assert_eq!(problems, ["`retry_max_delay_ms` is less than `retry_initial_delay_ms`"]);
    }
}
