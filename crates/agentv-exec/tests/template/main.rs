//! Proof on real shells that no value of a command template is ever run, and that every value
//! arrives as it is. `AGENTV_TEMPLATE_CASES` sets the number of cases, for a long search.

#![expect(clippy::unwrap_used, reason = "a sandbox that cannot be made is a failed test")]

mod fidelity;
mod hostile;
mod random;
mod sandbox;

use proptest::test_runner::Config;

/// The settings of a property, with `usual` cases unless the environment says otherwise.
fn cases(usual: u32) -> Config {
    let asked = std::env::var("AGENTV_TEMPLATE_CASES").ok();
    Config {
        cases: asked.and_then(|text| text.parse().ok()).unwrap_or(usual),
        failure_persistence: None,
        ..Config::default()
    }
}
