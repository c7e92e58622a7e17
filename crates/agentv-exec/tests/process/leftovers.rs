//! What processes leave behind in their group, and that it is ended.

use std::time::Duration;

use agentv_base::Exit;
use agentv_testkit::assert_no_process_with;

use crate::sandbox::Sandbox;

/// Runs an agent that answers and leaves `leftovers` behind, so many, which are gone when it
/// returns.
pub async fn check(leftovers: &str, count: usize) {
    let sandbox = Sandbox::shared().await;
    let words = format!("print before {leftovers} print after exit 3");
    let output = sandbox.run(sandbox.agent(&words)).await;
    // Its own answer stands, whatever became of the others.
    assert_eq!(output.exit, Exit::Code(3));
    assert_eq!(output.stdout.text(), "before\nafter\n");
    assert_eq!(output.leaked, []);
    assert_eq!(output.ended_leftovers, count);
    assert!(output.duration < Duration::from_mins(1));
    assert_no_process_with(sandbox.token());
    sandbox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grandchild_that_holds_stdout_is_ended() {
    check("spawn group sleep 600 end", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leftover_that_ignores_sigterm_is_killed() {
    check("spawn group+quiet ignore-term sleep 600 end", 1).await;
}
