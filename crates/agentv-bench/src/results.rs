//! `results`: what looking at recorded rows takes, and how it grows with their number.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    path::Path,
};

use crate::{
    child::{Bench, Taken, least},
    rows::{write_rows, write_run},
};

/// The larger file, in times of the smaller. A quadratic step would give as much.
const TIMES: usize = 10;
/// Most rounds: the larger files take seconds.
const MOST_ROUNDS: u16 = 3;
/// Most that a row of the larger file may take, in times of a row of the smaller.
const TIME_BAR: f64 = 1.5;
const MEMORY_BAR: f64 = 1.3;
/// Most that a look by the index may take, in times of the look that made it.
const INDEX_BAR: f64 = 0.2;

/// Measures everything, and prints a line for each; false where a bar is missed.
pub fn measure(bench: &Bench, smaller: usize) -> io::Result<bool> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for (name, rows, drift) in
        [("a", smaller, 0), ("b", smaller, 1), ("A", smaller * TIMES, 0), ("B", smaller * TIMES, 1)]
    {
        let mut file = BufWriter::new(File::create(folder.join(format!("{name}.jsonl")))?);
        write_rows(rows, drift, &mut file)?;
        file.flush()?;
    }
    println!("results: {smaller} and {} rows", smaller * TIMES);
    let mut holds = true;
    let compare = |large: bool| {
        let files = if large { ["A.jsonl", "B.jsonl"] } else { ["a.jsonl", "b.jsonl"] };
        bench.run_well(folder, &bench.agentv, &["compare", files[0], files[1], "--gate", "none"])
    };
    holds &= grows(bench, "compare", &compare)?;
    for ending in ["json", "csv", "xml", "md", "html"] {
        let out = format!("out.{ending}");
        let report = |large: bool| {
            let file = if large { "A.jsonl" } else { "a.jsonl" };
            bench.run_well(folder, &bench.agentv, &["report", file, "--out", &out])
        };
        holds &= grows(bench, &format!("report .{ending}"), &report)?;
    }
    holds &= index_of_one(bench, folder, smaller * TIMES)?;
    list(bench, folder)?;
    Ok(holds)
}

/// What a row takes in the larger file, in times of the smaller.
fn grows(bench: &Bench, what: &str, run: &dyn Fn(bool) -> io::Result<Taken>) -> io::Result<bool> {
    let mut times = [Vec::new(), Vec::new()];
    let mut peaks = [0_u64; 2];
    for _ in 0..bench.rounds.min(MOST_ROUNDS) {
        for (place, large) in [false, true].into_iter().enumerate() {
            let taken = run(large)?;
            times[place].push(taken.seconds);
            peaks[place] = peaks[place].max(taken.peak_bytes);
        }
    }
    let scale = TIMES as f64;
    let time = least(&times[1]) / least(&times[0]) / scale;
    let memory = peaks[1] as f64 / peaks[0] as f64 / scale;
    let (seconds, mebibytes) = (least(&times[1]), peaks[1] >> 20);
    println!(
        "  {what:14} a row, larger against smaller: time {time:.2} (bar: {TIME_BAR}), memory \
         {memory:.2} (bar: {MEMORY_BAR}); the larger took {seconds:.1} s and {mebibytes} MiB"
    );
    Ok(time <= TIME_BAR && memory <= MEMORY_BAR)
}

/// One case of a large run: with the index that the first look made, against that look.
fn index_of_one(bench: &Bench, folder: &Path, rows: usize) -> io::Result<bool> {
    let project = folder.join("one");
    fs::create_dir_all(project.join(".git"))?;
    write_run(&project, 0, rows)?;
    let show = || {
        let id = format!("case-{:07}", rows / 2);
        bench.run_well(&project, &bench.agentv, &["results", "show", "2026", &id])
    };
    let first = show()?;
    let mut again = Vec::new();
    for _ in 0..bench.rounds.min(MOST_ROUNDS) {
        again.push(show()?.seconds);
    }
    let ratio = least(&again) / first.seconds;
    println!(
        "  results show   one of {rows} cases, with the index against the look that made it: \
         {ratio:.3} (bar: {INDEX_BAR}); {:.2} s against {:.2} s",
        least(&again),
        first.seconds
    );
    Ok(ratio <= INDEX_BAR)
}

/// Lists of many runs against few; no bar, because the few take next to nothing.
fn list(bench: &Bench, folder: &Path) -> io::Result<()> {
    let mut times = Vec::new();
    for runs in [100, 1000] {
        let project = folder.join(format!("runs{runs}"));
        fs::create_dir_all(project.join(".git"))?;
        for number in 0..runs {
            write_run(&project, number, 10)?;
        }
        let look = || bench.run_well(&project, &bench.agentv, &["results", "list"]);
        look()?;
        let mut again = Vec::new();
        for _ in 0..bench.rounds {
            again.push(look()?.seconds);
        }
        times.push(least(&again));
    }
    if let [few, many] = times[..] {
        println!(
            "  results list   1,000 runs against 100, the second time: {:.2}; {many:.3} s\n",
            many / few
        );
    }
    Ok(())
}
