//! The keys of a model target that say how it is asked: deadlines, retries and prices.

use std::time::Duration;

use agentv_base::{
    Backoff, Diagnostic, Fields, Key, Node, PRICE, Price, Problems, Shape, count_of,
};

use super::retry::{NEVER_RETRIED, RetryPolicy};
use crate::provider::{
    network::CONNECT_TIMEOUT,
    waits::{Waits, seconds, span_of},
};

/// What every model target may say about sending.
pub(in crate::provider) const SENDING_KEYS: &[Key] = &[
    Key::new("timeout_seconds", Shape::Positive, "The deadline of an answer with all its tries")
        .default("`--agent-timeout`"),
    Key::new("connect_timeout_seconds", Shape::Positive, "How long a connection may take")
        .default("10"),
    Key::new("max_retries", Shape::CountLimit, "How often a request is sent again").default("3"),
    Key::new("retry_initial_delay_ms", Shape::Positive, "The wait before the second try")
        .default("1000"),
    Key::new(
        "retry_max_delay_ms",
        Shape::Positive,
        "The longest wait, up to a quarter is added to it; `Retry-After` may ask for more",
    )
    .default("60000"),
    Key::new("retry_backoff_factor", Shape::Positive, "How much longer each wait is, from 1 on")
        .default("2"),
    Key::new(
        "retry_status_codes",
        Shape::List(&Shape::Count),
        "After which statuses; never after 400, 401 and 403",
    )
    .default("`[500, 408, 429, 502, 503, 504]`"),
    Key::new("prices", Shape::Part(&PRICE), "What the model costs, in USD for a million tokens")
        .default("`.agentv/prices.yaml`, else list prices"),
    Key::new("verbose", Shape::Bool, "Whether every try is told").default("false"),
];

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sending {
    pub(super) timeout: Option<Duration>,
    pub(super) connect_timeout: Duration,
    pub(super) retry: RetryPolicy,
    pub(super) price: Option<Price>,
    pub(super) verbose: bool,
}

impl Sending {
    /// Reads the keys. Everything wrong with them is reported, and nothing is given then.
    /// Statuses in `also_retried` are added to the list that holds where the target has none.
    pub(super) fn read(
        fields: &Fields<'_>,
        also_retried: &[u16],
        problems: &mut Problems,
    ) -> Option<Self> {
        let timeout = fields.optional("timeout_seconds", problems, seconds);
        let connect_timeout = fields.optional("connect_timeout_seconds", problems, seconds);
        let retry = read_retry(fields, also_retried, problems);
        let price = match fields.get("prices") {
            Some(node) => Price::read(node, problems).map(Some),
            None => Some(None),
        };
        let verbose = fields.optional("verbose", problems, Fields::boolean);
        Some(Self {
            timeout: timeout?,
            connect_timeout: connect_timeout?.unwrap_or(CONNECT_TIMEOUT),
            retry: retry?,
            price: price?,
            verbose: verbose?.unwrap_or(false),
        })
    }
}

fn read_retry(
    fields: &Fields<'_>,
    also_retried: &[u16],
    problems: &mut Problems,
) -> Option<RetryPolicy> {
    let mut standard = RetryPolicy::default();
    standard.status_codes.extend(also_retried);
    let backoff = Backoff {
        initial: standard.initial_delay,
        most: standard.max_delay,
        factor: standard.backoff_factor,
    };
    let waits = Waits::read(fields, backoff, problems);
    let statuses = fields.optional("retry_status_codes", problems, statuses);
    let Waits { max_retries, backoff } = waits?;
    Some(RetryPolicy {
        max_retries: max_retries.unwrap_or(standard.max_retries),
        initial_delay: backoff.initial,
        max_delay: backoff.most,
        backoff_factor: backoff.factor,
        status_codes: statuses?.unwrap_or(standard.status_codes),
    })
}

fn statuses(fields: &Fields<'_>, name: &str, problems: &mut Problems) -> Option<Vec<u16>> {
    let items = fields.list(name, problems)?;
    if items.is_empty() {
        problems.push(
            Diagnostic::error(format!("`{name}` is empty"))
                .at(span_of(fields, name))
                .hint("write `max_retries: 0` to try nothing again"),
        );
        return None;
    }
    let statuses: Vec<Option<u16>> =
        items.iter().map(|item| status(name, item, problems)).collect();
    statuses.into_iter().collect()
}

fn status(name: &str, node: &Node, problems: &mut Problems) -> Option<u16> {
    let status = count_of(name, node, problems)?;
    let known = u16::try_from(status).ok().filter(|status| (100..600).contains(status));
    let Some(known) = known else {
        problems.error(node.span, format!("{status} is no status: they go from 100 to 599"));
        return None;
    };
    if (200..300).contains(&known) {
        problems.error(node.span, format!("{known} is a success, which is not tried again"));
        return None;
    }
    if NEVER_RETRIED.contains(&known) {
        problems.push(
            Diagnostic::warning(format!("{known} is never tried again"))
                .at(node.span)
                .hint("it means the same however often one asks; remove it from the list"),
        );
    }
    Some(known)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(settings: &Value) -> (Option<Sending>, Vec<String>) {
        let mut problems = Problems::default();
        let node = Node::from_json(settings);
        let fields = Fields::read(&node, "target", &[SENDING_KEYS], &mut problems).unwrap();
        let sending = Sending::read(&fields, &[529], &mut problems);
        (sending, problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn without_keys_the_defaults_of_the_table_hold() {
        let (sending, problems) = check(&json!({}));
        assert_eq!(problems, [""; 0]);
        let sending = sending.unwrap();
        assert_eq!(sending.connect_timeout, Duration::from_secs(10));
        assert_eq!((sending.timeout, sending.price, sending.verbose), (None, None, false));
        let told = |name: &str| SENDING_KEYS.iter().find(|key| key.name == name).unwrap().default;
        assert_eq!(told("retry_status_codes"), Some("`[500, 408, 429, 502, 503, 504]`"));
        let status_codes = vec![500, 408, 429, 502, 503, 504, 529];
        assert_eq!(sending.retry, RetryPolicy { status_codes, ..RetryPolicy::default() });
        assert_eq!(RetryPolicy::default().status_codes, [500, 408, 429, 502, 503, 504]);
    }

    #[test]
    fn every_key_is_read() {
        let (sending, problems) = check(&json!({
            "timeout_seconds": 5, "connect_timeout_seconds": "0.5", "max_retries": 0,
            "retryInitialDelayMs": 10, "retry_max_delay_ms": 20, "retry_backoff_factor": 1,
            "retry_status_codes": [418, "529"], "prices": {"input": 1, "output": 2},
            "verbose": true,
        }));
        assert_eq!(problems, [""; 0]);
        let expected = Sending {
            timeout: Some(Duration::from_secs(5)),
            connect_timeout: Duration::from_millis(500),
            retry: RetryPolicy {
                max_retries: 0,
                initial_delay: Duration::from_millis(10),
                max_delay: Duration::from_millis(20),
                backoff_factor: 1.0,
                status_codes: vec![418, 529],
            },
            price: Some(Price { input: 1.0, output: 2.0, cached_input: None, cache_write: None }),
            verbose: true,
        };
        assert_eq!(sending, Some(expected));
    }

    #[test]
    fn one_of_two_delays_moves_the_other_out_of_its_way() {
        let delays = |settings| {
            let retry = check(&settings).0.unwrap().retry;
            (retry.initial_delay.as_millis(), retry.max_delay.as_millis())
        };
        assert_eq!(delays(json!({"retry_max_delay_ms": 50})), (50, 50));
        assert_eq!(delays(json!({"retry_initial_delay_ms": 90_000})), (90_000, 90_000));
    }

    #[test]
    fn every_mistake_is_told() {
        let (sending, problems) = check(&json!({
            "timeout_seconds": 0, "connect_timeout_seconds": 1e300, "max_retries": -1,
            "retry_initial_delay_ms": 20, "retry_max_delay_ms": "x", "retry_backoff_factor": 0.5,
            "retry_status_codes": [99, 600, 200, 401, "y"], "prices": {"input": 1},
            "verbose": "perhaps",
        }));
        assert_eq!(sending, None);
        assert_eq!(
            problems,
            [
                "`timeout_seconds` must be greater than 0",
                "`connect_timeout_seconds` is longer than anybody can wait",
                "`max_retries` must be a whole number of at least 0",
                "`retry_max_delay_ms` must be a number, not a string",
                "`retry_backoff_factor` must be at least 1",
                "99 is no status: they go from 100 to 599",
                "600 is no status: they go from 100 to 599",
                "200 is a success, which is not tried again",
                "401 is never tried again",
                "`retry_status_codes` must be a whole number of at least 1, not a string",
                "price needs `output`",
                "`verbose` must be true or false, not a string",
            ]
        );
        let (_, problems) = check(&json!({"retry_status_codes": []}));
        assert_eq!(problems, ["`retry_status_codes` is empty"]);
        let delays = json!({"retry_initial_delay_ms": 20, "retry_max_delay_ms": 10});
        let (_, problems) = check(&delays);
        assert_eq!(problems, ["`retry_max_delay_ms` is less than `retry_initial_delay_ms`"]);
    }
}
