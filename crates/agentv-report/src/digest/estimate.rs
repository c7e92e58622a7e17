//! A rate or a mean, how sure it is, and how that was found out.

use serde::Serialize;

use crate::statistics::{Confidence, Interval, Moments, wilson};

/// How an interval came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Wilson's, of a share of cases.
    Wilson,
    /// Student's, of a mean.
    T,
    /// The one that holds for any values from 0 to 1, where all are the same.
    Hoeffding,
}

impl Method {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wilson => "Wilson",
            Self::T => "t",
            Self::Hoeffding => "Hoeffding",
        }
    }
}

/// Never without what is behind it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    /// 95 %; unknown for a mean of one.
    pub interval: Option<Interval>,
    pub method: Option<Method>,
    /// Cases that it is taken over.
    pub cases: u64,
}

impl Estimate {
    /// The share of cases that passed, each of which was asked once.
    pub(crate) fn share(passed: u64, of: u64) -> Option<Self> {
        let interval = wilson(passed, of, Confidence::default())?;
        let value = passed as f64 / of as f64;
        let method = Some(Method::Wilson);
        Some(Self { value, interval: Some(interval), method, cases: of })
    }

    /// The mean of values from 0 to 1, one for each case.
    pub(crate) fn mean(values: &Moments) -> Option<Self> {
        let interval = values.interval(Confidence::default());
        let method =
            interval.map(|_| if values.is_constant() { Method::Hoeffding } else { Method::T });
        Some(Self { value: values.mean()?, interval, method, cases: values.count() })
    }

    /// `0.812 [0.74–0.87]`, or without the interval where there is none.
    pub fn told(&self, digits: usize) -> String {
        let value = format!("{:.digits$}", self.value);
        match self.interval {
            Some(Interval { low, high }) => format!("{value} [{low:.2}–{high:.2}]"),
            None => value,
        }
    }

    /// `81 % [74–87 %]`.
    pub fn told_percent(&self) -> String {
        let percent = |share: f64| format!("{:.0}", share * 100.0);
        match self.interval {
            Some(Interval { low, high }) => {
                format!("{} % [{}–{} %]", percent(self.value), percent(low), percent(high))
            }
            None => format!("{} %", percent(self.value)),
        }
    }
}
