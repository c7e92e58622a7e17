//! What two runs do not have in common besides their answers, as far as they say: a comparison of
//! different graders is no comparison.

use std::collections::BTreeMap;

use agentv_base::excerpt;
use serde::Serialize;
use serde_json::Value;

use crate::{
    record::{RunManifest, RunTarget},
    style::counted,
};

/// Things of a kind that are named.
const MOST_NAMED: usize = 5;

/// A thing that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Condition {
    /// Whether it can change scores although no answer changed.
    #[serde(rename = "affectsGrading")]
    pub(super) affects_grading: bool,
    pub(super) text: String,
}

impl Condition {
    pub(super) fn of(first: &RunManifest, second: &RunManifest) -> Vec<Self> {
        let mut found = Vec::new();
        let suites = |run: &RunManifest| -> BTreeMap<String, String> {
            run.suites.iter().map(|it| (it.path.clone(), it.sha256.clone())).collect()
        };
        let changed = differing(&suites(first), &suites(second));
        if !changed.is_empty() {
            let verb = if changed.len() == 1 { "suite changed" } else { "suites changed" };
            found.push(Self::grading(format!(
                "{verb}: {}; cases or graders may not be what they were",
                listed(&changed)
            )));
        }
        let (judges, judges_now) = (hashes(&first.judges), hashes(&second.judges));
        let mut changed = differing(&judges, &judges_now);
        changed.extend(judges.keys().filter(|it| !judges_now.contains_key(*it)).cloned());
        changed.extend(judges_now.keys().filter(|it| !judges.contains_key(*it)).cloned());
        if !changed.is_empty() {
            found.push(Self::grading(format!("the judges are not the same: {}", listed(&changed))));
        }
        let threshold = |run: &RunManifest| run.options.get("threshold").cloned();
        let (was, is) = (threshold(first), threshold(second));
        if was.as_ref().unwrap_or(&Value::Null) != is.as_ref().unwrap_or(&Value::Null) {
            let told = |value: Option<Value>| match value {
                None | Some(Value::Null) => "not given".to_owned(),
                Some(value) => excerpt(&value.to_string(), 40),
            };
            found.push(Self::grading(format!("--threshold: {} and {}", told(was), told(is))));
        }
        if is_dry(first) != is_dry(second) {
            found.push(Self::grading("one of the runs is a dry run: its answers are made up"));
        }
        found.extend(Self::of_answering(first, second));
        found
    }

    /// What answers depend on: mostly what the comparison is about.
    fn of_answering(first: &RunManifest, second: &RunManifest) -> Vec<Self> {
        let mut found = Vec::new();
        let changed = differing(&hashes(&first.targets), &hashes(&second.targets));
        if !changed.is_empty() {
            found.push(Self::aside(format!("target settings changed: {}", listed(&changed))));
        }
        let files = |run: &RunManifest| -> BTreeMap<String, String> {
            run.files.iter().map(|it| (it.path.clone(), it.sha256.clone())).collect()
        };
        let changed = differing(&files(first), &files(second));
        if !changed.is_empty() {
            let text = format!(
                "files that targets or graders name changed: {}; where a grader is among them, it \
                 is not the same",
                listed(&changed)
            );
            found.push(Self::aside(text));
        }
        if first.agentv_version != second.agentv_version {
            found.push(Self::aside(format!(
                "AgentV {} and {}",
                excerpt(&first.agentv_version, 40),
                excerpt(&second.agentv_version, 40)
            )));
        }
        found
    }

    /// Of pairs whose rows were graded by different thresholds.
    pub(super) fn of_thresholds(pairs: usize) -> Option<Self> {
        (pairs > 0).then(|| {
            let pairs = counted(pairs, "pair has", "pairs have");
            Self::grading(format!(
                "{pairs} another threshold in each run: a case can pass in one and fail in the \
                 other with the same score"
            ))
        })
    }

    fn grading(text: impl Into<String>) -> Self {
        Self { affects_grading: true, text: text.into() }
    }

    fn aside(text: impl Into<String>) -> Self {
        Self { affects_grading: false, text: text.into() }
    }
}

fn is_dry(run: &RunManifest) -> bool {
    run.options.get("dry_run").and_then(Value::as_bool).unwrap_or(false)
}

/// By name; a run of an early version has no hash, and its definition says as much.
fn hashes(targets: &[RunTarget]) -> BTreeMap<String, String> {
    let hash = |target: &RunTarget| {
        if target.sha256.is_empty() { target.definition.to_string() } else { target.sha256.clone() }
    };
    targets.iter().map(|target| (target.name.clone(), hash(target))).collect()
}

/// The names that both have with another content.
fn differing(first: &BTreeMap<String, String>, second: &BTreeMap<String, String>) -> Vec<String> {
    let changed =
        first.iter().filter(|(name, hash)| second.get(*name).is_some_and(|other| other != *hash));
    changed.map(|(name, _)| name.clone()).collect()
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(MOST_NAMED).map(|name| format!("`{}`", excerpt(name, 120))).collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample;

    fn check(change: impl FnOnce(&mut RunManifest)) -> Vec<(bool, String)> {
        let before = sample::manifest();
        let mut now = before.clone();
        change(&mut now);
        let found = Condition::of(&before, &now);
        found.into_iter().map(|it| (it.affects_grading, it.text)).collect()
    }

    #[test]
    fn the_same_run_differs_in_nothing() {
        assert_eq!(check(|_| {}), []);
    }

    #[test]
    fn another_content_of_a_suite_can_be_another_grader() {
        let found = check(|run| run.suites.iter_mut().for_each(|it| it.sha256.push('0')));
        assert!(matches!(found.as_slice(), [(true, text)] if text.contains("suite changed")));
    }

    #[test]
    fn a_judge_that_only_one_run_has_is_told() {
        let found = check(|run| {
            let mut judge = run.targets[0].clone();
            judge.name = "strict".to_owned();
            run.judges.push(judge);
        });
        assert_eq!(found, [(true, "the judges are not the same: `strict`".to_owned())]);
    }

    #[test]
    fn another_threshold_is_told_and_another_target_is_only_an_aside() {
        let found = check(|run| {
            run.options.insert("threshold".to_owned(), 0.9.into());
            run.targets.iter_mut().for_each(|it| it.sha256.push('0'));
        });
        assert_eq!(found[0].1, "--threshold: 0.8 and 0.9");
        assert!(!found[1].0, "{found:?}");
    }
}
