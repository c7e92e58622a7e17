//! What failed and what could not be evaluated, and why. Errors that say the same are told once.

use std::{collections::HashMap, fmt::Write as _};

use agentv_base::excerpt;

use super::reasons::{one_line, reasons_in_lines};
use crate::{
    likeness::likeness,
    page::Page,
    record::{Row, Status},
    style::{Style, Tone, counted, told_with},
    summary::Again,
};

/// Reasons of a case that are told.
const MOST_REASONS: usize = 4;

/// Cases that are named under an error they share.
const MOST_NAMED: usize = 3;

/// More groups of errors than anybody reads; further ones are counted.
const MOST_GROUPS: usize = 1000;

/// Enough of an answer to see what went wrong.
const LONGEST_ANSWER: usize = 160;

/// Rows that did not pass, gathered one by one. Only what is told is kept.
pub struct Wrong {
    /// 0 for all of them.
    most: usize,
    /// How cases of the run are run again, where that is known.
    again: Option<Again>,
    failed: usize,
    errors: usize,
    told: Vec<FailedCase>,
    groups: Vec<ErrorGroup>,
    places: HashMap<(String, String, String), usize>,
    ungrouped: usize,
}

struct FailedCase {
    name: String,
    score: Option<f64>,
    reasons: Vec<String>,
    more_reasons: usize,
    expected: Option<String>,
    actual: Option<String>,
    command: Option<String>,
}

struct ErrorGroup {
    message: String,
    cases: usize,
    names: Vec<String>,
}

impl Wrong {
    pub fn new(most: usize, again: Option<Again>) -> Self {
        Self {
            most,
            again,
            failed: 0,
            errors: 0,
            told: Vec::new(),
            groups: Vec::new(),
            places: HashMap::new(),
            ungrouped: 0,
        }
    }

    /// Takes a row; one that passed is none of its business.
    pub fn add(&mut self, row: &Row<'_>) {
        match row.status {
            Status::Passed => {}
            Status::Failed => {
                self.failed += 1;
                if self.most == 0 || self.told.len() < self.most {
                    self.told.push(FailedCase::of(row, self.again.as_ref()));
                }
            }
            Status::Error => {
                self.errors += 1;
                self.add_error(row);
            }
        }
    }

    fn add_error(&mut self, row: &Row<'_>) {
        let kind = row.error_kind.as_deref().unwrap_or("error");
        let message = row.error.as_deref().unwrap_or("no reason was recorded");
        let key = (row.target.clone().into_owned(), kind.to_owned(), likeness(message));
        if let Some(group) = self.places.get(&key).and_then(|place| self.groups.get_mut(*place)) {
            group.cases += 1;
            if group.names.len() < MOST_NAMED {
                group.names.push(name_of(row));
            }
        } else if self.groups.len() < MOST_GROUPS {
            self.places.insert(key, self.groups.len());
            let message = told_with(&excerpt(kind, 60), &one_line(message));
            self.groups.push(ErrorGroup { message, cases: 1, names: vec![name_of(row)] });
        } else {
            self.ungrouped += 1;
        }
    }

    /// For people; `of` is how many rows were looked through.
    pub fn text(&self, of: usize, style: Style) -> String {
        let mut page = Page::new(style);
        let looked = counted(of, "case", "cases");
        if self.failed + self.errors == 0 {
            page.line(&format!("{}: nothing failed", style.paint(Tone::Heading, &looked)));
            return page.text;
        }
        page.line(&format!(
            "{}: {}, {}",
            style.paint(Tone::Heading, &looked),
            style.paint(Tone::Bad, &format!("{} failed", self.failed)),
            style.paint(Tone::Odd, &counted(self.errors, "error", "errors")),
        ));
        self.write_failed(&mut page);
        self.write_errors(&mut page);
        page.text
    }

    fn write_failed(&self, page: &mut Page) {
        if self.failed == 0 {
            return;
        }
        page.heading("Failed");
        for case in &self.told {
            let sign = page.style.paint(Tone::Bad, "✗");
            let score = case.score.map_or("—".to_owned(), |score| format!("{score:.2}"));
            page.wrapped(&format!("  {sign} {score} "), &case.name);
            for reason in &case.reasons {
                for (place, line) in reason.lines().enumerate() {
                    page.wrapped(if place == 0 { "    - " } else { "      " }, line);
                }
            }
            if case.more_reasons > 0 {
                let more = counted(case.more_reasons, "more reason", "more reasons");
                page.wrapped("    - ", &format!("and {more}"));
            }
            if let Some(expected) = &case.expected {
                page.wrapped("    expected: ", expected);
            }
            if let Some(actual) = &case.actual {
                page.wrapped("    actual:   ", actual);
            }
            // Never broken into lines: it is there to be copied.
            if let Some(command) = &case.command {
                let command = page.style.paint(Tone::Aside, &format!("$ {command}"));
                page.line(&format!("    {command}"));
            }
        }
        page.more(self.failed - self.told.len());
    }

    fn write_errors(&self, page: &mut Page) {
        if self.errors == 0 {
            return;
        }
        page.heading("Errors");
        let mut groups: Vec<&ErrorGroup> = self.groups.iter().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.cases));
        if self.most > 0 {
            groups.truncate(self.most);
        }
        let told: usize = groups.iter().map(|group| group.cases).sum();
        for group in groups {
            let sign = page.style.paint(Tone::Odd, "!");
            let times =
                if group.cases > 1 { format!("{} × ", group.cases) } else { String::new() };
            page.wrapped(&format!("  {sign} "), &format!("{times}{}", group.message));
            for name in &group.names {
                page.wrapped("      ", name);
            }
            let more = group.cases - group.names.len();
            if more > 0 {
                page.line(&format!("      … and {more} more"));
            }
        }
        page.more(self.errors - told);
    }
}

impl FailedCase {
    fn of(row: &Row<'_>, again: Option<&Again>) -> Self {
        let mut all = reasons_in_lines(row);
        let more_reasons = all.len().saturating_sub(MOST_REASONS);
        all.truncate(MOST_REASONS);
        let short = |text: &str| excerpt(&one_line(text), LONGEST_ANSWER);
        // An answer means little where nothing says what was expected, and the reasons say it.
        let expected = row.reference_answer.as_deref().map(short);
        let actual = row.candidate_answer.as_deref().map(|answer| {
            if answer.trim().is_empty() { "(nothing)".to_owned() } else { short(answer) }
        });
        let command = again.and_then(|again| again.case(row));
        Self {
            name: name_of(row),
            score: row.score,
            reasons: all,
            more_reasons,
            expected,
            actual,
            command,
        }
    }
}

/// `evals/a.yaml:12 capital #2 (agent)`.
pub(super) fn name_of(row: &Row<'_>) -> String {
    let mut name = String::new();
    let file = row.file.as_ref().unwrap_or(&row.suite);
    if !file.is_empty() {
        name.push_str(&excerpt(file, 200));
        if let Some(line) = row.line {
            let _ = write!(name, ":{line}");
        }
        name.push(' ');
    }
    name.push_str(&excerpt(&row.eval_id, 200));
    if row.repeat > 1 {
        let _ = write!(name, " #{}", row.repeat);
    }
    if !row.target.is_empty() {
        let _ = write!(name, " ({})", excerpt(&row.target, 80));
    }
    name
}
