//! How a case has fared from run to run, a line each.

use std::time::SystemTime;

use agentv_base::excerpt;

use super::moment::{age_text, minute_text};
use crate::{
    index::Fared,
    page::Page,
    style::{Style, Tone},
};

/// The newest first; `of` is the run that is shown.
pub fn history_text(history: &[Fared], of: &str, now: SystemTime, style: Style) -> String {
    let mut page = Page::new(style);
    page.heading("History");
    let mut case: Option<(&str, &str, &str)> = None;
    let mut lines: Vec<&Fared> = history.iter().collect();
    lines.sort_by_key(|it| (&it.suite, &it.eval_id, &it.target));
    let several = lines.iter().any(|it| name(it) != name(lines.first().copied().unwrap_or(it)));
    for fared in lines {
        if several && case != Some(name(fared)) {
            case = Some(name(fared));
            let (suite, id, target) = name(fared);
            let target = excerpt(target, 80);
            page.wrapped("  ", &format!("{} {} ({target})", excerpt(suite, 200), excerpt(id, 200)));
        }
        page.wrapped("  ", &told(fared, of, now, style));
    }
    page.text
}

fn name(fared: &Fared) -> (&str, &str, &str) {
    (&fared.suite, &fared.eval_id, &fared.target)
}

fn told(fared: &Fared, of: &str, now: SystemTime, style: Style) -> String {
    let Fared { passed, failed, errors, .. } = *fared;
    let (sign, tone, word) = match (passed, failed, errors) {
        (0, 0, 1) => ("!", Tone::Odd, "error".to_owned()),
        (0, 0, errors) => ("!", Tone::Odd, format!("{errors} errors")),
        (1, 0, 0) => ("✓", Tone::Good, "passed".to_owned()),
        (0, 1, 0) => ("✗", Tone::Bad, "failed".to_owned()),
        (passed, failed, errors) => {
            let graded = passed + failed;
            let errors = match errors {
                0 => String::new(),
                1 => ", 1 error".to_owned(),
                errors => format!(", {errors} errors"),
            };
            let (sign, tone) = if failed == 0 { ("✓", Tone::Good) } else { ("✗", Tone::Bad) };
            (sign, tone, format!("{passed} of {graded} passed{errors}"))
        }
    };
    let score = fared.mean_score.map_or("—   ".to_owned(), |score| format!("{score:.2}"));
    let when = match fared.started_at {
        Some(at) => format!("{} ({})", minute_text(at), age_text(at, now)),
        None => "—".to_owned(),
    };
    let here = if fared.run_id == of { " ← this run" } else { "" };
    let run = excerpt(&fared.run_id, 60);
    format!("{} {score} {word}  {run}  {when}{here}", style.paint(tone, sign))
}
