//! From what a judge said of labelled answers to its calibration.

use agentv_base::{JudgeRecord, TokenUsage, excerpt_ends};

use super::record::{
    CalibratedJudge, Calibration, Disagreement, FileHash, JudgeError, Spent, VERSION,
};
use crate::{
    record::Timestamp,
    statistics::{Agreement, Confidence, Confusion, SelfConsistency},
};

/// So much of an answer and of a judge's reasons is kept; the rest is in nobody's interest, and files are committed.
const KEPT: usize = 600;

/// What was measured, whatever came of it.
#[derive(Clone, Debug)]
pub struct Measured {
    pub grader: String,
    pub fingerprint: String,
    pub judge: CalibratedJudge,
    pub measured_at: Timestamp,
    pub agentv_version: String,
    pub suite: FileHash,
    pub labels_file: FileHash,
    pub confidence: Confidence,
    pub repeats: u64,
}

/// One labelled answer, and all that the judge said of it.
#[derive(Clone, Debug)]
pub struct Judged {
    pub eval_id: String,
    /// Of the file of labels, from 1.
    pub line: usize,
    /// What was judged.
    pub answer: String,
    pub labeler: Option<String>,
    pub people_pass: bool,
    /// The score from which the judge passes it.
    pub pass_from: f64,
    /// In the order of the repeats; the reason where it could not be asked.
    pub judgements: Vec<Result<Judgement, String>>,
    /// What was asked for them.
    pub asked: Vec<JudgeRecord>,
}

/// What the judge said once.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub passes: bool,
    pub score: f64,
    pub reasoning: Option<String>,
}

impl Measured {
    /// What the judge is worth by these answers. An answer with an error among its judgements is
    /// in none of the numbers, and is told.
    pub fn of(self, judged: &[Judged]) -> Calibration {
        let mut table = Confusion::default();
        let mut times_passed = Vec::with_capacity(judged.len());
        let (mut wrong, mut errors) = (Vec::new(), Vec::new());
        for answer in judged {
            errors.extend(answer.errors());
            let Some(judgements) = answer.heard() else { continue };
            let Some(first) = judgements.first() else { continue };
            table.add(answer.people_pass, first.passes);
            let passed = judgements.iter().filter(|judgement| judgement.passes).count();
            times_passed.push(passed as u64);
            if first.passes != answer.people_pass {
                let unanimous = passed == 0 || passed == judgements.len();
                wrong.push(answer.disagreement(first, unanimous));
            }
        }
        Calibration {
            version: VERSION,
            grader: self.grader,
            fingerprint: self.fingerprint,
            judge: self.judge,
            measured_at: self.measured_at,
            agentv_version: self.agentv_version,
            suite: self.suite,
            labels_file: self.labels_file,
            pass_from: cutoffs(judged),
            confidence: self.confidence,
            repeats: self.repeats,
            agreement: Agreement::of(table, self.confidence),
            self_consistency: SelfConsistency::of(&times_passed, self.repeats, self.confidence),
            wrong,
            errors,
            spent: Spent::of(judged.iter().flat_map(|answer| &answer.asked)),
        }
    }
}

impl Judged {
    /// All judgements, where there is none that could not be had.
    fn heard(&self) -> Option<Vec<&Judgement>> {
        self.judgements.iter().map(|judgement| judgement.as_ref().ok()).collect()
    }

    fn errors(&self) -> impl Iterator<Item = JudgeError> {
        (1..).zip(&self.judgements).filter_map(|(repeat, judgement)| {
            let error = judgement.as_ref().err()?;
            let (eval_id, line) = (self.eval_id.clone(), self.line);
            Some(JudgeError { eval_id, line, repeat, error: excerpt_ends(error, KEPT) })
        })
    }

    fn disagreement(&self, first: &Judgement, unanimous: bool) -> Disagreement {
        Disagreement {
            eval_id: self.eval_id.clone(),
            line: self.line,
            labeler: self.labeler.clone(),
            answer: Some(excerpt_ends(&self.answer, KEPT)),
            people_pass: self.people_pass,
            judge_passes: first.passes,
            score: first.score,
            unanimous,
            reasoning: first.reasoning.as_deref().map(|reasoning| excerpt_ends(reasoning, KEPT)),
        }
    }
}

fn cutoffs(judged: &[Judged]) -> Vec<f64> {
    let mut cutoffs: Vec<f64> = judged.iter().map(|answer| answer.pass_from).collect();
    cutoffs.sort_unstable_by(f64::total_cmp);
    cutoffs.dedup();
    cutoffs
}

impl Spent {
    /// What is not known of one part is not known of the whole.
    fn of<'r>(asked: impl Iterator<Item = &'r JudgeRecord>) -> Self {
        let nothing = TokenUsage { input: 0, output: 0, cached: None };
        let start = Self { asks: 0, token_usage: Some(nothing), cost_usd: Some(0.0) };
        let all = asked.fold(start, |sum, record| Self {
            asks: sum.asks + u64::from(record.asks),
            token_usage: sum.token_usage.zip(record.token_usage).map(|(a, b)| a.plus(b)),
            cost_usd: sum.cost_usd.zip(record.cost_usd).map(|(a, b)| a + b),
        });
        // Of nobody who was asked nothing is known, rather than that it was free.
        if all.asks == 0 { Self::default() } else { all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::sample;

    #[test]
    fn the_first_time_decides_on_agreement_and_all_times_on_consistency() {
        let judged = [
            sample::judged("a", true, &[1.0, 1.0, 1.0]),
            sample::judged("b", true, &[0.2, 0.9, 0.9]),
            sample::judged("c", false, &[0.1, 0.1, 0.1]),
        ];
        let found = sample::measured(3).of(&judged);
        let table = Confusion { true_pass: 1, false_fail: 1, false_pass: 0, true_fail: 1 };
        assert_eq!(found.agreement.table, table);
        let consistency = found.self_consistency.unwrap();
        assert_eq!((consistency.unanimous.count, consistency.unanimous.of), (2, 3));
        let [wrong] = found.wrong.as_slice() else { panic!("{:?}", found.wrong) };
        assert_eq!((wrong.eval_id.as_str(), wrong.score, wrong.unanimous), ("b", 0.2, false));
    }

    #[test]
    fn an_answer_with_an_error_is_in_none_of_the_numbers_and_is_told() {
        let mut broken = sample::judged("b", false, &[1.0, 1.0]);
        broken.judgements[1] = Err("it is down".to_owned());
        let found = sample::measured(2).of(&[sample::judged("a", true, &[1.0, 1.0]), broken]);
        assert_eq!(found.agreement.table.total(), 1);
        assert_eq!(found.self_consistency.unwrap().unanimous.of, 1);
        assert_eq!(found.wrong, []);
        let [error] = found.errors.as_slice() else { panic!("{:?}", found.errors) };
        assert_eq!((error.repeat, error.error.as_str()), (2, "it is down"));
    }

    #[test]
    fn a_cost_that_one_answer_does_not_know_is_not_known() {
        let mut judged = sample::judged("a", true, &[1.0, 1.0]);
        let known = JudgeRecord { asks: 1, cost_usd: Some(0.25), ..JudgeRecord::default() };
        judged.asked = vec![known.clone(), known.clone()];
        let spent = sample::measured(2).of(std::slice::from_ref(&judged)).spent;
        assert_eq!((spent.asks, spent.cost_usd, spent.token_usage), (2, Some(0.5), None));
        judged.asked = vec![known, JudgeRecord { asks: 1, ..JudgeRecord::default() }];
        let spent = sample::measured(2).of(&[judged]).spent;
        assert_eq!((spent.asks, spent.cost_usd), (2, None));
    }

    #[test]
    fn of_errors_alone_nothing_is_known() {
        let mut broken = sample::judged("a", true, &[1.0]);
        broken.judgements = vec![Err("down".to_owned())];
        let found = sample::measured(1).of(&[broken]);
        assert_eq!((found.note(), found.self_consistency), (None, None));
    }
}
