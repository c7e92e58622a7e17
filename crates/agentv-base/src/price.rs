//! What a model charges, and what an answer of it cost. A model without a price has no cost; free
//! is only what somebody says is free.

use crate::{
    diagnostic::Problems,
    key::{Key, Part, Shape},
    node::Node,
    settings::Fields,
    usage::TokenUsage,
};

/// The price of a model, in USD for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    /// For input that came from a cache; without one it costs as other input does.
    pub cached_input: Option<f64>,
    /// For input that was put into a cache, which some services charge more for than for other
    /// input; without one nobody knows what it costs.
    pub cache_write: Option<f64>,
}

/// Prices as settings hold them.
pub const PRICE: Part = Part { what: "price", tables: &[PRICE_KEYS] };

const PRICE_KEYS: &[Key] = &[
    Key::new("input", Shape::Limit, "USD for a million tokens that the model reads").required(),
    Key::new("output", Shape::Limit, "USD for a million tokens that it writes").required(),
    Key::new("cached_input", Shape::Limit, "USD for a million tokens that it reads from a cache")
        .default("the price of `input`"),
    Key::new("cache_write", Shape::Limit, "USD for a million tokens that it puts into a cache")
        .default("none: such answers have no cost"),
];

const MILLION: f64 = 1e6;

impl Price {
    /// Reads a map of prices. Everything wrong with it is reported.
    pub fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let fields = Fields::read(node, PRICE.what, PRICE.tables, problems)?;
        let mut required = |name: &str| {
            fields.required(name, problems)?;
            fields.limit(name, problems)
        };
        let (input, output) = (required("input"), required("output"));
        let cached_input = fields.optional("cached_input", problems, Fields::limit);
        let cache_write = fields.optional("cache_write", problems, Fields::limit);
        Some(Self {
            input: input?,
            output: output?,
            cached_input: cached_input?,
            cache_write: cache_write?,
        })
    }

    /// What these tokens cost, in USD; nothing where some were put into a cache and nobody says what
    /// that costs. What came from a cache or was put there is a part of the input.
    pub fn cost(&self, usage: &TokenUsage, written: u64) -> Option<f64> {
        let cached = usage.cached.unwrap_or(0).min(usage.input);
        let written = written.min(usage.input - cached);
        let fresh = usage.input - cached - written;
        let write_price = if written == 0 { 0.0 } else { self.cache_write? };
        let cached_price = self.cached_input.unwrap_or(self.input);
        let sum = fresh as f64 * self.input
            + cached as f64 * cached_price
            + written as f64 * write_price
            + usage.output as f64 * self.output;
        Some(sum / MILLION)
    }
}

/// The prices of models by their names. A name that ends in `*` stands for all that start like it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceList {
    models: Vec<(String, Price)>,
}

impl PriceList {
    pub fn new(models: impl IntoIterator<Item = (String, Price)>) -> Self {
        Self { models: models.into_iter().collect() }
    }

    /// The price of a model: that of its own name, else that of the longest start of it.
    pub fn of(&self, model: &str) -> Option<Price> {
        let exact = self.models.iter().find(|(name, _)| name == model);
        let by_start = || {
            let starts = self.models.iter().filter_map(|(name, price)| {
                let start = name.strip_suffix('*')?;
                model.starts_with(start).then_some((start.len(), *price))
            });
            starts.max_by_key(|(length, _)| *length).map(|(_, price)| price)
        };
        exact.map(|(_, price)| *price).or_else(by_start)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PRICE: Price =
        Price { input: 2.0, output: 8.0, cached_input: Some(0.5), cache_write: None };

    fn check(price: Price, input: u64, output: u64, cached: Option<u64>, expected: f64) {
        let cost = price.cost(&TokenUsage { input, output, cached }, 0).unwrap();
        assert!((cost - expected).abs() < 1e-12, "{cost} is not {expected}");
    }

    #[test]
    fn tokens_cost_what_a_million_of_them_costs() {
        check(PRICE, 1_000_000, 500_000, None, 6.0);
        check(PRICE, 3, 2, None, 22e-6);
        check(PRICE, 0, 0, None, 0.0);
    }

    #[test]
    fn what_came_from_a_cache_is_a_part_of_the_input() {
        check(PRICE, 1_000_000, 0, Some(400_000), 1.4);
        check(Price { cached_input: None, ..PRICE }, 1_000_000, 0, Some(400_000), 2.0);
        // A service that counts more of them than there are is not believed.
        check(PRICE, 1_000_000, 0, Some(9_000_000), 0.5);
    }

    #[test]
    fn what_was_put_into_a_cache_has_a_price_of_its_own_or_none() {
        let usage = TokenUsage { input: 1_000_000, output: 0, cached: Some(400_000) };
        assert_eq!(PRICE.cost(&usage, 1), None);
        let price = Price { cache_write: Some(3.0), ..PRICE };
        // 400 000 were read from it, 500 000 put into it, and 100 000 are neither.
        for (written, expected) in [(500_000, 1.9), (0, 1.4), (9_000_000, 2.0)] {
            let cost = price.cost(&usage, written).unwrap();
            assert!((cost - expected).abs() < 1e-12, "{cost} is not {expected}");
        }
    }

    #[test]
    fn a_name_wins_over_its_start_and_a_longer_start_over_a_shorter_one() {
        let price = |input| Price { input, ..PRICE };
        let list = PriceList::new(
            [("gpt-*", 1.0), ("gpt-4o*", 2.0), ("gpt-4o", 3.0), ("*x", 9.0)]
                .map(|(name, input)| (name.to_owned(), price(input))),
        );
        let of = |model| list.of(model).map(|price| price.input);
        assert_eq!(of("gpt-4o"), Some(3.0));
        assert_eq!(of("gpt-4o-mini"), Some(2.0));
        assert_eq!(of("gpt-5"), Some(1.0));
        assert_eq!(of("claude"), None);
        assert_eq!(of("ax"), None);
    }

    #[test]
    fn a_price_is_read_with_everything_that_is_wrong_with_it() {
        let read = |value| {
            let mut problems = Problems::default();
            let price = Price::read(&Node::from_json(&value), &mut problems);
            (price, problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>())
        };
        let (price, problems) = read(json!({"input": 2, "output": "8", "cachedInput": 0.5}));
        assert_eq!((price, problems), (Some(PRICE), Vec::new()));
        let (price, _) = read(json!({"input": 2, "output": 8, "cache_write": 2.5}));
        assert_eq!(price.unwrap().cache_write, Some(2.5));
        let (price, problems) = read(json!({"output": -1, "cached_input": "x", "tax": 1}));
        assert_eq!(price, None);
        assert_eq!(
            problems,
            [
                "unknown key `tax` in price",
                "price needs `input`",
                "`output` must not be negative",
                "`cached_input` must be a number, not a string",
            ]
        );
    }
}
