//! The graders of one case, read from the list that its suite gives. What their scores add up to
//! is not said here.

use std::{borrow::Cow, sync::Arc};

use agentv_base::{
    Diagnostic, EvalCase, Fields, GRADER_KEYS, Grader, JudgeWish, Node, NodeValue, Problems, Span,
    nearest, share_of,
};

use crate::{
    grader::negated::Negated,
    kind::BuildContext,
    names::{self, Name},
    registry::{self, Kind},
    shorthand,
};

/// The graders of a case, ready to grade. Cases that share a list can share these.
pub struct CaseGraders {
    pub(crate) graders: Vec<NamedGrader>,
    /// Whom they ask for an opinion, each with the place of the grader.
    wishes: Vec<(usize, JudgeWish)>,
}

pub(crate) struct NamedGrader {
    pub(crate) name: Cow<'static, str>,
    /// The canonical type.
    pub(crate) kind: Cow<'static, str>,
    pub(crate) weight: f64,
    pub(crate) bar: Bar,
    pub(crate) grader: Arc<dyn Grader>,
    /// Where it is written.
    pub(crate) span: Span,
}

/// Something that a grader lacks to grade a case.
pub struct Lack<'g> {
    pub grader: &'g str,
    /// Where the grader is written.
    pub span: Span,
    /// In words that go on after the grader's name.
    pub what: String,
    /// What the author can do.
    pub remedy: Option<&'static str>,
}

impl CaseGraders {
    pub(crate) fn new(graders: Vec<NamedGrader>) -> Self {
        let of_each = graders.iter().enumerate();
        let wishes = of_each.flat_map(|(place, it)| {
            it.grader.judge_wishes().into_iter().map(move |wish| (place, wish))
        });
        Self { wishes: wishes.collect(), graders }
    }

    /// Whether any of its graders asks for an opinion.
    pub fn wish_for_judges(&self) -> bool {
        !self.wishes.is_empty()
    }

    /// Whom its graders ask for an opinion, each with the name of the grader.
    pub fn judge_wishes(&self) -> impl Iterator<Item = (&str, &JudgeWish)> {
        self.wishes
            .iter()
            .filter_map(|(place, wish)| Some((self.graders.get(*place)?.name.as_ref(), wish)))
    }

    /// What its graders would lack to grade a case.
    pub fn lacks(&self, case: &EvalCase) -> impl Iterator<Item = Lack<'_>> {
        self.graders.iter().filter_map(|NamedGrader { name, grader, span, .. }| {
            let what = grader.lacks(case)?;
            Some(Lack { grader: name, span: *span, what, remedy: grader.remedy() })
        })
    }
}

/// How high a grader's own score must be, and what happens where it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bar {
    /// The cut-off; the threshold of the run where there is none.
    pub(crate) min_score: Option<f64>,
    /// A score below the cut-off fails the case, whatever the mean.
    pub(crate) required: bool,
}

/// Makes the graders of a list. Every problem of the list is reported; with an error among them
/// there is nothing to grade with.
///
/// A list without graders is an error too, but an empty list has no place: callers that know where
/// the case stands check for it first.
pub fn build(
    nodes: &[Node],
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<Arc<CaseGraders>> {
    let mut found = Problems::default();
    let graders = read_all(nodes, "a case", context, &mut found);
    let failed = found.has_errors();
    problems.append(found);
    if failed {
        return None;
    }
    Some(Arc::new(CaseGraders::new(graders)))
}

/// One entry of the list, as far as it could be read.
struct Draft {
    name: Name,
    kind: Kind,
    weight: Option<f64>,
    bar: Bar,
    grader: Option<Arc<dyn Grader>>,
    span: Span,
}

/// The graders of a list, as far as they could be read; the list is that of `whose`.
pub(crate) fn read_all(
    nodes: &[Node],
    whose: &str,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Vec<NamedGrader> {
    let drafts: Vec<Draft> =
        nodes.iter().filter_map(|node| read(node, context, problems)).collect();
    check_weights(nodes, &drafts, problems);
    let mut parts = Vec::with_capacity(drafts.len());
    let mut names = Vec::with_capacity(drafts.len());
    for draft in drafts {
        names.push(draft.name);
        parts.push((draft.kind, draft.weight, draft.bar, draft.grader, draft.span));
    }
    names::settle(names, whose, problems)
        .into_iter()
        .zip(parts)
        .filter_map(|(name, (kind, weight, bar, grader, span))| {
            Some(NamedGrader {
                name,
                kind: kind.canonical_name(),
                weight: weight?,
                bar,
                grader: grader?,
                span,
            })
        })
        .collect()
}

fn read(node: &Node, context: &BuildContext<'_>, problems: &mut Problems) -> Option<Draft> {
    let expanded =
        shorthand::expand(node).transpose().map_err(|problem| problems.push(problem)).ok()?;
    let node = expanded.as_ref().unwrap_or(node);
    let kind = read_kind(node, problems)?;
    let fields = Fields::read(node, kind.kind.name(), &[GRADER_KEYS, kind.kind.keys()], problems)?;
    let kind = negate(kind, &fields, problems);
    let name = match fields.non_blank("name", problems) {
        Some(name) => Name::Given(
            name.trim().to_owned(),
            fields.get("name").map_or(node.span, |node| node.span),
        ),
        None => Name::Default(kind.canonical_name()),
    };
    let weight = fields.optional("weight", problems, Fields::limit).map(|it| it.unwrap_or(1.0));
    let bar = read_bar(&fields, problems);
    let grader = kind.kind.build(&fields, context, problems);
    Some(Draft {
        name,
        kind,
        weight,
        bar,
        grader: if kind.negated { grader.map(Negated::of) } else { grader },
        span: node.span,
    })
}

/// `negate: true` says the same as `not-` before the type; both together say nothing.
fn negate(kind: Kind, fields: &Fields<'_>, problems: &mut Problems) -> Kind {
    if !fields.boolean("negate", problems).unwrap_or(false) {
        return kind;
    }
    if !kind.kind.can_be_negated() {
        let span = fields.entry("negate").map_or(fields.span(), |entry| entry.key_span);
        problems.push(registry::no_opposite(kind.kind).at(span));
    }
    if kind.negated {
        let span = fields.entry("negate").map_or(fields.span(), |entry| entry.key_span);
        problems.push(
            Diagnostic::error("`negate: true` and `not-` before the type say the same; give one")
                .code("duplicate-key")
                .at(span),
        );
    }
    Kind { negated: true, ..kind }
}

fn read_kind(node: &Node, problems: &mut Problems) -> Option<Kind> {
    let Some(entries) = node.as_map() else {
        let message = format!("a grader must be a map, not {}", node.kind_name());
        problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
        return None;
    };
    let Some(typed) = node.get("type").filter(|typed| !typed.is_null()) else {
        let missing = Diagnostic::error("a grader needs `type`").code("missing-key");
        let meant = entries.iter().find(|entry| {
            GRADER_KEYS.iter().all(|key| key.name != &*entry.key)
                && nearest(&entry.key, ["type"]).is_some()
        });
        problems.push(match meant {
            Some(entry) => {
                missing.at(entry.key_span).hint(format!("did you mean `type` by `{}`?", entry.key))
            }
            None if entries.iter().any(|entry| entry.key.trim().contains(' ')) => {
                missing.at(node.span).hint("put a criterion that has a colon in it in quotes")
            }
            None => missing.at(node.span).hint(registry::known_types()),
        });
        return None;
    };
    let Some(name) = typed.as_str() else {
        problems.push(
            Diagnostic::error(format!("`type` must be a string, not {}", typed.kind_name()))
                .code("wrong-type")
                .at(typed.span)
                .hint(registry::known_types()),
        );
        return None;
    };
    registry::find(name, typed.span).map_err(|problem| problems.push(problem)).ok()
}

fn read_bar(fields: &Fields<'_>, problems: &mut Problems) -> Bar {
    let min_score = fields.share("min_score", problems);
    // A number says both that it is required and how much of it.
    if let Some(node) = fields.get("required")
        && let NodeValue::Integer(_) | NodeValue::Float(_) = node.value
    {
        let demanded = share_of("required", node, problems);
        if let (Some(_), Some(entry)) = (min_score, fields.entry("required")) {
            problems.push(
                Diagnostic::error("`required` and `min_score` both give a score; give one")
                    .code("duplicate-key")
                    .at(entry.key_span),
            );
        }
        return Bar { min_score: demanded, required: true };
    }
    Bar {
        min_score,
        // A minimum is there to be reached; with `required: false` it is only the bar at which
        // the grader itself passes.
        required: fields
            .boolean_or("required", "a number from 0 to 1", problems)
            .unwrap_or(min_score.is_some()),
    }
}

fn check_weights(nodes: &[Node], drafts: &[Draft], problems: &mut Problems) {
    let Some(first) = nodes.first() else {
        problems.push(
            Diagnostic::error("there is no grader")
                .code("no-grader")
                .hint("add at least one to `evaluators`, such as `{type: contains, value: …}`"),
        );
        return;
    };
    let all_zero = drafts.iter().all(|draft| draft.weight == Some(0.0));
    if all_zero && drafts.len() == nodes.len() {
        problems.push(
            Diagnostic::error("every grader has weight 0, so there would be no score")
                .at(first.get("weight").unwrap_or(first).span)
                .hint("give at least one grader a weight above 0"),
        );
    }
}

#[cfg(test)]
#[path = "case_graders_tests.rs"]
mod tests;
