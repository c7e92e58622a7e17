//! Why a template is refused, in the words its author reads.

use std::ops::Range;

/// Which of the two texts of a target a fault is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateText {
    Command,
    FilesFormat,
}

/// One reason why a template cannot be used, with its place and a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    pub text: TemplateText,
    /// Bytes of that text.
    pub range: Range<usize>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    pub hint: Option<String>,
}

impl TemplateFault {
    /// The faulty piece of its text, and how often the same stands before it.
    pub(in super::super) fn piece(&self, text: &str) -> (String, usize) {
        let piece = text.get(self.range.clone()).unwrap_or_default();
        let before = text.get(..self.range.start).unwrap_or_default();
        (piece.to_owned(), if piece.is_empty() { 0 } else { before.matches(piece).count() })
    }
}

/// What is wrong with the place of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The quoted piece as it would be right.
    Quotes {
        right: String,
    },
    Backticks,
    Backslash,
    Comment,
    HereDocument,
    ParameterExpansion,
    Arithmetic,
    /// It would be the program that is run.
    Program,
    /// It would be, where the variable before it is empty.
    ProgramWhereEmpty,
    /// This command would run it as code.
    Code(String),
    /// This variable, which it would be the value of, decides what is run.
    Variable(String),
}

impl Refusal {
    pub fn message(&self, shown: &str) -> String {
        match self {
            Self::Quotes { .. } => {
                format!("`{shown}` stands inside quotes, where its own quoting would not hold")
            }
            Self::Backticks => {
                format!("`{shown}` stands inside backticks, where its quoting would not hold")
            }
            Self::Backslash => {
                format!("`{shown}` stands after a backslash, which would undo its quoting")
            }
            Self::Comment => {
                format!("`{shown}` stands inside a comment, which its value could end")
            }
            Self::HereDocument => {
                format!("`{shown}` stands inside a here-document, where its quoting would not hold")
            }
            Self::ParameterExpansion => {
                format!("`{shown}` stands inside `${{…}}`, where its quoting would not hold")
            }
            Self::Arithmetic => format!("`{shown}` stands inside arithmetic, which evaluates it"),
            Self::Program => format!("`{shown}` would be the program that is run"),
            Self::ProgramWhereEmpty => format!(
                "`{shown}` would be the program that is run, where the variable before it is empty"
            ),
            Self::Code(command) => format!("`{command}` would run `{shown}` as code"),
            Self::Variable(name) => {
                format!("`{shown}` would be the value of `{name}`, which decides what is run")
            }
        }
    }

    pub fn hint(&self, shown: &str) -> String {
        match self {
            Self::Quotes { right } => format!("values are quoted for you: write {right}"),
            Self::Backticks => format!("write $(… {shown} …) instead"),
            Self::Backslash => {
                format!("remove the backslash, or write {{{shown}}} for the text itself")
            }
            Self::Comment => "remove the comment".to_owned(),
            Self::HereDocument => {
                format!("write printf '%s\\n' {shown} | … instead, or pass {{PROMPT_FILE}}")
            }
            Self::ParameterExpansion | Self::Arithmetic => {
                format!("give it to a command of its own, as in $(tool {shown})")
            }
            Self::Program => "name a program before it".to_owned(),
            Self::ProgramWhereEmpty => {
                format!("put the variable in quotes: \"$TOOL\" {shown}")
            }
            Self::Code(_) => format!("hand it to a program of yours as an argument: tool {shown}"),
            Self::Variable(_) => "give the variable another name".to_owned(),
        }
    }
}
