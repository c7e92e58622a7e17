//! A mistake in a file, with its place and a way out. How it looks on a screen is not said here.

use std::collections::HashSet;

use crate::{node::Span, redact::Redactor};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// A second place that helps to understand the first, such as where a name was used before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    pub span: Span,
    pub text: String,
}

/// One piece of the text at a place, such as a placeholder in a long command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    pub text: String,
    /// How often the same text stands before it.
    pub before: usize,
}

/// The code of a problem that nobody gave a code of its own.
const DEFAULT_CODE: &str = "bad-value";

/// One problem of the author's, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub severity: Severity,
    /// The kind of problem, in kebab-case, for programs that read what we say. It stays the same
    /// where the message becomes a better one. Every code is listed in `docs/diagnostics.md`.
    pub code: &'static str,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// Where; none where no file has the place (a missing file, a flag).
    pub span: Option<Span>,
    /// What of the place is meant, where that is not all of it. A value is not always written as
    /// it is read, so a piece is looked for in the file, and the whole place is shown without it.
    pub piece: Option<Box<Piece>>,
    /// What to say right under the place.
    pub label: Option<String>,
    pub notes: Vec<Note>,
    /// What would make it right.
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: DEFAULT_CODE,
            message: message.into(),
            span: None,
            piece: None,
            label: None,
            notes: Vec::new(),
            hint: None,
        }
    }

    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    #[must_use]
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Points to one piece of the place: the one that stands behind `before` others like it.
    #[must_use]
    pub fn piece(mut self, text: impl Into<String>, before: usize) -> Self {
        self.piece = Some(Box::new(Piece { text: text.into(), before }));
        self
    }

    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem without a secret in any word of it. A value that came from a variable may
    /// have come into its message; the place is the author's own text and says what it says.
    fn redacted(mut self, redactor: &Redactor) -> Self {
        let Self { severity: _, code: _, message, span: _, piece: _, label, notes, hint } =
            &mut self;
        let texts = [Some(message), label.as_mut(), hint.as_mut()].into_iter().flatten();
        for text in texts.chain(notes.iter_mut().map(|note| &mut note.text)) {
            *text = redactor.redact(text).into_owned();
        }
        self
    }
}

/// Everything found wrong so far: reading goes on after a problem, so that all are told at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    found: Vec<Diagnostic>,
}

impl Problems {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// The common case: an error at a place.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(message).at(span));
    }

    pub fn append(&mut self, other: Problems) {
        self.found.extend(other.found);
    }

    /// By file, then by place; those without a place come first. What was found twice, because two
    /// readers looked at one place or ten thousand cases name the same missing target, is told once.
    #[must_use]
    pub fn in_order(&self) -> Self {
        let place = |problem: &Diagnostic| problem.span.map(|span| (span.source.0, span.start));
        let mut sorted: Vec<&Diagnostic> = self.found.iter().collect();
        sorted.sort_by_key(|problem| place(problem));
        let mut told = HashSet::with_capacity(sorted.len());
        sorted.retain(|problem| told.insert(*problem));
        Self { found: sorted.into_iter().cloned().collect() }
    }

    /// The same problems, to be shown.
    #[must_use]
    pub fn redacted(self, redactor: &Redactor) -> Self {
        Self { found: self.found.into_iter().map(|problem| problem.redacted(redactor)).collect() }
    }

    /// How many there are of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|problem| problem.severity == severity).count()
    }

    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter()
    }
}

impl IntoIterator for Problems {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    #[test]
    fn problems_are_told_by_file_and_place_and_each_once() {
        let at = |source, start| Span { source: SourceId(source), start, end: start };
        let mut problems = Problems::default();
        problems.error(at(1, 0), "other file");
        problems.error(at(0, 9), "later");
        problems.error(at(0, 2), "earlier");
        problems.error(at(0, 9), "later");
        problems.push(Diagnostic::error("nowhere"));
        let told: Vec<_> = problems.in_order().found.into_iter().map(|p| p.message).collect();
        assert_eq!(told, ["nowhere", "earlier", "later", "other file"]);
    }

    #[test]
    fn a_secret_is_hidden_in_every_word_of_a_problem() {
        let mut problems = Problems::default();
        problems.push(
            Diagnostic::error("is sk-12345")
                .piece("sk-12345", 0)
                .label("sk-12345?")
                .note(Span::default(), "as sk-12345")
                .hint("not sk-12345"),
        );
        let redactor = Redactor::new(["sk-12345".to_owned()]);
        let problem = problems.redacted(&redactor).found.remove(0);
        assert_eq!(problem.message, "is ***");
        assert_eq!(problem.label.as_deref(), Some("***?"));
        assert_eq!(problem.notes[0].text, "as ***");
        assert_eq!(problem.hint.as_deref(), Some("not ***"));
        // It is only looked for in the author's own text.
        assert_eq!(problem.piece.unwrap().text, "sk-12345");
    }
}
