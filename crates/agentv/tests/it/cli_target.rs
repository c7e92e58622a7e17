//! The `cli` target: placeholders, environment, folders, files, healthchecks.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
};

use serde_json::json;

use crate::project::{answer, batch_project, column, empty, lines, project, rows, targets};

#[test]
fn every_placeholder_has_its_value_in_single_mode() {
    let command = "printf '%s|' {PROMPT} {EVAL_ID} {ATTEMPT} {GUIDELINES} {FILES} > {OUTPUT_FILE}\n\
                   cat {PROMPT_FILE} {BATCH_FILE} >> {OUTPUT_FILE}\n\
                   basename {EVAL_FILE} >> {OUTPUT_FILE}";
    let project = empty()
        .file(".agentv/targets.yaml", targets(command, &["files_format: '--file {path} {basename}'"]))
        .file("notes.txt", "a note\n")
        .file("style.instructions.md", "Be brief.\n")
        .file(
            "suite.yaml",
            "evalcases:\n  - id: case 1\n    conversation_id: talk\n    expected_outcome: SECRET\n    \
             input_messages:\n      - role: user\n        content:\n          \
             - {type: file, value: style.instructions.md}\n          \
             - {type: text, value: it's me}\n          - {type: file, value: notes.txt}\n",
        );
    let question = "it's me\n\n<file path=\"notes.txt\">\na note\n</file>";
    let bundle = json!({
        "id": "case 1",
        "attempt": 0,
        "question": question,
        "guidelines": "<file path=\"style.instructions.md\">\nBe brief.\n</file>",
    });
    let answer = answer(&project);
    let head = format!(
        "{question}|case 1|0|<file path=\"style.instructions.md\">\nBe brief.\n</file>|\
         --file|[PROJECT]/notes.txt|notes.txt|{question}",
    );
    assert_eq!(answer.chars().take(head.chars().count()).collect::<String>(), head);
    let rest = answer.strip_prefix(&head).unwrap();
    let (line, file) = rest.split_once('\n').unwrap();
    assert_eq!(file, "suite.yaml\n");
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    for (key, value) in bundle.as_object().unwrap() {
        assert_eq!(&line[key], value, "{key}");
    }
    assert_eq!(line["conversation_id"], "talk");
    assert!(!answer.contains("SECRET"));
}

#[test]
fn in_batch_mode_the_prompt_is_empty_and_the_bundle_holds_every_request() {
    let command = "printf '%s|%s|%s' {PROMPT} {EVAL_ID} {GUIDELINES} > seen\n\
                   cmp {PROMPT_FILE} {BATCH_FILE} && cat \"$AGENTV_BATCH_FILE\" > bundle\n\
                   sed 's/,\"attempt.*/,\"text\":\"ok\"}/' {BATCH_FILE} > {OUTPUT_FILE}";
    let project = batch_project(command, &[], &["a", "b"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(fs::read_to_string(project.path("seen")).unwrap(), "|batch|");
    let bundle = fs::read_to_string(project.path("bundle")).unwrap();
    let ids: Vec<_> = lines(&bundle).into_iter().map(|mut line| line["id"].take()).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn nothing_a_target_can_reach_holds_the_expected_answer_or_a_grader() {
    let spy = "find \"$(dirname {OUTPUT_FILE})/..\" -type f -exec cat {} + > reached; env >> reached\n\
               tr '\\0' '\\n' < /proc/$$/cmdline >> reached; echo '{\"id\":\"a\",\"text\":\"ok\"}' > {OUTPUT_FILE}";
    for settings in [&["provider_batching: true"][..], &[][..]] {
        let project = empty().file(".agentv/targets.yaml", targets(spy, settings)).file(
            "suite.yaml",
            "evaluators:\n  - type: contains\n    name: canary-grader\n    value: canary-value\n\
             evalcases:\n  - id: a\n    expected_outcome: canary-outcome\n    input_messages:\n      \
             - role: user\n        content: visible\n    expected_messages:\n      \
             - role: assistant\n        content: canary-message\n",
        );
        project.run(&["eval", "suite.yaml"]);
        let reached = fs::read_to_string(project.path("reached")).unwrap();
        assert!(reached.contains("visible"), "the spy found the question: {reached}");
        assert!(!reached.contains("canary"), "{reached}");
    }
}

#[test]
fn the_environment_holds_what_the_target_sets_and_what_the_run_says() {
    let command = "printf '%s ' \"$MINE\" \"$AGENTV_EVAL_ID\" \"$AGENTV_ATTEMPT\"\n\
                   cat \"$AGENTV_PROMPT_FILE\"; pwd; ls \"$AGENTV_OUTPUT_FILE\" || echo unwritten";
    let settings = ["env: {MINE: 5}", "cwd: work"];
    let project = project(command, &settings, &["x y"]).file("work/here", "");
    assert_eq!(answer(&project), "5 x y 0 x y[PROJECT]/work\nunwritten\n");
}

#[test]
fn a_command_without_an_output_file_answers_on_standard_output() {
    assert_eq!(answer(&project("echo '{\"text\": \"from stdout\"}'", &[], &["a"])), "from stdout");
}

#[test]
fn a_file_written_by_its_variable_wins_over_standard_output() {
    let command = "echo noise; printf written > \"$AGENTV_OUTPUT_FILE\"";
    assert_eq!(answer(&project(command, &[], &["a"])), "written");
}

#[test]
fn standard_input_is_empty() {
    assert_eq!(answer(&project("cat; echo end", &[], &["a"])), "end\n");
}

#[test]
fn a_key_in_camel_case_is_the_same_key() {
    let text = targets("pwd", &["keepTempFiles: false", "timeoutSeconds: 30"])
        .replace("command_template", "commandTemplate");
    let project = project("", &[], &["a"]).file(".agentv/targets.yaml", text);
    assert_eq!(answer(&project), "[PROJECT]\n");
}

#[test]
fn a_prompt_and_a_list_of_files_of_any_size_work() {
    let long = "x".repeat(3 << 20);
    let suite = format!(
        "evalcases:\n  - id: a\n    input_messages:\n      - {{role: user, content: \"{long}\"}}\n"
    );
    let command = "printf %s {PROMPT} | wc -c; wc -c < {PROMPT_FILE}";
    let project = project(command, &[], &["a"]).file("suite.yaml", suite);
    let sizes: Vec<usize> =
        answer(&project).split_whitespace().map(|size| size.parse().unwrap()).collect();
    assert_eq!(sizes, [3 << 20, 3 << 20]);
}

#[test]
fn an_argument_that_the_system_refuses_names_the_prompt_file() {
    let long = "x".repeat(3 << 20);
    let suite = format!(
        "evalcases:\n  - id: a\n    input_messages:\n      - {{role: user, content: \"{long}\"}}\n"
    );
    for command in ["/bin/echo {PROMPT}", "/bin/echo {PROMPT} | cat > {OUTPUT_FILE}"] {
        let project = project(command, &[], &["a"]).file("suite.yaml", &suite);
        let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
        assert_eq!(run.code, Some(3));
        let error = lines(&run.stdout)[0]["error"].as_str().unwrap().to_owned();
        assert!(error.contains("{PROMPT_FILE}"), "{error}");
    }
}

#[test]
fn a_batch_of_any_size_works() {
    let ids: Vec<String> = (0..5000).map(|n| format!("case-{n}-{}", "x".repeat(60))).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let command = "sed 's/,\"attempt.*/,\"text\":\"ok\"}/' {BATCH_FILE} > {OUTPUT_FILE}";
    let project = batch_project(command, &[], &ids);
    let run = project.run(&["eval", "suite.yaml", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(rows(&project).len(), 5000);
}

#[test]
fn no_prompt_ever_runs_anything() {
    let prompt = "$(touch pwned) `touch pwned` '; touch pwned; ' \" && touch pwned #";
    let suite = format!(
        "evalcases:\n  - id: {id}\n    input_messages:\n      - {{role: user, content: {id}}}\n",
        id = serde_json::to_string(prompt).unwrap()
    );
    let command =
        "printf %s {PROMPT} {EVAL_ID} > {OUTPUT_FILE}; x={PROMPT}; echo \"$x\" $x > /dev/null";
    let project = project(command, &[], &["a"]).file("suite.yaml", suite);
    assert_eq!(answer(&project), format!("{prompt}{prompt}"));
    assert!(!project.path("pwned").exists());
}

#[test]
fn temporary_files_are_private_carry_no_id_and_are_gone_afterwards() {
    let command = "cd \"$(dirname {PROMPT_FILE})\"; { ls -ld . .. | cut -c1-10; pwd; ls -a; } > {OUTPUT_FILE}";
    let project = project(command, &[], &["../../escape-me"]);
    let answer = answer(&project);
    assert!(answer.starts_with("drwx------\ndrwx------\n"), "{answer}");
    assert!(!answer.contains("escape"), "{answer}");
    assert_eq!(project.temporary_files().len(), 0);
}

#[test]
fn kept_temporary_files_stay_and_are_named() {
    let project = project("cat {PROMPT_FILE} > {OUTPUT_FILE}", &["keep_temp_files: true"], &["a"]);
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
    assert!(
        run.stderr.contains("temporary files are kept in [PROJECT]/tmp/agentv-"),
        "{}",
        run.stderr
    );
    let file = lines(&run.stdout)[0]["response"]["raw"]["outputFile"].as_str().unwrap().to_owned();
    let file = file.replace("[PROJECT]", &project.path("").display().to_string());
    assert_eq!(fs::read_to_string(file).unwrap(), "a");
}

#[test]
fn a_talkative_target_says_what_it_runs() {
    for (settings, args) in [(&["verbose: true"][..], &[][..]), (&[][..], &["-v"][..])] {
        let project = project("echo ok # {{X}}", settings, &["a"]);
        let run = project.run(&[&["eval", "suite.yaml"], args].concat());
        assert!(run.stderr.contains("agent: running `echo ok # {X}`"), "{}", run.seen());
    }
}

#[test]
fn secrets_from_the_environment_are_not_shown_or_recorded() {
    let command = "echo \"ok $KEY\"; echo ${{ MY_API_KEY }} >&2; exit 1";
    let project = project(command, &["env: {KEY: '${{ MY_API_KEY }}'}"], &["a"])
        .env("MY_API_KEY", "canary-12345");
    let run = project.run(&["eval", "suite.yaml", "-v"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let run_json = fs::read_dir(project.path(".agentv/results"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path().join("run.json")).unwrap())
        .collect::<String>();
    for text in [&run.stdout, &run.stderr, &run_json, &project.rows_text()] {
        assert!(!text.contains("canary-12345"), "{text}");
    }
    assert!(column(&project, "error")[0].as_str().unwrap().contains("***"));
}

#[test]
fn secrets_that_a_batch_tool_writes_are_not_shown_or_recorded() {
    for line in [r#"{"id":"a","error":"bad key canary-12345"}"#, "not json canary-12345"] {
        let command = format!("printf '%s\\n' '{line}' > {{OUTPUT_FILE}}");
        let settings = ["provider_batching: true", "env: {KEY: '${{ MY_API_KEY }}'}"];
        let project = project(&command, &settings, &["a"]).env("MY_API_KEY", "canary-12345");
        let run = project.run(&["eval", "suite.yaml"]);
        assert_eq!(run.code, Some(3), "{}", run.seen());
        for text in [&run.stdout, &run.stderr, &project.rows_text()] {
            assert!(!text.contains("canary-12345"), "{text}");
        }
        assert!(column(&project, "error")[0].as_str().unwrap().contains("***"));
    }
}

#[test]
fn secrets_that_a_judge_complains_about_are_not_shown_or_recorded() {
    let project = project("echo ok", &["env: {KEY: '${{ MY_API_KEY }}'}"], &["a"])
        .env("MY_API_KEY", "canary-12345")
        .file(
            "suite.yaml",
            "evaluators:\n  - type: code_judge\n    script: echo $MY_API_KEY >&2; exit 1\n\
             evalcases:\n  - id: a\n    input_messages: [{role: user, content: q}]\n",
        );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    for text in [&run.stdout, &run.stderr, &project.rows_text()] {
        assert!(!text.contains("canary-12345"), "{text}");
    }
    assert!(column(&project, "error")[0].as_str().unwrap().contains("***"));
}

#[test]
fn elements_that_do_not_fit_are_counted_in_the_row_and_warned_of_once() {
    let command = r#"printf '%s' '{"text":"ok","trace":[{"type":"x"}],"output_messages":[{"role":"assistant"},5]}'"#;
    for args in [&["-q"][..], &["--progress", "plain"][..]] {
        let project = project(command, &[], &["a", "b", "c"]);
        let run = project.run(&[&["eval", "suite.yaml"], args].concat());
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert_eq!(column(&project, "dropped_elements"), [2, 2, 2]);
        assert_eq!(run.stderr.matches("warning: target").count(), 1, "{}", run.stderr);
    }
}

/// A server on loopback that gives the same answer to everyone, and counts.
fn server(status: &'static str) -> (String, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/health", listener.local_addr().unwrap());
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer);
            counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
    (address, count)
}

#[test]
fn a_healthcheck_runs_once_before_the_first_case() {
    let (url, count) = server("204 No Content");
    let check = format!("healthcheck: {{type: http, url: '{url}'}}");
    let project = project("echo ok", &[&check], &["a", "b", "c"]);
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(0));
    assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[test]
fn a_plain_http_healthcheck_needs_no_certificates() {
    let (url, _) = server("200 OK");
    let check = format!("healthcheck: {{type: http, url: '{url}'}}");
    let project = project("echo ok", &[&check], &["a"])
        .env("SSL_CERT_FILE", "/nonexistent")
        .env("SSL_CERT_DIR", "/nonexistent");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn a_command_healthcheck_runs_where_the_targets_belong() {
    let check = "healthcheck: {type: command, command: 'cp {EVAL_ID}-file checked'}";
    let project = project("echo ok", &[check], &["a"]).file("healthcheck-file", "x");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(project.path("checked").exists());
}

#[test]
fn a_failing_healthcheck_makes_every_case_an_error_and_starts_none() {
    let (url, _) = server("503 Service Unavailable");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (check, words) in [
        (format!("{{type: http, url: '{url}'}}"), "answered 503 Service Unavailable".to_owned()),
        (format!("{{type: http, url: 'http://{closed}/'}}"), "onnection refused".to_owned()),
        (
            "{type: command, command_template: 'echo not today >&2; exit 4'}".to_owned(),
            "exited with code 4: not today".to_owned(),
        ),
        (
            "{type: command, command: sleep 60, timeout_seconds: 0.2}".to_owned(),
            "timed out after 0.2 s".to_owned(),
        ),
    ] {
        let project =
            project("touch started; echo ok", &[&format!("healthcheck: {check}")], &["a", "b"]);
        let run = project.run(&["eval", "suite.yaml"]);
        assert_eq!(run.code, Some(3), "{}", run.seen());
        assert_eq!(column(&project, "error_kind"), ["healthcheck", "healthcheck"]);
        let error = column(&project, "error")[0].as_str().unwrap().to_owned();
        assert!(error.contains(&words), "{error}");
        assert!(!project.path("started").exists());
    }
}

#[test]
fn a_sick_target_does_not_keep_the_others_from_running() {
    let targets = "targets:\n  - {name: sick, provider: cli, command: echo ok, healthcheck: {type: command, command: exit 1}}\n  - {name: well, provider: cli, command: echo ok}\n";
    let project = project("", &[], &["a"]).file(".agentv/targets.yaml", targets);
    let run = project.run(&["eval", "suite.yaml", "--target", "sick", "--target", "well"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let mut ends: Vec<_> = rows(&project)
        .iter()
        .map(|row| {
            format!("{} {}", row["target"].as_str().unwrap(), row["status"].as_str().unwrap())
        })
        .collect();
    ends.sort();
    assert_eq!(ends, ["sick error", "well passed"]);
}

#[test]
fn a_duration_that_was_reported_and_says_nothing_is_not_replaced_by_a_measured_one() {
    for (said, known) in [("\"5000\"", false), ("-5", false), ("null", true), ("5000", true)] {
        let command = format!("echo '{{\"text\": \"ok\", \"duration_ms\": {said}}}'");
        let project = project(&command, &[], &["a"]);
        let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
        assert_eq!(run.stdout.contains("durationMs"), known, "{said}: {}", run.seen());
    }
}
