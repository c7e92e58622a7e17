//! What keeps the numbers of a calibration from saying much.

use super::record::Calibration;

/// With fewer labels the interval of a rate is wider than anybody can use.
const FEW_LABELS: u64 = 30;

/// Fewer answers of one class say next to nothing of the rate of that class.
const FEW_OF_A_CLASS: u64 = 10;

/// Below this agreement beyond chance is moderate at best (Landis and Koch 1977).
const LOW_KAPPA: f64 = 0.6;

/// Below this share of answers a judge that is asked once is a matter of luck.
const LOW_CONSISTENCY: f64 = 0.9;

/// A difference that chance alone gives less often than this is none of chance.
const UNLIKELY: f64 = 0.05;

impl Calibration {
    /// In plain sentences, without an end.
    pub fn warnings(&self) -> Vec<String> {
        let table = &self.agreement.table;
        let labels = table.total();
        let mut said = Vec::new();
        if labels == 0 {
            said.push("nothing was measured: every judgement failed".to_owned());
            return said;
        }
        if labels < FEW_LABELS {
            let few = if labels == 1 { "1 label is" } else { &format!("{labels} labels are") };
            said.push(format!("{few} few: with fewer than {FEW_LABELS} these numbers say little"));
        }
        for (count, name) in [(table.people_pass(), "pass"), (table.people_fail(), "fail")] {
            if count == 0 {
                said.push(format!(
                    "no label says {name}: whether the judge tells good answers from bad ones is \
                     not known"
                ));
            } else if count < FEW_OF_A_CLASS {
                let labels = if count == 1 { "label says" } else { "labels say" };
                said.push(format!("only {count} {labels} {name}: its rate is hardly known"));
            }
        }
        if let Some(kappa) = self.agreement.kappa.filter(|kappa| kappa.value < LOW_KAPPA) {
            said.push(format!(
                "kappa is {:.2}: below {LOW_KAPPA} a judge agrees with people little beyond chance",
                kappa.value
            ));
        }
        if let Some(bias) = self.agreement.bias.filter(|bias| bias.p_value < UNLIKELY) {
            let milder = if bias.difference > 0.0 { "milder" } else { "harder" };
            said.push(format!("the judge is {milder} than people, and not by chance"));
        }
        let unanimous = self.self_consistency.and_then(|found| found.unanimous.share);
        if unanimous.is_some_and(|share| share < LOW_CONSISTENCY) {
            said.push(
                "the judge says different things of the same answer: ask it several times \
                 (`samples`), or set `temperature: 0`"
                    .to_owned(),
            );
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use crate::calibration::sample;

    fn check(answers: &[(bool, &[f64], usize)]) -> Vec<String> {
        let judged: Vec<_> = answers
            .iter()
            .flat_map(|(people, scores, times)| {
                (0..*times).map(|_| sample::judged("a", *people, scores))
            })
            .collect();
        let warnings = sample::measured(2).of(&judged).warnings();
        warnings.iter().map(|said| said.split(':').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn enough_labels_that_agree_are_nothing_to_warn_of() {
        assert_eq!(check(&[(true, &[1.0, 1.0], 20), (false, &[0.0, 0.0], 20)]), [""; 0]);
    }

    #[test]
    fn few_labels_and_few_of_a_class_are_told() {
        assert_eq!(
            check(&[(true, &[1.0, 1.0], 10), (false, &[0.0, 0.0], 1)]),
            ["11 labels are few", "only 1 label says fail"]
        );
        assert_eq!(check(&[(true, &[1.0, 1.0], 30)]), ["no label says fail"]);
        assert_eq!(check(&[]), ["nothing was measured"]);
    }

    #[test]
    fn a_judge_that_is_mild_or_undecided_is_told() {
        assert_eq!(
            check(&[(true, &[1.0, 1.0], 20), (false, &[1.0, 0.0], 15), (false, &[0.0, 0.0], 5),]),
            [
                "kappa is 0.25",
                "the judge is milder than people, and not by chance",
                "the judge says different things of the same answer",
            ]
        );
    }
}
