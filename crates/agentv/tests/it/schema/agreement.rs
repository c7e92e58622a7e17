//! `tests/schema/{good,bad}`: files that are right, and files with one mistake each, which is their
//! name. What is right for the schema is right for `agentv validate`, and the other way round.

use std::{fs, path::Path};

use serde_json::Value;

use super::{faults, schema, validator};
use crate::project::empty;

/// A file of the corpus.
struct File {
    name: String,
    /// `suite`, `targets`, `config` or `prices`.
    kind: String,
    text: String,
}

fn corpus(folder: &str) -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/schema").join(folder);
    let mut files: Vec<File> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let kind = name.split('-').next().unwrap().to_owned();
            File { name, kind, text: fs::read_to_string(path).unwrap() }
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// The file as an editor reads it: YAML 1.2, where `yes` is a word.
fn read(text: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).unwrap()
}

/// Whether `agentv validate` finds it right, and what it says.
fn loads(file: &File) -> (bool, String) {
    let mut project = empty()
        .file(
            ".agentv/targets.yaml",
            "targets:\n  - {name: agent, provider: cli, command: 'true', judge_target: other}\n  \
             - {name: other, provider: cli, command: 'true'}\n",
        )
        .file("files/a.txt", "A\n")
        .file("vars.yaml", "sum: 2 + 2\n")
        .file("cases.yaml", "- {id: of-a-file, input: Say ok}\n")
        .file("cases/a.jsonl", "{\"id\": \"of-a-line\", \"input\": \"Say ok\"}\n");
    for (name, value) in [
        ("WORD", "word"),
        ("TARGET", "agent"),
        ("TYPE", "contains"),
        ("PROVIDER", "cli"),
        ("NUMBER", "2.5"),
        ("SHARE", "0.5"),
        ("COUNT", "3"),
        ("FLAG", "true"),
        ("POLICY", "fail"),
    ] {
        project = project.env(name, value);
    }
    let place = match file.kind.as_str() {
        "suite" => "suite.yaml",
        "targets" => ".agentv/targets.yaml",
        "config" => ".agentv/config.yaml",
        "prices" => ".agentv/prices.yaml",
        other => panic!("no kind of file: {other}"),
    };
    let run = project.file(place, &file.text).run(&["validate", place]);
    assert!(matches!(run.code, Some(0 | 2)), "{}: {}", file.name, run.seen());
    (run.code == Some(0), run.seen())
}

fn check(folder: &str, right: bool) {
    let files = corpus(folder);
    let mut wrong = Vec::new();
    for kind in ["suite", "targets", "config", "prices"] {
        let validator = validator(&schema(kind));
        for file in files.iter().filter(|file| file.kind == kind) {
            let faults = faults(&validator, &read(&file.text));
            if faults.is_empty() != right {
                wrong.push(format!("schema on {}: {faults:#?}", file.name));
            }
            let (loaded, said) = loads(file);
            if loaded != right {
                wrong.push(format!("loader on {}: {said}", file.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_right_is_right_for_the_schema_and_for_the_loader() {
    check("good", true);
}

#[test]
fn what_is_wrong_is_wrong_for_the_schema_and_for_the_loader() {
    check("bad", false);
}

#[test]
fn the_corpus_is_large() {
    let (good, bad) = (corpus("good"), corpus("bad"));
    assert!(good.len() >= 25 && bad.len() >= 40, "{} and {}", good.len(), bad.len());
}

#[test]
fn files_are_read_as_the_loader_reads_them() {
    let read = read("a: yes\nb: true\nc: 2025-01-01\nd: 1.5\ne: ~\nf: '1'\ng: off\n");
    let expected = serde_json::json!({
        "a": "yes", "b": true, "c": "2025-01-01", "d": 1.5, "e": null, "f": "1", "g": "off",
    });
    assert_eq!(read, expected);
}

#[test]
fn the_suites_and_targets_that_we_ship_satisfy_their_schemas() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (suites, targets) = (validator(&schema("suite")), validator(&schema("targets")));
    let mut folders = vec![root.join("examples"), root.join("spec")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                let file = read(&fs::read_to_string(&path).unwrap());
                let validator =
                    if path.file_stem().unwrap() == "targets" { &targets } else { &suites };
                assert_eq!(faults(validator, &file), [""; 0], "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen} files were found");
}
