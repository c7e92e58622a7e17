//! What the arguments mean: checked, resolved, and free of how they were typed.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use agentv_base::Diagnostic;
use agentv_case::{LoadOptions, Loaded};
use agentv_report::{Format, check_out, format_for_path, format_named};

use crate::args::{AskArgs, EvalArgs, SelectArgs};

/// Which files to load; the environment of the process is read here and nowhere else.
pub fn load_options(select: &SelectArgs, current_dir: PathBuf) -> LoadOptions {
    LoadOptions {
        paths: select.paths.clone(),
        targets: select.targets_file.clone(),
        current_dir,
        environment: environment(),
        needs_targets: true,
        needs_hashes: true,
    }
}

/// Variables that are text; others cannot be named in a file of ours.
pub fn environment() -> agentv_case::Environment {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// How targets are asked.
#[derive(Clone, Copy)]
pub struct Asking {
    pub workers: Option<usize>,
    pub agent_timeout: Option<Duration>,
    pub max_retries: u32,
    pub verbose: bool,
}

impl From<&AskArgs> for Asking {
    fn from(args: &AskArgs) -> Self {
        Self {
            workers: args.workers,
            agent_timeout: Duration::try_from_secs_f64(args.agent_timeout)
                .ok()
                .filter(|timeout| !timeout.is_zero()),
            max_retries: args.max_retries,
            verbose: args.verbose,
        }
    }
}

/// The name that stands for "whatever the suite says".
const NO_OVERRIDE: &str = "default";

/// The targets that were asked for on the command line, each once.
pub fn target_overrides(typed: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in typed {
        if name != NO_OVERRIDE && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// A file to be written at the end.
pub struct Out {
    pub path: PathBuf,
    pub format: &'static dyn Format,
}

impl Out {
    pub fn is_standard_output(&self) -> bool {
        ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
            .iter()
            .any(|name| self.path == Path::new(name))
    }
}

/// Where rows go besides the record; found out to be writable before anything is run.
pub fn outs(args: &EvalArgs, loaded: &mut Loaded) -> Vec<Out> {
    let mut outs = Vec::new();
    for path in &args.out {
        let format = match &args.output_format {
            Some(name) => format_named(name),
            None => format_for_path(path),
        };
        let checked = format.and_then(|format| {
            check_out(path)
                .map_err(|fault| Diagnostic::error(fault.to_string()).code("unwritable-file"))?;
            if is_read(path, loaded) {
                let message =
                    format!("--out would replace `{}`, which this run reads", path.display());
                return Err(Diagnostic::error(message)
                    .code("unwritable-file")
                    .hint("choose another file"));
            }
            Ok(Out { path: path.clone(), format })
        });
        match checked {
            Ok(out) => outs.push(out),
            Err(diagnostic) => loaded.problems.push(diagnostic),
        }
    }
    outs
}

/// Whether a file is one that suites, targets, settings or attachments came from.
fn is_read(path: &Path, loaded: &Loaded) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let attached = loaded.suites.iter().flat_map(|suite| &suite.suite.cases).flat_map(|case| {
        case.input.files.iter().chain(&case.input.guideline_files).map(PathBuf::as_path)
    });
    loaded
        .sources
        .paths()
        .chain(attached)
        .any(|read| read.canonicalize().is_ok_and(|read| read == path))
}

/// The folder of a `--dump-…` flag: the one given, or its default below the root.
pub fn dump_folder(typed: Option<&PathBuf>, root: &Path, default: &str) -> Option<PathBuf> {
    let folder = typed?;
    if folder.as_os_str().is_empty() {
        return Some(root.join(".agentv").join(default));
    }
    Some(folder.clone())
}
