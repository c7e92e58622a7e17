//! `batch`: one process for a million cases. Measured is what comes on top of the loaded suite,
//! against a bare loop over the same answers.

use std::{fs, io, path::Path};

use super::short;
use crate::{
    bench::{Bench, Samples},
    contender::Contender,
    made::{self, answers},
    spread::Spread,
    table::{Judge, Row},
};

const FIGURE: f64 = 1.3;
const BAR: f64 = 2.0;
/// In MB, as people count files.
const MEMORY_FIGURE: f64 = 150e6 / 1_048_576.0;
const MEMORY_BAR: f64 = 300e6 / 1_048_576.0;
/// A round takes a minute.
const MOST_ROUNDS: usize = 3;

/// A link instead of a copy where that is possible: copying is nobody's work here. The name is a pattern,
/// because a file that a command names is a part of the target and is hashed, which answers are not.
pub const TARGET: &str = "\
targets:
  - name: default
    provider: cli
    provider_batching: true
    command_template: ln -f answers.json[l] {OUTPUT_FILE} || cp answers.json[l] {OUTPUT_FILE}
";

pub fn run(bench: &mut Bench) -> io::Result<()> {
    let records = bench.sizes.records;
    let folder = made::project(TARGET)?;
    let folder = folder.path();
    prepare(folder, records)?;
    let [agentv, loading] = contenders(bench, folder, records);
    let counted = format!("{records} records");
    let floor = |name: &str, args: &[&str]| {
        let args = ["floor"].iter().chain(args).copied();
        Contender::new(name, &bench.this, args, folder).prints(&*counted)
    };
    let parse = floor("bare parse loop", &["parse", "answers.jsonl"]);
    let whole_args = ["grade", "answers.jsonl", answers::FOUND, "rows.jsonl"];
    let whole = floor("parse loop that grades and writes", &whole_args).writes("rows.jsonl");
    let name = format!("batch: {} records", short(records));
    let all = [agentv, loading, parse, whole];
    let [agentv, loading, parse, whole] = bench.measure(&name, MOST_ROUNDS, &all)?;
    let row = above(&name, &agentv, &loading, &whole, "parse loop that grades and writes");
    bench.tell(row.judge_cpu(Some(FIGURE), BAR));
    bench.tell(above(&name, &agentv, &loading, &parse, "bare parse loop"));
    let memory = agentv.mebibytes() - loading.mebibytes();
    let mut row = Row::new(format!("{name}, peak memory above it"), "`validate` of the suite");
    row.memory = format!("+{memory:.0} MiB on {:.0}", loading.mebibytes());
    bench.tell(row.judge(Judge::Mebibytes, memory, Some(MEMORY_FIGURE), MEMORY_BAR));
    Ok(())
}

/// The suite and its answers.
pub fn prepare(folder: &Path, records: usize) -> io::Result<()> {
    fs::write(
        folder.join("suite.yaml"),
        format!("evaluators:\n  - contains: {:?}\n", answers::FOUND),
    )?;
    made::file(folder.join("suite.jsonl"), |out| {
        (0..records).try_for_each(|number| answers::write_case(number, out))
    })?;
    made::file(folder.join("answers.jsonl"), |out| {
        (0..records).try_for_each(|number| answers::write_answer(number, out))
    })
}

/// AgentV over the whole, and over the suite alone.
pub fn contenders(bench: &Bench, folder: &Path, records: usize) -> [Contender; 2] {
    let valid = format!("{records} case(s)");
    [
        Contender::new("agentv eval", &bench.agentv, ["eval", "suite.jsonl"], folder).rows(records),
        Contender::new("agentv validate", &bench.agentv, ["validate", "suite.jsonl"], folder)
            .prints(valid),
    ]
}

/// A row of what came on top of loading.
fn above(name: &str, whole: &Samples, loading: &Samples, floor: &Samples, against: &str) -> Row {
    let on_top = |whole: Vec<f64>, loading: Vec<f64>| -> Vec<f64> {
        whole.iter().zip(loading).map(|(whole, loading)| whole - loading).collect()
    };
    Row {
        cpu: Some(Spread::of(&on_top(whole.cpu(), loading.cpu()), &floor.cpu())),
        wall: Some(Spread::of(&on_top(whole.wall(), loading.wall()), &floor.wall())),
        ..Row::new(format!("{name}, without loading the suite"), against)
    }
}
