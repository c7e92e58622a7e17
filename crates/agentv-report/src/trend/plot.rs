//! A plot in letters: a sign for each run's mean, a bar for its interval, dots between them.

use super::{Trend, scale};
use crate::{digest::Estimate, statistics::Interval};

/// What a plot is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotSigns {
    Unicode,
    Ascii,
}

/// Columns from one run to the next, at most.
const WIDEST_STEP: usize = 6;

/// Room for ` 0.85 ┤ `.
const LABEL: usize = 8;

pub(super) struct Plot {
    pub(super) lines: Vec<String>,
    /// How many runs are drawn.
    pub(super) drawn: usize,
}

struct Signs {
    mean: char,
    interval: char,
    between: char,
    axis: char,
    corner: char,
    floor: char,
    tick: char,
}

impl PlotSigns {
    fn signs(self) -> Signs {
        match self {
            Self::Unicode => Signs {
                mean: '●',
                interval: '│',
                between: '·',
                axis: '│',
                corner: '└',
                floor: '─',
                tick: '┤',
            },
            Self::Ascii => Signs {
                mean: 'o',
                interval: ':',
                between: '.',
                axis: '|',
                corner: '+',
                floor: '-',
                tick: '+',
            },
        }
    }
}

/// The mean scores of all runs, or of as many as fit.
pub(super) fn plot(trend: &Trend, width: usize, height: usize, signs: PlotSigns) -> Plot {
    let room = width.saturating_sub(LABEL).max(8);
    let height = height.max(3);
    let range = scale::range(trend, |run| run.mean_score);
    let shown = thinned(trend.runs.len(), room);
    let step = match shown.len() {
        0 | 1 => 1,
        count => ((room - 1) / (count - 1)).clamp(1, WIDEST_STEP),
    };
    let signs = signs.signs();
    let columns = shown.len().saturating_sub(1) * step + 1;
    let mut canvas = Canvas { cells: vec![vec![' '; columns]; height], range };
    let mut before: Option<(usize, f64)> = None;
    for (place, run) in shown.iter().enumerate() {
        let Some(mean) = trend.runs.get(*run).and_then(|run| run.mean_score) else {
            before = None;
            continue;
        };
        let column = place * step;
        if let Some((from, value)) = before {
            canvas.line((from, value), (column, mean.value), signs.between);
        }
        canvas.point(column, &mean, &signs);
        before = Some((column, mean.value));
    }
    Plot { lines: canvas.lines(&signs), drawn: shown.len() }
}

/// Which runs are drawn: all, or as many as there are columns, the first and the last among them.
fn thinned(count: usize, room: usize) -> Vec<usize> {
    if count <= room {
        return (0..count).collect();
    }
    let last = room.saturating_sub(1).max(1);
    (0..=last).map(|place| place * (count - 1) / last).collect()
}

struct Canvas {
    /// From the top.
    cells: Vec<Vec<char>>,
    range: Interval,
}

impl Canvas {
    fn row(&self, value: f64) -> usize {
        let last = self.cells.len().saturating_sub(1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1")]
        let up = (scale::height(value, self.range) * last as f64).round() as usize;
        last - up.min(last)
    }

    fn set(&mut self, row: usize, column: usize, sign: char) {
        let cell = self.cells.get_mut(row).and_then(|row| row.get_mut(column));
        if let Some(cell) = cell {
            *cell = sign;
        }
    }

    fn point(&mut self, column: usize, mean: &Estimate, signs: &Signs) {
        let interval = scale::whole(mean);
        for row in self.row(interval.high)..=self.row(interval.low) {
            self.set(row, column, signs.interval);
        }
        self.set(self.row(mean.value), column, signs.mean);
    }

    /// The columns between two runs.
    fn line(&mut self, from: (usize, f64), to: (usize, f64), sign: char) {
        for column in from.0 + 1..to.0 {
            let way = (column - from.0) as f64 / (to.0 - from.0) as f64;
            let row = self.row(from.1 + (to.1 - from.1) * way);
            self.set(row, column, sign);
        }
    }

    fn lines(self, signs: &Signs) -> Vec<String> {
        let last = self.cells.len().saturating_sub(1);
        let mut lines = Vec::new();
        let columns = self.cells.first().map_or(0, Vec::len);
        for (row, cells) in self.cells.iter().enumerate() {
            let up = (last - row) as f64 / last.max(1) as f64;
            let value = self.range.low + (self.range.high - self.range.low) * up;
            let is_labelled = row == 0 || row == last || row == last / 2;
            let label = if is_labelled { format!("{value:.2}") } else { String::new() };
            let axis = if is_labelled { signs.tick } else { signs.axis };
            let cells: String = cells.iter().collect();
            lines.push(format!("{label:>5} {axis} {}", cells.trim_end()).trim_end().to_owned());
        }
        let floor: String = std::iter::repeat_n(signs.floor, columns + 1).collect();
        lines.push(format!("{:>5} {}{floor}", "", signs.corner));
        lines
    }
}
