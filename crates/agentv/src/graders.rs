//! The graders of all cases: built once where they are the same, and checked against the cases
//! that they will grade.

use std::{collections::HashMap, fmt::Write as _, path::Path, sync::Arc};

use agentv_base::{Diagnostic, EvalCase, Node, Problems, Span, Suite};
use agentv_case::LoadedSuite;
use agentv_exec::provider::Services;
use agentv_grade::{BuildContext, CaseGraders, GradedCase};

use crate::{judges::Judges, resolve::Pairings};

/// How many cases with the same problem are shown with their places.
const SHOWN_CASES: usize = 10;

/// Graders that many cases share are built once: a list is known by where it lives.
pub type Built = HashMap<*const Node, Option<Arc<CaseGraders>>>;

/// Builds the graders of every case, also of those for which no target could be found: what is
/// wrong with them is told with the rest.
pub fn build_graders(
    suites: &[LoadedSuite],
    services: &Services,
    problems: &mut Problems,
) -> Built {
    let mut built = Built::new();
    // Cases that are written by a program repeat themselves: what is the same is built once.
    let mut alike: HashMap<(&Path, String), Arc<CaseGraders>> = HashMap::new();
    for LoadedSuite { suite, .. } in suites {
        let (graded, ungraded): (Vec<_>, Vec<_>) =
            suite.cases.iter().partition(|case| !case.graders.is_empty());
        if let Some(problem) = without_graders(&ungraded) {
            problems.push(problem);
        }
        check_unused(suite, services, problems);
        for case in graded {
            built.entry(case.graders.as_ptr()).or_insert_with(|| {
                let written = serde_json::to_string(&*case.graders).unwrap_or_default();
                let same = (case.input.suite_dir(), written);
                if let Some(known) = alike.get(&same) {
                    return Some(Arc::clone(known));
                }
                let context = BuildContext {
                    suite_dir: case.input.suite_dir(),
                    processes: &services.processes,
                    agent_timeout: services.agent_timeout,
                };
                // Only what has no problems: others are told at each place.
                let mut found = Problems::default();
                let graders = agentv_grade::build(&case.graders, &context, &mut found);
                // JSON says `null` of some values that are not.
                let plain = found.is_empty() && !same.1.contains("null");
                if let (Some(graders), true) = (&graders, plain) {
                    alike.insert(same, Arc::clone(graders));
                }
                problems.append(found);
                graders
            });
        }
    }
    built
}

/// Graders of a suite whose cases all bring their own are read too: a slip of the pen in them would
/// else wait for the first case without.
fn check_unused(suite: &Suite, services: &Services, problems: &mut Problems) {
    let used = |case: &Arc<EvalCase>| case.graders.as_ptr() == suite.graders.as_ptr();
    // Those with templates are graders only once a case has rendered them.
    let rendered = suite.cases.iter().any(|case| case.vars.is_some());
    if suite.graders.is_empty() || rendered || suite.cases.iter().any(used) {
        return;
    }
    let context = BuildContext {
        suite_dir: suite.file.parent().unwrap_or(Path::new("/")),
        processes: &services.processes,
        agent_timeout: services.agent_timeout,
    };
    agentv_grade::build(&suite.graders, &context, problems);
}

/// One problem of a suite, however many of its cases have it.
fn without_graders(cases: &[&Arc<EvalCase>]) -> Option<Diagnostic> {
    let first = cases.first()?;
    let message = match cases.len() - 1 {
        0 => format!("case `{}` has no grader", first.id()),
        more => format!("case `{}` and {more} more of this suite have no grader", first.id()),
    };
    let hint = "add `evaluators` to the case or to the suite";
    let mut problem = Diagnostic::error(message).code("no-grader").at(first.place.span).hint(hint);
    for case in cases.iter().skip(1).take(SHOWN_CASES) {
        problem = problem.note(case.place.span, "nor has this one");
    }
    Some(problem)
}

/// Who grades each pair's case.
pub fn graded_cases(
    pairings: &Pairings,
    built: &Built,
    judges: &mut Judges<'_>,
) -> Vec<GradedCase> {
    pairings
        .pairs
        .iter()
        .filter_map(|pair| {
            let graders = Arc::clone(built.get(&pair.case.graders.as_ptr())?.as_ref()?);
            let target = pairings.targets.get(pair.target)?;
            let judge = graders
                .asks_judge()
                .and_then(|(grader, span)| judges.of(pair.target, target, grader, span));
            Some(GradedCase { case: Arc::clone(&pair.case), graders, judge })
        })
        .collect()
}

/// Reports what graders lack to grade their cases: one problem a grader and reason, however many
/// cases have it.
pub fn check_cases(suites: &[LoadedSuite], built: &Built, problems: &mut Problems) {
    let mut lacking: Vec<Lacking<'_>> = Vec::new();
    let mut places: HashMap<(Span, String), usize> = HashMap::new();
    for case in suites.iter().flat_map(|suite| &suite.suite.cases) {
        let Some(Some(graders)) = built.get(&case.graders.as_ptr()) else { continue };
        for lack in graders.lacks(case) {
            let message = format!("grader `{}` {}", lack.grader, lack.what);
            let place = *places.entry((lack.span, lack.what)).or_insert_with(|| {
                lacking.push(Lacking { message, at: lack.span, shown: Vec::new(), cases: 0 });
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
    for lacking in lacking {
        problems.push(lacking.problem());
    }
}

/// What a grader lacks, and the cases that it lacks it for.
struct Lacking<'c> {
    message: String,
    at: Span,
    /// The first few of them.
    shown: Vec<&'c Arc<EvalCase>>,
    cases: usize,
}

impl Lacking<'_> {
    fn problem(self) -> Diagnostic {
        let Self { mut message, at, shown, cases } = self;
        match cases - shown.len() {
            0 => {}
            1 => message.push_str(" (1 more case like those shown)"),
            more => {
                let _ = write!(message, " ({more} more cases like those shown)");
            }
        }
        let problem = Diagnostic::error(message).code("nothing-to-grade-by").at(at);
        shown.into_iter().fold(problem, |problem, case| {
            problem.note(case.place.span, format!("case `{}`", case.id()))
        })
    }
}
