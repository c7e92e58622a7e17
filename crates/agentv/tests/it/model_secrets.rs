//! Keys of models: sent to the service that they are for, and found nowhere else, whatever the
//! service does with them.

use agentv_testkit::{Answer, Asked, ModelServer, Project, Run, Vendor};
use serde_json::{Value, json};

use crate::{
    model_project::{VENDORS, as_judge, everything_in, is_judging, judgement, project_of, target},
    project::rows,
};

const CANARY: &str = "canary-7f3a91c2d4e85b60";

/// Every way in which a service gives a key away; a case of this name is answered so.
const WAYS: &[&str] = &[
    "plain",
    "refused",
    "forbidden",
    "fault",
    "page",
    "page-200",
    "garbage",
    "wrong-form",
    "moved",
    "many",
    "cut",
    "header",
    "not-text",
];

/// Answers to one of the ways with all that it was told of the key.
fn echo(asked: &Asked) -> Answer {
    let told = asked.headers.iter().filter(|(_, value)| value.contains(CANARY));
    let told: Vec<String> = told.map(|(name, value)| format!("{name}: {value}")).collect();
    let told = format!("{} {} {}", told.join(", "), asked.query, CANARY);
    let error = |message: &str| json!({"error": {"message": message, "type": "x", "code": 7}});
    let prompt = asked.prompt();
    let way =
        WAYS.iter().filter(|way| prompt.contains(&format!("<{way}>"))).max_by_key(|w| w.len());
    match way.copied().unwrap_or_default() {
        "refused" => Answer::fault(400, &error(&told)),
        "forbidden" => Answer::fault(401, &error(&told)).header("www-authenticate", &told),
        "fault" => Answer::fault(500, &error(&told)),
        "page" => Answer::html(502, &told),
        "page-200" => Answer::html(200, &told),
        "garbage" => Answer::raw(200, "application/json", format!("{{\"key\": \"{told}")),
        "wrong-form" => Answer::raw(200, "application/json", json!({"key": told}).to_string()),
        "moved" => Answer::redirect(302, &format!("http://{CANARY}.test/?key={CANARY}")),
        // Wherever it is cut, it is cut in the middle of a key.
        "many" => Answer::fault(400, &error(&CANARY.repeat(2000))),
        "cut" => Answer::raw(403, "text/plain", format!("{} {CANARY}", "x".repeat(190))),
        "not-text" => Answer::raw(403, "text/plain", [told.as_bytes(), b"\xff\xfe"].concat()),
        "header" => Answer::text("ok").header("x-your-key", &told).header("set-cookie", &told),
        _ => Answer::text("ok"),
    }
}

fn echoing() -> ModelServer {
    ModelServer::start().key(CANARY).answers(echo)
}

/// A suite with a case for each of the ways.
fn suite() -> String {
    let cases: Vec<Value> =
        WAYS.iter().map(|way| json!({"id": way, "input": format!("<{way}>")})).collect();
    json!({"evaluators": [{"type": "contains", "value": "ok"}], "evalcases": cases}).to_string()
}

/// Asserts that no piece of the key that is worth anything is in a text.
fn assert_clean(place: &str, text: &str) {
    let (start, end) = (CANARY.split_at(12).0, CANARY.split_at(CANARY.len() - 12).1);
    for piece in [start, end] {
        // Enough of the text around it to find the place.
        let before = text.split_once(piece).map(|(before, after)| {
            let before: Vec<char> = before.chars().rev().take(200).collect();
            let after: String = after.chars().take(200).collect();
            format!("{}<KEY>{after}", before.iter().rev().collect::<String>())
        });
        assert_eq!(before, None, "{place} holds the key");
    }
}

/// Asserts that the key is in no stream and in no file besides those that the author wrote it into.
fn assert_no_key(project: &Project, run: &Run) {
    assert_clean("standard output", &run.stdout);
    assert_clean("standard error", &run.stderr);
    for (path, text) in everything_in(&project.path("")) {
        if !path.ends_with("/.env") && !path.ends_with(".agentv/targets.yaml") {
            assert_clean(&path, &text);
        }
    }
}

/// Runs everything that could tell, and looks everywhere for the key.
fn check(project: &Project, server: &ModelServer) {
    let everything = [
        "eval",
        "suite.yaml",
        "--target",
        "agent",
        "-v",
        "--include-trace",
        "--include-prompts",
        "--dump-prompts",
        "--dump-traces",
        "--out",
        "out.jsonl",
        "--out",
        "out.yaml",
    ];
    let run = project.run(&everything);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_no_key(project, &run);
    assert_eq!(rows(project).len(), WAYS.len());
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent", "-v"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_no_key(project, &run);
    let run = project.run(&["validate", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_no_key(project, &run);
    let asked = server.asked();
    // Else there would have been nothing to give away.
    let knew = |asked: &Asked| format!("{:?}{}", asked.headers, asked.query).contains(CANARY);
    assert!(asked.iter().all(knew), "{:?}", asked.iter().find(|asked| !knew(asked)));
}

/// A project that asks `server` with these settings.
fn project(vendor: Vendor, server: &ModelServer, settings: &Value) -> Project {
    let mut all = json!({"max_retries": 1});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    project_of(&[target("agent", vendor, server, &all)], &[]).file("suite.yaml", suite())
}

#[test]
fn a_key_from_the_environment_is_nowhere_whatever_the_vendor() {
    for vendor in VENDORS {
        let server = echoing();
        let settings = json!({"api_key": "${{ SERVICE_KEY }}"});
        check(&project(vendor, &server, &settings).env("SERVICE_KEY", CANARY), &server);
    }
}

#[test]
fn a_key_from_a_variable_whose_name_says_nothing_is_nowhere() {
    let server = echoing();
    let settings = json!({"api_key": "${{ BLUE }}"});
    check(&project(Vendor::OpenaiChat, &server, &settings).env("BLUE", CANARY), &server);
}

#[test]
fn a_key_from_a_file_of_variables_is_nowhere() {
    let server = echoing();
    let settings = json!({"api_key": "${{ SERVICE_KEY }}"});
    let project = project(Vendor::OpenaiChat, &server, &settings)
        .file(".env", format!("SERVICE_KEY={CANARY}\n"));
    check(&project, &server);
}

#[test]
fn a_key_that_is_written_into_the_targets_is_nowhere_else() {
    for vendor in VENDORS {
        let server = echoing();
        check(&project(vendor, &server, &json!({"api_key": CANARY})), &server);
    }
}

#[test]
fn a_key_in_a_header_is_nowhere_else() {
    for (name, value) in [
        ("Authorization", format!("Bearer {CANARY}")),
        ("X-Gateway-Token", CANARY.to_owned()),
        ("Cookie", format!("session={CANARY}; theme=dark")),
    ] {
        for value in [value.clone(), value.replace(CANARY, "${{ BLUE }}")] {
            let server = ModelServer::start().answers(echo);
            let headers = json!({name: value});
            let settings = json!({"headers": headers});
            let project = project(Vendor::Anthropic, &server, &settings).env("BLUE", CANARY);
            check(&project, &server);
        }
    }
}

#[test]
fn a_password_in_an_address_is_nowhere_else() {
    let server = ModelServer::start().answers(echo);
    let address = server.openai_url().replace("http://", &format!("http://me:{CANARY}@"));
    let project = project(Vendor::OpenaiChat, &server, &json!({"base_url": address}));
    let run = project.run(&["eval", "suite.yaml", "-v"]);
    // Refused or asked: it is told to nobody.
    assert_ne!(run.code, Some(0), "{}", run.seen());
    assert_no_key(&project, &run);
}

#[test]
fn a_password_in_an_address_of_a_command_is_not_recorded() {
    let server = ModelServer::start();
    let address = server.base_url().replace("http://", &format!("http://me:{CANARY}@"));
    let targets = [
        json!({"name": "agent", "provider": "cli", "command": "echo ok",
            "healthcheck": {"type": "http", "url": address}}),
        json!({"name": "other", "provider": "cli", "workers": 1,
            "command": format!("echo {{PROMPT}} http://example.test/ {address} > /dev/null; echo ok")}),
    ];
    for target in ["agent", "other"] {
        let project = project_of(&targets, &["a"]);
        let run = project.run(&["eval", "suite.yaml", "--target", target]);
        assert_eq!(crate::project::manifest(&project)["targets"][0]["name"], target);
        assert_no_key(&project, &run);
    }
}

#[test]
fn a_problem_beside_a_key_is_told_without_it() {
    let server = ModelServer::start();
    for settings in [
        json!({"api_key": CANARY, "modle": "x"}),
        json!({"api_key": CANARY, "headers": {"Authorization": format!("Bearer {CANARY}")}}),
        json!({"api_key": format!("{CANARY}\u{7}")}),
        json!({"headers": {"X-Api-Key": format!("{CANARY}\u{7}")}}),
        json!({"temperature": CANARY, "api_key": CANARY}),
    ] {
        let project = project(Vendor::OpenaiChat, &server, &settings);
        for args in [
            &["eval", "suite.yaml", "-v"][..],
            &["validate", "suite.yaml"][..],
            &["validate", "suite.yaml", "--format", "json"][..],
            &["validate", "suite.yaml", "--format", "sarif"][..],
            &["validate", "suite.yaml", "--format", "github"][..],
            &["invoke", "suite.yaml", "--target", "agent"][..],
        ] {
            let run = project.run(args);
            assert_eq!(run.code, Some(2), "{settings}: {}", run.seen());
            assert_no_key(&project, &run);
        }
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn the_password_of_a_proxy_is_nowhere() {
    let nobody = agentv_testkit::Nobody::new();
    let server = ModelServer::start();
    let proxy = nobody.url().replace("http://", &format!("http://me:{CANARY}@"));
    let settings = json!({"base_url": "http://models.test/v1", "max_retries": 0});
    let project = project(Vendor::OpenaiChat, &server, &settings).env("HTTP_PROXY", &proxy);
    let run = project.run(&["eval", "suite.yaml", "-v"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_no_key(&project, &run);
}

#[test]
fn what_a_service_says_of_a_key_is_told_without_it() {
    let server = echoing();
    let project = project(Vendor::OpenaiChat, &server, &json!({"api_key": CANARY}));
    project.run(&["eval", "suite.yaml"]);
    for row in rows(&project) {
        let way = row["eval_id"].as_str().unwrap();
        let told = row["error"].as_str().unwrap_or_default();
        // A redirection is named by its status; an answer has no error.
        if !["plain", "header", "moved", "wrong-form"].contains(&way) {
            assert!(told.contains("***"), "{way}: {told}");
        }
    }
}

#[test]
fn the_key_of_a_judge_is_nowhere() {
    let server = ModelServer::start().answers(|asked| {
        let ways = ["<plain>", "<header>"];
        if !is_judging(asked) {
            return Answer::text("ok");
        }
        let judges = ways.iter().any(|way| asked.prompt().contains(way));
        if judges { judgement() } else { echo(asked) }
    });
    let settings = json!({"api_key": "${{ JUDGE_KEY }}", "max_retries": 0});
    let targets = [
        target("agent", Vendor::OpenaiChat, &server, &json!({"judge_target": "judge"})),
        as_judge(target("judge", Vendor::Anthropic, &server, &settings), Vendor::Anthropic),
    ];
    let cases: Vec<Value> =
        WAYS.iter().map(|way| json!({"id": way, "input": format!("<{way}>")})).collect();
    let graders = json!([
        {"name": "weighed", "type": "composite", "aggregator": "llm_judge",
         "evaluators": [{"type": "contains", "value": "ok"}]},
        {"name": "watching", "type": "code_judge", "script": "sh watch.sh"},
    ]);
    let suite = json!({"evaluators": graders, "evalcases": cases});
    // What a child is told and how it was called is in files that are looked through.
    let watch = "cat > told-$$; cat /proc/$$/cmdline /proc/$PPID/cmdline > called-$$ 2> /dev/null\n\
                 echo '{\"score\": 1}'\n";
    let project = project_of(&targets, &[])
        .file("suite.yaml", suite.to_string())
        .file("watch.sh", watch)
        .env("JUDGE_KEY", CANARY);
    let run = project.run(&[
        "eval",
        "suite.yaml",
        "--target",
        "agent",
        "-v",
        "--include-trace",
        "--include-prompts",
        "--dump-prompts",
        "--out",
        "out.jsonl",
        "--out",
        "out.yaml",
    ]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_no_key(&project, &run);
    let judged = server.asked().iter().filter(|asked| is_judging(asked)).count();
    assert!(judged >= WAYS.len(), "{judged}");
    let files = everything_in(&project.path(""));
    assert_eq!(files.iter().filter(|(path, _)| path.contains("/told-")).count(), WAYS.len());
}

/// Agents print their environment.
#[test]
fn a_key_that_a_command_answers_with_is_seen_by_graders_and_kept_nowhere() {
    let project = crate::project::empty()
        .file(
            ".agentv/targets.yaml",
            "targets:\n  - {name: default, provider: cli, command: 'echo the key is $MY_API_KEY', \
             env: {MY_API_KEY: '${{ MY_API_KEY }}'}}\n",
        )
        .file(
            "suite.yaml",
            "evalcases:\n  - {id: a, input: x, assert: [{type: not-contains, value: canary-}]}\n",
        )
        .env("MY_API_KEY", CANARY);
    let run = project.run(&["eval", "suite.yaml", "--out", "rows.jsonl", "--include-trace"]);
    assert_eq!(run.code, Some(1), "the grader saw it: {}", run.seen());
    assert_eq!(rows(&project)[0]["candidate_answer"], "the key is ***\n");
    for (file, text) in everything_in(&project.path("")) {
        assert!(!text.contains(CANARY), "{file}");
    }
    let run = project.run(&["invoke", "suite.yaml", "--target", "default"]);
    assert!(
        run.stdout.contains("the key is ***") && !run.stdout.contains(CANARY),
        "{}",
        run.seen()
    );
}
