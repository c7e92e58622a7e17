//! A code judge from its keys to its score, with processes that only pretend.

use std::io::{
    self,
    ErrorKind::{NotFound, OutOfMemory, PermissionDenied},
};

use agentv_base::{Captured, Exit, LeakedProcess, ProcessFault, ProcessOutput};
use serde_json::json;

use super::*;
use crate::testing::{Project, ended, errors_of, eval_case, node, response};

/// What a judge that ran like this says, and the fault it is.
fn check(
    behaviour: impl Fn() -> Result<ProcessOutput, ProcessFault> + Send + Sync + 'static,
) -> Result<Score, GraderFault> {
    check_with(json!({}), behaviour)
}

fn check_with(
    keys: Value,
    behaviour: impl Fn() -> Result<ProcessOutput, ProcessFault> + Send + Sync + 'static,
) -> Result<Score, GraderFault> {
    let mut entry = json!({"type": "code_judge", "script": "./judge"});
    let Value::Object(keys) = keys else { panic!("keys are a map") };
    entry.as_object_mut().unwrap().extend(keys);
    Project::with(move |_| behaviour()).try_grade(
        &entry,
        &eval_case(),
        &response(&json!({"text": "Paris"})),
    )
}

fn fault(result: Result<Score, GraderFault>) -> String {
    let fault = result.unwrap_err();
    assert!(!fault.interrupted);
    fault.message
}

#[test]
fn a_judge_is_run_in_the_suites_folder_with_the_agents_deadline() {
    let project = Project::with(|_| Ok(ended(0, "{\"score\": 0.75}\n", "")));
    let score = project.try_grade(
        &json!({"type": "code-grader", "script": "./judge | tee log", "config": {"a": [1]}}),
        &eval_case(),
        &response(&json!({"text": "Paris"})),
    );
    assert_eq!(score, Ok(Score { score: 0.75, ..Score::default() }));
    let asked = project.fake.asked.lock().unwrap();
    let [spec] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(spec.program, Program::Shell("./judge | tee log".to_owned()));
    assert_eq!(spec.cwd, project.path());
    assert_eq!(spec.deadline, Some(Duration::from_mins(2)));
    assert_eq!(spec.stdout, Stdout::CaptureHead(1024 * 1024));
    assert!(spec.env.is_empty());
    let Stdin::Bytes(payload) = &spec.stdin else { panic!("{spec:?}") };
    let told: Value = serde_json::from_slice(payload).unwrap();
    assert_eq!(told["candidate_answer"], "Paris");
    assert_eq!(told["config"], json!({"a": [1]}));
}

#[test]
fn a_judge_has_a_command_a_folder_and_a_deadline_of_its_own() {
    let project = Project::with(|_| Ok(ended(0, "{\"score\": 1}", "")));
    std::fs::create_dir(project.path().join("judges")).unwrap();
    let keys = json!({
        "type": "script", "command": ["python3", "judge.py", 3, true], "cwd": "judges", "timeout_seconds": 0.5
    });
    let answer = response(&json!({"text": ""}));
    project.try_grade(&keys, &eval_case(), &answer).unwrap();
    let asked = project.fake.asked.lock().unwrap();
    let argv = ["python3", "judge.py", "3", "true"].map(str::to_owned);
    assert_eq!(asked[0].program, Program::Argv(argv.to_vec()));
    assert_eq!(asked[0].cwd, project.path().join("judges"));
    assert_eq!(asked[0].deadline, Some(Duration::from_millis(500)));
}

#[test]
fn without_a_deadline_anywhere_there_is_none() {
    let project = Project::with(|_| Ok(ended(0, "{\"score\": 1}", "")));
    let context = BuildContext { agent_timeout: None, ..project.context() };
    let keys = node(&json!({"type": "code_judge", "command": "./judge"}));
    let fields = Fields::read(
        &keys,
        "code_judge",
        &[crate::COMMON_KEYS, CodeJudge.keys()],
        &mut Problems::default(),
    );
    let deadline = read_deadline(&fields.unwrap(), &context, &mut Problems::default());
    assert_eq!(deadline, Some(None));
}

#[test]
fn a_judge_that_exits_with_a_code_is_a_fault_with_the_end_of_its_stderr() {
    assert_eq!(
        fault(check(|| Ok(ended(3, "{\"score\": 1}", "Traceback\n  boom\n")))),
        "it exited with code 3\nstderr: Traceback\n  boom"
    );
    assert_eq!(
        fault(check(|| Ok(ended(1, "complaint\n", "")))),
        "it exited with code 1\nstdout: complaint"
    );
    assert_eq!(fault(check(|| Ok(ended(2, "", " \n")))), "it exited with code 2");
}

#[test]
fn codes_that_shells_give_are_explained() {
    for (code, meaning) in [
        (126, "a command that may not be run"),
        (127, "a command that is not found"),
        (137, "SIGKILL"),
        (141, "SIGPIPE"),
    ] {
        let said = fault(check(move || Ok(ended(code, "", ""))));
        assert_eq!(said, format!("it exited with code {code} (the shell's code for {meaning})"));
    }
    for code in [1, 125, 128, 255] {
        assert_eq!(
            fault(check(move || Ok(ended(code, "", "")))),
            format!("it exited with code {code}")
        );
    }
}

#[test]
fn what_a_judge_writes_beside_its_verdict_is_kept() {
    let stderr = |said: &'static str| {
        check(move || Ok(ended(0, "{\"score\": 1}", said))).unwrap().stderr.unwrap_or_default()
    };
    assert_eq!(stderr(" \n"), "");
    assert_eq!(stderr("warming up\n\x1b[2Jdone\n"), "warming up\n\\u{1b}[2Jdone");
}

#[test]
fn of_a_long_stderr_the_end_is_kept_from_a_whole_word_on() {
    let said = check(|| Ok(ended(0, "{\"score\": 1}", &"token-0123456789 ".repeat(1000))));
    let said = said.unwrap().stderr.unwrap();
    assert!(said.starts_with("… token-0123456789 token"), "{said}");
    assert!(said.len() < 2100, "{}", said.len());
}

#[test]
fn the_end_of_stderr_is_short_and_harmless() {
    let said = fault(check(|| {
        Ok(ProcessOutput {
            stderr: Captured {
                head: vec![b'x'; 100_000],
                tail: b"y\n\x1b[31mlast words\n".repeat(1000),
                cut: 7,
            },
            ..ended(1, "", "")
        })
    }));
    assert!(said.len() < 4096, "{}", said.len());
    assert!(said.starts_with("it exited with code 1\nstderr: … "), "{said}");
    assert!(said.ends_with("\ny\n\\u{1b}[31mlast words"), "{said}");
}

#[test]
fn a_judge_that_is_killed_is_a_fault_with_the_signal() {
    assert_eq!(
        fault(check(|| Ok(ProcessOutput {
            exit: Exit::Signal(9),
            ..ended(0, "{\"score\": 1}", "")
        }))),
        "it was ended by SIGKILL\nstdout: {\"score\": 1}"
    );
}

#[test]
fn a_judge_that_hangs_is_a_fault_with_its_deadline() {
    let hang = || Ok(ProcessOutput { exit: Exit::TimedOut, ..ended(0, "", "thinking\n") });
    assert_eq!(fault(check(hang)), "timed out after 120 s\nstderr: thinking");
    assert_eq!(
        fault(check_with(json!({"timeout_seconds": 1.5}), hang)),
        "timed out after 1.5 s\nstderr: thinking"
    );
}

#[test]
fn a_verdict_of_a_judge_that_then_hangs_does_not_count_and_is_shown() {
    let hang = || Ok(ProcessOutput { exit: Exit::TimedOut, ..ended(0, "{\"score\": 1}\n", "bye") });
    assert_eq!(
        fault(check(hang)),
        "timed out after 120 s; it had not ended, so what it had printed does not count: \
         `{\"score\": 1}`\nstderr: bye"
    );
}

#[test]
fn a_judge_that_cannot_be_started_is_a_fault_with_the_reason() {
    let said = fault(check(|| Err(ProcessFault::Spawn(io::Error::from(io::ErrorKind::NotFound)))));
    assert_eq!(said, "cannot start: entity not found");
    let said = fault(check(|| Err(ProcessFault::Io(io::Error::other("gone")))));
    assert_eq!(said, "lost track of the process: gone");
}

#[test]
fn a_program_that_cannot_be_started_comes_with_a_way_out() {
    let check = |name: &str, error: io::ErrorKind| {
        let project = Project::with(move |_| Err(ProcessFault::Spawn(io::Error::new(error, "no"))));
        project.write("judge.py", "");
        let keys = json!({"type": "code_judge", "command": [name]});
        let said = fault(project.try_grade(&keys, &eval_case(), &response(&json!({}))));
        said.replace(&*project.path().to_string_lossy(), "DIR")
    };
    for (name, error, hint) in [
        ("judge.js", NotFound, "\nit is looked for on the PATH and is not there"),
        (
            "judge.py",
            NotFound,
            "\na name without `/` is looked for on the PATH; for the file in DIR write `./judge.py`",
        ),
        ("./x/judge", NotFound, "\nthe path starts at the folder that the judge runs in: DIR"),
        (
            "./judge.py",
            NotFound,
            "\nthe file is there; the program that its first line (`#!`) names is not",
        ),
        (
            "./judge.py",
            PermissionDenied,
            "\nit may not be run: `chmod +x ./judge.py`, or name its interpreter first",
        ),
        ("./judge.py", OutOfMemory, ""),
    ] {
        assert_eq!(check(name, error), format!("cannot start: no{hint}"), "{name} {error:?}");
    }
}

#[test]
fn a_script_that_does_not_say_who_reads_it_comes_with_a_way_out() {
    // What the system says of a file that is no program: `ENOEXEC`.
    let said = fault(check_with(json!({"script": ["./judge"]}), || {
        Err(ProcessFault::Spawn(io::Error::from_raw_os_error(8)))
    }));
    let hint = "\na script needs a first line such as `#!/bin/sh`, or its interpreter named first";
    assert!(said.ends_with(hint), "{said}");
}

#[test]
fn a_judge_that_was_interrupted_is_at_no_fault() {
    assert_eq!(check(|| Err(ProcessFault::Interrupted)), Err(GraderFault::interrupted()));
}

#[test]
fn a_judge_that_prints_too_much_is_a_fault() {
    assert_eq!(
        fault(check(|| Ok(ProcessOutput {
            stdout: Captured { head: b"{\"score\": 1}".to_vec(), tail: Vec::new(), cut: 1 },
            ..ended(0, "", "")
        }))),
        "it printed more than 1024 KiB; a judge prints one small JSON object"
    );
}

#[test]
fn a_judge_that_prints_no_utf8_is_a_fault() {
    assert_eq!(
        fault(check(|| Ok(ProcessOutput {
            stdout: Captured {
                head: b"{\"score\": 1, \"reasoning\": \"\xff\"}".to_vec(),
                ..Captured::default()
            },
            ..ended(0, "", "")
        }))),
        "it printed what is not UTF-8 (from byte 28)"
    );
}

#[test]
fn an_output_that_is_no_score_is_a_fault_with_stderr_beside_it() {
    assert_eq!(
        fault(check(|| Ok(ended(0, "", "forgot to print\n")))),
        "it printed nothing; a judge prints `{\"score\": …}`\nstderr: forgot to print"
    );
    assert_eq!(
        fault(check(|| Ok(ended(0, "{\"score\": 2}", "")))),
        "its `score` is 2, which is not between 0 and 1"
    );
}

#[test]
fn processes_that_a_judge_left_behind_are_named_beside_its_score_or_fault() {
    let leaky = |code| ProcessOutput {
        leaked: vec![LeakedProcess { pid: 42, command: "sleep 9".to_owned() }],
        ..ended(code, "{\"score\": 1, \"reasoning\": \"fine\"}", "oops")
    };
    let named = "the judge left processes behind that could not be ended: 42 (sleep 9)";
    assert_eq!(check(move || Ok(leaky(0))).unwrap().reasoning, Some(format!("fine\n{named}")));
    assert_eq!(
        fault(check(move || Ok(leaky(1)))),
        format!("it exited with code 1\nstderr: oops\n{named}")
    );
}

/// The errors of a judge with these keys.
fn errors(keys: &Value) -> Vec<(String, String)> {
    let mut entry = json!({"type": "code_judge"});
    entry.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    errors_of(&entry)
}

#[test]
fn a_command_that_is_none_is_an_error_at_its_place() {
    for (keys, at, message) in [
        (json!({}), "", "code_judge needs `script` or `command`"),
        (
            json!({"script": "a", "command": "a"}),
            "/command#key",
            "`script` and `command` are two ways to say the same; give one",
        ),
        (json!({"script": " "}), "/script", "the command of code_judge is blank"),
        (
            json!({"script": 7}),
            "/script",
            "the command of code_judge must be a string or a list, not a number",
        ),
        (json!({"command": []}), "/command", "the list of code_judge names no program"),
        (json!({"command": ["", "a"]}), "/command", "the list of code_judge names no program"),
        (
            json!({"command": ["a", 1.5]}),
            "/command/1",
            "an argument must be a string, not a number",
        ),
        (json!({"scirpt": "a"}), "/scirpt#key", "unknown key `scirpt` in code_judge"),
    ] {
        assert_eq!(errors(&keys), [(at.to_owned(), message.to_owned())], "{keys}");
    }
}

#[test]
fn a_folder_or_deadline_that_cannot_be_is_an_error_at_its_place() {
    let project = Project::new();
    project.write("file", "");
    let keys = |cwd: &str, timeout: f64| json!({"type": "code_judge", "script": "a", "cwd": cwd, "timeout_seconds": timeout});
    let both = |cwd: &str, timeout: &str| {
        [("/cwd".to_owned(), cwd.to_owned()), ("/timeout_seconds".to_owned(), timeout.to_owned())]
    };
    assert_eq!(
        project.errors_of(&keys("absent", 0.0)),
        both("`cwd` does not exist: absent", "`timeout_seconds` must be greater than 0")
    );
    assert_eq!(
        project.errors_of(&keys("file", 1e300)),
        both("`cwd` is not a folder: file", "`timeout_seconds` is longer than time can be told")
    );
}

#[test]
fn keys_of_other_versions_are_refused_with_a_way_out() {
    for key in ["target", "max_calls", "maxCalls", "timeout_ms"] {
        let message = format!("`{key}` of code_judge is known, but not supported yet");
        let found = errors(&json!({"script": "a", key: 1}));
        assert_eq!(found, [(format!("/{key}#key"), message)], "{key}");
    }
}
