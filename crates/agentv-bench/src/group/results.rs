//! `results`: looking at recorded rows, against the bare parse of the same files.

use std::{fs, io, path::Path};

use super::{growth, short};
use crate::{
    bench::Bench,
    contender::{Contender, RESULTS},
    made::rows,
};

const FIGURE: f64 = 2.0;
const BAR: f64 = 3.0;
/// Most that a look by the index may take, in times of the look that made it.
const INDEX_BAR: f64 = 0.2;
/// A round takes a minute.
const MOST_ROUNDS: usize = 3;
const ENDINGS: [&str; 7] = ["jsonl", "yaml", "json", "csv", "xml", "md", "html"];

pub fn run(bench: &mut Bench) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    compare_and_report(bench, folder.path())?;
    show(bench)?;
    list(bench)
}

fn compare_and_report(bench: &mut Bench, folder: &Path) -> io::Result<()> {
    let size = bench.sizes.rows;
    let files = ["a.jsonl".to_owned(), "b.jsonl".to_owned()];
    let compare = growth::compare(bench, folder, &files, size)?;
    let both = floor(bench, folder, &["a.jsonl", "b.jsonl"], 2 * size);
    let name = format!("results: `compare` of 2 × {} rows", short(size));
    let [compare, both] = bench.measure(&name, MOST_ROUNDS, &[compare, both])?;
    let mut row = Bench::row(name, &compare, &both);
    row.memory = format!("{:.0} MiB", compare.mebibytes());
    bench.tell(row.judge_cpu(Some(FIGURE), BAR));

    fs::remove_file(folder.join("b.jsonl"))?;
    let mut contenders = vec![floor(bench, folder, &["a.jsonl"], size)];
    for ending in ENDINGS {
        let out = format!("out.{ending}");
        let args = ["report", "a.jsonl", "--out", &out];
        let report = Contender::new(&format!("report .{ending}"), &bench.agentv, args, folder);
        contenders.push(report.writes(&out));
    }
    let name = format!("results: `report` of {} rows", short(size));
    let samples = bench.measure_all(&name, bench.rounds.min(MOST_ROUNDS), &contenders)?;
    let Some((floor, reports)) = samples.split_first() else { return Ok(()) };
    for (ending, report) in ENDINGS.into_iter().zip(reports) {
        let mut row = Bench::row(format!("{name} as .{ending}"), report, floor);
        row.memory = format!("{:.0} MiB", report.mebibytes());
        bench.tell(row);
    }
    Ok(())
}

/// One case of a large run: by a look at all of it, which makes the index, and by the index.
fn show(bench: &mut Bench) -> io::Result<()> {
    let size = bench.sizes.rows;
    let project = tempfile::tempdir()?;
    let project = project.path();
    fs::create_dir(project.join(".git"))?;
    let run = rows::write_run(project, 0, size)?;
    let file = format!("{RESULTS}/{run}/results.jsonl");
    let show = |name: &str| {
        let id = format!("case-{:07}", size / 2);
        Contender::new(name, &bench.agentv, ["results", "show", &run, &id], project).prints(&*id)
    };
    let first = show("the first look")
        .without(format!("{RESULTS}/.index.sqlite"))
        .without(format!("{RESULTS}/.index.lock"));
    let again = show("results show by the index");
    let bare = floor(bench, project, &[&file], size);
    let name = format!("results: `show` of one of {} cases", short(size));
    let [first, again, bare] = bench.measure(&name, MOST_ROUNDS, &[first, again, bare])?;
    let mut row = Bench::row(format!("{name}, first look"), &first, &bare);
    row.memory = format!("{:.0} MiB", first.mebibytes());
    bench.tell(row);
    let mut row = Bench::row(format!("{name}, by the index"), &again, &first);
    row.memory = format!("{:.0} MiB", again.mebibytes());
    bench.tell(row.judge_cpu(None, INDEX_BAR));
    Ok(())
}

/// All runs of a project, by the index, against reading what each says of itself.
fn list(bench: &mut Bench) -> io::Result<()> {
    let runs = bench.sizes.runs;
    let project = tempfile::tempdir()?;
    let project = project.path();
    fs::create_dir(project.join(".git"))?;
    for number in 0..runs {
        rows::write_run(project, number, 10)?;
    }
    let list = Contender::new("results list", &bench.agentv, ["results", "list"], project);
    let cat = Contender::shell(
        "`cat` of every `run.json`",
        &format!("cat {RESULTS}/*/run.json > manifests"),
        project,
    );
    list.run(&bench.this)?;
    let name = format!("results: `list` of {} runs", short(runs));
    let [list, cat] = bench.measure(&name, usize::MAX, &[list, cat.writes("manifests")])?;
    let mut row = Bench::row(name, &list, &cat);
    row.memory = format!("{:.0} MiB", list.mebibytes());
    bench.tell(row);
    Ok(())
}

/// The bare parse of these files.
fn floor(bench: &Bench, folder: &Path, files: &[&str], rows: usize) -> Contender {
    let args = ["floor", "rows"].iter().chain(files).copied();
    let name = if files.len() == 1 { "bare parse of the rows" } else { "bare parse of both" };
    Contender::new(name, &bench.this, args, folder).prints(format!("{rows} rows"))
}
