//! The name of a key: one of the few that stand in nearly every case, or any other.

use std::{
    borrow::Borrow,
    fmt,
    hash::{Hash, Hasher},
    ops::Deref,
    sync::Arc,
};

use serde::{Serialize, Serializer};

use crate::text::Text;

/// Words that a large suite says again and again. Nothing is counted for them, as it is for texts that are
/// shared: forty times a case, that would be a twentieth of what loading takes.
static OFTEN: [&str; 24] = [
    "id",
    "role",
    "content",
    "input",
    "input_messages",
    "expected_outcome",
    "expected_output",
    "expected_messages",
    "evaluators",
    "assert",
    "assertions",
    "execution",
    "type",
    "name",
    "value",
    "weight",
    "metric",
    "threshold",
    "vars",
    "tags",
    "metadata",
    "question",
    "answer",
    "conversation_id",
];

/// A name of a key.
#[derive(Clone)]
pub struct Word(Form);

#[derive(Clone)]
enum Form {
    /// One of those above. A reference to it is half as wide as itself, and so fits beside the other form.
    Often(&'static &'static str),
    Own(Arc<str>),
}

impl Word {
    /// The word as one of those that are said often, where it is.
    pub fn often(word: &str) -> Option<Self> {
        OFTEN.iter().find(|often| **often == word).map(|often| Self(Form::Often(often)))
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Form::Often(word) => word,
            Form::Own(word) => word,
        }
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Word {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<&str> for Word {
    fn from(word: &str) -> Self {
        Self(Form::Own(word.into()))
    }
}

impl From<String> for Word {
    fn from(word: String) -> Self {
        Self(Form::Own(word.into()))
    }
}

impl From<Arc<str>> for Word {
    fn from(word: Arc<str>) -> Self {
        Self(Form::Own(word))
    }
}

impl From<Word> for Text {
    fn from(word: Word) -> Self {
        match word.0 {
            Form::Often(word) => (*word).into(),
            Form::Own(word) => word.into(),
        }
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Word {}

impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, formatter)
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_what_it_says_in_whatever_form() {
        assert_eq!(size_of::<Word>(), size_of::<Arc<str>>());
        for word in OFTEN {
            assert_eq!(Word::often(word), Some(Word::from(word)));
        }
        assert_eq!(Word::often("seldom"), None);
        assert_ne!(Word::often("id"), Word::often("role"));
    }
}
