//! The files that a new project starts with. How they get onto the disk is in `commands::init`.

use agentv_case::{CONFIG_FILES, TARGETS_FILES};

use crate::{args::SchemaKind, schema::schema};

/// One file of a new project.
pub struct Piece {
    /// From the folder that the project starts in.
    pub path: &'static str,
    /// Names under which the same piece would be found as well. A file under one of them is this
    /// piece already: a new one beside it would be ignored, or worse, be preferred to it.
    pub other_names: &'static [&'static str],
    pub text: String,
}

pub const TARGETS: &str = ".agentv/targets.yaml";
pub const CONFIG: &str = ".agentv/config.yaml";
pub const SUITE: &str = "evals/first.yaml";

/// Everything that a new project has, in the order in which it is written: the suite comes last,
/// when all that it needs is there.
pub fn pieces() -> Vec<Piece> {
    let piece = |path, other_names, text: &str| Piece { path, other_names, text: text.to_owned() };
    let mut pieces = vec![
        piece(".agentv/.gitignore", &[], include_str!("gitignore")),
        piece(CONFIG, &CONFIG_FILES, include_str!("config.yaml")),
        piece(TARGETS, &TARGETS_FILES, include_str!("targets.yaml")),
    ];
    let schemas = schemas().into_iter();
    pieces.extend(schemas.map(|(path, text)| Piece { path, other_names: &[], text }));
    pieces.push(piece(SUITE, &[], include_str!("first.yaml")));
    pieces
}

/// The schemas that the first lines of the YAML files name, for editors: path and JSON of
/// `.agentv/schemas/suite.json`, `.agentv/schemas/targets.json` and `.agentv/schemas/config.json`.
fn schemas() -> Vec<(&'static str, String)> {
    [
        (".agentv/schemas/suite.json", SchemaKind::Suite),
        (".agentv/schemas/targets.json", SchemaKind::Targets),
        (".agentv/schemas/config.json", SchemaKind::Config),
    ]
    .into_iter()
    .map(|(path, kind)| (path, format!("{:#}\n", schema(kind))))
    .collect()
}
