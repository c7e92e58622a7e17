//! Comparing the tools that were called with those that were wanted.

use std::collections::HashMap;

use agentv_base::{Score, excerpt};

/// More calls than this are counted, not shown.
const SHOWN_CALLS: usize = 40;
/// Names of tools are short; what is longer is noise from a broken trace.
const SHOWN_NAME: usize = 80;

/// What is wanted of the tools that were called, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trajectory {
    /// Each of these at least so often. The only one with partial credit: a share for each.
    AnyOrder(Vec<(String, u64)>),
    /// These in this order, with any others between them.
    InOrder(Vec<String>),
    /// These in this order, and no others.
    Exact(Vec<String>),
}

impl Trajectory {
    /// The score of the calls; `None` is an answer that came without any trail.
    pub(super) fn score(&self, called: Option<&[&str]>) -> Score {
        let Some(called) = called else {
            return Score::binary(
                false,
                "no trace: the target left neither a trace nor messages with tool calls",
            );
        };
        match self {
            Self::AnyOrder(minimums) => count(minimums, called),
            Self::InOrder(expected) => in_order(expected, called),
            Self::Exact(expected) => exact(expected, called),
        }
    }
}

fn count(minimums: &[(String, u64)], called: &[&str]) -> Score {
    let mut calls: HashMap<&str, u64> = HashMap::new();
    for tool in called {
        *calls.entry(tool).or_default() += 1;
    }
    let mut score = Score::default();
    for (tool, minimum) in minimums {
        let times = calls.get(tool.as_str()).copied().unwrap_or_default();
        let said = format!("{}: called {times} times (required ≥{minimum})", shown(tool));
        if times >= *minimum {
            score.hits.push(said);
        } else {
            score.misses.push(said);
        }
    }
    score.score = score.hits.len() as f64 / minimums.len().max(1) as f64;
    score
}

fn in_order(expected: &[String], called: &[&str]) -> Score {
    let mut remaining = called.iter();
    let missing = expected.iter().position(|tool| !remaining.any(|call| call == tool));
    let Some(missing) = missing else {
        return Score::binary(true, format!("called in order: {}", sequence(expected)));
    };
    let tool = expected.get(missing).map_or("", String::as_str);
    let before = missing.checked_sub(1).and_then(|index| expected.get(index));
    let reason = match before {
        Some(before) => format!("`{}` was not called after `{}`", shown(tool), shown(before)),
        None => format!("`{}` was not called", shown(tool)),
    };
    Score::binary(
        false,
        format!(
            "expected in order: {}; called: {}; {reason}",
            sequence(expected),
            sequence(called)
        ),
    )
}

fn exact(expected: &[String], called: &[&str]) -> Score {
    let longest = expected.len().max(called.len());
    let difference =
        (0..longest).find_map(|index| match (expected.get(index), called.get(index)) {
            (Some(wanted), Some(call)) if wanted == call => None,
            (Some(wanted), Some(call)) => {
                Some(format!("call {} is `{}`, not `{}`", index + 1, shown(call), shown(wanted)))
            }
            (None, Some(call)) => {
                Some(format!("call {}, `{}`, is one too many", index + 1, shown(call)))
            }
            (Some(wanted), None) => Some(format!("`{}` was not called", shown(wanted))),
            (None, None) => None,
        });
    match difference {
        None => Score::binary(true, format!("called exactly: {}", sequence(expected))),
        Some(difference) => Score::binary(
            false,
            format!(
                "expected exactly: {}; called: {}; {difference}",
                sequence(expected),
                sequence(called)
            ),
        ),
    }
}

fn shown(tool: &str) -> String {
    excerpt(tool, SHOWN_NAME)
}

/// `search → book`, cut where it is long.
fn sequence(tools: &[impl AsRef<str>]) -> String {
    if tools.is_empty() {
        return "no tool".to_owned();
    }
    let mut names: Vec<String> =
        tools.iter().take(SHOWN_CALLS).map(|tool| shown(tool.as_ref())).collect();
    if let Some(more) = tools.len().checked_sub(SHOWN_CALLS).filter(|more| *more > 0) {
        names.push(format!("… ({more} more)"));
    }
    names.join(" → ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owned(tools: &[&str]) -> Vec<String> {
        tools.iter().map(ToString::to_string).collect()
    }

    /// The score and the one text that goes with it.
    fn check(wanted: &Trajectory, called: &[&str], score: f64, text: &str) {
        let given = wanted.score(Some(called));
        assert!((given.score - score).abs() < 1e-12, "{given:?}");
        let texts = [given.hits, given.misses].concat();
        assert_eq!(texts, [text]);
    }

    #[test]
    fn minimums_give_a_share_each_in_any_order() {
        let wanted = Trajectory::AnyOrder(vec![
            ("search".to_owned(), 2),
            ("book".to_owned(), 1),
            ("pay".to_owned(), 0),
            ("mail".to_owned(), 1),
        ]);
        let given = wanted.score(Some(&["book", "search", "book"]));
        assert!((given.score - 0.5).abs() < 1e-12);
        assert_eq!(
            given.hits,
            ["book: called 2 times (required ≥1)", "pay: called 0 times (required ≥0)"]
        );
        assert_eq!(
            given.misses,
            ["search: called 1 times (required ≥2)", "mail: called 0 times (required ≥1)"]
        );
    }

    #[test]
    fn others_may_stand_between_the_tools_of_an_order() {
        let wanted = Trajectory::InOrder(owned(&["a", "b", "a"]));
        check(&wanted, &["x", "a", "x", "b", "b", "a"], 1.0, "called in order: a → b → a");
    }

    #[test]
    fn a_wrong_order_scores_nothing_and_shows_both_sequences() {
        let wanted = Trajectory::InOrder(owned(&["a", "b"]));
        check(
            &wanted,
            &["b", "a"],
            0.0,
            "expected in order: a → b; called: b → a; `b` was not called after `a`",
        );
        check(&wanted, &[], 0.0, "expected in order: a → b; called: no tool; `a` was not called");
    }

    #[test]
    fn exactly_these_tools_is_neither_one_more_nor_one_less_nor_another() {
        let wanted = Trajectory::Exact(owned(&["a", "b"]));
        check(&wanted, &["a", "b"], 1.0, "called exactly: a → b");
        check(
            &wanted,
            &["a", "b", "c"],
            0.0,
            "expected exactly: a → b; called: a → b → c; call 3, `c`, is one too many",
        );
        check(&wanted, &["a"], 0.0, "expected exactly: a → b; called: a; `b` was not called");
        check(
            &wanted,
            &["b", "a"],
            0.0,
            "expected exactly: a → b; called: b → a; call 1 is `b`, not `a`",
        );
    }

    #[test]
    fn exactly_nothing_means_that_no_tool_may_be_called() {
        let wanted = Trajectory::Exact(vec![]);
        check(&wanted, &[], 1.0, "called exactly: no tool");
        check(
            &wanted,
            &["a"],
            0.0,
            "expected exactly: no tool; called: a; call 1, `a`, is one too many",
        );
    }

    #[test]
    fn without_a_trail_nothing_is_known_and_nothing_scores() {
        for wanted in [
            Trajectory::AnyOrder(vec![("a".to_owned(), 0)]),
            Trajectory::InOrder(owned(&["a"])),
            Trajectory::Exact(vec![]),
        ] {
            let given = wanted.score(None);
            assert!(given.score < f64::EPSILON, "{given:?}");
            assert_eq!(
                given.misses,
                ["no trace: the target left neither a trace nor messages with tool calls"]
            );
        }
    }

    #[test]
    fn a_long_or_unruly_trail_is_shown_short() {
        let noisy = "\u{1b}".repeat(1000);
        let mut called = vec![noisy.as_str()];
        called.extend(vec!["a"; 10_000]);
        let given = Trajectory::Exact(vec![]).score(Some(&called));
        assert!(given.misses[0].len() < 1000, "{}", given.misses[0]);
        assert!(given.misses[0].contains("… (9961 more)"), "{}", given.misses[0]);
        assert!(!given.misses[0].contains('\u{1b}'));
    }

    fn tools() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[abc]", 0..12)
    }

    fn passes(wanted: &Trajectory, called: &[String]) -> bool {
        let called: Vec<&str> = called.iter().map(String::as_str).collect();
        wanted.score(Some(&called)).misses.is_empty()
    }

    proptest! {
        #[test]
        fn any_subsequence_of_the_calls_is_in_order(
            called in tools(), keep in prop::collection::vec(any::<bool>(), 12)
        ) {
            let kept = called.iter().zip(keep).filter(|(_, keep)| *keep).map(|(tool, _)| tool.clone());
            prop_assert!(passes(&Trajectory::InOrder(kept.collect()), &called));
        }

        #[test]
        fn what_is_in_order_is_a_subsequence(expected in tools(), called in tools()) {
            // The textbook definition, written as differently from the grader as can be.
            fn is_subsequence(expected: &[String], called: &[String]) -> bool {
                match (expected.split_last(), called.split_last()) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some((wanted, before)), Some((call, earlier))) => {
                        is_subsequence(if wanted == call { before } else { expected }, earlier)
                    }
                }
            }
            prop_assert_eq!(
                passes(&Trajectory::InOrder(expected.clone()), &called),
                is_subsequence(&expected, &called)
            );
        }

        #[test]
        fn only_equal_sequences_are_exact(expected in tools(), called in tools()) {
            prop_assert_eq!(passes(&Trajectory::Exact(expected.clone()), &called), expected == called);
            prop_assert!(passes(&Trajectory::Exact(called.clone()), &called));
        }

        #[test]
        fn minimums_score_the_share_of_those_that_are_met(
            minimums in prop::collection::btree_map("[abc]", 0_u64..4, 1..4), called in tools()
        ) {
            let called: Vec<&str> = called.iter().map(String::as_str).collect();
            let minimums: Vec<_> = minimums.into_iter().collect();
            let given = count(&minimums, &called);
            prop_assert_eq!(given.hits.len() + given.misses.len(), minimums.len());
            prop_assert!((given.score - given.hits.len() as f64 / minimums.len() as f64).abs() < 1e-12);
        }
    }
}
