//! A moment as the records write it: RFC 3339, UTC, to the millisecond.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A moment between 1970 and 9999. A clock outside of that is wrong in any case, and is held at
/// the nearest end so that it cannot cost a run its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(SystemTime);

/// The last second that four digits of a year can name.
const LAST_SECOND: u64 = 253_402_300_799;

impl Timestamp {
    pub fn of(moment: SystemTime) -> Self {
        let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let whole =
            Duration::new(since.as_secs().min(LAST_SECOND), since.subsec_millis() * 1_000_000);
        Self(SystemTime::UNIX_EPOCH + whole)
    }

    /// RFC 3339 in UTC, with a `Z`; nothing where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        humantime::parse_rfc3339(text).ok().map(Self::of)
    }

    pub fn moment(self) -> SystemTime {
        self.0
    }

    /// `20250131T235959123Z`: sorts by time and is a good file name.
    pub(crate) fn compact(self) -> String {
        self.to_string().chars().filter(|c| !matches!(c, '-' | ':' | '.')).collect()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_millis(self.0).fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| D::Error::custom(format_args!("`{text}` is not a time in UTC")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_to_the_millisecond_and_read_back() {
        let moment = SystemTime::UNIX_EPOCH + Duration::new(1_735_689_600, 123_456_789);
        let timestamp = Timestamp::of(moment);
        let json = serde_json::to_string(&timestamp).unwrap();
        assert_eq!(json, "\"2025-01-01T00:00:00.123Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&json).unwrap(), timestamp);
        assert_eq!(timestamp.compact(), "20250101T000000123Z");
    }

    #[test]
    fn a_clock_that_is_far_off_is_held_at_the_ends() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(Timestamp::of(before).to_string(), "1970-01-01T00:00:00.000Z");
        let after = SystemTime::UNIX_EPOCH + Duration::from_secs(LAST_SECOND + 5);
        assert_eq!(Timestamp::of(after).to_string(), "9999-12-31T23:59:59.000Z");
    }

    #[test]
    fn a_text_that_is_no_time_is_refused() {
        let fault = serde_json::from_str::<Timestamp>("\"yesterday\"").unwrap_err();
        assert!(fault.to_string().contains("`yesterday`"), "{fault}");
    }
}
