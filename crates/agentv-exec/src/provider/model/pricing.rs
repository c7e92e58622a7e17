//! What an answer of a target cost: by the prices of the target, else of the project, else by the
//! list prices of the service, where it was asked at its own address.

use std::sync::{Arc, LazyLock};

use agentv_base::{Price, PriceList, TokenUsage};
use serde::Deserialize;

/// Where the prices of a target come from.
pub(super) struct Pricing {
    /// The target's own.
    pub(super) own: Option<Price>,
    /// The project's.
    pub(super) project: Arc<PriceList>,
    /// Whether list prices hold: a gateway or a server of one's own charges what it wants.
    pub(super) by_list: bool,
}

/// List prices, as services published them on that day. Whoever pays others sets `prices`.
const LIST: &str = include_str!("list_prices.json");

#[derive(Deserialize)]
struct List {
    models: Vec<Listed>,
}

/// Models of one price.
#[derive(Deserialize)]
struct Listed {
    names: Vec<String>,
    input: f64,
    output: f64,
    cached_input: Option<f64>,
    /// The price holds for no more input than this.
    up_to_input_tokens: Option<u64>,
}

impl Pricing {
    /// What an answer cost in USD; nothing where nobody knows. A model is looked up as it was asked
    /// for, then as the service calls it. `written` of the input were put into a cache.
    pub(super) fn cost(&self, names: &[&str], usage: &TokenUsage, written: u64) -> Option<f64> {
        let project = || names.iter().find_map(|name| self.project.of(name));
        let price = self.own.or_else(project).or_else(|| {
            Some(names).filter(|_| self.by_list).and_then(|names| list_price(names, usage))
        });
        price.and_then(|price| price.cost(usage, written))
    }
}

fn list_price(names: &[&str], usage: &TokenUsage) -> Option<Price> {
    static READ: LazyLock<Option<List>> = LazyLock::new(|| {
        // A test reads it, so it can be read.
        serde_json::from_str(LIST).ok()
    });
    let list = READ.as_ref()?;
    let listed = |name: &&str| list.models.iter().find(|it| it.names.iter().any(|n| n == *name));
    let listed = names.iter().find_map(listed)?;
    let &Listed { input, output, cached_input, up_to_input_tokens: most, .. } = listed;
    let fits = most.is_none_or(|most| usage.input <= most);
    // What input from a cache costs is guessed no more than anything else.
    let cached = cached_input.is_some() || usage.cached.is_none_or(|cached| cached == 0);
    (fits && cached).then_some(Price { input, output, cached_input, cache_write: None })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const MILLION: TokenUsage = TokenUsage { input: 1_000_000, output: 0, cached: None };

    fn check(own: Option<f64>, project: Option<f64>, by_list: bool, names: &[&str]) -> Option<f64> {
        let price = |input| Price { input, output: 0.0, cached_input: None, cache_write: None };
        let project = project.map(|input| ("gpt-4o".to_owned(), price(input)));
        let project = Arc::new(PriceList::new(project));
        Pricing { own: own.map(price), project, by_list }.cost(names, &MILLION, 0)
    }

    #[test]
    fn the_nearest_price_holds() {
        assert_eq!(check(Some(7.0), Some(8.0), true, &["gpt-4o"]), Some(7.0));
        assert_eq!(check(None, Some(8.0), true, &["gpt-4o"]), Some(8.0));
        assert_eq!(check(None, None, true, &["gpt-4o"]), Some(2.5));
    }

    #[test]
    fn a_model_without_a_price_has_no_cost() {
        assert_eq!(check(None, None, false, &["gpt-4o"]), None);
        assert_eq!(check(None, Some(8.0), false, &["gpt-9"]), None);
        assert_eq!(check(None, None, true, &["gpt-9"]), None);
    }

    #[test]
    fn a_model_is_looked_up_as_it_was_asked_for_then_as_the_service_calls_it() {
        assert_eq!(check(None, None, true, &["my-alias", "gpt-4o-2024-08-06"]), Some(2.5));
        assert_eq!(check(None, None, true, &["gpt-4o-mini", "gpt-4o"]), Some(0.15));
    }

    #[test]
    fn a_list_price_holds_for_the_input_that_it_is_for() {
        let pricing = Pricing { own: None, project: Arc::default(), by_list: true };
        let usage = |input| TokenUsage { input, output: 0, cached: None };
        assert!(pricing.cost(&["gemini-2.5-pro"], &usage(200_000), 0).is_some());
        assert_eq!(pricing.cost(&["gemini-2.5-pro"], &usage(200_001), 0), None);
        let cached = |cached| TokenUsage { cached, ..usage(10) };
        assert!(pricing.cost(&["gpt-4o-2024-05-13"], &cached(Some(0)), 0).is_some());
        assert_eq!(pricing.cost(&["gpt-4o-2024-05-13"], &cached(Some(1)), 0), None);
    }

    #[test]
    fn list_prices_do_not_say_what_it_costs_to_put_something_into_a_cache() {
        let pricing = Pricing { own: None, project: Arc::default(), by_list: true };
        assert!(pricing.cost(&["claude-haiku-4-5"], &MILLION, 0).is_some());
        assert_eq!(pricing.cost(&["claude-haiku-4-5"], &MILLION, 1), None);
    }

    #[test]
    fn the_list_has_every_model_once_and_no_price_that_cannot_be() {
        let list: List = serde_json::from_str(LIST).unwrap();
        let mut seen = HashSet::new();
        for listed in &list.models {
            assert!(!listed.names.is_empty());
            let Listed { names, input, output, cached_input, .. } = listed;
            assert!(names.iter().all(|name| seen.insert(name)), "{names:?}");
            assert!(*input > 0.0 && output > input, "{names:?}");
            assert!(cached_input.is_none_or(|cached| cached > 0.0 && cached < *input), "{names:?}");
        }
        assert!(seen.len() > 30);
    }
}
