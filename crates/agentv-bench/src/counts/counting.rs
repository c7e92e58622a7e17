//! Counts every run and its floor, two at a time, and makes figures of the counts.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::{
    floor,
    run::{GROWTH_MARGIN, RUNS, Run},
    valgrind::{self, without_symbols},
};
use crate::processors::see_few;

/// Programs that are counted at the same time, and processors that each of them sees: programs
/// start as many threads as there are processors, and threads cost instructions.
const AT_ONCE: usize = 2;

/// What counts are made with.
pub struct Counter {
    agentv: PathBuf,
    this: PathBuf,
    /// Holds the stripped copies.
    _folder: tempfile::TempDir,
}

/// The least that was counted of a run, and of its floor.
#[derive(Clone, Copy)]
pub struct Counts {
    pub whole: u64,
    pub quarter: Option<u64>,
    pub floor: u64,
}

/// One of the numbers that are stored.
pub struct Figure {
    pub name: String,
    /// What it is the ratio of.
    pub of: String,
    pub ratio: f64,
    pub margin: f64,
    pub run: &'static Run,
}

#[derive(Clone, Copy)]
enum Part {
    Whole,
    Quarter,
    Floor,
}

impl Counter {
    pub fn new(this: &Path, agentv: &Path) -> io::Result<Self> {
        valgrind::find()?;
        // A count must not depend on how many processors a machine has.
        see_few(AT_ONCE);
        let folder = tempfile::tempdir()?;
        Ok(Self {
            agentv: without_symbols(agentv, folder.path(), "agentv"),
            this: without_symbols(this, folder.path(), "floor"),
            _folder: folder,
        })
    }

    /// Counts all parts of these runs.
    pub fn count(&self, runs: &[&'static Run]) -> io::Result<Vec<Counts>> {
        let mut parts = Vec::new();
        for run in runs {
            parts.push((*run, Part::Whole));
            parts.push((*run, Part::Floor));
            if run.grows {
                parts.push((*run, Part::Quarter));
            }
        }
        let counts = at_once(&parts, |(run, part)| self.part(run, *part))?;
        let mut counts = counts.into_iter();
        let mut next = || counts.next().unwrap_or_default();
        Ok(runs
            .iter()
            .map(|run| {
                let (whole, floor) = (next(), next());
                Counts { whole, floor, quarter: run.grows.then(&mut next) }
            })
            .collect())
    }

    /// In a folder of its own: a run must not find what another left.
    fn part(&self, run: &Run, part: Part) -> io::Result<u64> {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let size = match part {
            Part::Whole | Part::Floor => run.size,
            Part::Quarter => run.quarter(),
        };
        (run.files)(folder, size)?;
        match part {
            Part::Whole | Part::Quarter => valgrind::count(folder, &self.agentv, run.args),
            Part::Floor => {
                let args = [&[floor::WORD], run.floor].concat();
                valgrind::count(folder, &self.this, &args)
            }
        }
    }
}

impl Counts {
    /// Part by part the lesser: what disturbs a run only ever adds to it.
    pub fn least(self, other: Self) -> Self {
        Self {
            whole: self.whole.min(other.whole),
            quarter: self.quarter.min(other.quarter),
            floor: self.floor.min(other.floor),
        }
    }

    /// The run against its floor, and where it is known how it grows, that too.
    pub fn figures(self, run: &'static Run) -> Vec<Figure> {
        let ratio = self.whole as f64 / self.floor as f64;
        let mut figures = vec![Figure {
            name: run.name.to_owned(),
            of: format!(
                "`{}` in times of its floor, `{}`",
                run.args.join(" "),
                run.floor.join(" ")
            ),
            ratio,
            margin: run.margin,
            run,
        }];
        if let Some(quarter) = self.quarter {
            let scale = run.size as f64 / run.quarter() as f64;
            figures.push(Figure {
                name: format!("{}-growth", run.name),
                of: format!("a case, one of {} in times of one of {}", run.size, run.quarter()),
                ratio: self.whole as f64 / quarter as f64 / scale,
                margin: GROWTH_MARGIN,
                run,
            });
        }
        figures
    }
}

/// Does the work of all, a few at a time; results are in the order of the items.
fn at_once<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> io::Result<R> + Sync,
) -> io::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(place) else { break };
                    let result = work(item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

/// All runs, or those whose names have this in them.
pub fn chosen(only: Option<&str>) -> Vec<&'static Run> {
    RUNS.iter().filter(|run| only.is_none_or(|only| run.name.contains(only))).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::{Counts, at_once, chosen};

    #[test]
    fn a_run_is_divided_by_its_floor_and_by_what_a_quarter_of_it_took() {
        let run = chosen(Some("validate"))[0];
        let counts = Counts { whole: 900, quarter: Some(250), floor: 300 };
        let figures = counts.figures(run);
        let figures: Vec<_> = figures.iter().map(|one| (one.name.as_str(), one.ratio)).collect();
        assert_eq!(figures, [("validate", 3.0), ("validate-growth", 0.9)]);
    }

    #[test]
    fn the_least_of_each_part_counts() {
        let one = Counts { whole: 900, quarter: Some(250), floor: 310 };
        let other = Counts { whole: 910, quarter: Some(240), floor: 300 };
        let least = one.least(other);
        assert_eq!((least.whole, least.quarter, least.floor), (900, Some(240), 300));
    }

    #[test]
    fn results_are_in_the_order_of_the_items_and_an_error_is_not_lost() {
        let items: Vec<u32> = (0..50).collect();
        assert_eq!(at_once(&items, |item| Ok(item * 2)).unwrap()[49], 98);
        let failing = |item: &u32| if *item == 7 { Err(io::Error::other("7")) } else { Ok(()) };
        assert_eq!(at_once(&items, failing).unwrap_err().to_string(), "7");
    }

    #[test]
    fn every_run_that_grows_can_be_quartered() {
        for run in chosen(None).into_iter().filter(|run| run.grows) {
            assert_eq!(run.quarter() * 4, run.size, "{}", run.name);
        }
    }
}
