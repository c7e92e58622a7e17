//! `cases`: one process a case. The same trivial commands, through the same shell, by `xargs`.

use std::{fs, io, path::Path};

use super::short;
use crate::{
    bench::Bench,
    contender::Contender,
    made::{self, suite},
};

const WORKERS: [usize; 3] = [1, 2, 8];
const FIGURE: f64 = 1.2;
const BAR: f64 = 1.5;
/// Rounds of the larger number, which takes half a minute a round.
const MOST_ROUNDS_OF_MANY: usize = 3;

pub fn run(bench: &mut Bench) -> io::Result<()> {
    let folder = made::project(suite::COMMAND_TARGET)?;
    let [few, many] = bench.sizes.commands;
    for (cases, most_rounds) in [(few, usize::MAX), (many, MOST_ROUNDS_OF_MANY)] {
        for workers in WORKERS {
            let [agentv, floor] = contenders(bench, folder.path(), cases, workers)?;
            let name = format!("cases: {}, {workers} at a time", short(cases));
            let [agentv, floor] = bench.measure(&name, most_rounds, &[agentv, floor])?;
            let mut row = Bench::row(name, &agentv, &floor);
            row.memory = format!("{:.0} MiB", agentv.mebibytes());
            bench.tell(row.judge_cpu(Some(FIGURE), BAR));
        }
    }
    Ok(())
}

/// AgentV and `xargs` over so many commands, in a folder with the target for them.
pub fn contenders(
    bench: &Bench,
    folder: &Path,
    cases: usize,
    workers: usize,
) -> io::Result<[Contender; 2]> {
    let suite = format!("suite{cases}.yaml");
    fs::write(folder.join(&suite), suite::commands(cases))?;
    let at_once = workers.to_string();
    let args = ["eval", &suite, "--workers", &at_once];
    let line = format!("seq {cases} | xargs -P {workers} -I{{}} sh -c 'printf ok > out/{{}}'");
    Ok([
        Contender::new("agentv eval", &bench.agentv, args, folder).rows(cases),
        Contender::shell(&format!("`xargs -P {workers}`"), &line, folder).files("out", cases),
    ])
}
