//! Any bytes as a file of an author: as a suite, as a targets file, as a configuration, as
//! variables, as data.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    sync::Arc,
};

use agentv_base::{
    BoxFuture, Node, NodeValue, Problems, ProcessFault, ProcessOutput, ProcessRunner, ProcessSpec,
    Redactor, Sources, Span, Stop,
};
use agentv_case::{LoadOptions, Loaded, load};
use agentv_exec::provider::{self, Services};
use agentv_grade::BuildContext;

use crate::scratch;

/// A targets file without a mistake, for suites to refer to.
const TARGETS: &str = "targets: [{name: default, provider: cli, command_template: echo}]\n";
/// Settings beside data.
const SIDECAR: &str = "evaluators: [{type: contains, value: ok}]\n";
/// Nodes that are looked at in one file; aliases can stand for many more than it holds.
const MOST_NODES: usize = 100_000;

/// The bytes without paths that lead out of their folder: a suite may take its cases from anywhere,
/// and to search this whole machine for them would show nothing.
fn at_home(bytes: &[u8]) -> Vec<u8> {
    let mut kept = bytes.to_vec();
    for at in 0..kept.len() {
        let before = kept.get(..at).unwrap_or_default();
        let in_scheme = before.ends_with(b"file:") || before.ends_with(b"file:/");
        let (byte, next) = (kept[at], kept.get(at + 1).copied());
        if (byte == b'/' && !in_scheme) || (byte == b'.' && next == Some(b'.')) {
            kept[at] = b'_';
        }
    }
    kept
}

/// Panics where loading these bytes breaks a promise.
pub fn check(bytes: &[u8]) {
    let bytes = &at_home(bytes);
    let folder = tempfile::tempdir_in(scratch()).unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join(".agentv")).unwrap();

    fs::write(folder.join(".agentv/targets.yaml"), TARGETS).unwrap();
    fs::write(folder.join("suite.yaml"), bytes).unwrap();
    let first = seen(&load_paths(folder, &["suite.yaml"]));
    let second = seen(&load_paths(folder, &["suite.yaml"]));
    assert_eq!(first, second, "a file loads today as it did yesterday");

    // The same bytes in every other place where an author could write them.
    for name in [".agentv/targets.yaml", ".agentv/config.yaml", ".env", "data.jsonl", "rows.csv"] {
        fs::write(folder.join(name), bytes).unwrap();
    }
    for name in ["data.yaml", "rows.yaml"] {
        fs::write(folder.join(name), SIDECAR).unwrap();
    }
    let paths =
        ["suite.yaml", ".agentv/targets.yaml", ".agentv/config.yaml", "data.jsonl", "rows.csv"];
    load_paths(folder, &paths);
}

/// Loads files, reads everything that a run would need of them, and checks what was found.
fn load_paths(folder: &Path, paths: &[&str]) -> Loaded {
    let mut loaded = load(&LoadOptions {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        current_dir: folder.to_owned(),
        needs_targets: true,
        ..LoadOptions::default()
    });
    if !loaded.problems.has_errors() {
        check_ids(&loaded);
    }
    check_cases(&loaded);
    build_all(&mut loaded);
    for problem in loaded.problems.iter() {
        assert!(!problem.message.trim().is_empty());
        let notes = problem.notes.iter().map(|note| note.span);
        for span in problem.span.into_iter().chain(notes) {
            check_span(span, &loaded.sources);
        }
    }
    loaded
}

/// Everything of a load that could differ from one time to the next.
fn seen(loaded: &Loaded) -> String {
    let suites: Vec<_> = loaded.suites.iter().map(|loaded| &loaded.suite).collect();
    format!("{:?}\n{:?}\n{:?}", loaded.problems, suites, loaded.files_checked)
}

/// A place lies in its file, between characters, and has a line and a column.
fn check_span(span: Span, sources: &Sources) {
    let source = sources.get(span.source).expect("a place is in a file that was read");
    let (start, end) = (span.start as usize, span.end as usize);
    assert!(source.text.get(start..end).is_some(), "{start}..{end} of {:?}", source.text);
    let (line, column) = source.line_and_column(start);
    assert!(line >= 1 && column >= 1);
}

/// What holds for a suite without errors.
fn check_ids(loaded: &Loaded) {
    for suite in &loaded.suites {
        let mut ids = HashSet::new();
        assert!(!suite.suite.cases.is_empty(), "a suite without cases has no error");
        for case in &suite.suite.cases {
            assert!(!case.id().trim().is_empty(), "a case without an id has no error");
            assert!(ids.insert(case.id().to_owned()), "two cases are called {}", case.id());
        }
    }
}

/// What holds for every case, right or not.
fn check_cases(loaded: &Loaded) {
    let mut most = MOST_NODES;
    for case in loaded.suites.iter().flat_map(|suite| &suite.suite.cases) {
        check_span(case.place.span, &loaded.sources);
        let source = loaded.sources.get(case.place.span.source).unwrap();
        let place = source.line_and_column(case.place.span.start as usize);
        assert_eq!((case.place.line, case.place.column), place);
        for target in case.targets.iter() {
            check_span(target.span, &loaded.sources);
        }
        let question = case.input.question();
        assert!(case.input.chat_prompt().iter().all(|turn| !turn.content.is_empty()));
        assert!(question.len() >= question.trim().len());
        case.reference_answer();
        serde_json::to_string(&case.input.messages).expect("messages are JSON");
        for grader in case.graders.iter() {
            check_node(grader, &loaded.sources, &mut most);
        }
    }
}

fn check_node(node: &Node, sources: &Sources, most: &mut usize) {
    if *most == 0 {
        return;
    }
    *most -= 1;
    check_span(node.span, sources);
    match &node.value {
        NodeValue::List(items) => {
            for item in items.iter() {
                check_node(item, sources, most);
            }
        }
        NodeValue::Map(entries) => {
            let mut keys = HashSet::new();
            for entry in entries.iter() {
                assert!(keys.insert(&entry.key), "key {} stands twice in a map", entry.key);
                check_span(entry.key_span, sources);
                check_node(&entry.value, sources, most);
            }
        }
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => {}
    }
}

/// Reads the settings of targets and graders as a run would, and runs nothing.
fn build_all(loaded: &mut Loaded) {
    let services = Services {
        processes: Arc::new(Idle),
        scratch: None,
        stop: Stop::default(),
        redactor: Redactor::default(),
        agent_timeout: None,
        journal: Arc::new(|_| {}),
        verbose: false,
        network: Arc::default(),
    };
    let mut problems = Problems::default();
    for file in &loaded.targets_files {
        for spec in &file.specs {
            provider::build(spec, &services, &mut problems);
            problems.append(file.unset_variables(&spec.name));
        }
    }
    let mut built = HashMap::new();
    for case in loaded.suites.iter().flat_map(|suite| &suite.suite.cases) {
        built.entry(case.graders.as_ptr()).or_insert_with(|| {
            let context = BuildContext {
                suite_dir: case.input.suite_dir(),
                shown_dir: case.input.suite_dir(),
                processes: &services.processes,
                agent_timeout: None,
            };
            agentv_grade::build(&case.graders, &context, &mut problems)
        });
    }
    loaded.problems.append(problems);
}

/// Never asked to run, and would not.
struct Idle;

impl ProcessRunner for Idle {
    fn run(&self, _spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        Box::pin(async { Err(ProcessFault::Interrupted) })
    }
}
