//! The words for a file that is no YAML: what the parser stumbled over, and what usually helps.

use agentv_base::{Diagnostic, Span};
use granit_parser::{ErrorKind, ScanError};

pub(super) fn diagnose(error: &ScanError, span: Span) -> Diagnostic {
    let (message, hint) = explain(error.kind());
    let diagnostic =
        Diagnostic::error(format!("not valid YAML: {message}")).code("syntax").at(span);
    match hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// What happened, and a way out where there is a usual one.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the parser's own words serve for the rare kinds"
)]
fn explain(kind: &ErrorKind) -> (String, Option<&'static str>) {
    let (message, hint) = match kind {
        ErrorKind::UnclosedFlowCollection { open } => {
            return (format!("`{open}` is never closed"), None);
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return (format!("`{open}` is closed by `{close}`"), None);
        }
        ErrorKind::UnexpectedCharacter { character } => {
            return (
                format!("a value cannot start with `{}`", character.escape_default()),
                Some("put the value into quotes"),
            );
        }
        ErrorKind::MisplacedFlowCollectionEnd => {
            ("a bracket that closes nothing", "put a text that starts with a bracket into quotes")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a `:` is not allowed here",
            "put a text that contains `: ` into quotes, or check the indentation",
        ),
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => ("a tab cannot indent", "indent with spaces"),
        ErrorKind::RecursionLimitExceeded => {
            ("nested more than 255 levels deep", "no file of ours needs more than a dozen")
        }
        ErrorKind::UnclosedQuotedScalar => ("a quote is never closed", "add the closing quote"),
        ErrorKind::InvalidQuotedScalarIndent | ErrorKind::DocumentIndicatorInQuotedScalar => (
            "a quoted text goes on into a line that cannot belong to it",
            "is a closing quote missing?",
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar => (
            "something follows the closing quote",
            "a `'` inside single quotes is written twice: `'it''s'`",
        ),
        ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            ("something follows the closing quote", "a `\"` inside double quotes is written `\\\"`")
        }
        ErrorKind::UnknownQuotedScalarEscape => (
            "an escape that double quotes do not know",
            "write the backslash twice, or use single quotes",
        ),
        ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockSequenceEntry => {
            ("the indentation fits no line above", "keys of one map start in the same column")
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            ("a key without its `:`", "write `key: value`")
        }
        other => return (other.to_string(), None),
    };
    (message.to_owned(), Some(hint))
}
