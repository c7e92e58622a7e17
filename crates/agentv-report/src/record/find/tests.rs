//! Runs by every name that they go by.

use super::*;
use crate::record::{
    RunKind, Timestamp,
    sample::{manifest, moment},
};

/// Three runs of the same project, oldest first.
fn project() -> (tempfile::TempDir, Vec<String>) {
    let root = tempfile::tempdir().unwrap();
    let ids = (0..3)
        .map(|second| {
            let mut manifest = manifest();
            manifest.started_at = Timestamp::of(moment(second));
            if second == 2 {
                manifest.kind = RunKind::Merge;
            }
            RunFolder::create(root.path(), &manifest).unwrap().run_id().to_owned()
        })
        .collect();
    (root, ids)
}

fn check(root: &Path, name: &str, current_dir: &Path) -> Result<String, FindFault> {
    let fits = |manifest: &RunManifest| manifest.kind == RunKind::Eval;
    let found = find_run(root, &Wanted { name, current_dir, fits: &fits })?;
    assert_eq!(found.manifest.run_id, found.folder.run_id());
    Ok(found.folder.run_id().to_owned())
}

#[test]
fn a_run_is_found_by_its_id_a_unique_beginning_or_its_folder() {
    let (root, ids) = project();
    let root = root.path();
    let results = root.join(".agentv/results");
    assert_eq!(check(root, &ids[0], root).unwrap(), ids[0]);
    assert_eq!(check(root, ids[2].get(..ids[2].len() - 2).unwrap(), root).unwrap(), ids[2]);
    assert_eq!(check(root, &format!(".agentv/results/{}", ids[1]), root).unwrap(), ids[1]);
    assert_eq!(check(root, &ids[1], &results).unwrap(), ids[1]);
    let file = format!("{}/{}/results.jsonl", results.display(), ids[0]);
    assert_eq!(check(root, &file, Path::new("/")).unwrap(), ids[0]);
    assert_eq!(check(root, ".", &results.join(&ids[0])).unwrap(), ids[0]);
}

#[test]
fn without_a_name_it_is_the_newest_that_fits() {
    let (root, ids) = project();
    assert_eq!(check(root.path(), "", root.path()).unwrap(), ids[1]);
    let empty = tempfile::tempdir().unwrap();
    let fault = check(empty.path(), "", empty.path()).unwrap_err();
    assert!(fault.message.starts_with("there is no earlier run in"), "{fault}");
}

#[test]
fn what_is_no_run_is_refused_with_a_hint() {
    let (root, ids) = project();
    let root = root.path();
    let fault = check(root, ids[0].get(..6).unwrap(), root).unwrap_err();
    assert!(fault.message.contains("could be several runs"), "{fault}");
    let fault = check(root, "1999", root).unwrap_err();
    assert_eq!(fault.message, "there is no run `1999`");
    assert!(fault.hint.unwrap().contains(&ids[2]));
    fs::create_dir(root.join("evals")).unwrap();
    for suites in ["evals", "evals/", "nowhere/x"] {
        let fault = check(root, suites, root).unwrap_err();
        assert!(fault.message.contains("is no run"), "{fault}");
        assert!(fault.hint.unwrap().contains("put suites before this flag"));
    }
}

#[test]
fn a_manifest_that_cannot_be_understood_is_a_fault_with_its_place() {
    let (root, ids) = project();
    let manifest = root.path().join(".agentv/results").join(&ids[1]).join("run.json");
    let whole = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, whole.get(..whole.len() / 2).unwrap()).unwrap();
    let fault = check(root.path(), "", root.path()).unwrap_err();
    assert!(fault.message.contains("run.json"), "{fault}");
    fs::write(&manifest, whole.replace("\"format\": 1", "\"format\": 99")).unwrap();
    let fault = check(root.path(), &ids[1], root.path()).unwrap_err();
    assert!(fault.message.contains("is of a newer version"), "{fault}");
}
