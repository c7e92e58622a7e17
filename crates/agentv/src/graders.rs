//! The graders of all cases: built once where they are the same, and checked against the cases
//! that they will grade.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Bench, Diagnostic, Entry, EvalCase, Node, NodeValue, Problems, Span, Suite};
use agentv_case::LoadedSuite;
use agentv_exec::provider::Services;
use agentv_grade::{BuildContext, CaseGraders, GradedCase};
use foldhash::{HashMap, HashMapExt as _};

use crate::{
    judges::Judges,
    resolve::{Pairing, Pairings},
};

/// How many cases with the same problem are shown with their places.
const SHOWN_CASES: usize = 10;

/// Graders that many cases share are built once: a list is known by where it lives.
pub type Built = HashMap<*const Node, Option<Arc<CaseGraders>>>;

/// What graders are built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BuiltTo {
    Grade,
    /// To see whether they can be. Those of one case alone are let go as soon as they were looked at.
    Check,
}

/// Builds the graders of every case, also of those for which no target could be found, and reports
/// what is wrong with them and what they lack to grade their cases.
pub fn build_graders(
    suites: &[LoadedSuite],
    pairings: &Pairings,
    services: &Services,
    to: BuiltTo,
    problems: &mut Problems,
) -> Built {
    let mut built = Built::new();
    let (mut alike, mut lacking) = (Alike::default(), AllLacking::default());
    let mut by_targets = JudgedTargets::of(pairings);
    for loaded in suites {
        let suite = &loaded.suite;
        let suite_dir = suite.file.parent().unwrap_or(Path::new("/"));
        let shown_dir = shown(suite_dir);
        let ungraded = suite.cases.iter().filter(|case| case.graders.is_empty());
        let (judged, ungraded): (Vec<_>, Vec<_>) =
            ungraded.partition(|case| by_targets.judge(case, loaded));
        if let Some(first) = judged.first() {
            let graders = agentv_grade::build(
                &[default_judge(first.place.span)],
                &context_of(suite_dir, &shown_dir, services),
                problems,
            );
            for case in judged {
                built.insert(case.graders.as_ptr(), graders.clone());
            }
        }
        if let Some(problem) = without_graders(&ungraded) {
            problems.push(problem);
        }
        check_unused(suite, &context_of(suite_dir, &shown_dir, services), problems);
        for case in suite.cases.iter().filter(|case| !case.graders.is_empty()) {
            let mut own = || {
                let context = context_of(case.input.suite_dir(), &shown_dir, services);
                alike.build(&case.graders, &context, problems)
            };
            if to == BuiltTo::Grade || Arc::strong_count(&case.graders) > 1 {
                let graders = built.entry(case.graders.as_ptr()).or_insert_with(own);
                lacking.look_at(case, graders.as_deref());
                continue;
            }
            let graders = own();
            lacking.look_at(case, graders.as_deref());
            // Whom they ask for an opinion is looked at later.
            if graders.as_ref().is_some_and(|graders| graders.wish_for_judges()) {
                built.insert(case.graders.as_ptr(), graders);
            }
        }
    }
    lacking.tell(problems);
    built
}

/// Cases that are written by a program repeat themselves: what is the same is built once.
#[derive(Default)]
struct Alike {
    known: HashMap<(PathBuf, String), Arc<CaseGraders>>,
    /// How often that was of use.
    met_again: usize,
}

impl Alike {
    /// As many different ones are kept before it is asked whether they come again at all.
    const TRIED: usize = 1000;

    fn build(
        &mut self,
        graders: &[Node],
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<CaseGraders>> {
        if self.known.len() > Self::TRIED.max(self.met_again) {
            return agentv_grade::build(graders, context, problems);
        }
        let written = serde_json::to_string(graders).unwrap_or_default();
        let same = (context.suite_dir.to_owned(), written);
        if let Some(known) = self.known.get(&same) {
            self.met_again += 1;
            return Some(Arc::clone(known));
        }
        // Only what has no problems: others are told at each place.
        let mut found = Problems::default();
        let graders = agentv_grade::build(graders, context, &mut found);
        // JSON says `null` of some values that are not.
        let plain = found.is_empty() && !same.1.contains("null");
        if let (Some(graders), true) = (&graders, plain) {
            self.known.insert(same, Arc::clone(graders));
        }
        problems.append(found);
        graders
    }
}

/// Graders of a suite whose cases all bring their own are read too: a slip of the pen in them would
/// else wait for the first case without.
fn check_unused(suite: &Suite, context: &BuildContext<'_>, problems: &mut Problems) {
    let used = |case: &Arc<EvalCase>| case.graders.as_ptr() == suite.graders.as_ptr();
    // Those with templates are graders only once a case has rendered them.
    let rendered = suite.cases.iter().any(|case| case.vars.is_some());
    if suite.graders.is_empty() || rendered || suite.cases.iter().any(used) {
        return;
    }
    agentv_grade::build(&suite.graders, context, problems);
}

/// A folder as the problems of suites show it: from where the user stands, where it lies below.
fn shown(folder: &Path) -> PathBuf {
    let current = std::env::current_dir().unwrap_or_default();
    match folder.strip_prefix(&current) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => folder.to_owned(),
    }
}

fn context_of<'s>(
    suite_dir: &'s Path,
    shown_dir: &'s Path,
    services: &'s Services,
) -> BuildContext<'s> {
    BuildContext {
        suite_dir,
        shown_dir,
        processes: &services.processes,
        agent_timeout: services.agent_timeout,
    }
}

/// Whether a case says what a good answer does, or has one.
fn expects(case: &EvalCase) -> bool {
    case.expected_outcome.is_some() || !case.reference_answer().trim().is_empty()
}

/// The targets that name a judge, as far as cases are asked of them.
struct JudgedTargets<'p> {
    pairings: &'p Pairings,
    /// Cases that are asked of any target, and whether one of these names a judge.
    asked: HashMap<*const EvalCase, bool>,
}

impl<'p> JudgedTargets<'p> {
    fn of(pairings: &'p Pairings) -> Self {
        Self { pairings, asked: HashMap::new() }
    }

    /// Whether a case without graders is judged all the same, as it was from the first: it expects
    /// something, and somebody is named who can judge by that.
    fn judge(&mut self, case: &Arc<EvalCase>, suite: &LoadedSuite) -> bool {
        if !expects(case) || case.judge_target.is_some() {
            return expects(case);
        }
        if self.asked.is_empty() {
            for pair in &self.pairings.pairs {
                let target = self.pairings.targets.get(pair.target);
                let named = target.is_some_and(|target| target.spec.judge_target.is_some());
                *self.asked.entry(Arc::as_ptr(&pair.case)).or_default() |= named;
            }
        }
        // Which target is asked may be said later, on the command line.
        let any = || {
            let specs = suite.targets.iter().flat_map(|file| &file.specs);
            specs.into_iter().any(|spec| spec.judge_target.is_some())
        };
        self.asked.get(&Arc::as_ptr(case)).copied().unwrap_or_else(any)
    }
}

/// `{type: llm_judge}`, as if it were written where the case stands.
fn default_judge(span: Span) -> Node {
    let kind = Node::new(span, NodeValue::String("llm_judge".into()));
    let entry = Entry { key: "type".into(), key_span: span, value: kind };
    Node::new(span, NodeValue::Map(Arc::from([entry])))
}

/// One problem of a suite, however many of its cases have it.
fn without_graders(cases: &[&Arc<EvalCase>]) -> Option<Diagnostic> {
    let first = cases.first()?;
    let message = match cases.len() - 1 {
        0 => format!("case `{}` has no grader", first.id()),
        more => format!("case `{}` and {more} more of this suite have no grader", first.id()),
    };
    let hint = if expects(first) {
        "add `evaluators` to the case or to the suite; or name a target in `judge_target`, which then \
         judges by `expected_outcome` and the reference answer"
    } else {
        "add `evaluators` to the case or to the suite"
    };
    let mut problem = Diagnostic::error(message).code("no-grader").at(first.place.span).hint(hint);
    for case in cases.iter().skip(1).take(SHOWN_CASES) {
        problem = problem.note(case.place.span, "nor has this one");
    }
    Some(problem)
}

/// Who grades each pair's case.
pub fn graded_cases(
    suites: &[LoadedSuite],
    pairings: &Pairings,
    built: &Built,
    judges: &mut Judges<'_>,
) -> Vec<GradedCase> {
    let mut cases = Vec::with_capacity(pairings.pairs.len());
    appoint_judges(suites, pairings, built, judges, |pair, graders, bench| {
        let (case, graders) = (Arc::clone(&pair.case), Arc::clone(graders));
        cases.push(GradedCase { case, graders, bench });
    });
    cases
}

/// Finds the judges of each pair's case. What keeps one from being asked is reported.
pub fn appoint_judges(
    suites: &[LoadedSuite],
    pairings: &Pairings,
    built: &Built,
    judges: &mut Judges<'_>,
    mut appointed: impl FnMut(&Pairing, &Arc<CaseGraders>, Arc<Bench>),
) {
    judges.check_names(suites, built);
    for pair in &pairings.pairs {
        if let Some(Some(graders)) = built.get(&pair.case.graders.as_ptr())
            && let Some(target) = pairings.targets.get(pair.target)
            && let Some(file) = suites.get(pair.suite).and_then(|suite| suite.targets.as_ref())
        {
            let bench = judges.bench(pair, file, target, graders);
            appointed(pair, graders, bench);
        }
    }
    judges.tell_changed();
}

/// What graders lack to grade their cases: one problem a grader and reason, however many cases have it.
#[derive(Default)]
struct AllLacking<'c> {
    lacking: Vec<Lacking<'c>>,
    places: HashMap<(Span, String), usize>,
}

impl<'c> AllLacking<'c> {
    fn look_at(&mut self, case: &'c Arc<EvalCase>, graders: Option<&CaseGraders>) {
        for lack in graders.into_iter().flat_map(|graders| graders.lacks(case)) {
            let message = format!("grader `{}` {}", lack.grader, lack.what);
            let lacking = &mut self.lacking;
            let place = *self.places.entry((lack.span, lack.what)).or_insert_with(|| {
                let (at, remedy) = (lack.span, lack.remedy);
                lacking.push(Lacking { message, at, remedy, shown: Vec::new(), cases: 0 });
                lacking.len() - 1
            });
            if let Some(lacking) = lacking.get_mut(place) {
                lacking.cases += 1;
                if lacking.shown.len() < SHOWN_CASES {
                    lacking.shown.push(case);
                }
            }
        }
    }

    fn tell(self, problems: &mut Problems) {
        for lacking in self.lacking {
            problems.push(lacking.problem());
        }
    }
}

/// What a grader lacks, and the cases that it lacks it for.
struct Lacking<'c> {
    message: String,
    at: Span,
    remedy: Option<&'static str>,
    /// The first few of them.
    shown: Vec<&'c Arc<EvalCase>>,
    cases: usize,
}

impl Lacking<'_> {
    fn problem(self) -> Diagnostic {
        let Self { mut message, at, remedy, shown, cases } = self;
        match cases - shown.len() {
            0 => {}
            1 => message.push_str(" (1 more case like those shown)"),
            more => {
                let _ = write!(message, " ({more} more cases like those shown)");
            }
        }
        let problem = Diagnostic::error(message).code("nothing-to-grade-by").at(at);
        let problem = remedy.into_iter().fold(problem, Diagnostic::hint);
        shown.into_iter().fold(problem, |problem, case| {
            problem.note(case.place.span, format!("case `{}`", case.id()))
        })
    }
}
