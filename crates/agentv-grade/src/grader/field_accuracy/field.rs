//! One field: where it is, what is expected there and how much it counts. What is wrong with what
//! an author wrote about it is said in `settings.rs`.

use serde_json::Value;

use super::compare::{Match, Unfit};
use crate::path::{Found, Path};

#[derive(Debug)]
pub(super) struct Field {
    pub(super) path: Path,
    pub(super) how: Match,
    /// What is expected, where that is not what the case expects.
    pub(super) value: Option<Value>,
    /// Whether an answer without it is wrong; else it is left out of the score.
    pub(super) required: bool,
    pub(super) weight: f64,
}

/// What an answer has at a field, in words that go on after the path.
#[derive(Debug, PartialEq)]
pub(super) enum Seen {
    Right(String),
    Wrong(String),
    LeftOut,
}

impl Field {
    /// What it lacks to be graded by `data`, in words that go on after "needs"; `data` is what the
    /// case expects, where that is JSON.
    pub(super) fn lacks(&self, data: Option<&Value>) -> Option<String> {
        let wanted = match self.wanted(data?) {
            Ok(wanted) => wanted,
            Err(absent) => return Some(absent),
        };
        let unfit = wanted.iter().find_map(|wanted| self.how.fits(wanted).err())?;
        let path = &self.path;
        Some(match unfit {
            Unfit::NoNumber => format!("a number at {path} of the expected answer"),
            Unfit::NoDate => format!("a date at {path} of the expected answer"),
            Unfit::TwoDates(_) => format!(
                "a date at {path} of the expected answer that can be one day only, or `formats` \
                 that say which"
            ),
        })
    }

    /// What is expected there: one value, or those of a path that selects several.
    fn wanted<'v>(&'v self, data: &'v Value) -> Result<Vec<&'v Value>, String> {
        match &self.value {
            Some(Value::Array(values)) if self.path.selects_several() => {
                Ok(values.iter().collect())
            }
            Some(value) => Ok(vec![value]),
            None => match self.path.find(data) {
                Found::One(value) => Ok(vec![value]),
                Found::Several(values) => Ok(values),
                Found::Absent(_) => Err(format!("{} in the expected answer", self.path)),
            },
        }
    }

    /// Looks at it in an answer. An error where nothing is known that it could be compared with.
    pub(super) fn look(&self, data: Option<&Value>, answer: &Value) -> Result<Seen, String> {
        let wanted = self.wanted(data.unwrap_or(&Value::Null))?;
        let found = match self.path.find(answer) {
            Found::One(value) => vec![value],
            Found::Several(values) => values,
            Found::Absent(_) if !self.required => return Ok(Seen::LeftOut),
            Found::Absent(ended) => return Ok(Seen::Wrong(format!("is absent: {ended}"))),
        };
        if let ([wanted], [found], false) = (&*wanted, &*found, self.path.selects_several()) {
            return Ok(match self.how.compare(wanted, found) {
                Ok(said) => Seen::Right(said),
                Err(said) => Seen::Wrong(said),
            });
        }
        Ok(self.look_at_all(&wanted, &found))
    }

    /// Several values are right where each is, in their order.
    fn look_at_all(&self, wanted: &[&Value], found: &[&Value]) -> Seen {
        if wanted.len() != found.len() {
            return Seen::Wrong(format!("has {}, not {}", values(found.len()), wanted.len()));
        }
        let mut said =
            (1..).zip(wanted.iter().zip(found)).filter_map(|(number, (wanted, found))| {
                let said = self.how.compare(wanted, found).err()?;
                Some(format!("value {number} {said}"))
            });
        match said.next() {
            None => Seen::Right(format!("has the {} that are expected", values(found.len()))),
            Some(first) => Seen::Wrong(match said.count() {
                0 => first,
                more => format!("{first} (and {more} more)"),
            }),
        }
    }
}

fn values(count: usize) -> String {
    format!("{count} value{}", if count == 1 { "" } else { "s" })
}
