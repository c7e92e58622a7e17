//! What an answer of a target depends on besides the question: its settings, the files of the
//! project that they name, attached files, and the variables that its command mentions.
//!
//! Secrets have no part in it, nor has how a target is reached.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agentv_base::{Node, Redactor, Request, TargetSpec, is_secret_name};
use agentv_exec::provider::kept::{Ingredients, Part};
use serde_json::Value;

use crate::{
    contents::{Contents, sha256},
    fingerprint::{canonical, settings},
};

/// The setting that says what a target does.
const COMMAND: &str = "command_template";

/// The files of the project, looked at once for all targets.
pub type SharedContents = Arc<Mutex<Contents>>;

/// By this in a command, a target may read the suite itself.
const SUITE_PLACEHOLDER: &str = "{EVAL_FILE}";

/// What the answers of a target depend on. `environment` is that of its command.
pub fn ingredients(
    spec: &TargetSpec,
    environment: &HashMap<String, String>,
    redactor: &Redactor,
    contents: SharedContents,
) -> Arc<dyn Ingredients> {
    let settings = settings(spec);
    let mut parts: Vec<Part> = settings
        .iter()
        .map(|(key, value)| {
            let name = if key == COMMAND { "the command".to_owned() } else { format!("`{key}`") };
            let text = canonical(value);
            Part { name, sha256: sha256(&redactor.redact(&text)) }
        })
        .collect();
    let texts = texts_of(spec);
    for (name, value) in variables_of(&texts, environment) {
        let sha256 = sha256(&redactor.redact(value));
        parts.push(Part { name: format!("variable {name}"), sha256 });
    }
    Arc::new(OfTarget {
        parts,
        reads_suite: texts.iter().any(|text| text.contains(SUITE_PLACEHOLDER)),
        texts,
        cwd: spec.node.get("cwd").and_then(Node::as_str).map(PathBuf::from),
        project: spec.file.parent().map(Path::to_owned),
        contents,
        of_folders: Mutex::default(),
    })
}

/// Every text among the settings of a target that matter: files may be named in them, and variables.
pub fn texts_of(spec: &TargetSpec) -> Vec<String> {
    let mut texts = Vec::new();
    for value in settings(spec).values() {
        collect(value, &mut texts);
    }
    texts
}

/// The variables that the texts mention and that are set, but for secrets.
pub fn variables_of<'e>(
    texts: &[String],
    environment: &'e HashMap<String, String>,
) -> Vec<(String, &'e String)> {
    let names = variables(texts).into_iter();
    let names = names.filter(|name| !is_secret_name(name) && !is_incidental(name));
    names.filter_map(|name| Some((name.clone(), environment.get(&name)?))).collect()
}

/// A file and the hash of its content.
type Named = (PathBuf, String);

struct OfTarget {
    /// What no request changes.
    parts: Vec<Part>,
    /// Every text of the settings.
    texts: Vec<String>,
    reads_suite: bool,
    cwd: Option<PathBuf>,
    /// The folder of the targets file.
    project: Option<PathBuf>,
    contents: SharedContents,
    /// The files that the settings name, by the folder of the suite.
    of_folders: Mutex<HashMap<PathBuf, Arc<[Named]>>>,
}

impl Ingredients for OfTarget {
    fn parts(&self, request: &Request) -> Vec<Part> {
        let mut all = self.parts.clone();
        let named = self.named(request.input.suite_dir());
        all.extend(named.iter().map(|(path, hash)| part("file", path, hash.clone())));
        let others = self.others(request);
        all.extend(others.into_iter().map(|(what, (path, hash))| part(what, &path, hash)));
        all
    }

    fn moved(&self, request: &Request) -> Option<PathBuf> {
        let named = self.named(request.input.suite_dir());
        let others = self.others(request);
        let contents = lock(&self.contents);
        let others = others.iter().map(|(_, (path, _))| path);
        let all = named.iter().map(|(path, _)| path).chain(others);
        all.into_iter().find(|path| contents.has_moved(path)).cloned()
    }
}

impl OfTarget {
    /// The files that the settings name, for a suite of this folder.
    fn named(&self, folder: &Path) -> Arc<[Named]> {
        if let Some(named) = lock(&self.of_folders).get(folder) {
            return Arc::clone(named);
        }
        let inside = self.cwd.as_ref().map(|cwd| folder.join(cwd));
        let folders: Vec<&Path> = [inside.as_deref(), Some(folder), self.project.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        let mut contents = lock(&self.contents);
        let named = self.texts.iter().flat_map(|text| contents.named_in(text, &folders));
        let mut named: Vec<Named> = named.collect();
        named.sort_unstable();
        named.dedup();
        let named: Arc<[Named]> = named.into();
        lock(&self.of_folders).insert(folder.to_owned(), Arc::clone(&named));
        named
    }

    /// The files that belong to the request, and what they are to it.
    fn others(&self, request: &Request) -> Vec<(&'static str, Named)> {
        let input = &request.input;
        let suite = self.reads_suite.then_some(&*input.suite_file);
        let attached = input.files.iter().chain(&input.guideline_files);
        let mut contents = lock(&self.contents);
        let suite = suite.and_then(|path| Some(("suite", contents.file(path)?)));
        let attached = attached.filter_map(|path| Some(("attached file", contents.file(path)?)));
        suite.into_iter().chain(attached).collect()
    }
}

fn part(what: &str, path: &Path, sha256: String) -> Part {
    Part { name: format!("{what} {}", path.display()), sha256 }
}

/// Every text in a setting.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(map) => map.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Parts of the names of variables that say where and when something runs, or where it writes to, not
/// what it answers: a job that is started again has another id and another folder.
const INCIDENTAL: [&str; 20] = [
    "log", "out", "save", "dump", "trace", "report", "tmp", "temp", "pid", "host", "user", "home",
    "pwd", "path", "dir", "slurm_", "github_", "runner_", "ci_", "job_",
];

fn is_incidental(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("_id") || INCIDENTAL.iter().any(|part| name.contains(part))
}

/// The variables that texts mention, as `$NAME` or `${NAME…}`.
fn variables(texts: &[String]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for text in texts {
        for rest in text.split('$').skip(1) {
            let rest = rest.strip_prefix('{').unwrap_or(rest);
            let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
            let name: String = rest.chars().take_while(|c| is_part(*c)).collect();
            if name.starts_with(|c: char| !c.is_ascii_digit()) {
                names.insert(name);
            }
        }
    }
    names
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_however_they_are_written() {
        let texts = ["run $A ${B:-x} ${C} $1 $$ \"$D_2\"/x $".to_owned(), "$A".to_owned()];
        let names: Vec<String> = variables(&texts).into_iter().collect();
        assert_eq!(names, ["A", "B", "C", "D_2"]);
    }

    #[test]
    fn where_and_when_something_runs_is_nothing_that_an_answer_depends_on() {
        let texts = ["$MODEL $SLURM_JOB_ID $AGENT_LOG $HOME $API_KEY $MODE".to_owned()];
        let set = ["MODEL", "SLURM_JOB_ID", "AGENT_LOG", "HOME", "API_KEY", "MODE"];
        let environment = set.into_iter().map(|name| (name.to_owned(), "x".to_owned())).collect();
        let kept = variables_of(&texts, &environment);
        let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["MODE", "MODEL"]);
    }
}
