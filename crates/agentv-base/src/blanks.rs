//! A text with named blanks in double braces, which are filled in once: what is filled in is never
//! read again, so no answer can fill a blank of its own.

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Blank(&'static str),
    /// One that only its author knows: a variable of his own.
    Own(String),
}

/// A text in which every blank is known by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blanks {
    pieces: Vec<Piece>,
}

impl Blanks {
    /// Reads a text. `known` has every name and the one that it stands for, without regard to
    /// upper and lower case; a name that nobody knows is the error. Braces around anything but a
    /// name are text, and so is `${{ … }}`.
    pub fn read(text: &str, known: &[(&str, &'static str)]) -> Result<Self, String> {
        let read = Self::read_open(text, known);
        let unknown = read.own().next().map(str::to_owned);
        unknown.map_or(Ok(read), Err)
    }

    /// The same where names that nobody knows may be variables of the author's own.
    pub fn read_open(text: &str, known: &[(&str, &'static str)]) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            plain.push_str(before);
            let name = after.split_once("}}").map(|(name, next)| (name.trim(), next));
            match name.filter(|(name, _)| is_name(name) && !before.ends_with('$')) {
                Some((name, next)) => {
                    let found = known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    pieces.push(found.map_or_else(
                        || Piece::Own(name.to_owned()),
                        |(_, meant)| Piece::Blank(meant),
                    ));
                    rest = next;
                }
                None => {
                    plain.push_str("{{");
                    rest = after;
                }
            }
        }
        plain.push_str(rest);
        pieces.push(Piece::Text(plain));
        Self { pieces }
    }

    /// Whether a blank of this name is to be filled in.
    pub fn has(&self, name: &str) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Blank(blank) if *blank == name))
    }

    /// The blanks that nobody but the author knows, as he wrote them.
    pub fn own(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Own(name) => Some(name.as_str()),
            Piece::Text(_) | Piece::Blank(_) => None,
        })
    }

    /// The text with what stands for each blank.
    pub fn fill(&self, mut value_of: impl FnMut(&str) -> String) -> String {
        let mut filled = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Blank(name) => filled.push_str(&value_of(name)),
                Piece::Own(name) => filled.push_str(&value_of(name)),
            }
        }
        filled
    }
}

/// Variables of later dialects have dots: `vars.city`.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[(&str, &str)] = &[("answer", "answer"), ("output", "answer"), ("id", "id")];

    fn check(text: &str) -> Result<String, String> {
        let blanks = Blanks::read(text, KNOWN)?;
        Ok(blanks.fill(|name| format!("<{name} {{{{ id }}}}>")))
    }

    #[test]
    fn blanks_are_filled_once_by_any_of_their_names() {
        assert_eq!(check("a {{output}} {{ ANSWER }}").unwrap(), {
            "a <answer {{ id }}> <answer {{ id }}>"
        });
    }

    #[test]
    fn braces_around_anything_else_are_text() {
        for text in ["{{ }}", "{{", "{{ a b }} }}", "{ id }", "{{{ \"id\": 1 }}}", "${{ id }}"] {
            assert_eq!(check(text).unwrap(), text);
        }
    }

    #[test]
    fn a_name_that_nobody_knows_is_told() {
        assert_eq!(check("{{ answr }}").unwrap_err(), "answr");
    }

    #[test]
    fn a_name_of_the_authors_own_is_kept_as_it_was_written() {
        let blanks = Blanks::read_open("{{ City }} {{ vars.x }} {{ ID }}", KNOWN);
        assert_eq!(blanks.own().collect::<Vec<_>>(), ["City", "vars.x"]);
        assert_eq!(blanks.fill(|name| format!("<{name}>")), "<City> <vars.x> <id>");
    }
}
