//! A row of ours as far as anybody needs it who does not show it, borrowed from its line. Every other
//! key is passed over unread, which is most of the work of reading a row.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, Visitor},
};

use crate::record::{Row, Status, from_line};

/// A text that stays where it stands, unless something in it is escaped. `Option<Cow<str>>` and
/// `Vec<Cow<str>>` would copy it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Borrowing;
        impl<'de> Visitor<'de> for Borrowing {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        source.deserialize_str(Borrowing)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct LightRow<'a> {
    #[serde(borrow)]
    pub(crate) eval_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) dataset: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) suite: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) target: Cow<'a, str>,
    pub(crate) repeat: u32,
    status: Status,
    score: Option<f64>,
    #[serde(default)]
    pub(crate) threshold: Option<f64>,
    #[serde(borrow, default)]
    pub(crate) conversation_id: Option<Text<'a>>,
    #[serde(default)]
    error: Option<IgnoredAny>,
    #[serde(borrow, default)]
    pub(crate) file: Option<Text<'a>>,
    #[serde(default)]
    pub(crate) line: Option<u64>,
}

impl<'a> LightRow<'a> {
    /// Nothing where the line is no row of ours, or a broken one: that is for whoever reads all of it.
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        let row: Self = from_line(line).ok()?;
        let is_whole =
            row.is_error() || row.score.is_some_and(|score| (0.0..=1.0).contains(&score));
        is_whole.then_some(row)
    }

    pub(crate) fn of(row: Row<'a>) -> Self {
        Self {
            eval_id: row.eval_id,
            dataset: row.dataset,
            suite: row.suite,
            target: row.target,
            repeat: row.repeat,
            status: row.status,
            score: row.score,
            threshold: row.threshold,
            conversation_id: row.conversation_id.map(Text),
            error: row.error.map(|_| IgnoredAny),
            file: row.file.map(Text),
            line: row.line.map(|line| line as u64),
        }
    }

    fn is_error(&self) -> bool {
        self.status == Status::Error || self.error.is_some()
    }

    /// A row that says why it could not be evaluated is an error, whatever else it says.
    pub(crate) fn status(&self) -> Status {
        if self.is_error() { Status::Error } else { self.status }
    }

    /// Nothing for an error.
    pub(crate) fn score(&self) -> Option<f64> {
        self.score.filter(|_| !self.is_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Keeping, sample};

    #[test]
    fn a_row_that_is_read_lightly_says_what_the_whole_row_says() {
        let graders = vec![sample::grader("has", 0.5, &["x"], &[])];
        let assessed = sample::assessed(sample::full_response(), graders);
        let case = sample::settled(0, "a \"quoted\" one", assessed);
        let row = Row::of(&case, Keeping::default()).unwrap();
        let line = serde_json::to_vec(&row).unwrap();
        let light = LightRow::read(&line).unwrap();
        assert_eq!(format!("{light:?}"), format!("{:?}", LightRow::of(row)));
        assert!(matches!(light.suite, Cow::Borrowed(_)), "nothing is copied without need");
    }

    #[test]
    fn what_is_not_quite_a_row_is_left_to_whoever_reads_all_of_it() {
        let row = |score: &str, more: &str| {
            format!(
                r#"{{"eval_id":"a","dataset":"d","suite":"s","target":"t","repeat":1,"status":"failed","score":{score}{more}}}"#
            )
        };
        let read = |line: &str| LightRow::read(line.as_bytes()).map(|row| row.status());
        assert_eq!(read(&row("0.5", "")), Some(Status::Failed));
        assert_eq!(read(&row("7", "")), None);
        assert_eq!(read(&row("null", "")), None);
        assert_eq!(read(&row("0.5", r#","line":"12""#)), None);
        assert_eq!(read(&row("7", r#","error":"no connection""#)), Some(Status::Error));
        assert_eq!(read(r#"{"eval_id":"a","score":1}"#), None);
    }
    #[test]
    fn bytes_that_are_no_text_matter_only_where_they_are_looked_at() {
        let row = |id: &[u8], answer: &[u8]| {
            let before = br#"{"dataset":"d","suite":"s","target":"t","repeat":1,"status":"passed","score":1,"eval_id":""#;
            [before, id, br#"","candidate_answer":""#, answer, b"\"}"].concat()
        };
        assert!(LightRow::read(&row(b"a", b"caf\xe9")).is_some());
        assert!(LightRow::read(&row(b"caf\xe9", b"a")).is_none());
    }
}
