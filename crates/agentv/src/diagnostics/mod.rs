//! How problems are told: one file of code per format, one line of registration.
//!
//! Whoever renders is handed problems in their order and without secrets; what a problem is, is
//! said in `agentv_base::Diagnostic`.

mod codes;
mod github;
mod json;
mod place;
mod sarif;
mod text;

use std::path::Path;

use agentv_base::{Problems, Sources};

pub use text::render as as_text;

/// Every format there is; the first is the usual one.
pub const FORMATS: &[Format] = &[
    Format {
        name: "text",
        description: "For people: every problem with its lines, on standard error",
        audience: Audience::People,
        render: |report| as_text(report.problems, report.sources, report.color),
    },
    Format {
        name: "json",
        description: "One JSON object with all problems",
        audience: Audience::Programs,
        render: json::render,
    },
    Format {
        name: "sarif",
        description: "SARIF 2.1.0, for code scanning",
        audience: Audience::Programs,
        render: sarif::render,
    },
    Format {
        name: "github",
        description: "Workflow commands that GitHub Actions shows as annotations",
        audience: Audience::Programs,
        render: github::render,
    },
];

/// A way to tell problems.
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    pub description: &'static str,
    pub audience: Audience,
    pub render: fn(&Report<'_>) -> String,
}

/// Who reads a format. Programs are given all of it on standard output, whatever there is to
/// tell; people are told of problems on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    People,
    Programs,
}

pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// What was found, and what it was found in.
pub struct Report<'r> {
    pub problems: &'r Problems,
    pub sources: &'r Sources,
    pub checked: Checked,
    /// Where the paths of sources start that are not absolute.
    pub current_dir: &'r Path,
    /// The folder of the repository.
    pub root: &'r Path,
    pub color: bool,
}

/// How much was looked at.
#[derive(Clone, Copy, serde::Serialize)]
pub struct Checked {
    pub files: usize,
    pub suites: usize,
    pub cases: usize,
    pub targets: usize,
}
