//! Variables in settings, and where their values come from.

use insta::assert_snapshot;

use crate::project::{Project, one_case};

/// The dataset of the only suite, which is `${{ NAME }}`.
fn dataset(project: &Project) -> String {
    let loaded = project.load(&["a/b/s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    loaded.suites[0].suite.cases[0].dataset.to_string()
}

fn project() -> Project {
    Project::new().file("a/b/s.yaml", format!("dataset: ${{{{ NAME }}}}\n{}", one_case("")))
}

#[test]
fn the_process_wins_then_the_nearest_dotenv_up_to_the_root_then_the_current_folder() {
    let far = project().file(".env", "NAME=root");
    assert_eq!(dataset(&far), "root");
    let nearer = far.file("a/.env", "NAME=middle");
    assert_eq!(dataset(&nearer), "middle");
    let nearest = nearer.file("a/b/.env", "NAME=near");
    assert_eq!(dataset(&nearest), "near");
    assert_eq!(dataset(&nearest.variable("NAME", "process")), "process");

    let elsewhere = project().file("c/.env", "NAME=current").current_dir("c");
    let suite = elsewhere.path("a/b/s.yaml");
    let loaded = elsewhere.load(&[suite.to_str().unwrap()]);
    assert_eq!(&*loaded.suites[0].suite.cases[0].dataset, "current");
}

#[test]
fn a_targets_file_has_the_variables_of_the_suite_that_uses_it() {
    let project = Project::bare()
        .file("targets.yaml", "targets: [{name: t, provider: x, url: '${{ URL }}'}]")
        .file("a/.env", "URL=one")
        .file("a/s.yaml", one_case(""))
        .file("b/.env", "URL=two")
        .file("b/s.yaml", one_case(""))
        .file("b/deep/s.yaml", one_case(""));
    let loaded = project.load(&["a", "b"]);
    assert_eq!(project.describe(&loaded), "");
    let urls = loaded.suites.iter().map(|suite| {
        let spec = suite.targets.as_ref().unwrap().named("t").unwrap();
        spec.node.get("url").unwrap().as_str().unwrap()
    });
    assert_eq!(urls.collect::<Vec<_>>(), ["one", "two", "two"]);
    assert_eq!(loaded.targets_files.len(), 2);
    // Three suites and one targets file.
    assert_eq!(loaded.files_checked, 4);
}

#[test]
fn variables_are_filled_in_in_settings_and_never_in_texts() {
    let project = Project::new().variable("V", "filled").file(
        "s.yaml",
        "target: t-${{ V }}
evalcases:
  - id: ${{ V }}
    expected_outcome: ${{ V }}
    input_messages: [{role: user, content: '${{ V }} ${{ NONE }}'}]
    expected_messages: [{role: assistant, content: '${{ V }}'}]
    evaluators:
      - {type: code_judge, script: 'run ${{ V }}', cwd: '${{ V }}', config: {deep: ['${{ V }}']}}
      - {type: contains, value: '${{ NONE }}', prompt: '${{ NONE }}'}
      - {contains: '${{ NONE }}', name: '${{ V }}'}
      - {contains: '${{ NONE }}', metric: '${{ V }}', negate: '${{ V }}', minScore: '${{ V }}'}
      - contains:${{ NONE }}
      - type: composite
        name: ${{ V }}
        assert:
          - {contains: '${{ NONE }}', name: '${{ V }}'}
          - contains:${{ NONE }}
          - {type: composite, evaluators: [{type: code_judge, script: '${{ V }}', prompt: '${{ NONE }}'}]}
        aggregator: {type: llm_judge, prompt: '${{ NONE }}', cwd: '${{ V }}'}
",
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let case = &loaded.suites[0].suite.cases[0];
    let graders: Vec<String> = case.graders.iter().map(|node| node.to_json().to_string()).collect();
    assert_snapshot!(format!(
        "{}\n{}\n{}\n{}\n{:?}\n{}",
        case.targets[0].name,
        case.id(),
        case.input.question(),
        case.reference_answer(),
        case.expected_outcome,
        graders.join("\n"),
    ), @r#"
    t-filled
    ${{ V }}
    ${{ V }} ${{ NONE }}
    ${{ V }}
    Some("${{ V }}")
    {"type":"code_judge","script":"run filled","cwd":"filled","config":{"deep":["filled"]}}
    {"type":"contains","value":"${{ NONE }}","prompt":"${{ NONE }}"}
    {"contains":"${{ NONE }}","name":"filled"}
    {"contains":"${{ NONE }}","metric":"filled","negate":"filled","minScore":"filled"}
    "contains:${{ NONE }}"
    {"type":"composite","name":"filled","assert":[{"contains":"${{ NONE }}","name":"filled"},"contains:${{ NONE }}",{"type":"composite","evaluators":[{"type":"code_judge","script":"filled","prompt":"${{ NONE }}"}]}],"aggregator":{"type":"llm_judge","prompt":"${{ NONE }}","cwd":"filled"}}
    "#);
}

#[test]
fn an_unset_or_blank_variable_of_a_suite_is_an_error_at_its_place() {
    let project = Project::new()
        .variable("BLANK", "")
        .variable("MODELS", "x")
        .file(".agentv/config.yaml", "guideline_patterns: ['${{ GUIDE }}/*.md']")
        .file(
            "s.yaml",
            format!("target: ${{{{ MODEL }}}}\ndataset: a-${{{{ BLANK }}}}\n{}", one_case(
                "    evaluators: [{type: x, cwd: '${{ lower }}'}, {type: y, script: '${{ a b }}'}]\n"
            )),
        );
    assert_snapshot!(project.problems(&["s.yaml"]), @"
    s.yaml:1:9 error: environment variable `MODEL`, needed for `target`, is not set
      hint: did you mean `MODELS`?
    s.yaml:2:10 error: environment variable `BLANK`, needed for `dataset`, is blank
      hint: set `BLANK` in the environment or in a `.env` file
    s.yaml:6:33 error: environment variable `lower`, needed for `cwd`, is not set
      hint: set `lower` in the environment or in a `.env` file
    s.yaml:6:68 error: `${{ a b }}` in `script` is no reference to a variable
      hint: write `${{ NAME }}`; a name has letters, digits and `_`
    .agentv/config.yaml:1:22 error: environment variable `GUIDE`, needed for `guideline_patterns`, is not set
      hint: set `GUIDE` in the environment or in a `.env` file
    ");
}

#[test]
fn a_broken_line_of_a_dotenv_is_told_without_its_value() {
    let project = project().file(".env", "NAME=x\nsk-topsecret\nTOKEN='sk-open\n");
    let loaded = project.load(&["a/b/s.yaml"]);
    assert_snapshot!(project.describe(&loaded), @"
    .env:2:1 error: expected `NAME=value`
    .env:3:1 error: this quote is never closed
    ");
    let source = loaded.problems.iter().next().unwrap().span.unwrap().source;
    let shown = &loaded.sources.get(source).unwrap().text;
    assert!(!shown.contains("sk-"), "{shown}");
}

#[test]
fn values_of_secret_variables_are_known_to_the_redactor() {
    let project = Project::new().file(".env", "API_KEY=sk-from-file\nPLAIN=plain-value").file(
        "s.yaml",
        one_case("    evaluators: [{type: x, script: 'run ${{ API_KEY }} ${{ PLAIN }}'}]"),
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    assert_eq!(loaded.redactor.redact("sk-from-file plain-value"), "*** plain-value");
}
