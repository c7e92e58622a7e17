//! What two descriptions of a run do not have in common, by name.

use std::collections::BTreeMap;

use agentv_base::excerpt;
use serde_json::Value;

use super::manifest::{RunManifest, RunTarget};

/// Options that change how a run is made, not what its rows mean.
const INCIDENTAL: &[&str] = &[
    "workers",
    "agent_timeout",
    "max_retries",
    "budget_usd",
    "budget_tokens",
    "deadline",
    "fail_fast",
    "no_fail",
    "record",
    "cache",
];

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// The same run before and now.
    Times,
    /// Parts of one plan: each has looked only at the files and judges of its own cases.
    Parts,
}

impl Between {
    /// Of parts none is older than the other.
    fn changed(self) -> &'static str {
        match self {
            Self::Times => "changed",
            Self::Parts => "differs",
        }
    }
}

/// Everything that keeps the rows of two manifests from adding up, in words that go on after
/// "since then:": nothing where they describe the same.
pub fn differences(before: &RunManifest, now: &RunManifest, between: Between) -> Vec<String> {
    let mut found = Vec::new();
    let suites = |manifest: &RunManifest| -> BTreeMap<String, String> {
        manifest.suites.iter().map(|it| (it.path.clone(), it.sha256.clone())).collect()
    };
    compare(("suite", between), &suites(before), &suites(now), &mut found);
    compare(("target", between), &targets(&before.targets), &targets(&now.targets), &mut found);
    let (mut judges, mut judges_now) = (targets(&before.judges), targets(&now.judges));
    let files = |manifest: &RunManifest| -> BTreeMap<String, String> {
        manifest.files.iter().map(|it| (it.path.clone(), it.sha256.clone())).collect()
    };
    let (mut files, mut files_now) = (files(before), files(now));
    if between == Between::Parts {
        keep_common(&mut judges, &mut judges_now);
        keep_common(&mut files, &mut files_now);
    }
    compare(("judge", between), &judges, &judges_now, &mut found);
    compare(("file", between), &files, &files_now, &mut found);
    found.extend(differing_options(before, now, between));
    // What was named already is reason enough why the plan is another.
    let plan = |manifest: &RunManifest| manifest.plan.as_ref().map(|plan| plan.sha256.clone());
    if found.is_empty() && plan(before) != plan(now) {
        let words = between.changed();
        found.push(format!("the plan {words}: other cases, targets or repeats"));
    }
    found
}

/// The options that differ and change what rows mean.
pub fn differing_options(before: &RunManifest, now: &RunManifest, between: Between) -> Vec<String> {
    let options = |manifest: &RunManifest| -> BTreeMap<String, String> {
        let kept = manifest.options.iter().filter(|(name, _)| !INCIDENTAL.contains(&name.as_str()));
        let mut options: BTreeMap<String, String> =
            kept.map(|(name, value)| (flag(name), option_text(value))).collect();
        if let Some(shard) = manifest.shard.filter(|_| between == Between::Times) {
            options.insert("--shard".to_owned(), format!("{}/{}", shard.index, shard.count));
        }
        options
    };
    let mut found = Vec::new();
    compare_options(between, &options(before), &options(now), &mut found);
    found
}

/// By name; targets of one name in several files are told apart by their order.
fn targets(targets: &[RunTarget]) -> BTreeMap<String, String> {
    let mut named = BTreeMap::new();
    for target in targets {
        let mut name = target.name.clone();
        while named.contains_key(&name) {
            name.push('\'');
        }
        // A run of an early version has no hash: its definition says as much.
        let hash = if target.sha256.is_empty() {
            target.definition.to_string()
        } else {
            target.sha256.clone()
        };
        named.insert(name, hash);
    }
    named
}

fn keep_common(one: &mut BTreeMap<String, String>, other: &mut BTreeMap<String, String>) {
    one.retain(|name, _| other.contains_key(name));
    other.retain(|name, _| one.contains_key(name));
}

fn compare(
    (what, between): (&str, Between),
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    found: &mut Vec<String>,
) {
    for (name, hash) in before {
        let shown = excerpt(name, 200);
        match now.get(name) {
            Some(same) if same == hash => {}
            Some(_) => found.push(format!("{what} `{shown}` {}", between.changed())),
            None => found.push(match between {
                Between::Times => format!("{what} `{shown}` is gone"),
                Between::Parts => format!("only the first has {what} `{shown}`"),
            }),
        }
    }
    for name in now.keys().filter(|name| !before.contains_key(*name)) {
        let shown = excerpt(name, 200);
        found.push(match between {
            Between::Times => format!("{what} `{shown}` is new"),
            Between::Parts => format!("only the second has {what} `{shown}`"),
        });
    }
}

fn compare_options(
    between: Between,
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    found: &mut Vec<String>,
) {
    let unset = option_text(&Value::Null);
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (was, is) = (before.get(name).unwrap_or(&unset), now.get(name).unwrap_or(&unset));
        if was != is {
            let (was, is) = (excerpt(was, 200), excerpt(is, 200));
            found.push(match between {
                Between::Times => format!("{name} was {was} and is {is}"),
                Between::Parts => format!("{name} differs: {was} and {is}"),
            });
        }
    }
}

fn flag(option: &str) -> String {
    let name = match option {
        "eval_ids" => "eval-id".to_owned(),
        "targets" => "target".to_owned(),
        "tags" => "tag".to_owned(),
        "targets_file" => "targets".to_owned(),
        other => other.replace('_', "-"),
    };
    format!("--{name}")
}

/// What is absent, empty and off is the same.
fn option_text(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => "not given".to_owned(),
        Value::Array(items) if items.is_empty() => "not given".to_owned(),
        Value::Bool(true) => "given".to_owned(),
        other @ (Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_)) => {
            other.to_string()
        }
    }
}

#[cfg(test)]
mod tests;
