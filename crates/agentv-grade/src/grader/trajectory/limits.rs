//! Limits on the calls of an answer: how often, how many, how long. Each is met or broken, and says
//! so either way.

use std::collections::HashMap;

use agentv_base::{Call, GraderFault};

use super::{step::duration_of, tool::shown};
use crate::numbers::{self, milliseconds};

/// What must hold of all calls together. What is absent does not matter.
#[derive(Clone, Debug, Default)]
pub(in crate::grader) struct Limits {
    pub(in crate::grader) minimums: Vec<(String, usize)>,
    pub(in crate::grader) maximums: Vec<(String, usize)>,
    pub(in crate::grader) forbidden: Vec<String>,
    pub(in crate::grader) min_steps: Option<usize>,
    pub(in crate::grader) max_steps: Option<usize>,
    pub(in crate::grader) max_call_duration_ms: Option<f64>,
    pub(in crate::grader) max_total_duration_ms: Option<f64>,
}

/// Each limit, whether it is met and in words.
pub(in crate::grader) type Checked = Vec<(bool, String)>;

impl Limits {
    pub(in crate::grader) fn is_empty(&self) -> bool {
        self.minimums.is_empty()
            && self.maximums.is_empty()
            && self.forbidden.is_empty()
            && self.min_steps.is_none()
            && self.max_steps.is_none()
            && self.max_call_duration_ms.is_none()
            && self.max_total_duration_ms.is_none()
    }

    /// The minimums alone: in one mode they give credit each.
    pub(in crate::grader) fn check_minimums(&self, calls: &[Call<'_>]) -> Checked {
        let times = times_of(calls);
        let checks = self.minimums.iter().map(|(tool, least)| {
            let times = times.get(tool.as_str()).copied().unwrap_or_default();
            let said = format!("{}: called {times} times (required ≥{least})", shown(tool));
            (times >= *least, said)
        });
        checks.collect()
    }

    /// All others.
    pub(in crate::grader) fn check_others(
        &self,
        calls: &[Call<'_>],
    ) -> Result<Checked, GraderFault> {
        let times = times_of(calls);
        let times = |tool: &str| times.get(tool).copied().unwrap_or_default();
        let mut checked = Checked::new();
        for (tool, most) in &self.maximums {
            let (made, tool) = (times(tool), shown(tool));
            let called = numbers::times(made);
            checked.push((made <= *most, format!("{tool}: called {called} (allowed ≤{most})")));
        }
        for tool in &self.forbidden {
            let (made, tool) = (times(tool), shown(tool));
            let called = numbers::times(made);
            checked.push((made == 0, format!("{tool}: called {called} (forbidden)")));
        }
        let made = calls.len();
        if let Some(least) = self.min_steps {
            checked.push((made >= least, format!("{made} calls (required ≥{least})")));
        }
        if let Some(most) = self.max_steps {
            checked.push((made <= most, format!("{made} calls (allowed ≤{most})")));
        }
        if let Some(most) = self.max_call_duration_ms {
            checked.push(longest(calls, most)?);
        }
        if let Some(most) = self.max_total_duration_ms {
            let mut total = 0.0;
            for (index, call) in calls.iter().enumerate() {
                total += duration_of(index, call)?;
            }
            let said =
                format!("all calls took {} (allowed ≤{})", milliseconds(total), milliseconds(most));
            checked.push((total <= most, said));
        }
        Ok(checked)
    }
}

fn longest(calls: &[Call<'_>], most: f64) -> Result<(bool, String), GraderFault> {
    let mut longest: Option<(usize, &Call<'_>, f64)> = None;
    for (index, call) in calls.iter().enumerate() {
        let duration = duration_of(index, call)?;
        if longest.is_none_or(|(_, _, so_far)| duration > so_far) {
            longest = Some((index, call, duration));
        }
    }
    let allowed = milliseconds(most);
    let Some((index, call, duration)) = longest else {
        return Ok((true, format!("no call took longer than {allowed}")));
    };
    let said = format!(
        "the longest call, {} `{}`, took {} (allowed ≤{allowed})",
        index + 1,
        shown(call.tool),
        milliseconds(duration)
    );
    Ok((duration <= most, said))
}

fn times_of<'a>(calls: &[Call<'a>]) -> HashMap<&'a str, usize> {
    let mut times = HashMap::new();
    for call in calls {
        *times.entry(call.tool).or_default() += 1;
    }
    times
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
