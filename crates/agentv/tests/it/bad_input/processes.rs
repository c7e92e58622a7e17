//! Commands that fail, hang, do not end, or do not even start.

use agentv_testkit::{Project, fake_agent};
use insta::assert_snapshot;

use super::{assert_clean, unevaluated, without_times};
use crate::project::{column, project};

/// A project whose target is the fake agent, which does these words.
fn agent(words: &str, settings: &[&str]) -> Project {
    project(&format!("{} {words}", fake_agent().display()), settings, &["a"])
}

fn with_command(command: &str, settings: &[&str]) -> String {
    unevaluated(&project(command, settings, &["a"]))
}

#[test]
fn a_hundred_megabytes_of_complaints_end_in_their_last_words() {
    let project = agent("enoise 100000000 eprint 'the last words' exit 7", &[]);
    assert_snapshot!(unevaluated(&project), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          exit: exited with code 7: …..noise...noise...noise...noise...noise...noise..
          …
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          noise...noise...noise...noise...noise...noise...noise...noise..
          the last words
    --- stderr
    ERROR a (agent) [TIME]: exit: exited with code 7: …..noise...noise...noise...noise...noise...noise..; …noise...noise...noise...noise...noise...noise...noise...noise..; the last words
    ");
    let error = column(&project, "error")[0].as_str().unwrap().to_owned();
    assert!(error.len() < 4096, "{} bytes", error.len());
    assert!(error.starts_with("exited with code 7: …"), "{error}");
    assert!(error.ends_with("the last words"), "{error}");
}

#[test]
fn a_failed_tool_that_says_nothing_on_standard_error_is_quoted_from_standard_output() {
    assert_snapshot!(with_command("echo 'usage: my-agent FILE'; exit 2", &[]), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          exit: exited with code 2: usage: my-agent FILE
    --- stderr
    ERROR a (agent) [TIME]: exit: exited with code 2: usage: my-agent FILE
    ");
}

#[test]
fn a_command_that_is_ended_by_a_signal_names_it() {
    assert_snapshot!(with_command("kill -9 $$", &[]), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          signal: was ended by SIGKILL
    --- stderr
    ERROR a (agent) [TIME]: signal: was ended by SIGKILL
    ");
}

#[test]
fn a_code_that_a_shell_gives_for_a_signal_is_explained() {
    assert_snapshot!(with_command("exit 137", &[]), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          exit: exited with code 137 (the shell's code for SIGKILL)
    --- stderr
    ERROR a (agent) [TIME]: exit: exited with code 137 (the shell's code for SIGKILL)
    ");
}

#[test]
fn a_command_that_hangs_is_ended_at_its_deadline() {
    assert_snapshot!(with_command("sleep 600", &["timeout_seconds: 0.3"]), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          timeout: timed out after 0.3 s
    --- stderr
    ERROR a (agent) [TIME]: timeout: timed out after 0.3 s
    ");
}

#[test]
fn a_batch_that_hangs_is_ended_at_its_deadline() {
    let settings = ["provider_batching: true", "timeout_seconds: 0.3"];
    assert_snapshot!(unevaluated(&project("sleep 600", &settings, &["a", "b"])), @"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          timeout: timed out after 0.3 s
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): timeout: timed out after 0.3 s
    ERROR b (agent): timeout: timed out after 0.3 s
    ");
}

#[test]
fn a_command_that_ignores_the_request_to_end_is_killed() {
    let project = agent("ignore-term sleep 600", &["timeout_seconds: 0.3"]);
    assert_snapshot!(unevaluated(&project), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          timeout: timed out after 0.3 s
    --- stderr
    ERROR a (agent) [TIME]: timeout: timed out after 0.3 s
    ");
}

#[test]
fn a_daemon_is_ended_and_the_answer_stays() {
    let project = agent("spawn daemon+quiet tag my-daemon sleep 600 end answer ok", &[]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_clean(&project);
    assert_eq!(column(&project, "candidate_answer"), ["ok"]);
    assert_snapshot!(without_times(&run.stderr), @"
    warning: target `agent` leaves processes running when it answers; they were ended
    PASS 1.00 a (agent) [TIME]
    ");
}

#[test]
fn a_child_in_a_session_of_its_own_that_holds_the_output_open_is_ended() {
    let project = agent("spawn session tag my-child sleep 600 end print ok", &[]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_clean(&project);
    assert_snapshot!(without_times(&run.stderr), @"
    warning: target `agent` leaves processes running when it answers; they were ended
    PASS 1.00 a (agent) [TIME]
    ");
}

#[test]
fn a_folder_to_run_in_that_does_not_exist_is_named() {
    assert_snapshot!(with_command("echo ok", &["cwd: work"]), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Errors
      ! suite.yaml:5 a (agent)
          spawn: the folder to run in does not exist: [PROJECT]/work
    --- stderr
    ERROR a (agent): spawn: the folder to run in does not exist: [PROJECT]/work
    ");
}

#[test]
fn a_command_that_does_not_exist_is_named_by_the_shell() {
    let seen = with_command("no-such-agent {PROMPT}", &[]);
    // Every shell says it in its own words.
    let shell = what_the_shell_says_of("no-such-agent");
    assert_snapshot!(seen.replace(&shell, "[SHELL]: no-such-agent: not found"), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          exit: exited with code 127: [SHELL]: no-such-agent: not found
    --- stderr
    ERROR a (agent) [TIME]: exit: exited with code 127: [SHELL]: no-such-agent: not found
    ");
}

/// What this machine's shell says of a program that does not exist.
fn what_the_shell_says_of(program: &str) -> String {
    let project = project(program, &[], &["a"]);
    project.run(&["eval", "suite.yaml"]);
    let error = column(&project, "error")[0].as_str().unwrap().to_owned();
    error.strip_prefix("exited with code 127: ").unwrap().to_owned()
}
