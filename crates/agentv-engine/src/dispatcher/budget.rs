//! What was spent, what is under way, and what can still be paid for.
//!
//! The price of a slot is the most that one attempt at a slot of its target has taken so far, with
//! its judges. So what is begun stays within the budget as long as nothing takes more than anything
//! before. Money that is spent never comes back and prices never fall: what cannot be paid for with
//! nothing reserved never can.

use std::collections::HashSet;

use agentv_base::{Assessment, Failure, Outcome, Provenance, Response, Spent};

use crate::{agenda::Agenda, limits::Limits};

/// Amounts are sums of decimals: what is missing by less than this is there.
const ROUNDING: f64 = 1e-9;

/// How many slots of a target may be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Begin(usize),
    /// Perhaps, when what is under way has shown its real price.
    Wait,
    /// What is left cannot pay for one, and there will not be more.
    Never,
}

/// What the end of an attempt says of its price.
#[derive(Default)]
pub(super) struct Bill<'a> {
    /// What the target took; none where it was not asked.
    own: Option<Spent>,
    /// Whether it answered, so that what it does not say now it never says.
    answered: bool,
    assessment: Option<&'a Assessment>,
    /// There is an answer, and whoever was to look at it has done so.
    settled: bool,
}

impl<'a> Bill<'a> {
    pub fn of(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Assessed { response, assessment } => {
                Self { assessment: Some(assessment), settled: true, ..Self::of_response(response) }
            }
            Outcome::Answered { response } => Self { settled: true, ..Self::of_response(response) },
            Outcome::Failed { failure } => Self::of_failure(failure),
        }
    }

    pub fn of_failure(failure: &Failure) -> Self {
        let tokens = failure.token_usage.map(|usage| usage.total());
        let own = Some(Spent { tokens, cost_usd: failure.cost_usd });
        Self { own, ..Self::default() }
    }

    pub fn of_response(response: &Response) -> Self {
        match response.provenance {
            Provenance::Asked => {
                let tokens = response.token_usage.map(|usage| usage.total());
                let own = Some(Spent { tokens, cost_usd: response.cost_usd });
                Self { own, answered: true, ..Self::default() }
            }
            Provenance::Cache | Provenance::Earlier(_) => Self::default(),
        }
    }
}

/// What is known of the price of a target's slots.
#[derive(Clone, Copy, Default)]
struct Price {
    /// The most that one took, with its judges.
    most: Option<f64>,
    /// The target itself has said what it took.
    told: bool,
    /// It answered and did not say.
    silent: bool,
    /// One of its answers was settled, with all that judges took for it.
    graded: bool,
}

/// One of the two things that run out.
struct Purse {
    limit: f64,
    spent: f64,
    prices: Vec<Price>,
    amount: fn(&Spent) -> Option<f64>,
    /// What is not told, and by which flag it cannot be held back.
    untold: &'static str,
    flag: &'static str,
    silent_judges: HashSet<String>,
}

#[derive(Default)]
pub(super) struct Budget {
    purses: Vec<Purse>,
    /// Slots of each target that are being asked or graded.
    under_way: Vec<usize>,
    /// Those of them for which the target may be at work.
    asking: Vec<usize>,
    names: Vec<std::sync::Arc<str>>,
}

impl Budget {
    pub fn new(limits: &Limits, agenda: &Agenda) -> Self {
        let count = agenda.targets.len();
        let mut purses = Vec::new();
        if let Some(limit) = limits.budget_usd {
            purses.push(Purse {
                limit,
                spent: 0.0,
                prices: vec![Price::default(); count],
                amount: |spent| spent.cost_usd,
                untold: "what it costs",
                flag: "--budget-usd",
                silent_judges: HashSet::new(),
            });
        }
        if let Some(limit) = limits.budget_tokens {
            purses.push(Purse {
                limit: limit as f64,
                spent: 0.0,
                prices: vec![Price::default(); count],
                amount: |spent| spent.tokens.map(|tokens| tokens as f64),
                untold: "how many tokens it takes",
                flag: "--budget-tokens",
                silent_judges: HashSet::new(),
            });
        }
        let names = agenda.targets.iter().map(|target| target.name.clone()).collect();
        let mut budget = Self { purses, under_way: vec![0; count], asking: vec![0; count], names };
        for (slot, past) in agenda.settled.iter().filter(|(_, past)| !past.carried) {
            if let Some(place) = agenda.slots.get(*slot) {
                for purse in &mut budget.purses {
                    purse.spent += purse.amount(&past.spent).unwrap_or(0.0);
                    purse.learn(place.target(), past.own, past.judges);
                }
            }
        }
        budget
    }

    /// How many of `wanted` slots of a target may be begun now.
    pub fn admit(&self, target: usize, wanted: usize) -> Admission {
        let mut admitted = wanted;
        let mut waits = false;
        for purse in &self.purses {
            match purse.admit(target, wanted, &self.under_way, self.asking[target]) {
                Admission::Begin(count) => admitted = admitted.min(count),
                Admission::Wait => waits = true,
                Admission::Never => return Admission::Never,
            }
        }
        if waits { Admission::Wait } else { Admission::Begin(admitted) }
    }

    pub fn is_under_way(&self, target: usize) -> bool {
        self.under_way[target] > 0
    }

    pub fn begin(&mut self, target: usize, slots: usize) {
        self.under_way[target] += slots;
        self.asking[target] += slots;
    }

    /// The target is not at work for so many slots any more; they may still be graded.
    pub fn asked(&mut self, target: usize, slots: usize) {
        self.asking[target] = self.asking[target].saturating_sub(slots);
    }

    /// An attempt for so many slots is over. Gives what is to be warned of.
    pub fn end(&mut self, target: usize, slots: usize, bill: &Bill<'_>) -> Vec<String> {
        self.under_way[target] = self.under_way[target].saturating_sub(slots);
        let name = &self.names[target];
        let mut warnings = Vec::new();
        for purse in &mut self.purses {
            let own = bill.own.unwrap_or_default();
            let judges = bill.assessment.map(Assessment::spent_on_judges).unwrap_or_default();
            for spent in [&own, &judges] {
                purse.spent += purse.amount(spent).unwrap_or(0.0);
            }
            // What a whole batch took before it failed says nothing of one slot.
            if slots == 1 {
                purse.learn(target, own, judges);
            }
            purse.prices[target].graded |= bill.settled;
            warnings.extend(purse.warn_of_silence(target, name, bill));
        }
        warnings
    }
}

impl Purse {
    /// What of this kind was taken. A target that claims to give money back is not believed.
    fn amount(&self, spent: &Spent) -> Option<f64> {
        (self.amount)(spent).filter(|amount| amount.is_finite() && *amount >= 0.0)
    }

    /// What one attempt at a slot took of its target and of its judges.
    fn learn(&mut self, target: usize, own: Spent, judges: Spent) {
        let (own, judges) = (self.amount(&own), self.amount(&judges));
        let price = &mut self.prices[target];
        price.told |= own.is_some();
        if own.is_some() || judges.is_some() {
            let amount = own.unwrap_or(0.0) + judges.unwrap_or(0.0);
            price.most = Some(price.most.map_or(amount, |most| most.max(amount)));
        }
    }

    fn covers(&self, amount: f64) -> bool {
        amount <= self.limit + ROUNDING
    }

    /// How many of `wanted` slots of a target may be begun, where it may be at work for `asking`.
    fn admit(&self, target: usize, wanted: usize, under_way: &[usize], asking: usize) -> Admission {
        if self.limit <= 0.0 {
            return Admission::Never;
        }
        let price = self.prices[target];
        let most = price.most.unwrap_or(0.0);
        if price.silent && !price.told && most <= 0.0 {
            return Admission::Begin(wanted);
        }
        let known = price.told || price.silent;
        // Whoever has an unknown price needs at least something to be left.
        let in_reach = |spent: f64| {
            self.covers(spent + most) && (known || spent + most + ROUNDING < self.limit)
        };
        if !in_reach(self.spent) {
            return Admission::Never;
        }
        let reserved: f64 = under_way
            .iter()
            .zip(&self.prices)
            .map(|(slots, price)| *slots as f64 * price.most.unwrap_or(0.0))
            .sum();
        // While nobody knows what a case of this target takes, it is at work for one at most. An
        // answer that was kept says nothing of that, and gives its place back at once; but what
        // judges take for such answers must have been seen too.
        let learning = if price.graded { asking } else { under_way[target] };
        if !in_reach(self.spent + reserved) || (!known && learning > 0) {
            return Admission::Wait;
        }
        if !known {
            return Admission::Begin(1);
        }
        let pays = |count: usize| self.covers(self.spent + reserved + count as f64 * most);
        Admission::Begin(largest(wanted, pays))
    }

    fn warn_of_silence(&mut self, target: usize, name: &str, bill: &Bill<'_>) -> Vec<String> {
        let (untold, flag, amount) = (self.untold, self.flag, self.amount);
        let mut warnings = Vec::new();
        let price = &mut self.prices[target];
        if bill.answered && !price.told && !price.silent {
            price.silent = true;
            warnings
                .push(format!("target `{name}` does not say {untold}: {flag} cannot hold it back"));
        }
        let silent = bill.assessment.map(|all| all.silent_judges(|spent| amount(spent).is_some()));
        for judge in silent.unwrap_or_default() {
            if self.silent_judges.insert(judge.to_owned()) {
                warnings.push(format!(
                    "judge `{judge}` does not say {untold}: {flag} does not count it"
                ));
            }
        }
        warnings
    }
}

/// The largest number from 1 to `most` that holds, where 1 does and all below one that holds do.
fn largest(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    if holds(most) {
        return most;
    }
    let (mut good, mut bad) = (1, most.max(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}
