//! `agentv validate --format …`: the same problems, for people and for programs.

use std::time::{Duration, Instant};

use agentv_testkit::{Project, Run};
use insta::assert_snapshot;
use serde_json::Value;

use crate::project::{empty, project, suite, targets};

const FORMATS: [&str; 4] = ["text", "json", "sarif", "github"];
/// A suite whose path has what URIs and workflow commands must escape.
const SUITE: &str = "evals/a, 100%.yaml";

/// Two errors and a warning over two files; the places of the suite stand behind `ü` and `ß`.
fn flawed() -> Project {
    let graders = "[{name: grüße, type: contains, value: 3.10}, {name: ß, type: containz}]";
    let case = "{id: a, input_messages: [{role: user, content: hi}]}";
    let target = targets("echo ok", &["workers: 2", "workers: 3"]);
    empty()
        .file(".agentv/targets.yaml", target)
        .file(SUITE, format!("evaluators: {graders}\nevalcases: [{case}]\n"))
}

fn validated(project: &Project, format: &str) -> Run {
    project.run(&["validate", "evals", "--format", format])
}

/// What a program is given: nothing but that, on standard output.
fn told(run: &Run, code: i32) -> &str {
    assert_eq!((run.code, run.stderr.as_str()), (Some(code), ""), "{}", run.seen());
    &run.stdout
}

fn parsed(run: &Run, code: i32) -> Value {
    serde_json::from_str(told(run, code)).unwrap()
}

#[test]
fn text_is_for_people_and_goes_to_standard_error() {
    let run = validated(&flawed(), "text");
    assert_snapshot!(run.seen(), @"
    exit: 2
    --- stdout
    --- stderr
    warning: this number is looked for as `3.1`
     --> evals/a, 100%.yaml:1:51
      |
    1 | evaluators: [{name: grüße, type: contains, value: 3.10}, {name: ß, type: containz}]
      |                                                   ^^^^
      |
      = help: put it in quotes to look for it as it is written

    error: unknown grader type `containz`
     --> evals/a, 100%.yaml:1:74
      |
    1 | evaluators: [{name: grüße, type: contains, value: 3.10}, {name: ß, type: containz}]
      |                                                                          ^^^^^^^^
      |
      = help: did you mean `contains`?

    error: key `workers` stands twice in one map
     --> .agentv/targets.yaml:5:5
      |
    5 |     workers: 3
      |     ^^^^^^^ given again here
      |
     ::: .agentv/targets.yaml:4:5
      |
    4 |     workers: 2
      |     ------- first given here

    2 errors, 1 warning
    ");
    assert_eq!(run.seen(), flawed().run(&["validate", "evals"]).seen());
}

#[test]
fn json_has_every_problem_with_its_place() {
    assert_snapshot!(told(&validated(&flawed(), "json"), 2));
}

#[test]
fn sarif_has_every_problem_with_its_place() {
    let run = validated(&flawed(), "sarif");
    assert_sarif(&parsed(&run, 2));
    assert_snapshot!(run.stdout.replace(env!("CARGO_PKG_VERSION"), "[VERSION]"));
}

#[test]
fn github_has_a_command_for_every_problem() {
    assert_snapshot!(told(&validated(&flawed(), "github"), 2), @"
    ::warning file=evals/a%2C 100%25.yaml,line=1,col=51,endLine=1,endColumn=55,title=agentv (rewritten-number)::this number is looked for as `3.1`%0Ahelp: put it in quotes to look for it as it is written
    ::error file=evals/a%2C 100%25.yaml,line=1,col=74,endLine=1,endColumn=82,title=agentv (unknown-grader)::unknown grader type `containz`%0Ahelp: did you mean `contains`?
    ::error file=.agentv/targets.yaml,line=5,col=5,endLine=5,endColumn=12,title=agentv (duplicate-key)::key `workers` stands twice in one map%0Agiven again here%0Anote: first given here (.agentv/targets.yaml:4:5)
    ");
}

#[test]
fn the_flag_has_a_second_name_and_names_its_formats() {
    let run = flawed().run(&["validate", "evals", "--output-format", "github"]);
    assert_eq!(run.stdout, validated(&flawed(), "github").stdout);
    let run = validated(&flawed(), "xml");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("[possible values: text, json, sarif, github]"), "{}", run.stderr);
}

#[test]
fn a_problem_without_a_place_is_told_in_every_format() {
    let project = project("echo ok", &[], &["a"]);
    let told_as = |format| {
        let run = project.run(&["validate", "suite.yaml", "siute.yaml", "--format", format]);
        told(&run, 2).to_owned()
    };
    assert_snapshot!(told_as("json"), @r#"
    {
      "valid": false,
      "counts": {
        "errors": 1,
        "warnings": 0,
        "files": 2,
        "suites": 1,
        "cases": 1,
        "targets": 1
      },
      "problems": [
        {
          "severity": "error",
          "code": "missing-file",
          "message": "no such file or directory: `siute.yaml`",
          "file": null,
          "line": null,
          "column": null,
          "end_line": null,
          "end_column": null,
          "hint": "did you mean `suite.yaml`?",
          "notes": []
        }
      ]
    }
    "#);
    assert_snapshot!(told_as("github"), @"::error title=agentv (missing-file)::no such file or directory: `siute.yaml`%0Ahelp: did you mean `suite.yaml`?");
    let sarif: Value = serde_json::from_str(&told_as("sarif")).unwrap();
    assert_sarif(&sarif);
    // Code scanning refuses results without a location.
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert_snapshot!(format!("{:#}", sarif["runs"][0]["invocations"]), @r#"
    [
      {
        "executionSuccessful": false,
        "toolConfigurationNotifications": [
          {
            "descriptor": {
              "id": "missing-file"
            },
            "level": "error",
            "message": {
              "text": "no such file or directory: `siute.yaml`\nhelp: did you mean `suite.yaml`?"
            }
          }
        ]
      }
    ]
    "#);
}

#[test]
fn no_problem_at_all_is_told_as_well() {
    let project = project("echo ok", &[], &["a"]);
    let run = |format| project.run(&["validate", "suite.yaml", "--format", format]);
    assert_snapshot!(told(&run("text"), 0), @"2 file(s) are valid: 1 case(s) in 1 suite(s), 1 target(s)");
    assert_snapshot!(told(&run("json"), 0), @r#"
    {
      "valid": true,
      "counts": {
        "errors": 0,
        "warnings": 0,
        "files": 2,
        "suites": 1,
        "cases": 1,
        "targets": 1
      },
      "problems": []
    }
    "#);
    assert_eq!(told(&run("github"), 0), "");
    let sarif = parsed(&run("sarif"), 0);
    assert_sarif(&sarif);
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn warnings_alone_are_no_reason_to_fail_in_any_format() {
    let project = empty().file("evals/a.yaml", suite(&["a"]));
    for format in FORMATS {
        let run = validated(&project, format);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert!(run.seen().contains("no targets file was found"), "{}", run.seen());
    }
}

#[test]
fn a_range_over_several_lines_has_no_columns_on_github() {
    let target = "targets:\n  - name: a\n    provider: cli\n";
    let project = empty().file("evals/a.yaml", suite(&["a"])).file("targets.yaml", target);
    let run = validated(&project, "github");
    assert!(told(&run, 2).starts_with("::error file=targets.yaml,line=2,endLine=3,title="));
}

#[test]
fn a_piece_of_a_long_text_is_pointed_to_in_every_format() {
    let command = "my-agent --größe 1 {PROMPT}\n  --model {MODLE} {MODLE}";
    let project = project(command, &[], &["a"]);
    let run = |format| project.run(&["validate", "suite.yaml", "--format", format]);
    let json = parsed(&run("json"), 2);
    let sarif = parsed(&run("sarif"), 2);
    for (position, column) in [(0, 17), (1, 25)] {
        let problem = &json["problems"][position];
        assert_eq!((&problem["line"], &problem["column"]), (&6.into(), &column.into()), "{json}");
        assert_eq!(problem["end_column"], column + 7);
        let region = &sarif["runs"][0]["results"][position]["locations"][0]["physicalLocation"];
        assert_eq!(region["region"]["startColumn"], column);
    }
    let text = run("text").stderr;
    assert!(text.contains(":6:17\n") && text.contains(":6:25\n"), "{text}");
}

#[test]
fn services_see_paths_from_the_root_of_the_repository() {
    let project = flawed();
    let run = |format| project.run_in("evals", &["validate", ".", "--format", format]);
    let file = |json: &Value| json["problems"][0]["file"].as_str().unwrap().to_owned();
    assert_eq!(file(&parsed(&run("json"), 2)), "a, 100%.yaml");
    assert!(told(&run("github"), 2).contains(" file=evals/a%2C 100%25.yaml,line=1,"));
    assert!(told(&run("sarif"), 2).contains(r#""uri": "evals/a%2C%20100%25.yaml""#));
}

#[test]
fn a_secret_that_came_into_a_message_is_hidden_wherever_problems_are_told() {
    const SECRET: &str = "sk-Live-0123456789";
    for setting in ["healthcheck: {url: '${{ API_KEY }}'}", "on_batch_failure: ${{ API_KEY }}"] {
        let project = project("echo ok", &[setting], &["a"]).env("API_KEY", SECRET);
        let mut commands: Vec<Vec<&str>> = FORMATS
            .iter()
            .map(|format| vec!["validate", "suite.yaml", "--format", format])
            .collect();
        commands.push(vec!["eval", "suite.yaml"]);
        commands.push(vec!["invoke", "suite.yaml", "--target", "agent"]);
        for command in commands {
            let seen = project.run(&command).seen();
            assert!(seen.starts_with("exit: 2"), "{seen}");
            assert!(!seen.to_lowercase().contains("live"), "{seen}");
            assert!(seen.contains("`***`"), "{seen}");
        }
        let text = project.run(&["validate", "suite.yaml"]).stderr;
        assert!(text.contains(setting), "the author's own line is shown as it is: {text}");
    }
}

#[test]
fn a_secret_is_hidden_also_where_a_name_is_read_without_its_case() {
    let text = targets("echo ok", &[]).replace("provider: cli", "provider: ' ${{ API_KEY }}'");
    let project = empty().file("evals/a.yaml", suite(&["a"])).file("targets.yaml", text);
    let seen = validated(&project.env("API_KEY", "SK-Live-0123 "), "json").seen();
    assert!(seen.contains("unknown provider ` ***`"), "{seen}");
    assert!(!seen.to_lowercase().contains("live"), "{seen}");
}

#[test]
fn fifty_thousand_problems_are_all_told_and_soon() {
    const MANY: usize = 50_000;
    // One line, so that columns are far from its start, and a target of its own for each case.
    let cases: Vec<String> = (0..MANY)
        .map(|n| format!("{{id: c{n}, execution: {{target: t{n}}}, input_messages: [{{role: user, content: x}}]}}"))
        .collect();
    let text = format!(
        "{{evaluators: [{{type: contains, value: ok}}], evalcases: [{}]}}",
        cases.join(", ")
    );
    let project = project("echo ok", &[], &[]).file("suite.yaml", text);
    let start = Instant::now();
    let run = project.run(&["validate", "suite.yaml", "--format", "json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout.matches(" does not exist in ").count(), MANY);
    // Looking through all others, or through the file from its start, for each takes minutes.
    let took = start.elapsed();
    assert!(took < Duration::from_secs(30), "it took {took:?}");
}

/// What SARIF 2.1.0 and code scanning require.
fn assert_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "agentv");
    assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let ids = |list: &Value| -> Vec<String> {
        let rules = list.as_array().unwrap().iter();
        rules
            .inspect(|rule| assert!(rule["shortDescription"]["text"].is_string(), "{rule}"))
            .map(|rule| rule["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let (rules, notifications) = (ids(&driver["rules"]), ids(&driver["notifications"]));
    for result in run["results"].as_array().unwrap() {
        assert!(rules.contains(&result["ruleId"].as_str().unwrap().to_owned()), "{result}");
        assert_said(result);
        let related = result.get("relatedLocations").and_then(Value::as_array);
        let own = result["locations"].as_array().unwrap();
        assert_eq!(own.len(), 1);
        for location in own.iter().chain(related.into_iter().flatten()) {
            let place = &location["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.starts_with('/') && !uri.contains([' ', '\\']), "{uri}");
            for key in ["startLine", "startColumn", "endLine", "endColumn"] {
                assert!(place["region"][key].as_u64().unwrap() >= 1, "{location}");
            }
        }
    }
    let invocation = &run["invocations"][0];
    assert!(invocation["executionSuccessful"].is_boolean());
    for told in invocation["toolConfigurationNotifications"].as_array().unwrap() {
        let id = told["descriptor"]["id"].as_str().unwrap().to_owned();
        assert!(notifications.contains(&id), "{told}");
        assert_said(told);
    }
}

fn assert_said(told: &Value) {
    assert!(["error", "warning"].contains(&told["level"].as_str().unwrap()), "{told}");
    assert!(!told["message"]["text"].as_str().unwrap().is_empty(), "{told}");
}
