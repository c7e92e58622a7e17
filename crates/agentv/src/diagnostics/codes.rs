//! What the codes of problems mean. They are explained once, in `docs/diagnostics.md`, for people
//! and for the formats that carry explanations.

const DOCUMENT: &str = include_str!("../../../../docs/diagnostics.md");

/// A row of the table of codes.
pub(super) struct Explained {
    pub(super) meaning: &'static str,
    pub(super) remedy: &'static str,
}

/// What the document says of a code.
pub(super) fn explained(code: &str) -> Option<Explained> {
    DOCUMENT.lines().find_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | ")?;
        let (meaning, remedy) = rest.split_once(" | ")?;
        (name == code).then_some(Explained { meaning, remedy })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_explained_by_its_row_of_the_document() {
        let row = explained("bad-value").unwrap();
        assert!(!row.meaning.is_empty() && !row.remedy.is_empty());
        assert!(!row.meaning.contains('|') && !row.remedy.contains('|'));
        assert!(explained("bad").is_none());
    }
}
