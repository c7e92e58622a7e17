//! Problems as one JSON object, for scripts and editors.

use agentv_base::{Diagnostic, Severity};
use serde::Serialize;

use super::{
    Checked, Report,
    place::{Place, Places},
};

pub(super) fn render(report: &Report<'_>) -> String {
    let mut places = Places::new(report.sources);
    let told = Told {
        valid: !report.problems.has_errors(),
        counts: Counts {
            errors: report.problems.count(Severity::Error),
            warnings: report.problems.count(Severity::Warning),
            checked: report.checked,
        },
        problems: report.problems.iter().map(|found| Problem::of(found, &mut places)).collect(),
    };
    // Nothing here has a key that is no text, which is all that could go wrong.
    serde_json::to_string_pretty(&told).unwrap_or_default() + "\n"
}

#[derive(Serialize)]
struct Told<'a> {
    valid: bool,
    counts: Counts,
    problems: Vec<Problem<'a>>,
}

#[derive(Serialize)]
struct Counts {
    errors: usize,
    warnings: usize,
    #[serde(flatten)]
    checked: Checked,
}

/// The keys of a place are there also where there is no place: then they are null.
#[derive(Serialize)]
struct Problem<'a> {
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    notes: Vec<NotePlace<'a>>,
}

#[derive(Serialize)]
struct NotePlace<'a> {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    text: &'a str,
}

impl<'a> Problem<'a> {
    fn of(problem: &'a Diagnostic, places: &mut Places<'_>) -> Self {
        let place = places.of(problem);
        let place = place.as_ref();
        let notes = problem.notes.iter().map(|note| {
            let place = places.of_note(note);
            let place = place.as_ref();
            NotePlace {
                file: place.map(shown),
                line: place.map(|place| place.line),
                column: place.map(|place| place.column),
                text: &note.text,
            }
        });
        Self {
            severity: match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            code: problem.code,
            message: &problem.message,
            file: place.map(shown),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            end_line: place.map(|place| place.end_line),
            end_column: place.map(|place| place.end_column),
            label: problem.label.as_deref(),
            hint: problem.hint.as_deref(),
            notes: notes.collect(),
        }
    }
}

fn shown(place: &Place<'_>) -> String {
    place.path.to_string_lossy().into_owned()
}
