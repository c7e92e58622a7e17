//! Puts the parts together. The only file that knows every crate.

use std::{path::PathBuf, sync::Arc};

use agentv_base::{
    Assessor, Bench, BoxFuture, Diagnostic, Problems, ProcessFault, ProcessOutput, ProcessRunner,
    ProcessSpec, Redactor, Severity, Stop, StopRule, TargetSpec,
};
use agentv_case::Loaded;
use agentv_engine::{Limits, Plan, PlannedTarget};
use agentv_exec::{
    process::{Processes, Turns},
    provider::{self, Network, Services},
    scratch::{Scratch, end_leftovers_of_dead_runs},
};
use agentv_grade::CaseAssessor;
use agentv_report::UntilDecided;

use crate::{
    console::Console,
    graders::{BuiltTo, appoint_judges, build_graders, graded_cases},
    judges::Judges,
    plan::{self, Graded, WholePlan},
    provision::Provision,
    resolve::{AskedTarget, Unnamed, pair},
    settings::{
        Answering, Asking, Scope, extra_authorities, needs_no_proxy, proxies, system_authorities,
    },
};

/// The score from which a case passes where nobody says otherwise.
pub const DEFAULT_THRESHOLD: f64 = 0.8;
/// Invocations of one target at once where nobody says otherwise.
pub const DEFAULT_WORKERS: usize = 4;
/// Cases graded at once at the least, and judges: they are processes that mostly wait.
const LEAST_GRADING: usize = 8;

/// Answers of a batch that wait to be graded: enough that nobody has to wait for the next.
const AHEAD: usize = 128;

/// Everything a run needs, ready to go.
pub struct Assembly {
    pub targets: Vec<TargetSpec>,
    /// Those that are asked for their opinion on answers.
    pub judge_targets: Vec<TargetSpec>,
    pub plan: Plan,
    /// What the plan is a part of, where it is a shard.
    pub whole: WholePlan,
    /// Who judges each case of the plan; empty where nobody grades.
    pub benches: Vec<Arc<Bench>>,
    /// None where nobody grades.
    pub assessor: Option<Arc<dyn Assessor>>,
    pub limits: Limits,
    pub stop: Stop,
    workshop: Workshop,
    provision: Provision,
    /// Those that grade.
    judges: Arc<Turns>,
    redactor: Redactor,
}

impl Assembly {
    /// When the run has begun and nothing was asked yet: what is written down besides its rows is
    /// begun only now, because that is the end of what was there.
    pub fn begin(&self, run_id: &str) -> Result<(), String> {
        self.provision.begin(run_id)
    }

    /// Ends whatever is still ours when a run is over, and says what it leaves behind on purpose
    /// or in spite of everything. Gives whether every answer that was to be kept was.
    pub async fn close(&self, console: Console) -> bool {
        for command in self.judges.untidy() {
            let command = agentv_base::excerpt(&self.redactor.redact(&command), 200);
            console.say(&format!(
                "warning: judge `{command}` leaves processes running when it has answered; they \
                 were ended\n"
            ));
        }
        self.workshop.close(console).await;
        self.provision.close(console)
    }
}

/// What targets need to be asked.
pub struct Workshop {
    pub services: Services,
    /// Questions at once to whoever sets no number of its own.
    pub workers: usize,
    processes: Arc<Processes>,
    scratch: Arc<Scratch>,
}

impl Workshop {
    /// Ends whatever is still ours, and says what is left behind.
    pub async fn close(&self, console: Console) {
        let sweep = self.processes.sweep().await;
        for process in &sweep.leaked {
            let command = agentv_base::excerpt(&process.command, 200);
            console
                .say(&format!("warning: process {} ({command}) could not be ended\n", process.pid));
        }
        if let Some(folder) = self.scratch.kept() {
            console.say(&format!("temporary files are kept in {}\n", folder.display()));
        }
        self.scratch.clear();
    }
}

/// Whether answers are graded.
#[derive(Clone, Copy)]
pub enum Grading {
    By {
        /// From which score cases pass, whatever their suites say; none leaves it to them.
        threshold: Option<f64>,
        /// Whether rows keep what judges were asked, word for word.
        keeps_exchanges: bool,
    },
    None,
}

/// Makes what targets need to be asked; what is in the way is added to the problems of `loaded`.
pub fn workshop(loaded: &mut Loaded, asking: Asking, console: Console) -> Option<Workshop> {
    let temp_dir = temp_dir();
    let leftovers = end_leftovers_of_dead_runs(&temp_dir);
    if leftovers.ended_processes > 0 {
        console.say(&format!(
            "ended {} process(es) that an earlier run left behind when it was killed\n",
            leftovers.ended_processes
        ));
    }
    let scratch = match Scratch::create(&temp_dir) {
        Ok(scratch) => Arc::new(scratch),
        Err(error) => {
            let message = format!("cannot make a folder in {}: {error}", temp_dir.display());
            let hint = "set TMPDIR to a folder that can be written";
            loaded.problems.push(Diagnostic::error(message).code("unwritable-file").hint(hint));
            return None;
        }
    };
    let stop = Stop::default();
    let processes = Arc::new(Processes::new(
        stop.clone(),
        scratch.token().to_owned(),
        scratch.path().to_path_buf(),
    ));
    let workers = asking.workers.unwrap_or_else(|| suites_workers(loaded));
    let network = Network::new(extra_authorities())
        .with_system_authorities(system_authorities())
        .with_proxies(proxies())
        .with_workers(workers)
        .direct(needs_no_proxy());
    let services = Services {
        processes: Arc::clone(&processes) as Arc<dyn ProcessRunner>,
        scratch: Some(Arc::clone(&scratch)),
        stop: stop.clone(),
        redactor: loaded.redactor.clone(),
        agent_timeout: asking.agent_timeout,
        journal: Arc::new(move |text| console.say(&format!("{text}\n"))),
        verbose: asking.verbose,
        network: Arc::new(network),
    };
    Some(Workshop { services, workers, processes, scratch })
}

/// Builds everything that a run of these suites needs. Everything wrong is added to the problems
/// of `loaded`; nothing is given where something is.
pub fn assemble(
    loaded: &mut Loaded,
    overrides: &[String],
    asking: Asking,
    scope: Scope,
    grading: Grading,
    answering: Answering,
    console: Console,
) -> Option<Assembly> {
    let workshop = workshop(loaded, asking, console)?;
    let services = workshop.services.clone();
    let stop = services.stop.clone();
    let provision = Provision::new(answering, asking, loaded, &services);
    let mut problems = Problems::default();
    let mut pairings =
        pair(&loaded.suites, overrides, &loaded.sources, Unnamed::IsAnError, &mut problems);
    // Who is not asked needs no key.
    let spared = provision.as_ref().is_some_and(Provision::spares_targets);
    let counts = |problem: &&Diagnostic| !spared || problem.code != UNSET;
    problems.iter().filter(counts).for_each(|problem| loaded.problems.push(problem.clone()));
    let provision = provision?;
    let whole = WholePlan::of(&pairings, scope);
    whole.check(&mut loaded.problems);
    plan::check_dependencies(&pairings, &mut loaded.problems);
    plan::keep_shard(&mut pairings, scope.shard);
    let targets = planned_targets(&pairings.targets, &provision, &workshop, &mut loaded.problems);
    let most_at_once: usize = targets.iter().map(|target| target.workers).sum();
    let limits = Limits {
        workers: asking.workers,
        grading: most_at_once.min(asking.workers.unwrap_or(usize::MAX)).max(LEAST_GRADING),
        ahead: AHEAD,
        max_retries: asking.max_retries,
        ..Limits::default()
    };
    // A case may have a hundred judges: as many run at once as cases are graded, not that many
    // times more.
    let judges =
        Arc::new(Turns::new(Arc::clone(&services.processes), limits.grading, stop.clone()));
    let (graders, judge_targets) = match grading {
        Grading::By { keeps_exchanges, threshold } => {
            let services = Services { processes: Arc::clone(&judges) as _, ..services };
            let problems = &mut loaded.problems;
            let built =
                build_graders(&loaded.suites, &pairings, &services, BuiltTo::Grade, problems);
            let mut judges = Judges::new(&services, &loaded.sources, &loaded.root, keeps_exchanges)
                .passing_from(threshold)
                .provided_by(&provision)
                .with_workers(workshop.workers);
            let cases = graded_cases(&loaded.suites, &pairings, &built, &mut judges);
            loaded.problems.append(judges.problems);
            (cases, judges.specs)
        }
        Grading::None => (Vec::new(), Vec::new()),
    };
    if loaded.problems.has_errors() {
        return None;
    }
    let benches = graders.iter().map(|graded| Arc::clone(&graded.bench)).collect();
    let assessor: Option<Arc<dyn Assessor>> = match grading {
        Grading::By { threshold, .. } => {
            let assessor = CaseAssessor::new(DEFAULT_THRESHOLD, graders)
                .overruled_by(threshold)
                .hiding(loaded.redactor.clone());
            Some(Arc::new(assessor) as Arc<dyn Assessor>)
        }
        Grading::None => None,
    };
    let graded = if assessor.is_some() { Graded::Yes } else { Graded::No };
    let mut plan = plan::plan(&pairings, targets, scope, graded);
    plan.stop_rule = scope.until_decided.then(|| Arc::new(UntilDecided) as Arc<dyn StopRule>);
    let targets = pairings.targets.into_iter().map(|target| target.spec).collect();
    let redactor = loaded.redactor.clone();
    Some(Assembly {
        targets,
        judge_targets,
        plan,
        whole,
        benches,
        assessor,
        limits,
        stop,
        workshop,
        provision,
        judges,
        redactor,
    })
}

/// Invocations at once of a target that sets no number of its own.
fn suites_workers(loaded: &Loaded) -> usize {
    let workers = loaded.suites.iter().filter_map(|suite| suite.suite.workers).max();
    workers.unwrap_or(DEFAULT_WORKERS)
}

/// Where temporary files go. An empty variable is no choice.
fn temp_dir() -> PathBuf {
    let chosen = std::env::temp_dir();
    if chosen.as_os_str().is_empty() { PathBuf::from("/tmp") } else { chosen }
}

/// Reads everything a run would need, and runs nothing: for `validate`.
pub fn check(loaded: &mut Loaded) {
    let services = Services {
        processes: Arc::new(Idle),
        scratch: None,
        stop: Stop::default(),
        redactor: Redactor::default(),
        agent_timeout: None,
        journal: Arc::new(|_| {}),
        verbose: false,
        network: Arc::default(),
    };
    // A target can still be named on the command line, so that none is named here is no mistake.
    let asked = pair(&loaded.suites, &[], &loaded.sources, Unnamed::IsFine, &mut loaded.problems);
    let is_asked = |spec: &TargetSpec| {
        loaded.suites.is_empty() || asked.targets.iter().any(|asked| asked.spec.name == spec.name)
    };
    for file in &loaded.targets_files {
        for spec in &file.specs {
            let unset = file.unset_variables(&spec.name);
            if unset.is_empty() {
                provider::build(spec, &services, &mut loaded.problems);
            }
            // A machine need not have the keys of every vendor.
            for mut problem in unset {
                if !is_asked(spec) {
                    problem.severity = Severity::Warning;
                }
                loaded.problems.push(problem);
            }
        }
    }
    plan::check_dependencies(&asked, &mut loaded.problems);
    let problems = &mut loaded.problems;
    let built = build_graders(&loaded.suites, &asked, &services, BuiltTo::Check, problems);
    let mut judges = Judges::new(&services, &loaded.sources, &loaded.root, false);
    appoint_judges(&loaded.suites, &asked, &built, &mut judges, |_, _, _| {});
    loaded.problems.append(judges.problems);
}

/// The code of a variable that has no value.
const UNSET: &str = "unset-variable";

fn planned_targets(
    asked: &[AskedTarget],
    provision: &Provision,
    Workshop { services, workers, .. }: &Workshop,
    problems: &mut Problems,
) -> Vec<PlannedTarget> {
    asked
        .iter()
        .filter_map(|AskedTarget { spec, complete }| {
            let provider = provision.target(spec, *complete, services, problems)?;
            let workers = spec.workers.unwrap_or(*workers);
            Some(PlannedTarget { name: Arc::clone(&spec.name), provider, workers })
        })
        .collect()
}

/// A runner for those who only read settings: it is never asked to run, and would not.
struct Idle;

impl ProcessRunner for Idle {
    fn run(&self, _spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        Box::pin(async { Err(ProcessFault::Interrupted) })
    }
}
