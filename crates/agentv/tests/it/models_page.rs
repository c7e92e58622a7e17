//! What docs/models.md promises: its targets are valid, and its tables are those that targets are
//! read by. `UPDATE_DOCS=1` writes the tables anew.

use std::{collections::BTreeSet, env, fs, path::Path, path::PathBuf};

use agentv_exec::provider::KINDS;

use crate::{language_page::examples_of, language_reference::rendered, project::empty};

const TARGETS: &str = ".agentv/targets.yaml";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md").canonicalize().unwrap()
}

fn text() -> String {
    fs::read_to_string(path()).unwrap()
}

/// The variables that the targets of the page refer to.
const VARIABLES: &[&str] = &[
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "AZURE_TOKEN",
    "GATEWAY_KEY",
    "OPENROUTER_API_KEY",
];

#[test]
fn every_target_of_the_models_page_is_valid_without_a_warning() {
    let mut count = 0;
    for example in examples_of(&text()) {
        let mut project = empty().file(&example.file, &example.text);
        for name in VARIABLES {
            project = project.env(name, "not-a-real-key");
        }
        let run = project.run(&["validate", &example.file]);
        assert_eq!(run.code, Some(0), "{}\n{}", example.section, run.seen());
        assert!(!run.stderr.contains("warning"), "{}\n{}", example.section, run.seen());
        count += usize::from(example.file == TARGETS);
    }
    assert!(count >= 4, "the targets were found: {count}");
}

#[test]
fn every_kind_of_model_has_an_example_and_a_table_on_its_page() {
    let page = text();
    let models = KINDS.iter().filter(|kind| kind.model_key().is_some());
    let mut names = BTreeSet::new();
    for kind in models {
        let name = kind.name();
        assert!(page.contains(&format!("    provider: {name}\n")), "no target is `{name}`");
        assert!(page.contains(&format!("<!-- keys: target of {name} -->")), "no keys of `{name}`");
        names.insert(name);
    }
    assert_eq!(names.len(), 5, "{names:?}");
}

#[test]
fn the_tables_of_the_models_page_are_those_that_targets_are_read_by() {
    let page = text();
    let rendered = rendered(&page);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path(), rendered).unwrap();
        return;
    }
    let differs = page.lines().zip(rendered.lines()).find(|(is, should)| is != should);
    assert!(
        page == rendered,
        "docs/models.md is not up to date, first at {differs:?}: run this test with UPDATE_DOCS=1"
    );
}
