//! What the outcome of a case depends on besides chance, in one word: the fingerprint of its row.
//!
//! It has two halves. What an answer depends on: the input, the settings of the target, and the
//! files that its command names. What a score depends on besides the answer: what is known of a good
//! one, the graders and the files that they name, the judges, and the threshold. Secrets have no part
//! in it, nor has where the project lies.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet, hash_map::Entry},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use agentv_base::{Bench, EvalCase, Input, Node, NodeValue, Redactor, TargetSpec, append_json};
use agentv_case::Loaded;
use agentv_engine::Slot;
use agentv_report::RunFile;
use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::{
    contents::Contents,
    fingerprint::fingerprint,
    ingredients::{texts_of, variables_of},
    settings,
    wiring::{Assembly, DEFAULT_THRESHOLD},
};

/// As many hex digits of each half tell rows apart, and leave a row readable.
const HALF: usize = 16;

/// The first half of a row whose answer nobody knows the origin of: that of no case.
const UNKNOWN: &str = "0000000000000000";

/// Keys of graders that hold a command line.
const COMMANDS: [&str; 2] = ["script", "command"];

/// Keys of graders that hold a text, or the name of a file with one.
const TEXTS: [&str; 3] = ["prompt", "rubrics", "schema"];

/// By this a target may read the suite itself.
const SUITE_PLACEHOLDER: &str = "{EVAL_FILE}";

/// What an earlier run says of the files.
#[derive(Default)]
pub struct Known {
    /// Files that are taken for what they were.
    pub supposed: Vec<RunFile>,
    /// All that there were.
    pub all: Option<HashSet<PathBuf>>,
}

/// The identities of the cases of a plan.
pub struct Identities {
    cases: Arc<[Arc<EvalCase>]>,
    slots: Arc<[Slot]>,
    benches: Vec<Arc<Bench>>,
    /// Of the settings of each target and what its command reads, by the target and the folder of the
    /// suite that it is asked for.
    targets: HashMap<(usize, PathBuf), Half>,
    /// The content of suites that targets may read, by the path of the suite.
    suites: HashMap<Arc<str>, String>,
    /// The hashes of files that judges read.
    judges_files: Vec<String>,
    /// The hashes of files that graders name, by where their list lives.
    graders_files: HashMap<usize, Vec<String>>,
    threshold: Option<f64>,
    /// Whether answers are made up, which makes them answers of nobody.
    made_up: bool,
    redactor: Redactor,
    root: PathBuf,
    files: Vec<RunFile>,
    /// The first halves of slots whose answers are of an earlier run.
    earlier: HashMap<usize, String>,
    /// What was computed last: repeats of a case follow each other, and cases share graders.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    pair: Option<((usize, usize), [Half; 2])>,
    graders: Option<(usize, Half)>,
    /// By the target and the file of the suite.
    target: Option<(usize, Arc<Path>, Half)>,
    /// Of the last case without expectations of its own: others that have its graders, its threshold
    /// and its judges have the same.
    score: Option<((usize, u64, usize), Half)>,
    /// Where identities are written before they are hashed.
    text: Vec<u8>,
}

/// Half of a fingerprint, in hex digits.
#[derive(Clone, Copy, Default)]
struct Half([u8; HALF]);

impl Half {
    fn of(text: &[u8]) -> Self {
        let digest = Sha256::digest(text);
        let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let mut half = [b'0'; HALF];
        for (digit, value) in half.iter_mut().zip(digits) {
            *digit = b"0123456789abcdef"[usize::from(value)];
        }
        Self(half)
    }

    fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or(UNKNOWN)
    }
}

impl Serialize for Half {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Identities {
    /// Looks at every file that targets and graders name. Those that are `known` are taken for what
    /// they were.
    pub fn of(
        assembly: &Assembly,
        loaded: &Loaded,
        threshold: Option<f64>,
        made_up: bool,
        known: &Known,
    ) -> Self {
        let plan = &assembly.plan;
        let redactor = &loaded.redactor;
        let mut seen = Seen { contents: Contents::new(&loaded.root), files: BTreeMap::new() };
        for file in &known.supposed {
            seen.contents.suppose(Path::new(&file.path), &file.sha256);
        }
        if let Some(all) = &known.all {
            seen.contents.know_only(all);
        }
        let mut targets: HashMap<(usize, PathBuf), Half> = HashMap::new();
        let (mut graders_files, mut judges_files) = (HashMap::new(), Vec::new());
        let mut before = None;
        for slot in &*plan.slots {
            let Some(case) = plan.cases.get(slot.case) else { continue };
            let (suite, graders) = (Arc::as_ptr(&case.suite), address(&case.graders));
            // Most slots have the target, the suite and the graders of the slot before them.
            let own = (slot.target, suite, graders);
            if before.replace(own) == Some(own) {
                continue;
            }
            let folder = case.input.suite_dir();
            if let Some(spec) = assembly.targets.get(slot.target)
                && !targets.contains_key(&(slot.target, folder.to_owned()))
            {
                let files = seen.target_files(spec, folder);
                let identity = json_of(&(target_hash(spec, redactor), files));
                let identity = Half::of(identity.as_bytes());
                targets.insert((slot.target, folder.to_owned()), identity);
                for judge in &assembly.judge_targets {
                    judges_files.extend(seen.target_files(judge, folder));
                }
            }
            if let Entry::Vacant(place) = graders_files.entry(graders) {
                let files = seen.grader_files(&case.graders, folder);
                if !files.is_empty() {
                    place.insert(files);
                }
            }
        }
        let suites = if assembly.targets.iter().any(reads_suite) {
            let hash = |it: &agentv_case::LoadedSuite| it.suite.content_hash.clone();
            loaded.suites.iter().map(|it| (Arc::clone(&it.suite.path), hash(it))).collect()
        } else {
            HashMap::new()
        };
        judges_files.sort_unstable();
        judges_files.dedup();
        let mut left: HashMap<&str, &RunFile> =
            known.supposed.iter().map(|file| (file.path.as_str(), file)).collect();
        let as_known = |(path, sha256): (String, String)| match left.remove(path.as_str()) {
            Some(known) => known.clone(),
            None => RunFile::found(path, sha256),
        };
        let files = seen.files.into_iter().map(as_known).collect();
        Self {
            cases: Arc::clone(&plan.cases),
            slots: Arc::clone(&plan.slots),
            benches: assembly.benches.clone(),
            targets,
            suites,
            judges_files,
            graders_files,
            threshold,
            made_up,
            redactor: redactor.clone(),
            root: loaded.root.clone(),
            files,
            earlier: HashMap::new(),
            last: Mutex::default(),
        }
    }

    /// The folder that the files are named from.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file that was looked at.
    pub fn files(&self) -> &[RunFile] {
        &self.files
    }

    /// The answer in a slot is that of an earlier row, which has this fingerprint. Says whether it
    /// answers what would be asked today.
    pub fn answered_before(&mut self, slot: usize, row: Option<&str>) -> bool {
        let half = row.and_then(|row| row.get(..HALF)).unwrap_or(UNKNOWN).to_owned();
        let today = self.fingerprint(slot);
        let same = today.is_some_and(|today| today.starts_with(&half));
        self.earlier.insert(slot, half);
        same
    }

    /// The fingerprint of the row of a slot.
    pub fn fingerprint(&self, slot: usize) -> Option<String> {
        let place = self.slots.get(slot)?;
        let pair = (place.case, place.target);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let [answer, score] = match last.pair {
            Some((known, halves)) if known == pair => halves,
            _ => {
                let halves =
                    [self.answer_half(*place, &mut last)?, self.score_half(*place, &mut last)?];
                last.pair = Some((pair, halves));
                halves
            }
        };
        let answer = self.earlier.get(&slot).map_or(answer.as_str(), String::as_str);
        let mut whole = String::with_capacity(2 * HALF);
        whole.push_str(answer);
        whole.push_str(score.as_str());
        Some(whole)
    }

    /// Of all that the answer depends on.
    fn answer_half(&self, slot: Slot, last: &mut Last) -> Option<Half> {
        let input = &self.cases.get(slot.case)?.input;
        // What is in the files stands in the messages.
        let below =
            |file: &PathBuf| file.strip_prefix(input.suite_dir()).unwrap_or(file).to_owned();
        let below = |files: &[PathBuf]| -> Vec<PathBuf> { files.iter().map(below).collect() };
        let identity = (
            &input.messages,
            below(&input.files),
            below(&input.guideline_files),
            &input.conversation_id,
            self.target(slot.target, input, last),
            self.cases.get(slot.case).and_then(|case| self.suites.get(&case.suite)),
            self.made_up,
        );
        Some(self.half(&identity, &mut last.text))
    }

    /// Of a target that is asked for a suite of this folder.
    fn target(&self, target: usize, input: &Input, last: &mut Last) -> Option<Half> {
        if let Some((known, file, identity)) = &last.target
            && *known == target
            && Arc::ptr_eq(file, &input.suite_file)
        {
            return Some(*identity);
        }
        let identity = *self.targets.get(&(target, input.suite_dir().to_owned()))?;
        last.target = Some((target, Arc::clone(&input.suite_file), identity));
        Some(identity)
    }

    /// Of all that its score depends on besides.
    fn score_half(&self, slot: Slot, last: &mut Last) -> Option<Half> {
        let case = self.cases.get(slot.case)?;
        let place = address(&case.graders);
        let graders = match last.graders {
            Some((known, hash)) if known == place => hash,
            _ => {
                let identity = (&*case.graders, self.graders_files.get(&place));
                let hash = self.half(&identity, &mut last.text);
                last.graders = Some((place, hash));
                hash
            }
        };
        let bench = self.benches.get(slot.case);
        let threshold = self.threshold.or(case.threshold).unwrap_or(DEFAULT_THRESHOLD);
        let expects_nothing = case.expected_outcome.is_none()
            && case.expected_messages.is_empty()
            && case.vars.is_none();
        let bench_place = bench.map_or(0, |bench| Arc::as_ptr(bench).addr());
        let common = (place, threshold.to_bits(), bench_place);
        if let Some((known, half)) = last.score
            && expects_nothing
            && known == common
        {
            return Some(half);
        }
        let judges: Vec<&str> = bench.into_iter().flat_map(|bench| bench.fingerprints()).collect();
        let read_by_judges = (!judges.is_empty()).then_some(&self.judges_files);
        let identity = (
            case.expected_outcome.as_deref(),
            &case.expected_messages,
            case.vars.as_deref(),
            graders,
            threshold,
            judges,
            read_by_judges,
        );
        let half = self.half(&identity, &mut last.text);
        if expects_nothing {
            last.score = Some((common, half));
        }
        Some(half)
    }

    fn half(&self, identity: &impl Serialize, text: &mut Vec<u8>) -> Half {
        write_json(identity, text);
        self.hash(text)
    }

    fn hash(&self, text: &mut Vec<u8>) -> Half {
        if !self.redactor.is_empty()
            && let Ok(written) = str::from_utf8(text)
            && let Cow::Owned(hidden) = self.redactor.redact(written)
        {
            *text = hidden.into_bytes();
        }
        Half::of(text)
    }
}

/// Files that were looked at.
struct Seen {
    contents: Contents,
    files: BTreeMap<String, String>,
}

impl Seen {
    /// What a target reads when it is asked for a suite of this folder.
    fn target_files(&mut self, spec: &TargetSpec, suite_dir: &Path) -> Vec<String> {
        let texts = texts_of(spec);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let cwd = spec.node.get("cwd").and_then(Node::as_str).map(|cwd| suite_dir.join(cwd));
        let project = spec.file.parent();
        let folders: Vec<&Path> =
            [cwd.as_deref(), Some(suite_dir), project].into_iter().flatten().collect();
        self.hashes(&texts, &folders)
    }

    fn grader_files(&mut self, graders: &[Node], suite_dir: &Path) -> Vec<String> {
        let mut texts = Vec::new();
        for grader in graders {
            naming_texts(grader, Naming::Nothing, &mut texts);
        }
        self.hashes(&texts, &[suite_dir])
    }

    /// The hashes of the files that the texts name.
    fn hashes(&mut self, texts: &[&str], folders: &[&Path]) -> Vec<String> {
        let mut hashes = Vec::new();
        for text in texts {
            for (path, sha256) in self.contents.named_in(text, folders) {
                hashes.push(sha256.clone());
                self.files.insert(path.to_string_lossy().into_owned(), sha256);
            }
        }
        hashes
    }
}

/// What a text may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Command,
    /// A text of its own, or the name of a file.
    Text,
    Nothing,
}

/// The texts in which files may be named.
fn naming_texts<'n>(node: &'n Node, naming: Naming, texts: &mut Vec<&'n str>) {
    match &node.value {
        NodeValue::String(text) => {
            let is_name = !text.contains(char::is_whitespace);
            let names = match naming {
                Naming::Command => true,
                Naming::Text => is_name,
                Naming::Nothing => false,
            };
            if names || text.starts_with("file://") {
                texts.push(text);
            }
        }
        NodeValue::List(items) => items.iter().for_each(|item| naming_texts(item, naming, texts)),
        NodeValue::Map(entries) => {
            for entry in entries.iter() {
                let naming = match &*entry.key {
                    key if COMMANDS.contains(&key) => Naming::Command,
                    key if TEXTS.contains(&key) => Naming::Text,
                    _ if naming == Naming::Command => Naming::Command,
                    _ => Naming::Nothing,
                };
                naming_texts(&entry.value, naming, texts);
            }
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {}
    }
}

/// Which target it is: its settings that matter, and the variables that they mention, without
/// secrets.
pub fn target_hash(spec: &TargetSpec, redactor: &Redactor) -> String {
    let environment: HashMap<String, String> = settings::environment().into_iter().collect();
    let texts = texts_of(spec);
    let variables = variables_of(&texts, &environment);
    let mentioned = if variables.is_empty() { String::new() } else { json_of(&variables) };
    fingerprint(spec, &mentioned, redactor)
}

fn reads_suite(spec: &TargetSpec) -> bool {
    let entries = spec.node.as_map().unwrap_or_default();
    let texts = entries.iter().filter_map(|entry| entry.value.as_str());
    texts.into_iter().any(|text| text.contains(SUITE_PLACEHOLDER))
}

/// In place of what was there.
fn write_json(identity: &impl Serialize, text: &mut Vec<u8>) {
    text.clear();
    // What cannot be written as JSON has no words to differ by.
    let _ = append_json(text, identity);
}

fn json_of(identity: &impl Serialize) -> String {
    serde_json::to_string(identity).unwrap_or_default()
}

/// Where a list of graders lives: cases that share it have the same.
fn address(graders: &Arc<[Node]>) -> usize {
    graders.as_ptr().addr()
}
