//! Model targets that are not right: nothing is sent, and no secret is shown.

use insta::assert_snapshot;

use super::with_targets;

/// What is said of a model target with these lines.
fn with_model(lines: &[&str]) -> String {
    with_targets(&format!("targets:\n  - name: agent\n    {}\n", lines.join("\n    ")))
}

#[test]
fn everything_wrong_with_a_model_is_told_at_its_place() {
    let said = with_model(&[
        "provider: openai",
        "modle: gpt-4.1",
        "temperature: warm",
        "base_url: https://host/v1/chat/completions",
        "extra_body: {stream: true}",
        "headers: {Content-Type: text/plain}",
        "output_schema: {type: array}",
    ]);
    assert_snapshot!(said, @"
    error: unknown key `modle` in target
     --> .agentv/targets.yaml:4:5
      |
    4 |     modle: gpt-4.1
      |     ^^^^^
      |
      = help: did you mean `model`?

    error: `temperature` must be a number, not a string
     --> .agentv/targets.yaml:5:18
      |
    5 |     temperature: warm
      |                  ^^^^

    error: `base_url` is only the part before `/chat/completions`
     --> .agentv/targets.yaml:6:15
      |
    6 |     base_url: https://host/v1/chat/completions
      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: leave `/chat/completions` out: AgentV adds it

    error: `stream` cannot be a part of `extra_body`: answers are read whole
     --> .agentv/targets.yaml:7:18
      |
    7 |     extra_body: {stream: true}
      |                  ^^^^^^

    error: header `content-type` is set by AgentV itself
     --> .agentv/targets.yaml:8:15
      |
    8 |     headers: {Content-Type: text/plain}
      |               ^^^^^^^^^^^^

    error: `output_schema` must describe an object
     --> .agentv/targets.yaml:9:20
      |
    9 |     output_schema: {type: array}
      |                    ^^^^^^^^^^^^^
      |
      = help: write `type: object` and `properties`: services hold answers to objects

    6 errors
    ");
}

#[test]
fn a_model_that_is_named_twice_is_told_with_both_places() {
    let said = with_model(&["provider: openai:gpt-4o", "model: gpt-4.1", "api_key: sk-1"]);
    assert_snapshot!(said, @"
    error: `provider` names the model `gpt-4o`, and `model` another
     --> .agentv/targets.yaml:4:12
      |
    4 |     model: gpt-4.1
      |            ^^^^^^^
      |
     ::: .agentv/targets.yaml:3:15
      |
    3 |     provider: openai:gpt-4o
      |               ------------- the first stands here
      |
      = help: keep one of the two

    1 error
    ");
}

#[test]
fn a_key_is_missing_where_the_vendor_itself_is_asked() {
    assert_snapshot!(with_model(&["provider: anthropic:claude-sonnet-4-5"]), @"
    error: target needs `api_key`
     --> .agentv/targets.yaml:2:5
      |
    2 |     - name: agent
      |  _____^
    3 | |     provider: anthropic:claude-sonnet-4-5
      | |_________________________________________^
      |
      = help: add `api_key: ${{ ANTHROPIC_API_KEY }}`

    1 error
    ");
}

#[test]
fn a_secret_in_an_address_is_refused_and_not_repeated() {
    let said = with_model(&["provider: openai:m", "base_url: ${{ MODEL_URL }}"]);
    assert!(said.contains("MODEL_URL"), "{said}");
    let said = with_targets(
        "targets:\n  - name: agent\n    provider: openai:m\n    base_url: https://u:sk-canary@h/v1\n",
    );
    // The line is the author's own; the message says nothing of it.
    let message = said.lines().next().unwrap();
    assert_eq!(message, "error: `base_url` has a name or a password in it");
}
