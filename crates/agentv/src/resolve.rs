//! Which targets each case is asked of.

use std::sync::Arc;

use agentv_base::{Diagnostic, EvalCase, NamedTarget, Problems, Sources, TargetSpec, nearest};
use agentv_case::{LoadedSuite, TargetsFile};
use foldhash::HashMap;

/// Most names of targets that a hint lists; the others are counted.
const LISTED: usize = 20;

/// A case and a target to ask it of.
pub struct Pairing {
    pub case: Arc<EvalCase>,
    /// The place of the target in `targets`.
    pub target: usize,
    /// The place of its suite among those that were loaded.
    pub suite: usize,
}

/// Every case with every target it is asked of, in the order of the suites.
#[derive(Default)]
pub struct Pairings {
    /// Each target once, though many cases ask for it.
    pub targets: Vec<AskedTarget>,
    pub pairs: Vec<Pairing>,
    /// Whether any case depends on another.
    depend: bool,
    /// Places that were looked up before, by file and name.
    places: HashMap<(*const TargetsFile, Arc<str>), usize>,
    /// Places of the targets that go by one name, in one file or in several.
    namesakes: HashMap<Arc<str>, Vec<usize>>,
}

pub struct AskedTarget {
    pub spec: TargetSpec,
    /// Whether its settings can be read: no variable of it is missing.
    pub complete: bool,
}

/// What it means that nobody named one of several targets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unnamed {
    IsAnError,
    IsFine,
}

/// Resolves names: those of the command line win over the case's, and those over its suite's.
pub fn pair(
    suites: &[LoadedSuite],
    overrides: &[String],
    sources: &Sources,
    unnamed: Unnamed,
    problems: &mut Problems,
) -> Pairings {
    let mut pairings = Pairings::default();
    for (place, LoadedSuite { suite, targets }) in suites.iter().enumerate() {
        // A file in which no target can be read is an error that was told when it was read.
        let Some(file) = targets.as_ref().filter(|file| !file.specs.is_empty()) else { continue };
        let overriding: Vec<&TargetSpec> = overrides
            .iter()
            .filter_map(|name| {
                let spec = file.named(name);
                if spec.is_none() {
                    problems.push(unknown("target", name, file, sources));
                }
                spec
            })
            .collect();
        // Most cases name the targets of the case before them, or leave it to the suite as that does.
        let mut before: Option<(*const NamedTarget, Vec<usize>)> = None;
        for case in &suite.cases {
            let named = case.targets.as_ptr();
            if before.as_ref().is_none_or(|(named_before, _)| *named_before != named) {
                let chosen = if overrides.is_empty() {
                    own_targets(case, file, sources, unnamed, problems)
                } else {
                    overriding.clone()
                };
                let places = chosen.iter().map(|spec| pairings.place_of(spec, file, problems));
                before = Some((named, places.collect()));
            }
            for target in before.iter().flat_map(|(_, targets)| targets) {
                let case = Arc::clone(case);
                pairings.add(Pairing { case, target: *target, suite: place });
            }
        }
    }
    pairings
}

impl Pairings {
    pub fn add(&mut self, pair: Pairing) {
        self.depend |= !pair.case.depends_on.is_empty();
        self.pairs.push(pair);
    }

    /// Whether any case depends on another. To ask all of them each time would take longer than what is
    /// done with the answer.
    pub fn depend(&self) -> bool {
        self.depend
    }

    /// Where the target stands, which is asked for here perhaps for the first time: then its
    /// variables must be set. Those of targets that nobody asks need not be.
    fn place_of(
        &mut self,
        spec: &TargetSpec,
        file: &TargetsFile,
        problems: &mut Problems,
    ) -> usize {
        let key = (std::ptr::from_ref(file), Arc::clone(&spec.name));
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        // One file can stand for different targets: suites may see different `.env` files and
        // prices.
        let namesakes = self.namesakes.entry(Arc::clone(&spec.name)).or_default();
        let known = namesakes.iter().copied().find(|place| {
            let known = self.targets.get(*place).map(|target| &target.spec);
            known.is_some_and(|known| {
                let TargetSpec { file, node, prices, .. } = known;
                (file, node, prices) == (&spec.file, &spec.node, &spec.prices)
            })
        });
        let place = known.unwrap_or_else(|| {
            let unset = file.unset_variables(&spec.name);
            namesakes.push(self.targets.len());
            let complete = unset.is_empty();
            self.targets.push(AskedTarget { spec: spec.clone(), complete });
            problems.append(unset);
            self.targets.len() - 1
        });
        self.places.insert(key, place);
        place
    }
}

fn own_targets<'f>(
    case: &EvalCase,
    file: &'f TargetsFile,
    sources: &Sources,
    unnamed: Unnamed,
    problems: &mut Problems,
) -> Vec<&'f TargetSpec> {
    if !case.targets.is_empty() {
        let specs = case.targets.iter().filter_map(|NamedTarget { name, span }| {
            let spec = file.named(name);
            if spec.is_none() {
                problems.push(unknown("target", name, file, sources).at(*span));
            }
            spec
        });
        return specs.collect();
    }
    match file.default_target() {
        Ok(spec) => vec![spec],
        Err(_) if unnamed == Unnamed::IsFine => Vec::new(),
        Err(none) => {
            let message = format!("no target is named, and `{}` has several", shown(file, sources));
            let hint = format!(
                "pass --target NAME, set `execution.target`, or call one `default`; there are: {}",
                listed(none.names.iter().map(String::as_str))
            );
            problems.push(Diagnostic::error(message).code("no-target").hint(hint));
            Vec::new()
        }
    }
}

/// What is said where a name, which is that of a `noun`, stands for no target.
pub fn unknown(noun: &str, name: &str, file: &TargetsFile, sources: &Sources) -> Diagnostic {
    let names = || file.specs.iter().map(|spec| &*spec.name);
    let listed = listed(names());
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? there are: {listed}"),
        None => format!("there are: {listed}"),
    };
    let message = format!("{noun} `{name}` does not exist in `{}`", shown(file, sources));
    Diagnostic::error(message).code("unknown-target").hint(hint)
}

/// Names in a hint.
pub fn listed<'n>(names: impl Iterator<Item = &'n str> + Clone) -> String {
    let shown = names.clone().take(LISTED).collect::<Vec<_>>().join(", ");
    match names.skip(LISTED).count() {
        0 => shown,
        more => format!("{shown} … and {more} more"),
    }
}

/// The file as every other message shows it.
pub fn shown<'s>(file: &'s TargetsFile, sources: &'s Sources) -> std::path::Display<'s> {
    let source = file.specs.first().map(|spec| spec.name_span.source);
    source.map_or(file.file.as_path(), |source| sources.path(source)).display()
}
