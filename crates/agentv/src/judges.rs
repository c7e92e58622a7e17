//! Targets that judge the answers of other targets, where a grader must ask a model.
//!
//! A judge is asked through the same provider as any target, so whatever can be asked can judge. It
//! is the `judge_target` of the grader, else of the case, its suite or the target that is judged,
//! in that order; nobody judges because nobody else was named. It is built only where a grader of a
//! case asks for it: a machine need not have the keys of every vendor.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use agentv_base::{
    Appointed, Bench, Diagnostic, EvalCase, Judge, JudgeWish, Problems, Sources, Span, TargetSpec,
};
use agentv_case::{LoadedSuite, TargetsFile};
use agentv_exec::provider::{self, Services};
use agentv_grade::{CaseGraders, CaseJudge};

use crate::{
    calibrations::{Calibrations, Sought},
    fingerprint::fingerprint,
    graders::Built,
    provision::Provision,
    resolve::{AskedTarget, Pairing, listed, shown, unknown},
    target_judge::{AskedBy, TargetJudge, Witness},
    wiring::{DEFAULT_THRESHOLD, DEFAULT_WORKERS},
};

/// What a bench depends on: the targets file, the target that is judged, who judges by the word of
/// the case, the graders, and the threshold.
type Sitting = (*const TargetsFile, usize, Option<Arc<str>>, *const CaseGraders, u64);

/// The judges of a run, each built when the first grader asks for it.
pub struct Judges<'a> {
    services: &'a Services,
    sources: &'a Sources,
    keeps_exchanges: bool,
    /// Whom to ask whatever anybody says.
    overruling: Option<Arc<str>>,
    /// The score from which cases pass whatever they say.
    threshold: Option<f64>,
    /// Questions at once to a judge that sets no number of its own.
    workers: usize,
    /// Who answers for judges; they themselves where nobody is said to.
    provision: Option<&'a Provision>,
    calibrations: Calibrations,
    built: HashMap<(*const TargetsFile, Arc<str>), Option<Arc<TargetJudge>>>,
    benches: HashMap<Sitting, Arc<Bench>>,
    /// For cases that nobody judges, however many there are.
    empty: Arc<Bench>,
    /// What was said before: one problem, however many cases have it.
    said: HashSet<(Span, Arc<str>)>,
    pub problems: Problems,
    /// The targets that judge, each once.
    pub specs: Vec<TargetSpec>,
}

impl<'a> Judges<'a> {
    /// What is known of them is kept under `root`, that of the repository.
    pub fn new(
        services: &'a Services,
        sources: &'a Sources,
        root: &Path,
        keeps_exchanges: bool,
    ) -> Self {
        Self {
            services,
            sources,
            keeps_exchanges,
            overruling: None,
            threshold: None,
            workers: DEFAULT_WORKERS,
            provision: None,
            calibrations: Calibrations::of(root),
            built: HashMap::new(),
            benches: HashMap::new(),
            empty: Arc::default(),
            said: HashSet::new(),
            problems: Problems::default(),
            specs: Vec::new(),
        }
    }

    /// A judge who is asked whatever graders, cases and targets say.
    #[must_use]
    pub fn overruled_by(self, name: Option<&str>) -> Self {
        Self { overruling: name.map(Arc::from), ..self }
    }

    /// A score from which cases pass whatever they and their suites say.
    #[must_use]
    pub fn passing_from(self, threshold: Option<f64>) -> Self {
        Self { threshold, ..self }
    }

    /// So many questions at once to a judge that sets no number of its own.
    #[must_use]
    pub fn with_workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    /// Whom answers come from, where that may be others than the judges.
    #[must_use]
    pub fn provided_by(self, provision: &'a Provision) -> Self {
        Self { provision: Some(provision), ..self }
    }

    /// The files that problems stand in.
    pub fn sources(&self) -> &'a Sources {
        self.sources
    }

    /// Every name of a judge must be that of a target, whoever will be asked.
    pub fn check_names(&mut self, suites: &[LoadedSuite], built: &Built) {
        for LoadedSuite { suite, targets } in suites {
            let Some(file) = targets.as_ref().filter(|file| !file.specs.is_empty()) else {
                continue;
            };
            let mut seen = HashSet::new();
            let mut last = std::ptr::null();
            for case in &suite.cases {
                let own = case.judge_target.as_ref().map(|named| (&named.name, named.span));
                if let Some((name, span)) = own {
                    self.check_name(name, span, file);
                }
                // Most cases have the graders of the case before them.
                if std::mem::replace(&mut last, case.graders.as_ptr()) == case.graders.as_ptr() {
                    continue;
                }
                let graders = built.get(&case.graders.as_ptr()).and_then(Option::as_ref);
                let graders =
                    graders.filter(|it| it.wish_for_judges() && seen.insert(Arc::as_ptr(it)));
                let Some(graders) = graders else {
                    continue;
                };
                for (_, wish) in graders.judge_wishes() {
                    if let Some(name) = &wish.target {
                        self.check_name(name, wish.span, file);
                    }
                }
            }
        }
    }

    fn check_name(&mut self, name: &Arc<str>, span: Span, file: &TargetsFile) {
        if file.named(name).is_none() && self.said.insert((span, Arc::clone(name))) {
            self.problems.push(unknown("judge target", name, file, self.sources).at(span));
        }
    }

    /// Who judges a case when this target is asked. What keeps a judge from being asked is
    /// reported, once for each target.
    pub fn bench(
        &mut self,
        pair: &Pairing,
        file: &TargetsFile,
        target: &AskedTarget,
        graders: &Arc<CaseGraders>,
    ) -> Arc<Bench> {
        if !graders.wish_for_judges() {
            return Arc::clone(&self.empty);
        }
        let by_case = pair.case.judge_target.as_ref().map(|named| Arc::clone(&named.name));
        let threshold = self.threshold.or(pair.case.threshold).unwrap_or(DEFAULT_THRESHOLD);
        let sitting = (
            std::ptr::from_ref(file),
            pair.target,
            by_case,
            Arc::as_ptr(graders),
            threshold.to_bits(),
        );
        if let Some(bench) = self.benches.get(&sitting) {
            return Arc::clone(bench);
        }
        if let Some(problem) = file.unset_judge(&target.spec.name) {
            // The variables that an asked target lacks were told when it was chosen.
            self.said.insert((problem.span.unwrap_or(target.spec.name_span), Arc::from("")));
        }
        let mut bench = Bench::default();
        bench.keeps_exchanges = self.keeps_exchanges;
        let mut named: HashMap<&str, u32> = HashMap::new();
        for (grader, wish) in graders.judge_wishes() {
            let number = named.entry(grader).or_default();
            *number += 1;
            // A grader may ask several, and several may have one name.
            let asker = if *number == 1 { grader.to_owned() } else { format!("{grader}#{number}") };
            let Some(found) = self.find(grader, wish, &pair.case, file, Some(&target.spec)) else {
                continue;
            };
            let Found { judge, spec, fingerprint, .. } = found;
            let judge: Arc<dyn Judge> = Arc::new(AskedBy { judge, grader: asker });
            let alone = graders.judges().find(|judge| judge.wish().as_ref() == Some(wish));
            let sought = Sought {
                fingerprint: &fingerprint,
                grader,
                target: &spec.name,
                suite: &pair.case.suite,
                cutoff: alone.map(|judge| judge.cutoff(threshold)),
                span: alone.map_or(wish.span, CaseJudge::span),
            };
            let calibration = self.calibrations.note(&sought, &mut self.problems);
            let fingerprint = fingerprint.into();
            bench.appoint(wish.clone(), Appointed { judge, fingerprint, calibration });
        }
        let bench = Arc::new(bench);
        self.benches.insert(sitting, Arc::clone(&bench));
        bench
    }

    /// When all judges are appointed: those of which a measurement holds no more are told.
    pub fn tell_changed(&mut self) {
        self.calibrations.tell_changed(&mut self.problems);
    }

    /// Who judges for a grader of a case when this target is asked.
    pub fn find<'f>(
        &mut self,
        grader: &str,
        wish: &JudgeWish,
        case: &EvalCase,
        file: &'f TargetsFile,
        target: Option<&TargetSpec>,
    ) -> Option<Found<'f>> {
        let overruling = self.overruling.clone();
        let by_grader = wish.target.as_ref().map(|name| (name, wish.span));
        let by_case = case.judge_target.as_ref().map(|named| (&named.name, named.span));
        let by_target = target.and_then(|spec| spec.judge_target.as_ref());
        let by_target = by_target.map(|(name, span)| (name, *span));
        let named = by_grader.or(by_case).or(by_target);
        let Some((name, span)) = overruling.as_ref().map(|name| (name, wish.span)).or(named) else {
            if let Some(problem) = target.and_then(|spec| file.unset_judge(&spec.name)) {
                let span = problem.span.unwrap_or(wish.span);
                if self.said.insert((span, Arc::from(""))) {
                    self.problems.push(problem);
                }
                return None;
            }
            let whose = target.map_or_else(|| Arc::from(""), |spec| Arc::clone(&spec.name));
            if self.said.insert((wish.span, whose)) {
                self.problems.push(without_judge(target, grader, wish.span, file, self.sources));
            }
            return None;
        };
        // A name that nobody has was told before.
        let spec = file.named(name)?;
        let itself =
            target.is_some_and(|judged| judged.name == spec.name && judged.file == spec.file);
        let asked_for =
            overruling.is_some() || by_target.is_some_and(|(by_target, _)| by_target == name);
        if itself && !asked_for && self.said.insert((span, Arc::clone(name))) {
            self.problems.push(judged_by_itself(name, span));
        }
        let judge = self.judge(spec, file)?;
        let fingerprint = fingerprint(spec, &wish.instrument, &self.services.redactor);
        let workers = spec.workers.unwrap_or(self.workers);
        Some(Found { judge, spec, fingerprint, workers })
    }

    /// As many questions at once as all judges that were built take together.
    pub fn places(&self) -> usize {
        let places = self.specs.iter().map(|spec| spec.workers.unwrap_or(self.workers));
        places.sum::<usize>().max(1)
    }

    /// A target that is asked for something else than a score.
    pub fn named(&mut self, spec: &TargetSpec, file: &TargetsFile) -> Option<Arc<dyn Judge>> {
        self.judge(spec, file).map(|judge| judge as Arc<dyn Judge>)
    }

    fn judge(&mut self, spec: &TargetSpec, file: &TargetsFile) -> Option<Arc<TargetJudge>> {
        let Self { services, built, problems, specs, workers, provision, .. } = self;
        let key = (std::ptr::from_ref(file), Arc::clone(&spec.name));
        let judge = built.entry(key).or_insert_with(|| {
            let unset = file.unset_variables(&spec.name);
            let complete = unset.is_empty();
            // Who is not asked needs no key.
            if !complete && !provision.is_some_and(Provision::spares_judges) {
                problems.append(unset);
                return None;
            }
            let (provider, witness) = match provision {
                Some(provision) => provision.judge(spec, complete, services, problems)?,
                None => (provider::build(spec, services, problems)?, Witness::Nobody),
            };
            // Suites that share a file of targets have it read for each of them.
            if !specs.iter().any(|known| (&known.file, &known.node) == (&spec.file, &spec.node)) {
                specs.push(spec.clone());
            }
            let workers = spec.workers.unwrap_or(*workers);
            let judge = TargetJudge::new(Arc::clone(&spec.name), provider, workers);
            Some(Arc::new(judge.heard_by(witness)))
        });
        judge.clone()
    }
}

/// Who was found to judge.
pub struct Found<'f> {
    pub judge: Arc<TargetJudge>,
    pub spec: &'f TargetSpec,
    /// Which judge it is, for its calibration.
    pub fingerprint: String,
    /// How many questions it takes at once.
    pub workers: usize,
}

fn without_judge(
    target: Option<&TargetSpec>,
    grader: &str,
    span: Span,
    file: &TargetsFile,
    sources: &Sources,
) -> Diagnostic {
    let whose = |spec: &TargetSpec| target.is_some_and(|judged| judged.name == spec.name);
    let could = file.specs.iter().filter(|spec| !whose(spec)).map(|spec| &*spec.name);
    let hint = if could.clone().next().is_none() {
        format!(
            "describe a target that judges in `{}`, and name it in `judge_target` of the grader, \
             the case, the suite or the target",
            shown(file, sources)
        )
    } else {
        format!(
            "name the target that judges in `judge_target` of the grader, the case, the suite or \
             the target; there are: {}",
            listed(could)
        )
    };
    let whose = target.map_or_else(String::new, |TargetSpec { name, .. }| {
        format!(" what target `{name}` answers")
    });
    let message = format!("nobody is named to judge{whose} for grader `{grader}`");
    let problem = Diagnostic::error(message).code("nothing-to-grade-by").at(span).hint(hint);
    match target {
        Some(spec) => problem.note(spec.name_span, "this target has no `judge_target`"),
        None => problem,
    }
}

fn judged_by_itself(name: &str, span: Span) -> Diagnostic {
    Diagnostic::warning(format!("target `{name}` judges its own answers"))
        .code("self-judged")
        .at(span)
        .hint(format!(
            "name another judge; or write `judge_target: {name}` in the target itself, if this is \
             meant"
        ))
}
