//! Every stored value of a published library comes out here too, and what must hold for any text.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Stored {
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    answer: String,
    references: Vec<String>,
    values: BTreeMap<String, f64>,
}

#[test]
fn every_value_is_that_of_the_published_library() {
    let stored: Stored =
        serde_json::from_str(include_str!("../../../testdata/similarity.json")).unwrap();
    assert!(stored.pairs.len() >= 200);
    let mut compared = 0;
    let mut wrong = Vec::new();
    for Pair { answer, references, values } in &stored.pairs {
        for (name, value) in values {
            let (name, ignore_case) =
                name.strip_suffix(" lowered").map_or((name.as_str(), false), |name| (name, true));
            let measure = Measure::ALL.into_iter().find(|measure| measure.name() == name).unwrap();
            let found = measure.compare(answer, references, ignore_case).unwrap().score;
            compared += 1;
            if (found - value).abs() > 1e-9 {
                wrong.push(format!("{name} {found}, not {value}: {answer:?} {references:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(compared, stored.pairs.len() * (Measure::ALL.len() + 3));
}

#[test]
fn the_nearest_of_several_references_is_named_where_there_is_one() {
    let references = ["Rome", "Paris", "paris"];
    for measure in Measure::ALL {
        let nearest = measure.compare("Paris", &references, false).unwrap().nearest;
        let wanted = match measure {
            // All references together.
            Measure::Bleu => None,
            // No pair of words in any: the first is as near as another.
            Measure::Rouge2 => Some(0),
            Measure::Levenshtein
            | Measure::TokenF1
            | Measure::Rouge1
            | Measure::RougeL
            | Measure::Chrf => Some(1),
        };
        assert_eq!(nearest, wanted, "{measure:?}");
        assert_eq!(measure.compare("x", &["Paris"], false).unwrap().nearest, Some(0));
    }
}

#[test]
fn edits_ignore_case_as_other_graders_do_and_the_rest_as_its_library_does() {
    let score =
        |measure: Measure| measure.compare("ΟΔΟΣ ΟΔΟΣ", &["οδοσ οδος"], true).unwrap().score;
    assert!((score(Measure::Levenshtein) - 1.0).abs() < 1e-12);
    assert!(score(Measure::Chrf) < 1.0);
}

#[test]
fn texts_too_long_to_compare_cell_by_cell_are_refused_with_their_lengths() {
    let answer = "ab ".repeat(200_000);
    let reference = "cd ".repeat(100_000);
    assert_eq!(
        Measure::Levenshtein.compare(&answer, &[&reference], false),
        Err(TooLong { answer: 600_000, reference: 300_000 })
    );
    assert_eq!(
        Measure::RougeL.compare(&answer, &[&reference], false),
        Err(TooLong { answer: 200_000, reference: 100_000 })
    );
}

#[test]
fn references_add_up_to_the_work_of_an_answer() {
    for measure in [Measure::Levenshtein, Measure::RougeL] {
        let compare = |references: &[&str]| {
            measure.compare_within(&mut Work::of(20), "a b c", references, false).is_ok()
        };
        assert!(compare(&["x"; 4]), "{measure:?}");
        assert!(!compare(&["x"; 7]), "{measure:?}");
    }
}

#[test]
fn measures_that_look_at_no_table_take_texts_of_any_length() {
    let answer = "one two three. ".repeat(2_000);
    for measure in
        [Measure::TokenF1, Measure::Rouge1, Measure::Rouge2, Measure::Bleu, Measure::Chrf]
    {
        let found = measure.compare(&answer, &[&answer], false).unwrap().score;
        assert!((found - 1.0).abs() < 1e-9, "{measure:?}");
    }
}

proptest! {
    #[test]
    fn any_two_texts_score_from_0_to_1(
        answer in any::<String>(), references in prop::collection::vec("[ab ,.ß]{0,9}|\\PC{0,9}", 1..4),
        ignore_case in any::<bool>()
    ) {
        for measure in Measure::ALL {
            let found = measure.compare(&answer, &references, ignore_case).unwrap();
            prop_assert!((0.0..=1.0).contains(&found.score), "{:?} {:?}", measure, found);
        }
    }

    #[test]
    fn a_text_that_is_not_blank_is_wholly_like_itself(text in any::<String>()) {
        for measure in Measure::ALL.into_iter().filter(|measure| !measure.is_blank(&text)) {
            let found = measure.compare(&text, &[&text], false).unwrap();
            prop_assert!(found.score > 1.0 - 1e-9, "{:?} {:?}", measure, found);
        }
    }
}
