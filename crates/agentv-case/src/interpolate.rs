//! `${{ NAME }}`, or `{{ env.NAME }}`, in settings → the value of a variable.
//!
//! A reference may be the whole value or stand inside a longer string. A variable that is not set
//! is an error everywhere; one that is blank is an error too, except in a map called `env`, where
//! a blank value is a value. There is no silent "absent": a judge or a folder that falls away
//! because of a missing variable would give results that nobody asked for.

use std::collections::BTreeSet;

use agentv_base::{
    Diagnostic, Entry, Node, NodeValue, Problems, is_secret_name, is_token_count, nearest,
};

use crate::environment::Variables;

/// Keys of graders whose text stays text: prompts and what is looked for in an answer.
pub(crate) const TEXT_OF_GRADERS: &[&str] = &["prompt", "value", "expected", "rubrics", "criteria"];

/// Filling in one file's settings: where values come from, and where findings go.
pub(crate) struct Interpolation<'i, 'e> {
    pub(crate) variables: &'i Variables<'e>,
    pub(crate) problems: &'i mut Problems,
    /// Values that must not be shown.
    pub(crate) secrets: &'i mut BTreeSet<String>,
}

/// One piece of a string with references.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Reference {
        name: &'t str,
        written: &'t str,
    },
    /// `${{` that is no reference to a variable.
    Broken(&'t str),
}

/// The setting that a string belongs to.
#[derive(Clone, Copy)]
struct Setting<'k> {
    key: &'k str,
    /// It stands in a map called `env`.
    of_child: bool,
    /// Its own name, or one above it, is that of a secret, or it is a header.
    secret: bool,
}

impl<'k> Setting<'k> {
    fn below(self, key: &'k str) -> Self {
        // Whoever fills a header of a request from a variable has a reason not to write it down.
        let secret = self.secret || self.key == "headers" || is_secret_name(key);
        Self { key, of_child: self.key == "env", secret }
    }
}

impl Interpolation<'_, '_> {
    /// The same tree with variables filled in, except below the `literal` keys. A string whose
    /// variable has no value is reported and becomes null, so that it can never be used as it
    /// stands.
    pub(crate) fn fill(&mut self, key: &str, node: &Node, literal: &[&str]) -> Node {
        let setting = Setting { key, of_child: false, secret: is_secret_name(key) };
        self.fill_setting(setting, node, literal)
    }

    fn fill_setting(&mut self, setting: Setting<'_>, node: &Node, literal: &[&str]) -> Node {
        if !has_references(node, literal) {
            return node.clone();
        }
        let value = match &node.value {
            NodeValue::String(text) => self.fill_text(setting, text, node),
            NodeValue::List(items) => {
                let fill = |item| self.fill_setting(setting, item, literal);
                NodeValue::List(items.iter().map(fill).collect())
            }
            NodeValue::Map(entries) => {
                let fill = |entry: &Entry| Entry {
                    key: entry.key.clone(),
                    key_span: entry.key_span,
                    value: if literal.contains(&&*entry.key) {
                        entry.value.clone()
                    } else {
                        self.fill_setting(setting.below(&entry.key), &entry.value, literal)
                    },
                };
                NodeValue::Map(entries.iter().map(fill).collect())
            }
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
                node.value.clone()
            }
        };
        Node::new(node.span, value)
    }

    fn fill_text(&mut self, setting: Setting<'_>, text: &str, node: &Node) -> NodeValue {
        let mut filled = String::with_capacity(text.len());
        let mut whole = true;
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Reference { name, written } => {
                    match self.value_of(setting, name, written, node) {
                        Some(value) => filled.push_str(&value),
                        None => whole = false,
                    }
                }
                Piece::Broken(written) => {
                    whole = false;
                    self.problems.push(
                        Diagnostic::error(format!(
                            "`{written}` in `{}` is no reference to a variable",
                            setting.key
                        ))
                        .code("bad-reference")
                        .at(node.span)
                        .piece(written, 0)
                        .hint("write `${{ NAME }}`; a name has letters, digits and `_`"),
                    );
                }
            }
        }
        if whole { NodeValue::String(filled.into()) } else { NodeValue::Null }
    }

    fn value_of(
        &mut self,
        setting: Setting<'_>,
        name: &str,
        written: &str,
        node: &Node,
    ) -> Option<String> {
        let value = self.variables.get(name);
        let fault = match value {
            None => "is not set",
            Some(value) if value.trim().is_empty() && !setting.of_child => "is blank",
            Some(value) => {
                let count = is_token_count(name, value) || is_token_count(setting.key, value);
                if (is_secret_name(name) || setting.secret) && !count {
                    self.secrets.insert(value.to_owned());
                }
                return Some(value.to_owned());
            }
        };
        // A variable of one letter is like any other, and one that is blank is no slip of the pen.
        let others = self.variables.names().filter(|other| *other != name && other.len() > 2);
        let near = if value.is_none() { nearest(name, others) } else { None };
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("set `{name}` in the environment or in a `.env` file"),
        };
        self.problems.push(
            Diagnostic::error(format!(
                "environment variable `{name}`, needed for `{}`, {fault}",
                setting.key
            ))
            .code("unset-variable")
            .at(node.span)
            .piece(written, 0)
            .hint(hint),
        );
        None
    }
}

/// Whether there may be something to fill in.
pub(crate) fn has_references(node: &Node, literal: &[&str]) -> bool {
    match &node.value {
        NodeValue::String(text) => text.contains("{{"),
        NodeValue::List(items) => items.iter().any(|item| has_references(item, literal)),
        NodeValue::Map(entries) => entries
            .iter()
            .any(|entry| !literal.contains(&&*entry.key) && has_references(&entry.value, literal)),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => false,
    }
}

/// Whether a string is one reference and nothing else, which may be shown as it stands.
pub(crate) fn is_reference(text: &str) -> bool {
    matches!(pieces(text.trim()).as_slice(), [Piece::Reference { .. }])
}

/// Both forms of a reference: what stands before the name, and whether anything else there is a
/// mistake. Other braces belong to templates.
const FORMS: [(&str, bool); 2] = [("${{", true), ("{{", false)];

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut passed = 0;
    while let Some((at, opening, strict)) = next_opening(rest, passed) {
        let (before, after) = (rest.get(..at), rest.get(at + opening.len()..));
        let (Some(before), Some(after)) = (before, after) else { break };
        let end = after.find("}}");
        let name = end.and_then(|end| after.get(..end)).map(str::trim);
        let name = if strict { name } else { name.and_then(|name| name.strip_prefix("env.")) };
        let found = name.filter(|name| is_variable_name(name)).zip(end);
        let length = match (found, strict) {
            (Some((_, end)), _) => opening.len() + end + 2,
            (None, true) => end.map_or(rest.len() - at, |end| opening.len() + end + 2),
            (None, false) => {
                passed = at + opening.len();
                continue;
            }
        };
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let written = rest.get(at..at + length).unwrap_or_default();
        pieces.push(match found {
            Some((name, _)) => Piece::Reference { name, written },
            None => Piece::Broken(written),
        });
        rest = rest.get(at + length..).unwrap_or_default();
        passed = 0;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The first opening from `passed` on.
fn next_opening(text: &str, passed: usize) -> Option<(usize, &'static str, bool)> {
    let rest = text.get(passed..)?;
    let found = FORMS.iter().filter_map(|(opening, strict)| {
        rest.find(opening).map(|at| (passed + at, *opening, *strict))
    });
    found.min_by_key(|(at, ..)| *at)
}

fn is_variable_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use agentv_base::SourceId;

    use super::*;
    use crate::{environment::Environment, yaml};

    /// The settings as JSON, what went wrong, and what is secret.
    fn check(text: &str) -> (String, Vec<String>, Vec<String>) {
        let process: Environment = [
            ("HOST", "example.org"),
            ("API_KEY", "sk-12345"),
            ("MODEL", "m1"),
            ("COUNT", "4096"),
            ("MAX_TOKENS", "8192"),
            ("BLANK", " "),
            ("BRACES", "${{ HOST }}"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
        let variables = Variables::new(&process, Vec::new());
        let mut problems = Problems::default();
        let node = yaml::parse(text, SourceId::default(), &mut problems).unwrap();
        let mut secrets = BTreeSet::new();
        let filled =
            Interpolation { variables: &variables, problems: &mut problems, secrets: &mut secrets }
                .fill("", &node, TEXT_OF_GRADERS);
        let said = problems.iter().map(|problem| {
            let hint = problem.hint.as_deref().unwrap_or_default();
            format!("{} | {hint}", problem.message)
        });
        (filled.to_json().to_string(), said.collect(), secrets.into_iter().collect())
    }

    #[test]
    fn references_are_filled_in_whole_and_inside_a_string() {
        let (json, problems, _) = check("a: ${{ HOST }}\nb: [\"http://${{HOST}}/${{ MODEL }}!\"]");
        assert_eq!(json, r#"{"a":"example.org","b":["http://example.org/m1!"]}"#);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn the_later_form_of_a_reference_is_filled_in_and_other_braces_stay() {
        let (json, problems, _) =
            check("a: 'x {{ env.HOST }}/{{env.MODEL}} {{ name }} {{PROMPT}}'");
        assert_eq!(json, r#"{"a":"x example.org/m1 {{ name }} {{PROMPT}}"}"#);
        assert_eq!(problems, [""; 0]);
        let (_, problems, _) = check("a: '{{ env.ZZZZ }}'");
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn a_value_that_looks_like_a_reference_is_not_filled_in_again() {
        let (json, ..) = check("a: ${{ BRACES }}");
        assert_eq!(json, r#"{"a":"${{ HOST }}"}"#);
    }

    #[test]
    fn prompts_and_what_is_looked_for_stay_text() {
        let (json, problems, _) = check("value: ${{ NONE }}\nnested: {prompt: ['${{ x-y }}']}");
        assert_eq!(json, r#"{"value":"${{ NONE }}","nested":{"prompt":["${{ x-y }}"]}}"#);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn an_unset_or_blank_variable_is_an_error_that_names_key_and_variable() {
        let (json, problems, _) = check("a: ${{ ZZZZ }}\nb: x ${{ BLANK }}\nc: ${{ host }}\nd: 1");
        assert_eq!(json, r#"{"a":null,"b":null,"c":null,"d":1}"#);
        assert_eq!(
            problems,
            [
                "environment variable `ZZZZ`, needed for `a`, is not set | \
                 set `ZZZZ` in the environment or in a `.env` file",
                "environment variable `BLANK`, needed for `b`, is blank | \
                 set `BLANK` in the environment or in a `.env` file",
                "environment variable `host`, needed for `c`, is not set | did you mean `HOST`?",
            ]
        );
    }

    #[test]
    fn a_blank_value_is_fine_for_a_variable_of_the_child() {
        let (json, problems, _) = check("env: {X: '${{ BLANK }}'}");
        assert_eq!(json, r#"{"env":{"X":" "}}"#);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn a_broken_reference_is_an_error() {
        let (_, problems, _) = check("a: ${{ secrets.X }}\nb: x${{ HOST");
        assert_eq!(
            problems,
            [
                "`${{ secrets.X }}` in `a` is no reference to a variable | \
                 write `${{ NAME }}`; a name has letters, digits and `_`",
                "`${{ HOST` in `b` is no reference to a variable | \
                 write `${{ NAME }}`; a name has letters, digits and `_`",
            ]
        );
    }

    #[test]
    fn values_of_secret_variables_and_of_secret_keys_are_remembered() {
        let (.., secrets) =
            check("url: x${{ API_KEY }}\ntokens: {a: ['${{ HOST }}']}\nmodel: ${{ MODEL }}");
        assert_eq!(secrets, ["example.org", "sk-12345"]);
    }

    #[test]
    fn a_variable_in_a_header_is_a_secret_whatever_it_is_called() {
        let (.., secrets) = check("headers: {X-Team: 'of ${{ HOST }}'}\nmodel: ${{ MODEL }}");
        assert_eq!(secrets, ["example.org"]);
    }

    #[test]
    fn a_number_of_tokens_is_no_secret() {
        let (filled, _, secrets) =
            check("max_output_tokens: ${{ COUNT }}\nn: ${{ MAX_TOKENS }}\nmy_tokens: ${{ HOST }}");
        assert!(filled.starts_with(r#"{"max_output_tokens":"4096","n":"8192","#), "{filled}");
        assert_eq!(secrets, ["example.org"]);
    }
}
