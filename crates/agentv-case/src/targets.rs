//! A targets file: the targets it describes, and which one is meant without a name.
//!
//! Only the keys that every target has are read here; the rest belongs to the provider, which
//! checks it when the target is used.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{
    Diagnostic, Entry, Fields, Key, Node, NodeValue, Part, PriceList, Problems, Shape, Span,
    TARGET, TARGET_KEYS, TargetSpec, nearest,
};

use crate::{definition, environment::Variables, interpolate::Interpolation};

pub const TARGETS: Part = Part { what: "targets file", tables: &[FILE_KEYS] };

const FILE_KEYS: &[Key] = &[
    Key::new("$schema", Shape::Text, "Which schema the file follows; for editors"),
    Key::new("targets", Shape::List(&TARGET), "The targets").or(&["providers"]).required(),
];

/// Where a targets file is looked for in each folder, first hit wins.
pub const TARGETS_FILES: [&str; 6] = [
    ".agentv/targets.yaml",
    ".agentv/targets.yml",
    "targets.yaml",
    "targets.yml",
    ".agentv/providers.yaml",
    ".agentv/providers.yml",
];

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
    /// Where each target stands, by its name.
    places: HashMap<Arc<str>, usize>,
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
        self.places.get(name).and_then(|place| self.specs.get(*place))
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

    /// The same targets in a project with these prices.
    pub(crate) fn priced(mut self, prices: &Arc<PriceList>) -> Self {
        for spec in &mut self.specs {
            spec.prices = Arc::clone(prices);
        }
        self
    }

    /// The variables without a value that a target refers to; its settings are null there.
    ///
    /// They are no problem of the file: one that lists five vendors is fine on a machine with the
    /// key of one. They are errors of every target that is used.
    pub fn unset_variables(&self, name: &str) -> Problems {
        let place = self.places.get(name);
        place.and_then(|place| self.unset.get(*place)).cloned().unwrap_or_default()
    }
}

impl TargetsFile {
    /// The variable without a value that should have named the judge of a target.
    pub fn unset_judge(&self, name: &str) -> Option<Diagnostic> {
        let node = self.named(name)?.node.get("judge_target").filter(|node| node.is_null())?;
        let unset = self.unset.get(*self.places.get(name)?)?;
        unset.iter().find(|problem| problem.span == Some(node.span)).cloned()
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
    let mut found = TargetsFile {
        file: file.to_owned(),
        specs: Vec::new(),
        unset: Vec::new(),
        places: HashMap::new(),
    };
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
    found.add(items, variables, secrets, problems);
    found
}

impl TargetsFile {
    /// The targets that a suite describes itself, beside those of the file that it uses.
    pub(crate) fn described_in(
        suite: &Path,
        file: Option<&TargetsFile>,
        items: &[Node],
        variables: &Variables<'_>,
        secrets: &mut BTreeSet<String>,
        problems: &mut Problems,
    ) -> Self {
        let mut found = Self {
            file: suite.to_owned(),
            specs: file.map(|file| file.specs.clone()).unwrap_or_default(),
            unset: file.map(|file| file.unset.clone()).unwrap_or_default(),
            places: file.map(|file| file.places.clone()).unwrap_or_default(),
        };
        found.add(items, variables, secrets, problems);
        found
    }

    fn add(
        &mut self,
        items: &[Node],
        variables: &Variables<'_>,
        secrets: &mut BTreeSet<String>,
        problems: &mut Problems,
    ) {
        for item in items {
            let lowered = lower_target(&self.file, item, variables, secrets, problems);
            let Some((spec, unset)) = lowered else { continue };
            if let Some(first) = self.named(&spec.name) {
                problems.push(
                    Diagnostic::error(format!("a target called `{}` exists already", spec.name))
                        .at(spec.name_span)
                        .label("named again here")
                        .note(first.name_span, "first named here"),
                );
                continue;
            }
            self.places.insert(spec.name.clone(), self.specs.len());
            self.specs.push(spec);
            self.unset.push(unset);
        }
        self.check_judges(problems);
    }

    /// A judge is another target of the file; one that is not there would judge nothing.
    fn check_judges(&self, problems: &mut Problems) {
        let names = || self.specs.iter().map(|spec| &*spec.name);
        for spec in &self.specs {
            let Some((judge, span)) = &spec.judge_target else { continue };
            if self.named(judge).is_some() {
                continue;
            }
            let listed = names().collect::<Vec<_>>().join(", ");
            let hint = match nearest(judge, names()) {
                Some(near) => format!("did you mean `{near}`? there are: {listed}"),
                None => format!("there are: {listed}"),
            };
            let message = format!("judge target `{judge}` does not exist");
            problems.push(Diagnostic::error(message).code("unknown-target").at(*span).hint(hint));
        }
    }
}

/// The name of a target that is described on the spot.
pub(crate) fn name_of(written: &Node) -> Option<(Arc<str>, Span)> {
    let node = flattened(written, &mut Problems::default());
    let name = node.get("name")?;
    Some((name.as_str()?.into(), name.span))
}

/// `{id, label, config: {…}}` of the later dialects as `{name, provider, …}`.
///
/// With a `provider` the `id` is the name; without one it is the provider, and the name is the
/// `label`, else the id too. What stands in `config` may as well stand beside it.
fn flattened(written: &Node, problems: &mut Problems) -> Node {
    let later = ["id", "label", "config"].iter().any(|key| written.get(key).is_some());
    let NodeValue::Map(entries) = &written.value else {
        return written.clone();
    };
    if !later {
        return written.clone();
    }
    let given = |name: &str| entries.iter().any(|entry| &*entry.key == name);
    let renamed = |key: &str, entry: &Entry| Entry { key: key.into(), ..entry.clone() };
    let mut flat: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        match &*entry.key {
            "id" if given("provider") => flat.push(renamed("name", entry)),
            "id" => {
                flat.push(renamed("provider", entry));
                if !given("label") && !given("name") {
                    flat.push(renamed("name", entry));
                }
            }
            "label" => flat.push(renamed("name", entry)),
            "config" => match &entry.value.value {
                NodeValue::Map(inner) => flat.extend(inner.iter().cloned()),
                NodeValue::Null => {}
                NodeValue::Bool(_)
                | NodeValue::Integer(_)
                | NodeValue::Float(_)
                | NodeValue::String(_)
                | NodeValue::List(_) => {
                    let kind = entry.value.kind_name();
                    let message = format!("`config` must be a map, not {kind}");
                    problems.error(entry.value.span, message);
                }
            },
            _ => flat.push(entry.clone()),
        }
    }
    let mut unique: Vec<Entry> = Vec::with_capacity(flat.len());
    for entry in flat {
        match unique.iter().find(|known| known.key == entry.key) {
            Some(first) => problems.push(
                Diagnostic::error(format!("`{}` of target is given twice", entry.key))
                    .at(entry.key_span)
                    .label("given again here")
                    .note(first.key_span, "first given here"),
            ),
            None => unique.push(entry),
        }
    }
    Node::new(written.span, NodeValue::Map(Arc::from(unique)))
}

fn lower_target(
    file: &Path,
    written: &Node,
    variables: &Variables<'_>,
    secrets: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Option<(TargetSpec, Problems)> {
    let mut unset = Problems::default();
    let written = &flattened(written, problems);
    let node =
        Interpolation { variables, problems: &mut unset, secrets }.fill("target", written, &[]);
    definition::secrets_in(&node, false, secrets);
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
    let judge_target = fields.non_blank("judge_target", problems).map(|name| {
        (Arc::from(name), fields.get("judge_target").map_or(node.span, |node| node.span))
    });
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
        prices: Arc::default(),
        node: node.clone(),
    };
    Some((spec, unset))
}
