//! How leftovers are ended: asked, then killed, then called leaked. A state machine that is told
//! what is still there and says what to do; it signals nothing itself.

use std::{collections::HashMap, time::Duration};

use tokio::time::Instant;

use super::ladder::GRACE;

/// How long after SIGKILL a leftover may take to disappear.
pub(super) const LEFTOVER_PATIENCE: Duration = Duration::from_secs(2);

/// The pauses between two looks: short at first, because most processes go at once.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Something that an invocation left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Leftover {
    Process {
        pid: i32,
        group: i32,
    },
    /// A group that is not empty although none of its members can be seen.
    Group(i32),
}

impl Leftover {
    pub(super) fn is_in(self, other: i32) -> bool {
        match self {
            Self::Process { group, .. } | Self::Group(group) => group == other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Force {
    Terminate,
    Kill,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Signal { force: Force, to: Vec<Leftover>, pause: Duration },
    Over { ended: usize, leaked: Vec<Leftover> },
}

#[derive(Default)]
pub(super) struct Ending {
    began: Option<Instant>,
    /// A group whose members were asked before it began.
    asked: Option<i32>,
    signalled: HashMap<Leftover, Force>,
    pause: Option<Duration>,
}

impl Ending {
    /// For leftovers of a leader that was itself asked to end, with all of its group: their grace
    /// has begun, and they are not asked twice.
    pub(super) fn after_asking(group: i32, at: Instant) -> Self {
        Self { began: Some(at), asked: Some(group), ..Self::default() }
    }

    /// `found` is everything that is there at `now`; `hurry` leaves out the grace.
    pub(super) fn step(&mut self, now: Instant, hurry: bool, found: &[Leftover]) -> Next {
        let age = now - *self.began.get_or_insert(now);
        if found.is_empty() || age >= GRACE + LEFTOVER_PATIENCE {
            let leaked: Vec<_> = found.to_vec();
            let ended =
                self.signalled.keys().filter(|one| !leaked.contains(one) && self.counts(**one));
            return Next::Over { ended: ended.count(), leaked };
        }
        let force = if hurry || age >= GRACE { Force::Kill } else { Force::Terminate };
        let mut to = Vec::new();
        for leftover in found {
            // One question each, then one kill each, also for those that appeared in between.
            let asked = self.asked.is_some_and(|group| leftover.is_in(group));
            let with_group = self.signalled_with_group(*leftover);
            let sent = self.signalled.insert(*leftover, force);
            let sent = sent.or(with_group).or(asked.then_some(Force::Terminate));
            if sent.is_none_or(|sent| sent < force) {
                to.push(*leftover);
            }
        }
        let pause = self.pause.map_or(FIRST_PAUSE, |pause| (pause * 2).min(LONGEST_PAUSE));
        self.pause = Some(pause);
        Next::Signal { force, to, pause }
    }
}

impl Ending {
    /// What was sent to the whole group of a process that could not be seen then.
    fn signalled_with_group(&self, leftover: Leftover) -> Option<Force> {
        match leftover {
            Leftover::Process { group, .. } => self.signalled.get(&Leftover::Group(group)).copied(),
            Leftover::Group(_) => None,
        }
    }

    /// A group counts only where none of its members ever came to light.
    fn counts(&self, leftover: Leftover) -> bool {
        match leftover {
            Leftover::Process { .. } => true,
            Leftover::Group(group) => !self
                .signalled
                .keys()
                .any(|other| matches!(other, Leftover::Process { .. }) && other.is_in(group)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32) -> Leftover {
        Leftover::Process { pid, group: pid }
    }

    /// What comes out for each `(milliseconds, hurry, what is there)`.
    fn check(moments: &[(u64, bool, &[i32])]) -> Vec<String> {
        let start = Instant::now();
        check_ending(Ending::default(), start, moments)
    }

    fn check_ending(
        mut ending: Ending,
        start: Instant,
        moments: &[(u64, bool, &[i32])],
    ) -> Vec<String> {
        moments
            .iter()
            .map(|(millis, hurry, pids)| {
                let found: Vec<_> = pids.iter().map(|pid| process(*pid)).collect();
                match ending.step(start + Duration::from_millis(*millis), *hurry, &found) {
                    Next::Signal { force, to, .. } => format!("{force:?} {}", to.len()),
                    Next::Over { ended, leaked } => format!("over {ended} {}", leaked.len()),
                }
            })
            .collect()
    }

    #[test]
    fn nothing_left_is_nothing_to_do() {
        assert_eq!(check(&[(0, false, &[])]), ["over 0 0"]);
    }

    #[test]
    fn each_is_asked_once_and_counted_when_it_is_gone() {
        assert_eq!(
            check(&[(0, false, &[1, 2]), (5, false, &[2, 3]), (9, false, &[])]),
            ["Terminate 2", "Terminate 1", "over 3 0"]
        );
    }

    #[test]
    fn after_the_grace_what_is_still_there_is_killed() {
        assert_eq!(
            check(&[(0, false, &[1, 2]), (1000, false, &[2, 3]), (1001, false, &[])]),
            ["Terminate 2", "Kill 2", "over 3 0"]
        );
    }

    #[test]
    fn who_was_asked_with_the_leader_is_not_asked_again_and_has_the_rest_of_its_grace() {
        let start = Instant::now();
        assert_eq!(
            check_ending(
                Ending::after_asking(1, start),
                start,
                &[(600, false, &[1, 2]), (1000, false, &[1, 2]), (1001, false, &[])]
            ),
            ["Terminate 1", "Kill 2", "over 2 0"]
        );
    }

    #[test]
    fn a_member_that_comes_to_light_is_asked_and_counted_with_its_group() {
        let start = Instant::now();
        let mut ending = Ending::default();
        let mut step = |millis, found: &[Leftover]| {
            ending.step(start + Duration::from_millis(millis), false, found)
        };
        let member = Leftover::Process { pid: 2, group: 1 };
        assert!(matches!(step(0, &[Leftover::Group(1)]), Next::Signal { to, .. } if to.len() == 1));
        assert!(matches!(step(1, &[member]), Next::Signal { to, .. } if to.is_empty()));
        assert!(matches!(step(2, &[]), Next::Over { ended: 1, .. }));
    }

    #[test]
    fn in_a_hurry_there_is_no_grace() {
        assert_eq!(
            check(&[(0, false, &[1]), (1, true, &[1]), (2, true, &[])]),
            ["Terminate 1", "Kill 1", "over 1 0"]
        );
    }

    #[test]
    fn what_survives_being_killed_is_leaked_and_not_counted_as_ended() {
        assert_eq!(check(&[(0, true, &[1, 2]), (3000, true, &[2])]), ["Kill 2", "over 1 1"]);
    }
}
