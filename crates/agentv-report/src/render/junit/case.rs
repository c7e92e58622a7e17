//! One `testcase`.

use std::fmt::Write as _;

use super::{
    super::reason::{case_name, cut, error_kind, error_message, place_of, reasons, scored},
    xml::{attribute, text},
};
use crate::record::{Row, RunSkipped, Status};

/// Characters of a message, which readers show in one line.
const LONGEST_MESSAGE: usize = 1000;

/// Characters of an answer and of what was expected: servers refuse files of many megabytes.
const LONGEST_ANSWER: usize = 8000;

pub(super) fn test_case(row: &Row<'_>, class: &str) -> String {
    let mut case = start(&case_name(&row.eval_id, row.repeat), class, row.duration_ms);
    match row.status {
        Status::Passed => return closed(case),
        Status::Failed => {
            let told = reasons(row);
            let message = told.first().map_or("", String::as_str);
            open(&mut case, "failure", message, "below_threshold");
            text(&mut case, &details(row, &told));
            case.push_str("</failure>");
        }
        Status::Error => {
            open(&mut case, "error", error_message(row), error_kind(row));
            text(&mut case, &details(row, &[cut(error_message(row), LONGEST_ANSWER).into_owned()]));
            case.push_str("</error>");
        }
    }
    case.push_str("</testcase>\n");
    case
}

pub(super) fn skipped_case(skipped: &RunSkipped, class: &str) -> String {
    let mut case = start(&case_name(&skipped.eval_id, skipped.repeat), class, None);
    let reason = match &skipped.depends_on {
        Some(on) => format!("not run: it depends on {on}, which did not pass"),
        None => format!("not run: {}", skipped.reason.replace('_', " ")),
    };
    skip(&mut case, &reason);
    case
}

/// Stands for cases that nobody has named.
pub(super) fn not_run_case(count: usize, class: &str) -> String {
    let cases = if count == 1 { "1 case".to_owned() } else { format!("{count} cases") };
    let mut case = start(&cases, class, None);
    skip(&mut case, &format!("{cases} of the plan have no row: never begun, or interrupted"));
    case
}

fn skip(case: &mut String, reason: &str) {
    case.push_str("><skipped");
    attribute(case, "message", reason);
    case.push_str("/></testcase>\n");
}

/// Everything before the `>`. A time that is not known is none: schemas do not let it out.
fn start(name: &str, class: &str, duration_ms: Option<f64>) -> String {
    let mut case = String::from("<testcase");
    attribute(&mut case, "name", &cut(name, LONGEST_MESSAGE));
    attribute(&mut case, "classname", class);
    let _ = write!(case, " time=\"{}\"", seconds(duration_ms.unwrap_or(0.0)));
    case
}

fn closed(mut case: String) -> String {
    case.push_str("/>\n");
    case
}

/// Seconds with three digits after the point, as every reader takes them.
pub(super) fn seconds(milliseconds: f64) -> String {
    let known = if milliseconds.is_finite() { milliseconds.max(0.0) } else { 0.0 };
    format!("{:.3}", known / 1000.0)
}

fn open(case: &mut String, tag: &str, message: &str, kind: &str) {
    let _ = write!(case, "><{tag}");
    attribute(case, "message", &cut(message, LONGEST_MESSAGE));
    attribute(case, "type", &cut(kind, LONGEST_MESSAGE));
    case.push('>');
}

/// Where it stands, how far it came, why, and what was said instead of what.
fn details(row: &Row<'_>, reasons: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(place_of(row));
    lines.extend(scored(row));
    for reason in reasons {
        if !lines.contains(reason) {
            lines.push(reason.clone());
        }
    }
    let mut part = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            lines.push(format!("\n{name}:\n{}", cut(value, LONGEST_ANSWER)));
        }
    };
    part("expected", row.reference_answer.as_deref());
    part("actual", row.candidate_answer.as_deref());
    lines.join("\n")
}
