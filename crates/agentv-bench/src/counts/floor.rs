//! The tiny programs that counts are divided by: about the least that each run could take.
//!
//! A compiler or a library that makes all programs dearer makes these dearer too.

use std::{
    borrow::Cow,
    fs,
    hint::black_box,
    io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::floor::walk;

/// The first word of their command lines.
pub const WORD: &str = "counted";

/// A floor, by the words of its command line: `counted start`, `counted walk suite.yaml`.
///
/// They are not read by clap, because then every new option of this program would be in the count.
pub fn asked_for(mut words: impl Iterator<Item = std::ffi::OsString>) -> Option<io::Result<()>> {
    if words.nth(1)?.to_str() != Some(WORD) {
        return None;
    }
    let name = words.next().unwrap_or_default();
    let files: Vec<PathBuf> = words.map(PathBuf::from).collect();
    Some(match name.to_str() {
        Some("start") => start(),
        Some("walk") => files.iter().try_for_each(|file| walk::walk(file).map(drop)),
        Some("lines") => files.iter().try_for_each(|file| parse_lines(file)),
        _ => Err(io::Error::other(format!("{} is no floor: start, walk or lines", name.display()))),
    })
}

/// What is looked at in any line: the rest is passed over.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, alias = "eval_id")]
    id: Cow<'a, str>,
    #[serde(borrow, alias = "candidate_answer")]
    text: Cow<'a, str>,
    score: Option<f64>,
}

/// Reads the file and parses its lines one by one.
fn parse_lines(file: &Path) -> io::Result<()> {
    fs::read_to_string(file)?.lines().try_for_each(parse)
}

fn parse(line: &str) -> io::Result<()> {
    let line: Line<'_> = serde_json::from_str(line)?;
    black_box((line.id, line.text, line.score));
    Ok(())
}

/// A program that starts and does a little. What it does outweighs what the system's loader does
/// for it, which differs from system to system.
fn start() -> io::Result<()> {
    (0..250).try_for_each(|_| {
        parse(black_box(
            r#"{"id": "case", "text": "a \"text\" and some more of it", "score": 0.5,
                "messages": [{"role": "user", "content": "Hello", "tokens": [1, 2, 3]}]}"#,
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::asked_for;
    use crate::counts::files;

    fn words(text: &str) -> impl Iterator<Item = OsString> {
        text.split(' ').map(OsString::from)
    }

    #[test]
    fn other_words_are_left_to_clap() {
        assert!(asked_for(words("agentv-bench load")).is_none());
        assert!(asked_for(words("agentv-bench")).is_none());
    }

    #[test]
    fn a_floor_reads_every_file_that_runs_read() {
        let folder = tempfile::tempdir().unwrap();
        files::batch(folder.path(), 20).unwrap();
        files::rows(folder.path(), 20).unwrap();
        let place = folder.path().display();
        for floor in [
            "start".to_owned(),
            format!("walk {place}/suite.yaml"),
            format!("lines {place}/answers.jsonl {place}/a.jsonl {place}/b.jsonl"),
        ] {
            asked_for(words(&format!("agentv-bench counted {floor}"))).unwrap().unwrap();
        }
    }

    #[test]
    fn a_floor_that_is_none_is_an_error() {
        assert!(asked_for(words("agentv-bench counted cellar")).unwrap().is_err());
        assert!(asked_for(words("agentv-bench counted lines /nowhere")).unwrap().is_err());
    }
}
