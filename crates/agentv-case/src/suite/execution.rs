//! How a suite or a case is to be run and graded: its targets and its graders.

use std::sync::Arc;

use agentv_base::{
    Diagnostic, Entry, Fields, GRADER_KEYS, MEMBERS, NamedTarget, Node, NodeValue, Problems, Span,
    count_of, find_key, share_of,
};

use super::{keys::EXECUTION_KEYS, repeat};
use crate::{
    interpolate::{Interpolation, TEXT_OF_GRADERS, has_references},
    targets,
};

/// What a suite or a case says for itself; nothing where it leaves it to others.
#[derive(Default)]
pub(super) struct Execution {
    pub(super) targets: Option<Arc<[NamedTarget]>>,
    /// Targets that are described on the spot.
    pub(super) described: Vec<Node>,
    pub(super) evaluators: Option<Vec<Node>>,
    pub(super) assertions: Option<Vec<Node>>,
    pub(super) threshold: Option<f64>,
    pub(super) judge_target: Option<NamedTarget>,
    pub(super) workers: Option<usize>,
    pub(super) repeat: Option<u32>,
    pub(super) skip_defaults: bool,
}

impl Execution {
    /// Reads what stands in `execution`, and the same keys beside it, which give way to those
    /// inside. `evaluator: KIND` is a list of one grader. `not_here` is the key that means
    /// something only on the other level.
    pub(super) fn read(
        fields: &Fields<'_>,
        not_here: &str,
        settings: &mut Interpolation<'_, '_>,
    ) -> Self {
        let inner = fields
            .get("execution")
            .and_then(|node| Fields::read(node, "execution", &[EXECUTION_KEYS], settings.problems));
        let inner = inner.as_ref();
        let evaluators = match chosen("evaluators", inner, fields, settings.problems) {
            Some(chosen) => {
                if let (Some(used), Some(unused)) =
                    (chosen.entry("evaluators"), fields.entry("evaluator"))
                {
                    let unused = not_used("evaluator", unused.key_span);
                    settings.problems.push(unused.note(used.key_span, "these are used instead"));
                }
                read_graders("evaluators", chosen, settings)
            }
            None => read_kind(fields, settings),
        };
        let assertions = chosen("assert", inner, fields, settings.problems)
            .and_then(|fields| read_graders("assert", fields, settings));
        let threshold = chosen("threshold", inner, fields, settings.problems)
            .and_then(|fields| read_share("threshold", fields, settings));
        let judge_target = chosen("judge_target", inner, fields, settings.problems)
            .and_then(|fields| read_text("judge_target", fields, settings).map(named));
        let mut execution =
            Self { evaluators, assertions, threshold, judge_target, ..Self::default() };
        execution.read_targets(inner, fields, settings);
        execution.repeat = repeat::chosen(inner, fields, settings);
        if let Some(inner) = inner {
            if let Some(entry) = inner.entry(not_here) {
                settings.problems.push(no_effect(entry));
            }
            execution.workers = read_count("workers", inner, settings);
            execution.skip_defaults =
                inner.boolean("skip_defaults", settings.problems).unwrap_or(false);
        }
        execution
    }

    fn read_targets(
        &mut self,
        inner: Option<&Fields<'_>>,
        outer: &Fields<'_>,
        settings: &mut Interpolation<'_, '_>,
    ) {
        let mut names: Vec<NamedTarget> = Vec::new();
        if let Some(inner) = inner {
            names.extend(read_text("target", inner, settings).map(named));
            names.extend(read_names("targets", inner, settings).into_iter().map(named));
        }
        let place = |fields: &Fields<'_>, keys: [&str; 2]| {
            keys.iter().find_map(|key| fields.entry(key)).map(|entry| entry.key_span)
        };
        let within = inner.filter(|_| !names.is_empty());
        let within = within.and_then(|inner| place(inner, ["target", "targets"]));
        let mut beside: Vec<NamedTarget> = Vec::new();
        beside.extend(read_text("target", outer, settings).map(named));
        let listed = outer.get("providers").and_then(Node::as_list);
        match (outer.get("providers"), listed) {
            (Some(_), Some(items)) => {
                for item in items {
                    beside.extend(self.read_provider(item, settings));
                }
            }
            (Some(_), None) => {
                beside.extend(read_names("providers", outer, settings).into_iter().map(named));
            }
            (None, _) => {}
        }
        let unused = ["target", "providers"].into_iter().filter_map(|key| {
            outer.entry(key).filter(|entry| !entry.value.is_null()).map(|entry| (key, entry))
        });
        for (key, entry) in unused {
            if let Some(used) = within {
                settings.problems.push(not_used(key, entry.key_span).note(used, INSIDE_WINS));
            }
        }
        let chosen = if names.is_empty() { beside } else { names };
        if !chosen.is_empty() {
            let mut each: Vec<NamedTarget> = Vec::with_capacity(chosen.len());
            for target in chosen {
                if !each.iter().any(|known| known.name == target.name) {
                    each.push(target);
                }
            }
            self.targets = Some(each.into());
        }
    }

    /// A name, or a target described on the spot, which is then known by its own name.
    fn read_provider(
        &mut self,
        node: &Node,
        settings: &mut Interpolation<'_, '_>,
    ) -> Option<NamedTarget> {
        if node.as_map().is_some() {
            self.described.push(node.clone());
            return targets::name_of(node).map(|(name, span)| NamedTarget { name, span });
        }
        read_name("providers", node, settings).map(named)
    }
}

fn named((name, span): (Arc<str>, Span)) -> NamedTarget {
    NamedTarget { name, span }
}

/// Which of two maps says something under `key`; the one inside `execution` wins, and says so.
fn chosen<'f, 'n>(
    key: &str,
    inner: Option<&'f Fields<'n>>,
    outer: &'f Fields<'n>,
    problems: &mut Problems,
) -> Option<&'f Fields<'n>> {
    let given = |fields: &&Fields<'n>| fields.get(key).is_some();
    match (inner.filter(given), Some(outer).filter(given)) {
        (Some(inner), Some(_)) => {
            if let (Some(used), Some(unused)) = (inner.entry(key), outer.entry(key)) {
                problems.push(not_used(key, unused.key_span).note(used.key_span, INSIDE_WINS));
            }
            Some(inner)
        }
        (inner, outer) => inner.or(outer),
    }
}

pub(super) const INSIDE_WINS: &str = "this one, in `execution`, wins";

pub(super) fn not_used(key: &str, unused: Span) -> Diagnostic {
    Diagnostic::warning(format!("`{key}` is not used")).at(unused)
}

fn no_effect(entry: &Entry) -> Diagnostic {
    Diagnostic::warning(format!("`{}` has no effect here", entry.key))
        .code("misplaced-key")
        .at(entry.key_span)
        .hint("`workers` is for suites, `skip_defaults` for cases")
}

/// A setting that is a text, with its variables filled in.
pub(super) fn read_text(
    key: &str,
    fields: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Option<(Arc<str>, Span)> {
    fields.non_blank(key, settings.problems)?;
    filled(key, fields.get(key)?, settings)
}

fn filled(
    key: &str,
    node: &Node,
    settings: &mut Interpolation<'_, '_>,
) -> Option<(Arc<str>, Span)> {
    let filled = settings.fill(key, node, &[]);
    let NodeValue::String(text) = filled.value else {
        return None;
    };
    Some((text.to_shared(), filled.span))
}

/// A text, or a list of those.
pub(super) fn read_names(
    key: &str,
    fields: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Vec<(Arc<str>, Span)> {
    let Some(node) = fields.get(key) else {
        return Vec::new();
    };
    let items = node.as_list().unwrap_or(std::slice::from_ref(node));
    items.iter().filter_map(|item| read_name(key, item, settings)).collect()
}

fn read_name(
    key: &str,
    node: &Node,
    settings: &mut Interpolation<'_, '_>,
) -> Option<(Arc<str>, Span)> {
    match node.as_str() {
        Some(text) if text.trim().is_empty() => {
            settings.problems.error(node.span, format!("a name in `{key}` is blank"));
            None
        }
        Some(_) => filled(key, node, settings),
        None => {
            let kind = node.kind_name();
            settings.problems.error(node.span, format!("`{key}` takes strings, not {kind}"));
            None
        }
    }
}

pub(super) fn read_share(
    key: &str,
    fields: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Option<f64> {
    let node = settings.fill(key, fields.get(key)?, &[]);
    // A variable without a value has been reported already.
    if node.is_null() { None } else { share_of(key, &node, settings.problems) }
}

pub(super) fn read_count(
    key: &str,
    fields: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Option<usize> {
    count(key, fields.get(key)?, settings)
}

/// A whole number of at least one, perhaps of a variable.
pub(super) fn count(key: &str, node: &Node, settings: &mut Interpolation<'_, '_>) -> Option<usize> {
    let node = settings.fill(key, node, &[]);
    if node.is_null() { None } else { count_of(key, &node, settings.problems) }
}

/// A list of graders as written, with variables filled in.
pub(super) fn read_graders(
    key: &str,
    fields: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Option<Vec<Node>> {
    let items = fields.list(key, settings.problems)?;
    Some(items.iter().map(|item| fill_grader(item, settings)).collect())
}

/// What a grader looks for stays text, also where the grader is written shorter than with a `type`:
/// as a text, or with its type as a key.
fn fill_grader(item: &Node, settings: &mut Interpolation<'_, '_>) -> Node {
    let entries = item.as_map().unwrap_or_default();
    // What has nothing to be filled in stays shared.
    if item.as_str().is_some() || !has_references(item, &[]) {
        return item.clone();
    }
    if entries.iter().any(|entry| members(entry).is_some()) {
        let fill = |entry: &Entry| Entry {
            key: entry.key.clone(),
            key_span: entry.key_span,
            value: fill_part(entry, settings),
        };
        return Node::new(item.span, NodeValue::Map(entries.iter().map(fill).collect()));
    }
    if entries.iter().any(|entry| matches!(&*entry.key, "type" | "value")) {
        return settings.fill("evaluators", item, TEXT_OF_GRADERS);
    }
    let keys = entries.iter().map(|entry| &*entry.key);
    let text: Vec<&str> = keys.filter(|key| find_key(key, &[GRADER_KEYS]).is_none()).collect();
    settings.fill("evaluators", item, &text)
}

/// The graders that a grader is made of, where this is their list.
fn members(entry: &Entry) -> Option<&[Node]> {
    entry.value.as_list().filter(|_| MEMBERS.is_called(&entry.key))
}

/// One key of a grader that is made of others.
fn fill_part(entry: &Entry, settings: &mut Interpolation<'_, '_>) -> Node {
    if let Some(members) = members(entry) {
        let members: Vec<Node> =
            members.iter().map(|member| fill_grader(member, settings)).collect();
        return Node::new(entry.value.span, NodeValue::List(Arc::from(members)));
    }
    if TEXT_OF_GRADERS.contains(&&*entry.key) {
        return entry.value.clone();
    }
    settings.fill(&entry.key, &entry.value, TEXT_OF_GRADERS)
}

/// `evaluator: KIND` stands for a grader of that kind with no settings of its own.
fn read_kind(fields: &Fields<'_>, settings: &mut Interpolation<'_, '_>) -> Option<Vec<Node>> {
    let key_span = fields.entry("evaluator")?.key_span;
    let (kind, span) = read_text("evaluator", fields, settings)?;
    let entry = Entry {
        key: "type".into(),
        key_span,
        value: Node::new(span, NodeValue::String(kind.into())),
    };
    Some(vec![Node::new(span, NodeValue::Map(Arc::from([entry])))])
}
