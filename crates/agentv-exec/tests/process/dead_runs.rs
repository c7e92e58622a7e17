//! A runner that is killed leaves its processes and its folder behind; the next one ends them.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use agentv_base::{ProcessRunner as _, Stop};
use agentv_exec::{
    process::Processes,
    scratch::{Leftovers, Scratch, end_leftovers_of_dead_runs},
};
use agentv_testkit::{assert_no_process_with, processes_with};

use crate::sandbox::{Sandbox, until};

/// Where the runners of these tests work that are processes of their own; without it, they are not
/// wanted.
const DOOMED: &str = "AGENTV_TEST_DOOMED_RUNNER";
const HEIR: &str = "AGENTV_TEST_HEIR";

/// Not a test: the runner of the test below, in a process of its own.
#[tokio::test(flavor = "multi_thread")]
async fn the_doomed_runner() {
    let Some(parent) = env::var_os(DOOMED) else {
        return;
    };
    let sandbox = Sandbox::shared().await;
    let scratch = Scratch::create(Path::new(&parent)).unwrap();
    fs::write(Path::new(&parent).join("token"), scratch.token()).unwrap();
    let token = scratch.token().to_owned();
    let processes = Processes::new(Stop::default(), token, scratch.path().to_owned());
    let words = "spawn session+quiet ignore-term sleep 600 end write ready x sleep 600";
    let mut spec = sandbox.agent(words);
    spec.cwd = parent.into();
    spec.deadline = None;
    processes.run(spec).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_runner_left_behind_is_ended_by_the_next() {
    let sandbox = Sandbox::alone().await;
    let parent = sandbox.folder.path().join("runs");
    fs::create_dir(&parent).unwrap();
    let mut runner = Command::new(env::current_exe().unwrap())
        .args(["--exact", "dead_runs::the_doomed_runner"])
        .env(DOOMED, &parent)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let ready = parent.join("ready");
    until("the runner's processes are there", || ready.exists()).await;
    let token = fs::read_to_string(parent.join("token")).unwrap();

    // While it lives, nothing of it is touched. A shell, its agent and the agent's own child.
    assert_eq!(end_leftovers_of_dead_runs(&parent), Leftovers::default());
    let found = processes_with(&token).len();
    assert!(found >= 2, "{found}");

    runner.kill().unwrap();
    runner.wait().unwrap();
    assert_eq!(processes_with(&token).len(), found);
    let leftovers = end_leftovers_of_dead_runs(&parent);
    assert_eq!(leftovers.ended_processes, found);
    assert_eq!(leftovers.removed_folders, 1);
    assert_no_process_with(&token);
    let folders = fs::read_dir(&parent).unwrap().flatten();
    assert_eq!(folders.filter(|entry| entry.path().is_dir()).count(), 0);
    sandbox.close().await;
}

/// Not a test: a runner that was itself started by an invocation of a run that is dead.
#[tokio::test(flavor = "multi_thread")]
async fn the_heir() {
    if let Some(parent) = env::var_os(HEIR) {
        let leftovers = end_leftovers_of_dead_runs(Path::new(&parent));
        assert_eq!(leftovers.removed_folders, 1);
        fs::write(Path::new(&parent).join("survived"), "").unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_does_not_end_itself_nor_those_it_comes_from() {
    let sandbox = Sandbox::alone().await;
    let parent = sandbox.folder.path().join("runs");
    fs::create_dir(&parent).unwrap();
    let scratch = Scratch::create(&parent).unwrap();
    let marker = format!("{}.1", scratch.token());
    fs::rename(scratch.path(), parent.join("agentv-dead")).unwrap();
    drop(scratch);
    let heir = env::current_exe().unwrap();
    // The shell carries the marker too, and must be there to say how it went.
    let line = format!("{:?} --exact dead_runs::the_heir; echo $? > exit", heir.to_str().unwrap());
    let status = Command::new("/bin/sh")
        .args(["-c", &line])
        .current_dir(&parent)
        .env(HEIR, &parent)
        .env(agentv_exec::process::MARKER_VARIABLE, marker)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
    assert_eq!(fs::read_to_string(parent.join("exit")).unwrap(), "0\n");
    assert!(parent.join("survived").exists());
    sandbox.close().await;
}
