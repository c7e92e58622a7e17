//! Messages and the files they refer to.

use insta::assert_snapshot;

use crate::project::Project;

fn suite(messages: &str) -> String {
    format!("evalcases:\n  - id: one\n    input_messages:\n{messages}")
}

fn problems(messages: &str) -> String {
    Project::new().file("s.yaml", suite(messages)).problems(&["s.yaml"])
}

#[test]
fn content_may_be_a_text_a_list_of_blocks_or_a_map() {
    let project = Project::new().file(
        "s.yaml",
        suite(
            "      - {role: system, content: be brief, note: mine}
      - role: user
        content:
          - plain
          - {type: text, value: block}
          - {type: image, url: x.png}
          - {type: json, value: also said}
      - {role: assistant, name: bot, content: {a: [1]}}
      - {role: tool, toolCalls: [{tool: t, input: {q: 1}, output: ok, durationMs: 5}]}
    expected_messages:
      - {role: assistant, content: [x]}
",
        ),
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let case = &loaded.suites[0].suite.cases[0];
    assert_snapshot!(case.input.question(), @r#"
    @[System]:
    be brief

    @[User]:
    plain
    block
    also said

    @[Assistant]:
    {
      "a": [
        1
      ]
    }
    "#);
    assert_snapshot!(format!("{:#}", case.input.messages.to_json()), @r#"
    [
      {
        "role": "system",
        "content": "be brief"
      },
      {
        "role": "user",
        "content": [
          "plain",
          {
            "type": "text",
            "value": "block"
          },
          {
            "type": "image",
            "url": "x.png"
          },
          {
            "type": "json",
            "value": "also said"
          }
        ]
      },
      {
        "role": "assistant",
        "name": "bot",
        "content": {
          "a": [
            1
          ]
        }
      },
      {
        "role": "tool",
        "tool_calls": [
          {
            "tool": "t",
            "input": {
              "q": 1
            },
            "output": "ok",
            "duration_ms": 5
          }
        ]
      }
    ]
    "#);
    assert_eq!(case.reference_answer(), "[\n  \"x\"\n]");
}

#[test]
fn what_a_target_sees_has_nothing_of_what_is_expected() {
    let project = Project::new().file(
        "s.yaml",
        suite(
            "      - {role: user, content: hi, note: SECRET, x-hint: SECRET, description: SECRET}
    expected_outcome: SECRET
    expected_messages: [{role: assistant, content: SECRET}]
    evaluators: [{type: contains, value: SECRET}]
    metadata: {answer: SECRET}
",
        ),
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let case = &loaded.suites[0].suite.cases[0];
    assert!(!format!("{:?}", case.input).contains("SECRET"));
}

#[test]
fn the_last_expected_message_is_the_reference_answer() {
    let reference = |expected: &str| {
        let project = Project::new().file(
            "s.yaml",
            suite(&format!(
                "      - {{role: user, content: hi}}\n    expected_messages: {expected}\n"
            )),
        );
        let loaded = project.load(&["s.yaml"]);
        assert_eq!(project.describe(&loaded), "");
        loaded.suites[0].suite.cases[0].reference_answer()
    };
    assert_eq!(reference("[{role: user, content: a}, {role: assistant, content: ' b '}]"), " b ");
    assert_eq!(reference("[{role: assistant, content: {a: 1}}]"), "{\n  \"a\": 1\n}");
    assert_eq!(
        reference("[{role: assistant, tool_calls: [{tool: t}]}]"),
        "[\n  {\n    \"tool\": \"t\"\n  }\n]"
    );
    assert_eq!(reference("[]"), "");
    assert_eq!(reference(""), "");
}

#[test]
fn messages_that_are_not_right_are_told() {
    assert_snapshot!(problems(
        "      - {role: usr, content: x}
      - {role: judge, content: x}
      - {content: x}
      - {role: 1, content: x}
      - {role: user}
      - {role: user, content: }
      - {role: user, content: 5}
      - {role: user, content: [5, {type: text}, {type: text, value: 1}, {type: flie, value: a.md}]}
      - {role: user, content: x, name: 5, tool_calls: x}
      - {role: user, tool_calls: [{}, x, {tool: ' '}, {tool: t, id: 1, timestamp: 2, duration_ms: x}]}
      - text
"), @"
    s.yaml:4:16 error: unknown role `usr`
      hint: did you mean `user`? known: system, user, assistant, tool
    s.yaml:5:16 error: unknown role `judge`
      hint: known: system, user, assistant, tool
    s.yaml:6:9 error: message needs `role`
      hint: add `role: …`
    s.yaml:7:16 error: `role` must be a string, not a number
    s.yaml:8:9 error: a message needs `content` or `tool_calls`
      hint: add `content: …`
    s.yaml:9:22 error: a message needs `content` or `tool_calls`
      hint: add `content: …`
    s.yaml:10:31 error: `content` must be a string, a list or a map, not a number
      hint: put it into quotes
    s.yaml:11:32 error: a block of `content` must be a string or a map, not a number
    s.yaml:11:35 error: block needs `value`
      hint: add `value: …`
    s.yaml:11:69 error: `value` must be a string, not a number
    s.yaml:11:80 error: unknown type of block `flie`
      hint: did you mean `file`?
    s.yaml:12:40 error: `name` must be a string, not a number
    s.yaml:12:55 error: `tool_calls` must be a list, not a string
    s.yaml:13:35 error: tool call needs `tool`
      hint: add `tool: …`
    s.yaml:13:39 error: tool call must be a map, not a string
    s.yaml:13:49 error: `tool` of tool call is blank
    s.yaml:13:69 error: `id` must be a string, not a number
    s.yaml:13:83 error: `timestamp` must be a string, not a number
    s.yaml:13:99 error: `duration_ms` must be a number, not a string
    s.yaml:14:9 error: message must be a map, not a string
    ");
}

#[test]
fn attached_files_are_found_upwards_and_their_text_is_carried_along() {
    let project = Project::new()
        .file("evals/deep/near.md", "near\r\n")
        .file("evals/middle.md", "middle")
        .file("far.md", "far")
        .file("evals/far.md", "nearer")
        .file("src/rules.instructions.md", " rules\r\nhere ")
        .file(
            "evals/deep/s.yaml",
            suite(
                "      - role: user
        content:
          - look
          - {type: file, value: near.md}
          - {type: file, value: /middle.md}
          - {type: file, value: far.md}
          - {type: file, value: src/rules.instructions.md}
          - {type: file, value: near.md}
    expected_messages:
      - {role: assistant, content: [{type: file, value: middle.md}]}
",
            ),
        );
    let loaded = project.load(&["evals"]);
    assert_eq!(project.describe(&loaded), "");
    let case = &loaded.suites[0].suite.cases[0];
    assert_snapshot!(case.input.question(), @r#"
    look

    <file path="near.md">
    near
    </file>

    <file path="middle.md">
    middle
    </file>

    <file path="far.md">
    nearer
    </file>

    <file path="near.md">
    near
    </file>
    "#);
    assert_snapshot!(case.input.guidelines().unwrap(), @r#"
    <file path="rules.instructions.md">
    rules
    here
    </file>
    "#);
    assert_eq!(
        case.input.files,
        ["evals/deep/near.md", "evals/middle.md", "evals/far.md"].map(|path| project.path(path))
    );
    assert_eq!(case.input.guideline_files, [project.path("src/rules.instructions.md")]);
    let block = &case.input.messages.to_json()[0]["content"][1];
    assert_eq!(block["path"], project.path("evals/deep/near.md").to_str().unwrap());
    assert_eq!(block["text"], "near\n");
    assert_eq!(block["value"], "near.md");
    assert_eq!(case.expected_messages.to_json()[0]["content"][0]["text"], "middle");
}

#[test]
fn an_absolute_file_is_taken_as_it_is() {
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(elsewhere.path(), "outside").unwrap();
    let path = elsewhere.path().display();
    let project = Project::new().file(
        "s.yaml",
        suite(&format!("      - {{role: user, content: [{{type: file, value: '{path}'}}]}}")),
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let question = loaded.suites[0].suite.cases[0].input.question();
    assert!(question.contains("\noutside\n"), "{question}");
}

#[test]
fn the_configuration_says_what_a_guideline_is() {
    let project = Project::new()
        .file(".agentv/config.yaml", "guideline_patterns: ['docs/*.md']")
        .file("docs/rules.md", "rules")
        .file("a.prompt.md", "question")
        .file("s.yaml", suite(
            "      - {role: user, content: [{type: file, value: docs/rules.md}, {type: file, value: a.prompt.md}]}",
        ));
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    assert_eq!(loaded.files_checked, 3);
    let input = &loaded.suites[0].suite.cases[0].input;
    assert_snapshot!(input.question(), @r#"
    <file path="a.prompt.md">
    question
    </file>
    "#);
    assert_snapshot!(input.guidelines().unwrap(), @r#"
    <file path="rules.md">
    rules
    </file>
    "#);
}

#[test]
fn a_broken_configuration_is_told_once_for_all_suites() {
    let project = Project::new()
        .file(".agentv/config.yaml", "guideline_pattern: []")
        .file("a/s.yaml", suite("      []"))
        .file("b/s.yaml", suite("      []"));
    assert_snapshot!(project.problems(&["a", "b"]), @"
    .agentv/config.yaml:1:1 error: unknown key `guideline_pattern` in config
      hint: did you mean `guideline_patterns`?
    ");
}

#[test]
fn a_file_that_cannot_be_attached_is_an_error_at_its_place() {
    let project =
        Project::new().file("evals/binary.md", b"\xff\xfe").file("evals/folder/x.md", "").file(
            "evals/s.yaml",
            suite(
                "      - role: user
        content:
          - {type: file, value: missing.md}
          - {type: file, value: binary.md}
          - {type: file, value: folder}
",
            ),
        );
    assert_snapshot!(project.problems(&["evals/s.yaml"]), @"
    evals/s.yaml:6:33 error: file `missing.md` was not found
      hint: looked in `evals`, `.`
    evals/s.yaml:7:33 error: file `binary.md` cannot be read: UTF-16 instead of UTF-8 at byte 0 (line 1)
      hint: save the file as UTF-8 text
    evals/s.yaml:8:33 error: file `folder` was not found
      hint: looked in `evals`, `.`
    ");
}
