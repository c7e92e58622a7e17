//! For the tests of this crate: settings with places, a case, responses, and processes that only
//! pretend.

mod scripted;

use std::{
    future::Future,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use agentv_base::{
    Bench, BoxFuture, Captured, CasePlace, CommandRaw, Entry, EvalCase, Exit, GradeContext,
    GraderFault, Input, Messages, Node, NodeValue, Problems, ProcessFault, ProcessOutput,
    ProcessRunner, ProcessSpec, Provenance, Raw, Response, Score, Span,
};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) use self::scripted::{Scripted, bench_of};
use crate::{BuildContext, build};

/// A value as if it had been read from a file: each key and each value has a place of its own.
pub(crate) fn node(value: &Value) -> Node {
    place_all(value, &mut 0)
}

fn place_all(value: &Value, places: &mut u32) -> Node {
    let span = next(places);
    let value = match value {
        Value::Null => NodeValue::Null,
        Value::Bool(value) => NodeValue::Bool(*value),
        Value::Number(number) => number
            .as_i64()
            .map_or_else(|| NodeValue::Float(number.as_f64().unwrap()), NodeValue::Integer),
        Value::String(text) => NodeValue::String(text.as_str().into()),
        Value::Array(items) => {
            let items = items.iter().map(|item| place_all(item, places));
            NodeValue::List(items.collect())
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| Entry {
                key: key.as_str().into(),
                key_span: next(places),
                value: place_all(value, places),
            });
            NodeValue::Map(entries.collect())
        }
    };
    Node::new(span, value)
}

/// Places have no length, so that they say nothing about how a number was written.
fn next(places: &mut u32) -> Span {
    *places += 1;
    Span { start: *places, end: *places, ..Span::default() }
}

/// The same with every decimal infinite. JSON has no text for such numbers, so they are put in
/// where others stood.
pub(crate) fn with_infinities(mut node: Node) -> Node {
    fn spoil(node: &mut Node) {
        match &mut node.value {
            NodeValue::Float(value) => *value *= f64::INFINITY,
            NodeValue::List(items) => Arc::make_mut(items).iter_mut().for_each(spoil),
            NodeValue::Map(entries) => {
                for entry in Arc::make_mut(entries) {
                    spoil(&mut entry.value);
                }
            }
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::String(_) => {
            }
        }
    }
    spoil(&mut node);
    node
}

/// Where a span stands, as `/0/value`, or `/0/value#key` for the key itself.
pub(crate) fn place(node: &Node, span: Span) -> String {
    fn search(node: &Node, span: Span, path: &str) -> Option<String> {
        if node.span == span {
            return Some(path.to_owned());
        }
        if let Some(items) = node.as_list() {
            let mut items = items.iter().enumerate();
            return items.find_map(|(index, item)| search(item, span, &format!("{path}/{index}")));
        }
        node.as_map()?.iter().find_map(|entry| {
            let path = format!("{path}/{}", entry.key);
            if entry.key_span == span {
                return Some(path + "#key");
            }
            search(&entry.value, span, &path)
        })
    }
    search(node, span, "").unwrap_or_else(|| panic!("{span:?} is nowhere"))
}

type Behaviour = dyn Fn(&ProcessSpec) -> Result<ProcessOutput, ProcessFault> + Send + Sync;

/// Runs nothing: remembers what it was asked to run, and answers as it was told.
pub(crate) struct FakeProcesses {
    behaviour: Box<Behaviour>,
    pub(crate) asked: Mutex<Vec<ProcessSpec>>,
}

impl ProcessRunner for FakeProcesses {
    fn run(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        let result = (self.behaviour)(&spec);
        self.asked.lock().unwrap().push(spec);
        Box::pin(async move { result })
    }
}

/// What a process that ended by itself left.
pub(crate) fn ended(code: i32, stdout: &str, stderr: &str) -> ProcessOutput {
    let captured = |text: &str| Captured { head: text.as_bytes().to_vec(), ..Captured::default() };
    ProcessOutput {
        exit: Exit::Code(code),
        stdout: captured(stdout),
        stderr: captured(stderr),
        duration: Duration::ZERO,
        ended_leftovers: 0,
        leaked: Vec::new(),
    }
}

/// A suite's folder and the processes that its judges are.
pub(crate) struct Project {
    folder: TempDir,
    pub(crate) fake: Arc<FakeProcesses>,
    processes: Arc<dyn ProcessRunner>,
}

impl Project {
    /// In which no process is ever asked for.
    pub(crate) fn new() -> Self {
        Self::with(|spec| panic!("nothing should run: {spec:?}"))
    }

    pub(crate) fn with(
        behaviour: impl Fn(&ProcessSpec) -> Result<ProcessOutput, ProcessFault> + Send + Sync + 'static,
    ) -> Self {
        let fake =
            Arc::new(FakeProcesses { behaviour: Box::new(behaviour), asked: Mutex::default() });
        Self { folder: tempfile::tempdir().unwrap(), processes: fake.clone(), fake }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path().join(file), text).unwrap();
    }

    pub(crate) fn context(&self) -> BuildContext<'_> {
        BuildContext {
            suite_dir: self.path(),
            shown_dir: Path::new("evals"),
            processes: &self.processes,
            agent_timeout: Some(Duration::from_mins(2)),
        }
    }

    /// What the grader with these keys says to a response.
    pub(crate) fn try_grade(
        &self,
        keys: &Value,
        case: &EvalCase,
        response: &Response,
    ) -> Result<Score, GraderFault> {
        let mut problems = Problems::default();
        let built = build(&[node(keys)], &self.context(), &mut problems);
        let built = built.unwrap_or_else(|| panic!("{problems:?}"));
        with_context(case, response, |context| block_on(built.graders[0].grader.grade(context)))
    }

    /// What the grader with these keys would lack to grade a case.
    pub(crate) fn lacks(&self, keys: &Value, case: &EvalCase) -> Option<String> {
        let built = build(&[node(keys)], &self.context(), &mut Problems::default()).unwrap();
        built.graders[0].grader.lacks(case)
    }

    /// The errors of the grader with these keys, each with its place.
    pub(crate) fn errors_of(&self, keys: &Value) -> Vec<(String, String)> {
        self.errors_in(&node(keys))
    }

    pub(crate) fn errors_in(&self, node: &Node) -> Vec<(String, String)> {
        let mut problems = Problems::default();
        let built = build(std::slice::from_ref(node), &self.context(), &mut problems);
        assert_eq!(built.is_none(), problems.has_errors());
        let told = problems.iter().map(|problem| {
            let at = problem.span.map(|span| place(node, span));
            (at.unwrap_or_default(), problem.message.clone())
        });
        told.collect()
    }
}

/// What graders are told of an answer to a case, as far as tests care.
pub(crate) fn with_context<T>(
    case: &EvalCase,
    response: &Response,
    look: impl FnOnce(&GradeContext<'_>) -> T,
) -> T {
    look(&GradeContext {
        case,
        target: "agent",
        response,
        repeat: 1,
        threshold: 0.8,
        bench: &Bench::default(),
    })
}

pub(crate) fn errors_of(keys: &Value) -> Vec<(String, String)> {
    Project::new().errors_of(keys)
}

pub(crate) fn grade(keys: &Value, response: &Response) -> Score {
    Project::new().try_grade(keys, &eval_case(), response).unwrap()
}

pub(crate) fn grade_text(keys: &Value, answer: &str) -> Score {
    grade(keys, &response(&json!({"text": answer})))
}

fn messages(message: &Value) -> Messages {
    Messages::new(vec![Node::from_json(message)])
}

pub(crate) fn eval_case() -> EvalCase {
    EvalCase {
        input: Arc::new(Input {
            eval_id: "capital".into(),
            suite_file: Path::new("/suites/geography.yaml").into(),
            messages: messages(&json!({
                "role": "user", "content": "What is the capital of France?"
            })),
            files: vec!["/suites/house.prompt.md".into(), "/suites/map.txt".into()],
            guideline_files: vec!["/suites/house.prompt.md".into()],
            conversation_id: None,
        }),
        dataset: "geography".into(),
        suite: "geography.yaml".into(),
        place: CasePlace { file: None, span: Span::default(), line: 1, column: 1 },
        expected_outcome: Some("Names Paris".into()),
        expected_messages: messages(&json!({"role": "assistant", "content": "Paris"})),
        graders: Arc::from([]),
        targets: Arc::from([]),
        judge_target: None,
        threshold: None,
        repeat: None,
        depends_on: Arc::from([]),
        tags: Arc::from([]),
        vars: None,
    }
}

/// A response with the `text`, `output_messages`, `trace`, … of a record.
pub(crate) fn response(record: &Value) -> Response {
    fn part<T: serde::de::DeserializeOwned>(record: &Value, key: &str) -> Option<T> {
        serde_json::from_value(record[key].clone()).unwrap()
    }
    Response {
        text: part(record, "text").unwrap_or_default(),
        output_messages: part(record, "output_messages"),
        trace: part(record, "trace"),
        token_usage: part(record, "token_usage"),
        cost_usd: part(record, "cost_usd"),
        duration_ms: part(record, "duration_ms"),
        dropped_elements: 0,
        provenance: Provenance::Asked,
        leaked: Vec::new(),
        raw: Raw::Command(CommandRaw { run: Arc::default(), record_id: None }),
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
