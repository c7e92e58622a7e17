//! One time that somebody works on a run: rows that are there are counted, what has none is asked,
//! and in the end everything is said of all of it.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use agentv_base::{Redactor, Sink};
use agentv_engine::{Past, Plan, RunEnd};
use agentv_report::{
    Budget, Display, Keeping, KeptRow, Ledger, Plain, Recorder, RecorderOptions, RunCounts,
    RunFolder, RunManifest, RunSkipped, RunStatus, Summary, Timestamp,
};

use crate::{
    args::Progress,
    commands::{Attention, refuse},
    console::Console,
    discreet::Discreet,
    dump,
    earlier::{note_what_is_left, past, placed},
    exit::Exit,
    identity::Identities,
    manifest::begin_session,
    settings::Out,
    sinks::{Shared, Skipping, WarningsOnly},
    telling::{add_rows, style, tell, tell_how_to_go_on, unrecorded, write_outs},
    wiring::{Assembly, DEFAULT_THRESHOLD},
    workflow::Harmless,
};

/// A run that is to be worked on.
pub struct Session {
    pub folder: RunFolder,
    /// The rows that are there.
    pub ledger: Ledger,
    pub manifest: RunManifest,
    pub assembly: Assembly,
    pub identities: Identities,
    pub redactor: Redactor,
    pub manner: Manner,
    pub absent: Absent,
}

/// What belongs to the run and is not in its plan: cases that a parent had planned, and has no row of.
#[derive(Default)]
pub struct Absent {
    pub not_run: usize,
    /// Those of them that were skipped, by reason, and the first of these by name.
    pub skipped: BTreeMap<String, usize>,
    pub named: Vec<RunSkipped>,
}

impl Absent {
    /// Says of the skipped ones why.
    fn tell(&self, manifest: &RunManifest, summary: &mut Summary) {
        if self.not_run > 0 {
            let counts = RunCounts { skipped: self.skipped.clone(), ..RunCounts::default() };
            let skipped = self.named.clone();
            summary.read_skipped(&RunManifest { counts, skipped, ..manifest.clone() });
        }
    }

    fn add_to(&self, manifest: &mut RunManifest) {
        let counts = &mut manifest.counts;
        counts.planned += self.not_run;
        counts.not_run += self.not_run;
        for (reason, cases) in &self.skipped {
            *counts.skipped.entry(reason.clone()).or_default() += cases;
        }
        manifest.skipped.extend_from_slice(&self.named);
    }
}

/// How it is recorded and shown.
pub struct Manner {
    /// What rows keep besides the outcome.
    pub keeping: Keeping,
    pub threshold: Option<f64>,
    /// The folder of `--dump-traces`.
    pub traces: Option<PathBuf>,
    pub outs: Vec<Out>,
    pub no_fail: bool,
    /// Nothing but the outcome.
    pub quiet: bool,
    pub shown: Shown,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Nothing but how the run went, and warnings.
    Outcome,
    /// No progress.
    Nothing,
    Lines,
    /// As a live display where there is a terminal.
    Live,
}

impl Shown {
    pub fn of(progress: Progress, quiet: bool, verbose: bool) -> Self {
        match progress {
            _ if quiet => Self::Outcome,
            Progress::None => Self::Nothing,
            // What a talkative run says would tear a live display.
            Progress::Auto if !verbose && Console::stderr_is_live() => Self::Live,
            Progress::Auto | Progress::Plain => Self::Lines,
        }
    }
}

impl Session {
    /// Works on the run to its end. Nothing is asked where its rows do not fit its plan.
    pub fn run(self, attention: Attention, console: Console) -> Exit {
        let Self { folder, ledger, mut manifest, mut assembly, identities, .. } = self;
        let (redactor, manner, absent) = (self.redactor, self.manner, self.absent);
        let root = identities.root().to_owned();
        let mut plan = std::mem::take(&mut assembly.plan);
        let kept: Vec<(usize, KeptRow)> = match placed(&plan, &ledger) {
            Ok(kept) => kept.into_iter().map(|(slot, row)| (slot, row.clone())).collect(),
            Err(message) => return refuse(message, console),
        };
        // Rows of a parent were paid for by the parent.
        let carried = match (&manifest.parent, manifest.sessions.first()) {
            (Some(_), Some(first)) => first.rows_before,
            (Some(_), None) => kept.len(),
            (None, _) => 0,
        };
        let own_from = ledger.rows.get(carried).map_or(u64::MAX, |row| row.offset);
        let settled = kept
            .iter()
            .map(|(slot, row)| (*slot, Past { carried: row.offset < own_from, ..past(row) }));
        plan.settled = settled.collect();
        folder.run_id().clone_into(&mut manifest.run_id);
        begin_session(&mut manifest, kept.len(), &redactor);
        let options = RecorderOptions {
            keeping: manner.keeping,
            threshold: manner.threshold,
            default_threshold: Some(DEFAULT_THRESHOLD),
        };
        let begun = folder
            .write_first_manifest(&manifest)
            .and_then(|()| Recorder::new(folder.clone(), ledger, options));
        let mut recorder = match begun {
            Ok(recorder) => {
                recorder.with_fingerprints(Box::new(move |slot| identities.fingerprint(slot)))
            }
            Err(fault) => return unrecorded(&fault.to_string(), console),
        };
        let mut summary = Summary::default();
        summary.expect(plan.slots.len());
        if plan.stop_rule.is_some() {
            summary.end_when_decided();
        }
        for (slot, row) in &kept {
            recorder.keep(*slot, row);
        }
        if let Err(message) = add_rows(&folder, &kept, |row| summary.add_earlier(row)) {
            return unrecorded(&message, console);
        }
        let summary = Arc::new(Mutex::new(summary));
        let listening = Arc::clone(&summary);
        let recorder = recorder.telling(Box::new(move |row| lock(&listening).add(row)));
        let recorder = Arc::new(Mutex::new(recorder));
        let mut sinks: Vec<Box<dyn Sink>> =
            vec![Box::new(Shared(Arc::clone(&recorder))), Box::new(Skipping(Arc::clone(&summary)))];
        if let Some(folder) = manner.traces.clone() {
            sinks.push(Box::new(dump::Traces { folder }));
        }
        let budget =
            Budget { usd: assembly.limits.budget_usd, tokens: assembly.limits.budget_tokens };
        let already = kept.iter().map(|(_, row)| (row, row.offset >= own_from));
        sinks.push(display(&manner, budget, already, console));
        let sinks: Vec<Box<dyn Sink>> = vec![Box::new(Discreet::new(&redactor, sinks))];
        if let Err(message) = assembly.begin(folder.run_id()) {
            return unrecorded(&message, console);
        }
        let end = drive(&assembly, plan, attention, sinks, console);
        let mut recorder = lock(&recorder);
        let mut summary = lock(&summary);
        absent.tell(&manifest, &mut summary);
        // What was settled and could not be recorded has no row either.
        manifest.counts = recorder.counts();
        manifest.skipped = recorder.skipped().to_vec();
        absent.add_to(&mut manifest);
        summary.set_not_run(manifest.counts.not_run, end.run.totals.unfinished);
        manifest.repeats = summary.repeats().and_then(|repeats| serde_json::to_value(repeats).ok());
        note_what_is_left(&mut manifest, &root);
        let exit = finish(&end, &mut recorder, &mut manifest, &manner, console);
        let exit = tell(&summary, &folder, &manifest, &manner, exit, console);
        // The outcome says that cases are missing, and the exit code does.
        if manner.shown != Shown::Outcome {
            tell_how_to_go_on(&manifest, folder.run_id(), console);
        }
        exit
    }
}

/// How it ended.
struct End {
    run: RunEnd,
    /// Whether every answer that was to be kept besides the rows was.
    is_kept: bool,
}

/// Runs the plan, and ends whatever is still ours when it is over.
fn drive(
    assembly: &Assembly,
    plan: Plan,
    Attention { runtime, signals }: Attention,
    sinks: Vec<Box<dyn Sink>>,
    console: Console,
) -> End {
    let plan = Arc::new(plan);
    // The process ends soon: to free a million cases one by one would only take time.
    std::mem::forget((Arc::clone(&plan), assembly.assessor.clone()));
    let end = runtime.block_on(async {
        let run = agentv_engine::run(
            plan,
            assembly.limits,
            assembly.assessor.clone(),
            assembly.stop.clone(),
            signals,
            sinks,
        )
        .await;
        let is_kept = assembly.close(console).await;
        End { run, is_kept }
    });
    // A grader that was given up may still compute; nobody waits for it.
    runtime.shutdown_background();
    end
}

/// Brings the record to its end and writes what was asked for.
fn finish(
    End { run: end, is_kept }: &End,
    recorder: &mut Recorder,
    manifest: &mut RunManifest,
    manner: &Manner,
    console: Console,
) -> Exit {
    let mut exit = if end.fault.is_some() {
        Exit::Unevaluated
    } else if end.totals.interrupted {
        Exit::Interrupted
    } else {
        exit_of(&manifest.counts, manner.no_fail)
    };
    if !is_kept && exit != Exit::Interrupted {
        exit = Exit::Unevaluated;
    }
    if let Some(fault) = &end.fault {
        unrecorded(&fault.message, console);
    }
    manifest.status = match (&end.fault, end.totals.interrupted) {
        (Some(_), _) => RunStatus::Failed,
        (None, true) => RunStatus::Interrupted,
        (None, false) => RunStatus::Finished,
    };
    // What reports say of the run is what it came to; how they fared is known only after them.
    manifest.finished_at = Some(Timestamp::of(SystemTime::now()));
    manifest.exit_code = Some(i32::from(exit.code()));
    let offsets: Vec<u64> = recorder.offsets().collect();
    if write_outs(recorder.folder(), manifest, &offsets, manner, console).is_err() {
        exit = Exit::Unevaluated;
    }
    let now = Timestamp::of(SystemTime::now());
    manifest.finished_at = Some(now);
    manifest.exit_code = Some(i32::from(exit.code()));
    if let Some(session) = manifest.sessions.last_mut() {
        session.finished_at = Some(now);
        session.exit_code = manifest.exit_code;
    }
    if let Err(fault) = recorder.finish(manifest) {
        exit = unrecorded(&fault.to_string(), console);
    }
    exit
}

/// What the rows of a run come to. Cases that were left out because enough had failed are no reason
/// of their own: the failed ones are.
pub fn exit_of(counts: &RunCounts, no_fail: bool) -> Exit {
    let by_choice = counts.skipped.get("fail_fast").copied().unwrap_or(0);
    if counts.errors > 0 || counts.not_run > by_choice {
        Exit::Unevaluated
    } else if counts.failed > 0 && !no_fail {
        Exit::Failed
    } else {
        Exit::Passed
    }
}

/// Shows the run, which has come as far as these rows say; with each, whether this run has paid for
/// it.
fn display<'a>(
    manner: &Manner,
    budget: Budget,
    already: impl Iterator<Item = (&'a KeptRow, bool)>,
    console: Console,
) -> Box<dyn Sink> {
    let style = style(console.stderr_has_color());
    if matches!(manner.shown, Shown::Outcome | Shown::Nothing) {
        return Box::new(WarningsOnly::new(console));
    }
    if manner.shown == Shown::Live {
        let mut display = Display::on_stderr(style, budget);
        already.for_each(|(row, is_paid_here)| display.already(row, is_paid_here));
        return Box::new(display);
    }
    let mut plain = Plain::new(Harmless(io::stderr()), style, budget);
    already.for_each(|(row, is_paid_here)| plain.already(row, is_paid_here));
    Box::new(plain)
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
