//! Where a judge was wrong, and where it could not be heard, as text for a screen.

use std::collections::HashMap;

use agentv_base::excerpt;

use super::record::{Calibration, Disagreement, JudgeError};
use crate::{
    likeness::likeness,
    page::Page,
    style::{Tone, counted},
};

/// How many disagreements and kinds of errors are told before the rest is only counted; the file
/// has all.
const MOST_TOLD: usize = 20;

/// So much of an answer, a reason or an error is shown.
const LONGEST_TEXT: usize = 300;

/// What stands before a text that belongs to the line above.
const INDENT: &str = "      ";

impl Calibration {
    pub(super) fn write_wrong(&self, page: &mut Page) {
        if self.wrong.is_empty() {
            return;
        }
        page.heading(&format!("Where it is wrong ({})", self.wrong.len()));
        for wrong in self.wrong.iter().take(MOST_TOLD) {
            self.write_one(wrong, page);
        }
        page.more(self.wrong.len().saturating_sub(MOST_TOLD));
    }

    fn write_one(&self, wrong: &Disagreement, page: &mut Page) {
        let verb = |passes: bool| if passes { "pass" } else { "fail" };
        let judge = if wrong.judge_passes { "passes" } else { "fails" };
        let labeler = wrong.labeler.as_ref().map(|name| format!(" ({})", excerpt(name, 60)));
        let wavers = if wrong.unanimous { "" } else { ", not each time" };
        let said = format!(
            "{}: people {} it{}, the judge {judge} it with {:.2}{wavers}",
            self.place(&wrong.eval_id, wrong.line),
            verb(wrong.people_pass),
            labeler.unwrap_or_default(),
            wrong.score,
        );
        let sign = page.style.paint(Tone::Bad, "✗");
        page.wrapped(&format!("  {sign} "), &said);
        for (whose, text) in [("answer", &wrong.answer), ("judge", &wrong.reasoning)] {
            if let Some(text) = text {
                page.wrapped(INDENT, &format!("{whose}: {}", excerpt(text, LONGEST_TEXT)));
            }
        }
    }

    pub(super) fn write_errors(&self, page: &mut Page) {
        if self.errors.is_empty() {
            return;
        }
        let errors = counted(self.errors.len(), "judgement", "judgements");
        page.heading(&format!("Errors: {errors} could not be had; such answers are not counted"));
        let groups = grouped(&self.errors);
        let told: usize = groups.iter().take(MOST_TOLD).map(|(_, alike)| alike).sum();
        for (first, alike) in groups.into_iter().take(MOST_TOLD) {
            let place = self.place(&first.eval_id, first.line);
            let error = excerpt(&first.error, LONGEST_TEXT);
            let sign = page.style.paint(Tone::Odd, "!");
            page.wrapped(&format!("  {sign} "), &format!("{place} #{}: {error}", first.repeat));
            if alike > 1 {
                page.wrapped(INDENT, &format!("and the same for {} more", alike - 1));
            }
        }
        page.more(self.errors.len() - told);
    }

    fn place(&self, eval_id: &str, line: usize) -> String {
        let path = excerpt(&self.labels_file.path, 200);
        format!("{path}:{line} {}", excerpt(eval_id, 100))
    }
}

/// The first error of each kind with their number, the most frequent first.
fn grouped(errors: &[JudgeError]) -> Vec<(&JudgeError, usize)> {
    let mut groups: Vec<(&JudgeError, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for error in errors {
        let place = *places.entry(likeness(&error.error)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, alike)) => *alike += 1,
            None => groups.push((error, 1)),
        }
    }
    groups.sort_by_key(|(_, alike)| std::cmp::Reverse(*alike));
    groups
}
