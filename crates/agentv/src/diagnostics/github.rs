//! Problems as workflow commands, which GitHub Actions turns into annotations of a pull request.

use std::fmt::Write as _;

use agentv_base::{Diagnostic, Severity, escape_controls};

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

/// What a message may hold: GitHub reads a command up to the end of its line.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // Workflow logs are shown on screens too.
    escape_controls(&escaped).into_owned()
}

/// As `data`, where also what ends a property must not stand.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_github_is_escaped() {
        assert_eq!(data("100% a:b,c\r\nd\u{1b}[0m"), r"100%25 a:b,c%0D%0Ad\u{1b}[0m");
        assert_eq!(property("C:\\a, b%.yaml"), "C%3A\\a%2C b%25.yaml");
    }
}
