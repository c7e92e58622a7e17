//! What is told of a schema that can be used, but would not do what its author believes.

use agentv_base::{Diagnostic, Node, Problems, Span, excerpt};
use jsonschema::Draft;
use serde_json::Value;

use super::keywords::{Ineffective, checks_something, ineffective};

/// Enough of a name, or of a place in a file, to find it.
const SHOWN: usize = 80;

/// Where a schema was written.
#[derive(Clone, Copy)]
pub(super) enum Written<'n> {
    /// In the suite.
    Here(&'n Node),
    /// In a file of this name, which the suite names at this place.
    InFile(&'n str, Span),
}

/// Reports what has no effect in a schema.
pub(super) fn warn(schema: &Value, written: Written<'_>, problems: &mut Problems) {
    for one in ineffective(schema, Draft::default().detect(schema)) {
        problems.push(warning(&one, written));
    }
}

/// Whether anything has an effect; that nothing has is an error.
pub(super) fn has_effect(schema: &Value, written: Written<'_>, problems: &mut Problems) -> bool {
    if checks_something(schema) {
        return true;
    }
    let (what, span) = match written {
        Written::Here(node) => ("`value`".to_owned(), node.span),
        Written::InFile(path, span) => (format!("`{path}`"), span),
    };
    problems.push(
        Diagnostic::error(format!("{what} checks nothing, so every JSON would satisfy it"))
            .at(span)
            .hint("say what the answer must be, or use `is_json` without a schema"),
    );
    false
}

fn warning(one: &Ineffective, written: Written<'_>) -> Diagnostic {
    let said = match &one.format {
        Some(format) => {
            format!("`{}` is no format that is checked here", excerpt(format, SHOWN))
        }
        None => format!(
            "`{}` is no keyword of JSON Schema, so it checks nothing",
            excerpt(&one.keyword, SHOWN)
        ),
    };
    let (said, span) = match written {
        Written::Here(node) => (said, place(node, one)),
        Written::InFile(path, span) => {
            let keys = one.part.iter().chain([&one.keyword]);
            let keys = keys.map(|key| key.replace('~', "~0").replace('/', "~1"));
            let at = format!("/{}", keys.collect::<Vec<_>>().join("/"));
            (format!("`{path}`, {}: {said}", excerpt(&at, SHOWN)), span)
        }
    };
    let warning = Diagnostic::warning(said).code("unknown-keyword").at(span);
    match one.meant {
        Some(meant) => warning.hint(format!("did you mean `{meant}`?")),
        None => warning,
    }
}

/// The key that has no effect, or the name of the format.
fn place(schema: &Node, one: &Ineffective) -> Span {
    let mut found = schema;
    for key in &one.part {
        let below = match found.as_list() {
            Some(items) => key.parse().ok().and_then(|index: usize| items.get(index)),
            None => found.get(key),
        };
        let Some(below) = below else { return found.span };
        found = below;
    }
    let mut entries = found.as_map().into_iter().flatten();
    let entry = entries.find(|entry| *entry.key == *one.keyword);
    entry.map_or(found.span, |entry| match one.format {
        Some(_) => entry.value.span,
        None => entry.key_span,
    })
}

#[cfg(test)]
mod tests {
    use agentv_base::Severity;
    use serde_json::json;

    use super::*;
    use crate::testing::{node, place as place_of};

    type Told = (Severity, String, String, Option<String>);

    fn told(schema: &Value, file: Option<&str>) -> Vec<Told> {
        let node = node(schema);
        let written = file.map_or(Written::Here(&node), |path| Written::InFile(path, node.span));
        let mut problems = Problems::default();
        warn(schema, written, &mut problems);
        assert_ne!(has_effect(schema, written, &mut problems), problems.has_errors());
        let told = problems.iter().map(|problem| {
            let at = place_of(&node, problem.span.unwrap());
            (problem.severity, at, problem.message.clone(), problem.hint.clone())
        });
        told.collect()
    }

    fn warned(at: &str, message: &str, hint: Option<&str>) -> Told {
        (Severity::Warning, at.to_owned(), message.to_owned(), hint.map(str::to_owned))
    }

    #[test]
    fn a_misspelt_keyword_is_told_at_its_key_and_a_format_at_its_name() {
        let schema = json!({
            "type": "object",
            "properties": {"a/b": {"tpye": "array"}, "c": {"format": "emial"}, "d": {"format": "x"}},
        });
        let keyword = "`tpye` is no keyword of JSON Schema, so it checks nothing";
        let format = "`emial` is no format that is checked here";
        assert_eq!(
            told(&schema, None),
            [
                warned("/properties/a/b/tpye#key", keyword, Some("did you mean `type`?")),
                warned("/properties/c/format", format, Some("did you mean `email`?")),
                warned("/properties/d/format", "`x` is no format that is checked here", None),
            ]
        );
        assert_eq!(
            told(&schema, Some("a.json"))[0],
            warned(
                "",
                &format!("`a.json`, /properties/a~1b/tpye: {keyword}"),
                Some("did you mean `type`?")
            )
        );
    }

    #[test]
    fn a_schema_that_checks_nothing_is_an_error_and_what_was_meant_is_told_too() {
        for (schema, file, message) in [
            (json!({}), None, "`value` checks nothing, so every JSON would satisfy it"),
            (
                json!({"title": "x"}),
                Some("a.json"),
                "`a.json` checks nothing, so every JSON would satisfy it",
            ),
        ] {
            let told = told(&schema, file);
            assert_eq!(told.len(), 1);
            assert_eq!((told[0].0, told[0].2.as_str()), (Severity::Error, message));
        }
        let told = told(&json!({"requierd": ["a"]}), None);
        assert_eq!(told.len(), 2);
        assert_eq!((told[0].0, told[1].0), (Severity::Warning, Severity::Error));
    }
}
