//! What independent computations say of repeats; written by `tests/vectors/repeats.py`.

use serde_json::Value;

use super::Interval;

pub(super) fn vectors(kind: &str) -> Vec<Value> {
    let all: Value =
        serde_json::from_str(include_str!("../../tests/vectors/repeats.json")).unwrap();
    let vectors = all[kind].as_array().unwrap().clone();
    assert!(!vectors.is_empty(), "{kind}");
    vectors
}

/// The same number, or both unknown.
pub(super) fn check(ours: Option<f64>, theirs: &Value, what: &Value) {
    match (ours, theirs.as_f64()) {
        (None, None) => assert!(theirs.is_null(), "{what}: {theirs}"),
        (Some(ours), Some(theirs)) => {
            let allowed = 1e-9 * theirs.abs().max(1.0);
            assert!((ours - theirs).abs() <= allowed, "{what}: {ours}, and theirs is {theirs}");
        }
        (ours, _) => panic!("{what}: {ours:?}, and theirs is {theirs}"),
    }
}

pub(super) fn check_interval(ours: Option<Interval>, theirs: &Value, what: &Value) {
    check(ours.map(|it| it.low), &theirs[0], what);
    check(ours.map(|it| it.high), &theirs[1], what);
}
