//! Where placeholders may stand, and where not. Running what is accepted in a real shell is done
//! in `tests/template.rs`.

use super::*;

fn parse(template: &str) -> Result<CommandTemplate, Vec<TemplateFault>> {
    CommandTemplate::parse(template, None)
}

fn faults(template: &str) -> Vec<String> {
    match parse(template) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.message).collect(),
    }
}

#[test]
fn a_value_becomes_one_word_whatever_it_holds() {
    let template = parse("tool {PROMPT} --id={EVAL_ID} -n {ATTEMPT} {GUIDELINES}").unwrap();
    let values =
        TemplateValues { prompt: "it's $(x)\n", eval_id: "a b", attempt: 2, ..Default::default() };
    assert_eq!(template.render(&values), "tool 'it'\\''s $(x)\n' --id='a b' -n 2 ''");
}

#[test]
fn files_go_through_their_format_and_an_empty_list_is_nothing() {
    let template = CommandTemplate::parse("tool {FILES}", Some("--file={path} # {{x}}"));
    assert!(template.is_err(), "a comment would swallow the rest");
    let template =
        CommandTemplate::parse("tool {FILES} end", Some("-f {path}:{basename}")).unwrap();
    let files = ["/a b/c".to_owned(), "/d".to_owned()];
    let values = TemplateValues { files: &files, ..Default::default() };
    assert_eq!(template.render(&values), "tool -f '/a b/c':'c' -f '/d':'d' end");
    assert_eq!(template.render(&TemplateValues::default()), "tool  end");
}

#[test]
fn braces_of_the_shell_are_left_alone_and_doubled_ones_are_text() {
    for (template, rendered) in [
        (
            "echo ${HOME} ${PROMPT} {a,b} {1..3} '{\"a\":1}'",
            "echo ${HOME} ${PROMPT} {a,b} {1..3} '{\"a\":1}'",
        ),
        ("echo {{PROMPT}} '{{NR}}' \"{{X}}\"", "echo {PROMPT} '{NR}' \"{X}\""),
        ("{ echo {ATTEMPT}; }", "{ echo 0; }"),
    ] {
        assert_eq!(parse(template).unwrap().render(&TemplateValues::default()), rendered);
    }
}

#[test]
fn an_unknown_placeholder_names_the_nearest_and_the_way_to_write_it_as_text() {
    let fault = &parse("tool {PROMTP}").unwrap_err()[0];
    assert_eq!(fault.message, "unknown placeholder `{PROMTP}`");
    assert_eq!(
        fault.hint.as_deref(),
        Some("did you mean `{PROMPT}`? (`{{PROMTP}}` gives a literal `{PROMTP}`)")
    );
    assert_eq!(fault.range, 5..13);
    let fault = &CommandTemplate::parse("tool", Some("{file}")).unwrap_err()[0];
    assert_eq!(
        (fault.text, fault.message.as_str()),
        (TemplateText::FilesFormat, "unknown placeholder `{file}`")
    );
}

#[test]
fn all_faults_of_both_texts_are_told_at_once() {
    let faults =
        CommandTemplate::parse("a '{PROMPT}' \"{EVAL_ID}\"", Some("'{path}'")).unwrap_err();
    assert_eq!(faults.len(), 3);
    assert_eq!(self::faults("tool {PROMTP} '{PROMPT}'").len(), 2);
}

#[test]
fn quotes_are_refused_with_the_form_that_works() {
    for (template, right) in [
        ("tool \"{PROMPT}\"", "{PROMPT}"),
        ("tool '{PROMPT}'", "{PROMPT}"),
        ("tool \"--x={PROMPT} y\"", "\"--x=\"{PROMPT}\" y\""),
        ("tool \"a\\\"{PROMPT}\"", "\"a\\\"\"{PROMPT}"),
    ] {
        let faults = parse(template).unwrap_err();
        assert!(faults[0].message.contains("inside quotes"), "{template}");
        let hint = format!("values are quoted for you: write {right}");
        assert_eq!(faults[0].hint.as_deref(), Some(hint.as_str()), "{template}");
    }
}

#[test]
fn places_where_quoting_does_not_hold_are_refused() {
    for (template, words) in [
        ("tool `cat {PROMPT}`", "inside backticks"),
        ("tool \"`cat {PROMPT}`\"", "inside backticks"),
        ("tool \\{PROMPT}", "after a backslash"),
        ("tool # about {PROMPT}", "inside a comment"),
        ("tool\n# {PROMPT}\ntool", "inside a comment"),
        ("cat <<EOF\n{PROMPT}\nEOF\n", "inside a here-document"),
        ("cat <<-'EOF'\n\t{PROMPT}\n\tEOF\n", "inside a here-document"),
        ("cat <<{PROMPT}\nx\n", "inside a here-document"),
        ("echo ${X:-{PROMPT}}", "inside `${…}`"),
        ("echo \"${X:-\"{PROMPT}\"}\"", "inside quotes"),
        ("echo $((1 + {ATTEMPT}))", "inside arithmetic"),
        ("((x = {ATTEMPT}))", "inside arithmetic"),
        ("tool $'{PROMPT}'", "inside quotes"),
        ("tool \"$(echo \"{PROMPT}\")\"", "inside quotes"),
    ] {
        let found = faults(template);
        assert_eq!(found.len(), 1, "{template}: {found:?}");
        assert!(found[0].contains(words), "{template}: {found:?}");
    }
}

#[test]
fn a_value_is_never_the_program() {
    for template in [
        "{PROMPT}",
        "{FILES}P=",
        "{PROMPT}P=1 tool",
        "P{PROMPT}=1 tool",
        "x; {PROMPT}",
        "x | {PROMPT}",
        "x && {PROMPT}",
        "x & {PROMPT}",
        "x\n{PROMPT}",
        "({PROMPT})",
        "$({PROMPT})",
        "\"$({PROMPT})\"",
        "! {PROMPT}",
        "if {PROMPT}; then x; fi",
        "while x; do {PROMPT}; done",
        "A=1 {PROMPT}",
        "> out {PROMPT}",
        "> {FILES} tool",
        ">{FILES}",
        "./{PROMPT}",
        "{PROMPT}x",
        "exec {PROMPT}",
        "env A=1 {PROMPT}",
        "env -u B {PROMPT}",
        "timeout 5 {PROMPT}",
        "sudo -u me {PROMPT}",
        "nice -n 5 {PROMPT}",
        "xargs -n 1 {PROMPT}",
        "$(cat {PROMPT_FILE}) x",
        "env -S {PROMPT}",
        "nohup env timeout 3s {PROMPT}",
        "case x in x) {PROMPT};; esac",
        "f() { {PROMPT}; }",
    ] {
        let found = faults(template);
        assert!(
            found.iter().any(|fault| fault.contains("the program that is run")),
            "{template}: {found:?}"
        );
    }
}

#[test]
fn a_value_is_never_code() {
    for template in [
        "eval {PROMPT}",
        "eval \"$(cat {PROMPT_FILE})\"",
        "trap {PROMPT} EXIT",
        "sh -c {PROMPT}",
        "bash -lc {PROMPT}",
        "/bin/bash -e -c \"$(cat {PROMPT_FILE})\"",
        "sh -c{PROMPT}",
        "sh {PROMPT_FILE}",
        ". {PROMPT_FILE}",
        "source {PROMPT}",
        "python3 -c {PROMPT}",
        "perl -we {PROMPT}",
        "node -e {PROMPT}",
        "awk {PROMPT} file",
        "docker exec box sh -c {PROMPT}",
        "find . -exec sh -c {PROMPT} x",
        "ssh host {PROMPT}",
        "env A=1 sh -c {PROMPT}",
        "$SHELL -c {PROMPT}",
        "[[ -v {PROMPT} ]]",
        "let x={PROMPT}",
        "test -v {PROMPT}",
        "su me -c {PROMPT}",
        "sh < {PROMPT_FILE}",
        "su -c {PROMPT}",
        "printf -v {PROMPT} x",
    ] {
        let found = faults(template);
        assert!(found.iter().any(|fault| fault.contains("as code")), "{template}: {found:?}");
    }
    for template in [
        "cat {PROMPT_FILE} | sh",
        "printf %s {PROMPT} | bash -s",
        "cat {PROMPT_FILE} | sh -s -- x",
        "cat {PROMPT_FILE} | python3",
        "cat {PROMPT_FILE} | python3 -",
    ] {
        assert_eq!(
            faults(template),
            ["a program that reads code from its input could run a value"],
            "{template}"
        );
    }
}

#[test]
fn options_of_interpreters_do_not_hide_code() {
    for template in [
        "bash -o pipefail -c {PROMPT}",
        "bash -euo pipefail -c {PROMPT}",
        "bash --rcfile x -c {PROMPT}",
        "bash -c -- {PROMPT}",
        "python3.11 -c {PROMPT}",
        "python3 -W ignore -c {PROMPT}",
        "python3 -X utf8 {PROMPT_FILE}",
        "node -r fs -e {PROMPT}",
        "node --eval={PROMPT}",
        "node --eval {PROMPT}",
        "perl -I lib -e {PROMPT}",
        "flock x -c {PROMPT}",
        "script -qc {PROMPT} /dev/null",
        "watch {PROMPT}",
        "node < {PROMPT_FILE}",
        "sh /dev/stdin < {PROMPT_FILE}",
    ] {
        let found = faults(template);
        assert!(found.iter().any(|fault| fault.contains("as code")), "{template}: {found:?}");
    }
}

#[test]
fn a_value_kept_in_a_variable_is_still_a_value() {
    for (template, words) in [
        ("P={PROMPT}; eval \"$P\"", "`eval` would run `$P` as code"),
        ("P={PROMPT}; sh -c \"$P\"", "`sh` would run `$P` as code"),
        ("P={PROMPT}; $P", "`$P` would be the program"),
        ("x=$(cat {PROMPT_FILE}); $x", "`$x` would be the program"),
        ("Q={PROMPT}; P=\"$Q\"; eval ${P}", "`eval` would run `${P}` as code"),
        ("set -- {PROMPT}; eval \"$1\"", "`eval` would run `$1` as code"),
        ("for f in {FILES}; do \"$f\"; done", "`$f` would be the program"),
        ("read x < {PROMPT_FILE}; eval \"$x\"", "`eval` would run `$x` as code"),
        ("eval \"$(echo \"$AGENTV_EVAL_ID\")\"", "would run `$AGENTV_EVAL_ID` as code"),
        (". \"$AGENTV_PROMPT_FILE\"", "would run `$AGENTV_PROMPT_FILE` as code"),
        ("P={PROMPT}; echo $((P))", "inside arithmetic"),
        ("xy={PROMPT} let xy", "would be evaluated"),
        ("read x {PROMPT}", "`read` would run `{PROMPT}` as code"),
        ("P={FILES}", "`{FILES}` would be the program that is run"),
        ("P={FILES} tool", "`{FILES}` would be the program that is run"),
        ("unset {EVAL_ID}", "`unset` would run `{EVAL_ID}` as code"),
        ("x=1 mapfile \"$AGENTV_EVAL_ID\"", "`mapfile` would run `$AGENTV_EVAL_ID` as code"),
        ("xy={PROMPT}; [[ xy -eq 1 ]]", "would be evaluated"),
        ("tool >& {PROMPT}", "would run `{PROMPT}` as code"),
        ("PATH={PROMPT} tool", "the value of `PATH`, which decides what is run"),
        ("BASH_ENV={PROMPT_FILE} bash x.sh", "the value of `BASH_ENV`"),
    ] {
        let found = faults(template);
        assert!(found.iter().any(|fault| fault.contains(words)), "{template}: {found:?}");
    }
}

#[test]
fn what_people_write_is_accepted() {
    for template in [
        "tool {PROMPT}",
        "echo {PROMPT} > {OUTPUT_FILE}",
        "cat < {PROMPT_FILE} >> {OUTPUT_FILE} 2>&1",
        "tool --prompt={PROMPT} --files {FILES} | jq . > {OUTPUT_FILE}",
        "P={PROMPT} tool \"$P\"",
        "sh agent.sh {PROMPT}",
        "bash -eu ./agent.sh {PROMPT} {OUTPUT_FILE}",
        "python3 agent.py {PROMPT}",
        "python3 -m agent {PROMPT}",
        "node --no-warnings agent.js {PROMPT}",
        "env A=1 B=2 sh agent.sh {PROMPT}",
        "timeout 5 tool {PROMPT}",
        "sudo -u me tool {PROMPT}",
        "tool \"$(cat {PROMPT_FILE})\"",
        "cd dir && ./tool {PROMPT}; echo done",
        "(cd dir; tool {PROMPT})",
        "{ tool {PROMPT}; } > {OUTPUT_FILE}",
        "if [ -s {PROMPT_FILE} ]; then tool {PROMPT_FILE}; else exit 3; fi",
        "for f in {FILES}; do cat \"$f\"; done",
        "case {EVAL_ID} in a*) tool {PROMPT};; *) other;; esac",
        "tool <<< {PROMPT}",
        "diff <(echo {PROMPT}) x",
        "sh -c 'tool \"$1\"' sh {PROMPT}",
        "sed -n 's/a/b/p' {BATCH_FILE} > {OUTPUT_FILE}",
        "awk '{print $1}' {PROMPT_FILE}",
        "awk -v p={PROMPT} 'BEGIN {print p}'",
        "jq -n --arg t {PROMPT} '{text: $t}'",
        "printf '%s' {PROMPT}",
        "while IFS= read -r line; do echo \"$line\"; done < {BATCH_FILE}",
        "echo \"it's\" {PROMPT} 'say \"x\"'",
        "cat <<EOF > x\ntext\nEOF\ntool {PROMPT}",
        "echo a#b {PROMPT}",
        "x=$(tool {PROMPT}) && echo \"$x\"",
        "echo \\\n {PROMPT}",
        "tool ${X:-'a b'} {PROMPT}",
        "tool {PROMPT} # the end",
        "sh < agent.sh > {OUTPUT_FILE}",
        "npx tool {PROMPT}",
        "cargo run -- {PROMPT}",
        "docker run --rm image {PROMPT}",
        "set -euo pipefail; bash -o pipefail agent.sh {PROMPT}",
        "P={PROMPT}; tool \"$P\" && echo \"${P}\" | wc -c",
        "python3 -W ignore agent.py {PROMPT}",
        "ask-about python {PROMPT}",
        "cat {PROMPT_FILE} | python3 agent.py > {OUTPUT_FILE}",
        "python3 -m agent < {PROMPT_FILE}",
        "python3 agent.py -c {PROMPT}",
        "\"$TOOL\" {PROMPT}",
        "awk -f x.awk {PROMPT_FILE}",
        "python3 -c 'import sys; print(sys.argv[1])' {PROMPT}",
        "sh -c 'cat \"$1\"' sh \"$AGENTV_PROMPT_FILE\"",
        "while read -r id; do tool \"$id\"; done < {BATCH_FILE}",
    ] {
        assert_eq!(faults(template), Vec::<String>::new(), "{template}");
    }
}

#[test]
fn what_no_shell_could_read_is_refused() {
    for template in [
        "tool 'x",
        "tool \"x",
        "tool `x",
        "tool $(x",
        "tool ${x",
        "(tool",
        "cat <<EOF\nx",
        "tool $((1",
        "$(cat <<EOF)",
        "tool $'a\\'b' {PROMPT}",
        "\"$(case x in a) echo \"{PROMPT}\";; esac)\"",
        "${x:-'}'} {PROMPT}",
    ] {
        assert!(!faults(template).is_empty(), "{template}");
    }
}

#[test]
fn mentions_tells_what_the_command_uses() {
    let template = parse("tool {PROMPT} ${OUTPUT_FILE} {{BATCH_FILE}}").unwrap();
    assert!(template.mentions(Placeholder::Prompt));
    assert!(!template.mentions(Placeholder::OutputFile));
    assert!(!template.mentions(Placeholder::BatchFile));
}

#[test]
fn what_follows_a_variable_that_may_be_empty_may_be_the_program() {
    for refused in [
        "$TOOL {PROMPT}",
        "${TOOL:-} $MORE {PROMPT}",
        "$(which tool) {FILES}",
        "$TOOL env {PROMPT}",
        "x; X=1 $TOOL {EVAL_ID}",
        "$TOOL$MORE {PROMPT}",
    ] {
        let found = faults(refused);
        assert!(
            found.iter().any(|it| it.contains("variable before it is empty")),
            "{refused}: {found:?}"
        );
    }
    for accepted in [
        "\"$TOOL\" {PROMPT}",
        "\"$TOOL\"$MORE {PROMPT}",
        "$TOOL run {PROMPT}",
        "$TOOL -- {PROMPT}",
        "$FOLDER/tool {PROMPT}",
        "tool $MORE {PROMPT}",
        "$TOOL",
    ] {
        assert_eq!(faults(accepted), [""; 0], "{accepted}");
    }
}
