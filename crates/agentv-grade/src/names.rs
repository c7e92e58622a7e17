//! The names of the graders of a list: each is unique, so that rows can be told apart and compared.

use std::{borrow::Cow, collections::HashMap};

use agentv_base::{Diagnostic, Problems, Span};

/// A name as it stands in the file, else the one that the type gives.
pub(crate) enum Name {
    Given(String, Span),
    Default(Cow<'static, str>),
}

impl Name {
    fn text(&self) -> &str {
        match self {
            Self::Given(name, _) => name,
            Self::Default(name) => name,
        }
    }

    fn into_text(self) -> Cow<'static, str> {
        match self {
            Self::Given(name, _) => name.into(),
            Self::Default(name) => name,
        }
    }
}

/// In lists up to this size names are compared one by one.
const FEW: usize = 8;

/// The names in order. Where two default names meet, or a default meets a given one, the default
/// goes on as `contains_2`, `contains_3`; a name that was given twice is an error. `whose` graders
/// they are, messages say.
pub(crate) fn settle(
    names: Vec<Name>,
    whose: &str,
    problems: &mut Problems,
) -> Vec<Cow<'static, str>> {
    if all_differ(&names) {
        return names.into_iter().map(Name::into_text).collect();
    }
    let mut taken: HashMap<String, Span> = HashMap::new();
    for name in &names {
        let Name::Given(name, span) = name else {
            continue;
        };
        if let Some(first) = taken.get(name) {
            problems.push(
                Diagnostic::error(format!("two graders of {whose} are called `{name}`"))
                    .code("duplicate-name")
                    .at(*span)
                    .label("given again here")
                    .note(*first, "first given here"),
            );
        } else {
            taken.insert(name.clone(), *span);
        }
    }
    // Numbers are never tried twice: a list can have many graders of one type.
    let mut next: HashMap<String, usize> = HashMap::new();
    names
        .into_iter()
        .map(|name| match name {
            Name::Given(name, _) => name.into(),
            Name::Default(name) => {
                let number = next.entry(name.to_string()).or_insert(2);
                let free = first_free(&name, &taken, number);
                taken.insert(free.clone(), Span::default());
                free.into()
            }
        })
        .collect()
}

/// Whether no two of a few names meet, as in nearly every list.
fn all_differ(names: &[Name]) -> bool {
    let met = |(place, name): (usize, &Name)| {
        names.iter().take(place).any(|other| other.text() == name.text())
    };
    names.len() <= FEW && !names.iter().enumerate().any(met)
}

fn first_free(name: &str, taken: &HashMap<String, Span>, next: &mut usize) -> String {
    let mut free = name.to_owned();
    // Every round leaves one of the names that are taken behind.
    while taken.contains_key(&free) {
        free = format!("{name}_{next}");
        *next += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str, start: u32) -> Name {
        let span = Span { start, ..Span::default() };
        Name::Given(name.to_owned(), span)
    }

    fn default(name: &str) -> Name {
        Name::Default(name.to_owned().into())
    }

    #[test]
    fn default_names_that_meet_are_numbered_around_given_ones() {
        let mut problems = Problems::default();
        let names = settle(
            vec![
                default("contains"),
                given("contains_2", 7),
                default("contains"),
                default("regex"),
            ],
            "a case",
            &mut problems,
        );
        assert_eq!(names, ["contains", "contains_2", "contains_3", "regex"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn a_default_name_gives_way_to_a_given_one_that_comes_later() {
        let mut problems = Problems::default();
        let names = settle(vec![default("regex"), given("regex", 7)], "a case", &mut problems);
        assert_eq!(names, ["regex_2", "regex"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn a_hundred_thousand_graders_of_one_type_are_named_in_no_time() {
        let mut problems = Problems::default();
        let names: Vec<Name> = (0..100_000).map(|_| default("contains")).collect();
        let names = settle(names, "a case", &mut problems);
        assert_eq!(names.last().map(|name| &**name), Some("contains_100000"));
    }

    #[test]
    fn a_name_given_twice_is_an_error_at_the_second_place_that_names_the_first() {
        let mut problems = Problems::default();
        settle(vec![given("tone", 3), given("tone", 9)], "a case", &mut problems);
        let problem = problems.iter().next().unwrap();
        assert_eq!(problem.message, "two graders of a case are called `tone`");
        assert_eq!(problem.span.unwrap().start, 9);
        assert_eq!(problem.notes[0].span.start, 3);
    }
}
