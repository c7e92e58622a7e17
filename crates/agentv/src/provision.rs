//! Who answers: the targets and judges themselves, a cache before them, a recording instead of
//! them, or nobody at all.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use agentv_base::{Diagnostic, Problems, Provider, RetryPolicy, TargetSpec};
use agentv_case::Loaded;
use agentv_exec::provider::{
    self, Services,
    kept::{Cache, Cached, DryRun, Recorded, RecordedAnswers, RecordingFile, Replayed},
};
use agentv_report::check_out;

use crate::{
    commands::refuse,
    console::Console,
    contents::Contents,
    ingredients::{SharedContents, ingredients},
    manifest::VERSION,
    settings::{self, Answering, Asking, CacheUse},
    target_judge::Witness,
};

/// Makes a provider for a target that is not asked.
pub type StandIn = Arc<dyn Fn(&TargetSpec) -> Arc<dyn Provider> + Send + Sync>;

/// Where the answers of a run come from.
pub struct Provision {
    source: Source,
    root: Arc<Path>,
    /// What the command line says of retries, which a replay must know too.
    max_retries: Option<u32>,
    /// How each target is asked again, for those who replay it.
    policies: Mutex<Vec<(Arc<str>, RetryPolicy)>>,
}

enum Source {
    /// From those who are meant to give them.
    Asked { cache: Option<Kept>, recording: Option<Arc<RecordingFile>> },
    /// Of targets and judges, from a recording.
    Replayed(Arc<RecordedAnswers>),
    /// Of targets, from elsewhere; judges are asked.
    Elsewhere(StandIn),
    /// Made up.
    DryRun,
}

/// A cache, and what is known of the files that answers depend on.
struct Kept {
    cache: Arc<Cache>,
    contents: SharedContents,
}

impl Provision {
    /// What keeps answers from being taken from where they should be is added to the problems.
    pub fn new(
        answering: Answering,
        asking: Asking,
        loaded: &mut Loaded,
        services: &Services,
    ) -> Option<Self> {
        let root: Arc<Path> = Arc::from(loaded.root.as_path());
        let source = match answering {
            Answering::Asked { cache, record } => {
                let recording = match record {
                    Some(path) => Some(recording(path, loaded)?),
                    None => None,
                };
                let journal = || services.verbose.then(|| Arc::clone(&services.journal));
                let folder = || root.join(".agentv").join("cache");
                let cache = match cache {
                    CacheUse::Nothing => None,
                    CacheUse::All => Some(Cache::new(folder(), journal())),
                    CacheUse::Keeping => Some(Cache::keeping(folder(), journal())),
                };
                let cache = cache.map(|cache| Kept {
                    cache: Arc::new(cache),
                    contents: Arc::new(Mutex::new(Contents::new(&root))),
                });
                Source::Asked { cache, recording }
            }
            Answering::Replayed(path) => Source::Replayed(replayed(&path, loaded)?),
            Answering::Elsewhere(stand_in) => Source::Elsewhere(stand_in),
            Answering::DryRun => Source::DryRun,
        };
        let (max_retries, policies) = (asking.max_retries, Mutex::default());
        Some(Self { source, root, max_retries, policies })
    }

    /// Whether targets can do without the variables that they refer to: they are not asked.
    pub fn spares_targets(&self) -> bool {
        !matches!(self.source, Source::Asked { .. })
    }

    /// The same of judges.
    pub fn spares_judges(&self) -> bool {
        matches!(self.source, Source::Replayed(_) | Source::DryRun)
    }

    /// Who answers for a target. Its settings are read and its problems told whoever does, where
    /// they are complete.
    pub fn target(
        &self,
        spec: &TargetSpec,
        complete: bool,
        services: &Services,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Provider>> {
        let built = if complete { Some(provider::build(spec, services, problems)?) } else { None };
        let name = || Arc::clone(&spec.name);
        let root = || Arc::clone(&self.root);
        match &self.source {
            Source::Asked { cache, recording } => {
                let mut provider = built?;
                let policy = provider.retry_policy();
                let max_retries = self.max_retries.or(policy.max_retries);
                let policy = RetryPolicy { max_retries, ..policy };
                let mut policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
                policies.push((name(), policy));
                if let Some(Kept { cache, contents }) = cache {
                    let environment = settings::environment().into_iter().collect();
                    let contents = Arc::clone(contents);
                    let parts = ingredients(spec, &environment, &services.redactor, contents);
                    let cache = Arc::clone(cache);
                    provider = Arc::new(Cached::new(provider, cache, parts, name(), root()));
                }
                // Outside of the cache: what is taken from there is an answer of this run too.
                if let Some(file) = recording {
                    provider = Arc::new(Recorded::new(provider, name(), root(), Arc::clone(file)));
                }
                Some(provider)
            }
            Source::Replayed(recording) => {
                Some(Arc::new(Replayed::new(Arc::clone(recording), name(), root())))
            }
            Source::Elsewhere(stand_in) => Some(stand_in(spec)),
            Source::DryRun => Some(Arc::new(DryRun)),
        }
    }

    /// Who answers for a judge, and who listens.
    pub fn judge(
        &self,
        spec: &TargetSpec,
        complete: bool,
        services: &Services,
        problems: &mut Problems,
    ) -> Option<(Arc<dyn Provider>, Witness)> {
        let built = if complete { Some(provider::build(spec, services, problems)?) } else { None };
        let root = Arc::clone(&self.root);
        match &self.source {
            Source::Asked { recording: Some(file), .. } => {
                Some((built?, Witness::Records { file: Arc::clone(file), root }))
            }
            Source::Asked { recording: None, .. } | Source::Elsewhere(_) => {
                Some((built?, Witness::Nobody))
            }
            Source::Replayed(recording) => {
                let recording = Arc::clone(recording);
                Some((Arc::new(DryRun), Witness::Replays { recording, root }))
            }
            Source::DryRun => Some((Arc::new(DryRun), Witness::Nobody)),
        }
    }

    /// When the run has begun: a recording of another run is replaced only now, and one of this run
    /// is gone on with.
    pub fn begin(&self, run_id: &str) -> Result<(), String> {
        let Source::Asked { recording: Some(file), .. } = &self.source else { return Ok(()) };
        let policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
        let policies = policies.iter().map(|(target, policy)| (&**target, policy.clone()));
        file.begin(VERSION, run_id, policies)
            .map_err(|error| format!("the recording cannot be written: {error}"))
    }

    /// What is left to say when the run is over. A recording that lacks answers is no recording of
    /// the run; a cache that lacks some is still a cache.
    pub fn close(&self, console: Console) -> bool {
        let Source::Asked { cache, recording } = &self.source else { return true };
        let of_cache = cache.as_ref().map(|kept| kept.cache.warnings()).unwrap_or_default();
        for warning in of_cache {
            console.say(&format!("warning: {warning}\n"));
        }
        let fault = recording.as_ref().and_then(|file| file.fault());
        if let Some(fault) = &fault {
            refuse(format!("the recording is not complete: {fault}"), console);
        }
        fault.is_none()
    }
}

fn recording(path: PathBuf, loaded: &mut Loaded) -> Option<Arc<RecordingFile>> {
    let problem = match check_out(&path) {
        Ok(()) if settings::is_read(&path, loaded) => {
            let message =
                format!("--record would replace `{}`, which this run reads", path.display());
            Diagnostic::error(message).hint("choose another file")
        }
        Ok(()) => return Some(Arc::new(RecordingFile::new(path))),
        Err(fault) => Diagnostic::error(fault.to_string()),
    };
    loaded.problems.push(problem.code("unwritable-file"));
    None
}

fn replayed(path: &Path, loaded: &mut Loaded) -> Option<Arc<RecordedAnswers>> {
    match RecordedAnswers::read(path) {
        Ok(recording) => {
            if let Some(warning) = recording.warning() {
                loaded.problems.push(Diagnostic::warning(warning).code("torn-recording"));
            }
            Some(Arc::new(recording))
        }
        Err(message) => {
            let code = if path.exists() { "bad-recording" } else { "missing-file" };
            let hint = "a recording is what `agentv eval … --record FILE` writes";
            loaded.problems.push(Diagnostic::error(message).code(code).hint(hint));
            None
        }
    }
}
