//! `agentv eval`: ask, grade, record, report; from the start, or where an earlier run ended.

mod going_on;

use std::path::{Path, PathBuf};

use agentv_case::repository_root;
use agentv_engine::Limits;
use agentv_report::{Keeping, RunManifest};

use self::going_on::{
    Beginning, Begun, begin, check_options, chosen, refuse_with, say_again, tell_of,
};
use super::{Attention, current_dir, refuse, report_loaded, select};
use crate::{
    args::{EvalArgs, SelectArgs},
    console::Console,
    dump,
    earlier::{Earlier, How},
    exit::Exit,
    identity::Identities,
    manifest,
    session::{Absent, Manner, Session, Shown},
    settings::{self, Answering, Asking, Out, Scope},
    telling::shown_path,
    wiring::{self, Assembly, Grading},
};

pub fn run(args: EvalArgs, console: Console) -> Exit {
    match eval(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn eval(mut args: EvalArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let root = repository_root(&current_dir);
    let earlier = Earlier::find(&args, &root, &current_dir)
        .map_err(|problem| refuse_with(problem, console))?;
    let typed = args.select.clone();
    if let Some(earlier) = &earlier {
        tell_of(earlier, args.quiet, console);
        earlier.fill(&mut args, &root);
        if earlier.how == How::Resume {
            check_options(earlier, &args, &root, console)?;
        } else {
            // Ids and tags say what of the run is asked again; its plan is what it was.
            args.select = SelectArgs { eval_ids: Vec::new(), tags: Vec::new(), ..args.select };
            earlier.fill(&mut args, &root);
        }
        if earlier.is_complete() {
            return say_again(earlier, &args, console);
        }
    }
    let mut loaded =
        agentv_case::load(&settings::load_options(&args.paths, &args.select, current_dir));
    let only = earlier.as_ref().and_then(|earlier| chosen(earlier, &mut loaded, &typed));
    select(&mut loaded, &args.select);
    let asking = Asking::from(&args.ask);
    let overrides = settings::target_overrides(&args.targets);
    let grading =
        Grading::By { threshold: args.threshold, keeps_exchanges: args.keep.include_prompts };
    let attention = Attention::begin(console)?;
    let asks_again = earlier.as_ref().is_some_and(|earlier| earlier.how != How::Resume);
    let (scope, answering) = (Scope::from(&args.run), Answering::of(&args.run, asks_again));
    let assembly =
        wiring::assemble(&mut loaded, &overrides, asking, scope, grading, answering, console);
    let outs = settings::outs(&args, &mut loaded);
    let dumps = Dumps::read(&args, &loaded.root);
    report_loaded(&loaded, console)?;
    let Some(mut assembly) = assembly else { return Err(Exit::Refused) };
    assembly.limits = limits(assembly.limits, &args);
    dumps.begin(&assembly).map_err(|message| refuse(message, console))?;

    let own = earlier.as_ref().map(|earlier| earlier.own_files(&loaded.root)).unwrap_or_default();
    let identities = Identities::of(&assembly, &loaded, args.threshold, args.run.dry_run, &own);
    let manifest = manifest::of_eval(&args, &loaded, &assembly, &identities);
    tell_of_plan(&manifest, &assembly, &args, console);
    let quiet = args.quiet;
    let beginning =
        Beginning { loaded: &loaded, assembly: &assembly, identities: &identities, only, quiet };
    let Begun { folder, ledger, manifest } = begin(earlier, manifest, &beginning, console)?;
    let manner = manner(&args, outs, dumps.traces);
    let redactor = loaded.redactor.clone();
    // The process ends with the run: to free a large suite value by value would only take time.
    std::mem::forget(loaded);
    let absent = Absent::default();
    let session =
        Session { folder, ledger, manifest, assembly, identities, redactor, manner, absent };
    Ok(session.run(attention, console))
}

/// What nobody would see from the plan alone.
fn tell_of_plan(manifest: &RunManifest, assembly: &Assembly, args: &EvalArgs, console: Console) {
    match (&args.run.replay, args.run.dry_run, args.quiet) {
        (Some(file), _, false) => {
            console.say(&format!("replaying {}: nobody is asked\n", shown_path(file).display()));
        }
        (None, true, false) => {
            console.say("dry run: nobody is asked, the answers are made up\n");
        }
        _ => {}
    }
    if let (Some(shard), Some(plan), false) = (manifest.shard, &manifest.plan, args.quiet) {
        let (index, count, planned) = (shard.index, shard.count, manifest.counts.planned);
        let whole = plan.slots;
        console.say(&format!("shard {index}/{count}: {planned} of {whole} cases\n"));
    }
    if args.run.until_decided && assembly.plan.slots.iter().all(|slot| slot.repeat == 1) {
        console.say(
            "warning: nothing is repeated, so --until-decided has nothing to end; add --repeat N\n",
        );
    }
}

fn limits(limits: Limits, args: &EvalArgs) -> Limits {
    let run = &args.run;
    // Where nobody is asked nothing is paid, and nobody can say what it costs.
    let is_paid = !run.dry_run && run.replay.is_none();
    Limits {
        budget_usd: run.budget_usd.filter(|_| is_paid),
        budget_tokens: run.budget_tokens.filter(|_| is_paid),
        deadline: run.deadline.and_then(settings::deadline),
        fail_fast: run.fail_fast,
        ..limits
    }
}

fn manner(args: &EvalArgs, outs: Vec<Out>, traces: Option<PathBuf>) -> Manner {
    Manner {
        keeping: Keeping {
            trace: args.keep.include_trace,
            question: true,
            prompts: args.keep.include_prompts,
        },
        threshold: args.threshold,
        traces,
        outs,
        no_fail: args.no_fail,
        quiet: args.quiet,
        shown: Shown::of(args.progress, args.quiet, args.ask.verbose),
    }
}

/// Folders of the `--dump-…` flags.
struct Dumps {
    prompts: Option<PathBuf>,
    traces: Option<PathBuf>,
}

impl Dumps {
    fn read(args: &EvalArgs, root: &Path) -> Self {
        let prompts = settings::dump_folder(args.dump_prompts.as_ref(), root, "prompts");
        let traces = settings::dump_folder(args.dump_traces.as_ref(), root, "traces");
        Self { prompts, traces }
    }

    /// Before there is a run that would have to be called failed.
    fn begin(&self, assembly: &Assembly) -> Result<(), String> {
        if let Some(folder) = &self.prompts {
            dump::prompts(folder, &assembly.plan)?;
        }
        self.traces.as_deref().map_or(Ok(()), dump::make_folder)
    }
}
