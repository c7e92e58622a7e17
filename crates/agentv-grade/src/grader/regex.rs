//! `regex`: the pattern in `value` matches somewhere in the answer. The engine takes time in
//! proportion to the answer whatever the pattern, so it knows neither look-around nor
//! back-references.

use std::{fmt::Write as _, sync::Arc};

use agentv_base::{Diagnostic, Fields, Grader, Key, Node, Problems, Score, Shape};

use super::{
    immediate::immediate,
    wanted::{quoted, wanted_something},
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct Regex;

impl GraderKind for Regex {
    fn name(&self) -> &'static str {
        "regex"
    }

    fn description(&self) -> &'static str {
        "The regular expression in `value` matches somewhere in the answer"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                Key::new("value", Shape::Scalar, "The pattern, or `file://…`").required(),
                Key::new("flags", Shape::Text, "Of `i`, `m`, `s`, `x`").default("none"),
            ]
        }
    }

    fn can_be_negated(&self) -> bool {
        true
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        let flags = match fields.get("flags") {
            None => Some(""),
            Some(node) => fields
                .string("flags", problems)
                .and_then(|flags| check_flags(flags, node, problems)),
        };
        let wanted = wanted_something(fields, context, problems);
        let (flags, wanted) = (flags?, wanted?);
        let pattern = match compile(&wanted, flags) {
            Ok(pattern) => pattern,
            Err(error) => {
                let span = fields.get("value").map_or(fields.span(), |node| node.span);
                problems.push(not_a_pattern(&error).at(span));
                return None;
            }
        };
        let shown = shown(&wanted, flags);
        Some(immediate(move |context| score(&context.response.text, &pattern, &shown)))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores 1 where the pattern matches somewhere in the answer, else 0; `^` and `$` tie \
                   it to the ends. The syntax is that of Rust's `regex`, which takes time in \
                   proportion to the answer and to the pattern, never more: no pattern hangs, and \
                   so neither look-around nor back-references.\n\n\
                   Flags: `i` upper and lower case are equal, `m` `^` and `$` match at lines, `s` `.` \
                   matches line breaks, `x` white space and comments in the pattern.",
    examples: &[Example::new(
        "An amount in any letter case",
        "type: regex\nvalue: '^total: \\d+ eur$'\nflags: im",
        &[
            Answer::text("Here you are.\nTotal: 12 EUR", 1.0),
            Answer::text("Total: twelve EUR", 0.0),
        ],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`regex`",
        inspect_ai: "(`pattern()`, `answer()`)",
        deepeval: "`PatternMatchMetric`",
        original: "`regex`",
    },
};

/// What the letters of flags mean.
const FLAGS_HINT: &str = "flags are i (upper and lower case are equal), m (^ and $ \
     match at lines), s (. matches line breaks) and x (white space and comments in the pattern)";

/// The same letters; nothing where one of them is not known.
pub(super) fn check_flags<'f>(
    flags: &'f str,
    node: &Node,
    problems: &mut Problems,
) -> Option<&'f str> {
    let Some(unknown) = flags.chars().find(|flag| !"imsx".contains(*flag)) else {
        return Some(flags);
    };
    let hint = match unknown {
        'g' => "leave `g` out: one match is enough",
        'u' | 'v' => "leave it out: patterns always know all letters of Unicode",
        'd' => "leave `d` out: only whether the pattern matches counts",
        'y' => "begin the pattern with `^` instead",
        _ => FLAGS_HINT,
    };
    let message = format!("unknown flag `{}`", unknown.escape_default());
    problems.push(Diagnostic::error(message).at(node.span).hint(hint));
    None
}

pub(super) fn compile(pattern: &str, flags: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(pattern)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .ignore_whitespace(flags.contains('x'))
        .build()
}

fn not_a_pattern(error: &regex::Error) -> Diagnostic {
    let reason = reason(error);
    let problem = Diagnostic::error(format!(
        "`value` is not a regular expression that can be used: {reason}"
    ))
    .code("bad-regex");
    // The engine has no kinds of errors to ask for; where it changes its words, the hint is lost.
    if reason.contains("look-around") {
        problem.hint(
            "say what must be there and what must not in two graders, `regex` and `not-regex`",
        )
    } else if reason.contains("backreferences") {
        problem.hint("write out what may be repeated, or let a `code_judge` look for it")
    } else if reason.contains("size limit") {
        problem.hint("repeat fewer times: `{1000}` of a class of letters is already large")
    } else {
        problem
    }
}

/// The engine draws a picture above its reason; the place in the file stands in for the picture.
pub(super) fn reason(error: &regex::Error) -> String {
    let said = error.to_string();
    let reason = said.lines().last().unwrap_or_default().trim();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    reason.trim_end_matches('.').to_owned()
}

fn shown(pattern: &str, flags: &str) -> String {
    let mut shown = quoted(pattern);
    if !flags.is_empty() {
        let _ = write!(shown, " (flags {flags})");
    }
    shown
}

fn score(answer: &str, pattern: &regex::Regex, shown: &str) -> Score {
    let met = pattern.is_match(answer);
    let verb = if met { "matches" } else { "does not match" };
    Score::binary(met, format!("{verb} {shown}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        build,
        testing::{Project, errors_of, grade_text, node},
    };

    /// What a pattern says to an answer, as the one hit or miss.
    fn check(pattern: &str, flags: Option<&str>, answer: &str) -> Result<String, String> {
        let given = grade_text(&keys(pattern, flags), answer);
        given.hits.into_iter().next().ok_or_else(|| given.misses[0].clone())
    }

    fn keys(pattern: &str, flags: Option<&str>) -> Value {
        json!({"type": "regex", "value": pattern, "flags": flags})
    }

    #[test]
    fn a_pattern_matches_anywhere_in_the_answer() {
        assert_eq!(check(r"\d{3}", None, "call 911 now"), Ok(r"matches `\d{3}`".to_owned()));
        assert_eq!(check(r"^\d+$", None, "call 911"), Err(r"does not match `^\d+$`".to_owned()));
    }

    #[test]
    fn each_flag_does_what_it_says() {
        for (pattern, flag, answer) in [
            ("HELLO", "i", "hello"),
            ("^b$", "m", "a\nb\nc"),
            ("a.b", "s", "a\nb"),
            ("a b # both", "x", "ab"),
        ] {
            assert!(check(pattern, None, answer).is_err(), "{pattern}");
            assert_eq!(
                check(pattern, Some(flag), answer),
                Ok(format!("matches `{pattern}` (flags {flag})"))
            );
        }
    }

    #[test]
    fn a_pattern_that_is_none_is_an_error_with_the_engines_reason() {
        for (pattern, reason) in [
            ("(a", "unclosed group"),
            ("a(?=b)", "look-around, including look-ahead and look-behind, is not supported"),
            (r"(a)\1", "backreferences are not supported"),
            ("a{9999}{9999}", "Compiled regex exceeds size limit of 10485760 bytes"),
            (r"\w{5000}", "Compiled regex exceeds size limit of 10485760 bytes"),
        ] {
            assert_eq!(
                errors_of(&keys(pattern, None)),
                [(
                    "/value".to_owned(),
                    format!("`value` is not a regular expression that can be used: {reason}")
                )]
            );
        }
    }

    /// The hint of the one problem of a grader.
    fn hint(pattern: &str, flags: Option<&str>) -> Option<String> {
        let node = node(&json!([keys(pattern, flags)]));
        let mut problems = Problems::default();
        build(node.as_list().unwrap(), &Project::new().context(), &mut problems);
        assert_eq!(problems.iter().count(), 1);
        problems.iter().next().unwrap().hint.clone()
    }

    #[test]
    fn what_other_engines_know_is_told_what_would_do() {
        for (pattern, flags, said) in [
            ("a(?=b)", None, "`regex` and `not-regex`"),
            ("(?<!a)b", None, "`regex` and `not-regex`"),
            (r"(a)\1", None, "write out what may be repeated"),
            ("a{9999}{9999}", None, "repeat fewer times"),
            ("a", Some("gi"), "leave `g` out"),
            ("a", Some("u"), "leave it out"),
            ("a", Some("y"), "begin the pattern with `^`"),
            ("a", Some("z"), "flags are i "),
        ] {
            let hint = hint(pattern, flags).unwrap();
            assert!(hint.contains(said), "{pattern}: {hint}");
        }
        assert_eq!(hint("(a", None), None);
        assert!(check("(?<year>\\d{4})", None, "in 2024").is_ok());
    }

    #[test]
    fn an_unknown_flag_is_an_error_beside_other_errors() {
        assert_eq!(
            errors_of(&keys("", Some("ig"))),
            [
                ("/flags".to_owned(), "unknown flag `g`".to_owned()),
                ("/value".to_owned(), "`value` is empty, so every answer would pass".to_owned()),
            ]
        );
    }

    #[test]
    fn a_pattern_that_backtracks_for_ever_elsewhere_is_done_at_once() {
        let answer = "a".repeat(1_000_000) + "!";
        for pattern in ["(a+)+$", "^(a|a)*(a*)*$"] {
            assert!(check(pattern, None, &answer).is_err(), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_pattern_and_no_answer_can_upset_it(
            pattern in any::<String>(), flags in "[imsx]{0,4}", answer in any::<String>()
        ) {
            if let Ok(compiled) = compile(&pattern, &flags) {
                let given = score(&answer, &compiled, &shown(&pattern, &flags));
                prop_assert_eq!(given.hits.len() + given.misses.len(), 1);
            }
        }

        #[test]
        fn an_escaped_text_matches_itself(text in "\\PC+") {
            let pattern = compile(&regex::escape(&text), "").unwrap();
            prop_assert!(score(&text, &pattern, "").misses.is_empty());
        }
    }
}
