//! Which of the loaded cases are meant: `--eval-id` and `--tag`.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
};

use agentv_base::{Diagnostic, EvalCase, excerpt, nearest};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::load::Loaded;

/// How many ids an error shows to choose from.
const SHOWN_IDS: usize = 5;
/// How many ids of cases are named that nobody chose.
const NAMED_ADDED: usize = 10;
/// Enough of an id to recognise it.
const SHOWN_ID: usize = 80;

/// Keeps the cases whose id is one of `ids`, exactly or as a glob, and that have one of `tags`, and
/// the suites that still have cases. A filter that matches nothing is a problem. Without filters
/// everything stays.
pub fn select(loaded: &mut Loaded, ids: &[String], tags: &[String]) {
    select_tags(loaded, tags);
    select_ids(loaded, ids, tags);
}

/// The same, and with the cases that are kept those that they depend on, and so on. A warning says
/// which these are: whoever chose one case runs, and pays for, several.
pub fn select_with_dependencies(loaded: &mut Loaded, ids: &[String], tags: &[String]) {
    let depends = |case: &Arc<EvalCase>| !case.depends_on.is_empty();
    let before: HashMap<PathBuf, Vec<Arc<EvalCase>>> = loaded
        .suites
        .iter()
        .filter(|_| !ids.is_empty() || !tags.is_empty())
        .filter(|suite| suite.suite.cases.iter().any(depends))
        .map(|suite| (suite.suite.file.clone(), suite.suite.cases.clone()))
        .collect();
    select(loaded, ids, tags);
    let mut added: Vec<Arc<str>> = Vec::new();
    for loaded_suite in &mut loaded.suites {
        let suite = &mut loaded_suite.suite;
        if let Some(all) = before.get(&suite.file) {
            let chosen = suite.cases.len();
            let wanted = needed(&suite.cases, all);
            let is_chosen: HashSet<&str> = suite.cases.iter().map(|case| case.id()).collect();
            let ids = wanted.iter().filter(|case| !is_chosen.contains(case.id()));
            added.extend(ids.map(|case| Arc::clone(&case.input.eval_id)));
            if wanted.len() > chosen {
                suite.cases = wanted;
            }
        }
    }
    if !added.is_empty() && !loaded.problems.has_errors() {
        loaded.problems.push(told_added(&added));
    }
}

/// The chosen cases and all that they depend on, in the order of the suite.
fn needed(chosen: &[Arc<EvalCase>], all: &[Arc<EvalCase>]) -> Vec<Arc<EvalCase>> {
    let by_id: HashMap<&str, &Arc<EvalCase>> = all.iter().map(|case| (case.id(), case)).collect();
    let mut wanted: HashSet<&str> = chosen.iter().map(|case| case.id()).collect();
    let mut open: Vec<&Arc<EvalCase>> = chosen.iter().collect();
    while let Some(case) = open.pop() {
        for dependency in case.depends_on.iter() {
            if let Some((id, other)) = by_id.get_key_value(&*dependency.id)
                && wanted.insert(id)
            {
                open.push(other);
            }
        }
    }
    all.iter().filter(|case| wanted.contains(case.id())).cloned().collect()
}

fn told_added(added: &[Arc<str>]) -> Diagnostic {
    let mut names: Vec<String> =
        added.iter().take(NAMED_ADDED).map(|id| format!("`{}`", excerpt(id, SHOWN_ID))).collect();
    if added.len() > names.len() {
        names.push(format!("{} more", added.len() - names.len()));
    }
    let what = if added.len() == 1 {
        "1 more case is run, which a chosen one depends on".to_owned()
    } else {
        format!("{} more cases are run, which chosen ones depend on", added.len())
    };
    Diagnostic::warning(format!("{what}: {}", names.join(", "))).code("added-case")
}

fn select_tags(loaded: &mut Loaded, tags: &[String]) {
    if tags.is_empty() {
        return;
    }
    let mut known: BTreeSet<Arc<str>> = BTreeSet::new();
    for loaded_suite in &mut loaded.suites {
        loaded_suite.suite.cases.retain(|case| {
            known.extend(case.tags.iter().cloned());
            case.tags.iter().any(|tag| tags.iter().any(|wanted| **wanted == **tag))
        });
    }
    loaded.suites.retain(|suite| !suite.suite.cases.is_empty());
    if loaded.problems.has_errors() {
        return;
    }
    for tag in tags.iter().filter(|tag| !known.contains(tag.as_str())) {
        let problem =
            Diagnostic::error(format!("no eval case has the tag `{tag}`")).code("unknown-tag");
        let names = || known.iter().map(|tag| &**tag);
        loaded.problems.push(match nearest(tag, names()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => problem.hint("give cases `tags: [a, b]`"),
            None => {
                let shown: Vec<&str> = names().take(SHOWN_IDS).collect();
                let more = if known.len() > shown.len() { ", …" } else { "" };
                problem.hint(format!("known tags: {}{more}", shown.join(", ")))
            }
        });
    }
}

fn select_ids(loaded: &mut Loaded, ids: &[String], tags: &[String]) {
    if ids.is_empty() {
        return;
    }
    let filters = Filters::new(ids);
    let mut used = HashSet::new();
    let mut known: Vec<String> = Vec::new();
    for loaded_suite in &mut loaded.suites {
        loaded_suite.suite.cases.retain(|case| {
            let matching = filters.matching(case.id());
            let keep = !matching.is_empty();
            used.extend(matching);
            known.push(case.id().to_owned());
            keep
        });
    }
    loaded.suites.retain(|suite| !suite.suite.cases.is_empty());
    // A case that is missing because of its own mistakes would be called unknown here.
    if loaded.problems.has_errors() {
        return;
    }
    for id in ids {
        if !used.contains(id.as_str()) {
            loaded.problems.push(unmatched(id, &known, tags));
        }
    }
}

fn unmatched(id: &str, known: &[String], tags: &[String]) -> Diagnostic {
    let among = match tags {
        [] => String::new(),
        [tag] => format!(" among those with the tag `{tag}`"),
        _ => format!(" among those with one of the tags `{}`", tags.join("`, `")),
    };
    let message = format!("no eval case matches `{id}`{among}");
    let diagnostic = Diagnostic::error(message).code("unknown-case");
    if let Some(near) = nearest(id, known.iter().map(String::as_str)) {
        return diagnostic.hint(format!("did you mean `{near}`?"));
    }
    let mut shown: Vec<&str> = Vec::new();
    for id in known {
        if !shown.contains(&id.as_str()) {
            shown.push(id);
        }
        if shown.len() == SHOWN_IDS {
            break;
        }
    }
    let more = if known.len() > shown.len() { ", …" } else { "" };
    diagnostic.hint(format!("known ids: {}{more}", shown.join(", ")))
}

struct Filters<'i> {
    /// A filter is its own first match, whatever its characters mean in a glob.
    exact: HashSet<&'i str>,
    globs: GlobSet,
    /// The filter of each glob: not every filter is one.
    written: Vec<&'i str>,
}

impl<'i> Filters<'i> {
    fn new(ids: &'i [String]) -> Self {
        let mut globs = GlobSetBuilder::new();
        let mut written = Vec::new();
        for id in ids {
            // Ids are no paths: a star matches anything.
            let glob = GlobBuilder::new(id).literal_separator(false).build();
            if let Ok(glob) = glob {
                globs.add(glob);
                written.push(id.as_str());
            }
        }
        Self {
            exact: ids.iter().map(String::as_str).collect(),
            globs: globs.build().unwrap_or_default(),
            written,
        }
    }

    fn matching(&self, id: &str) -> Vec<&'i str> {
        let globs = self.globs.matches(id).into_iter();
        globs
            .filter_map(|glob| self.written.get(glob).copied())
            .chain(self.exact.get(id).copied())
            .collect()
    }
}
