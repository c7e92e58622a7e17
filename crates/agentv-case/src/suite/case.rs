//! One eval case as its author wrote it → the one form that everything after this knows.

use std::{
    collections::{HashMap, hash_map::Entry as Slot},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{
    CasePlace, Diagnostic, Entry, EvalCase, Fields, Input, Node, NodeValue, Problems, SourceId,
    Span, Text, is_free,
};

use super::{
    attachment::Attacher,
    command_lines::refuse_variables,
    dependencies::{self, Surroundings},
    execution::{Execution, read_names},
    graders,
    keys::CASE_KEYS,
    message::{Conversation, read_messages},
    reference::{content, file_of, merged, read_vars},
    rubric_files::RubricFiles,
    spoken,
    template::{Scope, Templates, has_templates},
    whole::{Prompt, Whole, each_once},
};
use crate::{interpolate::Interpolation, library::Library, lines::LineCounter};

/// Keys of graders whose templates are rendered when they are used.
const RENDERED_LATER: &[&str] = &["prompt"];

/// Keys of a case that graders stand in.
const MAY_GRADE: [&str; 4] = ["evaluators", "assert", "assertions", "execution"];

/// Where a case comes from, and what it is combined with.
#[derive(Clone, Copy)]
pub(super) struct Variant<'v> {
    /// The folder of the file that it stands in.
    pub(super) folder: &'v Path,
    /// That file from the repository root, where it is not the suite's own.
    pub(super) file: Option<&'v Arc<str>>,
    /// It is a row of data: its variables are what they are.
    pub(super) is_data: bool,
    pub(super) prompt: Option<&'v Prompt>,
    /// Variables of its scenario.
    pub(super) vars: Option<&'v Arc<[Entry]>>,
    /// What its id begins with and ends in besides its own.
    pub(super) before_id: &'v str,
    pub(super) after_id: &'v str,
    /// Its id where it has none.
    pub(super) default_id: Option<&'v str>,
}

/// Everything that reading a case needs besides the case.
pub(super) struct CaseReader<'s, 'e> {
    pub(super) suite_file: Arc<Path>,
    pub(super) suite_path: Arc<str>,
    pub(super) dataset: Arc<str>,
    pub(super) lines: HashMap<SourceId, LineCounter>,
    pub(super) whole: Whole,
    pub(super) library: &'s mut Library,
    pub(super) attacher: Attacher<'s>,
    pub(super) settings: Interpolation<'s, 'e>,
    pub(super) templates: Templates,
    /// The ids of the suite so far, with the places where they stand.
    pub(super) ids: foldhash::HashMap<Arc<str>, Span>,
    /// What ids begin with and end in of cases that depend on others and are combined with
    /// something.
    pub(super) variants: HashMap<Arc<str>, Surroundings>,
}

impl CaseReader<'_, '_> {
    /// Reads a case. All its problems are reported. What is right of it is given also where a part
    /// is not, so that its graders and its target are looked at as well: nothing is run where
    /// there is an error.
    pub(super) fn read(&mut self, written: &Node, variant: Variant<'_>) -> Option<EvalCase> {
        let with_rubrics = self.rubric_files(variant.folder).of_case(written);
        let written = with_rubrics.as_ref().unwrap_or(written);
        let fields = Fields::read(written, "eval case", &[CASE_KEYS], self.settings.problems)?;
        self.attacher.stand_in(variant.folder);
        let scope = self.scope(&fields, written.span, variant);
        let rendered = scope.as_ref().map(|scope| self.render(written, scope));
        let (node, fields) = match &rendered {
            // What is wrong with the keys has been told.
            Some(node) => {
                let mut told = Problems::default();
                (node, Fields::read(node, "eval case", &[CASE_KEYS], &mut told)?)
            }
            None => (written, fields),
        };
        let id = self.read_id(&fields, node, variant);
        let conversation_id =
            fields.get("conversation_id").and_then(|name| self.read_name("conversation_id", name));
        let expected_outcome = read_outcome(&fields, self.settings.problems);
        fields.string("category", self.settings.problems);
        let mut execution = Execution::read(&fields, "workers", &mut self.settings);
        let input = self.read_input(&fields, scope.as_ref(), variant, execution.skip_defaults);
        let expected = self.read_expected(&fields, scope.as_ref(), variant);
        let rubrics = graders::of_rubrics(&fields);
        let graders = self.graders(&mut execution, rubrics, scope.as_ref());
        let tags = self.read_tags(&fields);
        let must_pass = self.whole.must_pass;
        let depends_on = dependencies::read(&fields, must_pass, self.settings.problems);

        let (id, span) = id.unwrap_or_else(|| ("?".into(), node.span));
        let surroundings = Surroundings::new(variant.before_id, variant.after_id);
        if let (Some(surroundings), false) = (surroundings, depends_on.is_empty()) {
            self.variants.insert(id.clone(), surroundings);
        }
        let (input, expected) = (input.unwrap_or_default(), expected.unwrap_or_default());
        let conversation_id = conversation_id.map(|(name, _)| name.to_string());
        let input = what_the_target_sees(id, self.suite_file.clone(), input, conversation_id);
        let (line, column) = self.line_and_column(span);
        Some(EvalCase {
            input: Arc::new(input),
            dataset: self.dataset.clone(),
            suite: self.suite_path.clone(),
            place: CasePlace { file: variant.file.cloned(), span, line, column },
            expected_outcome,
            expected_messages: expected.messages,
            graders,
            targets: execution.targets.unwrap_or_else(|| self.whole.targets.clone()),
            judge_target: execution.judge_target.or_else(|| self.whole.judge_target.clone()),
            threshold: execution.threshold.or(self.whole.threshold),
            repeat: execution.repeat.or(self.whole.repeat),
            depends_on,
            tags,
            vars: scope.map(|scope| Arc::new(scope.to_json())),
        })
    }

    fn rubric_files<'f>(&'f mut self, folder: &'f Path) -> RubricFiles<'f, 'f> {
        RubricFiles { folder, library: self.library, problems: self.settings.problems }
    }

    /// The variables of a case; nothing where it has none, and braces are only braces.
    fn scope(&mut self, fields: &Fields<'_>, case: Span, variant: Variant<'_>) -> Option<Scope> {
        let own = fields
            .get("vars")
            .and_then(|vars| read_vars(vars, variant.folder, self.library, self.settings.problems));
        let data = own.as_ref().filter(|_| variant.is_data).map(|vars| &**vars);
        let layers = [own.as_ref(), variant.vars, self.whole.vars.as_ref()];
        let given: Vec<&[Entry]> = layers.into_iter().flatten().map(|vars| &**vars).collect();
        match (given.as_slice(), variant.prompt) {
            ([], None) => None,
            ([_], _) => {
                let only = layers.into_iter().flatten().next().cloned()?;
                Some(self.templates.scope(only, data, case, &mut self.settings))
            }
            _ => Some(self.templates.scope(merged(&given), data, case, &mut self.settings)),
        }
    }

    /// The case with its templates rendered, except what is not a part of the question or of its
    /// grading.
    fn render(&mut self, written: &Node, scope: &Scope) -> Node {
        let NodeValue::Map(entries) = &written.value else {
            return written.clone();
        };
        for entry in entries.iter().filter(|entry| MAY_GRADE.contains(&&*entry.key)) {
            refuse_variables(&entry.value, scope.case, &mut self.settings);
        }
        let entries = entries.iter().map(|entry| Entry {
            key: entry.key.clone(),
            key_span: entry.key_span,
            value: if &*entry.key == "vars" || is_free(&entry.key) {
                entry.value.clone()
            } else {
                self.templates.render(&entry.value, RENDERED_LATER, scope, &mut self.settings)
            },
        });
        Node::new(written.span, NodeValue::Map(entries.collect()))
    }

    /// Graders of the suite may speak of the case's variables. The case's own have been rendered,
    /// and are not again: braces that a variable brought in are only braces.
    fn graders(
        &mut self,
        execution: &mut Execution,
        rubrics: Option<Node>,
        scope: Option<&Scope>,
    ) -> Arc<[Node]> {
        let Self { whole, templates, settings, .. } = self;
        let spoken_of = |grader| has_templates(grader, RENDERED_LATER);
        let scope = scope.filter(|_| whole.graders.iter().any(spoken_of));
        let render = scope.map(|scope| {
            |grader: &Node| {
                refuse_variables(grader, scope.case, settings);
                templates.render(grader, RENDERED_LATER, scope, settings)
            }
        });
        graders::of_case(execution, rubrics, whole, render)
    }

    fn read_id(
        &mut self,
        fields: &Fields<'_>,
        node: &Node,
        variant: Variant<'_>,
    ) -> Option<(Arc<str>, Span)> {
        let (id, span) = match (fields.get("id"), variant.default_id) {
            (None, Some(id)) => (id.into(), node.span),
            _ => {
                let id = fields.required("id", self.settings.problems)?;
                self.read_name("id", id)?
            }
        };
        let id = if variant.before_id.is_empty() && variant.after_id.is_empty() {
            id
        } else {
            format!("{}{id}{}", variant.before_id, variant.after_id).into()
        };
        self.claim(&id, span);
        Some((id, span))
    }

    /// An id names one case of a suite; a second case of that id is an error at its place.
    fn claim(&mut self, id: &Arc<str>, span: Span) {
        match self.ids.entry(id.clone()) {
            Slot::Occupied(first) => self.settings.problems.push(
                Diagnostic::error(format!("an eval case with the id `{id}` exists already"))
                    .code("duplicate-id")
                    .at(span)
                    .label("used again here")
                    .note(*first.get(), "first used here"),
            ),
            Slot::Vacant(slot) => {
                slot.insert(span);
            }
        }
    }

    fn read_input(
        &mut self,
        fields: &Fields<'_>,
        scope: Option<&Scope>,
        variant: Variant<'_>,
        skip_defaults: bool,
    ) -> Option<Conversation> {
        let mut files = read_names("input_files", fields, &mut self.settings);
        if !skip_defaults {
            files.splice(0..0, self.whole.input_files.iter().cloned());
        }
        let alone = files.is_empty() && (skip_defaults || self.whole.input.is_empty());
        let own = self.given("input_messages", "input", fields);
        let given = match (own, variant.prompt) {
            (given, Some(prompt)) => self.prompted(given, prompt, scope, fields),
            (Some(("input_messages", node)), None) if alone => {
                return self.list_of_messages("input_messages", node);
            }
            (Some(given), None) => Some((given.0, given.1.clone())),
            (None, None) => {
                let named = scope.and_then(|scope| scope.var("input"));
                if named.is_none() {
                    fields.required("input_messages", self.settings.problems);
                }
                named.map(|node| ("input", node.clone()))
            }
        };
        let (key, node) = given?;
        let node = self.content_of(node, variant.folder)?;
        let own = self.messages(key, &node, "user")?;
        let mut messages = if skip_defaults { Vec::new() } else { self.whole.input.clone() };
        if let Some(scope) = scope {
            for message in &mut messages {
                *message = self.templates.render(message, &[], scope, &mut self.settings);
            }
        }
        messages.extend(own);
        spoken::attach(&files, &mut messages);
        read_messages(&messages, &mut self.attacher, self.settings.problems)
    }

    /// The prompt of this variant, with the case's own input and reference as variables.
    fn prompted(
        &mut self,
        given: Option<(&'static str, &Node)>,
        prompt: &Prompt,
        scope: Option<&Scope>,
        fields: &Fields<'_>,
    ) -> Option<(&'static str, Node)> {
        let scope = scope?;
        if let Some((key, node)) = given.filter(|_| !prompt.mentions_input) {
            let span = fields.entry(key).map_or(node.span, |entry| entry.key_span);
            self.settings.problems.push(
                Diagnostic::error(format!(
                    "`{key}` is not used: no `{{{{ input }}}}` is in the prompt"
                ))
                .code("misplaced-key")
                .at(span)
                .note(prompt.content.span, "this prompt")
                .hint("mention `{{ input }}` in the prompt, or remove the key"),
            );
        }
        let reference = fields.get("expected_output").or_else(|| fields.get("expected_messages"));
        let named = |name: &str, node: Option<&Node>| {
            node.filter(|_| scope.var(name).is_none()).map(|node| Entry {
                key: name.into(),
                key_span: node.span,
                value: node.clone(),
            })
        };
        let input = named("input", given.map(|(_, node)| node));
        let extra: Vec<Entry> =
            input.into_iter().chain(named("expected_output", reference)).collect();
        let rendered = if extra.is_empty() {
            self.templates.render(&prompt.content, &[], scope, &mut self.settings)
        } else {
            let scope = Scope::new(merged(&[&scope.vars, &extra]), scope.case);
            self.templates.render(&prompt.content, &[], &scope, &mut self.settings)
        };
        Some(("prompt", spoken::chat_in(&rendered).unwrap_or(rendered)))
    }

    fn read_expected(
        &mut self,
        fields: &Fields<'_>,
        scope: Option<&Scope>,
        variant: Variant<'_>,
    ) -> Option<Conversation> {
        let (key, node) = match self.given("expected_messages", "expected_output", fields) {
            Some(given) => given,
            None => ("expected_output", scope?.var("expected_output")?),
        };
        if key == "expected_messages" {
            return self.list_of_messages(key, node);
        }
        let node = self.content_of(node.clone(), variant.folder)?;
        let messages = self.messages(key, &node, "assistant")?;
        read_messages(&messages, &mut self.attacher, self.settings.problems)
    }

    /// A value, or what is in the file that it names as a whole.
    fn content_of(&mut self, node: Node, folder: &Path) -> Option<Node> {
        match node.as_str().and_then(file_of) {
            Some(path) => content(path, node.span, folder, self.library, self.settings.problems),
            None => Some(node),
        }
    }

    /// Which of two keys for the same thing is given; both are one too many.
    fn given<'n>(
        &mut self,
        list: &'static str,
        any: &'static str,
        fields: &Fields<'n>,
    ) -> Option<(&'static str, &'n Node)> {
        match (fields.get(list), fields.get(any)) {
            (Some(node), Some(other)) => {
                let first = fields.entry(list).map_or(node.span, |entry| entry.key_span);
                let second = fields.entry(any).map_or(other.span, |entry| entry.key_span);
                self.settings.problems.push(
                    Diagnostic::error(format!("`{list}` and `{any}` say the same of eval case"))
                        .code("duplicate-key")
                        .at(second)
                        .note(first, "given here too")
                        .hint("keep one of them"),
                );
                Some((list, node))
            }
            (Some(node), None) => Some((list, node)),
            (None, Some(node)) => Some((any, node)),
            (None, None) => None,
        }
    }

    fn messages(&mut self, key: &str, node: &Node, role: &'static str) -> Option<Vec<Node>> {
        if key == "input_messages" {
            return self.list(key, node).map(<[Node]>::to_vec);
        }
        spoken::messages(key, node, role, self.settings.problems)
    }

    fn list_of_messages(&mut self, key: &str, node: &Node) -> Option<Conversation> {
        let items = self.list(key, node)?;
        read_messages(items, &mut self.attacher, self.settings.problems)
    }

    fn list<'n>(&mut self, key: &str, node: &'n Node) -> Option<&'n [Node]> {
        let items = node.as_list();
        if items.is_none() {
            let message = format!("`{key}` must be a list, not {}", node.kind_name());
            let short = if key == "input_messages" { "input" } else { "expected_output" };
            let hint = format!(
                "write it as a message:\n{key}:\n  - role: user\n    content: …\nor as `{short}: …`"
            );
            let hint = if node.as_str().is_some() { Some(hint) } else { None };
            let mut problem = Diagnostic::error(message).code("wrong-type").at(node.span);
            problem.hint = hint;
            self.settings.problems.push(problem);
        }
        items
    }

    fn read_tags(&mut self, fields: &Fields<'_>) -> Arc<[Arc<str>]> {
        let own = read_names("tags", fields, &mut self.settings);
        if own.is_empty() {
            return self.whole.tags.clone();
        }
        let suites = self.whole.tags.iter().map(|tag| (tag.clone(), Span::default()));
        each_once(suites.chain(own).collect()).into()
    }

    /// A name that comes back in results: a string, because `012` and `12` are two names.
    fn read_name(&mut self, key: &str, node: &Node) -> Option<(Arc<str>, Span)> {
        let problems = &mut *self.settings.problems;
        let NodeValue::String(name) = &node.value else {
            let diagnostic =
                Diagnostic::error(format!("`{key}` must be a string, not {}", node.kind_name()))
                    .code("wrong-type")
                    .at(node.span);
            let written = self
                .library
                .sources
                .get(node.span.source)
                .and_then(|source| {
                    source.text.get(node.span.start as usize..node.span.end as usize)
                })
                .filter(|_| node.as_list().is_none() && node.as_map().is_none());
            problems.push(match written {
                Some(written) => diagnostic.hint(format!("write `{key}: \"{written}\"`")),
                None => diagnostic,
            });
            return None;
        };
        if name.trim().is_empty() {
            problems.error(node.span, format!("`{key}` is blank"));
            return None;
        }
        if name.contains('\0') {
            problems.error(node.span, format!("`{key}` contains a NUL character"));
            return None;
        }
        Some((name.to_shared(), node.span))
    }

    fn line_and_column(&mut self, span: Span) -> (usize, usize) {
        let sources = &self.library.sources;
        let lines = self.lines.entry(span.source).or_insert_with(|| {
            let source = sources.get(span.source);
            LineCounter::new(source.map(|source| source.text.clone()).unwrap_or_default())
        });
        lines.line_and_column(span.start as usize)
    }
}

/// What a good answer does; a blank text says nothing.
fn read_outcome(fields: &Fields<'_>, problems: &mut Problems) -> Option<Text> {
    fields.string("expected_outcome", problems).filter(|text| !text.trim().is_empty())?;
    match &fields.get("expected_outcome")?.value {
        NodeValue::String(text) => Some(text.clone()),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

/// The input of a case.
///
/// Invariant: it is made of these arguments alone, so that nothing of what is expected can get in.
fn what_the_target_sees(
    eval_id: Arc<str>,
    suite_file: Arc<Path>,
    conversation: Conversation,
    conversation_id: Option<String>,
) -> Input {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut guideline_files: Vec<PathBuf> = Vec::new();
    for file in conversation.attached {
        let kept = if file.is_guideline { &mut guideline_files } else { &mut files };
        if !kept.contains(&file.path) {
            kept.push(file.path.clone());
        }
    }
    let messages = conversation.messages;
    Input { eval_id, suite_file, messages, files, guideline_files, conversation_id }
}
