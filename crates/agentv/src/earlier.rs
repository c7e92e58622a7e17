//! Runs that somebody comes back to: which one is meant, with which options, and what is kept of it.

mod own_files;
mod rows;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use agentv_base::Diagnostic;
use agentv_report::{
    FoundRun, Ledger, LedgerFault, Purpose, RunCounts, RunKind, RunManifest, RunShard, RunStatus,
    SlotName, Status, Wanted, find_run,
};
use serde_json::Value;

pub use self::own_files::note_what_is_left;
pub use self::rows::{Carried, Chosen, past, placed, slot_name};
use crate::{
    args::{EvalArgs, Shard},
    plan::WholePlan,
};

/// How somebody comes back to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// In the same run.
    Resume,
    /// In a new one, without its failed cases and errors.
    RerunFailed,
    /// In a new one, without its errors.
    RerunErrors,
}

/// An earlier run, and its rows under a lock.
pub struct Earlier {
    pub how: How,
    pub run: FoundRun,
    pub ledger: Ledger,
}

impl Earlier {
    /// Finds the run that the arguments mean, where they mean one.
    pub fn find(
        args: &EvalArgs,
        root: &Path,
        current_dir: &Path,
    ) -> Result<Option<Self>, Diagnostic> {
        let run = &args.run;
        let asked = [
            (How::Resume, &run.resume),
            (How::RerunFailed, &run.rerun_failed),
            (How::RerunErrors, &run.rerun_errors),
        ];
        let Some((how, name)) = asked.into_iter().find_map(|(how, it)| Some((how, it.as_ref()?)))
        else {
            return Ok(None);
        };
        // What is made up is taken up only by those who ask for more of it.
        let fits = |manifest: &RunManifest| {
            let made_up = manifest.options.get("dry_run").and_then(Value::as_bool).unwrap_or(false);
            let shard = run.shard.map(|it| RunShard { index: it.index, count: it.count });
            (how != How::Resume || manifest.kind == RunKind::Eval)
                && made_up == run.dry_run
                && (shard.is_none() || shard == manifest.shard)
                && covers(&args.paths, manifest, root, current_dir)
        };
        let found = find_run(root, &Wanted { name, current_dir, fits: &fits });
        let mut run = found.map_err(|fault| {
            let problem = Diagnostic::error(fault.message).code("no-run");
            fault.hint.into_iter().fold(problem, Diagnostic::hint)
        })?;
        check_place(&run, root)?;
        if !name.is_empty() && !covers(&args.paths, &run.manifest, root, current_dir) {
            let id = run.folder.run_id();
            let message = format!("run `{id}` is not one of these suites");
            let suites = run.manifest.suites.iter().map(|it| it.path.as_str());
            let hint = format!("it ran: {}", suites.take(10).collect::<Vec<_>>().join(", "));
            return Err(Diagnostic::error(message).code("no-run").hint(hint));
        }
        if how == How::Resume && run.manifest.kind != RunKind::Eval {
            let made = match run.manifest.kind {
                RunKind::Merge => "`agentv results merge`",
                RunKind::Grade | RunKind::Eval => "`agentv grade`",
            };
            let message = format!("run `{}` was made by {made}", run.folder.run_id());
            let problem = Diagnostic::error(message).code("no-run");
            return Err(problem.hint("make it again, or use --rerun-failed"));
        }
        let purpose = if how == How::Resume { Purpose::GoOn } else { Purpose::Read };
        let ledger = Ledger::open(&run.folder, purpose).map_err(|fault| unreadable(&fault))?;
        // Whoever held the lock until now has written its last word.
        run.manifest = RunManifest::read(&run.folder.manifest_path())
            .map_err(|fault| Diagnostic::error(fault.to_string()).code("unreadable-run"))?;
        Ok(Some(Self { how, run, ledger }))
    }

    /// What the rows come to, whatever `run.json` says.
    pub fn counts(&self) -> RunCounts {
        let mut counts = RunCounts { passed: 0, failed: 0, errors: 0, ..self.recorded().clone() };
        for row in &self.ledger.rows {
            match row.status {
                Status::Passed => counts.passed += 1,
                Status::Failed => counts.failed += 1,
                Status::Error => counts.errors += 1,
            }
        }
        let settled = self.ledger.rows.len() + counts.decided;
        RunCounts { not_run: counts.planned.saturating_sub(settled), ..counts }
    }

    fn recorded(&self) -> &RunCounts {
        &self.run.manifest.counts
    }

    /// Whether every planned case has its row, so that there is nothing to go on with.
    pub fn is_complete(&self) -> bool {
        let finished = self.run.manifest.status == RunStatus::Finished;
        let planned = self.recorded().planned;
        let settled = self.ledger.rows.len() + self.recorded().decided;
        self.how == How::Resume && finished && planned == settled && self.has_planned_names()
    }

    /// Whether the rows are those that were planned, and not only as many. Of a shard, and where
    /// repeats were not needed, only the number can be told without loading anything.
    fn has_planned_names(&self) -> bool {
        let RunManifest { plan, shard, counts, .. } = &self.run.manifest;
        let Some(plan) = plan.as_ref().filter(|_| shard.is_none() && counts.decided == 0) else {
            return true;
        };
        let mut repeats: BTreeMap<(&str, &str, &str), BTreeSet<u32>> = BTreeMap::new();
        for SlotName { suite, eval_id, target, repeat } in
            self.ledger.rows.iter().map(|row| &row.slot)
        {
            repeats.entry((suite, eval_id, target)).or_default().insert(*repeat);
        }
        let names = repeats.into_iter().map(|((suite, id, target), repeats)| {
            // The last of them says how many there should be.
            (suite, id, target, repeats.last().copied().unwrap_or_default())
        });
        let until_decided = self.is_set("until_decided");
        WholePlan::of_names(names.collect(), until_decided).sha256 == plan.sha256
    }

    fn is_set(&self, option: &str) -> bool {
        self.run.manifest.options.get(option).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Options that nobody typed are those of the run; of a new run, those that say what is asked
    /// and how, not what it may take.
    pub fn fill(&self, args: &mut EvalArgs, root: &Path) {
        let manifest = &self.run.manifest;
        if args.paths.is_empty() {
            let paths = manifest.suites.iter().map(|suite| root.join(&suite.path));
            args.paths = paths.map(|path| path.to_string_lossy().into_owned()).collect();
        }
        let option = |name: &str| manifest.options.get(name).filter(|value| !value.is_null());
        let number = |name: &str| option(name).and_then(Value::as_f64);
        let count = |name: &str| option(name).and_then(Value::as_u64);
        let small = |name: &str| count(name).and_then(|it| u32::try_from(it).ok());
        let is_set = |name: &str| option(name).and_then(Value::as_bool).unwrap_or(false);
        let path = |name: &str| option(name).and_then(Value::as_str).map(|path| root.join(path));
        let fill_list = |typed: &mut Vec<String>, name: &str| {
            if typed.is_empty() {
                *typed = option(name).map(texts).unwrap_or_default();
            }
        };
        fill_list(&mut args.targets, "targets");
        fill_list(&mut args.select.eval_ids, "eval_ids");
        fill_list(&mut args.select.tags, "tags");
        fill(&mut args.select.targets_file, path("targets_file"));
        fill(&mut args.threshold, number("threshold"));
        fill(&mut args.ask.workers, count("workers").and_then(|it| usize::try_from(it).ok()));
        fill(&mut args.ask.agent_timeout, number("agent_timeout"));
        fill(&mut args.ask.max_retries, small("max_retries"));
        let run = &mut args.run;
        fill(&mut run.repeat, small("repeat"));
        fill(&mut run.replay, path("replay"));
        let shard = manifest.shard.map(|shard| Shard { index: shard.index, count: shard.count });
        fill(&mut run.shard, shard);
        run.until_decided |= is_set("until_decided");
        run.dry_run |= is_set("dry_run");
        run.cache |= is_set("cache");
        args.keep.include_trace |= is_set("include_trace");
        args.keep.include_prompts |= is_set("include_prompts");
        if self.how == How::Resume {
            fill(&mut run.budget_usd, number("budget_usd"));
            fill(&mut run.budget_tokens, count("budget_tokens"));
            fill(&mut run.deadline, number("deadline"));
            fill(&mut run.record, path("record"));
            fill(&mut run.fail_fast, count("fail_fast").and_then(|it| usize::try_from(it).ok()));
            args.no_fail |= is_set("no_fail");
        }
    }
}

/// A run belongs to the project that it stands in: its suites are there.
fn check_place(run: &FoundRun, root: &Path) -> Result<(), Diagnostic> {
    let folder = tidy(run.folder.path());
    let home = folder.ancestors().nth(3).filter(|home| folder.starts_with(home.join(".agentv")));
    match home {
        Some(home) if home != tidy(root) => {
            let message = format!(
                "run `{}` belongs to the project in `{}`",
                run.folder.run_id(),
                home.display()
            );
            Err(Diagnostic::error(message).code("no-run").hint("use it there"))
        }
        _ => Ok(()),
    }
}

fn unreadable(fault: &LedgerFault) -> Diagnostic {
    let problem = Diagnostic::error(fault.to_string()).code("unreadable-run");
    match fault {
        LedgerFault::Row(_) | LedgerFault::Doubled { .. } => problem.hint(
            "nobody knows what was there; take the line out by hand, and its case is asked again",
        ),
        LedgerFault::Running { .. } => problem.hint("wait for it, or end it"),
        LedgerFault::Record(_) => problem,
    }
}

/// Whether the suites of a run are those that were typed: all of them, and no others.
fn covers(paths: &[String], manifest: &RunManifest, root: &Path, current_dir: &Path) -> bool {
    if paths.is_empty() {
        return true;
    }
    let typed: Vec<PathBuf> = paths.iter().map(|path| tidy(&current_dir.join(path))).collect();
    // Where a pattern leads is found out when suites are loaded; what differs is told then.
    if paths.iter().any(|path| path.contains(['*', '?', '[', '{'])) {
        return true;
    }
    let suites: Vec<PathBuf> =
        manifest.suites.iter().map(|suite| tidy(&root.join(&suite.path))).collect();
    suites.iter().all(|suite| typed.iter().any(|path| suite.starts_with(path)))
        && typed.iter().all(|path| suites.iter().any(|suite| suite.starts_with(path)))
}

fn tidy(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn fill<T>(typed: &mut Option<T>, recorded: Option<T>) {
    if typed.is_none() {
        *typed = recorded;
    }
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
