//! Expected calls and calls that were made, side by side: `=` is as expected, `~` is the same tool
//! otherwise called, `-` was expected and not made, `+` was made and not expected. Long ones are
//! cut to what is around the first difference.

use std::collections::HashMap;

use agentv_base::Call;

use super::{super::json_text, step::Step, tool::shown};

/// So many lines are read; more are counted.
const MOST_LINES: usize = 20;
/// So many that are as expected stand before the first difference.
pub(super) const LEAD: usize = 3;
/// Of so many expected calls, and as many made, the best alignment is looked for. Only the first
/// few are shown, so what is further on need not be known.
const WINDOW: usize = 400;
/// So near to their start, all are aligned.
const NEAR: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Same { step: usize },
    Other { step: usize, call: usize },
    Missing { step: usize },
    Extra { call: usize },
}

/// Expected calls and made ones.
#[derive(Clone, Copy)]
pub(super) struct Both<'a> {
    pub(super) steps: &'a [Step],
    pub(super) calls: &'a [Call<'a>],
}

impl Both<'_> {
    /// Side by side in their order, from an expected call and a made one on; those before are only
    /// counted. A made one that was not expected is a difference where that is wrong.
    pub(super) fn in_order(self, step: usize, call: usize, extra_is_wrong: bool) -> String {
        let (step, call) = if step.max(call) < NEAR { (0, 0) } else { (step, call) };
        let lines = self.aligned(step, call);
        let is_bad = |line: &Line| match line {
            Line::Same { .. } => false,
            Line::Extra { .. } => extra_is_wrong,
            Line::Missing { .. } | Line::Other { .. } => true,
        };
        let first = match lines.iter().position(is_bad) {
            Some(bad) if lines.len() > MOST_LINES => bad.saturating_sub(LEAD),
            _ => 0,
        };
        let (before, rest) = lines.split_at_checked(first).unwrap_or((&[], &lines));
        let shown: Vec<Line> = rest.iter().take(MOST_LINES).copied().collect();
        let (steps, calls) = counts(before);
        let before = (step + steps, call + calls);
        let (steps, calls) = counts(&shown);
        let after = (
            self.steps.len().saturating_sub(before.0 + steps),
            self.calls.len().saturating_sub(before.1 + calls),
        );
        let mut text = elsewhere(before, "before");
        text.extend(shown.iter().map(|line| self.shown(*line)));
        text.extend(elsewhere(after, "after"));
        text.join("\n")
    }

    /// Side by side where the order does not matter: `matched` has the call of each expected one
    /// that was made. Those that are missing, or too many, are shown where that is wrong.
    pub(super) fn in_any_order(
        self,
        matched: &[Option<usize>],
        missing_is_wrong: bool,
        extra_is_wrong: bool,
    ) -> String {
        let mut left = vec![true; self.calls.len()];
        for call in matched.iter().flatten() {
            if let Some(left) = left.get_mut(*call) {
                *left = false;
            }
        }
        let mut waiting: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, call) in self.calls.iter().enumerate().rev() {
            if left.get(index) == Some(&true) {
                waiting.entry(call.tool).or_default().push(index);
            }
        }
        let mut lines = Vec::new();
        for (step, (wanted, call)) in self.steps.iter().zip(matched).enumerate() {
            if call.is_some() {
                lines.push(Line::Same { step });
            } else if let Some(call) = waiting.get_mut(wanted.tool.written()).and_then(Vec::pop) {
                if let Some(left) = left.get_mut(call) {
                    *left = false;
                }
                lines.push(Line::Other { step, call });
            } else if missing_is_wrong {
                lines.push(Line::Missing { step });
            }
        }
        if extra_is_wrong {
            let extra = (0..left.len()).filter(|call| left.get(*call) == Some(&true));
            lines.extend(extra.map(|call| Line::Extra { call }));
        }
        let mut same = 0;
        if lines.len() > MOST_LINES {
            let all = lines.len();
            lines.retain(|line| !matches!(line, Line::Same { .. }));
            same = all - lines.len();
        }
        let mut text: Vec<String> =
            lines.iter().take(MOST_LINES).map(|line| self.shown(*line)).collect();
        if let Some(more) = lines.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
            text.push(format!("  … ({more} more)"));
        }
        if same > 0 {
            text.push(format!("  … ({same} as expected)"));
        }
        text.join("\n")
    }

    /// The alignment in which most are as expected, and then most are of the same tool.
    fn aligned(self, first_step: usize, first_call: usize) -> Vec<Line> {
        let steps = self.steps.len().saturating_sub(first_step).min(WINDOW);
        let calls = self.calls.len().saturating_sub(first_call).min(WINDOW);
        let wide = calls + 1;
        let mut fits = vec![0_u32; (steps + 1) * wide];
        let mut best = vec![0_u32; (steps + 1) * wide];
        let at = |table: &[u32], step: usize, call: usize| {
            table.get(step * wide + call).copied().unwrap_or_default()
        };
        for step in (0..steps).rev() {
            for call in (0..calls).rev() {
                let fit = self.fit(first_step + step, first_call + call);
                let pair = if fit > 0 { fit + at(&best, step + 1, call + 1) } else { 0 };
                let alone = at(&best, step + 1, call).max(at(&best, step, call + 1));
                for (table, value) in [(&mut fits, fit), (&mut best, pair.max(alone))] {
                    if let Some(cell) = table.get_mut(step * wide + call) {
                        *cell = value;
                    }
                }
            }
        }
        let (mut step, mut call) = (0, 0);
        let mut lines = Vec::with_capacity(steps + calls);
        while step < steps || call < calls {
            let here = at(&best, step, call);
            let fit = if step < steps && call < calls { at(&fits, step, call) } else { 0 };
            if fit > 0 && here == fit + at(&best, step + 1, call + 1) {
                lines.push(if fit == AS_EXPECTED {
                    Line::Same { step: first_step + step }
                } else {
                    Line::Other { step: first_step + step, call: first_call + call }
                });
                step += 1;
                call += 1;
            } else if step < steps && here == at(&best, step + 1, call) {
                lines.push(Line::Missing { step: first_step + step });
                step += 1;
            } else {
                lines.push(Line::Extra { call: first_call + call });
                call += 1;
            }
        }
        lines
    }

    fn fit(self, step: usize, call: usize) -> u32 {
        let Some((wanted, made)) = self.steps.get(step).zip(self.calls.get(call)) else {
            return 0;
        };
        // What could not be known has been told as a fault before anything is shown.
        match wanted.is(call, made) {
            Ok(true) => AS_EXPECTED,
            _ if wanted.tool.is(made.tool) => SAME_TOOL,
            _ => 0,
        }
    }

    fn shown(self, line: Line) -> String {
        let step_shown = |step: usize| self.steps.get(step).map(Step::shown).unwrap_or_default();
        match line {
            Line::Same { step } => format!("  = {}", step_shown(step)),
            Line::Missing { step } => format!("  - {}", step_shown(step)),
            Line::Extra { call } => {
                let call = self.calls.get(call);
                format!("  + {}", call.map(|call| self.call_shown(call)).unwrap_or_default())
            }
            Line::Other { step, call } => {
                let pair = self.steps.get(step).zip(self.calls.get(call));
                let pair = pair.map(|(step, call)| (shown(call.tool), step.difference(call)));
                let (tool, difference) = pair.unwrap_or_default();
                format!("  ~ {tool}: {difference}")
            }
        }
    }

    /// With its arguments, where arguments are asked for.
    fn call_shown(self, call: &Call<'_>) -> String {
        let asked = self.steps.iter().any(|step| step.args.is_some());
        match call.input.filter(|_| asked) {
            Some(input) => format!("{} {}", shown(call.tool), json_text::shown(input)),
            None => shown(call.tool),
        }
    }
}

const AS_EXPECTED: u32 = 2;
const SAME_TOOL: u32 = 1;

/// How many expected calls and how many made ones these lines show.
fn counts(lines: &[Line]) -> (usize, usize) {
    let steps = lines.iter().filter(|line| !matches!(line, Line::Extra { .. })).count();
    let calls = lines.iter().filter(|line| !matches!(line, Line::Missing { .. })).count();
    (steps, calls)
}

fn elsewhere((steps, calls): (usize, usize), place: &str) -> Vec<String> {
    if steps + calls == 0 {
        return Vec::new();
    }
    vec![format!("  … ({steps} expected and {calls} made {place})")]
}

#[cfg(test)]
#[path = "align_tests.rs"]
mod tests;
