//! Tests → cases: variables in all their combinations, and the graders of each.

use agentv_base::{Node, NodeValue, Span};
use serde_json::{Map, Value, json};

use super::{
    Import,
    assertions::Decision,
    files::{FILE, ending},
};

/// Variables by name, with every value that each may have.
type Vars = Vec<(String, Vec<Value>)>;

/// What every test has.
#[derive(Default)]
pub(super) struct DefaultTest {
    vars: Vars,
    graders: Vec<Value>,
    /// Whether there were assertions, carried over or not.
    has_assertions: bool,
    pub(super) threshold: Option<Value>,
}

impl DefaultTest {
    /// What of it the suite can say for all cases; variables with several values cannot be.
    pub(super) fn to_yaml(&self) -> Option<Value> {
        let mut map = Map::new();
        let single = self.vars.iter().filter_map(|(name, values)| match values.as_slice() {
            [value] => Some((name.clone(), value.clone())),
            _ => None,
        });
        let vars: Map<String, Value> = single.collect();
        if !vars.is_empty() {
            map.insert("vars".to_owned(), Value::Object(vars));
        }
        if !self.graders.is_empty() {
            map.insert("assert".to_owned(), Value::Array(self.graders.clone()));
        }
        (!map.is_empty()).then_some(Value::Object(map))
    }

    fn several(&self) -> impl Iterator<Item = &(String, Vec<Value>)> {
        self.vars.iter().filter(|(_, values)| values.len() != 1)
    }
}

/// A test with what surrounds it.
struct Test {
    span: Span,
    description: Option<Value>,
    metadata: Option<Value>,
    vars: Vars,
    graders: Vec<Value>,
    has_assertions: bool,
    threshold: Option<Value>,
}

const TEST_KEYS: [&str; 6] = ["description", "vars", "assert", "threshold", "metadata", "options"];

impl Import {
    pub(super) fn default_test(&mut self, config: &Node) -> DefaultTest {
        let Some(written) = config.get("defaultTest") else { return DefaultTest::default() };
        let loaded = match written.as_str() {
            Some(reference) => {
                let files = self.files(reference, written.span);
                files.first().and_then(|file| self.read_yaml(file, written.span))
            }
            None => Some(written.clone()),
        };
        let Some(node) = loaded else { return DefaultTest::default() };
        let test = self.test(&node, &DefaultTest::default(), "`defaultTest`");
        if test.description.is_some() || test.metadata.is_some() {
            let why = "cases have their own";
            self.leave(node.span, "`description` or `metadata` of `defaultTest`", why);
        }
        let mut graders = test.graders;
        self.drop_doubled_names(&mut graders, &[], node.span);
        DefaultTest {
            vars: test.vars,
            graders,
            has_assertions: test.has_assertions,
            threshold: test.threshold,
        }
    }

    pub(super) fn cases(&mut self, config: &Node, default: &DefaultTest) -> Vec<Value> {
        let mut tests = Vec::new();
        if let Some(node) = config.get("tests") {
            for node in self.test_nodes(node) {
                tests.push(self.test(&node, default, "a test"));
            }
        }
        for scenario in config.get("scenarios").and_then(Node::as_list).unwrap_or_default() {
            tests.extend(self.scenario(scenario, default));
        }
        // Prompts alone are asked once each.
        if config.get("tests").is_none() && config.get("scenarios").is_none() {
            let nothing = Node::new(config.span, NodeValue::Map(Vec::new().into()));
            tests.push(self.test(&nothing, default, "a test"));
        }
        let mut number = 0;
        let mut cases = Vec::new();
        for test in tests {
            for vars in combinations(&test.vars, default) {
                number += 1;
                cases.extend(self.case(&format!("test-{number}"), &test, vars, default));
            }
        }
        cases
    }

    /// Every test of a scenario with every set of its variables.
    fn scenario(&mut self, node: &Node, default: &DefaultTest) -> Vec<Test> {
        self.leave_rest(node, &["config", "tests"], "a scenario");
        let sets = node.get("config").and_then(Node::as_list).unwrap_or_default();
        let sets: Vec<Test> =
            sets.iter().map(|set| self.test(set, default, "a scenario")).collect();
        let nodes = node.get("tests").map(|tests| self.test_nodes(tests)).unwrap_or_default();
        let tests: Vec<Test> =
            nodes.iter().map(|test| self.test(test, default, "a test")).collect();
        let mut found = Vec::new();
        for set in &sets {
            for test in &tests {
                let mut vars = set.vars.clone();
                for (name, values) in &test.vars {
                    put(&mut vars, name, values.clone());
                }
                found.push(Test {
                    span: test.span,
                    description: test.description.clone().or_else(|| set.description.clone()),
                    metadata: test.metadata.clone().or_else(|| set.metadata.clone()),
                    vars,
                    graders: set.graders.iter().chain(&test.graders).cloned().collect(),
                    has_assertions: set.has_assertions || test.has_assertions,
                    threshold: test.threshold.clone().or_else(|| set.threshold.clone()),
                });
            }
        }
        found
    }

    fn test(&mut self, node: &Node, default: &DefaultTest, whose: &str) -> Test {
        let options = node.get("options");
        let keeps_lists = options
            .and_then(|options| options.get("disableVarExpansion"))
            .is_some_and(|value| value.value == NodeValue::Bool(true));
        if let Some(options) = options {
            self.leave_rest(options, &["disableVarExpansion"], &format!("`options` of {whose}"));
        }
        self.leave_rest(node, &TEST_KEYS, whose);
        let threshold = node.get("threshold").map(Node::to_json);
        let by_mean = threshold.is_some() || default.threshold.is_some();
        let decision = if by_mean { Decision::MeanOfScores } else { Decision::EachPasses };
        let assertions = node.get("assert").filter(|list| !list.is_null());
        let graders = assertions.map(|list| self.assertions(list, decision)).unwrap_or_default();
        let listed = assertions.and_then(Node::as_list).unwrap_or_default();
        Test {
            span: node.span,
            description: node.get("description").map(Node::to_json),
            metadata: node.get("metadata").map(Node::to_json),
            vars: node.get("vars").map(|vars| self.vars(vars, keeps_lists)).unwrap_or_default(),
            graders,
            has_assertions: !listed.is_empty(),
            threshold,
        }
    }

    fn case(
        &mut self,
        id: &str,
        test: &Test,
        vars: Map<String, Value>,
        default: &DefaultTest,
    ) -> Option<Value> {
        let mut graders = test.graders.clone();
        if graders.is_empty() && default.graders.is_empty() {
            if test.has_assertions || default.has_assertions {
                let why = "none of its assertions could be carried over";
                self.leave(test.span, format!("case `{id}`"), why);
                return None;
            }
            // Without an assertion every answer passes.
            graders.push(json!({"name": "answered", "type": "regex", "value": "(?s)^.*"}));
        }
        self.drop_doubled_names(&mut graders, &default.graders, test.span);
        let mut case = Map::from_iter([("id".to_owned(), json!(id))]);
        if let Some(description) = &test.description {
            case.insert("description".to_owned(), description.clone());
        }
        if !vars.is_empty() {
            case.insert("vars".to_owned(), Value::Object(vars));
        }
        if let Some(threshold) = &test.threshold {
            case.insert("threshold".to_owned(), threshold.clone());
        }
        if !graders.is_empty() {
            case.insert("assert".to_owned(), Value::Array(graders));
        }
        if let Some(metadata) = &test.metadata {
            case.insert("metadata".to_owned(), metadata.clone());
        }
        Some(Value::Object(case))
    }

    fn vars(&mut self, node: &Node, keeps_lists: bool) -> Vars {
        let mut vars = Vars::new();
        if node.as_str().is_some() || node.as_list().is_some() {
            let references: Vec<Node> =
                node.as_list().map_or_else(|| vec![node.clone()], <[Node]>::to_vec);
            for reference in &references {
                let Some(text) = reference.as_str() else {
                    self.error(reference.span, "`vars` must be a map or the names of files");
                    continue;
                };
                for file in self.files(text, reference.span) {
                    if let Some(loaded) = self.read_yaml(&file, reference.span) {
                        for (name, values) in self.vars(&loaded, keeps_lists) {
                            put(&mut vars, &name, values);
                        }
                    }
                }
            }
            return vars;
        }
        for entry in node.as_map().unwrap_or_default() {
            let values = match entry.value.as_list() {
                Some(items) if !keeps_lists => items.iter().map(|item| self.value(item)).collect(),
                _ => vec![self.value(&entry.value)],
            };
            put(&mut vars, &entry.key, values);
        }
        vars
    }

    /// The value of a variable; that of a file is its text.
    fn value(&mut self, node: &Node) -> Value {
        let Some(text) = node.as_str() else { return node.to_json() };
        let Some(path) = text.strip_prefix(FILE) else {
            self.check_template(text, node.span);
            return node.to_json();
        };
        if !matches!(ending(path), "txt" | "md") {
            let why =
                "AgentV takes variables from .txt and .md files; the name stands in its place";
            self.leave(node.span, format!("the variable's file `{path}`"), why);
            return node.to_json();
        }
        let file = self.absolute(path);
        match self.read_text(&file, node.span) {
            Some((text, _)) => json!(text.trim()),
            None => Value::Null,
        }
    }
}

fn put(vars: &mut Vars, name: &str, values: Vec<Value>) {
    match vars.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => *known = values,
        None => vars.push((name.to_owned(), values)),
    }
}

/// One set of variables for each combination of their values; later ones change fastest.
fn combinations(own: &Vars, default: &DefaultTest) -> Vec<Map<String, Value>> {
    let mut all = vec![Map::new()];
    let shared = default.several().filter(|(name, _)| own.iter().all(|(known, _)| known != name));
    for (name, values) in shared.chain(own) {
        all = all
            .into_iter()
            .flat_map(|set: Map<String, Value>| {
                values.iter().map(move |value| {
                    let mut set = set.clone();
                    set.insert(name.clone(), value.clone());
                    set
                })
            })
            .collect();
    }
    all
}
