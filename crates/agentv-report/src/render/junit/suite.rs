//! One `testsuite`: the cases of a suite file that one target was asked.

use std::{collections::HashMap, fmt::Write as _};

use agentv_base::excerpt;

use super::{
    super::reason::case_name,
    case::seconds,
    xml::{attribute, text},
};
use crate::record::{Row, RunManifest, Status, Timestamp};

/// Bytes of a suite's output: enough to look something up, too little to fill a server.
const MOST_OUTPUT: usize = 64 * 1024;

/// Characters of an answer in it.
const LONGEST_ANSWER: usize = 500;

/// In the order in which they came.
#[derive(Default)]
pub(super) struct Suites {
    all: Vec<TestSuite>,
    places: HashMap<(String, String), usize>,
}

impl Suites {
    /// The one of a suite file and a target. Rows of other tools name only a dataset.
    pub(super) fn of(&mut self, file: &str, dataset: &str, target: &str) -> &mut TestSuite {
        let file = [file, dataset, "results"].into_iter().find(|name| !name.trim().is_empty());
        let file = file.unwrap_or("results");
        let place = match self.places.get(&(file.to_owned(), target.to_owned())) {
            Some(place) => *place,
            None => {
                self.places.insert((file.to_owned(), target.to_owned()), self.all.len());
                self.all.push(TestSuite::new(file, target));
                self.all.len() - 1
            }
        };
        // Invariant: every place is one of `all`, which is therefore not empty.
        &mut self.all[place]
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &TestSuite> {
        self.all.iter()
    }
}

pub(super) struct TestSuite {
    file: String,
    target: String,
    /// What its cases name as their class.
    pub(super) class: String,
    /// Where its cases stand in the spool: from, and how many bytes.
    pub(super) pieces: Vec<(u64, u64)>,
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
    milliseconds: f64,
    begun: Option<Timestamp>,
    output: String,
    /// Cases that the output has no room for.
    untold: u64,
}

impl TestSuite {
    fn new(file: &str, target: &str) -> Self {
        Self {
            file: file.to_owned(),
            target: target.to_owned(),
            class: class_of(file, target),
            pieces: Vec::new(),
            tests: 0,
            failures: 0,
            errors: 0,
            skipped: 0,
            milliseconds: 0.0,
            begun: None,
            output: String::new(),
            untold: 0,
        }
    }

    pub(super) fn count(&mut self, row: &Row<'_>) {
        self.tests += 1;
        match row.status {
            Status::Passed => {}
            Status::Failed => self.failures += 1,
            Status::Error => self.errors += 1,
        }
        self.milliseconds += row.duration_ms.filter(|it| it.is_finite()).unwrap_or(0.0);
        let earlier = self.begun.is_none_or(|begun| row.timestamp < begun);
        if earlier {
            self.begun = Some(row.timestamp);
        }
        if self.output.len() < MOST_OUTPUT {
            self.tell(row);
        } else {
            self.untold += 1;
        }
    }

    pub(super) fn skip(&mut self) {
        self.tests += 1;
        self.skipped += 1;
    }

    /// `[passed 1.00] id: answer`
    fn tell(&mut self, row: &Row<'_>) {
        let ended = match row.status {
            Status::Passed => "passed",
            Status::Failed => "failed",
            Status::Error => "error",
        };
        let score = row.score.map_or_else(String::new, |score| format!(" {score:.2}"));
        let name = excerpt(&case_name(&row.eval_id, row.repeat), LONGEST_ANSWER);
        let answer = row
            .candidate_answer
            .as_deref()
            .map_or_else(String::new, |answer| format!(": {}", excerpt(answer, LONGEST_ANSWER)));
        let _ = writeln!(self.output, "[{ended}{score}] {name}{answer}");
    }

    /// The tag and the properties.
    pub(super) fn start(&self, id: usize, run: Option<&RunManifest>) -> String {
        let mut tag = String::from("<testsuite");
        let name = match self.target.as_str() {
            "" => self.file.clone(),
            target => format!("{} ({target})", self.file),
        };
        let begun = self.begun.or(run.map(|run| run.started_at));
        // To the second and without a zone, which is UTC: one of the schemas takes no other.
        let begun: String = begun.map_or_else(
            || "1970-01-01T00:00:00".to_owned(),
            |begun| begun.to_string().chars().take("2025-01-31T23:59:59".len()).collect(),
        );
        attribute(&mut tag, "name", &name);
        attribute(&mut tag, "package", &self.file);
        let _ = write!(tag, " id=\"{id}\" timestamp=\"{begun}\" hostname=\"localhost\"");
        let Self { tests, failures, errors, .. } = self;
        let _ = write!(
            tag,
            " tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{}\"",
            seconds(self.milliseconds)
        );
        // Early versions of one of the schemas do not know it.
        if self.skipped > 0 {
            let _ = write!(tag, " skipped=\"{}\"", self.skipped);
        }
        tag.push_str(">\n<properties>");
        property(&mut tag, "suite", &self.file);
        property(&mut tag, "target", &self.target);
        if let Some(run) = run {
            property(&mut tag, "run_id", &run.run_id);
            property(&mut tag, "agentv_version", &run.agentv_version);
        }
        tag.push_str("</properties>\n");
        tag
    }

    /// The output, and the closing tag.
    pub(super) fn end(&self) -> String {
        let mut end = String::from("<system-out>");
        text(&mut end, &self.output);
        if self.untold > 0 {
            let _ = writeln!(end, "… and {} more", self.untold);
        }
        end.push_str("</system-out>\n<system-err></system-err>\n</testsuite>\n");
        end
    }
}

fn property(to: &mut String, name: &str, value: &str) {
    to.push_str("<property");
    attribute(to, "name", name);
    attribute(to, "value", value);
    to.push_str("/>");
}

/// `evals/math.yaml` and `gpt` become `evals.math.gpt`: readers take what stands before the last
/// dot for a package, and tell cases apart by class and name.
fn class_of(file: &str, target: &str) -> String {
    let stem = match file.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !ending.contains('/') => stem,
        _ => file,
    };
    let parts = stem.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let parts = parts.chain((!target.is_empty()).then_some(target));
    parts.map(|part| part.replace('.', "_")).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_the_path_and_the_target_in_dots() {
        assert_eq!(class_of("evals/math.yaml", "gpt-4.1"), "evals.math.gpt-4_1");
        assert_eq!(class_of("../a.b/c", ""), "a_b.c");
        assert_eq!(class_of("results", "t"), "results.t");
    }
}
