//! What may stand in a map of settings: its keys, under every name they ever had, and the shape of
//! their values.
//!
//! These tables are read by everyone who must know the language: the loader (through `Fields`), the
//! JSON Schemas for editors, the converter between dialects and the reference. So a name or a key
//! is added in one place.

/// One key that a map may have.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name today.
    pub name: &'static str,
    /// Names that other dialects have for the same thing. Each name is also known in camelCase.
    pub aliases: &'static [&'static str],
    pub shape: Shape,
    /// What it means, in one line.
    pub about: &'static str,
    /// What holds where it is absent, in words or as YAML.
    pub default: Option<&'static str>,
    pub required: bool,
}

/// What a value looks like. Whether it also makes sense is for its reader to say.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A string, also an empty one.
    Text,
    /// A string that is not blank.
    Name,
    /// True or false, also as the strings that variables of the environment can hold.
    Bool,
    /// A finite number, also as a string.
    Number,
    /// A number above 0.
    Positive,
    /// A number of at least 0.
    Limit,
    /// A number from 0 to 1.
    Share,
    /// A whole number of at least 1.
    Count,
    /// A whole number of at least 0.
    CountLimit,
    /// Text, a number or a boolean.
    Scalar,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Anything at all.
    Any,
    /// A map with keys of the author's own.
    AnyMap,
    /// A map from the author's own keys to values of one shape.
    MapOf(&'static Shape),
    List(&'static Shape),
    /// A map with known keys.
    Part(&'static Part),
    /// A map whose known keys depend on one of them.
    Tagged(&'static Tagged),
    Either(&'static [Shape]),
    /// Something whose shape another part of AgentV knows.
    Named(&'static str),
    /// Known from another dialect, and not supported: an error that says what to do instead.
    Later(&'static str),
}

impl Shape {
    /// Whether a value of this shape is one text, number or boolean, with nothing inside of it.
    pub const fn is_plain(&self) -> bool {
        match self {
            Self::Text
            | Self::Name
            | Self::Bool
            | Self::Number
            | Self::Positive
            | Self::Limit
            | Self::Share
            | Self::Count
            | Self::CountLimit
            | Self::Scalar
            | Self::Choice(_) => true,
            Self::Any
            | Self::AnyMap
            | Self::MapOf(_)
            | Self::List(_)
            | Self::Part(_)
            | Self::Tagged(_)
            | Self::Either(_)
            | Self::Named(_)
            | Self::Later(_) => false,
        }
    }
}

/// A kind of map.
#[derive(Debug)]
pub struct Part {
    /// What messages call it.
    pub what: &'static str,
    pub tables: &'static [&'static [Key]],
}

/// Kinds of maps that are told apart by the value of one key.
#[derive(Debug)]
pub struct Tagged {
    pub key: &'static str,
    pub parts: &'static [(&'static str, &'static Part)],
    /// Whether a map with another value, or with none, is the author's own.
    pub open: bool,
}

/// The name of graders wherever one may stand.
pub const GRADER: Shape = Shape::Named("grader");
/// The name of targets wherever one may be described.
pub const TARGET: Shape = Shape::Named("target");

/// The keys that every grader has, whatever its type.
pub const GRADER_KEYS: &[Key] = &[
    Key::new("name", Shape::Name, "How results call it").or(&["metric"]).default("its type"),
    Key::new("type", Shape::Name, "Which kind of grader it is").required(),
    Key::new("weight", Shape::Limit, "Its share in the weighted mean").default("1"),
    Key::new(
        "required",
        REQUIRED,
        "Whether the case fails where this grader does; a number is its `min_score`",
    )
    .default("false; true with `min_score`"),
    Key::new("negate", Shape::Bool, "Passes where it would fail; as `not-` before the type")
        .default("false"),
    Key::new("min_score", Shape::Share, "The score from which this grader passes")
        .default("the threshold of the run"),
];

const REQUIRED: Shape = Shape::Either(&[Shape::Bool, Shape::Share]);

/// The key of a grader under which graders stand that it is made of.
pub const MEMBERS: Key = Key::new(
    "evaluators",
    Shape::List(&GRADER),
    "Its members: graders in any form that a case's may have",
)
.or(&["assertions", "assert"])
.required();

/// Keys that any map of ours may carry for the author's own use.
pub const FREE_KEYS: [&str; 3] = ["metadata", "note", "description"];

/// What keys of the author's own start with.
pub const OWN_KEY_PREFIX: &str = "x-";

impl Key {
    pub const fn new(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, aliases: &[], shape, about, default: None, required: false }
    }

    /// A key of another dialect that has no meaning here yet.
    pub const fn later(name: &'static str, instead: &'static str) -> Self {
        Self::new(name, Shape::Later(instead), "not supported yet")
    }

    #[must_use]
    pub const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    #[must_use]
    pub const fn default(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// Its name and all others, as they are listed; camelCase comes on top.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Every way to write it: its names as they are listed, then each of them in camelCase.
    pub fn spellings(&self) -> Vec<String> {
        let camel = self.names().filter_map(camel_case);
        self.names().map(str::to_owned).chain(camel).collect()
    }

    pub fn is_called(&self, typed: &str) -> bool {
        self.name == typed || self.aliases.contains(&typed)
    }
}

/// The key that goes by the name `typed`, in snake_case or camelCase.
pub fn find_key(typed: &str, tables: &[&'static [Key]]) -> Option<&'static Key> {
    let named =
        |name: &str| tables.iter().find_map(|table| table.iter().find(|key| key.is_called(name)));
    named(typed).or_else(|| named(&snake_case(typed)?))
}

/// `commandTemplate` as `command_template`; nothing where the name is not camelCase.
fn snake_case(name: &str) -> Option<String> {
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) || name.starts_with(char::is_uppercase) {
        return None;
    }
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_uppercase() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    Some(snake)
}

/// `command_template` as `commandTemplate`; nothing where there is nothing to change.
pub fn camel_case(name: &str) -> Option<String> {
    if !name.contains('_') {
        return None;
    }
    let mut camel = String::with_capacity(name.len());
    for (number, word) in name.split('_').enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if number > 0 => camel.extend(first.to_uppercase()),
            first => camel.extend(first),
        }
        camel.push_str(letters.as_str());
    }
    Some(camel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camel_case_is_understood_of_every_name_that_it_is_made_of() {
        for name in ["command_template", "eval_cases", "id", "$schema"] {
            let camel = camel_case(name);
            assert_eq!(camel.as_deref().and_then(snake_case), camel.map(|_| name.to_owned()));
        }
        assert_eq!(camel_case("api_key_2").as_deref(), Some("apiKey2"));
    }
}
