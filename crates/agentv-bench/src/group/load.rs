//! `load`: `agentv validate` of a large YAML suite against the bare parser over the same file, and
//! of JSONL data in two sizes, of which a case must take the same in both.

use std::{fs, io};

use super::{growth, short};
use crate::{
    bench::Bench,
    contender::Contender,
    made::{self, suite},
};

/// A tree with places, all checks and all cases, in times of what it takes to find the events.
const FIGURE: f64 = 1.3;
const BAR: f64 = 1.5;

pub fn run(bench: &mut Bench) -> io::Result<()> {
    yaml(bench)?;
    let lines = bench.sizes.lines;
    growth::of_loading(bench, "load: JSONL", [(lines / 10).max(1), lines])
}

fn yaml(bench: &mut Bench) -> io::Result<()> {
    let cases = bench.sizes.cases;
    let folder = made::project(suite::TARGETS)?;
    let folder = folder.path();
    made::file(folder.join("suite.yaml"), |out| suite::write_yaml(cases, out))?;
    let bytes = fs::metadata(folder.join("suite.yaml"))?.len();
    let load = Contender::new("agentv validate", &bench.agentv, ["validate", "suite.yaml"], folder)
        .prints(format!("{cases} case(s)"));
    let walk =
        Contender::new("bare YAML events", &bench.this, ["floor", "walk", "suite.yaml"], folder)
            .prints("events");
    let name = format!("load: {} cases of YAML", short(cases));
    let [load, walk] = bench.measure(&name, usize::MAX, &[load, walk])?;
    let mut row = Bench::row(name, &load, &walk);
    let times = load.mebibytes() * f64::from(1 << 20) / bytes as f64;
    row.memory = format!("{:.0} MiB, {times:.1} × the file", load.mebibytes());
    bench.tell(row.judge_cpu(Some(FIGURE), BAR));
    Ok(())
}
