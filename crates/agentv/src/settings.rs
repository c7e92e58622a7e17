//! What the arguments mean: checked, resolved, and free of how they were typed.

use std::{
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use agentv_base::Diagnostic;
use agentv_case::{LoadOptions, Loaded};
use agentv_exec::provider::{ExtraAuthorities, Proxies, ProxyVariable};
use agentv_report::{
    FORMATS, Format, OutFault, RenderFault, Report, check_out, format_for_path, format_named,
    write_out,
};

use crate::{
    args::{AskArgs, EvalArgs, GenerateArgs, RunArgs, SelectArgs, Shard},
    provision::StandIn,
};

/// Which files to load; the environment of the process is read here and nowhere else.
pub fn load_options(paths: &[String], select: &SelectArgs, current_dir: PathBuf) -> LoadOptions {
    LoadOptions {
        paths: paths.to_vec(),
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

/// Variables that name a file with certificates of authorities, as other tools know them. The
/// client knows `SSL_CERT_FILE` and `SSL_CERT_DIR` itself.
const AUTHORITIES: [&str; 3] = ["CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];

/// The authorities that are trusted besides those of the system. An empty variable names none.
pub fn extra_authorities() -> Vec<ExtraAuthorities> {
    AUTHORITIES.into_iter().filter_map(authorities_of).collect()
}

/// The file that stands for the certificates of the system.
pub fn system_authorities() -> Option<ExtraAuthorities> {
    authorities_of("SSL_CERT_FILE")
}

fn authorities_of(variable: &str) -> Option<ExtraAuthorities> {
    let file = std::env::var_os(variable).filter(|file| !file.is_empty())?;
    Some(ExtraAuthorities { variable: variable.to_owned(), file: file.into() })
}

/// The proxies that the client finds. Of two spellings of a variable it takes the first that is set.
pub fn proxies() -> Proxies {
    let first = |names: [&str; 2]| {
        names.into_iter().find_map(|name| {
            let value = std::env::var_os(name)?.to_string_lossy().into_owned();
            Some(ProxyVariable { name: name.to_owned(), value })
        })
    };
    Proxies {
        http: first(["HTTP_PROXY", "http_proxy"]),
        https: first(["HTTPS_PROXY", "https_proxy"]),
        all: first(["ALL_PROXY", "all_proxy"]),
        none_for: first(["NO_PROXY", "no_proxy"]).map(|list| list.value).unwrap_or_default(),
    }
}

/// Whether the environment says that no host needs a proxy. The client knows lists of hosts itself,
/// but takes `*` for names only, not for addresses.
pub fn needs_no_proxy() -> bool {
    let lists = ["NO_PROXY", "no_proxy"].into_iter().filter_map(|name| std::env::var(name).ok());
    lists.into_iter().any(|list| list.split(',').any(|host| host.trim() == "*"))
}

/// The deadline of an invocation where nobody says otherwise, in seconds.
const DEFAULT_AGENT_TIMEOUT: f64 = 120.0;

/// How targets are asked.
#[derive(Clone, Copy)]
pub struct Asking {
    pub workers: Option<usize>,
    pub agent_timeout: Option<Duration>,
    pub max_retries: Option<u32>,
    pub verbose: bool,
}

impl Asking {
    /// As where nobody says otherwise.
    pub fn usual() -> Self {
        let agent_timeout = deadline(DEFAULT_AGENT_TIMEOUT);
        Self { workers: None, agent_timeout, max_retries: None, verbose: false }
    }
}

impl From<&AskArgs> for Asking {
    fn from(args: &AskArgs) -> Self {
        Self {
            workers: args.workers,
            agent_timeout: deadline(args.agent_timeout.unwrap_or(DEFAULT_AGENT_TIMEOUT)),
            max_retries: args.max_retries,
            verbose: args.verbose,
        }
    }
}

impl From<&GenerateArgs> for Asking {
    fn from(args: &GenerateArgs) -> Self {
        Self {
            workers: None,
            agent_timeout: deadline(args.agent_timeout),
            max_retries: None,
            verbose: args.verbose,
        }
    }
}

/// How much of a run there is to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope {
    /// How often every case is asked, whatever its suite says.
    pub repeat: Option<u32>,
    pub until_decided: bool,
    pub shard: Option<Shard>,
}

impl Scope {
    /// Every case once.
    pub const ONCE: Self = Self { repeat: Some(1), until_decided: false, shard: None };
}

impl From<&RunArgs> for Scope {
    fn from(args: &RunArgs) -> Self {
        Self { repeat: args.repeat, until_decided: args.until_decided, shard: args.shard }
    }
}

/// What the cache is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    Nothing,
    /// Answers are taken from it, and kept in it.
    All,
    /// Answers are kept in it: whoever asks again does not want the answer that is there.
    Keeping,
}

/// Who answers.
#[derive(Clone)]
pub enum Answering {
    /// Those who are meant to.
    Asked {
        /// Unless the same was answered before.
        cache: CacheUse,
        /// The file that every answer is written to.
        record: Option<PathBuf>,
    },
    /// A recording, for targets and judges.
    Replayed(PathBuf),
    /// Others, for the targets alone.
    Elsewhere(StandIn),
    /// Nobody.
    DryRun,
}

impl Answering {
    /// Those who are meant to, and nothing is kept.
    pub const PLAINLY: Self = Self::Asked { cache: CacheUse::Nothing, record: None };

    /// By the flags of a run. What is asked again because it failed is not taken from the cache.
    pub fn of(args: &RunArgs, asks_again: bool) -> Self {
        let cache = match (args.cache, asks_again) {
            (false, _) => CacheUse::Nothing,
            (true, false) => CacheUse::All,
            (true, true) => CacheUse::Keeping,
        };
        match (&args.replay, args.dry_run) {
            (Some(recording), _) => Self::Replayed(recording.clone()),
            (None, true) => Self::DryRun,
            (None, false) => Self::Asked { cache, record: args.record.clone() },
        }
    }
}

/// 0 is off.
pub fn deadline(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero())
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

/// Names of standard output; the first is what people type.
const STANDARD_OUTPUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// A file to be written at the end.
pub struct Out {
    pub path: PathBuf,
    pub format: &'static dyn Format,
}

impl Out {
    pub fn is_standard_output(&self) -> bool {
        STANDARD_OUTPUT.iter().any(|name| self.path == Path::new(name))
    }

    /// Standard output is written to as it is: where it is a socket, nobody can open it by a name.
    pub fn write(&self, report: &Report<'_>) -> Result<(), OutFault> {
        if !self.is_standard_output() {
            return write_out(&self.path, self.format, report);
        }
        let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let written = self.format.write(report, &mut out);
        let written = written.and_then(|()| out.flush().map_err(RenderFault::from));
        // Nobody wants what is left over where something went wrong.
        let _ = out.into_parts();
        written.map_err(|cause| OutFault { path: PathBuf::from("standard output"), cause })
    }
}

/// Where rows go besides the record; found out to be writable before anything is run.
pub fn outs(args: &EvalArgs, loaded: &mut Loaded) -> Vec<Out> {
    outs_of(&args.out, args.output_format.as_deref(), loaded)
}

/// The same of other commands.
pub fn outs_of(paths: &[PathBuf], format: Option<&str>, loaded: &mut Loaded) -> Vec<Out> {
    let mut outs = Vec::new();
    for path in paths {
        let format = match format {
            Some(name) => format_named(name),
            None => format_for_path(path).map_err(|problem| name_the_format(problem, path)),
        };
        let checked = format.and_then(|format| {
            let out = Out { path: path.clone(), format };
            if out.is_standard_output() {
                return Ok(out);
            }
            check_out(path)
                .map_err(|fault| Diagnostic::error(fault.to_string()).code("unwritable-file"))?;
            if is_read(path, loaded) {
                let message =
                    format!("--out would replace `{}`, which this run reads", path.display());
                return Err(Diagnostic::error(message)
                    .code("unwritable-file")
                    .hint("choose another file"));
            }
            Ok(out)
        });
        match checked {
            Ok(out) => outs.push(out),
            Err(diagnostic) => loaded.problems.push(diagnostic),
        }
    }
    outs
}

/// What has no ending cannot be given one.
fn name_the_format(problem: Diagnostic, path: &Path) -> Diagnostic {
    if path != Path::new("-") {
        return problem;
    }
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
    Diagnostic::error("`--out -` does not say in which format")
        .code("unknown-format")
        .hint(format!("add --output-format with one of: {}", known.join(", ")))
}

/// Whether a file is one that suites, targets, settings or attachments came from.
pub fn is_read(path: &Path, loaded: &Loaded) -> bool {
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
