//! The names of a case's graders: each is unique, so that rows can be told apart and compared.

use std::collections::HashMap;

use agentv_base::{Diagnostic, Problems, Span};

/// A name as it stands in the file, else the one that the type gives.
pub(crate) enum Name {
    Given(String, Span),
    Default(String),
}

/// The names in order. Where two default names meet, or a default meets a given one, the default
/// goes on as `contains_2`, `contains_3`; a name that was given twice is an error.
pub(crate) fn settle(names: Vec<Name>, problems: &mut Problems) -> Vec<String> {
    let mut taken: HashMap<String, Span> = HashMap::new();
    for name in &names {
        let Name::Given(name, span) = name else {
            continue;
        };
        if let Some(first) = taken.get(name) {
            problems.push(
                Diagnostic::error(format!("two graders of a case are called `{name}`"))
                    .code("duplicate-name")
                    .at(*span)
                    .label("given again here")
                    .note(*first, "first given here"),
            );
        } else {
            taken.insert(name.clone(), *span);
        }
    }
    names
        .into_iter()
        .map(|name| match name {
            Name::Given(name, _) => name,
            Name::Default(name) => {
                let free = first_free(&name, &taken);
                taken.insert(free.clone(), Span::default());
                free
            }
        })
        .collect()
}

fn first_free(name: &str, taken: &HashMap<String, Span>) -> String {
    if !taken.contains_key(name) {
        return name.to_owned();
    }
    // One more number than there are names: one of them is free.
    (2..=taken.len() + 2)
        .map(|number| format!("{name}_{number}"))
        .find(|candidate| !taken.contains_key(candidate))
        .unwrap_or_else(|| name.to_owned())
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
            &mut problems,
        );
        assert_eq!(names, ["contains", "contains_2", "contains_3", "regex"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn a_default_name_gives_way_to_a_given_one_that_comes_later() {
        let mut problems = Problems::default();
        let names = settle(vec![default("regex"), given("regex", 7)], &mut problems);
        assert_eq!(names, ["regex_2", "regex"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn a_name_given_twice_is_an_error_at_the_second_place_that_names_the_first() {
        let mut problems = Problems::default();
        settle(vec![given("tone", 3), given("tone", 9)], &mut problems);
        let problem = problems.iter().next().unwrap();
        assert_eq!(problem.message, "two graders of a case are called `tone`");
        assert_eq!(problem.span.unwrap().start, 9);
        assert_eq!(problem.notes[0].span.start, 3);
    }
}
