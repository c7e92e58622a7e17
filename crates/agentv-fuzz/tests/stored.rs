//! What fuzzing found worth keeping, through the same checks on every run of the tests.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

/// Gives every stored input of a target to its check; all that fail are named.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/stored").join(target);
    let mut inputs: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() > 20, "the stored inputs of {target} were not found");
    let failed: Vec<_> = inputs
        .iter()
        .filter(|input| {
            let bytes = fs::read(input).unwrap();
            catch_unwind(AssertUnwindSafe(|| check(&bytes))).is_err()
        })
        .map(|input| input.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(failed.is_empty(), "{target} does not hold for {failed:?}");
}

#[test]
fn every_stored_batch_output_is_read_as_promised() {
    replay("batch_output", agentv_fuzz::batch_output);
}

#[test]
fn every_stored_suite_is_loaded_as_promised() {
    replay("suite_loader", agentv_fuzz::suite_loader);
}
