//! Problems as workflow commands, which GitHub Actions turns into annotations of a pull request.

use std::fmt::Write as _;

use agentv_base::{Diagnostic, Severity};
use agentv_report::{annotation_data as data, annotation_property as property};

use super::{
    Report,
    place::{Place, Places},
};

pub(super) fn render(report: &Report<'_>) -> String {
    let mut places = Places::new(report.sources);
    let mut text = String::new();
    for problem in report.problems.iter() {
        let command = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = places.of(problem);
        let mut properties = place.map_or_else(String::new, |place| properties(report, &place));
        let title = property(&format!("agentv ({})", problem.code));
        let _ = write!(properties, "title={title}");
        let message = message(problem, report, &mut places);
        let _ = writeln!(text, "::{command} {properties}::{message}");
    }
    text
}

fn properties(report: &Report<'_>, place: &Place<'_>) -> String {
    let Place { path, line, column, end_line, end_column } = place;
    let file = property(&report.in_repository(path).to_string_lossy());
    // GitHub refuses columns of a range over several lines.
    if line == end_line {
        format!("file={file},line={line},col={column},endLine={end_line},endColumn={end_column},")
    } else {
        format!("file={file},line={line},endLine={end_line},")
    }
}

/// All that is known: an annotation has no other room for a hint or for further places.
fn message(problem: &Diagnostic, report: &Report<'_>, places: &mut Places<'_>) -> String {
    let mut lines = problem.message.clone();
    if let Some(label) = &problem.label {
        let _ = write!(lines, "\n{label}");
    }
    for note in &problem.notes {
        let _ = match places.of_note(note) {
            Some(Place { path, line, column, .. }) => {
                let path = report.in_repository(path);
                write!(lines, "\nnote: {} ({}:{line}:{column})", note.text, path.display())
            }
            None => write!(lines, "\nnote: {}", note.text),
        };
    }
    if let Some(hint) = &problem.hint {
        let _ = write!(lines, "\nhelp: {hint}");
    }
    data(&lines)
}
