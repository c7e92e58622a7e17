//! The HTML report in a real Chromium: what people see, what they can do, and what an answer that
//! means harm can not.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use agentv_report::{Recorded, Report, format_named};
use agentv_testkit::{Browser, Project};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::project::empty;

/// All that a page must not take for its own.
const HOSTILE: &str = "</script><img src=x onerror=\"window.harmed = 1\"> <script>window.harmed = 2; \
                       alert(1)</script> <!--<script> \" ' &lt;b&gt; \u{1b}[31m \u{202e}desrever\u{202c} \u{0} \u{2028} end";

/// Two targets, tags, a tool trajectory, repeats of nothing, and an answer that means harm.
fn project() -> Project {
    let calls = json!([{"role": "assistant", "content": "Let me look.", "tool_calls": [
        {"tool": "find_order", "input": {"id": "A-1"}, "output": {"state": "sent"}, "duration_ms": 12},
    ]}]);
    let target = |name: &str, greeting: &str| {
        json!({"name": name, "provider": "mock", "response": greeting, "responses": {
            "hostile": {"text": HOSTILE, "cost_usd": 0.25, "token_usage": {"input": 1200, "output": 34}},
            "order": {"text": "It was sent.", "output_messages": calls},
        }})
    };
    let targets =
        json!({"targets": [target("careful", "hello there"), target("hasty", "good bye")]});
    let case = |id: &str, tags: &[&str], graders: Value| {
        json!({"id": id, "input": format!("What of {id}?"), "expected_output": "hello there, stranger",
               "tags": tags, "assert": graders})
    };
    let greets = json!([{"type": "contains", "value": "hello"}]);
    let suite = json!({"dataset": "talk", "evalcases": [
        case("greeting", &["words", "easy"], greets.clone()),
        case("hostile", &["words"], greets.clone()),
        case("order", &["tools"], json!([
            {"type": "tool_trajectory", "mode": "in_order", "expected": ["find_order"]},
        ])),
        case("farewell", &["easy"], json!([{"type": "contains", "value": "bye"}])),
    ]});
    empty().file(".agentv/targets.yaml", targets.to_string()).file("talk.yaml", suite.to_string())
}

fn report(project: &Project) -> PathBuf {
    let args = [
        "eval",
        "talk.yaml",
        "--target",
        "careful",
        "--target",
        "hasty",
        "--include-trace",
        "--no-fail",
        "--out",
        "report.html",
    ];
    let run = project.run(&args);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    project.path("report.html")
}

/// Texts of all elements that a selector finds.
fn texts(browser: &mut Browser, selector: &str) -> Vec<String> {
    let script =
        format!("[...document.querySelectorAll({})].map(it => it.innerText)", json!(selector));
    let Value::Array(found) = browser.evaluate(&script) else { panic!("{selector}") };
    found.into_iter().map(|text| text.as_str().unwrap().trim().to_owned()).collect()
}

fn text(browser: &mut Browser, selector: &str) -> String {
    texts(browser, selector).join("\n")
}

fn click(browser: &mut Browser, selector: &str) {
    browser.evaluate(&format!("document.querySelector({}).click()", json!(selector)));
}

/// Types into a field, or chooses in a list.
fn set(browser: &mut Browser, id: &str, value: &str) {
    browser.evaluate(&format!(
        "{{ const it = document.getElementById({}); it.value = {}; \
         it.dispatchEvent(new Event(it.tagName === 'SELECT' ? 'change' : 'input')); }}",
        json!(id),
        json!(value)
    ));
}

/// The ids that are listed, in order.
fn listed(browser: &mut Browser) -> Vec<String> {
    texts(browser, "#list td.id button")
}

fn assert_clean(browser: &mut Browser, file: &Path) {
    let seen = browser.seen();
    assert_eq!(seen.console, Vec::<String>::new());
    assert_eq!(seen.dialogs, Vec::<String>::new());
    assert_eq!(seen.requests.len(), 1, "only the file itself: {seen:?}");
    assert!(seen.requests[0].ends_with(file.file_name().unwrap().to_str().unwrap()), "{seen:?}");
    assert_eq!(browser.evaluate("typeof window.harmed"), "undefined");
}

fn assert_fits(browser: &mut Browser, what: &str) {
    let widths = browser.evaluate("[document.documentElement.scrollWidth, innerWidth]");
    assert!(widths[0].as_u64() <= widths[1].as_u64(), "{what}: {widths}");
}

#[test]
fn a_report_can_be_looked_through_and_harms_nobody() {
    let mut browser = Browser::start();
    let project = project();
    let file = report(&project);
    browser.set_size(1280, 900, false);
    browser.open(&file, "");
    assert_eq!(text(&mut browser, "h1"), "4 of 8 passed");
    assert!(text(&mut browser, ".tiles").contains("95 % interval (Wilson), 8 graded cases"));
    assert_eq!(listed(&mut browser).len(), 8);

    set(&mut browser, "status", "failed");
    assert_eq!(listed(&mut browser), ["greeting", "hostile", "hostile", "farewell"]);
    set(&mut browser, "target", "hasty");
    assert_eq!(listed(&mut browser), ["greeting", "hostile"]);
    assert_eq!(text(&mut browser, "#shown"), "2 of 8 answers");
    assert_eq!(browser.evaluate("location.hash"), "#status=failed&target=hasty");
    click(&mut browser, "#clear");
    set(&mut browser, "tag", "tools");
    assert_eq!(listed(&mut browser), ["order", "order"]);
    click(&mut browser, "#clear");
    set(&mut browser, "find", "DESREVER");
    let done = "new Promise(done => { const look = () => haystacks.isDone() ? done(1) : setTimeout(look, 5); look(); })";
    browser.evaluate(done);
    assert_eq!(listed(&mut browser), ["hostile", "hostile"], "answers are searched");
    click(&mut browser, "#clear");

    click(&mut browser, "[data-sort=id]");
    assert_eq!(listed(&mut browser)[..3], ["farewell", "farewell", "greeting"]);
    click(&mut browser, "[data-sort=id]");
    assert_eq!(listed(&mut browser)[..3], ["order", "order", "hostile"]);
    let sorted = "document.querySelector('th.id').getAttribute('aria-sort')";
    assert_eq!(browser.evaluate(sorted), "descending");
    assert_clean(&mut browser, &file);
}

#[test]
fn a_case_shows_its_answer_as_text_and_everything_behind_it() {
    let mut browser = Browser::start();
    let project = project();
    let file = report(&project);
    browser.set_size(1280, 900, false);
    browser.open(&file, "#status=failed");
    browser.press("j");
    browser.press("j");
    browser.press("Enter");
    let answer = text(&mut browser, "#case");
    for part in [
        "<script>window.harmed = 2; alert(1)</script>",
        "onerror=\"window.harmed = 1\"",
        "&lt;b&gt;",
        "U+001B[31m",
        "U+202Edesrever",
        "U+0000",
        "hello there, stranger",
        "What of hostile?",
        "1,200 read, 34 written",
        "$0.2500",
        "talk.yaml:",
        "agentv eval talk.yaml --eval-id hostile --target careful",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    assert_eq!(browser.evaluate("document.querySelectorAll('#case img, #case script').length"), 0);
    browser.press("k");
    assert_eq!(text(&mut browser, "#case-name"), "greeting");
    assert!(text(&mut browser, "#case").contains("They have no word in common."));
    browser.press("Escape");
    assert_eq!(browser.evaluate("document.getElementById('case').hidden"), true);
    browser.press("/");
    assert_eq!(browser.evaluate("document.activeElement.id"), "find");

    // A link opens the same view, with messages and tool calls.
    browser.open(&file, "#case=4");
    assert_eq!(text(&mut browser, "#case-name"), "order");
    let said = text(&mut browser, "#case");
    for part in ["find_order", "Let me look.", "12 ms", "tool_trajectory"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    click(&mut browser, "#view-matrix");
    click(&mut browser, ".close");
    assert_eq!(texts(&mut browser, ".matrix thead th"), ["Case", "careful", "hasty"]);
    let cells = texts(&mut browser, ".matrix td.cell");
    assert_eq!(cells.len(), 8);
    assert_eq!(cells[0], "pass 1.000");
    assert_eq!(cells[1], "fail 0.000");
    assert_clean(&mut browser, &file);
}

#[test]
fn a_report_fits_a_phone_the_dark_and_paper() {
    let mut browser = Browser::start();
    let project = project();
    let file = report(&project);
    browser.set_size(360, 740, true);
    browser.open(&file, "");
    assert_fits(&mut browser, "the summary and the list");
    click(&mut browser, "#view-matrix");
    assert_fits(&mut browser, "the matrix");
    browser.open(&file, "#case=2");
    assert_fits(&mut browser, "a case");
    let panel = "(() => { const it = document.getElementById('case'); return it.scrollWidth <= it.clientWidth; })()";
    assert_eq!(browser.evaluate(panel), true, "a case, in itself");

    let ground = "getComputedStyle(document.body).backgroundColor";
    browser.set_media("light", false);
    let light = browser.evaluate(ground);
    browser.set_media("dark", false);
    let dark = browser.evaluate(ground);
    assert_ne!(light, dark);
    click(&mut browser, "#theme");
    assert_eq!(browser.evaluate(ground), light, "the switch goes before the system");

    browser.set_media("light", true);
    // The page hears of paper when it is drawn the next time, whenever that is.
    let ready = "new Promise(done => { const look = () => \
                 document.getElementById('print').childElementCount > 0 ? done(true) : setTimeout(look, 5); \
                 look(); })";
    assert_eq!(browser.evaluate(ready), true);
    let printed = text(&mut browser, "#print");
    for part in ["desrever", "hello there, stranger", "farewell"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let boxes = "[...document.querySelectorAll('#print pre')].every(it => it.scrollHeight <= it.clientHeight + 1)";
    assert_eq!(browser.evaluate(boxes), true, "nothing is cut off on paper");
    assert_clean(&mut browser, &file);
}

/// As policies write hashes.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, place| {
            bits << 8 | three.get(place).map_or(0, |byte| usize::from(*byte))
        });
        for place in 0..4 {
            let letter = char::from(LETTERS[bits >> (18 - 6 * place) & 63]);
            text.push(if place > three.len() { '=' } else { letter });
        }
    }
    text
}

#[test]
fn the_policy_lets_the_script_run_that_is_in_the_page() {
    let page = fs::read_to_string(report(&project())).unwrap();
    let (_, script) = page.split_once("<script>").unwrap();
    let (script, _) = script.split_once("</script>").unwrap();
    let hash = base64(&Sha256::digest(script));
    let policy = format!("script-src 'sha256-{hash}'");
    assert!(
        page.contains(&policy),
        "write {hash} into crates/agentv-report/src/render/html/script/sha256"
    );
}

#[test]
fn the_command_runs_this_case_alone_whatever_it_is_called() {
    let ids = ["-dash", "all*of?[them]", "{a,b}\\c", "it's", "two\nlines"];
    let cases: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "input": "Hi", "assert": [{"type": "contains", "value": "x"}]}))
        .collect();
    let suite = json!({"evalcases": cases, "execution": {"target": "only"}});
    let targets = json!({"targets": [{"name": "only", "provider": "mock", "response": "no"}]});
    let project = empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("talk.yaml", suite.to_string());
    let run =
        project.run(&["eval", "talk.yaml", "--threshold", "0.5", "--no-fail", "--out", "a.html"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let mut browser = Browser::start();
    browser.open(&project.path("a.html"), "");
    let commands = browser.evaluate("rows.map(row => againCommand(rowAt(row.place)))");
    let expected = [
        "--eval-id=-dash",
        r"--eval-id 'all\*of\?\[them]'",
        r"--eval-id '\{a,b\}\\c'",
        r"--eval-id 'it'\''s'",
        r"--eval-id $'two\nlines'",
    ];
    let expected = expected.map(|id| format!("agentv eval talk.yaml {id} --threshold 0.5"));
    assert_eq!(commands, json!(expected));
    assert_clean(&mut browser, &project.path("a.html"));
}

#[test]
fn what_was_not_recorded_is_told_from_what_was_not_there() {
    let row = |id: &str, answer: Option<&str>, more: Value| {
        let mut row = json!({
            "timestamp": "2026-01-02T03:04:05.000Z", "eval_id": id, "dataset": "d", "suite": "d.yaml",
            "target": "agent", "repeat": 1, "status": "failed", "score": 0.25, "verdict": "fail",
            "threshold": 0.8, "hits": [], "misses": [], "candidate_answer": answer, "attempts": 1,
        });
        row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        row
    };
    let error = json!({"status": "error", "score": null, "verdict": null, "error": "timed out"});
    let quiet = [row("quiet", Some("hm"), json!({})), row("late", None, error)];
    let messages = json!({"output_messages": [{"role": "assistant", "content": "I see."}]});
    let traced = [&quiet[..], &[row("talkative", Some("I see."), messages)]].concat();
    let mut browser = Browser::start();
    // As wide as many screens are: the numbers stand in two columns, beside each other.
    browser.set_size(1280, 900, false);
    let folder = tempfile::tempdir().unwrap();
    let mut check = |name: &str, rows: &[Value], told: [&str; 2]| {
        let file = page_of(folder.path(), name, rows);
        for (place, part) in told.iter().enumerate() {
            browser.open(&file, &format!("#case={place}"));
            let messages = "[...document.querySelectorAll('#case section')]\
                            .find(it => it.innerText.startsWith('Messages')).innerText";
            let said = browser.evaluate(messages);
            assert!(said.as_str().unwrap().contains(part), "{part}: {said}");
            assert_eq!(browser.evaluate("scrollY"), 0, "it opens at its top");
        }
        let verdict = format!("0 of {} graded passed, 1 error", rows.len() - 1);
        assert_eq!(text(&mut browser, "h1"), verdict);
        assert_clean(&mut browser, &file);
    };
    check("bare", &quiet, ["--include-trace", "There was no answer"]);
    check("traced", &traced, ["The target gave none.", "There was no answer"]);
    let columns = "getComputedStyle(document.querySelector('.overview')).gridTemplateColumns";
    let columns = browser.evaluate(columns);
    assert_eq!(columns.as_str().unwrap().split(' ').count(), 2, "{columns}");
    assert_fits(&mut browser, "two columns");
}

/// A report of these rows, without a run.
fn page_of(folder: &Path, name: &str, rows: &[Value]) -> PathBuf {
    let lines = rows.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let file = folder.join(format!("{name}.jsonl"));
    fs::write(&file, lines).unwrap();
    page_of_file(&file)
}

fn page_of_file(rows: &Path) -> PathBuf {
    let recorded = [Recorded::of_file(rows, "rows", |_| unreachable!("it is JSONL")).unwrap()];
    let file = rows.with_extension("html");
    let mut out = BufWriter::new(File::create(&file).unwrap());
    format_named("html").unwrap().write(&Report::of(&recorded), &mut out).unwrap();
    out.into_inner().unwrap();
    file
}

/// A report of so many rows, each with an answer of two kilobytes.
fn large_report(folder: &Path, count: usize) -> PathBuf {
    let rows = folder.join("rows.jsonl");
    let mut out = BufWriter::new(File::create(&rows).unwrap());
    let padding = "lorem ipsum dolor sit amet ".repeat(75);
    for place in 0..count {
        let is_good = place % 7 != 0;
        let mut answer = String::new();
        write!(answer, "answer number {place} {padding}").unwrap();
        let row = json!({
            "timestamp": "2026-01-02T03:04:05.000Z", "eval_id": format!("case-{place:05}"), "dataset": "large",
            "suite": "large.yaml", "target": "agent", "repeat": 1, "status": if is_good { "passed" } else { "failed" },
            "score": if is_good { 1.0 } else { 0.25 }, "verdict": if is_good { "pass" } else { "fail" },
            "threshold": 0.8, "hits": [], "misses": if is_good { json!([]) } else { json!(["it is not so"]) },
            "candidate_answer": answer, "question": format!("question {place}"), "attempts": 1,
        });
        writeln!(out, "{row}").unwrap();
    }
    out.into_inner().unwrap();
    page_of_file(&rows)
}

#[test]
fn ten_thousand_cases_are_listed_scrolled_and_searched_with_few_elements() {
    let mut browser = Browser::start();
    let folder = tempfile::tempdir().unwrap();
    let file = large_report(folder.path(), 10_000);
    browser.set_size(1280, 900, false);
    browser.open(&file, "");
    let elements = "document.querySelectorAll('*').length";
    let few = |browser: &mut Browser, when: &str| {
        let count = browser.evaluate(elements).as_u64().unwrap();
        assert!(count < 2000, "{count} elements {when}");
    };
    few(&mut browser, "at first");
    assert_eq!(text(&mut browser, "#shown"), "10,000 cases");
    let frames =
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))";
    for share in ["0.5", "0.9", "1"] {
        browser.evaluate(&format!("scrollTo(0, document.documentElement.scrollHeight * {share})"));
        browser.evaluate(frames);
        few(&mut browser, "after scrolling");
        assert!(!listed(&mut browser).is_empty());
    }
    assert_eq!(listed(&mut browser).last().unwrap(), "case-09999");
    set(&mut browser, "status", "failed");
    assert_eq!(text(&mut browser, "#shown"), "1,429 of 10,000 cases");
    set(&mut browser, "find", "number 9996 lorem");
    let done = "new Promise(done => { const look = () => haystacks.isDone() ? done(1) : setTimeout(look, 5); look(); })";
    browser.evaluate(done);
    browser.evaluate(frames);
    assert_eq!(listed(&mut browser), ["case-09996"]);
    click(&mut browser, "#list td.id button");
    assert!(text(&mut browser, "#case").contains("answer number 9996 lorem"));
    few(&mut browser, "with a case open");
    assert_clean(&mut browser, &file);
}
