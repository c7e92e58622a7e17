//! Which question an answer belongs to: who was asked, for which case, and with what.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use agentv_base::{Request, excerpt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Most characters of a name that a message shows.
const NAME_EXCERPT: usize = 120;

/// Changed when the same question is written down in another way.
const FORM: u32 = 1;

/// As what somebody was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Target,
    Judge,
}

/// One question of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    pub role: Role,
    /// The target that is asked.
    pub target: &'a str,
    /// The target whose answer is judged; empty where nobody is.
    pub judged: &'a str,
    /// The grader that asks; empty where none does.
    pub grader: &'a str,
    pub suite: &'a str,
    pub eval_id: &'a str,
    pub repeat: u32,
    /// From 0. Judges are asked once for each sample and repair.
    pub attempt: u32,
    /// Which of several opinions, from 0.
    pub sample: u32,
    /// 0, or 1 where an answer of no use is asked for again.
    pub ask: u32,
}

impl<'a> Place<'a> {
    /// A question to a target.
    pub fn of_target(target: &'a str, suite: &'a str, request: &'a Request) -> Self {
        Self {
            role: Role::Target,
            target,
            judged: "",
            grader: "",
            suite,
            eval_id: &request.input.eval_id,
            repeat: request.repeat,
            attempt: request.attempt,
            sample: 0,
            ask: 0,
        }
    }

    /// By what a question is found again. Of judges it is a part what they were asked: whoever
    /// replays with another prompt has no answer.
    pub(super) fn key(&self, request: &str) -> u128 {
        let role = match self.role {
            Role::Target => "target",
            Role::Judge => "judge",
        };
        let asked = if self.role == Role::Judge { request } else { "" };
        let names = [self.judged, self.grader];
        let numbers = [self.repeat, self.attempt, self.sample, self.ask];
        let place = json!([role, self.target, names, self.suite, self.eval_id, numbers, asked]);
        let digest = Sha256::digest(place.to_string().as_bytes());
        digest.iter().take(16).fold(0, |key, byte| (key << 8) | u128::from(*byte))
    }

    /// As messages name it.
    pub(super) fn shown(&self) -> String {
        let Self { target, judged, suite, eval_id, repeat, attempt, sample, ask, .. } = self;
        let name = |name: &str| excerpt(name, NAME_EXCERPT);
        let mut shown = match self.role {
            Role::Target => format!("target `{}`", name(target)),
            Role::Judge => format!("judge `{}` on target `{}`", name(target), name(judged)),
        };
        let _ = write!(shown, " for `{}` of {}", name(eval_id), name(suite));
        for (what, number, first) in [
            ("repeat", *repeat, 1),
            ("attempt", *attempt, 0),
            ("sample", *sample, 0),
            ("second ask", *ask, 0),
        ] {
            if number != first {
                let _ = write!(shown, ", {what} {number}");
            }
        }
        shown
    }
}

/// The suite of a request, from the root of its repository, with `/`.
pub fn suite_of(request: &Request, root: &Path) -> String {
    relative(&request.input.suite_file, root)
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// SHA-256 of all that the one who is asked may see, in hex. Where the repository lies has no part
/// in it.
pub fn request_sha256(request: &Request, root: &Path) -> String {
    let input = &request.input;
    let paths = |paths: &[PathBuf]| -> Vec<String> {
        paths.iter().map(|path| relative(path, root)).collect()
    };
    let mut messages = input.messages.to_json();
    shorten_paths(&mut messages, root);
    let asked = json!([
        FORM,
        &*input.eval_id,
        suite_of(request, root),
        messages,
        paths(&input.files),
        paths(&input.guideline_files),
        input.conversation_id,
        request.output_schema.as_deref(),
    ]);
    sha256(&canonical(&asked))
}

/// Files in messages have a path from the root of the system, which is another on every machine.
fn shorten_paths(value: &mut Value, root: &Path) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_paths(item, root)),
        Value::Object(map) => {
            for (key, value) in map {
                if let ("path", Value::String(path)) = (key.as_str(), &mut *value) {
                    *path = relative(Path::new(path.as_str()), root);
                }
                shorten_paths(value, root);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

pub(super) fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// JSON with the keys of every map in order: how they are arranged makes no difference.
fn canonical(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agentv_base::{Input, Messages, Node};

    use super::*;

    fn request(root: &str, message: &Value, id: &str) -> Request {
        let input = Input {
            eval_id: id.into(),
            suite_file: Path::new(root).join("evals/a.yaml").into(),
            messages: Messages::new(vec![Node::from_json(message)]),
            files: vec![Path::new(root).join("data.txt")],
            guideline_files: Vec::new(),
            conversation_id: None,
        };
        Request { input: Arc::new(input), attempt: 0, repeat: 1, output_schema: None }
    }

    fn check(root: &str, message: &Value, id: &str) -> String {
        request_sha256(&request(root, message, id), Path::new(root))
    }

    #[test]
    fn a_question_is_the_same_wherever_the_repository_lies_and_however_it_is_arranged() {
        let file = |root: &str| {
            json!({"role": "user", "content": [
                {"type": "file", "value": "data.txt", "path": format!("{root}/data.txt"), "text": "x"},
            ]})
        };
        let plain = check("/one", &file("/one"), "a");
        assert_eq!(check("/two", &file("/two"), "a"), plain);
        let other = json!({"content": file("/one")["content"], "role": "user"});
        assert_eq!(check("/one", &other, "a"), plain);
        assert_ne!(check("/one", &file("/one"), "b"), plain);
        assert_ne!(check("/one", &json!({"role": "user", "content": "x"}), "a"), plain);
    }

    #[test]
    fn places_differ_in_each_of_their_parts() {
        let asked = request("/r", &json!({"role": "user", "content": "x"}), "a");
        let place = Place::of_target("t", "s", &asked);
        let judge = Place { role: Role::Judge, judged: "u", ..place };
        let all = [
            place,
            judge,
            Place { target: "u", ..place },
            Place { suite: "u", ..place },
            Place { eval_id: "u", ..place },
            Place { repeat: 2, ..place },
            Place { attempt: 1, ..place },
            Place { sample: 1, ..judge },
            Place { ask: 1, ..judge },
            Place { judged: "v", ..judge },
            Place { grader: "v", ..judge },
        ];
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                assert_ne!(one.key("q"), other.key("q"), "{one:?} {other:?}");
            }
        }
        assert_eq!(place.key("q"), place.key("r"));
        assert_ne!(judge.key("q"), judge.key("r"));
        assert_eq!(
            Place { repeat: 2, sample: 1, ..judge }.shown(),
            "judge `t` on target `u` for `a` of s, repeat 2, sample 1"
        );
    }
}
