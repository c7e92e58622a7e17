//! A moment as it is typed: a date, a time of a date, or an age.
//!
//! What names no zone is UTC, as everything that is recorded is. The clock is handed in.

use std::time::{Duration, SystemTime};

use agentv_base::excerpt;
use agentv_report::Timestamp;

/// What an age may be counted in, and how many seconds that is.
const UNITS: [(&str, f64); 5] =
    [("s", 1.0), ("m", 60.0), ("h", 3_600.0), ("d", 86_400.0), ("w", 604_800.0)];

/// The moment that is meant by `2026-01-31`, `2026-01-31T12:00`, `2026-01-31T12:00:00+01:00`, or
/// `7d`, which is seven days before `now`. What is wrong is told for the user.
pub fn moment(typed: &str, now: SystemTime) -> Result<Timestamp, String> {
    let text = typed.trim();
    if let Some(ago) = age(text) {
        let then = now.checked_sub(ago).filter(|then| *then >= SystemTime::UNIX_EPOCH);
        return Ok(Timestamp::of(then.unwrap_or(SystemTime::UNIX_EPOCH)));
    }
    date(text).ok_or_else(|| {
        format!(
            "`{}` is no time: write a date (2026-01-31), a time (2026-01-31T12:00:00Z), or an age \
             (90m, 12h, 7d, 2w)",
            excerpt(typed, 60)
        )
    })
}

/// How long ago `7d`, `12h`, `1.5h` or `2w` is; nothing where it is no age.
pub fn age(typed: &str) -> Option<Duration> {
    let text = typed.trim();
    let (unit, seconds) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let count = text.strip_suffix(unit)?.trim_end();
    if !count.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let count: f64 = count.parse().ok()?;
    Duration::try_from_secs_f64(count * seconds).ok()
}

fn date(text: &str) -> Option<Timestamp> {
    let (day, time) = match text.split_once(['T', 't', ' ']) {
        Some((day, time)) => (day, time.trim()),
        None => (text, "00:00:00Z"),
    };
    if day.len() != 10 {
        return None;
    }
    let (clock, offset) = zone(time)?;
    let clock = if clock.len() == 5 { format!("{clock}:00") } else { clock.to_owned() };
    let there = Timestamp::parse(&format!("{day}T{clock}Z"))?.moment();
    let moment = if offset >= 0 {
        there.checked_sub(Duration::from_secs(offset.unsigned_abs()))
    } else {
        there.checked_add(Duration::from_secs(offset.unsigned_abs()))
    };
    moment.map(Timestamp::of)
}

/// A time without its zone, and how many seconds that zone is ahead of UTC.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(sign_at) = time.rfind(['+', '-']) else {
        return Some((time, 0));
    };
    let (clock, offset) = time.split_at_checked(sign_at)?;
    let (sign, offset) = offset.split_at_checked(1)?;
    let digits: String = offset.chars().filter(|c| *c != ':').collect();
    if digits.len() != 4 || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = hours * 3_600 + minutes * 60;
    Some((clock, if sign == "-" { -seconds } else { seconds }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> SystemTime {
        Timestamp::parse("2026-02-10T12:00:00Z").unwrap().moment()
    }

    fn check(typed: &str, expected: &str) {
        let found = moment(typed, now()).map(|it| it.to_string());
        assert_eq!(found.as_deref(), Ok(expected), "{typed}");
    }

    #[test]
    fn dates_times_and_ages_are_moments() {
        check("2026-01-31", "2026-01-31T00:00:00.000Z");
        check("2026-01-31T12:30", "2026-01-31T12:30:00.000Z");
        check("2026-01-31 12:30:15", "2026-01-31T12:30:15.000Z");
        check("2026-01-31T12:30:15.250Z", "2026-01-31T12:30:15.250Z");
        check("2024-02-29", "2024-02-29T00:00:00.000Z");
        check("7d", "2026-02-03T12:00:00.000Z");
        check("12h", "2026-02-10T00:00:00.000Z");
        check("90m", "2026-02-10T10:30:00.000Z");
        check("1.5h", "2026-02-10T10:30:00.000Z");
        check("2w", "2026-01-27T12:00:00.000Z");
        check("0s", "2026-02-10T12:00:00.000Z");
    }

    #[test]
    fn a_zone_is_taken_off() {
        check("2026-01-31T00:30:00+01:00", "2026-01-30T23:30:00.000Z");
        check("2026-01-31T23:00-0530", "2026-02-01T04:30:00.000Z");
    }

    #[test]
    fn an_age_before_the_clock_began_is_its_beginning() {
        check("9999w", "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn what_is_no_time_is_told_with_what_would_be() {
        for typed in [
            "",
            "yesterday",
            "7",
            "7y",
            "-7d",
            "d",
            "2026-13-01",
            "2026-02-30",
            "2026-1-31",
            "31.01.2026",
            "2026-01-31T25:00",
            "2026-01-31T12:00+99:00",
            "2026-01-31T",
            "é1d",
            "2026-01-31T12:00+0é",
            "nand",
            "infd",
            "1e400d",
        ] {
            let fault = moment(typed, now()).unwrap_err();
            assert!(fault.contains("is no time: write a date"), "{typed}: {fault}");
        }
    }
}
