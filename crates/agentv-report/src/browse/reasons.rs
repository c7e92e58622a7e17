//! Why a case did not pass, in a few short texts, harmless for a screen.

use agentv_base::{GraderResult, Verdict, excerpt, excerpt_ends};

use crate::{
    record::{Row, Status},
    style::counted,
};

/// Longer texts are cut; `results show` has them whole.
const LONGEST: usize = 300;

/// Lines of a text that are kept; `results show` has all of them.
const MOST_LINES: usize = 12;

/// How a text is made short.
type Short = fn(&str) -> String;

/// The reasons of a row that did not pass, each on one line, the most telling first; all of them.
pub(super) fn reasons(row: &Row<'_>) -> Vec<String> {
    told(row, one_line)
}

/// The same, each in the lines that it was written in: a difference or a list is lost on one.
pub(super) fn reasons_in_lines(row: &Row<'_>) -> Vec<String> {
    told(row, in_lines)
}

fn told(row: &Row<'_>, short: Short) -> Vec<String> {
    if row.status == Status::Error {
        let error = row.error.as_deref().unwrap_or("no reason was recorded");
        return vec![short(error)];
    }
    let graders = row.evaluator_results.as_deref().unwrap_or_default();
    let mut reasons = Vec::new();
    for grader in graders.iter().filter(|grader| grader.verdict != Some(Verdict::Pass)) {
        of_grader(grader, graders.len() > 1, short, &mut reasons);
    }
    if reasons.is_empty() {
        reasons.extend(row.misses.iter().map(|miss| short(miss)));
    }
    if reasons.is_empty() {
        reasons.extend(row.reasoning.as_deref().map(short));
    }
    reasons
}

fn of_grader(grader: &GraderResult, is_named: bool, short: Short, reasons: &mut Vec<String>) {
    // One that is made of others speaks through those that did not pass.
    let parts = grader.evaluator_results.iter();
    let parts: Vec<&GraderResult> =
        parts.filter(|part| part.verdict != Some(Verdict::Pass)).collect();
    if grader.misses.is_empty() && grader.error.is_none() && !parts.is_empty() {
        for part in parts {
            of_grader(part, true, short, reasons);
        }
        return;
    }
    let name = excerpt(&grader.name, 80);
    let before = if is_named { format!("{name}: ") } else { String::new() };
    for miss in &grader.misses {
        reasons.push(format!("{before}{}", short(miss)));
    }
    let said = grader.error.as_deref().or(grader.reasoning.as_deref());
    let score = grader.score.map_or(String::new(), |score| format!(" scored {score:.2}"));
    let needed = match grader.required_score {
        Some(needed) => format!(" and is required to reach {needed:.2}"),
        None => String::new(),
    };
    if grader.misses.is_empty() || grader.required_score.is_some() {
        let why = said.map_or(String::new(), |said| format!(": {}", short(said)));
        reasons.push(format!("`{name}`{score}{needed}{why}"));
    }
}

/// The text on one line, cut where it is long.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    excerpt_ends(&words.join(" "), LONGEST)
}

/// The text in its own lines, each harmless; cut where there are many, or where they are long.
fn in_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().collect();
    let mut kept: Vec<String> = lines
        .iter()
        .take(MOST_LINES)
        .map(|line| excerpt_ends(&line.trim_end().replace('\t', "    "), LONGEST))
        .collect();
    let more = lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        kept.push(format!("… {}", counted(more, "more line", "more lines")));
    }
    kept.join("\n")
}
