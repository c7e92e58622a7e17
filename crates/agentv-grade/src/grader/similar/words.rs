//! What counts as a word, as the published measures have it. Each rule rewrites a text so that
//! white space parts its words; to compare words is not done here.

/// The words of a rewritten text.
pub(super) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> + Clone {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// White space as Python has it, which the published measures are written in: four separators that
/// Unicode does not count are among it.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// For `rouge_…`: runs of a-z and 0-9 after lowering; anything else parts words.
pub(super) fn of_rouge(text: &str) -> String {
    // Letter by letter: where lowering a letter depends on its neighbours, it is not one of these.
    let lowered = text.chars().flat_map(char::to_lowercase);
    let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    lowered.map(|c| if is_kept(c) { c } else { ' ' }).collect()
}

/// For `token_f1`: lowered, without the punctuation of ASCII and then without `a`, `an` and `the`.
pub(super) fn of_squad(text: &str) -> String {
    let mut bare = text.to_lowercase();
    bare.retain(|c| !c.is_ascii_punctuation());
    let mut kept = String::with_capacity(bare.len());
    let mut before = None;
    let mut rest = bare.as_str();
    while let Some(first) = rest.chars().next() {
        // A run of letters and digits of ASCII, or one other character.
        let run = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(if run == 0 { first.len_utf8() } else { run });
        let stands_alone = !before.is_some_and(is_of_a_word) && !after.starts_with(is_of_a_word);
        kept.push_str(if stands_alone && ["a", "an", "the"].contains(&piece) {
            " "
        } else {
            piece
        });
        before = piece.chars().next_back();
        rest = after;
    }
    kept
}

/// Whether an article ends where this stands beside it. Python asks for letters and numbers by
/// category; signs for vowels, which no article stands beside, are the only difference.
fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// For `bleu`: the tokens of mteval-v13a, in which punctuation stands alone, but for the periods
/// and commas inside of numbers and the dashes and apostrophes inside of words.
pub(super) fn of_mteval(text: &str) -> String {
    let mut line = text.trim_end_matches(is_space).replace("<skipped>", "").replace("-\n", "");
    line = line.replace('\n', " ");
    if line.contains('&') {
        for (written, meant) in [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")] {
            line = line.replace(written, meant);
        }
    }
    let mut alone = String::with_capacity(line.len() * 2);
    alone.push(' ');
    for c in line.chars() {
        if stands_alone(c) {
            alone.extend([' ', c, ' ']);
        } else {
            alone.push(c);
        }
    }
    alone.push(' ');
    let is_point = |c: char| matches!(c, '.' | ',');
    let line = part(&alone, |a, b| !a.is_ascii_digit() && is_point(b), |a, b| [a, ' ', b, ' ']);
    let line = part(&line, |a, b| is_point(a) && !b.is_ascii_digit(), |a, b| [' ', a, ' ', b]);
    part(&line, |a, b| a.is_ascii_digit() && b == '-', |a, b| [a, ' ', b, ' '])
}

/// All punctuation of ASCII but the apostrophe, the comma, the dash and the period.
fn stands_alone(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '\'' | ',' | '-' | '.')
}

/// Rewrites each pair of neighbours that `is_pair` names, from the left; pairs do not overlap.
fn part(
    text: &str,
    is_pair: impl Fn(char, char) -> bool,
    rewritten: impl Fn(char, char) -> [char; 4],
) -> String {
    let mut parted = String::with_capacity(text.len() + text.len() / 8);
    let mut waiting: Option<char> = None;
    for c in text.chars() {
        match waiting.take() {
            Some(first) if is_pair(first, c) => parted.extend(rewritten(first, c)),
            first => {
                parted.extend(first);
                waiting = Some(c);
            }
        }
    }
    parted.extend(waiting);
    parted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rewrite: fn(&str) -> String, text: &str, wanted: &[&str]) {
        assert_eq!(words(&rewrite(text)).collect::<Vec<_>>(), wanted, "{text}");
    }

    #[test]
    fn rouge_knows_letters_and_digits_of_ascii_only() {
        check(of_rouge, "It's 3.14, naïve!", &["it", "s", "3", "14", "na", "ve"]);
        check(of_rouge, "日本語 — \n", &[]);
        // The sign of Kelvin is a k when lowered.
        check(of_rouge, "5 \u{212a}", &["5", "k"]);
    }

    #[test]
    fn squad_drops_punctuation_first_and_articles_then() {
        check(of_squad, "The cat's a-b, AN  a.", &["cats", "ab"]);
        check(of_squad, "theory an1 1a", &["theory", "an1", "1a"]);
        check(of_squad, "the€5 aé éa €a€", &["€5", "aé", "éa", "€", "€"]);
        check(of_squad, "a\u{301} b", &["\u{301}", "b"]);
        check(of_squad, "“quoted” ΟΔΟΣ", &["“quoted”", "οδος"]);
        check(of_squad, "x\u{1c}y", &["x", "y"]);
    }

    #[test]
    fn mteval_keeps_numbers_and_words_with_dashes_together() {
        check(of_mteval, "Hello, world.", &["Hello", ",", "world", "."]);
        check(
            of_mteval,
            "1,000.5 e.g. 3-4 well-known",
            &["1,000.5", "e", ".", "g", ".", "3", "-", "4", "well-known"],
        );
        check(of_mteval, "it's $5 (a/b)", &["it's", "$", "5", "(", "a", "/", "b", ")"]);
        check(
            of_mteval,
            "R&amp;D &lt;b&gt; long-\nword\nx",
            &["R", "&", "D", "<", "b", ">", "longword", "x"],
        );
        check(of_mteval, "... 1..2 .5", &[".", ".", ".", "1", ".", ".", "2", ".", "5"]);
    }
}
