//! Where each answer of a recording stands: the first of the two looks at it.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::FileExt as _,
    path::Path,
};

use agentv_base::{FailureKind, Stop, StopLevel, excerpt};

use super::line::{self, Header, Owner};
use crate::provider::{
    jsonl::{bad_line, cannot_be_used, strip_mark, why_no_object},
    record::Reading,
};

/// Most characters of a name that a message shows.
pub(super) const NAME_EXCERPT: usize = 120;
/// Most names that a message lists; the others are counted.
const NAMED: usize = 10;
/// Large reads: the first look is bound by parsing, not by system calls.
const BUFFER: usize = 1 << 20;
/// Far above any answer with its trace; what is longer is no file of lines.
const LONGEST_LINE: u64 = 256 * 1024 * 1024;

/// Why there is no index.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    Interrupted,
    Bad(String),
}

/// Where one answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    offset: u64,
    length: usize,
    /// 1-based, physical.
    line: usize,
    /// The place of its target among those of the file.
    target: Option<usize>,
    /// The place of its suite among those of the file.
    owner: Option<usize>,
    repeat: Option<u32>,
    attempt: Option<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    places: HashMap<Box<str>, Vec<Place>>,
    targets: Vec<Box<str>>,
    owners: Vec<Owner>,
    /// The place of each of the owners.
    known_owners: HashMap<Owner, usize>,
}

impl Index {
    /// Looks at every line of the file, which messages call `shown`; only answers of `wanted` are
    /// kept, where a target is wanted.
    pub(super) fn read(
        file: &File,
        shown: &str,
        wanted: Option<&str>,
        stop: &Stop,
    ) -> Result<Self, Fault> {
        let mut index = Self::default();
        let mut reader = BufReader::with_capacity(BUFFER, file);
        let mut buffer = Vec::new();
        let (mut offset, mut answers) = (0, 0_usize);
        for line in 1.. {
            if stop.level() >= StopLevel::Terminate {
                return Err(Fault::Interrupted);
            }
            buffer.clear();
            let length = (&mut reader)
                .take(LONGEST_LINE + 1)
                .read_until(b'\n', &mut buffer)
                .map_err(|error| Fault::Bad(format!("{shown} cannot be read: {error}")))?;
            if length == 0 {
                break;
            }
            if length as u64 > LONGEST_LINE {
                let most = LONGEST_LINE / 1024 / 1024;
                let what = format!("is longer than {most} MiB");
                return Err(Fault::Bad(bad_line(shown, line, &what, &buffer)));
            }
            let start = if line == 1 { buffer.len() - strip_mark(&buffer).len() } else { 0 };
            let content = buffer.get(start..).unwrap_or_default().trim_ascii_end();
            if !content.trim_ascii().is_empty() {
                let header = header(content, buffer.ends_with(b"\n"))
                    .map_err(|what| Fault::Bad(bad_line(shown, line, &what, content)))?;
                if header.is_no_answer() {
                    offset += length as u64;
                    continue;
                }
                let id = header
                    .id()
                    .map_err(|what| Fault::Bad(bad_line(shown, line, &what, content)))?;
                answers += 1;
                let target = header.target().map(|name| index.target(name));
                let owner = header.owner().map(|owner| index.owner(owner));
                let place = Place {
                    offset: offset + start as u64,
                    length: content.len(),
                    line,
                    target,
                    owner,
                    repeat: header.repeat(),
                    attempt: header.attempt(),
                };
                if wanted.is_none() || wanted == header.target() {
                    index.places.entry(id.into()).or_default().push(place);
                }
            }
            offset += length as u64;
        }
        match wanted {
            _ if answers == 0 => Err(Fault::Bad(format!("{shown} is empty: it has no answers"))),
            Some(target) if index.places.is_empty() => {
                Err(Fault::Bad(index.without_target(target, shown)))
            }
            _ => Ok(index),
        }
    }

    /// The number of a target; there are few of them in a file, and many lines.
    fn target(&mut self, name: &str) -> usize {
        let known = self.targets.iter().position(|target| **target == *name);
        known.unwrap_or_else(|| {
            self.targets.push(name.into());
            self.targets.len() - 1
        })
    }

    fn owner(&mut self, owner: Owner) -> usize {
        if let Some(known) = self.known_owners.get(&owner) {
            return *known;
        }
        let place = self.owners.len();
        self.known_owners.insert(owner.clone(), place);
        self.owners.push(owner);
        place
    }

    /// Those of the places that can be for a suite. Of suites that fit only the one that fits best
    /// counts: `sub/evals/a.yaml` ends like `evals/a.yaml`.
    fn of_suite(&self, places: &[Place], suite_file: &Path) -> Vec<Place> {
        let owner = |place: &Place| self.owners.get(place.owner?);
        let fit = |place: &Place| owner(place).map(|owner| owner.fits(suite_file));
        let best = places.iter().filter_map(|place| fit(place)?).max();
        places
            .iter()
            .filter(|place| fit(place).is_none_or(|fit| fit.is_some() && fit == best))
            .copied()
            .collect()
    }

    fn without_target(&self, wanted: &str, shown: &str) -> String {
        let wanted = excerpt(wanted, NAME_EXCERPT);
        let names: Vec<String> = self
            .targets
            .iter()
            .take(NAMED)
            .map(|name| format!("`{}`", excerpt(name, NAME_EXCERPT)))
            .collect();
        let more = match self.targets.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match names.as_slice() {
            [] => format!("{shown} has no answers of target `{wanted}`: no line of it names one"),
            names => format!(
                "{shown} has no answers of target `{wanted}`; it has those of {}{more}",
                names.join(", ")
            ),
        }
    }

    /// Where the answer to this try of a case of a suite stands, or why that cannot be said.
    pub(super) fn find(
        &self,
        id: &str,
        suite_file: &Path,
        repeat: u32,
        attempt: u32,
        shown: &str,
    ) -> Result<Place, NoPlace> {
        let id_shown = excerpt(id, NAME_EXCERPT);
        let all = self.places.get(id).map(Vec::as_slice).unwrap_or_default();
        let places = self.of_suite(all, suite_file);
        match places.as_slice() {
            [] => {
                let other = all.first().and_then(|it| Some((it.line, self.owners.get(it.owner?)?)));
                let message = match other {
                    Some((line, owner)) => format!(
                        "{shown} has no answer for `{id_shown}` of this suite; that on line {line} \
                         is of {owner}"
                    ),
                    None => format!("{shown} has no answer for `{id_shown}`"),
                };
                return Err(NoPlace::Missing(message));
            }
            [only] => return Ok(*only),
            _ => {}
        }
        if places.iter().any(|place| place.target != places.first().and_then(|it| it.target)) {
            return Err(NoPlace::Several(format!(
                "{shown} has answers of several targets for `{id_shown}`: {}; say which in \
                 `recorded_target`",
                self.whose(&places)
            )));
        }
        // Who recorded a case once, and asks for it often, means that answer.
        let first = places.iter().find_map(|place| place.repeat);
        let several = places.iter().any(|place| place.repeat.is_some() && place.repeat != first);
        let wanted = if several { repeat } else { first.unwrap_or(repeat) };
        let mut fitting = places.iter().filter(|place| {
            place.repeat.is_none_or(|known| known == wanted)
                && place.attempt.is_none_or(|known| known == attempt)
        });
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(*only),
            (Some(first), Some(second)) => Err(NoPlace::Several(format!(
                "{shown} has two answers for `{id_shown}`, on line {} and on line {}, and nothing \
                 tells which counts",
                first.line, second.line
            ))),
            (None, _) => Err(NoPlace::Missing(format!(
                "{shown} has {} answers for `{id_shown}`, but none for repeat {repeat} and \
                 attempt {attempt}",
                places.len()
            ))),
        }
    }

    /// Every target that has one of the places, with the first line that is its own.
    fn whose(&self, places: &[Place]) -> String {
        let mut seen = Vec::new();
        for place in places {
            if !seen.iter().any(|(target, _)| *target == place.target) {
                seen.push((place.target, place.line));
            }
        }
        let name = |(target, line): &(Option<usize>, usize)| {
            let name = target.and_then(|target| self.targets.get(target));
            match name {
                Some(name) => format!("`{}` (line {line})", excerpt(name, NAME_EXCERPT)),
                None => format!("nobody that it names (line {line})"),
            }
        };
        let mut names: Vec<String> = seen.iter().take(NAMED).map(name).collect();
        match seen.len().saturating_sub(NAMED) {
            0 => {}
            more => names.push(format!("{more} more")),
        }
        names.join(", ")
    }
}

/// Why no place can be said for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    Missing(String),
    /// There are several, and nothing says which is meant.
    Several(String),
}

impl NoPlace {
    pub(super) fn kind(&self) -> FailureKind {
        match self {
            Self::Missing(_) => FailureKind::Missing,
            Self::Several(_) => FailureKind::Output,
        }
    }

    pub(super) fn message(&self) -> &str {
        match self {
            Self::Missing(message) | Self::Several(message) => message,
        }
    }
}

impl Place {
    pub(super) fn line(self) -> usize {
        self.line
    }

    /// Reads the answer that stands here, which must be that of the case.
    pub(super) fn read(self, file: &File, shown: &str, id: &str) -> Result<Reading, String> {
        let mut bytes = vec![0; self.length];
        file.read_exact_at(&mut bytes, self.offset)
            .map_err(|error| format!("line {} of {shown} cannot be read: {error}", self.line))?;
        match line::answer(&bytes) {
            Ok((Some(found), reading)) if found == id => Ok(reading),
            Ok(_) => Err(format!("{shown} was changed while it was read (line {})", self.line)),
            Err(error) => Err(bad_line(shown, self.line, &cannot_be_used(&error), &bytes)),
        }
    }
}

fn header(content: &[u8], ended: bool) -> Result<Header, String> {
    let text = std::str::from_utf8(content).map_err(|_| "is not UTF-8".to_owned())?;
    serde_json::from_str(text).map_err(|error| {
        let why = why_no_object(text, &error);
        // Whoever writes lines ends them: this one is what was left of one.
        let cut = error.is_eof() && !ended;
        if cut { format!("{why}, as if cut off: remove it, or record again") } else { why }
    })
}
