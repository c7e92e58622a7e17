//! The table that a benchmark ends in: ratios with their spread, figures to reach, and bars.

use serde::Serialize;

use crate::spread::Spread;

pub const HEAD: &str = "\
| measurement | against | CPU | wall | peak memory | figure | bar | |
|---|---|---|---|---|---|---|---|";

/// What one line says.
#[derive(Debug, Default, Serialize)]
pub struct Row {
    pub measurement: String,
    /// The floor.
    pub against: String,
    pub cpu: Option<Spread>,
    pub wall: Option<Spread>,
    /// In words: of one size, or of several.
    pub memory: String,
    pub judged: Option<Judged>,
}

/// What is held against a bar. Invariant: less is better.
#[derive(Debug, Serialize)]
pub struct Judged {
    pub what: Judge,
    pub value: f64,
    /// What is to be reached.
    pub figure: Option<f64>,
    /// The least that is acceptable.
    pub bar: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    Cpu,
    Milliseconds,
    Mebibytes,
}

impl Row {
    pub fn new(measurement: impl Into<String>, against: impl Into<String>) -> Self {
        let (measurement, against) = (measurement.into(), against.into());
        Self { measurement, against, ..Self::default() }
    }

    /// Holds the CPU ratio against a bar.
    #[must_use]
    pub fn judge_cpu(mut self, figure: Option<f64>, bar: f64) -> Self {
        let value = self.cpu.map_or(f64::NAN, |cpu| cpu.ratio);
        self.judged = Some(Judged { what: Judge::Cpu, value, figure, bar });
        self
    }

    /// Holds something else against a bar.
    #[must_use]
    pub fn judge(mut self, what: Judge, value: f64, figure: Option<f64>, bar: f64) -> Self {
        self.judged = Some(Judged { what, value, figure, bar });
        self
    }

    /// False where a bar is missed, and where nobody knows.
    pub fn holds(&self) -> bool {
        self.judged.as_ref().is_none_or(|judged| judged.value <= judged.bar)
    }

    pub fn line(&self) -> String {
        let ratio = |spread: Option<Spread>| spread.map(in_words).unwrap_or_default();
        let (figure, bar, held) = match &self.judged {
            None => Default::default(),
            Some(judged) => {
                let figure = judged.figure.map(|figure| judged.what.amount(figure));
                let held = match judged.figure {
                    _ if !self.holds() => "**missed**",
                    Some(figure) if judged.value <= figure => "reached",
                    Some(_) | None => "held",
                };
                (figure.unwrap_or_default(), judged.what.amount(judged.bar), held)
            }
        };
        format!(
            "| {} | {} | {} | {} | {} | {figure} | {bar} | {held} |",
            self.measurement,
            self.against,
            ratio(self.cpu),
            ratio(self.wall),
            self.memory,
        )
    }
}

impl Judge {
    fn amount(self, amount: f64) -> String {
        match self {
            Self::Cpu => format!("CPU {amount}"),
            Self::Milliseconds => format!("{amount} ms"),
            Self::Mebibytes => format!("{amount:.0} MiB"),
        }
    }
}

/// Small ratios with more digits: 0.002 is not 0.00.
fn in_words(spread: Spread) -> String {
    let number = |value: f64| match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    };
    format!("{} ({}–{})", number(spread.ratio), number(spread.lowest), number(spread.highest))
}

#[cfg(test)]
mod tests {
    use super::Row;
    use crate::spread::Spread;

    fn row(ratio: f64) -> Row {
        let cpu = Some(Spread { ratio, lowest: 0.004, highest: 123.4 });
        Row { cpu, ..Row::new("work", "floor") }.judge_cpu(Some(1.2), 1.5)
    }

    #[test]
    fn a_line_says_whether_the_figure_is_reached_the_bar_held_or_missed() {
        let line = "| work | floor | 1.20 (0.004–123) |  |  | CPU 1.2 | CPU 1.5 | reached |";
        assert_eq!(row(1.2).line(), line);
        assert!(row(1.5).line().ends_with("| held |"));
        assert!(row(1.51).line().ends_with("| **missed** |"));
        assert!(row(1.5).holds() && !row(1.51).holds());
    }

    #[test]
    fn what_nobody_knows_does_not_hold() {
        assert!(!Row::new("work", "floor").judge_cpu(None, 1.5).holds());
        assert!(Row::new("work", "floor").holds());
    }
}
