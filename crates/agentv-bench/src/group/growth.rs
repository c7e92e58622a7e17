//! `growth`: the same at N, 4 N and 16 N. What a unit takes must stay what it is; a step that grows
//! with the square of its input would give 16.

use std::{fs, io, path::Path};

use super::{batch, cases, short};
use crate::{
    bench::{Bench, Samples},
    contender::Contender,
    made::{self, rows, suite},
    spread::Spread,
    table::Row,
};

const BAR: f64 = 1.5;
/// The larger sizes take seconds, and three rounds tell a quadratic step.
const MOST_ROUNDS: usize = 3;

pub fn run(bench: &mut Bench) -> io::Result<()> {
    of_commands(bench)?;
    of_batches(bench, sizes(bench.sizes.records))?;
    of_loading(bench, "growth: loading JSONL", sizes(bench.sizes.lines))?;
    of_comparing(bench, sizes(bench.sizes.rows))
}

/// N, 4 N and 16 N, of which the last is this.
fn sizes(largest: usize) -> [usize; 3] {
    [(largest / 16).max(1), (largest / 4).max(1), largest]
}

fn of_commands(bench: &mut Bench) -> io::Result<()> {
    let folder = made::project(suite::COMMAND_TARGET)?;
    let sizes = sizes(bench.sizes.commands[0] * 4);
    let mut contenders = Vec::new();
    for size in sizes {
        let [agentv, _] = cases::contenders(bench, folder.path(), size, 2)?;
        contenders.push(agentv);
    }
    grows(bench, "growth: cases, 2 at a time", &sizes, &contenders)
}

fn of_batches(bench: &mut Bench, sizes: [usize; 3]) -> io::Result<()> {
    let (mut folders, mut contenders) = (Vec::new(), Vec::new());
    for size in sizes {
        let folder = made::project(batch::TARGET)?;
        batch::prepare(folder.path(), size)?;
        let [agentv, _] = batch::contenders(bench, folder.path(), size);
        contenders.push(agentv);
        folders.push(folder);
    }
    grows(bench, "growth: records of a batch", &sizes, &contenders)
}

/// `agentv validate` of JSONL data of these sizes.
pub fn of_loading<const N: usize>(
    bench: &mut Bench,
    name: &str,
    sizes: [usize; N],
) -> io::Result<()> {
    let folder = made::project(suite::TARGETS)?;
    let folder = folder.path();
    let mut contenders = Vec::new();
    for size in sizes {
        let data = format!("data{size}.jsonl");
        fs::write(folder.join(format!("data{size}.yaml")), suite::SIDECAR)?;
        made::file(folder.join(&data), |out| suite::write_jsonl(size, out))?;
        let load = Contender::new("agentv validate", &bench.agentv, ["validate", &data], folder);
        contenders.push(load.prints(format!("{size} case(s)")));
    }
    grows(bench, name, &sizes, &contenders)
}

fn of_comparing(bench: &mut Bench, sizes: [usize; 3]) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let mut contenders = Vec::new();
    for size in sizes {
        let files = [format!("a{size}.jsonl"), format!("b{size}.jsonl")];
        contenders.push(compare(bench, folder, &files, size)?);
    }
    grows(bench, "growth: comparing rows", &sizes, &contenders)
}

/// `agentv compare` of two files with so many rows, which it makes.
pub fn compare(
    bench: &Bench,
    folder: &Path,
    files: &[String; 2],
    size: usize,
) -> io::Result<Contender> {
    for (drift, file) in files.iter().enumerate() {
        made::file(folder.join(file), |out| rows::write_rows(size, drift, out))?;
    }
    let args = ["compare", &files[0], &files[1], "--gate", "none"];
    Ok(Contender::new("agentv compare", &bench.agentv, args, folder).prints("Gate none"))
}

/// What a unit takes at the largest size, in times of the smallest.
fn grows(
    bench: &mut Bench,
    name: &str,
    sizes: &[usize],
    contenders: &[Contender],
) -> io::Result<()> {
    let samples = bench.measure_all(name, bench.rounds.min(MOST_ROUNDS), contenders)?;
    let (Some(small), Some(large)) = (samples.first(), samples.last()) else { return Ok(()) };
    let (Some(few), Some(many)) = (sizes.first(), sizes.last()) else { return Ok(()) };
    let each = |values: Vec<f64>, size: usize| -> Vec<f64> {
        values.into_iter().map(|value| value / size as f64).collect()
    };
    let mut row = Row {
        cpu: Some(Spread::of(&each(large.cpu(), *many), &each(small.cpu(), *few))),
        wall: Some(Spread::of(&each(large.wall(), *many), &each(small.wall(), *few))),
        ..Row::new(format!("{name}, each of {}", short(*many)), format!("each of {}", short(*few)))
    };
    let peaks: Vec<String> =
        samples.iter().map(Samples::mebibytes).map(|mib| format!("{mib:.0}")).collect();
    row.memory = format!("{} MiB", peaks.join(", "));
    bench.tell(row.judge_cpu(None, BAR));
    Ok(())
}
