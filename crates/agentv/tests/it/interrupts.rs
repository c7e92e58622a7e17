//! Signals: what was finished is kept, what runs is ended, and nothing is left behind.

use std::{
    fs,
    net::TcpListener,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use agentv_exec::process::hangup_is_ignored;
use agentv_testkit::{Project, Signal, fake_agent, processes_with, wait_until};
use serde_json::{Value, json};

use crate::project::{batch_project, column, lines, manifest, project, rows, rows_so_far, suite};

/// Never ends by itself, is deaf to SIGTERM, and has two children that are so too, one of them in
/// a session of its own. `ready-$1` is there when all of them are.
fn stubborn() -> String {
    format!(
        "exec {} ignore-term spawn session+quiet ignore-term sleep 600 end \
         spawn group+quiet ignore-term sleep 600 end write \"ready-$1\" yes sleep 600",
        fake_agent().display()
    )
}

/// Says when it begins; what is called quick is done at once, everything else is stubborn.
fn agent() -> String {
    format!(
        "set -- \"$AGENTV_EVAL_ID\"\n: > \"began-$1\"\n\
         case $1 in quick*) echo ok; exit;; esac\n{}\n",
        stubborn()
    )
}

/// The same for a batch, which is stubborn if one of its requests is.
fn batch_agent() -> String {
    format!(
        "set -- \"$(sed -n '1s/.*\"id\":\"\\([^\"]*\\)\".*/\\1/p' \"$AGENTV_BATCH_FILE\")\"\n\
         : > \"began-$1\"\n\
         if ! grep -q stubborn \"$AGENTV_BATCH_FILE\"; then\n\
         sed 's/,\"attempt.*/,\"text\":\"ok\"}}/' \"$AGENTV_BATCH_FILE\"; exit\nfi\n{}\n",
        stubborn()
    )
}

fn is_there(project: &Project, file: &str) -> bool {
    project.path(file).exists()
}

fn assert_interrupted(project: &Project, counts: &Value) {
    let manifest = manifest(project);
    assert_eq!(manifest["status"], "interrupted");
    assert_eq!(manifest["exit_code"], 130);
    assert_eq!(&manifest["counts"], counts);
    assert!(manifest["finished_at"].is_string());
    project.assert_nothing_is_left();
}

/// Interrupts a run in which two cases are done, two do not want to end, and two wait.
fn interrupt_single_cases(signal: Signal) {
    let ids = ["quick-1", "stubborn-1", "quick-2", "stubborn-2", "late-1", "late-2"];
    let project = project("sh agent.sh", &["workers: 2"], &ids).file("agent.sh", agent());
    let run = project.start(&["eval", "suite.yaml", "--out", "done.jsonl", "--out", "done.yaml"]);
    wait_until("two cases are done and two are stubborn", || {
        is_there(&project, "ready-stubborn-1")
            && is_there(&project, "ready-stubborn-2")
            && rows_so_far(&project) == 2
    });
    run.signal(signal);
    let run = run.finish();

    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["quick-1", "quick-2"]);
    assert_eq!(column(&project, "status"), ["passed", "passed"]);
    assert!(!is_there(&project, "began-late-1") && !is_there(&project, "began-late-2"));
    let counts = json!({"planned": 6, "passed": 2, "failed": 0, "errors": 0, "not_run": 4});
    assert_interrupted(&project, &counts);
    let out = fs::read_to_string(project.path("done.jsonl")).unwrap();
    assert_eq!(lines(&out), rows(&project));
    let out = fs::read_to_string(project.path("done.yaml")).unwrap();
    assert!(out.contains("quick-1") && out.contains("quick-2") && !out.contains("stubborn"));
    assert!(run.stdout.contains("- 2 interrupted, - 2 not run"), "{}", run.seen());
}

#[test]
fn ctrl_c_ends_what_runs_and_keeps_what_is_finished() {
    interrupt_single_cases(Signal::SIGINT);
}

#[test]
fn being_asked_to_terminate_is_an_interruption() {
    interrupt_single_cases(Signal::SIGTERM);
}

#[test]
fn a_terminal_that_goes_away_is_an_interruption() {
    if hangup_is_ignored() {
        // So are these tests, and what they start inherits it.
        return;
    }
    interrupt_single_cases(Signal::SIGHUP);
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_was_told_not_to_mind_outlives_its_terminal() {
    let command = ": > began; while [ ! -e go ]; do sleep 0.01; done; echo ok";
    let project = project(command, &[], &["a"]);
    let run = project.start_without_hangup(&["eval", "suite.yaml"]);
    wait_until("the case runs", || is_there(&project, "began"));
    run.signal(Signal::SIGHUP);
    project.write("go", "");
    let run = run.finish();
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(manifest(&project)["status"], "finished");
}

#[test]
fn ctrl_c_during_a_batch_keeps_the_batches_before_it() {
    let ids = ["quick-1", "quick-2", "stubborn-1", "stubborn-2", "late-1"];
    let project = batch_project("sh agent.sh", &["batch_size: 2", "workers: 1"], &ids)
        .file("agent.sh", batch_agent());
    let run = project.start(&["eval", "suite.yaml", "--out", "done.jsonl"]);
    wait_until("one batch is done and one is stubborn", || {
        is_there(&project, "ready-stubborn-1") && rows_so_far(&project) == 2
    });
    run.signal(Signal::SIGINT);
    let run = run.finish();

    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["quick-1", "quick-2"]);
    assert!(is_there(&project, "began-quick-1") && !is_there(&project, "began-late-1"));
    let counts = json!({"planned": 5, "passed": 2, "failed": 0, "errors": 0, "not_run": 3});
    assert_interrupted(&project, &counts);
    let out = fs::read_to_string(project.path("done.jsonl")).unwrap();
    assert_eq!(lines(&out), rows(&project));
}

#[test]
fn ctrl_c_while_a_judge_looks_at_an_answer_leaves_no_row_for_it() {
    let judge = format!(
        "read -r payload\ncase $payload in *quick*) echo '{{\"score\": 1}}'; exit;; esac\n\
         set -- judge\n{}\n",
        stubborn()
    );
    let suite = suite(&["quick-1", "slow-1"])
        .replace("type: contains\n    value: ok", "type: code_judge\n    script: sh judge.sh");
    let project =
        project("echo {EVAL_ID}", &[], &[]).file("suite.yaml", suite).file("judge.sh", judge);
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("one case is done and the other is being judged", || {
        is_there(&project, "ready-judge") && rows_so_far(&project) == 1
    });
    run.signal(Signal::SIGINT);
    let run = run.finish();

    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["quick-1"]);
    let counts = json!({"planned": 2, "passed": 1, "failed": 0, "errors": 0, "not_run": 1});
    assert_interrupted(&project, &counts);
}

#[test]
fn ctrl_c_during_a_healthcheck_starts_no_case() {
    let check = "healthcheck: {type: command, command: sh check.sh}";
    let project = project("sh agent.sh", &[check], &["quick-1", "quick-2"])
        .file("agent.sh", agent())
        .file("check.sh", format!("set -- check\n{}\n", stubborn()));
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("the healthcheck runs", || is_there(&project, "ready-check"));
    run.signal(Signal::SIGINT);
    let run = run.finish();

    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(project.rows_text(), "");
    assert!(!is_there(&project, "began-quick-1"));
    let counts = json!({"planned": 2, "passed": 0, "failed": 0, "errors": 0, "not_run": 2});
    assert_interrupted(&project, &counts);
}

#[test]
fn ctrl_c_while_a_server_does_not_answer_the_healthcheck_starts_no_case() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let check =
        format!("healthcheck: {{type: http, url: 'http://{}/'}}", server.local_addr().unwrap());
    let project = project("sh agent.sh", &[&check], &["quick-1"]).file("agent.sh", agent());
    let run = project.start(&["eval", "suite.yaml"]);
    let connection = server.accept().unwrap();
    run.signal(Signal::SIGINT);
    let run = run.finish();
    drop(connection);

    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(project.rows_text(), "");
    assert!(!is_there(&project, "began-quick-1"));
}

#[test]
fn ctrl_c_during_invoke_prints_what_was_answered() {
    let ids = ["stubborn-1", "quick-1", "stubborn-2", "late-1"];
    let project = project("sh agent.sh", &["workers: 2"], &ids).file("agent.sh", agent());
    let run = project.start(&["invoke", "suite.yaml", "--target", "agent"]);
    // The third has begun only because the second is done.
    wait_until("two are stubborn", || {
        is_there(&project, "ready-stubborn-1") && is_there(&project, "ready-stubborn-2")
    });
    run.signal(Signal::SIGINT);
    let run = run.finish();

    assert_eq!(run.code, Some(130), "{}", run.seen());
    let ids: Vec<Value> =
        lines(&run.stdout).into_iter().map(|mut line| line["evalId"].take()).collect();
    assert_eq!(ids, ["quick-1"]);
    assert!(!is_there(&project, "began-late-1"));
    project.assert_nothing_is_left();
}

/// Says when it is asked to end, takes a while to tidy up, and says when it has.
const TIDY: &str = "trap ': > asked; sleep 0.5; : > tidied; exit 0' TERM\n\
                    : > ready\nwhile :; do sleep 0.01; done\n";

/// Interrupts an agent that runs `TIDY`, `again` or not when it was asked to end, and says whether
/// it could tidy up.
fn tidies_up(agent: &str, again: bool) -> bool {
    let project = project("sh agent.sh", &[], &["a"]).file("agent.sh", agent);
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("the agent runs", || is_there(&project, "ready"));
    run.signal(Signal::SIGINT);
    if again {
        wait_until("the agent was asked to end", || is_there(&project, "asked"));
        run.signal(Signal::SIGINT);
    }
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(manifest(&project)["status"], "interrupted");
    project.assert_nothing_is_left();
    is_there(&project, "tidied")
}

// In both of these, once is proof. A machine that is too busy to bring a signal within the grace
// gets another chance; a runner that does it wrong has none.

#[test]
fn what_is_ended_may_tidy_up_first() {
    let at_once = TIDY.replace("sleep 0.5;", "");
    assert!((0..20).any(|_| tidies_up(&at_once, false)), "the agent was never given the time");
}

#[test]
fn a_second_ctrl_c_kills_at_once() {
    assert!((0..20).any(|_| !tidies_up(TIDY, true)), "the agent was always given the time");
}

#[test]
fn two_interruptions_at_once_end_those_that_ignore_the_first() {
    let project = project("sh agent.sh", &[], &["stubborn-1"]).file("agent.sh", agent());
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("the agent runs", || is_there(&project, "ready-stubborn-1"));
    run.signal(Signal::SIGINT);
    run.signal(Signal::SIGTERM);
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    let counts = json!({"planned": 1, "passed": 0, "failed": 0, "errors": 0, "not_run": 1});
    assert_interrupted(&project, &counts);
}

#[test]
fn ctrl_c_at_a_terminal_reaches_the_runner_alone() {
    let agent = "trap ': > interrupted' INT\ntrap 'exit 0' TERM\n: > ready\n\
                 while :; do sleep 0.01; done\n";
    let project = project("sh agent.sh", &[], &["a"]).file("agent.sh", agent);
    let run = project.start_with(&["eval", "suite.yaml"], |command| command.process_group(0));
    wait_until("the agent runs", || is_there(&project, "ready"));
    run.signal_group(Signal::SIGINT);
    assert_eq!(run.finish().code, Some(130));
    assert!(!is_there(&project, "interrupted"));
    project.assert_nothing_is_left();
}

#[test]
fn ctrl_c_before_the_first_case_is_an_interruption_too() {
    let project = project("echo ok", &[], &["a"]);
    let args = ["eval", "suite.yaml", "--dump-prompts=prompts"];
    assert_eq!(project.run(&args).code, Some(0));
    // A pipe in the place of the file holds the next run up before it begins.
    let [prompt] = <[_; 1]>::try_from(files(&project.path("prompts"))).unwrap();
    fs::remove_file(&prompt).unwrap();
    assert!(Command::new("mkfifo").arg(&prompt).status().unwrap().success());
    let run = project.start(&args);
    wait_until("there are temporary files", || !project.temporary_files().is_empty());
    run.signal(Signal::SIGINT);
    let reading = std::thread::spawn(move || fs::read_to_string(prompt).unwrap());
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert!(reading.join().unwrap().contains("\"eval_id\": \"a\""));
    assert_eq!(manifest(&project)["status"], "interrupted");
    project.assert_nothing_is_left();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_a_killed_runner_left_behind_is_ended_by_the_next() {
    let project = project("sh agent.sh", &["workers: 2"], &["quick-1", "stubborn-1"])
        .file("agent.sh", agent())
        .file("next.yaml", suite(&["quick-2"]));
    let marker = project.path("").display().to_string();
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("one case is done and one is stubborn", || {
        is_there(&project, "ready-stubborn-1") && rows_so_far(&project) == 1
    });
    run.signal(Signal::SIGKILL);
    assert_eq!(run.finish().code, None);
    assert_eq!(column(&project, "eval_id"), ["quick-1"]);
    assert_eq!(manifest(&project)["status"], "running");
    let left = processes_with(&marker).len();
    assert!(left >= 3, "nobody was there to end them");
    assert_eq!(project.temporary_files().len(), 1);

    let run = project.run(&["eval", "next.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let said = format!("ended {left} process(es) that an earlier run left behind");
    assert!(run.stderr.contains(&said), "{}", run.seen());
    project.assert_nothing_is_left();
}
