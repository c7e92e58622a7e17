//! The folder of a part as it is given: that of its run, or one that the run was collected in.

use std::path::{Path, PathBuf};

use agentv_base::{Diagnostic, excerpt};
use agentv_report::{FoundRun, Wanted, find_run, run_folders};

/// Where the runs are in a folder that was collected: as an artifact of the results, of `.agentv`,
/// and of the whole project.
const INSIDE: [&str; 3] = ["", "results", ".agentv/results"];

/// Runs that a message names.
const NAMED: usize = 5;

/// Finds the run that a word means.
pub fn find(word: &str, root: &Path, current_dir: &Path) -> Result<FoundRun, Diagnostic> {
    let typed = current_dir.join(word);
    let is_folder = typed.is_dir() && !typed.join("run.json").is_file();
    let inside = if is_folder { runs_in(&typed) } else { Vec::new() };
    let shown = excerpt(word, 120);
    let name = match inside.as_slice() {
        [] => word.to_owned(),
        [only] => only.to_string_lossy().into_owned(),
        several => {
            let named = several.iter().take(NAMED);
            let named: Vec<_> = named.filter_map(|it| it.file_name()?.to_str()).collect();
            let more = several.len() - named.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let message = format!("`{shown}` holds several runs: {}{more}", named.join(", "));
            return Err(Diagnostic::error(message)
                .code("no-run")
                .hint("name the ones that are parts of this plan"));
        }
    };
    find_run(root, &Wanted { name: &name, current_dir, fits: &|_| true }).map_err(|fault| {
        let problem = Diagnostic::error(fault.message).code("no-run");
        let is_path = word.contains('/') || typed.exists();
        let own =
            Some("give the folders of runs, or folders with one run each: parts/*/".to_owned());
        let hint = if is_path && !typed.join("run.json").is_file() { own } else { fault.hint };
        hint.into_iter().fold(problem, Diagnostic::hint)
    })
}

fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let places = INSIDE.iter().map(|place| folder.join(place));
    places.flat_map(|place| run_folders(&place).into_iter().map(move |it| place.join(it))).collect()
}
