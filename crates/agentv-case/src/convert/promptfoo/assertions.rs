//! Assertions → graders, where a grader says the same.

use agentv_base::{Node, NodeValue, Span};
use serde_json::{Map, Value, json};

use super::{
    Import,
    files::FILE,
    tests_file::{MapOf, text_node},
};

/// Assertions that a grader of ours is the same as, under the same name in snake_case.
const SAME: [&str; 11] = [
    "equals",
    "contains",
    "icontains",
    "contains-any",
    "contains-all",
    "icontains-any",
    "icontains-all",
    "starts-with",
    "regex",
    "is-json",
    "contains-json",
];

/// Assertions about JSON, whose value is a schema if there is one.
const JSON: [&str; 2] = ["is-json", "contains-json"];

const LISTS: [&str; 4] = ["contains-any", "contains-all", "icontains-any", "icontains-all"];

/// Limits that a grader of ours is the same as, and the key of it that holds the limit.
const LIMITS: [(&str, &str); 2] = [("latency", "max_ms"), ("cost", "max_usd")];

/// Assertions in which a model says whether a criterion is met, which is a rubric of ours.
const RUBRICS: [&str; 2] = ["llm-rubric", "model-graded-closedqa"];

/// Assertions that a model decides in other ways.
const MODEL_GRADED: [&str; 10] = [
    "agent-rubric",
    "search-rubric",
    "model-graded-factuality",
    "factuality",
    "answer-relevance",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "g-eval",
];

/// What the regular expressions of JavaScript can and ours cannot.
const FOREIGN_PATTERNS: [&str; 5] = ["(?=", "(?!", "(?<=", "(?<!", "\\k<"];

/// How the assertions of a test decide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// Each must pass.
    EachPasses,
    /// The mean of their scores must reach a threshold.
    MeanOfScores,
}

impl Import {
    pub(super) fn assertions(&mut self, node: &Node, decision: Decision) -> Vec<Value> {
        let Some(items) = node.as_list() else {
            self.error(node.span, format!("`assert` must be a list, not {}", node.kind_name()));
            return Vec::new();
        };
        items.iter().flat_map(|item| self.assertion(item, decision)).collect()
    }

    pub(super) fn assertion(&mut self, node: &Node, decision: Decision) -> Vec<Value> {
        if let Some(reference) = node.get("$ref").and_then(Node::as_str) {
            self.leave_rest(node, &["$ref"], "an assertion by reference");
            return match self.resolve(reference) {
                Some(template) => self.assertion(&template, decision),
                None => {
                    self.error(node.span, format!("nothing stands at `{reference}`"));
                    Vec::new()
                }
            };
        }
        let Some(kind) = node.get("type").and_then(Node::as_str) else {
            self.error(node.span, "an assertion needs `type`");
            return Vec::new();
        };
        let kind = kind.trim();
        // What is graded would not be the answer.
        if let Some(transform) = node.get("transform") {
            let why = "answers are not transformed before they are graded";
            self.leave(transform.span, format!("assertion `{kind}` with `transform`"), why);
            return Vec::new();
        }
        let grader = match kind {
            "assert-set" => self.assertion_set(node, decision),
            "javascript" | "python" => self.code(kind, node, decision),
            _ => self.text_grader(kind, node),
        };
        let Some(mut grader) = grader else { return Vec::new() };
        if let Some(metric) = node.get("metric").and_then(Node::as_str) {
            let mut named = Map::from_iter([("name".to_owned(), json!(metric))]);
            named.append(&mut grader);
            grader = named;
        }
        if let Some(weight) = node.get("weight") {
            grader.insert("weight".to_owned(), weight.to_json());
        }
        vec![Value::Object(grader)]
    }

    /// A place in the configuration, such as `#/assertionTemplates/polite`.
    pub(super) fn resolve(&self, reference: &str) -> Option<Node> {
        let path = reference.strip_prefix("#/")?;
        let found = path.split('/').try_fold(&self.root, |node, key| node.get(key))?;
        // A template that refers to another could go in circles.
        found.get("$ref").is_none().then(|| found.clone())
    }

    fn text_grader(&mut self, kind: &str, node: &Node) -> Option<Map<String, Value>> {
        let positive = kind.strip_prefix("not-").unwrap_or(kind);
        if let Some((_, key)) = LIMITS.iter().find(|(name, _)| *name == positive) {
            return self.limit(kind, key, node);
        }
        if RUBRICS.contains(&positive) {
            return self.rubric(kind, node);
        }
        if !SAME.contains(&positive) {
            self.leave(node.span, format!("assertion `{kind}`"), why_not(positive));
            return None;
        }
        self.leave_rest(
            node,
            &["type", "value", "metric", "weight"],
            &format!("assertion `{kind}`"),
        );
        let mut grader = Map::new();
        let value = node.get("value").filter(|value| !value.is_null());
        let has_schema = positive == "is-json" && value.is_some();
        let name = if has_schema { "json-schema" } else { positive };
        let negation = if positive == kind { "" } else { "not_" };
        grader.insert("type".to_owned(), json!(format!("{negation}{}", name.replace('-', "_"))));
        if let Some(value) = value {
            grader.insert("value".to_owned(), self.wanted(positive, value)?);
        } else if !JSON.contains(&positive) {
            self.error(node.span, format!("assertion `{kind}` needs `value`"));
            return None;
        }
        Some(grader)
    }

    /// A criterion for a judge. Who judges is not said here: promptfoo asks a model of its own
    /// choice, and AgentV none that nobody named.
    fn rubric(&mut self, kind: &str, node: &Node) -> Option<Map<String, Value>> {
        let whose = format!("assertion `{kind}`");
        if kind.starts_with("not-") {
            self.leave(node.span, whose, "a judge cannot be negated; say the opposite in its text");
            return None;
        }
        self.leave_rest(node, &["type", "value", "metric", "weight"], &whose);
        let Some(value) = node.get("value").filter(|value| !value.is_null()) else {
            self.error(node.span, format!("{whose} needs `value`"));
            return None;
        };
        let Some(text) = value.as_str() else {
            let why = format!("its value is {}", value.kind_name());
            self.leave(value.span, whose, why);
            return None;
        };
        let rubric = match text.strip_prefix(FILE) {
            Some(path) => self.wanted_file(kind, path, value.span)?,
            None => {
                self.check_template(text, value.span);
                json!(text)
            }
        };
        self.leave(node.span, format!("who judges {whose}"), "name a target in `judge_target`");
        let mut grader = Map::new();
        grader.insert("type".to_owned(), json!("llm_judge"));
        // What fails there lowers the mean, and decides alone only where everything must pass.
        let rubric = json!({"description": rubric, "required": false});
        grader.insert("rubrics".to_owned(), json!([rubric]));
        Some(grader)
    }

    fn limit(&mut self, kind: &str, key: &str, node: &Node) -> Option<Map<String, Value>> {
        let whose = format!("assertion `{kind}`");
        self.leave_rest(node, &["type", "threshold", "metric", "weight"], &whose);
        let Some(threshold) = node.get("threshold").filter(|value| !value.is_null()) else {
            self.error(node.span, format!("{whose} needs `threshold`"));
            return None;
        };
        let mut grader = Map::new();
        grader.insert("type".to_owned(), json!(kind.replace('-', "_")));
        grader.insert(key.to_owned(), threshold.to_json());
        Some(grader)
    }

    /// What an assertion looks for, as the grader must be told.
    fn wanted(&mut self, kind: &str, value: &Node) -> Option<Value> {
        if let Some(text) = value.as_str() {
            if let Some(path) = text.strip_prefix(FILE) {
                return self.wanted_file(kind, path, value.span);
            }
            self.check_template(text, value.span);
            if JSON.contains(&kind) {
                return match serde_json::from_str::<Value>(text) {
                    Ok(schema) => Some(schema),
                    Err(_) => {
                        let why = "its schema is no JSON";
                        self.leave(value.span, format!("assertion `{kind}`"), why);
                        None
                    }
                };
            }
            if LISTS.contains(&kind) {
                let items = text.split(',').map(|item| json!(item.trim()));
                return Some(items.collect());
            }
            let foreign = FOREIGN_PATTERNS.iter().find(|piece| text.contains(**piece));
            if let Some(piece) = foreign.filter(|_| kind == "regex") {
                let why = format!("AgentV's patterns know no `{piece}`");
                self.leave(value.span, "assertion `regex`", why);
                return None;
            }
        }
        let is_list = value.as_list().is_some();
        let is_map = value.as_map().is_some();
        let takes_json = kind == "equals" || JSON.contains(&kind);
        if !takes_json && (is_map || is_list != LISTS.contains(&kind)) {
            let why = format!("its value is {}", value.kind_name());
            self.leave(value.span, format!("assertion `{kind}`"), why);
            return None;
        }
        Some(value.to_json())
    }

    fn wanted_file(&mut self, kind: &str, path: &str, span: Span) -> Option<Value> {
        let program = [".js", ".mjs", ".cjs", ".ts", ".py"]
            .iter()
            .any(|end| path.ends_with(end) || path.contains(&format!("{end}:")));
        if program {
            self.leave(span, format!("assertion `{kind}`"), "a program makes its value");
            return None;
        }
        Some(json!(format!("{FILE}{}", self.as_suite_path(path))))
    }

    /// Results are known by the names of their graders, so a name can be given once.
    pub(super) fn drop_doubled_names(
        &mut self,
        graders: &mut [Value],
        others: &[Value],
        span: Span,
    ) {
        let names = others.iter().filter_map(|grader| grader.get("name")?.as_str());
        let mut seen: Vec<String> = names.map(str::to_owned).collect();
        for grader in graders.iter_mut().filter_map(Value::as_object_mut) {
            let Some(name) = grader.get("name").and_then(Value::as_str).map(str::to_owned) else {
                continue;
            };
            if seen.contains(&name) {
                grader.shift_remove("name");
                let why = "a case has one grader of a name; the second goes by its type";
                self.leave(span, format!("the metric `{name}`, given twice"), why);
            } else {
                seen.push(name);
            }
        }
    }
}

fn why_not(kind: &str) -> &'static str {
    if MODEL_GRADED.contains(&kind) || kind.starts_with("promptfoo:") {
        "a model decides it in a way of promptfoo's own; write an `llm_judge` with a `prompt`"
    } else if kind == "similar" || kind.starts_with("similar:") {
        "it measures by embeddings; `similar` of AgentV compares characters and words"
    } else if matches!(kind, "classifier" | "moderation") {
        "write a `code_judge` that asks the service"
    } else if kind == "select-best" {
        "a grader sees one answer at a time"
    } else if matches!(kind, "perplexity" | "perplexity-score") {
        "targets do not report how likely their words were"
    } else if matches!(kind, "levenshtein" | "rouge-n" | "bleu" | "gleu" | "meteor") {
        "`similar` of AgentV measures otherwise, so the threshold would mean something else"
    } else if kind.starts_with("trajectory:") {
        "it reads spans; where a target reports its calls, write the grader of the same name"
    } else if kind == "webhook" {
        "write a `code_judge` that asks the address"
    } else {
        "no grader of AgentV does the same; a `code_judge` can"
    }
}

/// An assertion in a cell of a table: `contains: x`, `javascript: …`, or the text that is expected.
pub(super) fn assertion_of_text(text: &str, span: Span) -> Node {
    let mut assertion = MapOf::default();
    let legacy = [
        ("javascript:", "javascript"),
        ("fn:", "javascript"),
        ("eval:", "javascript"),
        ("python:", "python"),
        ("grade:", "llm-rubric"),
    ];
    if let Some((rest, kind)) =
        legacy.iter().find_map(|(start, kind)| Some((text.strip_prefix(start)?, *kind)))
    {
        assertion.add("type", text_node(kind, span));
        assertion.add("value", text_node(rest.trim(), span));
        return assertion.node(span);
    }
    let file = text.strip_prefix(FILE).map(|path| path.split(':').next().unwrap_or(path));
    let program = file.and_then(|path| match super::files::ending(path) {
        "py" => Some("python"),
        "js" | "cjs" | "mjs" | "ts" => Some("javascript"),
        _ => None,
    });
    if let Some(kind) = program {
        assertion.add("type", text_node(kind, span));
        assertion.add("value", text_node(text, span));
        return assertion.node(span);
    }
    let (head, value) = match text.split_once(':') {
        Some((head, value)) => (head, Some(value.trim())),
        None => (text, None),
    };
    let (kind, threshold) = match head.split_once('(') {
        Some((kind, rest)) => (kind, rest.strip_suffix(')').and_then(|n| n.parse::<f64>().ok())),
        None => (head, None),
    };
    let positive = kind.strip_prefix("not-").unwrap_or(kind);
    let known = SAME.contains(&positive)
        || RUBRICS.contains(&positive)
        || LIMITS.iter().any(|(name, _)| *name == positive)
        || why_not(positive) != why_not("")
        || ["contains-json", "is-sql", "is-xml", "levenshtein", "rouge-n"].contains(&positive);
    if !known {
        assertion.add("type", text_node("equals", span));
        assertion.add("value", text_node(text, span));
        return assertion.node(span);
    }
    assertion.add("type", text_node(kind, span));
    if let Some(value) = value {
        assertion.add("value", text_node(value, span));
    }
    if let Some(threshold) = threshold.filter(|_| !SAME.contains(&positive)) {
        assertion.add("threshold", Node::new(span, NodeValue::Float(threshold)));
    }
    assertion.node(span)
}
