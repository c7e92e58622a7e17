//! `agentv eval`: ask, grade, record, report.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use agentv_base::{Sink, TargetSpec};
use agentv_case::Loaded;
use agentv_engine::RunEnd;
use agentv_report::{
    Bar, Plain, Recorder, RecorderOptions, RunCounts, RunFolder, RunManifest, RunStatus, RunSuite,
    RunTarget, Style, Summary, Timestamp, read_rows_at, write_out,
};
use serde_json::{Map, json};

use super::{Attention, current_dir, refuse, report_loaded, select};
use crate::{
    args::{EvalArgs, Progress},
    console::Console,
    discreet::Discreet,
    dump,
    exit::Exit,
    settings::{self, Asking, Out},
    sinks::{Shared, Summing, WarningsOnly},
    wiring::{self, Assembly, Grading},
};

pub fn run(args: &EvalArgs, console: Console) -> Exit {
    match eval(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn eval(args: &EvalArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let mut loaded = agentv_case::load(&settings::load_options(&args.select, current_dir));
    select(&mut loaded, &args.select);
    let asking = Asking::from(&args.ask);
    let overrides = settings::target_overrides(&args.targets);
    let grading =
        Grading::By { threshold: args.threshold, keeps_exchanges: args.keep.include_prompts };
    let attention = Attention::begin(console)?;
    let assembly = wiring::assemble(&mut loaded, &overrides, asking, grading, console);
    let outs = settings::outs(args, &mut loaded);
    let dumps = Dumps::read(args, &loaded.root);
    report_loaded(&loaded, console)?;
    let Some(assembly) = assembly else { return Err(Exit::Refused) };
    dumps.begin(&assembly).map_err(|message| refuse(message, console))?;

    let mut manifest = manifest(args, &loaded, &assembly);
    let recorder = recorder(args, &loaded.root, &mut manifest)
        .map_err(|message| unrecorded(&message, console))?;
    let recorder = Arc::new(Mutex::new(recorder));
    let summary = Arc::new(Mutex::new(Summary::default()));
    let mut sinks: Vec<Box<dyn Sink>> =
        vec![Box::new(Shared(Arc::clone(&recorder))), Box::new(Summing(Arc::clone(&summary)))];
    if let Some(folder) = dumps.traces {
        sinks.push(Box::new(dump::Traces { folder }));
    }
    sinks.push(display(args, console));
    let mut sinks: Vec<Box<dyn Sink>> = vec![Box::new(Discreet::new(&loaded.redactor, sinks))];
    let end = drive(&assembly, attention, &mut sinks, console);
    drop(sinks);

    let mut recorder = lock(&recorder);
    let mut summary = lock(&summary);
    summary.set_not_run(end.totals.not_run, end.totals.unfinished);
    let exit = finish(&end, &mut recorder, &mut manifest, args, &outs, console);
    let results = recorder.folder().results_path();
    let shown = shown_path(&results);
    if outs.iter().any(Out::is_standard_output) {
        // Whoever reads rows there wants nothing else between them.
        console.say(&summary.render(style(console.stderr_has_color()), Some(&shown)));
        return Ok(exit);
    }
    let text = summary.render(style(console.stdout_has_color()), Some(&shown));
    match console.result(&text) {
        Ok(()) => Ok(exit),
        Err(error) => Ok(unrecorded(&error.to_string(), console)),
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

/// Runs the plan, and ends whatever is still ours when it is over.
fn drive(
    assembly: &Assembly,
    Attention { runtime, signals }: Attention,
    sinks: &mut [Box<dyn Sink>],
    console: Console,
) -> RunEnd {
    let end = runtime.block_on(async {
        let end = agentv_engine::run(
            Arc::clone(&assembly.plan),
            assembly.limits,
            assembly.assessor.clone(),
            assembly.stop.clone(),
            signals,
            sinks,
        )
        .await;
        assembly.close(console).await;
        end
    });
    // A grader that was given up may still compute; nobody waits for it.
    runtime.shutdown_background();
    end
}

/// Brings the record to its end, writes what was asked for, and says how it all went.
fn finish(
    end: &RunEnd,
    recorder: &mut Recorder,
    manifest: &mut RunManifest,
    args: &EvalArgs,
    outs: &[Out],
    console: Console,
) -> Exit {
    let counts = recorder.counts();
    let mut exit = exit_of(end, counts, args.no_fail);
    if let Some(fault) = &end.fault {
        unrecorded(&fault.message, console);
    }
    for out in outs {
        let written = read_rows_at(&recorder.folder().results_path(), recorder.offsets())
            .map_err(|fault| fault.to_string())
            .and_then(|mut rows| match write_out(&out.path, out.format, &mut rows) {
                Err(fault) if !fault.is_closed_pipe() => Err(fault.to_string()),
                _ => Ok(()),
            });
        if let Err(message) = written {
            exit = unrecorded(&message, console);
        }
    }
    manifest.status = match (&end.fault, end.totals.interrupted) {
        (Some(_), _) => RunStatus::Failed,
        (None, true) => RunStatus::Interrupted,
        (None, false) => RunStatus::Finished,
    };
    manifest.finished_at = Some(Timestamp::of(SystemTime::now()));
    manifest.counts = counts;
    manifest.exit_code = Some(i32::from(exit.code()));
    if let Err(fault) = recorder.finish(manifest) {
        exit = unrecorded(&fault.to_string(), console);
    }
    exit
}

fn exit_of(end: &RunEnd, counts: RunCounts, no_fail: bool) -> Exit {
    if end.fault.is_some() {
        Exit::Unevaluated
    } else if end.totals.interrupted {
        Exit::Interrupted
    } else if counts.errors > 0 || counts.not_run > 0 {
        Exit::Unevaluated
    } else if counts.failed > 0 && !no_fail {
        Exit::Failed
    } else {
        Exit::Passed
    }
}

fn recorder(args: &EvalArgs, root: &Path, manifest: &mut RunManifest) -> Result<Recorder, String> {
    let folder = RunFolder::create(root, manifest).map_err(|fault| fault.to_string())?;
    folder.run_id().clone_into(&mut manifest.run_id);
    let options = RecorderOptions {
        include_trace: args.keep.include_trace,
        threshold: args.threshold,
        default_threshold: Some(wiring::DEFAULT_THRESHOLD),
    };
    Recorder::new(folder, options).map_err(|fault| fault.to_string())
}

fn manifest(args: &EvalArgs, loaded: &Loaded, assembly: &Assembly) -> RunManifest {
    let redact = |text: String| loaded.redactor.redact(&text).into_owned();
    let mut options = Map::new();
    let mut option = |name: &str, value: serde_json::Value| {
        options.insert(name.to_owned(), value);
    };
    option("threshold", json!(args.threshold));
    option("workers", json!(args.ask.workers));
    option("agent_timeout", json!(args.ask.agent_timeout));
    option("max_retries", json!(args.ask.max_retries));
    option("targets", json!(args.targets));
    option("eval_ids", json!(args.select.eval_ids));
    option("tags", json!(args.select.tags));
    option("include_trace", json!(args.keep.include_trace));
    option("include_prompts", json!(args.keep.include_prompts));
    RunManifest {
        run_id: String::new(),
        agentv_version: env!("CARGO_PKG_VERSION").to_owned(),
        status: RunStatus::Running,
        started_at: Timestamp::of(SystemTime::now()),
        finished_at: None,
        command: std::env::args().map(redact).collect(),
        suites: loaded
            .suites
            .iter()
            .map(|loaded| RunSuite {
                path: loaded.suite.path.to_string(),
                sha256: loaded.suite.content_hash.clone(),
                cases: loaded.suite.cases.len(),
            })
            .collect(),
        targets: recorded(&assembly.targets),
        judges: recorded(&assembly.judge_targets),
        options,
        counts: RunCounts { planned: assembly.plan.slots.len(), ..RunCounts::default() },
        exit_code: None,
    }
}

/// Targets as the record shows them.
fn recorded(specs: &[TargetSpec]) -> Vec<RunTarget> {
    specs
        .iter()
        .map(|spec| RunTarget {
            name: spec.name.to_string(),
            provider: spec.provider.to_string(),
            definition: spec.definition.clone(),
        })
        .collect()
}

fn display(args: &EvalArgs, console: Console) -> Box<dyn Sink> {
    let style = style(console.stderr_has_color());
    if args.quiet || args.progress == Progress::None {
        return Box::new(WarningsOnly::new(console));
    }
    // What a talkative run says would tear a live display.
    let live = args.progress == Progress::Auto && !args.ask.verbose && Console::stderr_is_live();
    if live { Box::new(Bar::on_stderr(style)) } else { Box::new(Plain::new(io::stderr(), style)) }
}

/// Results that could not be kept: said at once, and the exit code says it too.
fn unrecorded(message: &str, console: Console) -> Exit {
    refuse(message, console);
    Exit::Unevaluated
}

fn style(color: bool) -> Style {
    Style { color, width: Console::width() }
}

/// Relative to where the user stands, where it lies below.
fn shown_path(path: &Path) -> PathBuf {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&current).unwrap_or(path).to_path_buf()
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
