//! Whole projects in every dialect, and the one model that all of them are lowered to.
//!
//! The projects stand in `tests/dialects` at the root, one folder each. What becomes of them is
//! written out in full: whoever changes what a file means sees it in a snapshot.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentv_case::Loaded;

use crate::{model, project::Project};

fn dialects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects")
}

/// Loads everything in a copy of a project, as its user would who stands in it.
fn check(name: &str) {
    let project = copied(Project::bare(), &dialects().join(name), "")
        .variable("REGION", "the process")
        .variable("HOME", "/home/ann");
    let loaded = project.load(&["."]);
    insta::assert_snapshot!(name, written_out(&project, &loaded));
}

fn copied(mut project: Project, from: &Path, to: &str) -> Project {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place = format!("{to}{}", path.file_name().unwrap().to_str().unwrap());
        project = if path.is_dir() {
            copied(project, &path, &format!("{place}/"))
        } else {
            project.file(&place, fs::read(&path).unwrap())
        };
    }
    project
}

fn written_out(project: &Project, loaded: &Loaded) -> String {
    let problems = project.describe(loaded);
    let root = project.path("");
    let model = model::of(loaded).replace(root.to_str().unwrap(), "ROOT/");
    let problems = if problems.is_empty() { "none".to_owned() } else { problems };
    format!("{model}\nproblems: {problems}\n")
}

/// One test a project, called as its folder.
macro_rules! projects {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check(&stringify!($name).replace('_', "-"));
            }
        )*

        const PROJECTS: &[&str] = &[$(stringify!($name)),*];
    };
}

projects! {
    anchors,
    camel_case,
    chat_prompts,
    csv,
    environment,
    includes,
    jsonl,
    literal_braces,
    mixed,
    repeats,
    rubrics,
    same,
    scalars,
    v1,
    v1_evaluators,
    v2,
    v3,
    v4,
    v5,
    vars_from_files,
}

#[test]
fn every_project_has_its_test() {
    let mut folders: Vec<String> = fs::read_dir(dialects())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().replace('-', "_"))
        .collect();
    folders.sort();
    assert_eq!(folders, PROJECTS);
}
