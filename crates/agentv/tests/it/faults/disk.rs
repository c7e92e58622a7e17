//! A disk that is full: what is recorded stays valid, the rest is said to be missing, and when
//! there is room again the run goes on.

use std::{
    fs,
    process::{Command, Stdio},
};

use agentv_testkit::Project;
use serde_json::Value;

use crate::project::project;

/// Rows of a few KiB each, so that a small disk holds some of them.
const COMMAND: &str = "echo ok; head -c 3000 /dev/zero | tr '\\0' x";

const CASES: usize = 40;

fn ids() -> Vec<String> {
    (0..CASES).map(|number| format!("case-{number}")).collect()
}

fn roomless_project() -> Project {
    let ids = ids();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    project(COMMAND, &["workers: 2"], &ids)
}

/// Runs a script in the project as `run` does the binary, which is `$0` there.
fn script(project: &Project, before: &[&str], text: &str) -> (String, String) {
    let binary = project.command(&[]);
    let mut command = Command::new(before.first().unwrap_or(&"sh"));
    command.args(before.get(1..).unwrap_or_default());
    command.args(if before.is_empty() { vec!["-c"] } else { vec!["sh", "-c"] });
    command.arg(text).arg(binary.get_program());
    command.current_dir(project.path("")).env_clear();
    for (name, value) in binary.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn whole_rows(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "a row is torn");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_file_that_may_not_grow_ends_the_run_and_tears_no_row() {
    ends_and_goes_on(&roomless_project());
}

/// A run whose rows may not grow beyond a limit, and then may.
fn ends_and_goes_on(project: &Project) {
    // In blocks of 512 bytes: about eight rows.
    let (stdout, stderr) =
        script(project, &[], "ulimit -f 60; \"$0\" eval suite.yaml --progress none; echo code $?");
    assert!(stdout.ends_with("code 3\n"), "{stdout}{stderr}");
    assert!(stderr.contains("cannot write a row to"), "{stdout}{stderr}");
    let kept = whole_rows(&project.rows_text());
    assert!(!kept.is_empty() && kept.len() < CASES, "{}", kept.len());
    assert!(kept.iter().all(|row| row["status"] == "passed"));
    project.assert_nothing_is_left();

    let run = project.run(&["eval", "--resume"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let rows = project.rows_text();
    assert_eq!(whole_rows(&rows).len(), CASES);
    let first: Vec<&str> = rows.lines().take(kept.len()).collect();
    let before: Vec<Value> = first.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(before, kept, "rows from before are not touched");
}

/// A small disk of our own, where the system lets anybody have one.
const SMALL_DISK: [&str; 2] = ["unshare", "-Urm"];

const FULL_DISK: &str = "mkdir -p .agentv/results
mount -t tmpfs -o size=64k tmpfs .agentv/results || { echo no disk; exit; }
\"$0\" eval suite.yaml --progress none; echo code $?
mkdir full; cp -R .agentv/results/. full
mount -o remount,size=16m .agentv/results
\"$0\" eval --resume --progress none; echo code $?
mkdir roomy; cp -R .agentv/results/. roomy";

/// The rows of the only run in a folder.
fn rows_in(project: &Project, folder: &str) -> Vec<Value> {
    let mut runs = fs::read_dir(project.path(folder)).unwrap().map(|entry| entry.unwrap().path());
    let run = runs.find(|path| path.join("run.json").exists()).expect("a run with its manifest");
    let manifest = fs::read_to_string(run.join("run.json")).unwrap();
    let _: Value = serde_json::from_str(&manifest).expect("a whole manifest");
    whole_rows(&fs::read_to_string(run.join("results.jsonl")).unwrap())
}

#[test]
fn a_full_disk_ends_the_run_and_room_lets_it_go_on() {
    let project = roomless_project();
    let (stdout, stderr) = script(&project, &SMALL_DISK, FULL_DISK);
    if stdout.is_empty() || stdout.contains("no disk") {
        // Nobody may mount here. The same fault, by a limit that any system has, and visibly so.
        eprintln!("no disk of our own ({}): a limit of the file instead", stderr.trim());
        return ends_and_goes_on(&project);
    }
    assert!(stdout.contains("code 3\n"), "{stdout}{stderr}");
    assert!(stderr.contains("No space left on device"), "{stdout}{stderr}");
    let kept = rows_in(&project, "full");
    assert!(!kept.is_empty() && kept.len() < CASES, "{}", kept.len());
    assert!(stdout.ends_with("code 0\n"), "{stdout}{stderr}");
    assert_eq!(rows_in(&project, "roomy").len(), CASES);
    project.assert_nothing_is_left();
}
