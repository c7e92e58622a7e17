//! What a suite says for all of its cases.

use std::{path::Path, sync::Arc};

use agentv_base::{Diagnostic, Entry, Fields, NamedTarget, Node, NodeValue, Span};

use super::{
    dependencies,
    execution::{Execution, not_used, read_count, read_graders, read_names, read_share, read_text},
    keys::{DEFAULT_TEST_KEYS, EVALUATE_OPTIONS_KEYS, PROMPT_KEYS},
    reference::{content, file_of, merged, read_vars},
    repeat,
    rubric_files::RubricFiles,
    spoken,
};
use crate::{folders, interpolate::Interpolation, library::Library};

/// A prompt that cases are asked with.
pub(super) struct Prompt {
    /// What ids end in where there are several.
    pub(super) label: Arc<str>,
    pub(super) content: Node,
    /// Whether it says anything about the case's own input.
    pub(super) mentions_input: bool,
}

/// Everything that cases take from their suite.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) dataset: Option<Arc<str>>,
    /// Graders of cases without their own.
    pub(super) evaluators: Vec<Node>,
    /// Graders of all cases.
    pub(super) assertions: Vec<Node>,
    /// Both, for the many cases that take just them.
    pub(super) graders: Arc<[Node]>,
    pub(super) targets: Arc<[NamedTarget]>,
    pub(super) described_targets: Vec<Node>,
    pub(super) judge_target: Option<NamedTarget>,
    pub(super) threshold: Option<f64>,
    pub(super) workers: Option<usize>,
    pub(super) repeat: Option<u32>,
    /// Whether what a case depends on must have passed, where the suite says so.
    pub(super) must_pass: Option<bool>,
    pub(super) tags: Arc<[Arc<str>]>,
    pub(super) vars: Option<Arc<[Entry]>>,
    pub(super) prompts: Vec<Prompt>,
    /// Messages that are said before those of each case.
    pub(super) input: Vec<Node>,
    pub(super) input_files: Vec<(Arc<str>, Span)>,
}

impl Whole {
    pub(super) fn read(
        fields: &Fields<'_>,
        folder: &Path,
        library: &mut Library,
        settings: &mut Interpolation<'_, '_>,
    ) -> Self {
        fields.string("$schema", settings.problems);
        for key in ["license", "category"] {
            fields.string(key, settings.problems);
        }
        let execution = Execution::read(fields, "skip_defaults", settings);
        let mut whole = Self {
            dataset: read_text("dataset", fields, settings).map(|(name, _)| name),
            evaluators: execution.evaluators.unwrap_or_default(),
            assertions: execution.assertions.unwrap_or_default(),
            targets: execution.targets.unwrap_or_default(),
            described_targets: execution.described,
            judge_target: execution.judge_target,
            threshold: execution.threshold,
            workers: execution.workers,
            repeat: execution.repeat,
            must_pass: dependencies::must_pass(fields, settings.problems),
            input_files: read_names("input_files", fields, settings),
            prompts: read_prompts(fields, folder, library, settings),
            ..Self::default()
        };
        let mut tags = read_names("tags", fields, settings);
        if let Some(input) = fields.get("input") {
            let said = spoken::messages("input", input, "user", settings.problems);
            whole.input = said.unwrap_or_default();
        }
        whole.vars =
            fields.get("vars").and_then(|vars| read_vars(vars, folder, library, settings.problems));
        whole.read_default_test(fields, folder, &mut tags, library, settings);
        whole.tags = each_once(tags).into();
        whole.read_options(fields, settings);
        let mut files = RubricFiles { folder, library, problems: settings.problems };
        files.of_graders(&mut whole.evaluators);
        files.of_graders(&mut whole.assertions);
        whole.graders = whole.evaluators.iter().chain(&whole.assertions).cloned().collect();
        whole
    }

    fn read_default_test(
        &mut self,
        fields: &Fields<'_>,
        folder: &Path,
        tags: &mut Vec<(Arc<str>, Span)>,
        library: &mut Library,
        settings: &mut Interpolation<'_, '_>,
    ) {
        let Some(node) = fields.get("default_test") else { return };
        // What such a file refers to in turn stands beside it.
        let mut folder = folder.to_owned();
        let referred = match node.as_str().and_then(file_of) {
            None => None,
            Some(path) => {
                let read = content(path, node.span, &folder, library, settings.problems);
                let Some(read) = read else { return };
                let file = folders::absolute(Path::new(path), &folder);
                folder = file.parent().unwrap_or(&folder).to_owned();
                Some(read)
            }
        };
        let node = referred.as_ref().unwrap_or(node);
        let tables = &[DEFAULT_TEST_KEYS];
        let Some(fields) = Fields::read(node, "default_test", tables, settings.problems) else {
            return;
        };
        let vars = fields
            .get("vars")
            .and_then(|vars| read_vars(vars, &folder, library, settings.problems));
        if let Some(vars) = vars {
            let suites: &[Entry] = self.vars.as_ref().map_or(&[], |vars| &**vars);
            self.vars = Some(merged(&[&vars, suites]));
        }
        self.assertions.extend(read_graders("assert", &fields, settings).unwrap_or_default());
        self.threshold = self.threshold.or(read_share("threshold", &fields, settings));
        tags.extend(read_names("tags", &fields, settings));
    }

    fn read_options(&mut self, fields: &Fields<'_>, settings: &mut Interpolation<'_, '_>) {
        let Some(node) = fields.get("evaluate_options") else { return };
        let tables = &[EVALUATE_OPTIONS_KEYS];
        let options = Fields::read(node, "evaluate_options", tables, settings.problems);
        if let Some(options) = options {
            self.workers = self.workers.or(read_count("max_concurrency", &options, settings));
            let repeat = repeat::read("repeat", &options, settings);
            if let (Some(_), Some(unused)) = (self.repeat.and(repeat), options.entry("repeat")) {
                let unused = not_used("repeat", unused.key_span);
                settings.problems.push(unused.hint("the suite's own `repeat` wins"));
            }
            self.repeat = self.repeat.or(repeat);
        }
    }
}

pub(super) fn each_once(names: Vec<(Arc<str>, Span)>) -> Vec<Arc<str>> {
    let mut each: Vec<Arc<str>> = Vec::with_capacity(names.len());
    for (name, _) in names {
        if !each.contains(&name) {
            each.push(name);
        }
    }
    each
}

fn read_prompts(
    fields: &Fields<'_>,
    folder: &Path,
    library: &mut Library,
    settings: &mut Interpolation<'_, '_>,
) -> Vec<Prompt> {
    let Some(node) = fields.get("prompts") else {
        return Vec::new();
    };
    let items = node.as_list().unwrap_or(std::slice::from_ref(node));
    if items.is_empty() {
        settings.problems.push(
            Diagnostic::error("`prompts` is empty")
                .at(node.span)
                .hint("add one, such as `prompts: [\"{{ input }}\"]`, or remove the key"),
        );
    }
    let mut prompts: Vec<Prompt> = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        let Some((label, content)) = read_prompt(item, folder, library, settings) else {
            continue;
        };
        let label = label.unwrap_or_else(|| (number + 1).to_string().into());
        if prompts.iter().any(|known| known.label == label) {
            let message = format!("a prompt with the label `{label}` exists already");
            settings.problems.push(Diagnostic::error(message).at(item.span));
        }
        let mentions_input = mentions(&content, "input");
        prompts.push(Prompt { label, content, mentions_input });
    }
    prompts
}

/// Whether a word stands in a text of this value.
fn mentions(node: &Node, word: &str) -> bool {
    match &node.value {
        NodeValue::String(text) => text.contains(word),
        NodeValue::List(items) => items.iter().any(|item| mentions(item, word)),
        NodeValue::Map(entries) => entries.iter().any(|entry| mentions(&entry.value, word)),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => false,
    }
}

fn read_prompt(
    item: &Node,
    folder: &Path,
    library: &mut Library,
    settings: &mut Interpolation<'_, '_>,
) -> Option<(Option<Arc<str>>, Node)> {
    let (label, node) = if item.as_map().is_some() {
        let fields = Fields::read(item, "prompt", &[PROMPT_KEYS], settings.problems)?;
        let label = read_text("label", &fields, settings).map(|(label, _)| label);
        (label, fields.required("prompt", settings.problems)?)
    } else {
        (None, item)
    };
    match &node.value {
        NodeValue::String(text) if text.trim().is_empty() => {
            settings.problems.error(node.span, "a prompt is blank");
            None
        }
        NodeValue::String(text) => match file_of(text) {
            None => Some((label, node.clone())),
            Some(path) => {
                let read = content(path, node.span, folder, library, settings.problems)?;
                Some((label, read))
            }
        },
        NodeValue::Map(_) | NodeValue::List(_) => Some((label, node.clone())),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
            let kind = node.kind_name();
            settings.problems.error(node.span, format!("a prompt must be a text, not {kind}"));
            None
        }
    }
}
