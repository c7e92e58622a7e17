//! The names of the graders of a list: each is unique, so that rows can be told apart and compared.

use std::collections::HashMap;

use agentv_base::{Diagnostic, Problems, Span};

/// A name as it stands in the file, else the one that the type gives.
pub(crate) enum Name {
    Given(String, Span),
    Default(String),
}

/// The names in order. Where two default names meet, or a default meets a given one, the default
/// goes on as `contains_2`, `contains_3`; a name that was given twice is an error. `whose` graders
/// they are, messages say.
pub(crate) fn settle(names: Vec<Name>, whose: &str, problems: &mut Problems) -> Vec<String> {
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
            Name::Given(name, _) => name,
            Name::Default(name) => {
                let free = first_free(&name, &taken, next.entry(name.clone()).or_insert(2));
                taken.insert(free.clone(), Span::default());
                free
            }
        })
        .collect()
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
        Name::Default(name.to_owned())
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
        assert_eq!(names.last().map(String::as_str), Some("contains_100000"));
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
