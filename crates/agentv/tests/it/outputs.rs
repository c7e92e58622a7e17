//! What a run gives besides its record: `--out`, `--dump-…`, progress, colour, the summary.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use agentv_testkit::Project;
use serde_json::Value;

use crate::project::{lines, project, rows};

fn read(project: &Project, path: &str) -> String {
    fs::read_to_string(project.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json_files(project: &Project, folder: &str) -> Vec<(PathBuf, Value)> {
    let mut files: Vec<(PathBuf, Value)> = fs::read_dir(project.path(folder))
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .map(|entry| {
            let path = entry.unwrap().path();
            let content = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            (path, content)
        })
        .collect();
    files.sort_by_key(|(_, content)| content["eval_id"].as_str().unwrap().to_owned());
    files
}

/// Three cases; the later ones are done before the earlier ones.
fn finishing_in_reverse() -> Project {
    let agent = "case $1 in first) after=second;; second) after=third;; *) after=;; esac\ntries=0\n\
                 until [ -z \"$after\" ] || grep -q \"done-$after\" .agentv/results/*/results.jsonl; do\n\
                 tries=$((tries + 1)); [ $tries -lt 3000 ] || exit 9; sleep 0.01\ndone\n\
                 echo \"ok done-$1\"\n";
    project("sh agent.sh {EVAL_ID}", &["workers: 3"], &["first", "second", "third"])
        .file("agent.sh", agent)
}

fn ids(rows: &str) -> Vec<String> {
    lines(rows).iter().map(|row| row["eval_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn out_files_are_in_the_order_of_the_suite_whatever_was_done_first() {
    let project = finishing_in_reverse();
    let run =
        project.run(&["eval", "suite.yaml", "--out", "rows.jsonl", "--out", "deep/rows.yaml"]);
    assert_eq!(run.code, Some(2), "a folder that is not there is told at once: {}", run.seen());
    assert!(project.runs().is_empty());
    let run = project.run(&["eval", "suite.yaml", "--out", "rows.jsonl", "--out", "rows.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(ids(&project.rows_text()), ["third", "second", "first"]);
    assert_eq!(ids(&read(&project, "rows.jsonl")), ["first", "second", "third"]);
    let yaml = read(&project, "rows.yaml");
    let at = |id: &str| yaml.find(&format!("eval_id: {id}")).unwrap_or_else(|| panic!("{yaml}"));
    assert!(at("first") < at("second") && at("second") < at("third"), "{yaml}");
    let mut out = lines(&read(&project, "rows.jsonl"));
    out.sort_by_key(|row| row["eval_id"].as_str().unwrap().to_owned());
    assert_eq!(out, rows(&project), "the same rows as in the record");
}

#[test]
fn an_out_file_replaces_what_was_there() {
    let project = project("echo ok", &[], &["a"]).file("rows.jsonl", "old\n".repeat(1000));
    let file = project.path("rows.jsonl");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let run = project.run(&["eval", "suite.yaml", "--out", "rows.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(ids(&read(&project, "rows.jsonl")), ["a"]);
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn the_ending_picks_the_format_and_a_flag_overrides_it() {
    let project = project("echo ok", &[], &["a"]);
    let args = ["eval", "suite.yaml", "--out", "rows.txt", "--output-format", "jsonl"];
    assert_eq!(project.run(&args).code, Some(0));
    assert_eq!(ids(&read(&project, "rows.txt")), ["a"]);
    let args = ["eval", "suite.yaml", "--out", "rows.jsonl", "--output-format", "yaml"];
    assert_eq!(project.run(&args).code, Some(0));
    assert!(read(&project, "rows.jsonl").contains("eval_id: a"));

    let before = project.runs().len();
    for (args, words) in [
        (&["--out", "rows.txt"][..], "jsonl"),
        (&["--out", "rows"], "jsonl"),
        (&["--out", "rows.txt", "--output-format", "yam"], "did you mean `yaml`?"),
    ] {
        let run = project.run(&[&["eval", "suite.yaml"], args].concat());
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(words), "{}", run.seen());
    }
    assert_eq!(project.runs().len(), before, "nothing was run");
}

const TRACED: &str = r#"echo '{"text":"ok","output_messages":[{"role":"assistant","content":"ok","tool_calls":[{"tool":"look"}]}],"trace":[{"type":"tool_call","name":"look"}]}'"#;
/// Ids that would leave the folder, or be one file, if they were used as names.
const ODD_IDS: [&str; 4] = ["../../escape", "a/b", "a:b", ".."];

#[test]
fn prompts_are_dumped_one_file_a_case_and_never_outside_their_folder() {
    for (flag, folder) in [
        (&["--dump-prompts"][..], ".agentv/prompts"),
        (&["--dump-prompts", "asked"], "asked"),
        (&["--dump-prompts=asked/deep"], "asked/deep"),
    ] {
        let project = project(TRACED, &[], &ODD_IDS);
        let run = project.run(&[&["eval", "suite.yaml"], flag].concat());
        assert_eq!(run.code, Some(0), "{}", run.seen());
        let files = json_files(&project, folder);
        assert_eq!(files.len(), 4, "{flag:?}");
        for ((_, dumped), id) in files.iter().zip(["..", "../../escape", "a/b", "a:b"]) {
            assert_eq!(dumped["eval_id"], id);
            assert_eq!(dumped["target"], "agent");
            assert_eq!(dumped["question"], id);
            assert_eq!(dumped["input_messages"][0]["content"], id);
        }
        assert!(
            fs::read_dir(project.path("..")).unwrap().all(|entry| {
                !entry.unwrap().file_name().to_string_lossy().starts_with("escape")
            })
        );
    }
}

#[test]
fn traces_are_dumped_one_file_an_answer() {
    for (flag, folder) in [
        (&["--dump-traces"][..], ".agentv/traces"),
        (&["--dump-traces", "seen"], "seen"),
        (&["--dump-traces=seen/deep"], "seen/deep"),
    ] {
        let command = format!("[ {{EVAL_ID}} = broken ] && exit 3\n{TRACED}");
        let project = project(&command, &[], &["../../escape", "a/b", "broken"]);
        let run = project.run(&[&["eval", "suite.yaml"], flag].concat());
        assert_eq!(run.code, Some(3), "{}", run.seen());
        let files = json_files(&project, folder);
        assert_eq!(files.len(), 2, "{flag:?}: there is no trace of what was not answered");
        for (_, dumped) in &files {
            assert_eq!(dumped["trace"][0]["name"], "look");
            assert_eq!(dumped["output_messages"][0]["tool_calls"][0]["tool"], "look");
            assert_eq!(dumped["trace_summary"]["toolNames"][0], "look");
        }
        let row = &rows(&project)[0];
        assert!(row.get("trace").is_none(), "the rows stay small");
    }
}

#[test]
fn a_suite_that_was_taken_for_a_folder_is_given_back() {
    let project = project("echo ok", &[], &["a"]);
    for args in [
        &["eval", "suite.yaml", "--dump-prompts", "other.yaml"][..],
        &["eval", "--dump-traces", "suite.yaml"],
    ] {
        let run = project.run(args);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains("put suites before this flag"), "{}", run.seen());
    }
    assert!(project.runs().is_empty());
}

#[test]
fn a_dump_that_cannot_be_written_is_told_before_anything_is_run() {
    for flag in ["--dump-prompts=in-the-way/deep", "--dump-traces=in-the-way"] {
        let project = project("touch started; echo ok", &[], &["a"]).file("in-the-way", "");
        let run = project.run(&["eval", "suite.yaml", flag]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains("in-the-way"), "{}", run.seen());
        assert!(!project.path("started").exists() && project.runs().is_empty());
    }
}

/// Two cases, of which one passes.
fn two_cases() -> Project {
    let command = "case {EVAL_ID} in a) echo ok;; *) echo no;; esac";
    project(command, &["workers: 1"], &["a", "b"])
}

#[test]
fn progress_is_one_line_a_case_where_there_is_no_terminal() {
    for flags in [&[][..], &["--progress", "plain"], &["--progress", "auto"]] {
        let run = two_cases().run(&[&["eval", "suite.yaml"], flags].concat());
        // Cases are graded side by side, and told as they settle.
        let mut said: Vec<&str> = run.stderr.lines().collect();
        said.sort_unstable();
        assert_eq!(said.len(), 2, "{}", run.seen());
        assert!(said[0].starts_with("FAIL 0.00 b (agent)"), "{}", run.seen());
        assert!(said[0].ends_with("`ok`"), "the reason is said: {}", run.seen());
        assert!(said[1].starts_with("PASS 1.00 a (agent)"), "{}", run.seen());
    }
}

#[test]
fn quiet_runs_say_only_how_they_went() {
    for flags in [&["-q"][..], &["--quiet"], &["--progress", "none"]] {
        let run = two_cases().run(&[&["eval", "suite.yaml"], flags].concat());
        assert_eq!(run.code, Some(1));
        assert_eq!(run.stderr, "", "{flags:?}");
        assert!(run.stdout.starts_with("2 cases: ✓ 1 passed, ✗ 1 failed, ! 0 errors\n"));
    }
}

#[test]
fn a_talkative_run_says_which_commands_it_runs() {
    let run = two_cases().run(&["eval", "suite.yaml", "--verbose"]);
    assert!(run.stderr.contains("agent: running `case 'a' in"), "{}", run.seen());
    assert!(run.stderr.contains("PASS 1.00 a"), "{}", run.seen());
}

#[test]
fn colour_is_used_only_where_it_is_wanted() {
    let colored = |flags: &[&str], env: &[(&str, &str)]| {
        let mut project = two_cases();
        for (name, value) in env {
            project = project.env(name, value);
        }
        let run = project.run(&[&["eval", "suite.yaml"], flags].concat());
        (run.stdout.contains('\u{1b}'), run.stderr.contains('\u{1b}'))
    };
    assert_eq!(colored(&[], &[]), (false, false), "there is no terminal");
    assert_eq!(colored(&["--color", "always"], &[]), (true, true));
    assert_eq!(colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]), (false, false));
    assert_eq!(colored(&[], &[("CLICOLOR_FORCE", "1")]), (true, true));
    let both = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    assert_eq!(colored(&[], &both), (false, false), "NO_COLOR wins");
    assert_eq!(colored(&["--color", "always"], &[("NO_COLOR", "1")]), (true, true));
}

#[test]
fn the_summary_says_what_failed_and_where_it_stands() {
    let command = "case {EVAL_ID} in a) echo ok;; b) echo no;; *) echo boom >&2; exit 5;; esac";
    let project = project(command, &[], &["a", "b", "c"]);
    let run = project.run(&["eval", "suite.yaml", "-q"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(?m)^ +[0-9.]+m?s [abc] \(agent\)\n", "");
    settings.bind(|| insta::assert_snapshot!(run.seen()));
}
