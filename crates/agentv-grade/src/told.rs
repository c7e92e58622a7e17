//! How much is told of what may be any number of things of any length.

/// The first `most` of some items, each as `shown`, and how many `more` there are.
pub(crate) fn first_of<T>(
    mut items: impl Iterator<Item = T>,
    most: usize,
    shown: impl FnMut(T) -> String,
    more: impl FnOnce(usize) -> String,
) -> Vec<String> {
    let mut told: Vec<String> = items.by_ref().take(most).map(shown).collect();
    match items.count() {
        0 => {}
        left => told.push(more(left)),
    }
    told
}

/// What is told of those that are left, where no more is to be said of them.
pub(crate) fn and_more(more: usize) -> String {
    format!("and {more} more")
}

/// At most so many characters, and `…` where it was cut. Unlike an excerpt it keeps its lines.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_told_and_the_rest_is_counted() {
        let check = |count: i32| first_of(0..count, 2, |item| item.to_string(), and_more);
        assert_eq!(check(0), [""; 0]);
        assert_eq!(check(2), ["0", "1"]);
        assert_eq!(check(5), ["0", "1", "and 3 more"]);
    }

    #[test]
    fn only_what_is_told_is_put_into_words() {
        let mut worded = 0;
        let count = |_: u8| {
            worded += 1;
            String::new()
        };
        first_of(0..100, 2, count, and_more);
        assert_eq!(worded, 2);
    }

    #[test]
    fn a_text_is_cut_between_letters_and_only_where_it_is_too_long() {
        assert_eq!(cut("äö\nü".to_owned(), 4), "äö\nü");
        assert_eq!(cut("äö\nü".to_owned(), 3), "äö\n…");
    }
}
