//! Which cases are given rubrics, and who is asked for them.

use std::{collections::HashMap, fmt::Write as _, sync::Arc};

use agentv_base::{Diagnostic, EvalCase, Judge, Span, TargetSpec};
use agentv_case::{Loaded, LoadedSuite, TargetsFile, rubrics::Draft};

use crate::{args::GenerateArgs, judges::Judges, resolve::unknown};

/// A case, and who is asked.
pub(super) struct AskedCase {
    pub(super) case: Arc<EvalCase>,
    pub(super) judge: Arc<dyn Judge>,
}

/// What became of the cases that someone was asked about.
pub(super) struct Came {
    pub(super) written: usize,
    pub(super) faults: usize,
    pub(super) interrupted: usize,
}

/// What became of the cases that nobody is asked about.
#[derive(Default)]
pub(super) struct Counts {
    /// They have rubrics already.
    kept: usize,
    /// They do not say what is expected.
    without: usize,
    /// Their text is not in the file.
    elsewhere: usize,
}

impl Counts {
    pub(super) fn summary(&self, came: &Came, args: &GenerateArgs) -> String {
        let Came { written, faults, interrupted } = *came;
        let shown = args.out.as_deref().unwrap_or(&args.file).display();
        let mut said = match written {
            0 => format!("`{shown}`: nothing is written"),
            1 => format!("`{shown}`: rubrics for 1 case"),
            many => format!("`{shown}`: rubrics for {many} cases"),
        };
        if written > 0 && args.dry_run {
            said.push_str(" (nothing is written)");
        }
        for (count, what) in [
            (faults, "without, because of errors"),
            (interrupted, "without, because of the interrupt"),
            (self.kept, "left alone, with rubrics already (--force replaces them)"),
            (self.without, "left alone, without `expected_outcome`"),
            (self.elsewhere, "left alone, in other files"),
        ] {
            if count > 0 {
                let _ = write!(said, "; {count} {what}");
            }
        }
        said + "\n"
    }
}

pub(super) struct Choice {
    pub(super) asked: Vec<AskedCase>,
    pub(super) counts: Counts,
}

impl Choice {
    /// Looks at every case. What is in the way is added to the problems of `judges`.
    pub(super) fn of(
        loaded: &Loaded,
        draft: &Draft<'_>,
        force: bool,
        overriding: Option<&str>,
        judges: &mut Judges<'_>,
    ) -> Self {
        let mut choice = Self { asked: Vec::new(), counts: Counts::default() };
        let mut nobody: Vec<&Arc<EvalCase>> = Vec::new();
        let mut unset: Vec<Option<Span>> = Vec::new();
        let Some(LoadedSuite { suite, targets }) = loaded.suites.first() else { return choice };
        // A file in which no target can be read is an error that was told when it was read.
        let Some(file) = targets.as_deref() else { return choice };
        // Told also where nobody is asked: whoever names a target wants to know that there is none.
        if let Some(name) = overriding.filter(|name| file.named(name).is_none()) {
            judges.problems.push(unknown("target", name, file, &loaded.sources));
            return choice;
        }
        for variants in by_place(&suite.cases) {
            let Some(case) = variants.first().copied() else { continue };
            let at = case.place.span;
            if case.expected_outcome.is_none() {
                choice.counts.without += 1;
            } else if case.place.file.is_some() || !draft.has_case(at) {
                choice.counts.elsewhere += 1;
                judges.problems.push(elsewhere(case));
            } else if draft.has_rubrics(at) && !force {
                choice.counts.kept += 1;
            } else if variants.iter().any(|it| it.expected_outcome != case.expected_outcome) {
                choice.counts.elsewhere += 1;
                judges.problems.push(different(case));
            } else {
                match judge_of(case, file, overriding) {
                    Some((name, span)) => choice.appoint(case, name, span, file, loaded, judges),
                    None => match unset_judge_of(case, file) {
                        Some(problem) if unset.contains(&problem.span) => {}
                        Some(problem) => {
                            unset.push(problem.span);
                            judges.problems.push(problem);
                        }
                        None => nobody.push(case),
                    },
                }
            }
        }
        if let Some(first) = nobody.first() {
            judges.problems.push(nobody_named(first, nobody.len() - 1));
        }
        choice
    }

    fn appoint(
        &mut self,
        case: &Arc<EvalCase>,
        name: &str,
        span: Option<Span>,
        file: &TargetsFile,
        loaded: &Loaded,
        judges: &mut Judges<'_>,
    ) {
        let Some(spec) = file.named(name) else {
            let mut problem = unknown("target", name, file, &loaded.sources);
            problem.span = span;
            judges.problems.push(problem);
            return;
        };
        if let Some(judge) = judges.named(spec, file) {
            self.asked.push(AskedCase { case: Arc::clone(case), judge });
        }
    }
}

/// The cases that are one text: a case is asked with every prompt and every set of variables.
fn by_place(cases: &[Arc<EvalCase>]) -> Vec<Vec<&Arc<EvalCase>>> {
    let mut places: HashMap<Span, usize> = HashMap::new();
    let mut groups: Vec<Vec<&Arc<EvalCase>>> = Vec::new();
    for case in cases {
        let place = *places.entry(case.place.span).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(place) {
            group.push(case);
        }
    }
    groups
}

/// Who is asked: by the command line, the case, its suite, or the target that it is asked of.
fn judge_of<'c>(
    case: &'c EvalCase,
    file: &'c TargetsFile,
    overriding: Option<&'c str>,
) -> Option<(&'c str, Option<Span>)> {
    if let Some(name) = overriding {
        return Some((name, None));
    }
    if let Some(named) = &case.judge_target {
        return Some((&*named.name, Some(named.span)));
    }
    let (name, span) = targets_of(case, file).find_map(|spec| spec.judge_target.as_ref())?;
    Some((&**name, Some(*span)))
}

/// The variable that should have named who is asked.
fn unset_judge_of(case: &EvalCase, file: &TargetsFile) -> Option<Diagnostic> {
    targets_of(case, file).find_map(|spec| file.unset_judge(&spec.name))
}

/// The targets that a case is asked of.
fn targets_of<'c>(
    case: &'c EvalCase,
    file: &'c TargetsFile,
) -> impl Iterator<Item = &'c TargetSpec> {
    let asked = case.targets.iter().filter_map(|named| file.named(&named.name));
    let default = file.default_target().ok().filter(|_| case.targets.is_empty());
    asked.chain(default)
}

pub(super) fn elsewhere(case: &EvalCase) -> Diagnostic {
    let what = match &case.place.file {
        Some(file) => format!("case `{}` stands in `{file}`", case.id()),
        None => format!("case `{}` is not written out in this file", case.id()),
    };
    Diagnostic::warning(format!("{what}: it is given no rubrics"))
        .code("not-supported")
        .at(case.place.span)
        .hint("rubrics are written only into cases that the suite itself has in its YAML")
}

fn different(case: &EvalCase) -> Diagnostic {
    Diagnostic::warning(format!(
        "what is expected of case `{}` depends on its variables, of which there are several sets: \
         it is given no rubrics",
        case.id()
    ))
    .code("not-supported")
    .at(case.place.span)
}

fn nobody_named(first: &EvalCase, more: usize) -> Diagnostic {
    let others = if more == 0 { String::new() } else { format!(" and {more} more") };
    Diagnostic::error(format!(
        "nobody is named who could propose rubrics for case `{}`{others}",
        first.id()
    ))
    .code("no-target")
    .at(first.place.span)
    .hint("pass --target NAME, or name a `judge_target` in the case, the suite or the target")
}
