//! Real folders through the public door: what is loaded, and what is said about mistakes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpus;
mod dependencies;
mod discovery;
mod environment;
mod messages;
mod model;
mod prices;
mod project;
mod repeats;
mod selection;
mod suites;
mod targets;
