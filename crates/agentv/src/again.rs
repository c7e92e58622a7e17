//! What a summary says of running cases again, from what `run.json` says of the run.

use std::path::{Path, PathBuf};

use agentv_report::{Again, AgainHow, RunFolder, RunKind, RunManifest};
use serde_json::Value;

/// Of a run that stands in a project; nothing where that cannot be told.
pub fn again(folder: &RunFolder, manifest: &RunManifest) -> Option<Again> {
    let path = std::path::absolute(folder.path()).ok()?;
    // A run stands in .agentv/results of its project.
    let root = path.ancestors().nth(3).filter(|root| path.starts_with(root.join(".agentv")))?;
    let current_dir = std::env::current_dir().ok()?;
    Some(of(manifest, folder.run_id(), root, current_dir))
}

fn of(manifest: &RunManifest, run_id: &str, root: &Path, current_dir: PathBuf) -> Again {
    let option = |name: &str| manifest.options.get(name).filter(|value| !value.is_null());
    let is_set = |name: &str| option(name).and_then(Value::as_bool) == Some(true);
    let typed = option("targets").and_then(Value::as_array).is_some_and(|it| !it.is_empty());
    let mut again = Again {
        run_id: run_id.to_owned(),
        current_dir,
        root: root.to_owned(),
        how: AgainHow::Ask { with_target: typed || manifest.targets.len() > 1 },
        flags: Vec::new(),
    };
    // A run that is graded again has all of its options from itself.
    if manifest.kind == RunKind::Grade {
        again.how = AgainHow::Grade;
        return again;
    }
    let path = |name: &str| Some(again.path_of(option(name)?.as_str()?));
    let number = |name: &str| Some(option(name)?.as_f64()?.to_string());
    let valued = [
        ("--targets", path("targets_file")),
        ("--threshold", number("threshold")),
        ("--agent-timeout", number("agent_timeout")),
        ("--replay", path("replay")),
    ];
    let flags = valued.into_iter().filter(|(_, value)| value.is_some());
    // Without it, whoever tried something for nothing would be made to pay for it.
    let made_up = is_set("dry_run").then_some(("--dry-run", None));
    again.flags = flags.chain(made_up).collect();
    again
}
