//! Files → suites and targets, with a place and a way out for every problem.
//!
//! The journey of a file: `discover` finds it, `read` makes it text, `yaml` a tree with places,
//! `classify` says what it is, and `suite`, `targets` or `config` give it meaning. `load` is the
//! way through all of them. Nothing here runs, prints, or looks at the process's environment.

mod classify;
mod config;
pub mod convert;
mod data;
mod definition;
mod discover;
mod dotenv;
mod environment;
mod folders;
mod interpolate;
mod labels;
mod library;
mod lines;
mod load;
mod patterns;
mod prices;
mod read;
mod rows;
pub mod rubrics;
mod select;
mod session;
mod suite;
mod targets;
mod yaml;

/// The tables of keys that suites, targets files and configurations are read by, and the reader
/// that makes trees of them.
pub mod language {
    pub use crate::{
        config::CONFIG,
        prices::PRICES,
        suite::keys::{CASE, SUITE},
        targets::TARGETS,
        yaml::parse as parse_yaml,
    };
}

pub use config::CONFIG_FILES;
pub use environment::Environment;
pub use folders::repository_root;
pub use labels::{HumanSaid, Label, Labels, read_labels};
pub use lines::LineIndex;
pub use load::{LoadOptions, Loaded, LoadedSuite, load};
pub use patterns::Patterns;
pub use select::{select, select_with_dependencies};
pub use targets::{NoDefault, TARGETS_FILES, TargetsFile};
