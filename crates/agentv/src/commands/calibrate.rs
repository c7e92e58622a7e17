//! `agentv calibrate`: how far a judge agrees with people, and with itself.
//!
//! The judge is asked about answers that people have labelled; no target is asked for an answer.
//! `bench.rs` finds who judges which answer, `hearing.rs` asks, and what comes of it is measured
//! and kept by `agentv-report`.

mod bench;
mod hearing;

use std::{fmt::Write as _, path::Path, time::SystemTime};

use agentv_base::Diagnostic;
use agentv_case::{Label, Labels, Loaded, read_labels};
use agentv_report::{Calibration, FileHash, Measured, Style, Timestamp};
use serde_json::json;

use self::{
    bench::{SeatedLabel, Sitting, seat},
    hearing::{Heard, Progress, hear},
};
use super::{Attention, current_dir, refuse, report_loaded};
use crate::{
    args::{CalibrateArgs, CalibrateFormat, SelectArgs},
    console::Console,
    exit::Exit,
    graders::{BuiltTo, build_graders},
    judges::Judges,
    resolve::Pairings,
    settings::{self, Asking},
    wiring::{self, Workshop},
};

pub fn run(args: &CalibrateArgs, console: Console) -> Exit {
    match calibrate(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn calibrate(args: &CalibrateArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let paths = std::slice::from_ref(&args.suite);
    let select = SelectArgs {
        targets_file: args.targets_file.clone(),
        eval_ids: Vec::new(),
        tags: Vec::new(),
    };
    let mut loaded =
        agentv_case::load(&settings::load_options(paths, &select, current_dir.clone()));
    only_suite(&mut loaded, &args.suite);
    let labels = labels_of(args, &current_dir, &mut loaded);
    let attention = Attention::begin(console)?;
    let asking = Asking {
        workers: args.workers,
        agent_timeout: settings::deadline(args.agent_timeout),
        max_retries: None,
        verbose: args.verbose,
    };
    let workshop = wiring::workshop(&mut loaded, asking, console);
    let seated = match (&workshop, &labels) {
        (Some(workshop), Some(labels)) => seats(args, &mut loaded, workshop, &labels.labels),
        _ => Vec::new(),
    };
    report_loaded(&loaded, console)?;
    let (Some(workshop), Some(labels)) = (workshop, labels) else { return Err(Exit::Refused) };
    let Some(suite) = loaded.suites.first().map(|loaded| &loaded.suite) else {
        return Err(Exit::Refused);
    };

    let Attention { runtime, signals } = attention;
    let heard = runtime.block_on(async {
        let progress = Progress::new(args.quiet, console);
        let heard = hear(seated, args, &workshop, signals, progress).await;
        workshop.close(console).await;
        heard
    });
    runtime.shutdown_background();
    let Some(Heard { by_judge, given_up }) = heard else {
        console.say("interrupted: nothing was stored\n");
        return Ok(Exit::Interrupted);
    };
    let measured = |sitting: &Sitting| Measured {
        grader: sitting.grader.clone(),
        fingerprint: sitting.fingerprint.clone(),
        judge: sitting.judge.clone(),
        measured_at: Timestamp::of(SystemTime::now()),
        agentv_version: env!("CARGO_PKG_VERSION").to_owned(),
        suite: FileHash { path: suite.path.to_string(), sha256: suite.content_hash.clone() },
        labels_file: FileHash { path: labels.path.clone(), sha256: labels.content_hash.clone() },
        confidence: args.confidence,
        repeats: args.repeat as u64,
    };
    let found: Vec<Calibration> =
        by_judge.iter().map(|(sitting, judged)| measured(sitting).of(judged)).collect();
    let exit = finish(args, &found, &loaded.root, console);
    for (sitting, left) in given_up {
        let left = match left {
            1 => "1 judgement was".to_owned(),
            _ => format!("{left} judgements were"),
        };
        console.say(&format!(
            "note: judge `{}` of target `{}` failed every time, so it was asked no more: {left} \
             not asked for\n",
            sitting.grader, sitting.judge.target
        ));
    }
    Ok(exit)
}

/// Labels are of the cases of one suite.
fn only_suite(loaded: &mut Loaded, typed: &str) {
    let message = match loaded.suites.len() {
        1 => return,
        0 if loaded.problems.has_errors() => return,
        0 => format!("`{typed}` is no suite"),
        several => {
            format!("`{typed}` leads to {several} suites, and labels are of the cases of one")
        }
    };
    let hint = "name the file of one suite; it has `evalcases`";
    loaded.problems.push(Diagnostic::error(message).code("no-suite").hint(hint));
}

fn labels_of(args: &CalibrateArgs, current_dir: &Path, loaded: &mut Loaded) -> Option<Labels> {
    let Loaded { suites, sources, problems, root, .. } = loaded;
    let [only] = suites.as_slice() else { return None };
    read_labels(&args.labels, current_dir, root, &only.suite, sources, problems)
}

/// Who judges each label; everything wrong is added to the problems.
fn seats(
    args: &CalibrateArgs,
    loaded: &mut Loaded,
    workshop: &Workshop,
    labels: &[Label],
) -> Vec<SeatedLabel> {
    // No target is asked for anything; whoever may judge is looked for below.
    let asked = Pairings::default();
    let (services, problems) = (&workshop.services, &mut loaded.problems);
    let built = build_graders(&loaded.suites, &asked, services, BuiltTo::Grade, problems);
    let mut judges = Judges::new(&workshop.services, &loaded.sources, &loaded.root, false)
        .overruled_by(args.judge.as_deref())
        .with_workers(workshop.workers);
    judges.check_names(&loaded.suites, &built);
    let file = loaded.suites.first().and_then(|suite| suite.targets.as_ref());
    let seated = file.map(|file| seat(labels, file, &built, args, &mut judges));
    let problems = judges.problems;
    loaded.problems.append(problems);
    seated.unwrap_or_default()
}

/// Tells what was found, keeps it where it may be relied on, and says how it all went.
fn finish(args: &CalibrateArgs, found: &[Calibration], root: &Path, console: Console) -> Exit {
    let errors: usize = found.iter().map(|calibration| calibration.errors.len()).sum();
    let counted = |calibration: &&Calibration| calibration.note().is_some();
    let reliable = errors == 0 || args.allow_errors;
    let mut exit = if reliable { Exit::Passed } else { Exit::Unevaluated };
    let mut stored = Vec::new();
    if reliable && !args.no_store {
        for calibration in found.iter().filter(counted) {
            match calibration.store(root) {
                Ok(path) => stored.push(path),
                Err(fault) => {
                    refuse(fault.to_string(), console);
                    exit = Exit::Unevaluated;
                }
            }
        }
    }
    let shown: Vec<String> = stored
        .iter()
        .map(|path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned())
        .collect();
    let text = match args.format {
        CalibrateFormat::Text => as_text(found, &shown, style(console)),
        CalibrateFormat::Json => as_json(found, &shown),
    };
    if let Err(error) = console.result(&text) {
        refuse(error.to_string(), console);
        return Exit::Unevaluated;
    }
    if !reliable {
        console.say("error: the judge failed, so nothing was stored\n");
        if found.iter().any(|calibration| calibration.note().is_some()) {
            console.say("  help: --allow-errors stores what the other answers say\n");
        }
    }
    if found.iter().any(|calibration| calibration.note().is_none()) {
        exit = Exit::Unevaluated;
    }
    let missed: Vec<String> = found.iter().flat_map(|it| missed(it, args)).collect();
    for line in &missed {
        console.say(&format!("failed: {line}\n"));
    }
    if exit == Exit::Passed && !missed.is_empty() { Exit::Failed } else { exit }
}

fn style(console: Console) -> Style {
    Style { color: console.stdout_has_color(), width: Console::width() }
}

fn as_text(found: &[Calibration], stored: &[String], style: Style) -> String {
    let pages: Vec<String> = found.iter().map(|calibration| calibration.render(style)).collect();
    let mut text = pages.join("\n");
    text.push_str("What the numbers say: agentv calibrate --help\n");
    for path in stored {
        let _ = writeln!(text, "Stored: {}", agentv_base::escape_controls(path));
    }
    text
}

fn as_json(found: &[Calibration], stored: &[String]) -> String {
    let warnings: Vec<Vec<String>> = found.iter().map(Calibration::warnings).collect();
    let all = json!({"calibrations": found, "warnings": warnings, "stored": stored});
    format!("{all:#}\n")
}

/// What a calibration falls short of.
fn missed(calibration: &Calibration, args: &CalibrateArgs) -> Vec<String> {
    let grader = &calibration.grader;
    let below = |name: &str, value: Option<f64>, least: Option<f64>| {
        let least = least?;
        match value {
            Some(value) if agentv_base::reaches(value, least) => None,
            Some(value) => Some(format!("{name} of judge `{grader}` is {value:.3}, below {least}")),
            None => {
                Some(format!("{name} of judge `{grader}` is not known, and {least} is asked for"))
            }
        }
    };
    let kappa = calibration.agreement.kappa.map(|kappa| kappa.value);
    let accuracy = calibration.agreement.accuracy.share;
    [below("kappa", kappa, args.min_kappa), below("accuracy", accuracy, args.min_accuracy)]
        .into_iter()
        .flatten()
        .collect()
}
