//! Which tool is meant: by its name, or by a glob of names.

use agentv_base::{Call, Diagnostic, Fields, Key, Problems, Shape, excerpt};
use regex::Regex;

/// Names of tools are short; what is longer is noise from a broken trace.
const SHOWN_NAME: usize = 80;

/// One tool, or all of a kind of name.
#[derive(Clone, Debug)]
pub(in crate::grader) struct Tool {
    written: String,
    glob: Option<Regex>,
}

pub(in crate::grader) const NAME: Key = Key::new("name", Shape::Name, "The name of the tool");
pub(in crate::grader) const PATTERN: Key =
    Key::new("pattern", Shape::Name, "Names of tools: `*` is any text, `?` any one character");

impl Tool {
    /// Blanks around a name are no part of it.
    pub(in crate::grader) fn named(name: &str) -> Self {
        Self { written: name.trim().to_owned(), glob: None }
    }

    /// `*` stands for any text and `?` for any one character; all others for themselves.
    fn glob(pattern: &str) -> Result<Self, regex::Error> {
        let pattern = pattern.trim();
        let mut regex = String::from("(?s)^");
        for c in pattern.chars() {
            match c {
                '*' => regex.push_str(".*"),
                '?' => regex.push('.'),
                c => regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
            }
        }
        regex.push('$');
        Ok(Self { written: pattern.to_owned(), glob: Some(Regex::new(&regex)?) })
    }

    /// The tool that `name` or `pattern` of a map means; one of them must be there.
    pub(in crate::grader) fn read(fields: &Fields<'_>, problems: &mut Problems) -> Option<Self> {
        match (fields.get("name"), fields.get("pattern")) {
            (Some(_), None) => fields.non_blank("name", problems).map(Self::named),
            (None, Some(node)) => {
                let pattern = fields.non_blank("pattern", problems)?;
                match Self::glob(pattern) {
                    Ok(tool) => Some(tool),
                    Err(_) => {
                        let message = "`pattern` is too long to be used";
                        problems.push(Diagnostic::error(message).code("bad-pattern").at(node.span));
                        None
                    }
                }
            }
            (Some(_), Some(node)) => {
                let message = "`name` and `pattern` say both which tool is meant";
                problems.push(Diagnostic::error(message).code("misplaced-key").at(node.span));
                None
            }
            (None, None) => {
                problems.push(
                    Diagnostic::error("a tool needs `name` or `pattern`")
                        .code("missing-key")
                        .at(fields.span())
                        .hint("add `name: …`, or `pattern: …` with `*` and `?`"),
                );
                None
            }
        }
    }

    pub(in crate::grader) fn is(&self, name: &str) -> bool {
        self.glob.as_ref().map_or_else(|| self.written == name, |glob| glob.is_match(name))
    }

    /// How often it was called.
    pub(in crate::grader) fn times(&self, calls: &[Call<'_>]) -> usize {
        calls.iter().filter(|call| self.is(call.tool)).count()
    }

    /// As it was written, without blanks around it.
    pub(in crate::grader) fn written(&self) -> &str {
        &self.written
    }

    pub(in crate::grader) fn shown(&self) -> String {
        shown(&self.written)
    }
}

/// The name of a tool as hits and misses show it.
pub(in crate::grader) fn shown(name: &str) -> String {
    excerpt(name, SHOWN_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_stands_for_whole_names() {
        for (pattern, name, expected) in [
            ("search*", "search", true),
            ("search*", "search_web", true),
            ("search*", "research", false),
            ("*_web", "search_web", true),
            ("s?arch", "search", true),
            ("s?arch", "sarch", false),
            ("a.b", "axb", false),
            ("a.b", "a.b", true),
            ("[ab]", "a", false),
            ("*", "line\nbreak", true),
            ("Search", "search", false),
        ] {
            assert_eq!(Tool::glob(pattern).unwrap().is(name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn a_name_is_no_glob() {
        assert!(Tool::named("a*").is("a*"));
        assert!(!Tool::named("a*").is("ab"));
    }

    #[test]
    fn blanks_around_a_name_are_no_part_of_it() {
        assert!(Tool::named(" a\n").is("a"));
        assert!(Tool::glob(" a* ").unwrap().is("ab"));
    }
}
