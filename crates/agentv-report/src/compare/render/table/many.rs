//! More than two runs at a terminal: every two of them, and the cases that they differ in.

use super::{MOST_OTHERS, Table, finding_tone, label, ruled_tone};
use crate::{
    compare::{Comparison, group::Group, spread::SpreadCase, words},
    style::Tone,
};

impl Table<'_> {
    /// Every two runs; as a list where the window is too narrow.
    pub(super) fn matrix(&mut self) {
        const CELL: usize = 10;
        let runs = self.comparison.sides.len();
        self.lines.heading("Mean delta of the column's run against the row's");
        if 4 + runs * CELL > self.style.width {
            for pair in &self.comparison.pairs {
                let (first, second) =
                    (Comparison::letter(pair.first), Comparison::letter(pair.second));
                let cell = self.cell(&pair.all);
                self.lines
                    .line(&format!("  {first} → {second}  {cell} {}", pair.all.finding.name()));
            }
            return;
        }
        let heads: String = (0..runs)
            .map(|place| format!("{:<CELL$}", Comparison::letter(place)))
            .collect::<Vec<_>>()
            .concat();
        let head = self.paint(Tone::Aside, &format!("    {heads}"));
        self.lines.line(&head);
        for row in 0..runs {
            let mut line = format!("  {:<2}", Comparison::letter(row));
            for column in 0..runs {
                let pairs = &self.comparison.pairs;
                let pair = pairs.iter().find(|it| it.first == row && it.second == column);
                let cell = pair.map_or_else(|| "·".to_owned(), |pair| self.cell(&pair.all));
                let gap = CELL.saturating_sub(console::measure_text_width(&cell));
                line.push_str(&cell);
                line.push_str(&" ".repeat(gap));
            }
            self.lines.line(&line);
        }
        let legend = "▲ better, ▼ worse, ≥ no worse than the margin, ? inconclusive";
        let legend = self.paint(Tone::Aside, legend);
        self.lines.wrapped("  ", "  ", &legend);
    }

    fn cell(&self, group: &Group) -> String {
        let delta = words::signed_or_unknown(group.statistics.mean_delta);
        self.paint(finding_tone(group.finding), &format!("{} {delta}", group.finding.sign()))
    }

    /// The cases that runs differ in, with their score in each.
    pub(super) fn spread(&mut self) {
        const COLUMN: usize = 7;
        let Some(spread) = self.comparison.spread.as_ref().filter(|it| it.total > 0) else {
            return;
        };
        self.lines.heading(&format!("Cases that differ ({})", spread.total));
        let most = if self.verbose { usize::MAX } else { 2 * MOST_OTHERS };
        let shown: Vec<_> = spread.cases.iter().take(most).collect();
        let runs = self.comparison.sides.len();
        let label = |case: &SpreadCase| label(&case.eval_id, case.target.as_deref());
        let widest = shown.iter().map(|case| console::measure_text_width(&label(case))).max();
        let room = self.style.width.saturating_sub(2 + runs * COLUMN).max(12);
        let column = widest.unwrap_or(0).min(room);
        let heads: String = (0..runs)
            .map(|place| format!("{:>COLUMN$}", Comparison::letter(place)))
            .collect::<Vec<_>>()
            .concat();
        let head = self.paint(Tone::Aside, &format!("  {}{heads}", " ".repeat(column)));
        self.lines.line(&head);
        for case in &shown {
            let name = label(case);
            let name = console::truncate_str(&name, column, "…");
            let gap = column.saturating_sub(console::measure_text_width(&name));
            let scores: Vec<String> = case
                .scores
                .iter()
                .map(|score| {
                    let text = words::score(*score);
                    format!("{}{text}", " ".repeat(COLUMN.saturating_sub(text.chars().count())))
                })
                .collect();
            self.lines.line(&format!("  {name}{}{}", " ".repeat(gap), scores.concat()));
        }
        self.more(spread.total - shown.len());
    }

    pub(super) fn overall(&mut self) {
        let ruled = self.comparison.ruled();
        let gate = self.comparison.options.gate.name();
        let text = format!("Gate {gate} over all runs against A: {}", ruled.name());
        self.lines.line("");
        let text = self.paint(ruled_tone(ruled), &text);
        self.lines.wrapped("", "  ", &text);
    }
}
