//! A promptfoo configuration → a suite of ours and its targets.
//!
//! Nothing is dropped without a word: every key that is not used, and everything that AgentV would
//! do differently, is on the list of what was not carried over, with its place and the reason.

mod assertion_sets;
mod assertions;
mod cases;
mod files;
mod prompts;
mod providers;
mod scripts;
mod table;
mod template;
mod tests_file;

use std::path::{Path, PathBuf};

use agentv_base::{Diagnostic, Entry, Node, Problems, Sources, Span};
use serde_json::{Map, Value, json};

use self::providers::Target;
use super::{Opened, yaml_text};

/// Something that the suite does not have of the configuration, or has differently.
#[derive(Clone, Debug)]
pub struct Leftover {
    pub span: Span,
    /// What it is, such as ``assertion `llm-rubric` ``.
    pub what: String,
    pub why: String,
}

/// What became of a configuration.
pub struct Imported {
    pub sources: Sources,
    pub problems: Problems,
    /// In the order of their places.
    pub left: Vec<Leftover>,
    pub cases: usize,
    config: String,
    suite: Map<String, Value>,
    targets: Vec<Target>,
}

/// Where things are.
struct Places {
    current_dir: PathBuf,
    /// The folder of the configuration, from which its paths start.
    base: PathBuf,
    /// The folder that the suite will stand in.
    suite_dir: PathBuf,
}

/// The work on one configuration.
struct Import {
    places: Places,
    sources: Sources,
    problems: Problems,
    left: Vec<Leftover>,
    /// The configuration itself, for references within it.
    root: Node,
}

/// Makes a suite of a configuration; it will stand in `suite_dir`.
pub fn import(opened: Opened, suite_dir: Option<&Path>, current_dir: &Path) -> Imported {
    let base = opened.file.parent().unwrap_or(Path::new("/")).to_owned();
    let config = opened.sources.path(opened.source).display().to_string();
    let suite_dir = suite_dir.map_or_else(|| base.clone(), Path::to_owned);
    let mut import = Import {
        places: Places { current_dir: current_dir.to_owned(), base, suite_dir },
        sources: opened.sources,
        problems: Problems::default(),
        left: Vec::new(),
        root: opened.node.clone(),
    };
    let (suite, targets, cases) = import.suite(&opened.node);
    let mut left = import.left;
    left.sort_by_key(|left| (left.span.source.0, left.span.start));
    // What holds for every combination of variables is told once.
    left.dedup_by(|a, b| a.span == b.span && a.what == b.what);
    Imported {
        sources: import.sources,
        problems: import.problems,
        left,
        cases,
        config,
        suite,
        targets,
    }
}

/// Keys of the top level that are read here.
const USED: [&str; 11] = [
    "$schema",
    "description",
    "prompts",
    "providers",
    "targets",
    "tests",
    "defaultTest",
    "scenarios",
    "evaluateOptions",
    "env",
    "assertionTemplates",
];

impl Import {
    fn suite(&mut self, config: &Node) -> (Map<String, Value>, Vec<Target>, usize) {
        let mut suite = Map::new();
        if config.as_map().is_none() {
            self.error(config.span, "a promptfoo configuration must be a map");
            return (suite, Vec::new(), 0);
        }
        if let Some(description) = config.get("description") {
            suite.insert("description".to_owned(), description.to_json());
        }
        let targets = self.targets(config);
        let (workers, repeat) = self.options(config);
        if let Some(workers) = workers {
            suite.insert("execution".to_owned(), json!({ "workers": workers }));
        }
        if let Some(repeat) = repeat {
            suite.insert("repeat".to_owned(), repeat);
        }
        let prompts = self.prompts(config, !targets.is_empty());
        let default = self.default_test(config);
        // A test of promptfoo passes when all of its assertions do, unless it has a threshold.
        let threshold = default.threshold.clone().unwrap_or_else(|| json!(1));
        suite.insert("threshold".to_owned(), threshold);
        suite.insert("prompts".to_owned(), Value::Array(prompts));
        if let Some(shared) = default.to_yaml() {
            suite.insert("default_test".to_owned(), shared);
        }
        let cases = self.cases(config, &default);
        let count = cases.len();
        if count == 0 && !self.problems.has_errors() {
            self.error(config.span, "no test of this configuration can be carried over");
        }
        suite.insert("evalcases".to_owned(), Value::Array(cases));
        self.leave_rest(config, &USED, "the configuration");
        (suite, targets, count)
    }

    /// How many are asked at once, and how often each.
    fn options(&mut self, config: &Node) -> (Option<Value>, Option<Value>) {
        let Some(options) = config.get("evaluateOptions") else { return (None, None) };
        self.leave_rest(options, &["maxConcurrency", "repeat"], "`evaluateOptions`");
        let value = |key: &str| options.get(key).map(Node::to_json);
        (value("maxConcurrency"), value("repeat"))
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Diagnostic::error(message).at(span));
    }

    fn leave(&mut self, span: Span, what: impl Into<String>, why: impl Into<String>) {
        self.left.push(Leftover { span, what: what.into(), why: why.into() });
    }

    /// Every key of a map that nobody used.
    fn leave_rest(&mut self, node: &Node, used: &[&str], whose: &str) {
        let entries = node.as_map().unwrap_or_default();
        let unused: Vec<Entry> =
            entries.iter().filter(|entry| !used.contains(&&*entry.key)).cloned().collect();
        for entry in unused {
            let what = format!("`{}` of {whose}", entry.key);
            self.leave(entry.key_span, what, reason(&entry.key));
        }
    }
}

/// What to say of a key that has no counterpart.
fn reason(key: &str) -> &'static str {
    match key {
        "outputPath" => "say it on the command line: `agentv eval --out FILE`",
        "tags" => "AgentV's tags are names and belong to cases",
        "transform" | "postprocess" | "transformVars" | "contextTransform" => {
            "answers and variables are not transformed; do it in the target's command"
        }
        "repeat" => "give it to the suite or to a case: `repeat: N`",
        "cache" => "say it on the command line: `agentv eval --cache`",
        "delay" => "AgentV has no such option for a suite yet",
        "provider" | "providers" => "a test or an assertion asks no target of its own",
        "rubricPrompt" => "write it as the `prompt` of an `llm_judge`",
        "prefix" | "suffix" => "write it into the prompt",
        "sharing" | "writeLatestResults" | "commandLineOptions" => "it is about promptfoo itself",
        _ => "AgentV has nothing that does the same",
    }
}

impl Imported {
    /// The suite as text; with its targets in it, or naming them.
    pub fn suite_text(&self, with_targets: bool) -> String {
        let mut suite = Map::new();
        let names: Vec<Value> = self.carried().map(|target| json!(target.name)).collect();
        for (key, value) in &self.suite {
            if key == "threshold" && with_targets && !names.is_empty() {
                let targets = self.carried().map(|target| Value::Object(target.settings.clone()));
                suite.insert("providers".to_owned(), targets.collect());
            } else if key == "threshold" && !names.is_empty() {
                match names.as_slice() {
                    [only] => suite.insert("target".to_owned(), only.clone()),
                    _ => suite.insert("providers".to_owned(), Value::Array(names.clone())),
                };
            }
            suite.insert(key.clone(), value.clone());
        }
        let mut text = format!("# Made by `agentv convert` from {}\n", self.config);
        if with_targets {
            self.targets.iter().for_each(|target| text.push_str(&target.stub("")));
        }
        text.push_str(&yaml_text::document(&suite));
        text
    }

    /// A targets file; nothing where no provider could be carried over.
    pub fn targets_text(&self) -> Option<String> {
        self.carried().next()?;
        let mut text = format!("# Made by `agentv convert` from {}\ntargets:\n", self.config);
        for target in &self.targets {
            if target.settings.is_empty() {
                text.push_str(&target.stub("  "));
            } else {
                let settings = Value::Object(target.settings.clone());
                text.push_str(&yaml_text::item(&settings, 2));
            }
        }
        Some(text)
    }

    /// How many targets there are.
    pub fn targets(&self) -> usize {
        self.carried().count()
    }

    fn carried(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().filter(|target| !target.settings.is_empty())
    }
}

#[cfg(test)]
mod tests;
