//! `yaml-50k`: `agentv validate` of a large suite against the bare parser over the same file.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
};

use crate::{
    child::{Bench, Taken, least, median},
    suite,
};

/// Most that loading may take, in times of the bare walk: a tree with places, all checks and all
/// cases for half as much again as it takes to find the events.
const BAR: f64 = 1.5;

/// Measures both in turns and prints the ratio; false where the bar is missed.
pub fn measure(bench: &Bench, cases: usize) -> io::Result<bool> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::create_dir(folder.join(".agentv"))?;
    fs::write(folder.join(".agentv/targets.yaml"), suite::TARGETS)?;
    let mut file = BufWriter::new(File::create(folder.join("suite.yaml"))?);
    suite::write_yaml(cases, &mut file)?;
    file.flush()?;
    let bytes = fs::metadata(folder.join("suite.yaml"))?.len();

    let (mut walks, mut loads) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        walks.push(bench.run_well(folder, &bench.this, &["walk", "suite.yaml"])?);
        loads.push(bench.run_well(folder, &bench.agentv, &["validate", "suite.yaml"])?);
    }
    let wall = Compared::new(&walks, &loads, |taken| taken.seconds);
    let processor = Compared::new(&walks, &loads, |taken| taken.processor_seconds);
    let peak = loads.iter().map(|taken| taken.peak_bytes).max().unwrap_or_default();
    println!("yaml-50k: {cases} cases, {:.1} MB, {} rounds", bytes as f64 / 1e6, bench.rounds);
    println!("                      wall clock          processor");
    println!("                     least   median     least   median");
    row("bare event walk", " s", [wall.walk, processor.walk]);
    row("agentv validate", " s", [wall.load, processor.load]);
    row("ratio", "  ", [wall.ratio, processor.ratio]);
    println!("  bar for the median ratio: {BAR}");
    println!("  peak memory of validate: {:.1} times the file\n", peak as f64 / bytes as f64);
    Ok(wall.ratio.1 <= BAR)
}

/// Least and median of both, and of their ratio round by round.
struct Compared {
    walk: (f64, f64),
    load: (f64, f64),
    ratio: (f64, f64),
}

impl Compared {
    fn new(walks: &[Taken], loads: &[Taken], time: impl Fn(&Taken) -> f64) -> Self {
        let walk: Vec<f64> = walks.iter().map(&time).collect();
        let load: Vec<f64> = loads.iter().map(&time).collect();
        // Round by round: what disturbs one of a round mostly disturbs the other too.
        let ratios: Vec<f64> = load.iter().zip(&walk).map(|(load, walk)| load / walk).collect();
        let both = |times: &[f64]| (least(times), median(times.to_vec()));
        let ratio = (least(&load) / least(&walk), median(ratios));
        Self { walk: both(&walk), load: both(&load), ratio }
    }
}

fn row(name: &str, unit: &str, [wall, processor]: [(f64, f64); 2]) {
    print!("  {name:16}");
    for (least, median) in [wall, processor] {
        print!(" {least:7.3}{unit}{median:7.3}{unit} ");
    }
    println!();
}
