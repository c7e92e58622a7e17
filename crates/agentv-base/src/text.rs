//! A string that many can share: on its own, or as a piece of the file that it stands in.

use std::{
    fmt,
    hash::{Hash, Hasher},
    ops::{Deref, Range},
    sync::Arc,
};

use serde::{Serialize, Serializer};

/// The texts of a large suite are most of its memory, and memory is most of the time that loading
/// takes; so a text that stands in its file as it is read is not copied.
#[derive(Clone)]
pub struct Text(Form);

#[derive(Clone)]
enum Form {
    Own(Arc<str>),
    /// Invariant: the range lies in the text, between characters.
    Piece {
        of: Arc<String>,
        start: u32,
        end: u32,
    },
}

impl Text {
    /// A piece of a file; nothing where there is no such piece.
    pub fn piece(of: &Arc<String>, range: Range<usize>) -> Option<Self> {
        of.get(range.clone())?;
        let (start, end) = (u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?);
        Some(Self(Form::Piece { of: Arc::clone(of), start, end }))
    }

    /// The text on its own, for those who keep it longer than its file.
    pub fn to_shared(&self) -> Arc<str> {
        match &self.0 {
            Form::Own(text) => Arc::clone(text),
            Form::Piece { .. } => Arc::from(&**self),
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Form::Own(text) => text,
            Form::Piece { of, start, end } => {
                of.get(*start as usize..*end as usize).unwrap_or_default()
            }
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Form::Own(text.into()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Form::Own(text.into()))
    }
}

impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Self(Form::Own(text))
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_a_file_is_the_same_as_a_text_on_its_own() {
        let file = Arc::new("a: wörd".to_owned());
        let piece = Text::piece(&file, 3..8).unwrap();
        assert_eq!(piece, Text::from("wörd"));
        assert_eq!(&*piece.to_shared(), "wörd");
        assert_eq!(format!("{piece} {piece:?}"), "wörd \"wörd\"");
    }

    #[test]
    fn there_is_no_piece_outside_of_a_file_or_inside_of_a_character() {
        let file = Arc::new("ö".to_owned());
        assert_eq!(Text::piece(&file, 0..1), None);
        assert_eq!(Text::piece(&file, 0..3), None);
    }
}
