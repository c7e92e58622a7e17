//! What docs/language.md promises: its examples are valid, run and pass, section by section.

use std::collections::{BTreeMap, BTreeSet};

use agentv_testkit::{Project, Run};

use crate::{
    language_page::{Example, examples},
    project::{empty, rows},
};

const TARGETS: &str = ".agentv/targets.yaml";

/// The examples by section, each with its project: the targets of the page, then its own files.
fn sections() -> BTreeMap<String, (Project, Vec<Example>)> {
    let all = examples();
    let targets = all.iter().find(|example| example.file == TARGETS).unwrap().text.clone();
    let mut sections = BTreeMap::new();
    for example in all {
        let (project, files) = sections
            .entry(example.section.clone())
            .or_insert_with(|| (empty().file(TARGETS, &targets), Vec::<Example>::new()));
        assert!(
            files.iter().all(|known| known.file != example.file),
            "{} stands twice in `{}`",
            example.file,
            example.section
        );
        project.write(&example.file, &example.text);
        files.push(example);
    }
    assert!(sections.len() >= 10, "the sections were found");
    sections
}

/// Suites stand in `evals` itself, parts of them below it.
fn is_suite(example: &Example) -> bool {
    example.file.strip_prefix("evals/").is_some_and(|name| {
        let ending = name.rsplit('.').next().unwrap();
        !name.contains('/') && ["yaml", "jsonl", "csv"].contains(&ending)
    })
}

fn assert_passed(what: &str, run: &Run) {
    assert_eq!(run.code, Some(0), "{what}\n{}", run.seen());
    assert!(!run.stderr.contains("warning"), "{what}\n{}", run.seen());
}

#[test]
fn every_example_of_the_language_is_valid_without_a_warning() {
    for (section, (project, _)) in sections() {
        let config = ".agentv/config.yaml";
        let mut args = vec!["validate", "evals", TARGETS];
        args.extend(project.path(config).exists().then_some(config));
        assert_passed(&section, &project.run(&args));
    }
}

#[test]
fn every_suite_of_the_language_passes_alone() {
    let mut count = 0;
    for (section, (project, examples)) in sections() {
        for example in examples.iter().filter(|example| is_suite(example)) {
            let run = project.run(&["eval", &example.file]);
            assert_passed(&format!("{section}: {}", example.file), &run);
            let rows = rows(&project);
            assert!(rows.iter().all(|row| row["status"] == "passed"), "{rows:?}");
            count += 1;
        }
        project.assert_nothing_is_left();
    }
    assert!(count >= 15, "the suites were found: {count}");
}

/// What the page says of ids in comments and in words.
#[test]
fn the_ids_of_the_language_page_are_as_it_says() {
    let sections = sections();
    let (project, _) = &sections["Variables"];
    for (suite, ids) in [
        ("evals/prompts.yaml", ["tides#chat", "tides#polite", "tides#short"].as_slice()),
        ("evals/scenarios.yaml", &["translate/hello#2", "translate/hello#fr"]),
    ] {
        assert_passed(suite, &project.run(&["eval", suite]));
        let asked: Vec<String> =
            rows(project).iter().map(|row| row["eval_id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(asked, ids);
    }
    let (project, _) = &sections["Which targets are asked"];
    assert_passed("asked", &project.run(&["eval", "evals/asked.yaml"]));
    let asked: BTreeSet<(String, String)> = rows(project)
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            (text("eval_id"), text("target"))
        })
        .collect();
    let expected = [("everywhere", "default"), ("everywhere", "loud"), ("here-only", "loud")];
    let expected = expected.map(|(id, target)| (id.to_owned(), target.to_owned()));
    assert_eq!(asked, BTreeSet::from(expected));
}
