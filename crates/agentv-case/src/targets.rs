//! A targets file: the targets it describes, and which one is meant without a name.
//!
//! Only the keys that every target has are read here; the rest belongs to the provider, which
//! checks it when the target is used.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Fields, Key, Node, Problems, Span, TARGET_KEYS, TargetSpec};

use crate::{definition, environment::Variables, interpolate::Interpolation};

const FILE_KEYS: &[Key] = &[Key::new("$schema"), Key::new("targets")];

/// Where a targets file is looked for in each folder, first hit wins.
pub(crate) const TARGETS_FILES: [&str; 4] =
    [".agentv/targets.yaml", ".agentv/targets.yml", "targets.yaml", "targets.yml"];

/// The smallest targets file that works.
pub(crate) const EXAMPLE: &str = "\
targets:
  - name: default
    provider: cli
    command_template: my-agent --prompt-file {PROMPT_FILE}";

/// The targets of one file, with the variables of the suites that use it filled in.
#[derive(Debug)]
pub struct TargetsFile {
    /// Absolute.
    pub file: PathBuf,
    pub specs: Vec<TargetSpec>,
    /// For each target, the variables it refers to that have no value.
    unset: Vec<Problems>,
}

/// Nothing says which target is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no target is called `default`, and there are several: {}", names.join(", "))]
pub struct NoDefault {
    /// What there is to choose from.
    pub names: Vec<String>,
}

impl TargetsFile {
    pub fn named(&self, name: &str) -> Option<&TargetSpec> {
        self.specs.iter().find(|spec| &*spec.name == name)
    }

    /// The target that is meant where no name is given: `default`, else the only one.
    pub fn default_target(&self) -> Result<&TargetSpec, NoDefault> {
        match self.specs.as_slice() {
            [only] => Ok(only),
            all => self.named("default").ok_or_else(|| NoDefault {
                names: all.iter().map(|spec| spec.name.to_string()).collect(),
            }),
        }
    }

    /// The variables without a value that a target refers to; its settings are null there.
    ///
    /// They are no problem of the file: one that lists five vendors is fine on a machine with the
    /// key of one. They are errors of every target that is used.
    pub fn unset_variables(&self, name: &str) -> Problems {
        let position = self.specs.iter().position(|spec| &*spec.name == name);
        position.and_then(|position| self.unset.get(position)).cloned().unwrap_or_default()
    }
}

/// Gives meaning to a targets file that was read.
pub(crate) fn lower(
    file: &Path,
    node: &Node,
    variables: &Variables<'_>,
    secrets: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> TargetsFile {
    let mut found = TargetsFile { file: file.to_owned(), specs: Vec::new(), unset: Vec::new() };
    if node.is_null() {
        problems.push(
            Diagnostic::error("the targets file is empty")
                .at(node.span)
                .hint(format!("a minimal one:\n{EXAMPLE}")),
        );
        return found;
    }
    let Some(fields) = Fields::read(node, "targets file", &[FILE_KEYS], problems) else {
        return found;
    };
    fields.string("$schema", problems);
    if fields.required("targets", problems).is_none() {
        return found;
    }
    let Some(items) = fields.list("targets", problems) else {
        return found;
    };
    if items.is_empty() {
        let span = fields.get("targets").map_or(node.span, |node| node.span);
        problems.push(
            Diagnostic::error("`targets` is empty")
                .at(span)
                .hint(format!("describe at least one target:\n{EXAMPLE}")),
        );
    }
    let mut first_places: HashMap<Arc<str>, Span> = HashMap::new();
    for item in items {
        let Some((spec, unset)) = lower_target(file, item, variables, secrets, problems) else {
            continue;
        };
        if let Some(first) = first_places.get(&spec.name) {
            problems.push(
                Diagnostic::error(format!("a target called `{}` exists already", spec.name))
                    .at(spec.name_span)
                    .label("named again here")
                    .note(*first, "first named here"),
            );
            continue;
        }
        first_places.insert(spec.name.clone(), spec.name_span);
        found.specs.push(spec);
        found.unset.push(unset);
    }
    found
}

fn lower_target(
    file: &Path,
    written: &Node,
    variables: &Variables<'_>,
    secrets: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Option<(TargetSpec, Problems)> {
    let mut unset = Problems::default();
    let node =
        Interpolation { variables, problems: &mut unset, secrets }.fill("target", written, &[]);
    if node.as_map().is_none() {
        Fields::read(&node, "target", &[TARGET_KEYS], problems);
        return None;
    }
    // Which further keys there may be is the provider's to say.
    let mut unknown = Problems::default();
    let fields = Fields::read(&node, "target", &[TARGET_KEYS], &mut unknown)?;
    // A target is known by these two, also one that no provider ever looks at.
    for entry in ["name", "provider"].into_iter().filter_map(|key| fields.entry(key)) {
        let misspelt = unknown.iter().filter(|problem| problem.span == Some(entry.key_span));
        misspelt.for_each(|problem| problems.push(problem.clone()));
    }
    // A target that cannot be named or started at all is a problem of the file.
    let nameless = ["name", "provider"]
        .into_iter()
        .any(|key| fields.entry(key).is_some() && fields.get(key).is_none());
    if nameless && !unset.is_empty() {
        problems.append(unset);
        return None;
    }
    let required = |name: &str, problems: &mut Problems| {
        let node = fields.required(name, problems)?;
        let text = fields.non_blank(name, problems)?;
        Some((text, node.span))
    };
    let name = required("name", problems);
    let provider = required("provider", problems);
    let workers = fields.count("workers", problems);
    let judge_target = fields.non_blank("judge_target", problems).map(Arc::from);
    let ((name, name_span), (provider, provider_span)) = (name?, provider?);
    let spec = TargetSpec {
        name: name.into(),
        name_span,
        provider: provider.trim().to_lowercase().into(),
        provider_span,
        workers,
        judge_target,
        definition: definition::recordable(written),
        file: file.to_owned(),
        node: node.clone(),
    };
    Some((spec, unset))
}
