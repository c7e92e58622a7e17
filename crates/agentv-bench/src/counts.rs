//! `counts`: how many instructions small runs of `agentv` execute, in times of a tiny program that
//! does about the least of the same work, against ratios that are stored in `counts.json`.
//!
//! Unlike a time, such a count is nearly the same on every machine and at every moment, so
//! `scripts/test` fails where one has grown. What is counted is the program of the dev profile, the
//! one that tests are run with: that shows work that was added, and steps whose work grows faster
//! than their input. It does not show what the compiler makes of the code of a release.

mod counting;
mod files;
mod floor;
mod run;
mod stored;
mod valgrind;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use counting::{Counter, Counts, Figure, chosen};
pub use floor::asked_for as floor_asked_for;
use run::Run;
use stored::{Ratios, Stored, Verdict, judge};

/// So often is counted again what seems dearer than stored.
const SECOND_LOOKS: usize = 2;
/// So often is counted what is to be stored, where nothing else is said.
const STORED_OF: u16 = 3;

#[derive(clap::Args)]
pub struct CountsArguments {
    /// Only runs whose names have this in them
    only: Option<String>,
    /// Store what was counted
    #[arg(long, conflicts_with = "only")]
    update: bool,
    /// Count nothing: write the files of each run to a folder of DIR
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Where ratios are stored
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/counts.json"))]
    stored: PathBuf,
}

/// Counts, prints a line for each figure, and checks or stores; false where a check fails.
pub fn measure(
    this: &Path,
    agentv: &Path,
    arguments: &CountsArguments,
    check: bool,
    rounds: Option<u16>,
) -> io::Result<bool> {
    let runs = chosen(arguments.only.as_deref());
    if runs.is_empty() {
        return Err(io::Error::other("no run has such a name"));
    }
    if let Some(folder) = &arguments.files {
        return write_files(folder, agentv, &runs).map(|()| true);
    }
    if !cfg!(debug_assertions) {
        return Err(io::Error::other(
            "ratios are stored for the dev profile: build without --release",
        ));
    }
    let processor = std::env::consts::ARCH;
    let mut stored = Stored::read(&arguments.stored)?;
    let known = stored.of(processor).cloned();
    let counter = Counter::new(this, agentv)?;
    let rounds = rounds.unwrap_or(if arguments.update { STORED_OF } else { 1 });
    let mut counts = Vec::new();
    for _ in 0..rounds {
        counts.push(counter.count(&runs)?);
    }
    let mut holds = true;
    let mut ratios = Ratios::new();
    println!("counts: {rounds} round(s), {processor}, dev profile");
    println!("                      agentv       floor     ratio    stored    spread");
    for (place, run) in runs.iter().enumerate() {
        let of_run: Vec<Counts> = counts.iter().filter_map(|all| all.get(place)).copied().collect();
        let Some(mut least) = of_run.iter().copied().reduce(Counts::least) else { continue };
        let known = known.as_ref();
        let dearer = |counts: Counts| {
            counts.figures(run).iter().any(|figure| verdict(known, figure) == Verdict::Dearer)
        };
        for _ in 0..SECOND_LOOKS {
            if !check || !dearer(least) {
                break;
            }
            least = counter.count(&[run])?.into_iter().fold(least, Counts::least);
        }
        for (index, figure) in least.figures(run).into_iter().enumerate() {
            let all = of_run
                .iter()
                .filter_map(|counts| counts.figures(run).get(index).map(|figure| figure.ratio));
            print_figure(known, least, &figure, all);
            holds &= tell(known, &figure, agentv);
            ratios.insert(figure.name, figure.ratio);
        }
    }
    if known.is_none() && !arguments.update {
        println!(
            "no ratios are stored for {processor}: nothing was checked (--update stores them)"
        );
    }
    if arguments.update {
        stored.put(processor, ratios);
        stored.write(&arguments.stored)?;
    }
    Ok(holds || !check)
}

fn verdict(known: Option<&Ratios>, figure: &Figure) -> Verdict {
    let stored = known.and_then(|ratios| ratios.get(&figure.name)).copied();
    judge(stored, figure.ratio, figure.margin)
}

fn print_figure(
    known: Option<&Ratios>,
    counts: Counts,
    figure: &Figure,
    all: impl Iterator<Item = f64>,
) {
    let name = &figure.name;
    // A run against itself at another size: growth has no floor.
    let (whole, floor) = match (name == figure.run.name, counts.quarter) {
        (false, Some(quarter)) => (counts.whole, quarter),
        (true, _) | (false, None) => (counts.whole, counts.floor),
    };
    let stored = known.and_then(|ratios| ratios.get(name));
    let stored = stored.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
    let (least, most) = all
        .fold((f64::INFINITY, 0.0_f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
    let spread = (most / least - 1.0) * 100.0;
    println!(
        "  {name:18} {whole:>11} {floor:>11} {:>9.3} {stored:>9}   {spread:>5.2} %",
        figure.ratio
    );
}

/// Says what is to be done about a figure; false where it does not hold.
fn tell(known: Option<&Ratios>, figure: &Figure, agentv: &Path) -> bool {
    let Some(known) = known else { return true };
    let (name, ratio) = (&figure.name, figure.ratio);
    let stored = known.get(name).copied().unwrap_or_default();
    let share = (ratio / stored - 1.0).abs() * 100.0;
    match verdict(Some(known), figure) {
        Verdict::Held => true,
        Verdict::Cheaper => {
            println!(
                "    {share:.1} % less than stored: store it by `agentv-bench counts --update`"
            );
            true
        }
        Verdict::Unknown => {
            eprintln!("error: {name} has no stored ratio: `agentv-bench counts --update`");
            false
        }
        Verdict::Dearer => {
            eprintln!(
                "error: {name} is {ratio:.3}, {share:.1} % more than the stored {stored:.3}; at most \
                 {:.0} % are allowed.\n  \
                 It is {of}.\n  \
                 Where it goes: agentv-bench counts {run} --files counted && cd counted/{run} &&\n    \
                 valgrind --tool=callgrind {agentv} {args} &&\n    \
                 callgrind_annotate --inclusive=yes callgrind.out.* | head -60\n  \
                 Where it is worth it: agentv-bench counts --update",
                figure.margin * 100.0,
                of = figure.of,
                run = figure.run.name,
                agentv = agentv.display(),
                args = figure.run.args.join(" "),
            );
            false
        }
    }
}

/// Writes what each run is counted over, and prints how it is run.
fn write_files(folder: &Path, agentv: &Path, runs: &[&'static Run]) -> io::Result<()> {
    for run in runs {
        let place = folder.join(run.name);
        fs::create_dir_all(&place)?;
        (run.files)(&place, run.size)?;
        println!("cd {} && {} {}", place.display(), agentv.display(), run.args.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::{Counts, Stored, chosen};

    #[test]
    fn every_figure_is_stored_and_nothing_else() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.json");
        let stored = Stored::read(&file).unwrap();
        let stored: BTreeSet<String> = stored.of("x86_64").unwrap().keys().cloned().collect();
        let figures = chosen(None).into_iter().flat_map(|run| {
            let quarter = run.grows.then_some(1);
            Counts { whole: 1, quarter, floor: 1 }.figures(run)
        });
        let figures: BTreeSet<String> = figures.map(|figure| figure.name).collect();
        assert_eq!(figures, stored, "`agentv-bench counts --update` stores them anew");
    }
}
