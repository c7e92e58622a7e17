//! Plans of cases that are only names.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use agentv_base::{
    CasePlace, Dependency, EvalCase, Input, Messages, Node, NodeValue, Span, TargetSpec,
};
use agentv_engine::After;
use proptest::prelude::*;

use super::*;
use crate::{args::Shard, resolve::AskedTarget};

/// A case of a suite, asked of targets, so often, after others.
#[derive(Clone, Copy)]
struct Asked<'c> {
    suite: usize,
    id: &'c str,
    targets: &'c [usize],
    repeat: Option<u32>,
    after: &'c [&'c str],
}

const fn asked(id: &str) -> Asked<'_> {
    Asked { suite: 0, id, targets: &[0], repeat: None, after: &[] }
}

fn spec(name: &str) -> TargetSpec {
    TargetSpec {
        name: name.into(),
        name_span: Span::default(),
        provider: "cli".into(),
        provider_span: Span::default(),
        workers: None,
        judge_target: None,
        node: Node::new(Span::default(), NodeValue::Null),
        definition: serde_json::Value::Null,
        file: PathBuf::new(),
        prices: Arc::default(),
    }
}

fn case(asked: &Asked<'_>) -> Arc<EvalCase> {
    let depends = |id: &&str| Dependency {
        id: (*id).into(),
        span: Span::default(),
        must_pass: !id.starts_with('~'),
    };
    let input = Input {
        eval_id: asked.id.into(),
        suite_file: Path::new("/suite.yaml").into(),
        messages: Messages::default(),
        files: Vec::new(),
        guideline_files: Vec::new(),
        conversation_id: None,
    };
    Arc::new(EvalCase {
        input: Arc::new(input),
        dataset: "d".into(),
        suite: format!("suite-{}.yaml", asked.suite).into(),
        place: CasePlace { file: None, span: Span::default(), line: 1, column: 1 },
        expected_outcome: None,
        expected_messages: Messages::default(),
        graders: Arc::from([]),
        targets: Arc::from([]),
        judge_target: None,
        threshold: None,
        repeat: asked.repeat,
        depends_on: asked.after.iter().map(depends).collect(),
        tags: Arc::from([]),
        vars: None,
    })
}

fn pairings(all: &[Asked<'_>]) -> Pairings {
    let mut pairings = Pairings::default();
    for name in ["one", "two", "three"] {
        pairings.targets.push(AskedTarget { spec: spec(name), complete: true });
    }
    for asked in all {
        let case = case(asked);
        for target in asked.targets {
            let case = Arc::clone(&case);
            pairings.add(Pairing { case, target: *target, suite: asked.suite });
        }
    }
    pairings
}

const PLAIN: Scope = Scope { repeat: None, until_decided: false, shard: None };

/// The slots that have to wait, as `case@target#repeat`, with those that they wait for; those
/// that need not pass have a `?`.
fn waiting(all: &[Asked<'_>], scope: Scope, graded: Graded) -> Vec<String> {
    let plan = plan(&pairings(all), Vec::new(), scope, graded);
    let name = |slot: usize| {
        let Slot { case, target, repeat } = plan.slots[slot];
        format!("{}@{target}#{repeat}", plan.cases[case].id())
    };
    let sorted: BTreeMap<usize, &Vec<After>> =
        plan.after.iter().map(|(slot, after)| (*slot, after)).collect();
    let told = sorted.into_iter().map(|(slot, after)| {
        let after: Vec<String> = after
            .iter()
            .map(|After { slot, must_pass }| {
                format!("{}{}", name(*slot), if *must_pass { "" } else { "?" })
            })
            .collect();
        format!("{} after {}", name(slot), after.join(" "))
    });
    told.collect()
}

#[test]
fn a_slot_waits_for_the_same_repeat_of_the_same_target() {
    let all = [
        Asked { targets: &[0, 1], after: &["b"], ..asked("a") },
        Asked { targets: &[0, 1], ..asked("b") },
        // Of another suite, with the same id.
        Asked { suite: 1, ..asked("b") },
    ];
    let scope = Scope { repeat: Some(2), ..PLAIN };
    let wanted =
        ["a@0#1 after b@0#1", "a@0#2 after b@0#2", "a@1#1 after b@1#1", "a@1#2 after b@1#2"];
    assert_eq!(waiting(&all, scope, Graded::Yes), wanted);
}

#[test]
fn where_the_other_is_repeated_less_often_its_last_repeat_counts() {
    let all = [
        Asked { repeat: Some(2), ..asked("few") },
        Asked { repeat: Some(4), after: &["few"], ..asked("many") },
        Asked { after: &["many", "few"], ..asked("once") },
    ];
    let wanted = [
        "many@0#1 after few@0#1",
        "many@0#2 after few@0#2",
        "many@0#3 after few@0#2",
        "many@0#4 after few@0#2",
        "once@0#1 after many@0#1 few@0#1",
    ];
    assert_eq!(waiting(&all, PLAIN, Graded::Yes), wanted);
}

#[test]
fn nothing_must_pass_where_only_the_order_holds_or_nobody_grades() {
    let all = [asked("~a"), asked("b"), Asked { after: &["~a", "b"], ..asked("c") }];
    assert_eq!(waiting(&all, PLAIN, Graded::Yes), ["c@0#1 after ~a@0#1? b@0#1"]);
    assert_eq!(waiting(&all, PLAIN, Graded::No), ["c@0#1 after ~a@0#1? b@0#1?"]);
}

#[test]
fn a_case_that_is_not_asked_keeps_nobody_waiting() {
    let all = [Asked { after: &["left-out"], ..asked("a") }];
    assert_eq!(waiting(&all, PLAIN, Graded::Yes), [""; 0]);
    let mut problems = Problems::default();
    check_dependencies(&pairings(&all), &mut problems);
    assert!(problems.is_empty());
}

#[test]
fn a_dependency_that_is_asked_of_other_targets_is_a_problem() {
    let all = [
        Asked { targets: &[0, 2], after: &["b"], ..asked("a") },
        Asked { targets: &[1, 2], ..asked("b") },
    ];
    let mut problems = Problems::default();
    check_dependencies(&pairings(&all), &mut problems);
    let told: Vec<&str> = problems.iter().map(|problem| &*problem.message).collect();
    let wanted = "`a` is asked of the target `one`, but `b`, which it depends on, is not";
    assert_eq!(told, [wanted]);
}

fn whole(all: &[Asked<'_>], scope: Scope) -> WholePlan {
    WholePlan::of(&pairings(all), scope)
}

#[test]
fn a_whole_plan_is_known_by_its_slots_in_any_order() {
    let (a, b) = (asked("a"), Asked { targets: &[0, 1], ..asked("b") });
    let known = whole(&[a, b], PLAIN);
    assert_eq!((known.slots, known.sha256.len()), (3, 64));
    assert_eq!(whole(&[b, a], PLAIN), known);
    assert_eq!(whole(&[a, b], Scope { repeat: Some(1), ..PLAIN }), known);
    let shard = Some(Shard { index: 2, count: 3 });
    assert_eq!(whole(&[a, b], Scope { shard, ..PLAIN }), known);
    for other in [
        whole(&[a], PLAIN),
        whole(&[a, Asked { targets: &[0, 2], ..b }], PLAIN),
        whole(&[a, Asked { suite: 1, ..b }], PLAIN),
        whole(&[a, Asked { repeat: Some(2), ..b }], PLAIN),
        whole(&[a, b], Scope { repeat: Some(2), ..PLAIN }),
        whole(&[a, b], Scope { until_decided: true, ..PLAIN }),
    ] {
        assert_ne!(other.sha256, known.sha256);
    }
}

#[test]
fn cases_that_are_asked_more_or_less_often_than_most_are_named_as_long_as_they_are_few() {
    let often = |id, repeat| Asked { repeat: Some(repeat), targets: &[0, 1], ..asked(id) };
    for all in [
        [often("a", 5), often("b", 2), often("c", 2), often("d", 1)],
        [often("d", 1), often("c", 2), often("b", 2), often("a", 5)],
    ] {
        let repeats = whole(&all, PLAIN).repeats.unwrap();
        let others: Vec<(&str, u32)> =
            repeats.others.iter().map(|other| (&*other.eval_id, other.repeats)).collect();
        assert_eq!((repeats.usual, others), (2, vec![("a", 5), ("d", 1)]));
    }
    let ids: Vec<String> = (0..=2 * MOST_OTHERS + 1).map(|number| format!("{number:05}")).collect();
    for (others, are_named) in [(MOST_OTHERS, true), (MOST_OTHERS + 1, false)] {
        let repeat = |place: usize| if place < others { 3 } else { 1 };
        let numbered = ids.iter().enumerate().take(2 * others + 1);
        let all: Vec<Asked<'_>> = numbered.map(|(place, id)| often(id, repeat(place))).collect();
        assert_eq!(whole(&all, PLAIN).repeats.is_some(), are_named, "{others}");
    }
}

#[test]
fn a_run_that_nobody_can_mean_is_refused() {
    let many: Vec<Asked<'_>> =
        vec![Asked { repeat: Some(10_000), ..asked("a") }; MOST_SLOTS / 10_000 + 1];
    for (count, is_refused) in [(many.len() - 1, false), (many.len(), true)] {
        let mut problems = Problems::default();
        whole(&many[..count], PLAIN).check(&mut problems);
        assert_eq!(problems.has_errors(), is_refused, "{count}");
    }
}

/// The cases of a shard as `suite/id`, each with its targets.
fn shard(all: &[Asked<'_>], index: u32, count: u32) -> BTreeMap<String, Vec<usize>> {
    let mut pairings = pairings(all);
    keep_shard(&mut pairings, Some(Shard { index, count }));
    let mut kept: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for pair in &pairings.pairs {
        kept.entry(format!("{}/{}", pair.suite, pair.case.id())).or_default().push(pair.target);
    }
    kept
}

/// In which shard each case is.
fn shards(all: &[Asked<'_>], count: u32) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for index in 1..=count {
        for name in shard(all, index, count).into_keys() {
            assert_eq!(found.insert(name, index), None, "in two shards");
        }
    }
    found
}

#[test]
fn the_shard_of_a_case_never_changes_between_versions() {
    // Computed elsewhere from SHA-256 of `suite-0.yaml\0a` and so on: whoever changes this breaks
    // runs that are under way on several machines.
    let all = [asked("a"), asked("b"), asked("c"), asked("d")];
    let found: Vec<u32> = shards(&all, 7).into_values().collect();
    assert_eq!(found, [5, 6, 6, 2]);
}

#[test]
fn without_a_shard_everything_stays() {
    let mut all = pairings(&[asked("a"), asked("b")]);
    keep_shard(&mut all, None);
    assert_eq!(all.pairs.len(), 2);
}

#[test]
fn cases_that_depend_on_each_other_go_where_the_first_goes_that_waits_for_nobody() {
    let mut together = 0;
    for count in 2..20 {
        let tied = [
            Asked { after: &["m", "x"], ..asked("z") },
            Asked { after: &["b"], ..asked("m") },
            asked("x"),
            asked("b"),
            Asked { suite: 1, ..asked("b") },
        ];
        let found = shards(&tied, count);
        let mut grown = tied.to_vec();
        grown.push(Asked { after: &["x"], ..asked("a") });
        assert_eq!(shards(&grown, count)["0/a"], found["0/b"], "a new case goes to the others");
        let alone = shards(&[asked("b")], count);
        for id in ["b", "m", "x", "z"] {
            assert_eq!(found[&format!("0/{id}")], alone["0/b"], "{id} of {count}");
        }
        assert_eq!(found["1/b"], shards(&[Asked { suite: 1, ..asked("b") }], count)["1/b"]);
        together += u32::from(found["0/b"] == found["1/b"]);
    }
    assert!(together < 10, "suites are told apart");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_shards_of_any_number_are_all_cases_each_once(
        ids in prop::collection::btree_set("[a-z]{1,6}", 0..30),
        ties in prop::collection::vec((0usize..30, 0usize..30), 0..8),
        count in 1u32..9,
    ) {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut after: Vec<Vec<&str>> = vec![Vec::new(); ids.len()];
        for (one, other) in ties.into_iter().filter(|(one, other)| one < other) {
            if let (Some(id), Some(after)) = (ids.get(one), after.get_mut(other)) {
                after.push(id);
            }
        }
        let all: Vec<Asked<'_>> = ids
            .iter()
            .zip(&after)
            .map(|(id, after)| Asked { targets: &[0, 1], after, ..asked(id) })
            .collect();
        let found = shards(&all, count);
        let names: BTreeSet<String> = ids.iter().map(|id| format!("0/{id}")).collect();
        prop_assert_eq!(found.keys().cloned().collect::<BTreeSet<_>>(), names);
        for asked in &all {
            let place = found[&format!("0/{}", asked.id)];
            prop_assert!((1..=count).contains(&place));
            prop_assert_eq!(&shard(&all, place, count)[&format!("0/{}", asked.id)], &[0, 1]);
            for other in asked.after {
                prop_assert_eq!(found[&format!("0/{other}")], place);
            }
        }
    }

    #[test]
    fn a_new_case_moves_no_other(
        ids in prop::collection::btree_set("[a-z]{1,6}", 1..30),
        count in 1u32..9,
    ) {
        let all: Vec<Asked<'_>> = ids.iter().map(|id| asked(id)).collect();
        let (_, before) = all.split_last().unwrap();
        let found = shards(&all, count);
        for (name, place) in shards(before, count) {
            prop_assert_eq!(found[&name], place);
        }
    }
}
