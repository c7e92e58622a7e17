//! Targets files: where they are found, what they hold, and what is said when they are not right.

use insta::assert_snapshot;

use crate::project::{Project, TARGETS, one_case};

fn problems(targets: &str) -> String {
    Project::bare().file("targets.yaml", targets).problems(&["targets.yaml"])
}

/// A targets file with one target of this name.
fn named(name: &str) -> String {
    format!("targets: [{{name: {name}, provider: mock}}]")
}

#[test]
fn a_target_has_its_common_keys_and_keeps_the_others_for_its_provider() {
    let project = Project::bare()
        .variable("API_KEY", "sk-123456")
        .file(
            ".agentv/targets.yaml",
            "$schema: agentv-targets-v2.2
targets:
  - name: main
    provider: CLI
    workers: '3'
    graderTarget: judge
    command_template: run ${{ API_KEY }}
    api_key: literal
    anything: 1
  - name: judge
    provider: cli
    command_template: judge
",
        )
        .file("s.yaml", one_case(""));
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let targets = loaded.suites[0].targets.as_ref().unwrap();
    assert_eq!(targets.file, project.path(".agentv/targets.yaml"));
    let spec = targets.named("main").unwrap();
    assert_eq!(&*spec.provider, "cli");
    assert_eq!(spec.workers, Some(3));
    assert_eq!(spec.judge_target.as_ref().map(|(name, _)| &**name), Some("judge"));
    assert_eq!(spec.file, targets.file);
    let command = spec.node.get("command_template").unwrap();
    assert_eq!(command.as_str(), Some("run sk-123456"));
    assert_eq!(spec.definition["command_template"], "run ${{ API_KEY }}");
    assert_eq!(spec.definition["api_key"], "***");
    assert_eq!(loaded.redactor.redact("x sk-123456"), "x ***");
    assert!(targets.unset_variables("main").is_empty());
}

#[test]
fn without_a_name_the_target_is_the_default_one_or_the_only_one() {
    let project = |targets: &str| {
        let project = Project::bare().file("targets.yaml", targets).file("s.yaml", one_case(""));
        let loaded = project.load(&["s.yaml"]);
        assert_eq!(project.describe(&loaded), "");
        loaded.suites[0].targets.clone().unwrap()
    };
    let only = project(&named("only"));
    assert_eq!(&*only.default_target().unwrap().name, "only");
    let several = project("targets: [{name: a, provider: x}, {name: default, provider: x}]");
    assert_eq!(&*several.default_target().unwrap().name, "default");
    let none = project("targets: [{name: a, provider: x}, {name: b, provider: x}]");
    let error = none.default_target().unwrap_err();
    assert_eq!(error.names, ["a", "b"]);
    assert_eq!(error.to_string(), "no target is called `default`, and there are several: a, b");
}

#[test]
fn the_nearest_targets_file_wins_and_the_hidden_folder_before_the_open_one() {
    let found = |files: &[&str], current_dir: &str| {
        let mut project = Project::bare().file("a/b/s.yaml", one_case("")).file("c/x", "");
        for file in files {
            project = project.file(file, named("x"));
        }
        let project = project.current_dir(current_dir);
        let path = project.path("a/b/s.yaml");
        let loaded = project.load(&[path.to_str().unwrap()]);
        assert_eq!(project.describe(&loaded), "");
        let file = loaded.suites[0].targets.as_ref().unwrap().file.clone();
        file.strip_prefix(project.path("")).unwrap().to_str().unwrap().to_owned()
    };
    assert_eq!(found(&["a/b/targets.yml", "a/.agentv/targets.yaml"], ""), "a/b/targets.yml");
    assert_eq!(found(&["targets.yaml", ".agentv/targets.yml"], ""), ".agentv/targets.yml");
    assert_eq!(found(&["c/targets.yaml"], "c"), "c/targets.yaml");
    assert_eq!(found(&["c/targets.yaml", "targets.yaml"], "c"), "targets.yaml");
}

#[test]
fn one_targets_file_serves_many_suites() {
    let project = Project::new().file("a/s.yaml", one_case("")).file("b/s.yaml", one_case(""));
    let loaded = project.load(&["a", "b"]);
    assert_eq!(loaded.targets_files.len(), 1);
    assert_eq!(loaded.files_checked, 3);
}

#[test]
fn a_missing_targets_file_is_told_once_with_an_example() {
    let mut project = Project::bare().file("a/s.yaml", one_case("")).file("b/s.yaml", one_case(""));
    assert_snapshot!(project.problems(&["a", "b"]), @"
    error: no targets file was found for `a/s.yaml` and one more suite
      hint: looked for .agentv/targets.yaml, .agentv/targets.yml, targets.yaml, targets.yml, .agentv/providers.yaml, .agentv/providers.yml in `a`, `.`
        a minimal one:
        targets:
          - name: default
            provider: cli
            command_template: my-agent --prompt-file {PROMPT_FILE}
    ");
    project.options.needs_targets = false;
    assert_eq!(project.problems(&["a", "b"]), "");
}

#[test]
fn a_given_targets_file_or_directory_is_used_instead() {
    let project = Project::new().file("other/targets.yml", named("y")).file("s.yaml", one_case(""));
    for given in ["other", "other/targets.yml"] {
        let mut project =
            Project::new().file("other/targets.yml", named("y")).file("s.yaml", one_case(""));
        project = project.targets(given);
        let loaded = project.load(&["s.yaml"]);
        assert_eq!(project.describe(&loaded), "");
        assert!(loaded.suites[0].targets.as_ref().unwrap().named("y").is_some());
    }
    let project = project.targets("nowhere.yaml");
    assert_snapshot!(project.problems(&["s.yaml"]), @"
    error: no such targets file: `nowhere.yaml`
      hint: a targets file is one of .agentv/targets.yaml, .agentv/targets.yml, targets.yaml, targets.yml, .agentv/providers.yaml, .agentv/providers.yml
        a minimal one:
        targets:
          - name: default
            provider: cli
            command_template: my-agent --prompt-file {PROMPT_FILE}
    ");
    let project = project.file("empty/x", "").targets("empty");
    assert_snapshot!(project.problems(&["s.yaml"]), @"
    error: no targets file in the directory `empty`
      hint: a targets file is one of .agentv/targets.yaml, .agentv/targets.yml, targets.yaml, targets.yml, .agentv/providers.yaml, .agentv/providers.yml
        a minimal one:
        targets:
          - name: default
            provider: cli
            command_template: my-agent --prompt-file {PROMPT_FILE}
    ");
}

#[test]
fn targets_that_are_not_right_are_told() {
    assert_snapshot!(problems("targets:
  - {name: a, provider: x}
  - {provider: x}
  - {name: 5, provider: ' '}
  - {name: b, provider: x, workers: 0, judge_target: 1}
  - {name: a, provider: y}
  - text
target: 1
"), @"
    targets.yaml:3:5 error: target needs `name`
      hint: add `name: …`
    targets.yaml:4:12 error: `name` must be a string, not a number
    targets.yaml:4:25 error: `provider` of target is blank
    targets.yaml:5:37 error: `workers` must be a whole number of at least 1
    targets.yaml:5:54 error: `judge_target` must be a string, not a number
    targets.yaml:6:12 error: a target called `a` exists already
      targets.yaml:2:12 first named here
    targets.yaml:7:5 error: target must be a map, not a string
    targets.yaml:8:1 error: unknown key `target` in targets file
      hint: did you mean `targets`?
    ");
    assert_snapshot!(problems("targets: []"), @"
    targets.yaml:1:10 error: `targets` is empty
      hint: describe at least one target:
        targets:
          - name: default
            provider: cli
            command_template: my-agent --prompt-file {PROMPT_FILE}
    ");
    assert_snapshot!(problems("targets: x"), @"
    targets.yaml:1:10 error: `targets` must be a list, not a string
    ");
    assert_snapshot!(problems("{}"), @"
    targets.yaml:1:1 error: targets file needs `targets`
      hint: add `targets: …`
    ");
    assert_snapshot!(problems("- a"), @"
    targets.yaml:1:1 error: targets file must be a map, not a list
    ");
    assert_snapshot!(problems(""), @"
    targets.yaml:1:1 error: `targets.yaml` is empty
      hint: a minimal targets file:
        targets:
          - name: default
            provider: cli
            command_template: my-agent --prompt-file {PROMPT_FILE}
    ");
    assert_snapshot!(problems("targets: ["), @"targets.yaml:1:10 error: not valid YAML: `[` is never closed");
}

#[test]
fn an_unset_variable_is_an_error_of_the_target_that_is_used() {
    let project = Project::bare()
        .file(
            "targets.yaml",
            "targets:
  - {name: default, provider: cli, command_template: 'run ${{ AGENT }}'}
  - {name: other, provider: mock}
",
        )
        .file("s.yaml", one_case(""));
    let mut loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let targets = loaded.suites[0].targets.clone().unwrap();
    assert!(targets.unset_variables("other").is_empty());
    let spec = targets.named("default").unwrap();
    assert!(spec.node.get("command_template").unwrap().is_null());
    loaded.problems.append(targets.unset_variables("default"));
    assert_snapshot!(project.describe(&loaded), @"
    targets.yaml:2:54 error: environment variable `AGENT`, needed for `command_template`, is not set
      hint: set `AGENT` in the environment or in a `.env` file
    ");
}

#[test]
fn a_target_that_cannot_be_named_is_an_error_of_the_file() {
    assert_snapshot!(problems("targets: [{name: '${{ NAME }}', provider: cli}]"), @"
    targets.yaml:1:18 error: environment variable `NAME`, needed for `name`, is not set
      hint: set `NAME` in the environment or in a `.env` file
    ");
}

#[test]
fn a_targets_file_and_a_configuration_can_be_checked_by_themselves() {
    let project = Project::bare()
        .file(".agentv/targets.yaml", TARGETS)
        .file(".agentv/config.yaml", "guideline_patterns: x");
    let loaded = project.load(&[".agentv/targets.yaml", ".agentv/config.yaml"]);
    assert_eq!(loaded.files_checked, 2);
    assert!(loaded.suites.is_empty());
    assert_eq!(loaded.targets_files.len(), 1);
    assert_snapshot!(project.describe(&loaded), @"
    .agentv/config.yaml:1:21 error: `guideline_patterns` must be a list, not a string
    ");
}

#[test]
fn a_broken_targets_file_is_told_once_also_where_it_is_named_beside_its_suites() {
    let project = Project::bare()
        .file("targets.yaml", "targets: [{name: a, provider: x, name: b}]")
        .file("s.yaml", one_case(""));
    assert_snapshot!(project.problems(&["s.yaml", "targets.yaml"]), @"
    targets.yaml:1:34 error: key `name` stands twice in one map
      targets.yaml:1:12 first given here
    ");
    assert_eq!(
        project.problems(&["targets.yaml", "s.yaml"]),
        project.problems(&["s.yaml", "targets.yaml"])
    );
}

#[test]
fn a_misspelt_name_or_provider_is_told_also_of_a_target_that_nobody_asks() {
    assert_snapshot!(problems("targets:
  - {nmae: a, provider: cli, comand: x}
  - {name: b, provdier: cli}
"), @"
    targets.yaml:2:6 error: unknown key `nmae` in target
      hint: did you mean `name`?
    targets.yaml:3:15 error: unknown key `provdier` in target
      hint: did you mean `provider`?
    ");
}
