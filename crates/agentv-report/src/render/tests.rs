//! What is true of every format, and of finding the right one.

use super::*;

#[test]
fn a_format_is_found_by_its_name_and_by_every_ending_in_any_case() {
    for format in FORMATS {
        assert_eq!(format_named(format.name()).unwrap().name(), format.name());
        for ending in format.endings() {
            let path = format!("out/x.{}", ending.to_uppercase());
            assert_eq!(format_for_path(Path::new(&path)).unwrap().name(), format.name());
        }
    }
}

#[test]
fn names_and_endings_belong_to_one_format_each() {
    let mut seen = std::collections::BTreeSet::new();
    for format in FORMATS {
        let mut names: Vec<&str> = format.endings().to_vec();
        names.push(format.name());
        names.sort_unstable();
        names.dedup();
        for name in names {
            assert!(seen.insert(name), "{name} is used twice");
        }
    }
}

#[test]
fn an_unknown_ending_is_told_with_the_nearest() {
    let fault = format_for_path(Path::new("out.jsnl")).err().unwrap();
    assert_eq!(fault.message, "no output format has the ending of `out.jsnl`");
    assert_eq!(fault.hint.as_deref(), Some("did you mean `.jsonl`?"));
    let fault = format_named("yam").err().unwrap();
    assert_eq!(fault.hint.as_deref(), Some("did you mean `yaml`?"));
}

#[test]
fn where_none_is_near_all_are_named() {
    let fault = format_for_path(Path::new("results")).err().unwrap();
    assert_eq!(fault.message, "cannot tell the format of `results`: it has no ending");
    let hint = fault.hint.unwrap();
    assert!(hint.starts_with("known: .jsonl, "), "{hint}");
}
