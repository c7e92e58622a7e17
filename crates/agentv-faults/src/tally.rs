//! What there was to see in a campaign.

use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub rounds: usize,
    pub kills: usize,
    pub terminations: usize,
    pub interrupts: usize,
    pub double_interrupts: usize,
    pub hangups: usize,
    /// Signals that came when the run had ended by itself.
    pub too_late: usize,
    /// Runs that died before there was anything to resume.
    pub unborn: usize,
    pub resumes: usize,
    /// Last rows that a kill had cut.
    pub torn: usize,
    /// Last rows that were cut afterwards, as a loss of power does.
    pub torn_afterwards: usize,
}

impl Tally {
    /// Runs that did not end by themselves.
    pub fn deaths(&self) -> usize {
        self.kills + self.terminations + self.interrupts + self.double_interrupts + self.hangups
    }

    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        Self {
            rounds: self.rounds + other.rounds,
            kills: self.kills + other.kills,
            terminations: self.terminations + other.terminations,
            interrupts: self.interrupts + other.interrupts,
            double_interrupts: self.double_interrupts + other.double_interrupts,
            hangups: self.hangups + other.hangups,
            too_late: self.too_late + other.too_late,
            unborn: self.unborn + other.unborn,
            resumes: self.resumes + other.resumes,
            torn: self.torn + other.torn,
            torn_afterwards: self.torn_afterwards + other.torn_afterwards,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} deaths in {} rounds: {} SIGKILL, {} SIGTERM, {} Ctrl-C, {} Ctrl-C twice, {} SIGHUP; \
             {} resumes, {} died before there was a run, {} signals came too late; \
             {} torn rows seen, {} torn on purpose",
            self.deaths(),
            self.rounds,
            self.kills,
            self.terminations,
            self.interrupts,
            self.double_interrupts,
            self.hangups,
            self.resumes,
            self.unborn,
            self.too_late,
            self.torn,
            self.torn_afterwards,
        )
    }
}
