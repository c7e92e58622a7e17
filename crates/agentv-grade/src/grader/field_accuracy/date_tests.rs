//! Texts that are days, texts that are none, and texts that could be two.

use proptest::prelude::*;

use super::*;

/// What a text is by these formats, or by the usual ones.
fn check(text: &str, formats: &[&str]) -> String {
    let formats: Vec<Format> = match formats {
        [] => usual(),
        _ => formats.iter().map(|format| Format::parse(format).unwrap()).collect(),
    };
    match read(text, &formats) {
        Read::Day(day) => day.to_string(),
        Read::Either(one, other) => format!("{one} or {other}"),
        Read::Nothing => "no date".to_owned(),
    }
}

#[test]
fn every_usual_format_can_be_read() {
    assert_eq!(usual().len(), USUAL.len());
}

#[test]
fn a_day_is_known_in_the_usual_formats() {
    for text in [
        "2025-03-14",
        "2025-03-14T09:26",
        "2025-03-14T09:26:53Z",
        "2025-03-14T23:59:60.123456+02:00",
        "2025-03-14 09:26:53-0500",
        "2025/03/14",
        "14-Mar-2025",
        "14 mar 2025",
        "14 March 2025",
        "14. MARCH 2025",
        "Mar 14, 2025",
        "March 14, 2025",
        "14/03/2025",
        "3/14/2025",
        "14.3.2025",
    ] {
        assert_eq!(check(text, &[]), "2025-03-14", "{text}");
    }
}

#[test]
fn a_text_that_could_be_two_days_is_neither_unless_a_format_says_which() {
    assert_eq!(check("03/04/2025", &[]), "2025-03-04 or 2025-04-03");
    assert_eq!(check("3.4.2025", &[]), "2025-03-04 or 2025-04-03");
    assert_eq!(check("04-04-2025", &[]), "2025-04-04");
    assert_eq!(check("03/04/2025", &["DD/MM/YYYY"]), "2025-04-03");
    assert_eq!(check("03/04/2025", &["MM/DD/YYYY"]), "2025-03-04");
    assert_eq!(check("03/04/2025", &["MM/DD/YYYY", "DD/MM/YYYY"]), "2025-03-04 or 2025-04-03");
}

#[test]
fn what_is_no_day_of_the_calendar_is_no_date() {
    for text in [
        "2025-02-29",
        "1900-02-29",
        "2025-02-30",
        "2025-04-31",
        "2025-13-01",
        "2025-00-10",
        "2025-01-00",
        "31/02/2025",
        "2025-03-14T24:00",
        "2025-03-14T09:60",
        "2025-03-14T09:26:53+25:00",
        "2025-3-14",
        " 2025-03-14",
        "2025-03-14 ",
        "20250314",
        "14 Foo 2025",
        "soon",
        "",
    ] {
        assert_eq!(check(text, &[]), "no date", "{text}");
    }
    assert_eq!(check("2024-02-29", &[]), "2024-02-29");
    assert_eq!(check("2000-02-29", &[]), "2000-02-29");
}

#[test]
fn formats_are_the_whole_of_what_is_understood() {
    assert_eq!(check("2025-03-14", &["DD-MMM-YYYY"]), "no date");
    assert_eq!(check("14-MAR-2025", &["DD-MMM-YYYY"]), "2025-03-14");
    assert_eq!(check("4-Mar-2025", &["DD-MMM-YYYY"]), "no date");
    assert_eq!(check("14.03.25", &["DD.MM.YY"]), "2025-03-14");
    assert_eq!(check("14.03.69", &["DD.MM.YY"]), "1969-03-14");
    assert_eq!(check("20250314", &["YYYYMMDD"]), "2025-03-14");
    assert_eq!(check("2025-03-14 at 7:05", &["YYYY-MM-DD [at] H:mm"]), "2025-03-14");
}

#[test]
fn a_format_that_makes_no_day_is_refused() {
    for (format, why) in [
        ("YYYY-MM", "it has no day"),
        ("MM-DD", "it has no year"),
        ("YYYY-DD", "it has no month"),
        ("YYYY-MM-DD MMM", "it has more than one month"),
        ("yyyy-mm-dd", "`y` is no part of a date"),
        ("YYYY-MM-DD at HH", "`a` is no part of a date"),
        ("YYYY-MM-DD [at", "its `[` is not closed"),
        ("DMYYYY", "two numbers stand side by side and cannot be told apart"),
        ("D1/MM/YYYY", "two numbers stand side by side and cannot be told apart"),
    ] {
        assert_eq!(Format::parse(format).unwrap_err(), why, "{format}");
    }
}

proptest! {
    #[test]
    fn no_text_and_no_format_can_upset_it(text in any::<String>(), format in "[YMDHmsSZT\\[\\] ./é-]{0,20}") {
        read(&text, &usual());
        if let Ok(format) = Format::parse(&format) {
            read(&text, &[format]);
        }
    }

    #[test]
    fn a_day_that_was_written_is_read_again(year in 1_u32..9999, month in 1_u32..=12, day in 1_u32..=28) {
        let written = format!("{year:04}-{month:02}-{day:02}");
        prop_assert_eq!(check(&written, &[]), written);
    }
}
