//! A mistake in a file, with its place and a way out. How it looks on a screen is not said here.

use crate::node::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// A second place that helps to understand the first, such as where a name was used before.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub span: Span,
    pub text: String,
}

/// One piece of the text at a place, such as a placeholder in a long command.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub text: String,
    /// How often the same text stands before it.
    pub before: usize,
}

/// One problem of the author's, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
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

    /// Adds a problem unless it was told before: ten thousand cases that name the same missing
    /// target have one problem.
    pub fn push_new(&mut self, diagnostic: Diagnostic) {
        if !self.found.contains(&diagnostic) {
            self.push(diagnostic);
        }
    }

    /// The common case: an error at a place.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(message).at(span));
    }

    /// Adds what was not told before.
    pub fn append_new(&mut self, other: Problems) {
        for diagnostic in other.found {
            self.push_new(diagnostic);
        }
    }

    pub fn append(&mut self, other: Problems) {
        self.found.extend(other.found);
    }

    /// By file, then by place; those without a place come first. What was found twice, because two
    /// readers looked at one place, is told once.
    #[must_use]
    pub fn in_order(&self) -> Self {
        let place = |problem: &Diagnostic| problem.span.map(|span| (span.source.0, span.start));
        let mut sorted: Vec<&Diagnostic> = self.found.iter().collect();
        sorted.sort_by_key(|problem| place(problem));
        let mut told = Self::default();
        for same_place in sorted.chunk_by(|a, b| place(a) == place(b)) {
            for (position, problem) in same_place.iter().enumerate() {
                let before = same_place.get(..position).unwrap_or_default();
                if !before.contains(problem) {
                    told.push((*problem).clone());
                }
            }
        }
        told
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
}
