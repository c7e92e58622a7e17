//! What a kind of grader says about itself to those who want to use it. The pages of
//! `docs/graders/` and `agentv graders` are made of this and of the kind's names and keys.

/// The page of a kind, beside its names, its one line and its keys.
#[derive(Clone, Copy, Debug)]
pub struct Manual {
    /// Markdown: what it does with an answer, where it is strict and where it is not.
    pub text: &'static str,
    /// At least one. Tests grade each of them, and pages show what came out.
    pub examples: &'static [Example],
    pub elsewhere: Elsewhere,
}

/// What other tools call the same; empty where they have nothing like it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elsewhere {
    pub promptfoo: &'static str,
    pub inspect_ai: &'static str,
    pub deepeval: &'static str,
    /// AgentV before it was written in Rust.
    pub original: &'static str,
}

impl Elsewhere {
    pub const NOWHERE: Self = Self { promptfoo: "", inspect_ai: "", deepeval: "", original: "" };
}

/// A grader at work.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What it shows, in a few words.
    pub title: &'static str,
    /// The grader as it stands in `evaluators`, in YAML.
    pub grader: &'static str,
    /// What the case expects, as text; `expected_messages` holds it.
    pub reference: Option<&'static str>,
    /// Files in the suite's folder: names and contents.
    pub files: &'static [(&'static str, &'static str)],
    pub answers: &'static [Answer],
}

/// What a target gave back, and what that is worth.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub given: Given,
    pub score: f64,
}

#[derive(Clone, Copy, Debug)]
pub enum Given {
    Text(&'static str),
    /// A record as targets write it: a JSON object with `text`, `trace` and so on.
    Record(&'static str),
}

impl Example {
    pub const fn new(
        title: &'static str,
        grader: &'static str,
        answers: &'static [Answer],
    ) -> Self {
        Self { title, grader, reference: None, files: &[], answers }
    }

    #[must_use]
    pub const fn expecting(mut self, reference: &'static str) -> Self {
        self.reference = Some(reference);
        self
    }

    #[must_use]
    pub const fn with(mut self, files: &'static [(&'static str, &'static str)]) -> Self {
        self.files = files;
        self
    }
}

impl Answer {
    pub const fn text(text: &'static str, score: f64) -> Self {
        Self { given: Given::Text(text), score }
    }

    pub const fn record(record: &'static str, score: f64) -> Self {
        Self { given: Given::Record(record), score }
    }
}
