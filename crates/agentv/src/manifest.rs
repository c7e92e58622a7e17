//! `run.json` of a run that is about to begin.

use std::{path::Path, time::SystemTime};

use agentv_base::{Redactor, TargetSpec};
use agentv_case::Loaded;
use agentv_report::{
    RUN_FORMAT, RunCounts, RunFile, RunKind, RunManifest, RunPlan, RunSession, RunShard, RunStatus,
    RunSuite, RunTarget, Timestamp,
};
use serde_json::{Map, Value, json};

use crate::{
    args::EvalArgs,
    contents::Contents,
    identity::{Identities, target_hash},
    wiring::Assembly,
};

/// The version that works on a run now.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is about to be run.
pub fn describe(loaded: &Loaded, assembly: &Assembly, identities: &Identities) -> RunManifest {
    let redactor = &loaded.redactor;
    let now = Timestamp::of(SystemTime::now());
    RunManifest {
        run_id: String::new(),
        format: RUN_FORMAT,
        agentv_version: VERSION.to_owned(),
        kind: RunKind::Eval,
        parent: None,
        parts: Vec::new(),
        status: RunStatus::Running,
        started_at: now,
        finished_at: None,
        command: command(redactor),
        sessions: Vec::new(),
        shard: None,
        plan: Some(RunPlan {
            slots: assembly.whole.slots,
            sha256: assembly.whole.sha256.clone(),
            repeats: assembly.whole.repeats.clone(),
        }),
        suites: loaded
            .suites
            .iter()
            .map(|loaded| RunSuite {
                path: loaded.suite.path.to_string(),
                sha256: loaded.suite.content_hash.clone(),
                cases: loaded.suite.cases.len(),
            })
            .collect(),
        targets: recorded(&assembly.targets, redactor),
        judges: recorded(&assembly.judge_targets, redactor),
        files: identities.files().to_vec(),
        options: Map::new(),
        counts: RunCounts { planned: assembly.plan.slots.len(), ..RunCounts::default() },
        skipped: Vec::new(),
        repeats: None,
        exit_code: None,
    }
}

/// The same of an eval, with what its flags came to mean.
pub fn of_eval(
    args: &EvalArgs,
    loaded: &Loaded,
    assembly: &Assembly,
    identities: &Identities,
) -> RunManifest {
    let mut manifest = describe(loaded, assembly, identities);
    manifest.shard = shard_of(args);
    manifest.options = options_of(args, &loaded.root);
    // What is replayed is all that the answers depend on.
    if let Some((path, sha256)) =
        args.run.replay.as_deref().and_then(|file| Contents::new(&loaded.root).file(file))
    {
        let path = path.to_string_lossy().into_owned();
        manifest.files.push(RunFile::found(path, sha256));
    }
    manifest
}

pub fn shard_of(args: &EvalArgs) -> Option<RunShard> {
    args.run.shard.map(|shard| RunShard { index: shard.index, count: shard.count })
}

/// What the flags came to mean, as `run.json` has it.
pub fn options_of(args: &EvalArgs, root: &Path) -> Map<String, Value> {
    let run = &args.run;
    let from_root = |path: &Path| {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        whole.strip_prefix(root).unwrap_or(&whole).to_string_lossy().into_owned()
    };
    let options = [
        ("threshold", json!(args.threshold)),
        ("workers", json!(args.ask.workers)),
        ("agent_timeout", json!(args.ask.agent_timeout)),
        ("max_retries", json!(args.ask.max_retries)),
        ("targets", json!(args.targets)),
        ("targets_file", json!(args.select.targets_file.as_deref().map(from_root))),
        ("eval_ids", json!(args.select.eval_ids)),
        ("tags", json!(args.select.tags)),
        ("include_trace", json!(args.keep.include_trace)),
        ("include_prompts", json!(args.keep.include_prompts)),
        ("repeat", json!(run.repeat)),
        ("until_decided", json!(run.until_decided)),
        ("budget_usd", json!(run.budget_usd)),
        ("budget_tokens", json!(run.budget_tokens)),
        ("deadline", json!(run.deadline)),
        ("fail_fast", json!(run.fail_fast)),
        ("no_fail", json!(args.no_fail)),
        ("cache", json!(run.cache)),
        ("record", json!(run.record.as_deref().map(from_root))),
        ("replay", json!(run.replay.as_deref().map(from_root))),
        ("dry_run", json!(run.dry_run)),
    ];
    options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Somebody begins to work on a run that has so many rows.
pub fn begin_session(manifest: &mut RunManifest, rows_before: usize, redactor: &Redactor) {
    manifest.status = RunStatus::Running;
    manifest.finished_at = None;
    manifest.exit_code = None;
    manifest.sessions.push(RunSession {
        agentv_version: VERSION.to_owned(),
        started_at: Timestamp::of(SystemTime::now()),
        finished_at: None,
        command: command(redactor),
        rows_before,
        exit_code: None,
    });
}

/// The program and its arguments, as typed.
pub fn command(redactor: &Redactor) -> Vec<String> {
    std::env::args().map(|text| redactor.redact(&text).into_owned()).collect()
}

/// Targets as the record shows them.
fn recorded(specs: &[TargetSpec], redactor: &Redactor) -> Vec<RunTarget> {
    specs
        .iter()
        .map(|spec| RunTarget {
            name: spec.name.to_string(),
            provider: spec.provider.to_string(),
            definition: spec.definition.clone(),
            sha256: target_hash(spec, redactor),
        })
        .collect()
}
