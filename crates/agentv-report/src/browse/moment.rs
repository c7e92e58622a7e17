//! Moments and sizes in the words that people use.

use std::time::{Duration, SystemTime};

use crate::record::Timestamp;

/// `just now`, `5 min ago`, `3 h ago`, `12 days ago`. What lies ahead is told as such: clocks differ.
pub fn age_text(moment: Timestamp, now: SystemTime) -> String {
    let (age, ahead) = match now.duration_since(moment.moment()) {
        Ok(age) => (age, false),
        Err(ahead) => (ahead.duration(), true),
    };
    if age < Duration::from_mins(1) {
        return "just now".to_owned();
    }
    let minutes = age.as_secs() / 60;
    let told = match minutes {
        0..60 => format!("{minutes} min"),
        60..2880 => format!("{} h", minutes / 60),
        2880..129_600 => format!("{} days", minutes / 1440),
        129_600..1_051_200 => format!("{} months", minutes / 43_800),
        _ => format!("{} years", minutes / 525_600),
    };
    if ahead { format!("in {told}") } else { format!("{told} ago") }
}

/// `2026-01-31 12:00`, in UTC.
pub(super) fn minute_text(moment: Timestamp) -> String {
    moment.to_string().chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// `812 B`, `4.0 kB`, `1.2 GB`.
pub fn bytes_text(bytes: u64) -> String {
    let mut size = bytes as f64;
    if size < 1000.0 {
        return format!("{bytes} B");
    }
    let units = ["kB", "MB", "GB", "TB", "PB"];
    let mut unit = "B";
    for next in units {
        if size < 999.5 {
            break;
        }
        size /= 1000.0;
        unit = next;
    }
    if size < 9.95 { format!("{size:.1} {unit}") } else { format!("{size:.0} {unit}") }
}

/// `$0.0123`, `$12.35`: small sums need more digits.
pub(super) fn cost_text(cost: f64) -> String {
    if cost == 0.0 || cost >= 1.0 { format!("${cost:.2}") } else { format!("${cost:.4}") }
}
