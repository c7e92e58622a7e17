//! A calibration as text for a screen, in words for those who never heard of the numbers. Words and
//! numbers say everything; colour only repeats it.

use std::fmt::Write as _;

use agentv_base::excerpt;

use super::record::Calibration;
use crate::{
    page::Page,
    statistics::{Interval, Proportion},
    style::{Style, Tone, counted},
};

/// The width of the column of names.
const NAMES: usize = 27;

/// What stands before the meaning of a number.
const INDENT: &str = "      ";

/// What agreement beyond chance is called, from which kappa on (Landis and Koch 1977).
const WORDS: [(f64, &str); 5] = [
    (0.8, "almost perfect"),
    (0.6, "substantial"),
    (0.4, "moderate"),
    (0.2, "fair"),
    (0.0, "slight"),
];

impl Calibration {
    /// The text, with an end of line after each line.
    pub fn render(&self, style: Style) -> String {
        let mut page = Page::new(style);
        self.write_heading(&mut page);
        self.write_agreement(&mut page);
        self.write_table(&mut page);
        self.write_consistency(&mut page);
        self.write_wrong(&mut page);
        self.write_errors(&mut page);
        let warnings = self.warnings();
        if !warnings.is_empty() {
            page.heading("Beware");
        }
        for warning in warnings {
            let sign = page.style.paint(Tone::Odd, "!");
            page.wrapped(&format!("  {sign} "), &warning);
        }
        self.write_spent(&mut page);
        page.text
    }

    fn write_heading(&self, page: &mut Page) {
        let judge = &self.judge;
        let model = judge.model.as_ref().map(|model| format!(", {}", excerpt(model, 100)));
        let heading = format!(
            "Judge `{}` ({}{})",
            excerpt(&self.grader, 100),
            excerpt(&judge.target, 100),
            model.unwrap_or_default()
        );
        let measured = self.agreement.table.total();
        let times = match self.repeats {
            1 => "asked once".to_owned(),
            times => format!("asked {times} times each"),
        };
        let labels = counted(count(measured), "label", "labels");
        let heading = page.style.paint(Tone::Heading, &heading);
        let suite = excerpt(&self.suite.path, 200);
        page.wrapped("", &format!("{heading}: {labels} of {suite}, {times}"));
        if let Some(verdict) = self.verdict() {
            page.wrapped("", &verdict);
        }
    }

    /// All of it in one sentence; nothing where nothing was measured.
    fn verdict(&self) -> Option<String> {
        let accuracy = self.agreement.accuracy;
        accuracy.share?;
        let right = format!(
            "Agrees with people on {} of {}",
            accuracy.count,
            counted(count(accuracy.of), "answer", "answers")
        );
        let Some(kappa) = self.agreement.kappa.map(|kappa| kappa.value) else {
            return Some(format!("{right}; how much of that is chance cannot be known."));
        };
        Some(match WORDS.iter().find(|(from, _)| kappa >= *from) {
            Some((_, word)) => format!("{right}; beyond chance that is {word} (κ {kappa:.2})."),
            None => format!("{right}, which is worse than chance (κ {kappa:.2})."),
        })
    }

    fn write_agreement(&self, page: &mut Page) {
        let found = &self.agreement;
        if found.table.total() == 0 {
            return;
        }
        let level = self.confidence.level() * 100.0;
        page.heading(&format!("Agreement with people (with {level} % intervals)"));
        page.share("accuracy", &found.accuracy, "how often it is right");
        let meaning = "agreement beyond chance: 1 is all of it, 0 is none";
        match found.kappa {
            Some(kappa) => {
                let interval =
                    kappa.interval.map(|Interval { low, high }| format!("{low:.2} to {high:.2}"));
                let value = format!("{:.2}", kappa.value);
                page.number("Cohen's kappa", &value, interval.as_deref(), meaning);
            }
            None => page.number(
                "Cohen's kappa",
                "–",
                None,
                &format!("{meaning}; unknown: both said the same of everything"),
            ),
        }
        for (name, share, meaning) in [
            (
                "true positive rate",
                &found.true_positive_rate,
                "of the good answers, the share that it passes",
            ),
            (
                "true negative rate",
                &found.true_negative_rate,
                "of the bad answers, the share that it fails",
            ),
            (
                "positive predictive value",
                &found.positive_predictive_value,
                "of what it passes, the share that is good",
            ),
            (
                "negative predictive value",
                &found.negative_predictive_value,
                "of what it fails, the share that is bad",
            ),
        ] {
            page.share(name, share, meaning);
        }
        if let Some(bias) = found.bias {
            let meaning = format!(
                "it passes {:.1} % of the answers and people {:.1} %: above 0 it is milder than \
                 they are, below 0 harder (chance alone does as much with p = {:.3})",
                bias.judge_pass_rate * 100.0,
                bias.human_pass_rate * 100.0,
                bias.p_value
            );
            page.number("bias", &format!("{:+.1} %", bias.difference * 100.0), None, &meaning);
        }
    }

    fn write_table(&self, page: &mut Page) {
        let table = &self.agreement.table;
        if table.total() == 0 {
            return;
        }
        page.line("");
        page.line(&format!("  {:NAMES$} {:>12} {:>12}", "", "judge passes", "judge fails"));
        for (name, passes, fails) in [
            ("people pass", table.true_pass, table.false_fail),
            ("people fail", table.false_pass, table.true_fail),
        ] {
            page.line(&format!("  {name:NAMES$} {passes:>12} {fails:>12}"));
        }
    }

    fn write_consistency(&self, page: &mut Page) {
        let Some(found) = &self.self_consistency else { return };
        page.heading(&format!("Agreement with itself over {} repeats", found.repeats));
        let meaning = "answers of which it said one thing every time";
        page.share("said the same each time", &found.unanimous, meaning);
        page.number(
            "pairs of repeats that agree",
            &format!("{:.1} %", found.pairwise_agreement * 100.0),
            None,
            "how often two times agree that are picked at random",
        );
        let meaning = "the same beyond chance: 1 is all of it, 0 is none";
        match found.fleiss_kappa {
            Some(kappa) => page.number("Fleiss' kappa", &format!("{kappa:.2}"), None, meaning),
            None => page.number(
                "Fleiss' kappa",
                "–",
                None,
                &format!("{meaning}; unknown: it said the same of everything"),
            ),
        }
    }

    fn write_spent(&self, page: &mut Page) {
        let spent = &self.spent;
        let mut said = format!("Asked {}", counted(count(spent.asks), "time", "times"));
        if let Some(tokens) = spent.token_usage {
            let _ = write!(said, ", {} tokens in, {} out", tokens.input, tokens.output);
        }
        if let Some(cost) = spent.cost_usd {
            let _ = write!(said, ", ${cost:.4}");
        }
        page.line("");
        page.wrapped("", &said);
    }
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Page {
    /// A number under its name, and what it says.
    fn number(&mut self, name: &str, value: &str, interval: Option<&str>, meaning: &str) {
        let interval = interval.unwrap_or_default();
        self.line(&format!("  {name:NAMES$} {value:>7}  {interval:>15}"));
        let meaning = self.style.paint(Tone::Aside, meaning);
        self.wrapped(INDENT, &meaning);
    }

    fn share(&mut self, name: &str, proportion: &Proportion, meaning: &str) {
        let (Some(share), Some(Interval { low, high })) = (proportion.share, proportion.interval)
        else {
            self.number(name, "–", None, &format!("{meaning}; unknown: there is no such answer"));
            return;
        };
        let interval = format!("{:.1} to {:.1} %", low * 100.0, high * 100.0);
        let meaning = format!("{meaning} ({} of {})", proportion.count, proportion.of);
        self.number(name, &format!("{:.1} %", share * 100.0), Some(&interval), &meaning);
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
