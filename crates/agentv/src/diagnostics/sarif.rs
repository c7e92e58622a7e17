//! Problems as SARIF 2.1.0, the format of code scanning services.
//!
//! Such services refuse a result without a location. A problem that no file has the place of, as a
//! path that does not exist, is about how the tool was called, and SARIF has a list for those: the
//! notifications of the invocation.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Component, Path},
};

use agentv_base::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::{
    Report, codes,
    place::{Place, Places},
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub(super) fn render(report: &Report<'_>) -> String {
    let mut places = Places::new(report.sources);
    let (mut results, mut notifications) = (Vec::new(), Vec::new());
    let (mut result_codes, mut notification_codes) = (BTreeSet::new(), BTreeSet::new());
    for problem in report.problems.iter() {
        if let Some(place) = places.of(problem) {
            result_codes.insert(problem.code);
            results.push(result(problem, &place, report, &mut places));
        } else {
            notification_codes.insert(problem.code);
            notifications.push(json!({
                "descriptor": { "id": problem.code },
                "level": level(problem),
                "message": { "text": message(problem) },
            }));
        }
    }
    let successful = !notifications.iter().any(|notification| notification["level"] == "error");
    let told = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "agentv",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": descriptors(&result_codes),
                "notifications": descriptors(&notification_codes),
            }},
            "invocations": [{
                "executionSuccessful": successful,
                "toolConfigurationNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{told:#}\n")
}

fn result(
    problem: &Diagnostic,
    place: &Place<'_>,
    report: &Report<'_>,
    places: &mut Places<'_>,
) -> Value {
    let mut location = json!({ "physicalLocation": physical(place, report) });
    if let Some(label) = &problem.label {
        location["message"] = json!({ "text": label });
    }
    let mut result = json!({
        "ruleId": problem.code,
        "level": level(problem),
        "message": { "text": message(problem) },
        "locations": [location],
    });
    let related: Vec<Value> = problem
        .notes
        .iter()
        .filter_map(|note| Some((note, places.of_note(note)?)))
        .map(|(note, place)| {
            json!({
                "physicalLocation": physical(&place, report),
                "message": { "text": note.text },
            })
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    result
}

fn level(problem: &Diagnostic) -> &'static str {
    match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// With the hint: SARIF's own room for a way out is for edits that a machine can make.
fn message(problem: &Diagnostic) -> String {
    let hint = problem.hint.as_ref().map(|hint| format!("\nhelp: {hint}")).unwrap_or_default();
    format!("{}{hint}", problem.message)
}

fn descriptors(codes: &BTreeSet<&'static str>) -> Vec<Value> {
    let described = codes.iter().map(|code| match codes::explained(code) {
        Some(row) => json!({
            "id": code,
            "shortDescription": { "text": row.meaning },
            "help": { "text": row.remedy },
        }),
        None => json!({ "id": code }),
    });
    described.collect()
}

fn physical(place: &Place<'_>, report: &Report<'_>) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&report.in_repository(place.path)) },
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        },
    })
}

/// A relative path as a relative reference, an absolute one as a `file` URI. Bytes that a URI
/// cannot hold are escaped one by one, whether they are text or not.
fn uri(path: &Path) -> String {
    let mut uri = String::from(if path.is_absolute() { "file:///" } else { "" });
    let parts = path.components().filter(|part| !matches!(part, Component::RootDir));
    for (position, part) in parts.enumerate() {
        if position > 0 {
            uri.push('/');
        }
        for byte in part.as_os_str().as_encoded_bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
                uri.push(char::from(*byte));
            } else {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_that_means_it() {
        assert_eq!(uri(Path::new("evals/a b/100%.yaml")), "evals/a%20b/100%25.yaml");
        assert_eq!(uri(Path::new("ä:#?.yaml")), "%C3%A4%3A%23%3F.yaml");
        assert_eq!(uri(Path::new("/srv/a.yaml")), "file:///srv/a.yaml");
    }
}
