//! `start`: what it takes until anything is done at all. The one place with a limit in
//! milliseconds, because people wait for it; the floor's own time stands beside it.

use std::{fs, io, path::Path};

use crate::{
    bench::{Bench, Samples},
    contender::Contender,
    made::{self, suite},
    spread::median,
    table::Judge,
};

const FIGURE: f64 = 10.0;
const BAR: f64 = 20.0;

/// A file system in memory, where there is one. What is recorded there is on its disk at once.
const IN_MEMORY: &str = "/dev/shm";

pub fn run(bench: &mut Bench) -> io::Result<()> {
    let folder = made::project(suite::COMMAND_TARGET)?;
    let mut contenders = vec![
        Contender::new("`/bin/true`", "true", [""; 0], folder.path()),
        Contender::shell("`sh -c true`", "true", folder.path()),
        Contender::new("`--version`", &bench.agentv, ["--version"], folder.path()).prints("agentv"),
        eval("`eval` of one case", bench, folder.path())?,
    ];
    let in_memory = made::project_in(Path::new(IN_MEMORY), suite::COMMAND_TARGET);
    if let Ok(folder) = &in_memory {
        contenders.push(eval("`eval` of one case, no disk", bench, folder.path())?);
    }
    // Nothing of this stands in memory yet.
    for contender in &contenders {
        contender.run(&bench.this)?;
    }
    let samples = bench.measure_all("start", bench.sizes.starts, &contenders)?;
    let [nothing, shell, starts @ ..] = &samples[..] else { return Ok(()) };
    for of in starts {
        for floor in [nothing, shell] {
            let (took, least) = (milliseconds(of), milliseconds(floor));
            let name =
                format!("start: {}, {took:.1} ms where the floor takes {least:.1} ms", of.name);
            let mut row = Bench::row(name, of, floor);
            row.memory = format!("{:.1} MiB", of.mebibytes());
            bench.tell(row.judge(Judge::Milliseconds, took, Some(FIGURE), BAR));
        }
    }
    Ok(())
}

fn eval(name: &str, bench: &Bench, folder: &Path) -> io::Result<Contender> {
    fs::write(folder.join("suite.yaml"), suite::commands(1))?;
    Ok(Contender::new(name, &bench.agentv, ["eval", "suite.yaml"], folder).rows(1))
}

fn milliseconds(of: &Samples) -> f64 {
    median(&of.wall()) * 1e3
}
