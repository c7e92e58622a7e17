//! A comparison for people at a terminal. Signs and words say everything; colour only repeats it.
//!
//! What matters comes first and in full; what got better and what stayed is counted where it is much.

mod many;

use agentv_base::excerpt;

use super::{
    super::{
        Comparison,
        cases::{CaseChange, Changes},
        group::Group,
        pair::{PairComparison, Unmatched},
        ruling::Ruled,
        verdict::Finding,
        words,
    },
    Kind, case_lists,
    lines::{GLUE, Lines},
    sentence, told_estimate, told_repeats, told_statistics,
};
use crate::{
    digest::Estimate,
    style::{Style, Tone, counted},
};

/// Cases of a list that are shown, of those that got worse and of the others.
const MOST_BAD: usize = 50;
const MOST_OTHERS: usize = 10;

/// So few cases are shown whatever became of them.
const FEW: usize = 10;

/// Names of rows that only one run has.
const MOST_NAMED: usize = 8;

/// Columns of scores, their arrow and the difference, with the gaps between them.
const NUMBERS: usize = 2 + 13 + 2 + 6;

/// Longer names are cut even on a wide screen.
const LONGEST_NAME: usize = 200;

pub(super) fn text(comparison: &Comparison, style: Style, verbose: bool) -> String {
    let mut table = Table { comparison, lines: Lines::new(style), style, verbose };
    table.runs();
    if comparison.sides.len() > 2 {
        table.matrix();
        table.spread();
    }
    for pair in comparison.pairs.iter().filter(|pair| pair.first == 0 || verbose) {
        table.pair(pair);
    }
    if comparison.sides.len() > 2 {
        table.overall();
    }
    table.lines.text
}

struct Table<'c> {
    comparison: &'c Comparison,
    lines: Lines,
    style: Style,
    verbose: bool,
}

impl Table<'_> {
    fn paint(&self, tone: Tone, text: &str) -> String {
        self.style.paint(tone, text)
    }

    fn runs(&mut self) {
        let many = self.comparison.sides.len() > 2;
        for (place, side) in self.comparison.sides.iter().enumerate() {
            let run = &side.figures;
            let label = match (place, many) {
                (0, false) => "Baseline".to_owned(),
                (_, false) => "Now".to_owned(),
                (0, true) => "A (baseline)".to_owned(),
                (_, true) => Comparison::letter(place),
            };
            let targets = match run.targets.as_slice() {
                [] => String::new(),
                [only] if only.is_empty() => String::new(),
                [only] => format!(" (target {})", excerpt(only, 80)),
                targets => format!(" ({})", counted(targets.len(), "target", "targets")),
            };
            let name = excerpt(&run.name, LONGEST_NAME);
            let label = self.paint(Tone::Heading, &label);
            self.lines.wrapped("", "  ", &format!("{label}: {name}{targets}"));
            let repeats = if run.cases < run.rows {
                format!(" of {}", counted(usize_of(run.cases), "case", "cases"))
            } else {
                String::new()
            };
            let text = format!(
                "{} graded{repeats}, {}; mean score {}, pass rate {}",
                run.graded,
                counted(usize_of(run.errors), "error", "errors"),
                told_estimate(run.mean_score.as_ref(), |it| it.told(3)),
                told_estimate(run.pass_rate.as_ref(), Estimate::told_percent),
            );
            self.lines.wrapped("  ", "  ", &text);
        }
    }

    fn pair(&mut self, pair: &PairComparison) {
        let comparison = self.comparison;
        let (first, second) = (comparison.run_name(pair.first), comparison.run_name(pair.second));
        if comparison.sides.len() > 2 {
            let letters = [pair.first, pair.second].map(Comparison::letter);
            self.lines.heading(&format!(
                "{} against {}: {} against {}",
                letters[1],
                letters[0],
                excerpt(second, 80),
                excerpt(first, 80)
            ));
        } else {
            self.lines.line("");
        }
        self.counts(&pair.all);
        self.only(first, &pair.only_first);
        self.only(second, &pair.only_second);
        for condition in &pair.conditions {
            if condition.affects_grading {
                let label = self.paint(Tone::Odd, "! Not graded alike");
                self.lines.wrapped("", "  ", &format!("{label}: {}", condition.text));
            } else {
                self.lines.wrapped("  ", "  ", &format!("differs: {}", condition.text));
            }
        }
        for note in &pair.notes {
            let label = self.paint(Tone::Odd, "!");
            self.lines.wrapped("", "  ", &format!("{label} {note}"));
        }
        self.statistics(&pair.all);
        for group in &pair.targets {
            let target = group.target.as_deref().unwrap_or_default();
            self.lines.heading(&format!("Target {}", excerpt(target, 80)));
            self.counts(group);
            self.statistics(group);
        }
        self.cases(pair);
        self.ruling(pair);
    }

    fn counts(&mut self, group: &Group) {
        let counts = &group.counts;
        let part = |count: u64, text: String, tone: Tone| {
            self.paint(if count == 0 { Tone::Aside } else { tone }, &text)
        };
        let parts = [
            part(counts.wins, format!("▲{GLUE}{}", number(counts.wins, "win", "wins")), Tone::Good),
            part(
                counts.losses,
                format!("▼{GLUE}{}", number(counts.losses, "loss", "losses")),
                Tone::Bad,
            ),
            part(
                counts.ties,
                format!("={GLUE}{}", number(counts.ties, "tie", "ties")),
                Tone::Aside,
            ),
            part(
                counts.errors,
                format!("!{GLUE}{}", number(counts.errors, "error", "errors")),
                Tone::Odd,
            ),
        ];
        let matched = self.paint(Tone::Heading, &format!("{} matched", counts.matched));
        let from = self.comparison.options.min_delta;
        let from = self.paint(Tone::Aside, &format!("(from a difference of {from} on)"));
        self.lines.wrapped("", "  ", &format!("{matched}: {} {from}", parts.join(", ")));
    }

    fn only(&mut self, run: &str, unmatched: &Unmatched) {
        if unmatched.rows == 0 {
            return;
        }
        let most = if self.verbose { usize::MAX } else { MOST_NAMED };
        let ids: Vec<String> = unmatched.ids.iter().take(most).map(|id| excerpt(id, 80)).collect();
        let more = if unmatched.ids.len() > ids.len() { ", …" } else { "" };
        let rows = number(unmatched.rows, "row", "rows");
        let label = self.paint(Tone::Odd, &format!("Only in {}", excerpt(run, 80)));
        self.lines.wrapped("", "  ", &format!("{label}: {rows} ({}{more})", ids.join(", ")));
    }

    fn statistics(&mut self, group: &Group) {
        for (name, value) in told_statistics(self.comparison, group) {
            let name = self.paint(Tone::Aside, &format!("{name}:"));
            self.lines.wrapped("  ", "    ", &format!("{name} {value}"));
        }
        let verdict = sentence(&words::verdict(group, self.comparison.options.cluster));
        let sign = group.finding.sign();
        let (head, rest) = verdict.split_once(':').unwrap_or((&verdict, ""));
        let head = self.paint(finding_tone(group.finding), &format!("{sign} {head}"));
        let text = if rest.is_empty() { head } else { format!("{head}:{rest}") };
        self.lines.wrapped("", "  ", &text);
    }

    fn cases(&mut self, pair: &PairComparison) {
        let is_all = self.verbose || pair.cases.total <= FEW;
        for list in case_lists(pair) {
            let (tone, most) = match list.kind {
                Kind::Bad => (Tone::Bad, MOST_BAD),
                Kind::Odd => (Tone::Odd, MOST_BAD),
                Kind::Good => (Tone::Good, MOST_OTHERS),
            };
            self.list(
                list.heading,
                list.sign,
                tone,
                list.changes,
                if is_all { usize::MAX } else { most },
            );
        }
        if is_all {
            self.list("Ties", "=", Tone::Aside, &pair.cases.tied, usize::MAX);
        }
    }

    fn list(&mut self, heading: &str, sign: &str, tone: Tone, changes: &Changes, most: usize) {
        if changes.total == 0 {
            return;
        }
        self.lines.heading(&format!("{heading} ({})", changes.total));
        let shown = changes.cases.iter().take(most);
        let labels: Vec<(&CaseChange, String)> =
            shown.map(|case| (case, label(&case.eval_id, case.target.as_deref()))).collect();
        let room = self.style.width.saturating_sub(4 + NUMBERS);
        let widths = labels.iter().map(|(_, label)| console::measure_text_width(label));
        let column = widths.filter(|width| *width <= room).max().unwrap_or(0);
        for (case, label) in &labels {
            self.case(case, label, (sign, tone), column);
        }
        self.more(changes.total - labels.len());
    }

    /// A case on one line where there is room for it, else on several.
    fn case(&mut self, case: &CaseChange, label: &str, (sign, tone): (&str, Tone), column: usize) {
        let (before, now) = (words::score(case.score1), words::score(case.score2));
        let delta = case.delta.map_or_else(|| "—".to_owned(), words::signed);
        let numbers =
            format!("{before:>5} → {now:<5}  {}", self.paint(tone, &format!("{delta:>6}")));
        let painted = self.paint(tone, sign);
        let width = console::measure_text_width(label);
        let mut line = if width <= column {
            format!("  {painted} {label}{}  {numbers}", " ".repeat(column - width))
        } else {
            let most = self.style.width.saturating_sub(4).max(20);
            self.lines.line(&format!("  {painted} {}", console::truncate_str(label, most, "…")));
            format!("    {numbers}")
        };
        let asides = told_repeats(case)
            .into_iter()
            .chain(case.place.as_deref().map(|it| excerpt(it, LONGEST_NAME)));
        for aside in asides {
            let used = console::measure_text_width(&line);
            let aside_width = console::measure_text_width(&aside);
            let aside = self.paint(Tone::Aside, &aside);
            if used + 2 + aside_width <= self.style.width {
                line.push_str("  ");
                line.push_str(&aside);
            } else {
                self.lines.line(&line);
                line = format!("    {aside}");
            }
        }
        self.lines.line(&line);
    }

    fn more(&mut self, count: usize) {
        if count > 0 {
            let text = format!("… and {count} more (-v, or --format json)");
            let text = self.paint(Tone::Aside, &text);
            self.lines.wrapped("  ", "  ", &text);
        }
    }

    fn ruling(&mut self, pair: &PairComparison) {
        let Some(ruling) = &pair.ruling else { return };
        self.lines.line("");
        let text = format!("Gate {}: {}", ruling.gate.name(), ruling.ruled.name());
        let text = self.paint(ruled_tone(ruling.ruled), &text);
        let reasons = ruling.reasons.join("; ");
        self.lines.wrapped("", "  ", &format!("{text}: {reasons}."));
    }
}

fn label(eval_id: &str, target: Option<&str>) -> String {
    let id = excerpt(eval_id, LONGEST_NAME);
    match target {
        Some(target) => format!("{id} [{}]", excerpt(target, 60)),
        None => id,
    }
}

fn finding_tone(finding: Finding) -> Tone {
    match finding {
        Finding::Better | Finding::NoWorse => Tone::Good,
        Finding::Worse => Tone::Bad,
        Finding::Inconclusive => Tone::Heading,
    }
}

fn ruled_tone(ruled: Ruled) -> Tone {
    match ruled {
        Ruled::Passed => Tone::Good,
        Ruled::Regressed => Tone::Bad,
        Ruled::Unevaluated | Ruled::Incomparable => Tone::Odd,
    }
}

fn number(count: u64, one: &str, many: &str) -> String {
    counted(usize_of(count), one, many)
}

fn usize_of(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
