//! `agentv grade`: recorded answers, graded anew. No target is asked.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use agentv_base::{Diagnostic, Problems, Sources, excerpt};
use agentv_case::{Loaded, repository_root};
use agentv_engine::Plan;
use agentv_report::{
    FoundRun, Keeping, KeptRow, Ledger, Purpose, RunFolder, RunKind, RunManifest, RunStatus,
    Wanted, find_run,
};
use serde_json::{Value, json};

use super::{Attention, current_dir, report, report_loaded, select_alone};
use crate::{
    args::GradeArgs,
    console::Console,
    earlier::slot_name,
    exit::Exit,
    identity::{Identities, Known},
    manifest,
    row_answers::{RowAnswers, stand_in},
    session::{Absent, Manner, Session, Shown},
    settings::{self, Answering, Asking, Scope},
    telling::unrecorded,
    wiring::{self, Assembly, Grading},
};

/// Most cases that a message names; the others are counted.
const NAMED: usize = 10;

pub fn run(args: GradeArgs, console: Console) -> Exit {
    match grade(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn grade(mut args: GradeArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let root = repository_root(&current_dir);
    let (parent, ledger) = Parent::find(&args.rows, &root, &current_dir, console)?;
    parent.fill(&mut args, &root);
    let absent = parent.absent(&ledger, console)?;
    let rows = Arc::new(RowAnswers::new(ledger, &parent.file));
    let paths = parent.suites(&rows, &root);
    let mut loaded = agentv_case::load(&settings::load_options(&paths, &args.select, current_dir));
    report_missing(&rows, &mut loaded);
    let chosen = chosen(&mut loaded, &args);
    let attention = Attention::begin(console)?;
    let assembly = assemble(&args, &rows, &mut loaded, console);
    let outs = settings::outs_of(&args.out, args.output_format.as_deref(), &mut loaded);
    report_loaded(&loaded, console)?;
    let Some(mut assembly) = assembly else { return Err(Exit::Refused) };
    let carried = keep_rows(&mut assembly.plan, &rows, chosen.as_ref());
    assembly.limits.max_retries = Some(0);

    let made_up = parent.is_made_up();
    let mut identities =
        Identities::of(&assembly, &loaded, args.threshold, made_up, &Known::default());
    let mut manifest = manifest::describe(&loaded, &assembly, &identities);
    describe(&mut manifest, &args, &parent, &rows);
    manifest.counts.planned += absent.not_run;
    let strangers = note_origins(&mut identities, &assembly.plan, &rows, chosen.as_ref());
    tell_of_strangers(&strangers, console);
    let folder = RunFolder::create_carrying(&loaded.root, &manifest, &mut |file| {
        carried.iter().try_for_each(|row| file.write_all(&rows.ledger.line(row)?))
    });
    let folder = folder.map_err(|fault| unrecorded(&fault.to_string(), console))?;
    let ledger = Ledger::open(&folder, Purpose::GoOn)
        .map_err(|fault| unrecorded(&fault.to_string(), console))?;
    let manner = Manner {
        keeping: Keeping {
            trace: args.keep.include_trace,
            question: true,
            prompts: args.keep.include_prompts,
        },
        threshold: args.threshold,
        traces: None,
        outs,
        no_fail: args.no_fail,
        quiet: args.quiet,
        shown: Shown::of(args.progress, args.quiet, args.verbose),
    };
    let redactor = loaded.redactor;
    let session =
        Session { folder, ledger, manifest, assembly, identities, redactor, manner, absent };
    Ok(session.run(attention, console))
}

/// The cases that are graded, by suite and id.
type Chosen = HashSet<(Arc<str>, Arc<str>)>;

/// Those that were typed; nothing where all are.
fn chosen(loaded: &mut Loaded, args: &GradeArgs) -> Option<Chosen> {
    if args.select.eval_ids.is_empty() && args.select.tags.is_empty() {
        return None;
    }
    // All cases are planned, since all rows are kept.
    let all: Vec<_> = loaded.suites.iter().map(|it| it.suite.cases.clone()).collect();
    select_alone(loaded, &args.select);
    let cases = loaded.suites.iter().flat_map(|it| &it.suite.cases);
    let chosen =
        cases.map(|case| (Arc::clone(&case.suite), Arc::clone(&case.input.eval_id))).collect();
    for (suite, cases) in loaded.suites.iter_mut().zip(all) {
        suite.suite.cases = cases;
    }
    Some(chosen)
}

/// Where the answers are from.
struct Parent {
    file: PathBuf,
    /// None for rows that were kept elsewhere.
    run: Option<FoundRun>,
}

impl Parent {
    /// The rows of a run are under a lock: nobody grades what is still being written.
    fn find(
        typed: &str,
        root: &Path,
        current_dir: &Path,
        console: Console,
    ) -> Result<(Self, Ledger), Exit> {
        let path = current_dir.join(typed);
        let unreadable =
            |message: String| refuse(Diagnostic::error(message).code("unreadable-run"), console);
        if path.is_file() && !path.with_file_name("run.json").is_file() {
            let ledger = Ledger::of_file(&path).map_err(|fault| unreadable(fault.to_string()))?;
            return Ok((Self { file: path, run: None }, ledger));
        }
        let found = find_run(root, &Wanted { name: typed, current_dir, fits: &|_| true });
        let run = found.map_err(|fault| {
            let problem = Diagnostic::error(fault.message).code("no-run");
            refuse(fault.hint.into_iter().fold(problem, Diagnostic::hint), console)
        })?;
        let ledger = Ledger::open(&run.folder, Purpose::Read)
            .map_err(|fault| unreadable(fault.to_string()))?;
        Ok((Self { file: run.folder.results_path(), run: Some(run) }, ledger))
    }

    fn option(&self, name: &str) -> Option<&Value> {
        let options = &self.run.as_ref()?.manifest.options;
        options.get(name).filter(|value| !value.is_null())
    }

    fn is_set(&self, name: &str) -> bool {
        self.option(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Whether the answers are those of a dry run.
    fn is_made_up(&self) -> bool {
        self.is_set("dry_run")
    }

    /// What nobody typed and what rows depend on is as it was in the run.
    fn fill(&self, args: &mut GradeArgs, root: &Path) {
        let file = self.option("targets_file").and_then(Value::as_str);
        let typed = args.select.targets_file.take();
        args.select.targets_file = typed.or_else(|| file.map(|file| root.join(file)));
        args.threshold = args.threshold.or_else(|| self.option("threshold")?.as_f64());
        args.keep.include_trace |= self.is_set("include_trace");
        args.keep.include_prompts |= self.is_set("include_prompts");
    }

    /// The suites of the run, and those that rows are of.
    fn suites(&self, rows: &RowAnswers, root: &Path) -> Vec<String> {
        let planned = self.run.iter().flat_map(|run| &run.manifest.suites);
        let planned: Vec<&str> = planned.map(|suite| suite.path.as_str()).collect();
        let with_rows = rows.suites();
        let others = with_rows.iter().copied().filter(|suite| !planned.contains(suite));
        // A suite that is gone matters only where there are answers to grade by it.
        let there = planned
            .iter()
            .copied()
            .filter(|suite| with_rows.contains(suite) || root.join(suite).exists());
        let all = there.chain(others).map(|suite| root.join(suite));
        all.map(|path| path.to_string_lossy().into_owned()).collect()
    }

    /// What was planned and has no row: it is not run, whoever counts.
    fn absent(&self, ledger: &Ledger, console: Console) -> Result<Absent, Exit> {
        let shown = self.file.display();
        let rows = ledger.rows.len();
        if ledger.torn.is_some() {
            console.say(&format!("warning: the last row of {shown} was never finished\n"));
        }
        if rows == 0 {
            let message = format!("{shown} has no rows: there is nothing to grade");
            return Err(refuse(Diagnostic::error(message).code("unreadable-run"), console));
        }
        let torn = usize::from(ledger.torn.is_some());
        let Some(FoundRun { folder, manifest }) = &self.run else {
            return Ok(Absent { not_run: torn, ..Absent::default() });
        };
        let planned = manifest.counts.planned.saturating_sub(manifest.counts.decided);
        let not_run = planned.saturating_sub(rows).max(torn);
        if not_run == 0 {
            return Ok(Absent::default());
        }
        let id = folder.run_id();
        let finish = match (manifest.kind, &manifest.parent) {
            (RunKind::Eval, _) => format!("agentv eval --resume {id}"),
            (RunKind::Grade, Some(parent)) => {
                format!("agentv eval --resume {parent}, and grade that")
            }
            (RunKind::Grade | RunKind::Merge, _) => format!("agentv eval --rerun-failed {id}"),
        };
        console.say(&format!(
            "warning: run {id} is not complete: {not_run} of {planned} planned cases have no row \
             and count as not run; to finish it: {finish}\n"
        ));
        // Who was killed has not said which of them were skipped.
        let is_over = manifest.status != RunStatus::Running;
        let (skipped, named) = if is_over {
            (manifest.counts.skipped.clone(), manifest.skipped.clone())
        } else {
            Default::default()
        };
        Ok(Absent { not_run, skipped, named })
    }
}

/// Cases that rows speak of and the suites no longer have: what they were graded by is unknown.
fn report_missing(rows: &RowAnswers, loaded: &mut Loaded) {
    if loaded.problems.has_errors() {
        return;
    }
    let cases = loaded.suites.iter().flat_map(|loaded| &loaded.suite.cases);
    let known: HashSet<(&str, &str)> = cases.map(|case| (&*case.suite, case.id())).collect();
    let missing: BTreeSet<String> = rows
        .slots()
        .filter(|slot| !known.contains(&(&*slot.suite, &*slot.eval_id)))
        .map(|slot| format!("{} {}", excerpt(&slot.suite, 120), excerpt(&slot.eval_id, 120)))
        .collect();
    if missing.is_empty() {
        return;
    }
    let named = listed(&missing.into_iter().collect::<Vec<_>>());
    let message = format!("the suites no longer have cases that were recorded: {named}");
    let hint = "bring them back, or grade a file of the rows of those that are left";
    loaded.problems.push(Diagnostic::error(message).code("missing-case").hint(hint));
}

fn assemble(
    args: &GradeArgs,
    rows: &Arc<RowAnswers>,
    loaded: &mut Loaded,
    console: Console,
) -> Option<Assembly> {
    let targets = targets_of(rows);
    let repeat = rows.slots().map(|slot| slot.repeat).max();
    let scope = Scope { repeat, until_decided: false, shard: None };
    let asking = Asking { workers: args.workers, verbose: args.verbose, ..Asking::usual() };
    let answering = Answering::Elsewhere(stand_in(rows, &loaded.root));
    let grading =
        Grading::By { threshold: args.threshold, keeps_exchanges: args.keep.include_prompts };
    wiring::assemble(loaded, &targets, asking, scope, grading, answering, console)
}

/// Leaves the slots that there is a row for; gives the rows that are kept as they are, because they
/// have no answer or nobody chose them.
fn keep_rows<'r>(
    plan: &mut Plan,
    rows: &'r RowAnswers,
    chosen: Option<&Chosen>,
) -> Vec<&'r KeptRow> {
    let mut carried = Vec::new();
    let mut kept = Vec::new();
    for (slot, place) in plan.slots.iter().enumerate() {
        let Some(row) = rows.ledger.find(&slot_name(plan, slot)) else { continue };
        kept.push(*place);
        if !row.has_answer || !is_chosen(plan, slot, chosen) {
            carried.push(row);
        }
    }
    plan.slots = kept.into();
    // Whatever waited for something has its answer.
    plan.after.clear();
    plan.stop_rule = None;
    carried
}

fn is_chosen(plan: &Plan, slot: usize, chosen: Option<&Chosen>) -> bool {
    let case = plan.slots.get(slot).and_then(|place| plan.cases.get(place.case));
    let name = case.map(|case| (Arc::clone(&case.suite), Arc::clone(&case.input.eval_id)));
    chosen.is_none_or(|chosen| name.is_some_and(|name| chosen.contains(&name)))
}

/// No answer may pass for one to today's question of today's target that is none. Gives those that
/// are none, by name.
fn note_origins(
    identities: &mut Identities,
    plan: &Plan,
    rows: &RowAnswers,
    chosen: Option<&Chosen>,
) -> Vec<String> {
    let mut strangers = Vec::new();
    for slot in 0..plan.slots.len() {
        let name = slot_name(plan, slot);
        let Some(row) = rows.ledger.find(&name).filter(|row| row.has_answer) else { continue };
        if is_chosen(plan, slot, chosen)
            && !identities.answered_before(slot, row.fingerprint.as_deref())
        {
            strangers.push(name.in_words());
        }
    }
    strangers
}

fn tell_of_strangers(strangers: &[String], console: Console) {
    if strangers.is_empty() {
        return;
    }
    let count = strangers.len();
    let answers =
        if count == 1 { "1 answer is".to_owned() } else { format!("{count} answers are") };
    console.say(&format!(
        "warning: {answers} graded that nobody knows to be to today's question of today's target; \
         --rerun-failed will ask again: {}\n",
        listed(strangers)
    ));
}

fn listed(names: &[String]) -> String {
    let told = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}

/// The run is what its parent was, graded by what was typed now.
fn describe(manifest: &mut RunManifest, args: &GradeArgs, parent: &Parent, rows: &RowAnswers) {
    manifest.kind = RunKind::Grade;
    manifest.plan = None;
    let mut options = vec![
        ("threshold", json!(args.threshold)),
        ("include_trace", json!(args.keep.include_trace)),
        ("include_prompts", json!(args.keep.include_prompts)),
    ];
    if let Some(FoundRun { folder, manifest: before }) = &parent.run {
        manifest.parent = Some(folder.run_id().to_owned());
        manifest.plan.clone_from(&before.plan);
        manifest.shard = before.shard;
        manifest.targets.clone_from(&before.targets);
        manifest.options.clone_from(&before.options);
        // Nothing is recorded here.
        manifest.options.remove("record");
    } else {
        options.push(("targets", json!(targets_of(rows))));
        options.push(("repeat", json!(rows.slots().map(|slot| slot.repeat).max())));
        options.push(("file", json!(parent.file.to_string_lossy())));
    }
    if let Some(workers) = args.workers {
        options.push(("workers", json!(workers)));
    }
    if let (Some(file), None) = (&args.select.targets_file, parent.option("targets_file")) {
        options.push(("targets_file", json!(file.to_string_lossy())));
    }
    for (name, value) in options {
        manifest.options.insert(name.to_owned(), value);
    }
}

/// The targets that rows are of, in order.
fn targets_of(rows: &RowAnswers) -> Vec<String> {
    let targets: BTreeSet<&str> = rows.slots().map(|slot| &*slot.target).collect();
    targets.into_iter().map(str::to_owned).collect()
}

fn refuse(problem: Diagnostic, console: Console) -> Exit {
    let mut problems = Problems::default();
    problems.push(problem);
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}
