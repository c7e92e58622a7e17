//! A word of a list, as settings choose one: in snake_case or kebab-case, with blanks around it or
//! not. The schema takes the same spellings.

use crate::{
    diagnostic::{Diagnostic, Problems},
    excerpt::excerpt,
    nearest::nearest,
    node::Node,
};

/// Enough of a word to recognise it.
const SHOWN: usize = 80;

/// What the word that a setting holds stands for, or the reason why it stands for nothing. `what`
/// is what the words are called.
pub fn choice_of<T: Copy>(
    what: &str,
    node: &Node,
    words: &[(&'static str, T)],
    problems: &mut Problems,
) -> Option<T> {
    let Some(typed) = node.as_str() else {
        let message = format!("`{what}` must be a string, not {}", node.kind_name());
        problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
        return None;
    };
    let snake = typed.trim().replace('-', "_");
    if let Some((_, meant)) = words.iter().find(|(word, _)| *word == snake) {
        return Some(*meant);
    }
    let names = || words.iter().map(|(word, _)| *word);
    let shown = excerpt(typed, SHOWN);
    problems.push(
        Diagnostic::error(format!("unknown {what} `{shown}`"))
            .code("bad-value")
            .at(node.span)
            .hint(match nearest(typed, names()) {
                // The nearest may be another word of the same kind, such as `mean` for `median`.
                Some(near) => format!("did you mean `{near}`? known: {}", listed(names())),
                None => format!("known: {}", listed(names())),
            }),
    );
    None
}

fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// The words of a table, for the shape of a key.
pub const fn words_of<T, const N: usize>(
    table: &'static [(&'static str, T); N],
) -> [&'static str; N] {
    let mut words = [""; N];
    let mut place = 0;
    while place < N {
        words[place] = table[place].0;
        place += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{NodeValue, Span};

    const WORDS: [(&str, u8); 2] = [("in_order", 1), ("exact", 2)];

    /// The number of the word, or what is said of it.
    fn check(value: NodeValue) -> Result<u8, (String, &'static str, Option<String>)> {
        let mut problems = Problems::default();
        let node = Node::new(Span::default(), value);
        choice_of("mode", &node, &WORDS, &mut problems).ok_or_else(|| {
            let problem = problems.iter().next().unwrap();
            (problem.message.clone(), problem.code, problem.hint.clone())
        })
    }

    #[test]
    fn a_word_is_known_in_snake_case_and_in_kebab_case() {
        for typed in ["in_order", "in-order", " in-order "] {
            assert_eq!(check(NodeValue::String(typed.into())), Ok(1));
        }
    }

    #[test]
    fn another_word_is_told_with_the_nearest_and_with_all() {
        for (typed, shown, hint) in [
            ("inorder", "inorder", "did you mean `in_order`? known: in_order, exact"),
            ("Exact", "Exact", "did you mean `exact`? known: in_order, exact"),
            ("a\nb", "a\\nb", "known: in_order, exact"),
        ] {
            let said = (format!("unknown mode `{shown}`"), "bad-value", Some(hint.to_owned()));
            assert_eq!(check(NodeValue::String(typed.into())), Err(said));
        }
    }

    #[test]
    fn what_is_no_text_is_no_word() {
        let said = ("`mode` must be a string, not a number".to_owned(), "wrong-type", None);
        assert_eq!(check(NodeValue::Integer(1)), Err(said));
    }

    #[test]
    fn the_words_of_a_table_stand_in_its_order() {
        assert_eq!(words_of(&WORDS), ["in_order", "exact"]);
    }
}
