//! How often a case is asked: `repeat`, and `trials` of another dialect.

use agentv_base::{Diagnostic, Fields, Node, Problems};

use super::{
    execution::{INSIDE_WINS, count, not_used},
    keys::{STRATEGIES, TRIALS_KEYS},
};
use crate::interpolate::Interpolation;

/// Most repeats of one case. Whoever asks for more has mistaken a number, and estimates do not
/// become better in a way that could be seen.
const MOST: usize = 10_000;

/// What a suite or a case says: inside of `execution`, else beside it.
pub(super) fn chosen(
    inner: Option<&Fields<'_>>,
    outer: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Option<u32> {
    let given = |fields: &Fields<'_>, key: &str| {
        fields.entry(key).filter(|entry| !entry.value.is_null()).map(|entry| entry.key_span)
    };
    let inside = inner.and_then(|inner| {
        let (repeat, trials) = (given(inner, "repeat"), given(inner, "trials"));
        if let (Some(repeat), Some(trials)) = (repeat, trials) {
            settings.problems.push(
                Diagnostic::error("`repeat` and `trials` say the same of execution")
                    .code("duplicate-key")
                    .at(trials)
                    .note(repeat, "given here too")
                    .hint("keep `repeat`"),
            );
        }
        repeat.or(trials)
    });
    if let (Some(used), Some(unused)) = (inside, given(outer, "repeat")) {
        settings.problems.push(not_used("repeat", unused).note(used, INSIDE_WINS));
    }
    let repeat = inner.and_then(|inner| read("repeat", inner, settings));
    let trials = inner.and_then(|inner| read_trials(inner.get("trials")?, settings));
    let beside = read("repeat", outer, settings);
    if inside.is_some() { repeat.or(trials) } else { beside }
}

/// A number of repeats.
pub(super) fn read(
    key: &str,
    fields: &Fields<'_>,
    settings: &mut Interpolation<'_, '_>,
) -> Option<u32> {
    repeats(key, fields.get(key)?, settings)
}

fn read_trials(node: &Node, settings: &mut Interpolation<'_, '_>) -> Option<u32> {
    if node.as_map().is_none() {
        return repeats("trials", node, settings);
    }
    let fields = Fields::read(node, "trials", &[TRIALS_KEYS], settings.problems)?;
    // Every estimate is reported, so the choice of one is only checked.
    fields.choice("strategy", &STRATEGIES, settings.problems);
    fields.required("count", settings.problems)?;
    read("count", &fields, settings)
}

fn repeats(key: &str, node: &Node, settings: &mut Interpolation<'_, '_>) -> Option<u32> {
    let count = count(key, node, settings)?;
    if count > MOST {
        too_many(key, node, settings.problems);
        return None;
    }
    u32::try_from(count).ok()
}

fn too_many(key: &str, node: &Node, problems: &mut Problems) {
    problems.error(node.span, format!("`{key}` must be at most 10,000"));
}
