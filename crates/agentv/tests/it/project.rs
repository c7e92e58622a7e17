//! Projects that many tests begin with.

use std::fs;

use agentv_testkit::Project;
use serde_json::Value;

pub fn empty() -> Project {
    Project::new(env!("CARGO_BIN_EXE_agentv"))
}

/// A target called `agent` with this command, and these further lines of settings.
pub fn targets(command: &str, settings: &[&str]) -> String {
    let mut text = String::from("targets:\n  - name: agent\n    provider: cli\n");
    for line in settings {
        text.push_str(&format!("    {line}\n"));
    }
    // A block scalar, so that no character of the command needs quoting for YAML.
    text.push_str("    command_template: |-\n");
    for line in command.lines() {
        text.push_str(&format!("      {line}\n"));
    }
    text
}

/// A suite of cases with these ids, graded by whether the answer contains `ok`.
pub fn suite(ids: &[&str]) -> String {
    let mut text = String::from("evaluators:\n  - type: contains\n    value: ok\nevalcases:\n");
    for id in ids {
        let id = serde_json::to_string(id).unwrap();
        text.push_str(&format!(
            "  - id: {id}\n    input_messages:\n      - role: user\n        content: {id}\n"
        ));
    }
    text
}

/// A project with one target and one suite, `suite.yaml`.
pub fn project(command: &str, settings: &[&str], ids: &[&str]) -> Project {
    empty().file(".agentv/targets.yaml", targets(command, settings)).file("suite.yaml", suite(ids))
}

/// The same, where the target answers in batches.
pub fn batch_project(command: &str, settings: &[&str], ids: &[&str]) -> Project {
    let mut all = vec!["provider_batching: true"];
    all.extend(settings);
    project(command, &all, ids)
}

/// The rows of the newest run, by id.
pub fn rows(project: &Project) -> Vec<Value> {
    let mut rows: Vec<Value> =
        project.rows_text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    rows.sort_by_key(|row| row["eval_id"].as_str().unwrap().to_owned());
    rows
}

/// The `run.json` of the newest run.
pub fn manifest(project: &Project) -> Value {
    let text = fs::read_to_string(project.newest_run().join("run.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// How many rows are on disk by now; every line of them is whole.
pub fn rows_so_far(project: &Project) -> usize {
    let Some(run) = project.runs().pop() else { return 0 };
    let text = fs::read_to_string(run.join("results.jsonl")).unwrap_or_default();
    lines(&text).len()
}

/// One field of every row, in the order of the ids.
pub fn column(project: &Project, name: &str) -> Vec<Value> {
    rows(project).into_iter().map(|mut row| row[name].take()).collect()
}

/// The lines that `invoke` printed.
pub fn lines(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the target `agent` answers to the only case of the suite.
pub fn answer(project: &Project) -> String {
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    lines(&run.stdout)[0]["response"]["text"].as_str().unwrap().to_owned()
}

/// What a command prints, as wide as a page whatever the terminal of the test.
pub fn printed(args: &[&str]) -> String {
    let run = empty().env("COLUMNS", "100").run(args);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    run.stdout
}

/// Every command that the help lists, `help` aside.
pub fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !["", "help"].contains(name)).map(str::to_owned).collect()
}
