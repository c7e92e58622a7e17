//! Files that are made, or happen, to do harm: they are read or refused with their reason, in
//! bounded memory and without a hang. Every run has a limit of 2 GiB, far more than any of them
//! needs; how long each takes is not looked at, but each would take hours or end in an abort
//! where a step of the loader grew with the square of its input, or went into the depth of it.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    process::Command,
};

use agentv_testkit::{Project, Run};
use insta::assert_snapshot;

use crate::project::{suite, targets};

const MEMORY_MIB: u64 = 2048;

/// A project with a sound targets file and this suite.
fn with_suite(text: impl AsRef<[u8]>) -> Project {
    with_targets().file("x.yaml", text)
}

fn with_targets() -> Project {
    crate::project::empty().file(".agentv/targets.yaml", targets("echo ok", &[]))
}

fn validate(project: &Project) -> Run {
    project.run_within(MEMORY_MIB, &["validate", "x.yaml"])
}

/// What is said of a file that is refused.
fn refused(project: &Project) -> String {
    let run = validate(project);
    assert_eq!(run.code, Some(2), "{}", shortened(&run.seen()));
    assert_eq!(run.stdout, "");
    run.stderr
}

/// What is said of a file that is large and in order.
fn accepted(project: &Project) -> String {
    let run = validate(project);
    assert_eq!(run.code, Some(0), "{}", shortened(&run.seen()));
    assert_eq!(run.stderr, "");
    run.stdout
}

/// Lines of at most this many characters: of a long one its start.
fn shortened(text: &str) -> String {
    let lines = text.lines().take(40).map(|line| line.chars().take(120).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

/// A list of ten, ten times in a list, ten times in a list …
fn laughs() -> String {
    let mut text = String::from("x-0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..12 {
        let below = format!("*l{}, ", level - 1).repeat(10);
        text.push_str(&format!("x-{level}: &l{level} [{below}]\n"));
    }
    text
}

#[test]
fn aliases_that_explode_are_refused() {
    assert_snapshot!(refused(&with_suite(laughs() + &suite(&["a"]))), @"
    error: the aliases of this file stand for more than 10000000 values
     --> x.yaml:7:46
      |
    7 | x-6: &l6 [*l5, *l5, *l5, *l5, *l5, *l5, *l5, *l5, *l5, *l5, ]
      |                                              ^^^

    1 error
    ");
}

#[test]
fn aliases_in_a_message_that_explode_are_refused() {
    let mut text = String::from("x-0: &l0 {a: lol, b: lol}\n");
    for level in 1..40 {
        let below = level - 1;
        text.push_str(&format!("x-{level}: &l{level} {{a: *l{below}, b: *l{below}}}\n"));
    }
    let message = "evalcases: [{id: a, input_messages: [{role: user, content: *l39}]}]\n";
    assert_snapshot!(refused(&with_suite(text + message)), @"
    error: the aliases of this file stand for more than 10000000 values
      --> x.yaml:22:16
       |
    22 | x-21: &l21 {a: *l20, b: *l20}
       |                ^^^^

    1 error
    ");
}

#[test]
fn merged_keys_that_explode_are_refused() {
    let keys: Vec<String> = (0..10_000).map(|key| format!("k{key}: 0")).collect();
    let many = "{<<: *b}, ".repeat(1_100);
    let text = format!("x-b: &b {{{}}}\nx-m: [{many}]\n{}", keys.join(", "), suite(&["a"]));
    assert_snapshot!(shortened(&refused(&with_suite(text))), @"
    error: the aliases of this file stand for more than 10000000 values
     --> x.yaml:2:10002
      |
    2 | ...<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<: *b}, {<<:
      |                                                                    ^^

    1 error
    ");
}

#[test]
fn an_alias_inside_what_it_names_is_refused() {
    let text = format!("x-a: &a [1, {{b: *a}}]\n{}", suite(&["a"]));
    assert_snapshot!(refused(&with_suite(text)), @"
    error: this alias stands inside what it names
     --> x.yaml:1:17
      |
    1 | x-a: &a [1, {b: *a}]
      |                 ^^

    1 error
    ");
}

#[test]
fn ten_thousand_levels_of_brackets_are_refused() {
    let text = format!("evalcases: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    assert_snapshot!(shortened(&refused(&with_suite(text))), @"
    error: not valid YAML: nested more than 255 levels deep
     --> x.yaml:1:267
      |
    1 | ...[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
      |                                                                    ^
      |
      = help: no file of ours needs more than a dozen

    1 error
    ");
}

#[test]
fn ten_thousand_levels_of_indentation_are_refused() {
    let mut text = String::from("evalcases:\n");
    for level in 1..10_000 {
        text.push_str(&" ".repeat(level));
        text.push_str("a:\n");
    }
    assert_snapshot!(shortened(&refused(&with_suite(text))), @"
    error: not valid YAML: nested more than 255 levels deep
       --> x.yaml:256:256
        |
    256 | ...                   a:
        |                       ^
        |
        = help: no file of ours needs more than a dozen

    1 error
    ");
}

#[test]
fn ten_thousand_dashes_are_refused() {
    let text = format!("evalcases:\n  {}x\n", "- ".repeat(10_000));
    assert_snapshot!(shortened(&refused(&with_suite(text))), @"
    error: not valid YAML: nested more than 255 levels deep
     --> x.yaml:2:511
      |
    2 | ...- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
      |                                                                    ^
      |
      = help: no file of ours needs more than a dozen

    1 error
    ");
}

#[test]
fn a_sparse_file_of_a_gigabyte_is_refused_unread() {
    let project = with_targets();
    File::create(project.path("x.yaml")).unwrap().set_len(1 << 30).unwrap();
    assert_snapshot!(refused(&project), @"
    error: `x.yaml` cannot be read: it is larger than 256 MiB
     |
     = help: split it into several files

    1 error
    ");
}

#[test]
fn a_sparse_file_below_the_limit_is_no_text() {
    let project = with_targets();
    File::create(project.path("x.yaml")).unwrap().set_len(200 << 20).unwrap();
    assert_snapshot!(refused(&project), @"
    error: `x.yaml` cannot be read: a NUL byte at byte 0 (line 1)
     --> x.yaml:1:1
      |
    1 | ␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀␀
      | ^
      |
      = help: save the file as UTF-8 text

    1 error
    ");
}

#[test]
fn a_nul_byte_is_refused_at_its_place() {
    assert_snapshot!(refused(&with_suite("evalcases:\n  - id: \"a\0b\"\n")), @r#"
    error: `x.yaml` cannot be read: a NUL byte at byte 21 (line 2)
     --> x.yaml:2:11
      |
    2 |   - id: "a␀b"
      |           ^
      |
      = help: save the file as UTF-8 text

    1 error
    "#);
}

#[test]
fn bytes_of_another_encoding_are_refused_at_their_place() {
    assert_snapshot!(refused(&with_suite(b"evalcases:\n  - id: Z\xfcrich\n")), @"
    error: `x.yaml` cannot be read: a byte that is not UTF-8 at byte 20 (line 2)
     --> x.yaml:2:10
      |
    2 |   - id: Z�rich
      |          ^
      |
      = help: save the file as UTF-8 text

    1 error
    ");
}

#[test]
fn utf_16_is_called_by_its_name() {
    let text: Vec<u8> =
        format!("\u{feff}{}", suite(&["a"])).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_snapshot!(refused(&with_suite(text)), @"
    error: `x.yaml` cannot be read: UTF-16 instead of UTF-8 at byte 0 (line 1)
     --> x.yaml:1:1
      |
    1 | ��e␀v␀a␀l␀u␀a␀t␀o␀r␀s␀:␀
      | ^
      |
      = help: save the file as UTF-8 text

    1 error
    ");
}

#[test]
fn a_line_of_fifty_megabytes_is_read() {
    let text = suite(&["a"]).replace("content: \"a\"", &format!("content: {}", long_line(50)));
    assert_snapshot!(accepted(&with_suite(text)), @"2 file(s) are valid: 1 case(s) in 1 suite(s), 1 target(s)");
}

#[test]
fn of_a_very_long_line_with_a_mistake_little_is_shown() {
    let text = format!("{}nonsense: [{}\n", suite(&["a"]), long_line(10));
    let said = refused(&with_suite(text));
    assert!(said.len() < 2_000, "{} bytes were said", said.len());
    assert_snapshot!(shortened(&said), @"
    error: not valid YAML: `[` is never closed
     --> x.yaml:9:11
      |
    9 | nonsense: [word word word word word word word word word word word word word word word word word word word word word 
      |           ^

    1 error
    ");
}

fn long_line(megabytes: usize) -> String {
    "word ".repeat(megabytes * 200_000).trim_end().to_owned()
}

#[test]
fn a_million_keys_in_one_map_are_read() {
    let mut text = suite(&["a"]) + "metadata:\n";
    for key in 0..1_000_000 {
        text.push_str(&format!("  key{key}: 1\n"));
    }
    assert_snapshot!(accepted(&with_suite(text)), @"2 file(s) are valid: 1 case(s) in 1 suite(s), 1 target(s)");
}

#[test]
fn a_scalar_of_ten_megabytes_is_read() {
    let lines = "          A line of text that says nothing of interest.\n".repeat(180_000);
    let text = suite(&["a"]).replace("content: \"a\"", &format!("content: |\n{lines}"));
    assert_snapshot!(accepted(&with_suite(text)), @"2 file(s) are valid: 1 case(s) in 1 suite(s), 1 target(s)");
}

#[test]
fn a_key_of_ten_megabytes_is_unknown_like_any_other() {
    let text = format!("{}? \"{}\"\n: 1\n", suite(&["a"]), "evalcases".repeat(1_200_000));
    let said = refused(&with_suite(text));
    assert!(said.starts_with("error: unknown key `evalcasesevalcases"), "{}", shortened(&said));
}

#[test]
fn of_a_hundred_thousand_problems_the_first_are_shown_and_all_are_counted() {
    let case = "    input_messages: [{role: usr, content: x}]\n";
    let mut text = String::from("evaluators: [{type: contains, value: x}]\nevalcases:\n");
    for number in 0..100_000 {
        text.push_str(&format!("  - id: case{number}\n{case}"));
    }
    let said = refused(&with_suite(text));
    let shown = said.matches("error: unknown role `usr`").count();
    let end: Vec<&str> = said.lines().rev().take(3).collect();
    assert_eq!((shown, end), (100, vec!["100000 errors", "", "… and 99900 more"]));
}

#[test]
fn thirty_thousand_targets_that_do_not_exist_are_told() {
    let mut text = String::from("evaluators: [{type: contains, value: x}]\nevalcases:\n");
    for number in 0..30_000 {
        text.push_str(&format!(
            "  - id: case{number}\n    execution: {{target: t{number}}}\n    \
             input_messages: [{{role: user, content: x}}]\n"
        ));
    }
    let said = refused(&with_suite(text));
    assert!(said.ends_with("30000 errors\n"), "{}", shortened(&said));
}

#[test]
fn thirty_thousand_targets_are_read() {
    let mut text = String::from("targets:\n");
    for number in 0..30_000 {
        text.push_str(&format!("  - {{name: t{number}, provider: cli, command: echo}}\n"));
    }
    let project = crate::project::empty().file("x.yaml", text);
    assert_snapshot!(accepted(&project), @"1 file(s) are valid: 0 case(s) in 0 suite(s), 30000 target(s)");
}

#[test]
fn a_pipe_is_refused_without_waiting_for_its_writer() {
    let project = with_targets();
    let made = Command::new("mkfifo").arg(project.path("x.yaml")).status().unwrap();
    assert!(made.success());
    assert_snapshot!(refused(&project), @"
    error: `x.yaml` cannot be read: it is a pipe or a device, not a file

    1 error
    ");
}

#[test]
fn a_device_without_an_end_is_refused() {
    let project = with_targets();
    symlink("/dev/zero", project.path("x.yaml")).unwrap();
    assert_snapshot!(refused(&project), @"
    error: `x.yaml` cannot be read: it is a pipe or a device, not a file

    1 error
    ");
}

#[test]
fn a_folder_with_the_name_of_a_suite_is_searched() {
    let project = with_targets();
    fs::create_dir(project.path("x.yaml")).unwrap();
    assert_snapshot!(refused(&project), @"
    error: no .yaml or .yml file in the directory `x.yaml`
     |
     = help: hidden folders, `node_modules` and `target` are not searched

    1 error
    ");
}

#[test]
fn links_that_lead_to_each_other_are_refused() {
    let project = with_targets();
    symlink("y.yaml", project.path("x.yaml")).unwrap();
    symlink("x.yaml", project.path("y.yaml")).unwrap();
    assert_snapshot!(refused(&project), @"
    error: `x.yaml` is a link that leads nowhere: Too many levels of symbolic links (os error 40)

    1 error
    ");
}

#[test]
fn a_link_that_leads_to_itself_below_a_searched_folder_is_told() {
    let project = with_targets().file("evals/a.yaml", suite(&["a"]));
    symlink("x.yaml", project.path("evals/x.yaml")).unwrap();
    let run = project.run_within(MEMORY_MIB, &["validate", "evals"]);
    assert_snapshot!(run.seen(), @"
    exit: 2
    --- stdout
    --- stderr
    error: cannot search: IO error for operation on [PROJECT]/evals/x.yaml: Too many levels of symbolic links (os error 40)

    1 error
    ");
}

#[test]
fn a_file_that_the_system_does_not_give_out_is_refused_with_its_reason() {
    // Also the superuser cannot read the memory of a process that maps nothing at address 0.
    let project = with_targets();
    symlink("/proc/self/mem", project.path("x.yaml")).unwrap();
    if cfg!(target_os = "linux") {
        assert_snapshot!(refused(&project), @"
        error: `x.yaml` cannot be read: Input/output error (os error 5)

        1 error
        ");
    }
}
