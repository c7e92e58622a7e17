//! "Did you mean": the known name that a typo most likely stands for.

/// The distance of a name that only goes on after another.
const CONTINUED: usize = 2;

/// The candidate closest to `typed`, where one is close enough to be meant.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = fold(typed);
    let limit = match typed.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(&typed, &fold(candidate), limit)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How far apart two names are, where that is not beyond the limit. A name that only goes on after
/// the typed one (`command` for `command_template`) is near too.
fn distance(typed: &str, candidate: &str, limit: usize) -> Option<usize> {
    let continued =
        typed.len() >= 4 && (candidate.starts_with(typed) || typed.starts_with(candidate));
    let most = if continued { CONTINUED } else { limit };
    // Each edit changes the length by one at most. What was typed can have any length, and edits
    // are counted in time and memory that grow with it.
    let apart = typed.chars().count().abs_diff(candidate.chars().count());
    if apart > most {
        return continued.then_some(CONTINUED);
    }
    let edits = strsim::damerau_levenshtein(typed, candidate);
    if continued { Some(edits.min(CONTINUED)) } else { Some(edits).filter(|edits| *edits <= limit) }
}

/// Case and the choice of separator never make two names differ.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_letter_finds_its_name() {
        assert_eq!(nearest("evalcaess", ["dataset", "evalcases"]), Some("evalcases"));
    }

    #[test]
    fn the_wrong_separator_is_no_distance() {
        assert_eq!(nearest("eval-cases", ["evalcases"]), Some("evalcases"));
    }

    #[test]
    fn a_name_that_only_lacks_its_separator_beats_one_that_begins_alike() {
        assert_eq!(nearest("inorder", ["inorder_list", "in_order"]), Some("in_order"));
    }

    #[test]
    fn a_word_that_has_nothing_to_do_with_any_finds_none() {
        assert_eq!(nearest("banana", ["evalcases", "dataset"]), None);
    }

    #[test]
    fn a_very_long_name_is_near_only_to_one_it_begins_with() {
        let endless = "evalcases".repeat(10_000);
        assert_eq!(nearest(&endless, ["dataset", "input_messages"]), None);
        assert_eq!(nearest(&endless, ["dataset", "evalcases"]), Some("evalcases"));
    }

    #[test]
    fn the_beginning_of_a_long_name_finds_it() {
        assert_eq!(nearest("timeout", ["timeout_seconds", "cwd"]), Some("timeout_seconds"));
    }
}
