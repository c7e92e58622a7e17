//! `jsonl-1m`: `agentv validate` of JSONL data in three sizes; what a case takes must not grow.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
};

use crate::{
    child::{Bench, Taken, least},
    suite,
};

/// The sizes, in times of the smallest.
const SIZES: [usize; 3] = [1, 3, 10];
/// Most rounds: the largest file takes seconds, and three of them tell a quadratic step.
const MOST_ROUNDS: u16 = 3;
/// Most that a case of the largest file may take, in times of a case of the smallest. A quadratic
/// step gives 10.
const TIME_BAR: f64 = 1.5;
const MEMORY_BAR: f64 = 1.2;

/// Measures all sizes in turns and prints what a case takes; false where it grows,
/// or where `agentv` does not read such files.
pub fn measure(bench: &Bench, smallest: usize) -> io::Result<bool> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::create_dir(folder.join(".agentv"))?;
    fs::write(folder.join(".agentv/targets.yaml"), suite::TARGETS)?;
    for size in SIZES {
        fs::write(folder.join(format!("data{size}.yaml")), suite::SIDECAR)?;
        let mut file = BufWriter::new(File::create(folder.join(format!("data{size}.jsonl")))?);
        suite::write_jsonl(smallest * size, &mut file)?;
        file.flush()?;
    }
    let run = |size: usize| -> io::Result<Taken> {
        bench.run(folder, &bench.agentv, &["validate", &format!("data{size}.jsonl")])
    };
    let first = run(1)?;
    if first.code != Some(0) {
        let said = first.said.lines().next().unwrap_or("nothing was said");
        println!("jsonl-1m: not supported by this agentv ({said})\n");
        return Ok(false);
    }
    let mut times = SIZES.map(|_| Vec::new());
    let mut peaks = SIZES.map(|_| 0);
    for _ in 0..bench.rounds.min(MOST_ROUNDS) {
        for ((size, times), peak) in SIZES.into_iter().zip(&mut times).zip(&mut peaks) {
            let taken = run(size)?;
            times.push(taken.seconds);
            *peak = taken.peak_bytes.max(*peak);
        }
    }
    println!("jsonl-1m: {} rounds", bench.rounds.min(MOST_ROUNDS));
    println!("     cases    time a case   peak memory a case");
    let mut per_case = Vec::new();
    for ((size, times), peak) in SIZES.into_iter().zip(&times).zip(peaks) {
        let cases = (smallest * size) as f64;
        let (time, memory) = (least(times) / cases, peak as f64 / cases);
        println!("  {cases:8}  {:10.3} µs   {memory:10.0} bytes", time * 1e6);
        per_case.push((time, memory));
    }
    let (Some(small), Some(large)) = (per_case.first(), per_case.last()) else { return Ok(true) };
    let (time, memory) = (large.0 / small.0, large.1 / small.1);
    println!("  largest against smallest: time {time:.2} (bar: {TIME_BAR}), ");
    println!("                            memory {memory:.2} (bar: {MEMORY_BAR})\n");
    Ok(time <= TIME_BAR && memory <= MEMORY_BAR)
}
