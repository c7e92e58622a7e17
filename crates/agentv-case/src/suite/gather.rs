//! The cases of a suite from wherever it keeps them: its own list, other files, scenarios.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Entry, EvalCase, Fields, Node, NodeValue, SourceId, Span};

use super::{
    More,
    case::{CaseReader, Variant},
    keys::{SCENARIO_CONFIG_KEYS, SCENARIO_KEYS, SUITE_KEYS},
    reference::{self, ending, read_vars},
};
use crate::{
    data::{Table, json_lines, json_value},
    folders,
    library::FileText,
    read::{LARGEST_DATA, LARGEST_FILE},
    yaml,
};

/// What cases of a scenario are combined with.
#[derive(Default)]
struct Setting {
    vars: Option<Arc<[Entry]>>,
    before_id: String,
    after_id: String,
}

/// The file whose cases are being read.
struct Origin {
    folder: PathBuf,
    /// From the repository root, where it is not the suite's own.
    path: Option<Arc<str>>,
    /// What a case without an id is called, with its number behind.
    unnamed: Option<String>,
    /// It holds rows of data.
    is_data: bool,
}

pub(super) struct Gathering<'g, 's, 'e> {
    pub(super) reader: &'g mut CaseReader<'s, 'e>,
    pub(super) root: &'g Path,
    pub(super) cases: Vec<Arc<EvalCase>>,
    /// The files that are being read, the suite first: none of them may come again below itself.
    pub(super) open: Vec<PathBuf>,
    /// Hashes of the files that cases were taken from.
    pub(super) hashes: Vec<String>,
}

impl Gathering<'_, '_, '_> {
    /// Takes the cases that stand in the suite itself, and those that are still to be read of it.
    pub(super) fn of_suite(&mut self, cases: Node, more: Option<More<'_>>) {
        let folder = self.reader.suite_file.parent().unwrap_or(Path::new("/")).to_owned();
        let unnamed = (!self.reader.whole.prompts.is_empty()).then(|| "test".to_owned());
        let origin = Origin { folder, path: None, unnamed, is_data: false };
        let setting = Setting::default();
        let first = cases.as_list().map_or(0, <[Node]>::len);
        self.list(cases, &origin, &setting);
        let Some(more) = more else { return };
        self.cases.reserve(more.about);
        self.reader.ids.reserve(more.about);
        for (number, item) in more.cases.enumerate() {
            self.item(&item, first + number + 1, &origin, &setting);
        }
    }

    /// Takes the rows of a data file that is a suite in itself.
    pub(super) fn of_data(&mut self, file: &Path, read: &FileText) {
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let origin = Origin { folder, path: None, unnamed: self.unnamed(file), is_data: true };
        self.data(file, read.source, &read.text, &origin, &Setting::default());
    }

    /// Takes the cases of every scenario, with each of its sets of variables.
    pub(super) fn of_scenarios(&mut self, scenarios: &[Node]) {
        let folder = self.reader.suite_file.parent().unwrap_or(Path::new("/")).to_owned();
        for (number, scenario) in scenarios.iter().enumerate() {
            let unnamed = Some(format!("scenario-{}-test", number + 1));
            let origin = Origin { folder: folder.clone(), path: None, unnamed, is_data: false };
            self.scenario(scenario, &origin);
        }
    }

    fn scenario(&mut self, node: &Node, origin: &Origin) {
        let problems = &mut *self.reader.settings.problems;
        let Some(fields) = Fields::read(node, "scenario", &[SCENARIO_KEYS], problems) else {
            return;
        };
        let before_id = match fields.non_blank("id", problems) {
            Some(id) => format!("{id}/"),
            None => String::new(),
        };
        let cases = fields.required("tests", problems);
        fields.required("config", problems);
        let sets = fields.list("config", problems).unwrap_or_default();
        for (number, set) in sets.iter().enumerate() {
            let problems = &mut *self.reader.settings.problems;
            let what = "set of variables";
            let Some(fields) = Fields::read(set, what, &[SCENARIO_CONFIG_KEYS], problems) else {
                continue;
            };
            let id = fields.non_blank("id", problems).map(str::to_owned);
            let vars = fields
                .required("vars", problems)
                .and_then(|vars| read_vars(vars, &origin.folder, self.reader.library, problems));
            let after_id = match id {
                Some(id) => format!("#{id}"),
                None if sets.len() > 1 => format!("#{}", number + 1),
                None => String::new(),
            };
            let setting = Setting { vars, before_id: before_id.clone(), after_id };
            if let Some(cases) = cases {
                self.list(cases.clone(), origin, &setting);
            }
        }
    }

    /// A list of cases and references, or a reference alone. Each case as written goes as its own
    /// form comes: the two never stand in memory together.
    fn list(&mut self, cases: Node, origin: &Origin, setting: &Setting) {
        match cases.value {
            NodeValue::List(mut items) => {
                self.cases.reserve(items.len());
                self.reader.ids.reserve(items.len());
                for (number, item) in Arc::make_mut(&mut items).iter_mut().enumerate() {
                    self.item(&item.take(), number + 1, origin, setting);
                }
            }
            NodeValue::String(text) => self.refer(&text, cases.span, origin, setting),
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::Map(_) => {
                let kind = cases.kind_name();
                let message = format!("cases must be a list, or `file://…`, not {kind}");
                self.reader.settings.problems.error(cases.span, message);
            }
        }
    }

    fn item(&mut self, item: &Node, number: usize, origin: &Origin, setting: &Setting) {
        if let NodeValue::String(text) = &item.value {
            return self.refer(text, item.span, origin, setting);
        }
        self.case(item, number, origin, setting);
    }

    /// A case, once for each prompt of the suite.
    fn case(&mut self, node: &Node, number: usize, origin: &Origin, setting: &Setting) {
        let default_id = origin.unnamed.as_ref().map(|name| format!("{name}-{number}"));
        // The prompts go aside while the reader works, which needs the rest of the suite.
        let prompts = std::mem::take(&mut self.reader.whole.prompts);
        let mut variant = Variant {
            folder: &origin.folder,
            file: origin.path.as_ref(),
            is_data: origin.is_data,
            prompt: None,
            vars: setting.vars.as_ref(),
            before_id: &setting.before_id,
            after_id: &setting.after_id,
            default_id: default_id.as_deref(),
        };
        match prompts.as_slice() {
            [] => self.cases.extend(self.reader.read(node, variant).map(Arc::new)),
            [prompt] => {
                variant.prompt = Some(prompt);
                self.cases.extend(self.reader.read(node, variant).map(Arc::new));
            }
            several => {
                for prompt in several {
                    let after_id = format!("{}#{}", setting.after_id, prompt.label);
                    let variant = Variant { prompt: Some(prompt), after_id: &after_id, ..variant };
                    self.cases.extend(self.reader.read(node, variant).map(Arc::new));
                }
            }
        }
        self.reader.whole.prompts = prompts;
    }

    fn refer(&mut self, text: &str, span: Span, origin: &Origin, setting: &Setting) {
        if !reference::is_reference(text) {
            self.reader.settings.problems.push(
                Diagnostic::error("eval case must be a map, not a string")
                    .at(span)
                    .hint("cases of another file are taken by `file://PATH`"),
            );
            return;
        }
        let reader = &mut *self.reader;
        let problems = &mut *reader.settings.problems;
        let files = reference::files(text, span, &origin.folder, reader.library, problems);
        for file in files {
            self.file(&file, span, setting);
        }
    }

    /// The cases of another file: a case, a list of cases, or rows of data.
    fn file(&mut self, file: &Path, span: Span, setting: &Setting) {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        if self.open.contains(&real) {
            let shown = self.reader.library.shown(file);
            self.reader.settings.problems.push(
                Diagnostic::error(format!("`{}` takes cases from itself", shown.display()))
                    .at(span)
                    .hint("name the other files one by one"),
            );
            return;
        }
        let is_data = matches!(ending(file).as_str(), "jsonl" | "csv");
        let most = if is_data { LARGEST_DATA } else { LARGEST_FILE };
        let content = match self.reader.library.read(file, most) {
            Ok(content) => content,
            Err(mut problem) => {
                problem.span = problem.span.or(Some(span));
                self.reader.settings.problems.push(problem);
                return;
            }
        };
        self.hashes.push(content.content_hash);
        self.reader.library.referred.insert(real.clone());
        let origin = Origin {
            folder: file.parent().unwrap_or(Path::new("/")).to_owned(),
            path: Some(folders::from_root(file, self.root).into()),
            unnamed: self.unnamed(file),
            is_data,
        };
        self.open.push(real);
        self.data(file, content.source, &content.text, &origin, setting);
        self.open.pop();
    }

    /// What cases of a file are called that need no id: rows of a table, and what prompts are
    /// filled with.
    fn unnamed(&self, file: &Path) -> Option<String> {
        let needless = ending(file) == "csv" || !self.reader.whole.prompts.is_empty();
        needless.then(|| stem(file))
    }

    fn data(
        &mut self,
        file: &Path,
        source: SourceId,
        text: &Arc<String>,
        origin: &Origin,
        setting: &Setting,
    ) {
        let before = self.cases.len();
        let mut said = false;
        match ending(file).as_str() {
            "jsonl" => {
                for (number, (node, problems)) in json_lines(text, source).enumerate() {
                    said |= problems.has_errors();
                    self.reader.settings.problems.append(problems);
                    if let Some(node) = node {
                        self.case(&node, number + 1, origin, setting);
                        said = true;
                    }
                }
            }
            "csv" => {
                let table = Table::new(text, source, self.reader.settings.problems);
                said |= table.is_none();
                for (number, row) in table.into_iter().flatten().enumerate() {
                    said = true;
                    match row {
                        Ok(node) => self.case(&node, number + 1, origin, setting),
                        Err(problem) => self.reader.settings.problems.push(problem),
                    }
                }
            }
            kind => {
                let problems = &mut *self.reader.settings.problems;
                let node = if kind == "json" {
                    json_value(text, source, problems)
                } else {
                    yaml::parse_shared(text, source, problems)
                };
                said = true;
                if let Some(node) = node {
                    self.tree(node, origin, setting);
                }
            }
        }
        if !said && self.cases.len() == before {
            let shown = self.reader.library.shown(file);
            let span = Span { source, start: 0, end: 0 };
            let message = format!("`{}` is empty: it has no cases", shown.display());
            self.reader.settings.problems.error(span, message);
        }
    }

    /// A YAML or JSON file: a list of cases, one case, or a map that holds only the list.
    fn tree(&mut self, node: Node, origin: &Origin, setting: &Setting) {
        let entries = node.as_map().unwrap_or_default();
        let holds_list = |name: &str| {
            agentv_base::find_key(name, &[SUITE_KEYS]).is_some_and(|key| key.name == "evalcases")
        };
        let Some(cases) = entries.iter().find(|entry| holds_list(&entry.key)) else {
            if node.as_map().is_some() {
                return self.case(&node, 1, origin, setting);
            }
            if node.is_null() {
                let message = "the file is empty: it has no cases";
                self.reader.settings.problems.error(node.span, message);
                return;
            }
            return self.list(node, origin, setting);
        };
        for entry in entries {
            let known = holds_list(&entry.key) || &*entry.key == "$schema";
            if !known && !agentv_base::is_free(&entry.key) {
                self.reader.settings.problems.push(
                    Diagnostic::error(format!(
                        "`{}` of another file has no effect here",
                        entry.key
                    ))
                    .at(entry.key_span)
                    .hint("only the cases are taken; move it to the suite, or run the file itself"),
                );
            }
        }
        self.list(cases.value.clone(), origin, setting);
    }
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
