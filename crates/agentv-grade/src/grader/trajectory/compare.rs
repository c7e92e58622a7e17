//! Comparing the calls that were made with those that were expected, in one of several ways.

use agentv_base::{Call, GraderFault};

use super::{
    align::{Both, LEAD},
    matching::match_calls,
    step::Step,
};

/// More calls than this are counted, not shown.
const SHOWN_CALLS: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::grader) enum Mode {
    /// As many of the expected calls as there are. The only one with partial credit.
    AnyOrder,
    /// The expected calls in their order, with any others between them.
    InOrder,
    /// The expected calls in their order, and no others.
    Exact,
    /// The expected calls in any order, and no others.
    Unordered,
    /// No other calls than the expected ones, in any order.
    Subset,
    /// The expected calls in any order, and perhaps others.
    Superset,
}

/// What came of it: a share of what was wanted, and why.
#[derive(Debug, Default, PartialEq)]
pub(in crate::grader) struct Compared {
    pub(in crate::grader) met: usize,
    pub(in crate::grader) of: usize,
    pub(in crate::grader) hits: Vec<String>,
    pub(in crate::grader) misses: Vec<String>,
}

impl Compared {
    /// All or nothing.
    fn whole(met: bool, said: String) -> Self {
        let mut compared = Self { met: usize::from(met), of: 1, ..Self::default() };
        if met { &mut compared.hits } else { &mut compared.misses }.push(said);
        compared
    }
}

pub(in crate::grader) fn compare(
    mode: Mode,
    steps: &[Step],
    calls: &[Call<'_>],
) -> Result<Compared, GraderFault> {
    match mode {
        Mode::InOrder => in_order(steps, calls),
        Mode::Exact => exact(steps, calls),
        Mode::AnyOrder => any_order(steps, calls),
        Mode::Unordered | Mode::Subset | Mode::Superset => as_sets(mode, steps, calls),
    }
}

/// The first call that an expected one can have is always a right choice: whatever could follow
/// after a later one can follow after the first as well. So nothing needs to be tried twice, also
/// where arguments decide which calls can be had.
fn in_order(steps: &[Step], calls: &[Call<'_>]) -> Result<Compared, GraderFault> {
    let mut waiting = calls.iter().enumerate();
    let mut found_at = Vec::with_capacity(steps.len());
    for (place, step) in steps.iter().enumerate() {
        let found = loop {
            match waiting.next() {
                Some((index, call)) if step.is(index, call)? => break Some(index),
                Some(_) => {}
                None => break None,
            }
        };
        let Some(index) = found else {
            let first = place.saturating_sub(LEAD);
            let call = found_at.get(first).copied().unwrap_or_default();
            let table = Both { steps, calls }.in_order(first, call, false);
            let said = format!(
                "the expected calls were not made in this order ({}):\n{table}",
                counts(steps, calls)
            );
            return Ok(Compared::whole(false, said));
        };
        found_at.push(index);
    }
    Ok(Compared::whole(true, format!("called in order: {}", sequence(steps))))
}

fn exact(steps: &[Step], calls: &[Call<'_>]) -> Result<Compared, GraderFault> {
    let mut difference = None;
    for (index, (step, call)) in steps.iter().zip(calls).enumerate() {
        if !step.is(index, call)? {
            difference = Some(index);
            break;
        }
    }
    if difference.is_none() && steps.len() == calls.len() {
        return Ok(Compared::whole(true, format!("called exactly: {}", sequence(steps))));
    }
    let at = difference.unwrap_or(steps.len().min(calls.len())).saturating_sub(LEAD);
    let table = Both { steps, calls }.in_order(at, at, true);
    let counts = counts(steps, calls);
    let said = format!("the calls are not exactly the expected ones ({counts}):\n{table}");
    Ok(Compared::whole(false, said))
}

fn as_sets(mode: Mode, steps: &[Step], calls: &[Call<'_>]) -> Result<Compared, GraderFault> {
    let matched = match_calls(steps, calls)?;
    let found = matched.iter().flatten().count();
    let (all_expected, no_others) = (found == steps.len(), found == calls.len());
    let (met, missing_is_wrong, extra_is_wrong, yes, no) = match mode {
        Mode::Subset => (
            no_others,
            false,
            true,
            "called nothing but",
            "other calls than the expected ones were made",
        ),
        Mode::Superset => {
            (all_expected, true, false, "called in any order", "not all expected calls were made")
        }
        Mode::AnyOrder | Mode::InOrder | Mode::Exact | Mode::Unordered => (
            all_expected && no_others,
            true,
            true,
            "called in any order and nothing else",
            "the calls are not the expected ones in any order",
        ),
    };
    if met {
        return Ok(Compared::whole(true, format!("{yes}: {}", sequence(steps))));
    }
    let table = Both { steps, calls }.in_any_order(&matched, missing_is_wrong, extra_is_wrong);
    Ok(Compared::whole(false, format!("{no} ({}):\n{table}", counts(steps, calls))))
}

fn any_order(steps: &[Step], calls: &[Call<'_>]) -> Result<Compared, GraderFault> {
    let matched = match_calls(steps, calls)?;
    let made: Vec<&Step> = steps
        .iter()
        .zip(&matched)
        .filter(|(_, call)| call.is_some())
        .map(|(step, _)| step)
        .collect();
    let mut compared = Compared { met: made.len(), of: steps.len(), ..Compared::default() };
    if !made.is_empty() {
        compared.hits.push(format!("called in any order: {}", sequence(&made)));
    }
    if compared.met < compared.of {
        let table = Both { steps, calls }.in_any_order(&matched, true, false);
        compared.misses.push(format!(
            "{} of {} expected calls were made:\n{table}",
            compared.met, compared.of
        ));
    }
    Ok(compared)
}

fn counts(steps: &[Step], calls: &[Call<'_>]) -> String {
    format!("{} expected, {} made", steps.len(), calls.len())
}

/// `search → book`, cut where it is long.
fn sequence(steps: &[impl std::borrow::Borrow<Step>]) -> String {
    if steps.is_empty() {
        return "no tool".to_owned();
    }
    let mut names: Vec<String> =
        steps.iter().take(SHOWN_CALLS).map(|step| step.borrow().tool.shown()).collect();
    if let Some(more) = steps.len().checked_sub(SHOWN_CALLS).filter(|more| *more > 0) {
        names.push(format!("… ({more} more)"));
    }
    names.join(" → ")
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
