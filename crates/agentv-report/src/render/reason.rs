//! Why a case did not pass, and what it is called, in plain text: for formats that show a case to
//! people. Nothing is escaped here; each format does that in its own way.

use std::borrow::Cow;

use agentv_base::{GraderResult, Verdict};

use crate::{
    record::{Row, Status},
    style::told_with,
};

/// How many reasons of a case are told; the others are counted.
const MOST_REASONS: usize = 8;

/// Characters of one reason.
const LONGEST_REASON: usize = 600;

/// `id`, and for a later repeat `id #2`.
pub(super) fn case_name(id: &str, repeat: u32) -> Cow<'_, str> {
    if repeat > 1 { Cow::Owned(format!("{id} #{repeat}")) } else { Cow::Borrowed(id) }
}

/// Of which case a row is a repeat.
#[derive(PartialEq)]
pub(super) struct CaseKey {
    suite: String,
    eval_id: String,
    target: String,
}

impl CaseKey {
    pub(super) fn of(row: &Row<'_>) -> Self {
        let owned = |text: &str| text.to_owned();
        let (suite, eval_id) = (owned(&row.suite), owned(&row.eval_id));
        Self { suite, eval_id, target: owned(&row.target) }
    }
}

/// The file that a case stands in, from the repository root; empty where that is not known.
pub(super) fn file_of<'r>(row: &'r Row<'_>) -> &'r str {
    row.file.as_deref().unwrap_or(&row.suite)
}

/// `evals/a.yaml:12`; nothing where it is not known.
pub(super) fn place_of(row: &Row<'_>) -> Option<String> {
    let file = Some(file_of(row)).filter(|file| !file.is_empty())?;
    Some(row.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

/// What a row is an error of.
pub(super) fn error_kind<'r>(row: &'r Row<'_>) -> &'r str {
    row.error_kind.as_deref().unwrap_or("unknown")
}

pub(super) fn error_message<'r>(row: &'r Row<'_>) -> &'r str {
    row.error.as_deref().unwrap_or("no reason was recorded")
}

/// `score 0.50, threshold 0.80`, as far as they are known.
pub(super) fn scored(row: &Row<'_>) -> Option<String> {
    let score = row.score?;
    let threshold = row.threshold.map_or_else(String::new, |it| format!(", threshold {it:.2}"));
    Some(format!("score {score:.2}{threshold}"))
}

/// Why a case failed or could not be evaluated; nothing where it passed.
pub(super) fn reasons(row: &Row<'_>) -> Vec<String> {
    match row.status {
        Status::Passed => Vec::new(),
        Status::Error => {
            let told = told_with(error_kind(row), error_message(row));
            vec![cut(&told, LONGEST_REASON).into_owned()]
        }
        Status::Failed => {
            let graders = row.evaluator_results.as_deref().unwrap_or_default();
            let mut told: Vec<String> = match graders {
                [] | [_] => row.misses.iter().map(|miss| miss.clone().into_owned()).collect(),
                several => several.iter().filter(|it| is_below(it)).flat_map(missed).collect(),
            };
            told.extend(graders.iter().filter(|it| is_below(it)).filter_map(silent));
            if told.is_empty() {
                told.extend(scored(row));
            }
            bounded(&told)
        }
    }
}

fn is_below(grader: &GraderResult) -> bool {
    grader.verdict != Some(Verdict::Pass)
}

fn missed(grader: &GraderResult) -> Vec<String> {
    grader.misses.iter().map(|miss| format!("{}: {miss}", grader.name)).collect()
}

/// A grader that names no miss speaks by its score and its reasons, and so does a required one,
/// which can fail a case in spite of its mean.
fn silent(grader: &GraderResult) -> Option<String> {
    let score = grader.score?;
    let name = &grader.name;
    if let Some(needed) = grader.required_score {
        return Some(format!("{name} scored {score:.2} and is required to reach {needed:.2}"));
    }
    if !grader.misses.is_empty() {
        return None;
    }
    let reasoning = grader.reasoning.as_deref().map(str::trim).filter(|it| !it.is_empty());
    let because = reasoning.map_or_else(String::new, |it| format!(": {it}"));
    Some(format!("{name} scored {score:.2}{because}"))
}

fn bounded(reasons: &[String]) -> Vec<String> {
    let more = reasons.len().saturating_sub(MOST_REASONS);
    let told = reasons.iter().take(MOST_REASONS);
    let mut told: Vec<String> =
        told.map(|reason| cut(reason, LONGEST_REASON).into_owned()).collect();
    if more > 0 {
        told.push(format!("… and {more} more"));
    }
    told
}

/// At most so many characters, and a word on how many are missing.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    // Most texts are short, and bytes are counted faster than characters.
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let Some((end, _)) = text.char_indices().nth(most) else { return Cow::Borrowed(text) };
    let (kept, rest) = text.split_at(end);
    Cow::Owned(format!("{kept}… ({} more characters)", rest.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_character_and_says_so() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äöü… (1 more characters)");
    }

    #[test]
    fn only_later_repeats_are_numbered() {
        assert_eq!(case_name("a", 1), "a");
        assert_eq!(case_name("a", 2), "a #2");
    }
}
