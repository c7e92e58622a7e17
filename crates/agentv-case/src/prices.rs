//! The project's prices of models, `.agentv/prices.yaml`.

use std::collections::BTreeSet;

use agentv_base::{
    Diagnostic, Entry, Fields, Key, Node, PRICE, Part, Price, PriceList, Problems, Shape,
};

use crate::{environment::Variables, interpolate::Interpolation};

pub const PRICES: Part = Part { what: "prices file", tables: &[PRICES_KEYS] };

const PRICES_KEYS: &[Key] = &[
    Key::new("$schema", Shape::Text, "Which schema the file follows; for editors"),
    Key::new("models", Shape::MapOf(&Shape::Part(&PRICE)), "What each model costs").required(),
];

/// Where prices are looked for in each folder, first hit wins.
pub(crate) const PRICES_FILES: [&str; 2] = [".agentv/prices.yaml", ".agentv/prices.yml"];

/// The smallest file of prices that says something.
pub(crate) const EXAMPLE: &str = "\
models:
  my-model: {input: 2.5, output: 10, cached_input: 1.25}  # USD for a million tokens";

/// Gives meaning to a file of prices that was read.
pub(crate) fn lower(
    node: &Node,
    variables: &Variables<'_>,
    secrets: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> PriceList {
    let node = Interpolation { variables, problems, secrets }.fill("prices", node, &[]);
    // A file with nothing but comments prices nothing.
    if node.is_null() {
        return PriceList::default();
    }
    let Some(fields) = Fields::read(&node, PRICES.what, PRICES.tables, problems) else {
        return PriceList::default();
    };
    fields.string("$schema", problems);
    let Some(models) = fields.required("models", problems) else {
        return PriceList::default();
    };
    let entries = fields.map("models", problems);
    if entries.is_some_and(<[Entry]>::is_empty) {
        problems.push(
            Diagnostic::error("`models` is empty")
                .at(models.span)
                .hint(format!("price at least one model:\n{EXAMPLE}")),
        );
    }
    let read = |entry: &Entry| {
        check_name(entry, problems);
        let price = Price::read(&entry.value, problems)?;
        Some((entry.key.to_string(), price))
    };
    PriceList::new(entries.unwrap_or_default().iter().filter_map(read))
}

/// A star anywhere but at the end would be taken for a part of the name, and match nothing.
fn check_name(entry: &Entry, problems: &mut Problems) {
    let name = &entry.key;
    let start = name.strip_suffix('*').unwrap_or(name);
    if name.trim().is_empty() {
        problems.error(entry.key_span, "the name of a model is blank");
    } else if start.contains('*') {
        problems.push(
            Diagnostic::error(format!("`{name}` is no name of models"))
                .code("bad-pattern")
                .at(entry.key_span)
                .hint("one `*` may stand at the end: `gpt-4o*`"),
        );
    }
}

#[cfg(test)]
mod tests {
    use agentv_base::SourceId;

    use super::*;
    use crate::{environment::Environment, yaml};

    fn check(text: &str) -> (PriceList, Vec<String>) {
        let process = Environment::new();
        let variables = Variables::new(&process, Vec::new());
        let mut problems = Problems::default();
        let node = yaml::parse(text, SourceId::default(), &mut problems).unwrap();
        let prices = lower(&node, &variables, &mut BTreeSet::new(), &mut problems);
        (prices, problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn models_have_the_prices_that_the_file_says() {
        let (prices, problems) = check(
            "models:\n  a: {input: 2.5, output: 10, cached_input: 1.25}\n  b*: {input: 0, output: 0}",
        );
        assert_eq!(problems, [""; 0]);
        let price = Price { input: 2.5, output: 10.0, cached_input: Some(1.25), cache_write: None };
        assert_eq!(prices.of("a"), Some(price));
        assert_eq!(prices.of("b-1").map(|price| price.input), Some(0.0));
        assert_eq!(prices.of("c"), None);
    }

    #[test]
    fn the_example_is_right_and_comments_price_nothing() {
        let (prices, problems) = check(EXAMPLE);
        assert_eq!(problems, [""; 0]);
        assert!(prices.of("my-model").is_some());
        assert_eq!(check("# nothing yet"), (PriceList::default(), Vec::new()));
    }

    #[test]
    fn every_problem_of_a_file_of_prices_is_told() {
        let (_, problems) =
            check("model: {}\nx-own: 1\nmodels: {a*b: {input: 1, output: x}, ' ': 3}");
        assert_eq!(
            problems,
            [
                "unknown key `model` in prices file",
                "`a*b` is no name of models",
                "`output` must be a number, not a string",
                "the name of a model is blank",
                "price must be a map, not a number",
            ]
        );
        assert_eq!(check("models: {}").1, ["`models` is empty"]);
        assert_eq!(check("models: 3").1, ["`models` must be a map, not a number"]);
        assert_eq!(check("$schema: x").1, ["prices file needs `models`"]);
        assert_eq!(check("- x").1, ["prices file must be a map, not a list"]);
    }
}
