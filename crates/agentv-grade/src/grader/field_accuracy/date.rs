//! Days in texts: the formats that they may be written in, and what a text says by them.
//!
//! Only the day counts: a time and an offset are read and checked, and then left aside. A text
//! that could be two days is neither.

use std::fmt;

/// What is understood where an author names no formats.
const USUAL: &[&str] = &[
    "YYYY-MM-DD",
    "YYYY-MM-DDTHH:mm",
    "YYYY-MM-DDTHH:mmZ",
    "YYYY-MM-DDTHH:mm:ss",
    "YYYY-MM-DDTHH:mm:ssZ",
    "YYYY-MM-DDTHH:mm:ss.SSS",
    "YYYY-MM-DDTHH:mm:ss.SSSZ",
    "YYYY-MM-DD HH:mm",
    "YYYY-MM-DD HH:mm:ss",
    "YYYY-MM-DD HH:mm:ssZ",
    "YYYY-MM-DD HH:mm:ss.SSS",
    "YYYY-MM-DD HH:mm:ss.SSSZ",
    "YYYY/MM/DD",
    "D-MMM-YYYY",
    "D MMM YYYY",
    "D MMMM YYYY",
    "D. MMMM YYYY",
    "MMM D, YYYY",
    "MMMM D, YYYY",
    "D/M/YYYY",
    "M/D/YYYY",
    "D-M-YYYY",
    "M-D-YYYY",
    "D.M.YYYY",
    "M.D.YYYY",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The years of two digits from here on are of the last century, as POSIX has it.
const FIRST_OF_LAST_CENTURY: u32 = 69;

/// A day of the calendar; one that does not exist cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day {
    year: u32,
    month: u32,
    of_month: u32,
}

impl Day {
    fn new(year: u32, month: u32, of_month: u32) -> Option<Self> {
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let last = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            _ => return None,
        };
        (1..=last).contains(&of_month).then_some(Self { year, month, of_month })
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.of_month)
    }
}

/// What a text says by some formats.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    Day(Day),
    /// Two formats that both fit make two days of it.
    Either(Day, Day),
    Nothing,
}

pub(super) fn read(text: &str, formats: &[Format]) -> Read {
    let mut found = None;
    for day in formats.iter().filter_map(|format| format.read(text)) {
        match found {
            None => found = Some(day),
            Some(other) if other != day => return Read::Either(other.min(day), other.max(day)),
            Some(_) => {}
        }
    }
    found.map_or(Read::Nothing, Read::Day)
}

/// The formats that hold where none are named.
pub(super) fn usual() -> Vec<Format> {
    USUAL.iter().filter_map(|format| Format::parse(format).ok()).collect()
}

#[derive(Debug)]
pub(super) struct Format(Vec<Piece>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Token(Token),
    Literal(char),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Year,
    YearOfCentury,
    MonthName,
    MonthShort,
    Month2,
    Month,
    Day2,
    Day,
    Hour2,
    Hour,
    Minute,
    Second,
    Fraction,
    Offset,
}

use Token::{
    Day2, Fraction, Hour, Hour2, Minute, Month, Month2, MonthName, MonthShort, Offset, Second,
    Year, YearOfCentury,
};

/// Longer ones before those that they start with.
const TOKENS: [(&str, Token); 14] = [
    ("YYYY", Year),
    ("YY", YearOfCentury),
    ("MMMM", MonthName),
    ("MMM", MonthShort),
    ("MM", Month2),
    ("M", Month),
    ("DD", Day2),
    ("D", Token::Day),
    ("HH", Hour2),
    ("H", Hour),
    ("mm", Minute),
    ("ss", Second),
    ("SSS", Fraction),
    ("Z", Offset),
];

pub(super) const TOKENS_IN_WORDS: &str = "known are YYYY YY MMMM MMM MM M DD D HH H mm ss SSS Z; \
     other letters stand in brackets, as in `[at]`";

impl Format {
    /// Reads a format, or says what is wrong with it.
    pub(super) fn parse(written: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = written;
        while let Some(first) = rest.chars().next() {
            let token =
                TOKENS.iter().find_map(|(name, token)| Some((rest.strip_prefix(name)?, token)));
            if let Some((after, token)) = token {
                pieces.push(Piece::Token(*token));
                rest = after;
            } else if let Some(after) = rest.strip_prefix('[') {
                let (literal, after) =
                    after.split_once(']').ok_or("its `[` is not closed".to_owned())?;
                pieces.extend(literal.chars().map(Piece::Literal));
                rest = after;
            } else if first.is_alphabetic() && first != 'T' {
                return Err(format!("`{first}` is no part of a date"));
            } else {
                pieces.push(Piece::Literal(first));
                rest = rest.strip_prefix(first).unwrap_or_default();
            }
        }
        check(&pieces)?;
        Ok(Self(pieces))
    }

    /// The day that a text is in this format, from its first letter to its last.
    fn read(&self, text: &str) -> Option<Day> {
        let mut rest = text;
        let (mut year, mut month, mut day) = (0, 0, 0);
        for piece in &self.0 {
            let token = match piece {
                Piece::Literal(c) => {
                    rest = rest.strip_prefix(*c)?;
                    continue;
                }
                Piece::Token(token) => token,
            };
            let number;
            (number, rest) = match token {
                Year => digits(rest, 4, 4)?,
                Month | Token::Day | Hour => digits(rest, 1, 2)?,
                YearOfCentury | Month2 | Day2 | Hour2 | Minute | Second => digits(rest, 2, 2)?,
                Fraction => digits(rest, 1, 9)?,
                MonthName => month_name(rest, usize::MAX)?,
                MonthShort => month_name(rest, 3)?,
                Offset => (0, offset(rest)?),
            };
            match token {
                Year => year = number,
                YearOfCentury if number < FIRST_OF_LAST_CENTURY => year = 2000 + number,
                YearOfCentury => year = 1900 + number,
                Month | Month2 | MonthName | MonthShort => month = number,
                Token::Day | Day2 => day = number,
                Hour | Hour2 if number > 23 => return None,
                // A minute may have a 61st second.
                Minute if number > 59 => return None,
                Second if number > 60 => return None,
                Hour | Hour2 | Minute | Second | Fraction | Offset => {}
            }
        }
        if rest.is_empty() { Day::new(year, month, day) } else { None }
    }
}

fn check(pieces: &[Piece]) -> Result<(), String> {
    let count = |wanted: &[Token]| {
        let is_one =
            |piece: &&Piece| matches!(piece, Piece::Token(token) if wanted.contains(token));
        pieces.iter().filter(is_one).count()
    };
    for (what, tokens) in [
        ("year", &[Year, YearOfCentury][..]),
        ("month", &[MonthName, MonthShort, Month2, Month]),
        ("day", &[Day2, Token::Day]),
    ] {
        match count(tokens) {
            1 => {}
            0 => return Err(format!("it has no {what}")),
            _ => return Err(format!("it has more than one {what}")),
        }
    }
    let open = |piece: &Piece| matches!(piece, Piece::Token(Month | Token::Day | Hour | Fraction));
    let number = |piece: &Piece| match piece {
        Piece::Token(token) => !matches!(token, MonthName | MonthShort | Offset),
        Piece::Literal(c) => c.is_ascii_digit(),
    };
    let mut pairs = pieces.iter().zip(pieces.iter().skip(1));
    if pairs.any(|(first, second)| open(first) && number(second)) {
        return Err("two numbers stand side by side and cannot be told apart".to_owned());
    }
    Ok(())
}

/// The number at the start of a text, of so many digits, and what comes behind.
fn digits(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if count < least {
        return None;
    }
    let (number, rest) = text.split_at_checked(count)?;
    Some((number.parse().ok()?, rest))
}

/// The month whose English name, cut to `letters`, a text starts with in any letter case.
fn month_name(text: &str, letters: usize) -> Option<(u32, &str)> {
    (1..).zip(MONTHS).find_map(|(number, name)| {
        let name = name.get(..letters.min(name.len()))?;
        let (start, rest) = text.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some((number, rest))
    })
}

/// What comes behind `Z`, `+02`, `+0200` or `+02:00`.
fn offset(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some(rest);
    }
    let (hours, rest) = digits(text.strip_prefix(['+', '-'])?, 2, 2)?;
    let minutes = digits(rest.strip_prefix(':').unwrap_or(rest), 2, 2);
    let (minutes, rest) = minutes.unwrap_or((0, rest));
    (hours < 24 && minutes < 60).then_some(rest)
}

#[cfg(test)]
#[path = "date_tests.rs"]
mod tests;
