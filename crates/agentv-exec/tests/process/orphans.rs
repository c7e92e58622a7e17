//! Where orphans come to the runner (on Linux): that those who left their group are ended too, each
//! by its own invocation or by the sweep, and nobody else.

use agentv_base::{Exit, ProcessFault, ProcessRunner as _, StopLevel};
use agentv_testkit::{assert_no_process_with, processes_with};

use crate::{
    leftovers::check,
    sandbox::{Sandbox, until},
};

#[tokio::test(flavor = "multi_thread")]
async fn every_process_leads_a_group_of_its_own() {
    let sandbox = Sandbox::shared().await;
    let spec = sandbox.shell("echo $$; cut -d ' ' -f 5 /proc/$$/stat");
    let text = sandbox.run(spec).await.stdout.text();
    let (pid, group) = text.trim().split_once('\n').unwrap();
    assert_eq!(pid, group);
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_in_the_group_are_ended_and_counted() {
    let words = "spawn group+quiet sleep 600 end spawn group+quiet sleep 600 end";
    check(words, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_in_its_own_session_is_ended() {
    check("spawn session+quiet sleep 600 end", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_in_its_own_session_that_holds_stdout_and_ignores_sigterm_is_ended() {
    check("spawn session ignore-term sleep 600 end", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_double_forked_daemon_is_ended() {
    check("spawn daemon+quiet sleep 600 end", 1).await;
    check("spawn daemon ignore-term sleep 600 end", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_children_of_a_leftover_are_ended_with_it() {
    let sandbox = Sandbox::shared().await;
    let words = "spawn session+quiet ignore-term \
                   spawn session ignore-term spawn daemon sleep 600 end sleep 600 end \
                 sleep 600 end print answer";
    let output = sandbox.run(sandbox.agent(words)).await;
    assert_eq!(output.stdout.text(), "answer\n");
    assert_eq!(output.ended_leftovers, 3);
    assert_no_process_with(sandbox.token());
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_deadline_or_a_stop_those_in_other_sessions_are_ended_too() {
    let sandbox = Sandbox::shared().await;
    let words = "spawn session ignore-term sleep 600 end ignore-term write ready x sleep 600";
    let mut spec = sandbox.agent(words);
    let (output, _) = sandbox.run_late(spec.clone()).await;
    assert_eq!(output.exit, Exit::TimedOut);
    assert_eq!(output.ended_leftovers, 1);
    assert_no_process_with(sandbox.token());

    let ready = sandbox.folder.path().join("ready");
    std::fs::remove_file(&ready).unwrap();
    spec.deadline = None;
    let stop = async {
        until("it runs", || ready.exists()).await;
        sandbox.stop.raise(StopLevel::Terminate);
    };
    let (result, ()) = tokio::join!(sandbox.processes.run(spec), stop);
    assert!(matches!(result, Err(ProcessFault::Interrupted)));
    assert_no_process_with(sandbox.token());
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_ends_by_itself_leaves_no_zombie() {
    let sandbox = Sandbox::alone().await;
    // It ends before the agent, which does not reap it, and so comes to us dead.
    let words = "spawn session+quiet write done x end wait-for done sleep 0.1";
    let output = sandbox.run(sandbox.agent(words)).await;
    assert_eq!(output.leaked, []);
    sandbox.run(sandbox.shell("true")).await;
    assert_eq!(zombie_children(), 0);
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_orphan_of_an_invocation_that_still_runs_is_left_alone() {
    let sandbox = Sandbox::shared().await;
    let words = "spawn daemon+quiet wait-for go write alive yes end write ready x wait-for alive";
    let long = sandbox.processes.run(sandbox.agent(words));
    let short = async {
        let ready = sandbox.folder.path().join("ready");
        until("the daemon is there", || ready.exists()).await;
        // Others come and go, each looking for its own orphans.
        for _ in 0..5 {
            sandbox.run(sandbox.shell("true")).await;
        }
        let output = sandbox.run(sandbox.agent("spawn session+quiet sleep 600 end")).await;
        assert_eq!(output.ended_leftovers, 1);
        // The agent and its daemon.
        assert_eq!(processes_with(sandbox.token()).len(), 2);
        std::fs::write(sandbox.folder.path().join("go"), "").unwrap();
    };
    let (output, ()) = tokio::join!(long, short);
    assert_eq!(output.unwrap().exit, Exit::Code(0));
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_without_an_environment_is_ended_by_the_sweep() {
    let sandbox = Sandbox::alone().await;
    let tag = format!("tag-{}", sandbox.token());
    let words = format!(
        "spawn session+clean+quiet tag {tag} sleep 600 end \
         spawn daemon+clean+quiet ignore-term tag {tag} sleep 600 end"
    );
    let output = sandbox.run(sandbox.agent(&words)).await;
    assert_eq!(output.ended_leftovers, 0);
    assert_eq!(processes_with(&tag).len(), 2);
    let sweep = sandbox.close().await;
    assert_eq!(sweep.ended, 2);
    assert_no_process_with(&tag);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_after_a_clean_run_ends_nothing() {
    let sandbox = Sandbox::alone().await;
    sandbox.run(sandbox.shell("true")).await;
    assert_eq!(sandbox.close().await.ended, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_leaves_alone_what_others_started() {
    let sandbox = Sandbox::alone().await;
    let mut others = std::process::Command::new("/bin/sleep").arg("600").spawn().unwrap();
    sandbox.run(sandbox.shell("true")).await;
    assert_eq!(sandbox.close().await.ended, 0);
    assert_eq!(others.try_wait().unwrap(), None);
    others.kill().unwrap();
    others.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invocation_that_nobody_waits_for_is_ended() {
    let sandbox = Sandbox::alone().await;
    let words = "spawn session+quiet sleep 600 end write ready x sleep 600";
    let ready = sandbox.folder.path().join("ready");
    tokio::select! {
        _ = sandbox.processes.run(sandbox.agent(words)) => panic!("it sleeps"),
        () = until("it runs", || ready.exists()) => {}
    }
    sandbox.close().await;
}

fn zombie_children() -> usize {
    let ours = format!(" Z {} ", std::process::id());
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| stat.contains(&ours))
        .count()
}
