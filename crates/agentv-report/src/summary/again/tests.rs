//! Commands as they are told; that they do what they say is tried with the real program elsewhere.

use super::*;
use crate::record::{
    Keeping, Row,
    sample::{scored, settled},
};

fn again(current_dir: &str, how: AgainHow) -> Again {
    Again {
        run_id: "20250102T030405-abcd".to_owned(),
        current_dir: current_dir.into(),
        root: "/home/project".into(),
        how,
        flags: Vec::new(),
    }
}

fn place(id: &str) -> Place {
    let settled = settled(0, id, scored(0.0, &[]));
    Place::of(&Row::of(&settled, Keeping::default()).unwrap())
}

const ALONE: AgainHow = AgainHow::Ask { with_target: false };

#[test]
fn the_suite_is_named_from_where_one_stands() {
    for (current_dir, told) in [
        ("/home/project", "evals/demo.yaml"),
        ("/home/project/evals", "demo.yaml"),
        ("/home/project/src/deep", "../../evals/demo.yaml"),
        ("/home/other", "../project/evals/demo.yaml"),
        ("/srv", "/home/project/evals/demo.yaml"),
    ] {
        let command = again(current_dir, ALONE).one(&place("a"));
        let told = format!("agentv eval {told} --eval-id a");
        assert_eq!(command.as_deref(), Some(told.as_str()), "{current_dir}");
    }
    assert_eq!(again("/home/project", ALONE).path_of("-x.yaml"), "./-x.yaml");
}

#[test]
fn the_target_and_the_flags_of_the_run_are_part_of_it() {
    let mut again = again("/home/project", AgainHow::Ask { with_target: true });
    again.flags = vec![("--threshold", Some("0.6".to_owned())), ("--dry-run", None)];
    assert_eq!(
        again.one(&place("it's [x]")).as_deref(),
        Some(
            r"agentv eval evals/demo.yaml --eval-id 'it'\''s \[x]' --target agent --threshold 0.6 --dry-run"
        )
    );
}

#[test]
fn what_was_only_graded_is_graded_again() {
    let again = again("/home/project", AgainHow::Grade);
    let told = "agentv grade 20250102T030405-abcd --eval-id=-a";
    assert_eq!(again.one(&place("-a")).as_deref(), Some(told));
    assert_eq!(again.all_failed(), "agentv eval --rerun-failed 20250102T030405-abcd");
}

#[test]
fn a_command_that_nobody_would_read_is_not_told() {
    assert_eq!(again("/home/project", ALONE).one(&place(&"x".repeat(1000))), None);
}
