//! Rules of the house that a machine can check.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                files(&path, endings, found);
            }
        } else if path.extension().is_some_and(|end| endings.contains(&&*end.to_string_lossy())) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&root().join("crates"), &["rs"], &mut found);
    assert!(found.len() > 50, "the sources were not found");
    found
}

/// Our own crates that a manifest names under `[dependencies]`.
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let section = manifest.split("\n[dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    section
        .lines()
        .filter(|line| line.starts_with("agentv-"))
        .map(|line| line.split(['.', ' ', '=']).next().unwrap().to_owned())
        .collect()
}

#[test]
fn crates_depend_on_the_base_only_and_the_command_on_all() {
    let all: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    for name in &all {
        let allowed: BTreeSet<String> = match name.as_str() {
            "agentv" => {
                let not_the_product =
                    ["agentv", "agentv-bench", "agentv-faults", "agentv-fuzz", "agentv-testkit"];
                let parts = all.iter().filter(|other| !not_the_product.contains(&other.as_str()));
                parts.cloned().collect()
            }
            "agentv-base" | "agentv-testkit" => BTreeSet::new(),
            "agentv-faults" => BTreeSet::from(["agentv-testkit".to_owned()]),
            // What must hold for any bytes concerns everyone who reads files of others.
            "agentv-fuzz" => ["agentv-base", "agentv-case", "agentv-exec", "agentv-grade"]
                .map(str::to_owned)
                .into(),
            _ => BTreeSet::from(["agentv-base".to_owned()]),
        };
        let named = dependencies(name);
        assert!(named.is_subset(&allowed), "{name} may not depend on {:?}", &named - &allowed);
    }
    assert_eq!(dependencies("agentv").len(), 6, "the manifest was read");
}

#[test]
fn every_source_file_says_what_it_holds() {
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//!"), "{} does not open with `//!`", path.display());
    }
}

#[test]
fn no_source_file_is_longer_than_a_room_should_be() {
    for path in sources() {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < 600, "{} has {lines} lines: it is two rooms", path.display());
    }
}

#[test]
fn no_file_is_named_after_nothing() {
    for path in sources() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let empty = ["utils", "util", "helpers", "common", "misc", "manager", "imp", "types"];
        assert!(!empty.contains(&name.as_str()), "{} says nothing", path.display());
    }
}

#[test]
fn only_the_process_code_starts_processes() {
    for path in sources() {
        let place = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let may = place.starts_with("crates/agentv-exec/src/process/")
            || place.contains("/tests/")
            || place.starts_with("crates/agentv-bench/")
            || place.starts_with("crates/agentv-testkit/");
        let text = fs::read_to_string(&path).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap();
        assert!(may || !product.contains("process::Command"), "{place} starts processes");
    }
}

#[test]
fn only_the_command_reads_the_environment() {
    for path in sources() {
        let place = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let may = place.starts_with("crates/agentv/")
            || place.contains("/tests")
            || place.starts_with("crates/agentv-testkit/");
        let text = fs::read_to_string(&path).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap();
        assert!(may || !product.contains("env::var"), "{place} reads the environment");
    }
}

#[test]
fn no_text_of_ours_names_a_place_on_the_machine_it_was_written_on() {
    let mut texts = sources();
    files(&root(), &["md", "toml", "yaml", "sh"], &mut texts);
    let here = ["work", "root", "farm"].map(|folder| format!("/{folder}/"));
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        for place in &here {
            assert!(!text.contains(place.as_str()), "{} names {place}", path.display());
        }
    }
}

#[test]
fn every_code_of_a_problem_is_documented() {
    let document = fs::read_to_string(root().join("docs/diagnostics.md")).unwrap();
    let table = document.split("\n## Codes").nth(1).unwrap();
    let documented: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(documented.is_sorted(), "the table is in the order of the codes");
    // The one that nobody writes, because it is everyone's until they say otherwise.
    let mut used = BTreeSet::from(["bad-value".to_owned()]);
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap();
        // A call may stand over several lines.
        let calls = product.split(".code(").skip(1).map(str::trim_start);
        let codes = calls.filter_map(|call| call.strip_prefix('"')?.split('"').next());
        used.extend(codes.map(str::to_owned));
    }
    assert!(used.len() > 20, "the codes were not found");
    for code in used {
        assert!(documented.contains(&code.as_str()), "docs/diagnostics.md does not list `{code}`");
        assert!(code.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "`{code}`");
    }
}

#[test]
fn the_architecture_can_be_read_in_one_sitting() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(text.lines().count() <= 150);
    for name in fs::read_dir(root().join("crates")).unwrap() {
        let name = name.unwrap().file_name().to_string_lossy().into_owned();
        assert!(text.contains(&name), "ARCHITECTURE.md does not mention {name}");
    }
}
