//! Rows as data inside a page: JSON that can neither be executed nor end the element it stands in.

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, Write},
};

use agentv_base::excerpt;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    super::{RenderFault, RowSource},
    run_facts::{Kept, again_data},
};
use crate::record::{Row, RunManifest, Status};

/// Rows are spread over elements of about this size: a browser makes a text of the element when one
/// of its cases is opened, and no text can be longer than half a gigabyte.
const ELEMENT_BYTES: usize = 4 << 20;

/// Characters of a question or a reason that a line of the list has room for.
const EXCERPT: usize = 140;

/// Failed cases that are told where there is no JavaScript.
const MOST_FAILURES: usize = 200;

/// What the list of cases is made of, and what was met while it was written.
#[derive(Default)]
pub(super) struct Index {
    names: BTreeMap<&'static str, Names>,
    kept: Kept,
    pub(super) failures: Failures,
}

/// The first failed cases, and how many there are.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) told: Vec<Failure>,
    pub(super) count: usize,
}

pub(super) struct Failure {
    pub(super) id: String,
    pub(super) target: String,
    pub(super) score: Option<f64>,
    pub(super) reason: String,
}

/// Names by the order in which they came.
#[derive(Default)]
struct Names {
    places: HashMap<String, usize>,
    all: Vec<String>,
}

impl Names {
    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.places.insert(name.to_owned(), self.all.len());
        self.all.push(name.to_owned());
        self.all.len() - 1
    }
}

impl Index {
    /// One array a row, in the order of the rows; then the names that they point at, with what
    /// holds for all of them.
    pub(super) fn write(
        &mut self,
        rows: Box<RowSource<'_>>,
        run: Option<&RunManifest>,
        out: &mut dyn Write,
    ) -> Result<(), RenderFault> {
        out.write_all(b"<script type=\"application/json\" id=\"index\">[")?;
        for (place, row) in rows.enumerate() {
            let row = row?;
            out.write_all(if place == 0 { b"\n" } else { b",\n" })?;
            write_inert(&self.line(&row), out)?;
            self.note_failure(&row);
            self.kept.add(&row);
        }
        out.write_all(b"\n]</script>\n<script type=\"application/json\" id=\"names\">")?;
        let names = self.names.iter().map(|(kind, names)| (*kind, json!(names.all)));
        let about = [("kept", self.kept.data(run)), ("again", again_data(run))];
        let told: BTreeMap<&str, Value> = names.chain(about).collect();
        write_inert(&json!(told), out)?;
        out.write_all(b"</script>\n")?;
        Ok(())
    }

    fn place(&mut self, kind: &'static str, name: &str) -> usize {
        self.names.entry(kind).or_default().place(name)
    }

    /// The script knows the order of these: `load.js`.
    fn line<'r>(&mut self, row: &'r Row<'_>) -> impl Serialize + use<'r> {
        let suite = if row.suite.is_empty() { &row.dataset } else { &row.suite };
        let tags: Vec<usize> = row.tags.iter().map(|tag| self.place("tags", tag)).collect();
        (
            &*row.eval_id,
            self.place("suites", suite),
            self.place("targets", &row.target),
            row.repeat,
            match row.status {
                Status::Passed => 0,
                Status::Failed => 1,
                Status::Error => 2,
            },
            row.score.map(rounded),
            tags,
            row.duration_ms.filter(|it| it.is_finite()).map(f64::round),
            row.cost_usd.filter(|it| it.is_finite()),
            excerpt(reason(row), EXCERPT),
        )
    }

    fn note_failure(&mut self, row: &Row<'_>) {
        if row.status == Status::Passed {
            return;
        }
        self.failures.count += 1;
        if self.failures.told.len() < MOST_FAILURES {
            self.failures.told.push(Failure {
                id: row.eval_id.to_string(),
                target: row.target.to_string(),
                score: row.score,
                reason: excerpt(reason(row), EXCERPT * 2),
            });
        }
    }
}

/// More digits than are ever shown, fewer than a sum of tenths has.
fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

/// What says most about a row in a line: why it is not good, or what was asked.
fn reason<'r>(row: &'r Row<'_>) -> &'r str {
    let text = match row.status {
        Status::Error => row.error.as_deref(),
        Status::Failed => row.misses.first().map(AsRef::as_ref).or(row.reasoning.as_deref()),
        Status::Passed => None,
    };
    text.or(row.question.as_deref()).unwrap_or_default()
}

/// Every row, whole, one a line.
pub(super) fn write_rows(rows: Box<RowSource<'_>>, out: &mut dyn Write) -> Result<(), RenderFault> {
    // The size of the element that is open, where one is.
    let mut size: Option<usize> = None;
    for (place, row) in rows.enumerate() {
        let line = serde_json::to_vec(&row?).map_err(io::Error::from)?;
        if size.is_some_and(|size| size + line.len() > ELEMENT_BYTES) {
            out.write_all(b"</script>\n")?;
            size = None;
        }
        if size.is_none() {
            let open = "<script type=\"application/jsonl\" class=\"rows\" data-first=";
            write!(out, "{open}\"{place}\">")?;
        }
        write_escaped(&line, out)?;
        out.write_all(b"\n")?;
        size = Some(size.unwrap_or(0) + line.len() + 1);
    }
    if size.is_some() {
        out.write_all(b"</script>\n")?;
    }
    Ok(())
}

fn write_inert(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_escaped(&serde_json::to_vec(value)?, out)
}

/// JSON without any character that means something to HTML. All of them can only stand in texts,
/// where JSON has another way to write them.
fn write_escaped(json: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut from = 0;
    let mut place = 0;
    while let Some(byte) = json.get(place) {
        let (escape, length): (&[u8], usize) = match byte {
            b'<' => (b"\\u003c", 1),
            b'>' => (b"\\u003e", 1),
            b'&' => (b"\\u0026", 1),
            // The line separators, which older readers of scripts take for the end of a line.
            0xe2 if json.get(place..place + 3) == Some(b"\xe2\x80\xa8") => (b"\\u2028", 3),
            0xe2 if json.get(place..place + 3) == Some(b"\xe2\x80\xa9") => (b"\\u2029", 3),
            _ => {
                place += 1;
                continue;
            }
        };
        out.write_all(json.get(from..place).unwrap_or_default())?;
        out.write_all(escape)?;
        place += length;
        from = place;
    }
    out.write_all(json.get(from..).unwrap_or_default())
}
