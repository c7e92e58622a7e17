//! The cases that did not pass, as far as there is room for them: failures one by one, errors that
//! say the same as one.

use std::{collections::HashMap, fmt::Write as _};

use similar::{ChangeTag, TextDiff};

use super::{
    super::reason::{CaseKey, case_name, cut, error_kind, error_message, place_of, reasons},
    LONGEST_NAME,
    code::{block, details, html, inline},
};
use crate::{
    likeness::likeness,
    record::{Row, RowFault, Status},
    render::Report,
    style::counted,
};

/// More would have no room in any case.
const MOST_FAILURES: usize = 300;

/// Kinds of errors that are told apart; the others are counted.
const MOST_GROUPS: usize = 100;

/// Names of cases with the same error.
const MOST_NAMES: usize = 5;

/// Lines of a difference, and characters of each.
const MOST_LINES: usize = 16;
const LONGEST_LINE: usize = 200;

/// Characters of an answer that are compared: a difference of books takes minutes to find.
const MOST_COMPARED: usize = 4000;

/// Characters of a reason.
const LONGEST_REASON: usize = 300;

#[derive(Default)]
pub(super) struct Gathered {
    failures: Vec<Failure>,
    failed: usize,
    /// The case of the last failure: its repeats follow it.
    last: Option<CaseKey>,
    groups: Vec<ErrorGroup>,
    places: HashMap<(String, String), usize>,
    errors: usize,
}

/// A case that failed, by the first of its repeats that did.
struct Failure {
    heading: String,
    /// Markdown.
    body: String,
    repeats: usize,
}

struct ErrorGroup {
    kind: String,
    message: Vec<String>,
    names: Vec<String>,
    cases: usize,
}

impl Gathered {
    pub(super) fn of(report: &Report<'_>) -> Result<Self, RowFault> {
        let mut gathered = Self::default();
        for row in report.rows()? {
            let row = row?;
            match row.status {
                Status::Passed => {}
                Status::Failed => gathered.add_failure(&row),
                Status::Error => gathered.add_error(&row),
            }
        }
        Ok(gathered)
    }

    fn add_failure(&mut self, row: &Row<'_>) {
        self.failed += 1;
        let key = CaseKey::of(row);
        let is_full = self.failures.len() == MOST_FAILURES;
        match self.failures.last_mut() {
            Some(last) if self.last.as_ref() == Some(&key) => last.repeats += 1,
            // Repeats of a case that has no room are counted as the case is.
            _ if is_full => self.last = None,
            _ => {
                self.last = Some(key);
                self.failures.push(Failure::of(row));
            }
        }
    }

    fn add_error(&mut self, row: &Row<'_>) {
        self.errors += 1;
        let (kind, message) = (error_kind(row), error_message(row));
        let key = (cut(kind, LONGEST_NAME).into_owned(), likeness(message));
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None if self.groups.len() == MOST_GROUPS => return,
            None => {
                self.places.insert(key, self.groups.len());
                let message = bounded_lines(message);
                let (kind, names) = (kind.to_owned(), Vec::new());
                self.groups.push(ErrorGroup { kind, message, names, cases: 0 });
                self.groups.len() - 1
            }
        };
        if let Some(group) = self.groups.get_mut(place) {
            group.cases += 1;
            if group.names.len() < MOST_NAMES {
                group.names.push(named(row));
            }
        }
    }

    /// In at most so many bytes.
    pub(super) fn errors(&self, room: usize) -> String {
        if self.errors == 0 {
            return String::new();
        }
        let mut groups: Vec<&ErrorGroup> = self.groups.iter().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.cases));
        let told = groups.iter().map(|group| (group.text(), group.cases));
        section("Errors", self.errors, told, room, None)
    }

    /// `again` is the command that runs all of them once more.
    pub(super) fn failures(&self, room: usize, again: Option<&str>) -> String {
        if self.failed == 0 {
            return String::new();
        }
        let told = self.failures.iter().map(|failure| (failure.text(), failure.repeats));
        section("Failed", self.failed, told, room, again)
    }
}

impl ErrorGroup {
    fn text(&self) -> String {
        let heading = format!(
            "<b>{}</b> {}: {}",
            counted(self.cases, "case", "cases"),
            html(&self.kind, LONGEST_NAME),
            html(self.message.first().map_or("", String::as_str), LONGEST_NAME)
        );
        let mut body = block("", &self.message);
        for name in &self.names {
            let _ = writeln!(body, "- {name}");
        }
        if let Some(more @ 1..) = self.cases.checked_sub(self.names.len()) {
            let _ = writeln!(body, "- … and {more} more");
        }
        details(&heading, &body)
    }
}

/// As many as fit, and how many do not. Each is told with the number of cases that it stands for.
fn section(
    title: &str,
    all: usize,
    told: impl Iterator<Item = (String, usize)>,
    room: usize,
    again: Option<&str>,
) -> String {
    // For the line that says what is left out.
    const FOR_THE_REST: usize = 200;
    let mut text = format!("### {title}\n\n");
    if let Some(again) = again {
        let _ = write!(text, "To run what did not pass again: `{again}`\n\n");
    }
    let mut cases = 0;
    for (piece, stands_for) in told {
        if text.len() + piece.len() + FOR_THE_REST > room {
            break;
        }
        text.push_str(&piece);
        cases += stands_for;
    }
    if let Some(more @ 1..) = all.checked_sub(cases) {
        let what = if cases == 0 { "" } else { " more" };
        let _ = write!(
            text,
            "{}{what}: there is no room for them here.\n\n",
            counted(more, "case", "cases")
        );
    }
    text
}

/// `id` (`target`), at `evals/a.yaml:12`
fn named(row: &Row<'_>) -> String {
    let mut name = inline(&case_name(&row.eval_id, row.repeat), LONGEST_NAME);
    if !row.target.is_empty() {
        let _ = write!(name, " ({})", inline(&row.target, LONGEST_NAME));
    }
    if let Some(place) = place_of(row) {
        let _ = write!(name, " at {}", inline(&place, LONGEST_NAME));
    }
    name
}

impl Failure {
    fn of(row: &Row<'_>) -> Self {
        let mut heading = html(&case_name(&row.eval_id, row.repeat), LONGEST_NAME);
        if !row.target.is_empty() {
            let _ = write!(heading, " ({})", html(&row.target, LONGEST_NAME));
        }
        if let Some(score) = row.score {
            let _ = write!(heading, " scored {score:.2}");
        }
        if let Some(threshold) = row.threshold {
            let _ = write!(heading, ", needs {threshold:.2}");
        }
        let mut body = String::new();
        if let Some(place) = place_of(row) {
            let _ = writeln!(body, "{}\n", inline(&place, LONGEST_NAME));
        }
        for reason in reasons(row) {
            body.push_str(&listed(&reason));
        }
        body.push('\n');
        body.push_str(&difference(row));
        Self { heading, body, repeats: 1 }
    }

    fn text(&self) -> String {
        let more = match self.repeats - 1 {
            0 => String::new(),
            more => format!(" (and {})", counted(more, "more repeat", "more repeats")),
        };
        details(&format!("{}{more}", self.heading), &self.body)
    }
}

/// A reason as a point of a list: in the line where it is one, in a block where it has several.
fn listed(reason: &str) -> String {
    let reason = reason.trim_end();
    if reason.lines().nth(1).is_none() {
        return format!("- {}\n", inline(reason, LONGEST_REASON));
    }
    // A block belongs to its point as far as it is indented as the text of the point is.
    let block = block("", &bounded_lines(reason));
    let mut text = String::new();
    for (place, line) in block.lines().enumerate() {
        let _ = writeln!(text, "{} {line}", if place == 0 { "-" } else { " " });
    }
    text
}

/// What was expected and what came, by lines; the answer alone where nothing was expected.
fn difference(row: &Row<'_>) -> String {
    let Some(actual) = row.candidate_answer.as_deref() else { return String::new() };
    let actual = cut(actual, MOST_COMPARED);
    let Some(expected) = row.reference_answer.as_deref().filter(|it| !it.is_empty()) else {
        return format!("Answer:\n\n{}", block("", &bounded_lines(&actual)));
    };
    let expected = cut(expected, MOST_COMPARED);
    let difference = TextDiff::from_lines(expected.as_ref(), actual.as_ref());
    let lines = difference.iter_all_changes().map(|change| {
        let sign = match change.tag() {
            ChangeTag::Delete => "-",
            ChangeTag::Insert => "+",
            ChangeTag::Equal => " ",
        };
        format!("{sign} {}", change.value().trim_end_matches(['\r', '\n']))
    });
    let lines = bounded(lines);
    format!("Expected (`-`) and actual (`+`):\n\n{}", block("diff", &lines))
}

fn bounded_lines(text: &str) -> Vec<String> {
    bounded(text.lines().map(str::to_owned))
}

fn bounded(mut lines: impl Iterator<Item = String>) -> Vec<String> {
    let told = lines.by_ref().take(MOST_LINES);
    let mut told: Vec<String> = told.map(|line| cut(&line, LONGEST_LINE).into_owned()).collect();
    let more = lines.count();
    if more > 0 {
        told.push(format!("… ({})", counted(more, "more line", "more lines")));
    }
    told
}
