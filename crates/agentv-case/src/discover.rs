//! The paths a user gave → the files they mean, in order, each once.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use agentv_base::{Diagnostic, Problems, nearest};
use globset::{GlobBuilder, GlobMatcher};
use walkdir::{DirEntry, WalkDir};

use crate::folders;

/// What files of suites end in.
const SUITE_ENDINGS: [&str; 2] = ["yaml", "yml"];
/// What files end in that are suites as rows of data.
const ROW_ENDINGS: [&str; 2] = ["jsonl", "csv"];
/// What files end in that a suite can take cases from.
pub(crate) const DATA_ENDINGS: [&str; 5] = ["yaml", "yml", "json", "jsonl", "csv"];

/// Folders of other tools, where no suite of ours is kept.
const SKIPPED_FOLDERS: [&str; 2] = ["node_modules", "target"];

/// Folders in `.agentv` that hold what runs and calibrations left, and nothing to run.
const KEPT_FOLDERS: [&str; 2] = ["results", "calibrations"];

/// A file that was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Absolute.
    pub(crate) file: PathBuf,
    /// Named by the user, and not met in a directory or by a glob: it must be one of ours.
    pub(crate) named: bool,
    /// Which of the given paths led to it.
    pub(crate) origins: Vec<usize>,
}

/// Follows every path. What leads nowhere is a problem.
pub(crate) fn discover(
    paths: &[String],
    current_dir: &Path,
    problems: &mut Problems,
) -> Vec<Found> {
    let mut seen = HashMap::new();
    let mut found: Vec<Found> = Vec::new();
    for (origin, path) in paths.iter().enumerate() {
        let (files, named) = follow(path, current_dir, problems);
        for file in files {
            let file = folders::absolute(&file, current_dir);
            // The same file by two names is still one file.
            let real = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
            let place = *seen.entry(real).or_insert(found.len());
            if place == found.len() {
                found.push(Found { file, named: false, origins: Vec::new() });
            }
            if let Some(known) = found.get_mut(place) {
                known.named |= named;
                known.origins.push(origin);
            }
        }
    }
    found
}

fn follow(given: &str, current_dir: &Path, problems: &mut Problems) -> (Vec<PathBuf>, bool) {
    let path = current_dir.join(given);
    if path.is_dir() {
        let mut files = files_of(&path, &SUITE_ENDINGS, is_skipped, problems);
        files.extend(files_of(&path, &ROW_ENDINGS, is_skipped, problems));
        if files.is_empty() {
            problems.push(
                Diagnostic::error(format!("no .yaml or .yml file in the directory `{given}`"))
                    .code("no-suite")
                    .hint("hidden folders, `node_modules` and `target` are not searched"),
            );
        }
        return (files, false);
    }
    if path.exists() {
        if !ends_in(&path, &SUITE_ENDINGS) && !ends_in(&path, &ROW_ENDINGS) {
            problems.push(
                Diagnostic::error(format!("`{given}` is no suite"))
                    .code("no-suite")
                    .hint("suites are read from files that end in .yaml, .yml, .jsonl or .csv"),
            );
            return (Vec::new(), true);
        }
        return (vec![path], true);
    }
    if let (Err(error), Ok(_)) = (fs::metadata(&path), fs::symlink_metadata(&path)) {
        let message = format!("`{given}` is a link that leads nowhere: {error}");
        problems.push(Diagnostic::error(message));
        return (Vec::new(), true);
    }
    if !given.contains(['*', '?', '[', '{']) {
        problems.push(missing(given, &path));
        return (Vec::new(), true);
    }
    let mut found = Problems::default();
    let files = matching(given, current_dir, &[SUITE_ENDINGS, ROW_ENDINGS].concat(), &mut found);
    if files.is_empty() && found.is_empty() {
        found.push(unmatched(given));
    }
    problems.append(found);
    // Rows of data are many things; a pattern that names their ending means suites.
    let named = ROW_ENDINGS.iter().any(|ending| given.ends_with(&format!(".{ending}")));
    (files, named)
}

/// The YAML file that holds the settings of rows of data.
pub(crate) fn settings_beside(rows: &Path) -> Option<PathBuf> {
    SUITE_ENDINGS.iter().map(|ending| rows.with_extension(ending)).find(|file| file.is_file())
}

/// The rows of data that a YAML file holds the settings of.
pub(crate) fn rows_beside(settings: &Path) -> Option<PathBuf> {
    ROW_ENDINGS.iter().map(|ending| settings.with_extension(ending)).find(|file| file.is_file())
}

/// Whether a file holds rows of data.
pub(crate) fn is_rows(file: &Path) -> bool {
    ends_in(file, &ROW_ENDINGS)
}

/// All files below a folder with one of these endings, in order.
pub(crate) fn files_below(
    folder: &Path,
    endings: &[&str],
    problems: &mut Problems,
) -> Vec<PathBuf> {
    files_of(folder, endings, is_skipped, problems)
}

fn missing(given: &str, path: &Path) -> Diagnostic {
    let siblings: Vec<String> = path
        .parent()
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let diagnostic =
        Diagnostic::error(format!("no such file or directory: `{given}`")).code("missing-file");
    match nearest(&name, siblings.iter().map(String::as_str)) {
        Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
        None => {
            diagnostic.hint("give suite files, directories or globs such as `'evals/**/*.yaml'`")
        }
    }
}

/// The files with one of these endings that a glob matches, in order.
pub(crate) fn matching(
    given: &str,
    current_dir: &Path,
    endings: &[&str],
    problems: &mut Problems,
) -> Vec<PathBuf> {
    let pattern = given.trim_start_matches("./");
    let matcher = match GlobBuilder::new(pattern).literal_separator(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            let reason = error.kind().to_string();
            problems.push(
                Diagnostic::error(format!("`{given}` is no glob: {reason}")).code("bad-pattern"),
            );
            return Vec::new();
        }
    };
    let start = current_dir.join(fixed_part(pattern));
    if !start.is_dir() {
        return Vec::new();
    }
    // A folder that is skipped as a rule is searched where the pattern names it.
    let names_hidden = pattern.split('/').any(|part| part.starts_with('.') && part != "..");
    let skip = |entry: &DirEntry| {
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.');
        is_skipped(entry)
            && !(hidden && names_hidden)
            && !pattern.split('/').any(|part| OsStr::new(part) == name)
    };
    let mut files = files_of(&start, endings, skip, problems);
    files.retain(|file| is_match(&matcher, file, current_dir));
    files
}

fn is_match(matcher: &GlobMatcher, file: &Path, current_dir: &Path) -> bool {
    matcher.is_match(file.strip_prefix(current_dir).unwrap_or(file)) || matcher.is_match(file)
}

fn unmatched(given: &str) -> Diagnostic {
    Diagnostic::error(format!("`{given}` matches no .yaml or .yml file"))
        .code("no-suite")
        .hint("`*` stays within one folder, `**` crosses folders")
}

/// The folders at the start of a pattern that have no wildcard.
fn fixed_part(pattern: &str) -> PathBuf {
    let parts: Vec<&str> = pattern.split('/').collect();
    let fixed = parts
        .iter()
        .take(parts.len().saturating_sub(1))
        .take_while(|part| !part.contains(['*', '?', '[', '{', '\\']));
    let joined = fixed.copied().collect::<Vec<_>>().join("/");
    if joined.is_empty() && pattern.starts_with('/') {
        return PathBuf::from("/");
    }
    PathBuf::from(joined)
}

fn files_of(
    folder: &Path,
    endings: &[&str],
    skip: impl Fn(&DirEntry) -> bool,
    problems: &mut Problems,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let entries = WalkDir::new(folder)
        .follow_links(true)
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !skip(entry));
    for entry in entries {
        match entry {
            Ok(entry) if entry.file_type().is_file() && ends_in(entry.path(), endings) => {
                files.push(entry.into_path());
            }
            Ok(_) => {}
            // A link back to a folder above leads to nothing new.
            Err(error) if error.loop_ancestor().is_some() => {}
            // A link to nothing matters only where a suite seems to be meant.
            Err(error) if is_lost_link(&error, endings) => {}
            Err(error) => problems
                .push(Diagnostic::error(format!("cannot search: {error}")).code("unreadable-file")),
        }
    }
    files.sort();
    files
}

fn is_lost_link(error: &walkdir::Error, endings: &[&str]) -> bool {
    error.path().is_some_and(|path| path.is_symlink() && !ends_in(path, endings))
}

fn is_skipped(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_kept = || {
        let above = entry.path().parent().and_then(Path::file_name);
        KEPT_FOLDERS.contains(&&*name) && above == Some(OsStr::new(".agentv"))
    };
    let is_foreign = || SKIPPED_FOLDERS.contains(&&*name);
    name.starts_with('.') || (entry.file_type().is_dir() && (is_foreign() || is_kept()))
}

fn ends_in(path: &Path, endings: &[&str]) -> bool {
    path.extension()
        .is_some_and(|ending| endings.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with files, and what a list of paths finds there.
    fn check(files: &[&str], paths: &[&str]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for file in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let mut problems = Problems::default();
        let found = discover(&paths, &root, &mut problems);
        let found = found.iter().map(|found| {
            let mark = if found.named { "!" } else { "" };
            format!("{}{mark}", found.file.strip_prefix(&root).unwrap().display())
        });
        let said = problems.iter().map(|problem| {
            let hint = problem.hint.as_deref().unwrap_or_default();
            format!("{} | {hint}", problem.message)
        });
        (found.collect(), said.collect())
    }

    const TREE: &[&str] = &[
        "evals/b.yaml",
        "evals/a.yml",
        "evals/deep/c.yaml",
        "evals/.hidden/d.yaml",
        "evals/.e.yaml",
        "evals/node_modules/f.yaml",
        "evals/target/g.yaml",
        "evals/notes.md",
        "top.YAML",
    ];

    #[test]
    fn a_directory_gives_its_yaml_files_sorted_without_hidden_and_foreign_folders() {
        let (found, problems) = check(TREE, &["evals"]);
        assert_eq!(found, ["evals/a.yml", "evals/b.yaml", "evals/deep/c.yaml"]);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn a_file_met_twice_is_found_once() {
        let (found, _) = check(TREE, &["evals/b.yaml", "./evals/../evals/b.yaml", "evals"]);
        assert_eq!(found, ["evals/b.yaml!", "evals/a.yml", "evals/deep/c.yaml"]);
    }

    #[test]
    fn a_glob_finds_files_and_a_star_stays_within_one_folder() {
        let (found, _) = check(TREE, &["evals/*.y*ml"]);
        assert_eq!(found, ["evals/a.yml", "evals/b.yaml"]);
        let (found, _) = check(TREE, &["./**/*.yaml"]);
        assert_eq!(found, ["evals/b.yaml", "evals/deep/c.yaml"]);
        let (found, _) = check(TREE, &["evals/.hidden/*", "evals/{target,deep}/*"]);
        assert_eq!(found, ["evals/.hidden/d.yaml", "evals/deep/c.yaml"]);
        let (found, _) = check(TREE, &["evals/.hid*/*"]);
        assert_eq!(found, ["evals/.hidden/d.yaml"]);
        let (found, _) = check(TREE, &["evals/target/*"]);
        assert_eq!(found, ["evals/target/g.yaml"]);
    }

    #[test]
    fn a_file_whose_name_has_wildcards_is_meant_literally() {
        let (found, problems) = check(&["a[1].yaml", "a1.yaml"], &["a[1].yaml"]);
        assert_eq!(found, ["a[1].yaml!"]);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_a_problem() {
        let (found, problems) = check(
            &["evals/suite.yaml", "empty/x.md"],
            &[
                "evals/siute.yaml",
                "nowhere",
                "evals/*.yml",
                "none/*.yml",
                "empty",
                "empty/x.md",
                "a[",
            ],
        );
        assert_eq!(found, [""; 0]);
        assert_eq!(
            problems,
            [
                "no such file or directory: `evals/siute.yaml` | did you mean `suite.yaml`?",
                "no such file or directory: `nowhere` | \
                 give suite files, directories or globs such as `'evals/**/*.yaml'`",
                "`evals/*.yml` matches no .yaml or .yml file | \
                 `*` stays within one folder, `**` crosses folders",
                "`none/*.yml` matches no .yaml or .yml file | \
                 `*` stays within one folder, `**` crosses folders",
                "no .yaml or .yml file in the directory `empty` | \
                 hidden folders, `node_modules` and `target` are not searched",
                "`empty/x.md` is no suite | \
                 suites are read from files that end in .yaml, .yml, .jsonl or .csv",
                "`a[` is no glob: unclosed character class; missing ']' | ",
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_told_as_one() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("gone.yaml", folder.path().join("a.yaml")).unwrap();
        let mut problems = Problems::default();
        discover(&["a.yaml".to_owned()], folder.path(), &mut problems);
        let told: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
        let reason = std::io::Error::from_raw_os_error(2);
        assert_eq!(told, [format!("`a.yaml` is a link that leads nowhere: {reason}")]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_back_does_not_hang_the_search() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::write(root.join("a.yaml"), "").unwrap();
        std::os::unix::fs::symlink(&root, root.join("again")).unwrap();
        let mut problems = Problems::default();
        let found = discover(&[".".to_owned()], &root, &mut problems);
        assert_eq!(found.len(), 1);
        assert!(problems.is_empty());
    }

    #[test]
    fn what_runs_left_is_not_searched_unless_it_is_named() {
        let tree = &[
            ".agentv/targets.yaml",
            ".agentv/results/1/results.jsonl",
            ".agentv/calibrations/a.csv",
            ".agentv/evals/a.yaml",
            "evals/results/b.yaml",
        ];
        let (found, problems) = check(tree, &[".agentv", "evals"]);
        assert_eq!(found, [".agentv/evals/a.yaml", ".agentv/targets.yaml", "evals/results/b.yaml"]);
        assert_eq!(problems, [""; 0]);
        let (found, _) = check(tree, &[".agentv/results"]);
        assert_eq!(found, [".agentv/results/1/results.jsonl"]);
        let (found, _) = check(tree, &[".agentv/results/*/*.jsonl"]);
        assert_eq!(found, [".agentv/results/1/results.jsonl!"]);
    }
}
