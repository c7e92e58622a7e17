//! When a repeated case has been asked enough: two bets, and the promise that neither is won by
//! chance more often than once in twenty cases.
//!
//! The rule and what it guarantees: `docs/design/011-repeats.md`.

use agentv_base::{StopRule, reaches};
use serde::{Deserialize, Serialize};

/// How often, at most, a case whose expected score lies on the other side of its threshold is decided
/// wrongly.
pub const ERROR_LEVEL: f64 = 0.05;

/// What part of the stake is risked, and which share of the money is played that way. Half of it goes
/// all in, which is quick where scores are all alike; the rest survives scores that are not.
pub(super) const BETS: [(f64, f64); 5] =
    [(1.0, 0.5), (0.75, 0.125), (0.5, 0.125), (0.25, 0.125), (0.125, 0.125)];

/// Decides by the scores so far whether the expected score of a case reaches its threshold.
#[derive(Clone, Copy, Debug, Default)]
pub struct UntilDecided;

impl StopRule for UntilDecided {
    fn is_decided(&self, threshold: f64, scores: &[f64]) -> bool {
        let mut wager = Wager::on(threshold);
        // Once it is won it is won, so nothing of a long list is looked at for nothing.
        scores.iter().any(|score| wager.add(*score).is_some())
    }
}

/// On which side of its threshold the expected score of a case lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Reaches,
    FallsShort,
}

/// Two players with one coin each. One bets before every score that it will be above the threshold,
/// the other that it will be below. If the expected score is the threshold itself, their bets are
/// fair, and fair bets turn one coin into 1 / α with a probability of at most α, whenever one looks
/// (Ville's inequality).
///
/// Products that become too small for a number become 0, which only makes a decision later; they
/// cannot become too large, because the game ends before.
#[derive(Clone, Debug)]
pub(crate) struct Wager {
    threshold: f64,
    /// What each of the bets has made of its part.
    above: [f64; BETS.len()],
    below: [f64; BETS.len()],
    decision: Option<Decision>,
}

impl Wager {
    pub(crate) fn on(threshold: f64) -> Self {
        let stakes = BETS.map(|(_, share)| share);
        Self { threshold, above: stakes, below: stakes, decision: None }
    }

    pub(crate) fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// Takes the next score, and says whether the case is decided. What is decided stays so.
    pub(crate) fn add(&mut self, score: f64) -> Option<Decision> {
        if self.decision.is_none() {
            self.decision = self.play(score.clamp(0.0, 1.0));
        }
        self.decision
    }

    fn play(&mut self, score: f64) -> Option<Decision> {
        let threshold = self.threshold;
        // Nothing to bet on: every score reaches it, and so does any mean of them.
        if reaches(0.0, threshold) {
            return Some(Decision::Reaches);
        }
        // A mean is 1 only if every score is: one that is less settles it, and no number of perfect
        // ones says that the next will be.
        if threshold >= 1.0 {
            return (!reaches(score, threshold)).then_some(Decision::FallsShort);
        }
        // A bet of λ = part / threshold multiplies by 1 + λ (score − threshold), written so that it
        // cannot fall below 0.
        let above = score / threshold;
        let below = (1.0 - score) / (1.0 - threshold);
        let won = |money: &mut [f64; BETS.len()], gain: f64| {
            for (money, (part, _)) in money.iter_mut().zip(BETS) {
                *money *= (1.0 - part) + part * gain;
            }
            money.iter().sum::<f64>() >= 1.0 / ERROR_LEVEL
        };
        if won(&mut self.above, above) {
            Some(Decision::Reaches)
        } else if won(&mut self.below, below) {
            Some(Decision::FallsShort)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
