//! docs/language.md as tests see it: its sections, and the files that its examples are.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A file that the page shows.
#[derive(Debug)]
pub struct Example {
    /// The `##` heading it stands under.
    pub section: String,
    pub file: String,
    pub text: String,
}

pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md").canonicalize().unwrap()
}

pub fn text() -> String {
    fs::read_to_string(path()).unwrap()
}

/// Every example of the page, in its order.
///
/// A YAML example says its file in its first line; any other block is a file where the line before
/// it is nothing but the name of one. Blocks of `text` without a name are no files.
pub fn examples() -> Vec<Example> {
    examples_of(&text())
}

/// Every example of another page that is written in the same way.
pub fn examples_of(page: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut said = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut section);
        }
        let Some(language) = line.strip_prefix("```") else {
            if !line.trim().is_empty() {
                said = line;
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let name = match language {
            "yaml" => block.first().and_then(|line| line.strip_prefix("# ")),
            _ => said.strip_prefix('`').and_then(|line| line.strip_suffix("`:")),
        };
        assert!(name.is_some() || language == "text", "a block below `{said}` names no file");
        if let Some(name) = name {
            let text = block.join("\n") + "\n";
            found.push(Example { section: section.clone(), file: name.to_owned(), text });
        }
        said = "";
    }
    found
}
