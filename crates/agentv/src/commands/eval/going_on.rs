//! Where a run begins: anew, where an earlier one ended, or with the rows of one.

use std::{path::Path, sync::Arc};

use agentv_base::{Diagnostic, EvalCase, Problems, Sources};
use agentv_case::Loaded;
use agentv_report::{
    Between, Ledger, Purpose, RunFolder, RunManifest, Torn, differences, differing_options,
};

use super::manner;
use crate::{
    args::{EvalArgs, SelectArgs},
    commands::{report, report_loaded, select},
    console::Console,
    earlier::{Carried, Chosen, Earlier, How},
    exit::Exit,
    identity::Identities,
    manifest::{self, VERSION},
    settings,
    telling::{shown_path, tell_again, unrecorded},
    wiring::Assembly,
};

/// Most cases and differences that are named; the others are counted.
const NAMED: usize = 10;

/// A run that is ready to be worked on.
pub struct Begun {
    pub folder: RunFolder,
    pub ledger: Ledger,
    pub manifest: RunManifest,
}

/// What a run is begun with.
pub struct Beginning<'a> {
    pub loaded: &'a Loaded,
    pub assembly: &'a Assembly,
    pub identities: &'a Identities,
    /// The cases that are asked again at most.
    pub only: Option<Chosen>,
    pub quiet: bool,
}

/// Makes the run, or takes up the earlier one.
pub fn begin(
    earlier: Option<Earlier>,
    mut manifest: RunManifest,
    beginning: &Beginning<'_>,
    console: Console,
) -> Result<Begun, Exit> {
    let Beginning { loaded, assembly, identities, only, quiet } = beginning;
    let Some(earlier) = earlier else {
        let folder = RunFolder::create(&loaded.root, &manifest)
            .map_err(|fault| unrecorded(&fault.to_string(), console))?;
        return open(folder, manifest, console);
    };
    let fingerprint = |slot| identities.fingerprint(slot).unwrap_or_default();
    if earlier.how == How::Resume {
        let mut changed = differences(&earlier.run.manifest, &manifest, Between::Times);
        if changed.is_empty() {
            changed = earlier.changed(&assembly.plan, &fingerprint);
        }
        if !changed.is_empty() {
            return Err(refuse_with(changed_since(&earlier, &changed), console));
        }
        let Earlier { mut run, ledger, .. } = earlier;
        // Whoever resumes once more goes on with this recording.
        if let Some(record) = manifest.options.remove("record") {
            run.manifest.options.insert("record".to_owned(), record);
        }
        return Ok(Begun { folder: run.folder, ledger, manifest: run.manifest });
    }
    let carried = earlier.carried(&assembly.plan, only.as_ref(), &fingerprint);
    tell_carried(&carried, assembly.plan.slots.len(), &earlier, *quiet, console);
    manifest.parent = Some(earlier.run.folder.run_id().to_owned());
    let folder = RunFolder::create_carrying(&loaded.root, &manifest, &mut |file| {
        carried.rows.iter().try_for_each(|(_, row)| file.write_all(&earlier.ledger.line(row)?))
    });
    let folder = folder.map_err(|fault| unrecorded(&fault.to_string(), console))?;
    open(folder, manifest, console)
}

fn open(folder: RunFolder, manifest: RunManifest, console: Console) -> Result<Begun, Exit> {
    let ledger = Ledger::open(&folder, Purpose::GoOn)
        .map_err(|fault| unrecorded(&fault.to_string(), console))?;
    Ok(Begun { folder, ledger, manifest })
}

/// A run with nothing left to do ends as it did.
pub fn say_again(earlier: &Earlier, args: &EvalArgs, console: Console) -> Result<Exit, Exit> {
    let mut none = Loaded::default();
    let outs = settings::outs(args, &mut none);
    report_loaded(&none, console)?;
    console.say("the run is complete: nothing is run\n");
    let Earlier { run, ledger, .. } = earlier;
    let manner = manner(args, outs, None);
    let manifest = RunManifest { counts: earlier.counts(), ..run.manifest.clone() };
    Ok(tell_again(&run.folder, ledger, &manifest, &manner, console))
}

/// Nothing that changes what rows mean may be typed otherwise than the run was begun with.
pub fn check_options(
    earlier: &Earlier,
    args: &EvalArgs,
    root: &Path,
    console: Console,
) -> Result<(), Exit> {
    let before = &earlier.run.manifest;
    let now = RunManifest {
        options: manifest::options_of(args, root),
        shard: manifest::shard_of(args),
        ..before.clone()
    };
    let changed = differing_options(before, &now, Between::Times);
    if changed.is_empty() {
        return Ok(());
    }
    Err(refuse_with(changed_since(earlier, &changed), console))
}

/// The cases that are asked again at most, where some were typed.
pub fn chosen(earlier: &Earlier, loaded: &mut Loaded, typed: &SelectArgs) -> Option<Chosen> {
    if earlier.how == How::Resume || (typed.eval_ids.is_empty() && typed.tags.is_empty()) {
        return None;
    }
    let all: Vec<_> = loaded.suites.iter().map(|it| it.suite.cases.clone()).collect();
    select(loaded, typed);
    let cases = loaded.suites.iter().flat_map(|it| &it.suite.cases);
    let name = |case: &Arc<EvalCase>| (Arc::clone(&case.suite), Arc::clone(&case.input.eval_id));
    let chosen = cases.map(name).collect();
    for (suite, cases) in loaded.suites.iter_mut().zip(all) {
        suite.suite.cases = cases;
    }
    Some(chosen)
}

pub fn tell_of(earlier: &Earlier, quiet: bool, console: Console) {
    let Earlier { how, run, ledger } = earlier;
    let (id, rows) = (run.folder.run_id(), ledger.rows.len());
    if *how == How::Resume && !quiet {
        let planned = run.manifest.counts.planned;
        console.say(&format!("resuming run {id}: {rows} of {planned} cases have their row\n"));
    }
    match &ledger.torn {
        Some(Torn::Kept(file)) => console.say(&format!(
            "warning: the last row was never finished; what there is of it is kept in {}\n",
            shown_path(file).display()
        )),
        Some(Torn::LeftOut) => {
            console.say(&format!("warning: the last row of run {id} was never finished\n"));
        }
        None => {}
    }
    let version = &run.manifest.agentv_version;
    if *how == How::Resume && version != VERSION {
        let version = agentv_base::excerpt(version, 60);
        console
            .say(&format!("warning: run {id} was begun by version {version}, this is {VERSION}\n"));
    }
}

fn tell_carried(
    carried: &Carried<'_>,
    planned: usize,
    earlier: &Earlier,
    quiet: bool,
    console: Console,
) {
    if carried.gone > 0 {
        let gone = carried.gone;
        console
            .say(&format!("warning: {gone} rows are of cases that are gone, and are left out\n"));
    }
    if !carried.changed.is_empty() {
        let named = listed(&carried.changed);
        console.say(&format!("changed since, so asked again: {named}\n"));
    }
    if !quiet {
        let (id, kept) = (earlier.run.folder.run_id(), carried.rows.len());
        let rows =
            |count: usize| if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
        let asked = planned.saturating_sub(kept);
        console.say(&format!("run {id}: {} carried over, {asked} to be asked\n", rows(kept)));
    }
}

fn changed_since(earlier: &Earlier, changed: &[String]) -> Diagnostic {
    let id = earlier.run.folder.run_id();
    let message = format!("run `{id}` cannot be resumed, since then: {}", listed(changed));
    Diagnostic::error(message).code("run-changed").hint(
        "rows from before and after a change do not add up; undo it, begin a new run, or let \
         --rerun-failed ask for what failed and what changed",
    )
}

fn listed(names: &[String]) -> String {
    let told = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}

pub fn refuse_with(problem: Diagnostic, console: Console) -> Exit {
    let mut problems = Problems::default();
    problems.push(problem);
    report(&problems, &Sources::default(), console).err().unwrap_or(Exit::Refused)
}
