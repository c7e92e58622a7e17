//! What the pairs of two runs come to: those of one target, or all of them.

use serde::Serialize;

use super::{
    ClusterBy, CompareOptions,
    matching::Naming,
    outcome::Outcome,
    side::Fact,
    verdict::{Finding, PairedStatistics, correct},
};
use crate::{
    names::Name,
    statistics::{ClusterDelta, How, PairedSample, holm, mcnemar_exact},
};

/// Pairs, by what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counts {
    pub(super) matched: u64,
    /// Both sides have a grade: all differences are of these.
    pub(super) graded: u64,
    pub(super) wins: u64,
    pub(super) losses: u64,
    pub(super) ties: u64,
    /// Either side is an error.
    pub(super) errors: u64,
    /// The baseline has a grade, and there is none now.
    pub(super) grades_lost: u64,
    /// Pairs whose scores are not the same.
    pub(super) differing: u64,
    pub(super) newly_passing: u64,
    pub(super) newly_failing: u64,
}

/// Whether passing became more or less frequent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PassTest {
    pub(super) test: PassTestKind,
    /// Cases, or clusters of them, that pass more often now.
    pub(super) better: u64,
    pub(super) worse: u64,
    pub(super) p: f64,
    pub(super) how: How,
    /// Corrected for the number of comparisons.
    pub(super) p_corrected: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PassTestKind {
    /// Of cases that were asked once.
    McnemarExact,
    /// Of the shares that passed, of cases that were asked several times or belong together.
    SignFlip,
}

/// A comparison with all that is said of it.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// None where it is over all targets.
    pub(super) target: Option<String>,
    pub(super) counts: Counts,
    pub(super) statistics: PairedStatistics,
    pub(super) passes: Option<PassTest>,
    /// The permutation test's, corrected for the number of comparisons.
    pub(super) p_corrected: Option<f64>,
    pub(super) p_shifted_corrected: Option<f64>,
    pub(super) finding: Finding,
}

/// What belongs together, and how much came of it.
#[derive(Clone, Copy, Default)]
struct Cluster {
    score: f64,
    passes: f64,
    pairs: u32,
}

/// A pair, and what it belongs to.
struct Member {
    cluster: [Name; 4],
    score: f64,
    passes: i8,
}

/// Takes pairs.
#[derive(Default)]
pub(super) struct Gathering {
    counts: Counts,
    members: Vec<Member>,
}

impl Gathering {
    pub(super) fn add(
        &mut self,
        naming: &Naming,
        first: &Fact,
        second: &Fact,
        options: &CompareOptions,
    ) {
        let outcome = Outcome::of(first.score(), second.score(), options.min_delta);
        let counts = &mut self.counts;
        counts.matched += 1;
        match outcome {
            Outcome::Win => counts.wins += 1,
            Outcome::Loss => counts.losses += 1,
            Outcome::Tie => counts.ties += 1,
            Outcome::Error => counts.errors += 1,
        }
        let (Some(before), Some(now)) = (first.score(), second.score()) else {
            counts.grades_lost += u64::from(first.score().is_some());
            return;
        };
        counts.graded += 1;
        let delta = now - before;
        counts.differing += u64::from(delta.abs() > super::outcome::ROUNDING);
        counts.newly_passing += u64::from(second.passed() && !first.passed());
        counts.newly_failing += u64::from(first.passed() && !second.passed());
        self.members.push(Member {
            cluster: cluster_key(naming, first, second, options.cluster),
            score: delta,
            passes: i8::from(second.passed()) - i8::from(first.passed()),
        });
    }

    /// Pairs come mostly in the order of their clusters: sorting them is faster than any map.
    fn clusters(mut self) -> Vec<Cluster> {
        self.members.sort_by_key(|member| member.cluster);
        let same = self.members.chunk_by(|one, other| one.cluster == other.cluster);
        let sum = |members: &[Member]| {
            members.iter().fold(Cluster::default(), |cluster, member| Cluster {
                score: cluster.score + member.score,
                passes: cluster.passes + f64::from(member.passes),
                pairs: cluster.pairs + 1,
            })
        };
        same.map(sum).collect()
    }

    pub(super) fn finish(self, target: Option<String>, margin: f64) -> Group {
        let counts = self.counts;
        let clusters = self.clusters();
        let delta = |cluster: &Cluster| ClusterDelta { sum: cluster.score, pairs: cluster.pairs };
        let scores = PairedSample::new(clusters.iter().map(delta));
        let statistics = PairedStatistics::of(&scores, margin);
        Group {
            target,
            counts,
            passes: pass_test(&clusters),
            p_corrected: statistics.permutation.map(|test| test.p),
            p_shifted_corrected: statistics.shifted.map(|test| test.p),
            statistics,
            finding: Finding::Inconclusive,
        }
    }
}

fn pass_test(clusters: &[Cluster]) -> Option<PassTest> {
    if clusters.is_empty() {
        return None;
    }
    let better = clusters.iter().filter(|it| it.passes > 0.0).count() as u64;
    let worse = clusters.iter().filter(|it| it.passes < 0.0).count() as u64;
    if clusters.iter().all(|cluster| cluster.pairs == 1) {
        let p = mcnemar_exact(better, worse);
        let test = PassTestKind::McnemarExact;
        return Some(PassTest { test, better, worse, p, how: How::Exact, p_corrected: p });
    }
    let delta = |cluster: &Cluster| ClusterDelta { sum: cluster.passes, pairs: cluster.pairs };
    let tested = PairedSample::new(clusters.iter().map(delta)).permutation()?;
    let (p, how) = (tested.p, tested.how);
    Some(PassTest { test: PassTestKind::SignFlip, better, worse, p, how, p_corrected: p })
}

/// Invariant: no two kinds of cluster have a key in common, so that a case without a conversation
/// never falls in with one.
fn cluster_key(naming: &Naming, first: &Fact, second: &Fact, by: ClusterBy) -> [Name; 4] {
    let dataset = if first.dataset == 0 { second.dataset } else { first.dataset };
    // A case that several targets were asked is still one case.
    let [named_dataset, id, _, suite] = naming.case(first);
    match by {
        ClusterBy::Dataset => [2, dataset, 0, 0],
        ClusterBy::Conversation => {
            let known = [first.conversation, second.conversation];
            match known.into_iter().find(|conversation| *conversation != 0) {
                Some(conversation) => [1, dataset, conversation, 0],
                None => [0, named_dataset, id, suite],
            }
        }
        ClusterBy::Case => [0, named_dataset, id, suite],
    }
}

/// Corrects the tests of all comparisons that are made at once for their number (Holm), and finds
/// what each comes to.
pub(super) fn correct_groups(groups: &mut [&mut Group]) {
    let corrected = correct(groups.iter().map(|group| &group.statistics));
    let passes: Vec<f64> = groups.iter().filter_map(|group| Some(group.passes?.p)).collect();
    let mut passes = holm(&passes).into_iter();
    for (group, corrected) in groups.iter_mut().zip(corrected) {
        let is_tested = group.statistics.permutation.is_some();
        group.p_corrected = is_tested.then_some(corrected.permutation);
        group.p_shifted_corrected = corrected.shifted;
        if let Some(test) = &mut group.passes {
            test.p_corrected = passes.next().unwrap_or(test.p);
        }
        group.finding = group.statistics.finding(corrected.permutation, corrected.shifted);
    }
}
