//! Limits of memory and CPU time of targets and of code judges, on the real command.

#![cfg(target_os = "linux")]

use crate::project::{column, empty, project, rows, targets};

#[test]
fn a_target_that_uses_up_its_cpu_seconds_is_told_so() {
    let project = project("while :; do :; done", &["max_cpu_seconds: 1"], &["a"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "error_kind"), ["signal"]);
    assert_eq!(column(&project, "error"), ["was ended by SIGXCPU (it used up its 1 CPU seconds)"]);
    project.assert_nothing_is_left();
}

#[test]
fn a_program_below_the_shell_is_told_so_too() {
    // The shell waits for it and says by its own code how it ended.
    let project = project("sh -c 'while :; do :; done'; exit $?", &["maxCpuSeconds: 1"], &["a"]);
    project.run(&["eval", "suite.yaml"]);
    let error = &rows(&project)[0]["error"];
    let error = error.as_str().unwrap();
    let said = "exited with code 152 (the shell's code for SIGXCPU) (it used up its 1 CPU seconds)";
    assert!(error.starts_with(said), "{error}");
}

#[test]
fn a_target_that_fails_with_little_memory_says_how_much_it_has() {
    let command = "x=$(head -c 60000000 /dev/zero | tr '\\0' x); echo ${#x}";
    let limited = project(command, &["max_memory_mb: 48"], &["a"]);
    let run = limited.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let error = &rows(&limited)[0]["error"];
    assert!(error.as_str().unwrap().contains("(its memory is limited to 48 MB)"), "{error}");

    let roomy = project(command, &["max_memory_mb: 2048"], &["a"]);
    roomy.run(&["eval", "suite.yaml"]);
    assert_eq!(column(&roomy, "candidate_answer"), ["60000000\n"]);
}

#[test]
fn a_limit_that_cannot_be_set_is_an_error_and_nothing_runs_without_it() {
    // Nobody may have more than this run itself: the shell cannot give it.
    let project = project("touch ran; echo ok", &["max_memory_mb: 16384"], &["a"]);
    let run = project.run_within(8192, &["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "error_kind"), ["spawn"]);
    let error = &rows(&project)[0]["error"];
    let error = error.as_str().unwrap();
    assert!(error.contains("the shell cannot set its limits (`max_memory_mb`"), "{error}");
    assert!(!project.path("ran").exists());
}

#[test]
fn limits_hold_for_a_healthcheck_and_for_a_batch() {
    let healthcheck = "healthcheck: {command: 'test $(ulimit -v) = 1048576'}";
    let batch = "cp {BATCH_FILE} asked; ulimit -v > limit; \
                 sed 's/\"question\"/\"text\"/' {BATCH_FILE} > {OUTPUT_FILE}";
    let keys = ["max_memory_mb: 1024", "provider_batching: true", healthcheck];
    let project = project(batch, &keys, &["a", "b"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_ne!(run.code, Some(3), "{}", run.seen());
    let limit = std::fs::read_to_string(project.path("limit")).unwrap();
    assert_eq!(limit.trim(), "1048576");
}

#[test]
fn a_code_judge_has_limits_in_either_form() {
    let judges = "    evaluators:\n\
        \x20     - {name: line, type: code_judge, max_cpu_seconds: 1, script: 'while :; do :; done'}\n\
        \x20     - {name: list, type: code_judge, maxMemoryMb: 1024, command: [sh, -c, \
        'test $(ulimit -v) = 1048576 && echo ''{\"score\": 1}''']}\n\
        \x20     - {name: fails, type: code_judge, max_memory_mb: 1024, script: exit 4}\n";
    let suite = format!("evalcases:\n  - id: a\n    input: a\n{judges}");
    let project =
        empty().file(".agentv/targets.yaml", targets("echo ok", &[])).file("suite.yaml", suite);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let row = &rows(&project)[0];
    let results = row["evaluator_results"].as_array().unwrap();
    let fault = |index: usize| results[index]["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(fault(0), "it was ended by SIGXCPU (it used up its 1 CPU seconds)");
    assert_eq!(results[1]["score"], 1.0);
    assert_eq!(fault(2), "it exited with code 4 (its memory is limited to 1024 MB)");
}
