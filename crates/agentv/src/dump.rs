//! `--dump-prompts` and `--dump-traces`: what was asked and what came back, one file a case.

use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
};

use agentv_base::{EvalCase, Outcome, RunEvent, SettledCase, Sink, SinkFault};
use agentv_engine::Plan;
use serde_json::json;

/// Makes the folder that files are dumped to.
pub fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))
}

/// Writes the prompt of every planned case.
pub fn prompts(folder: &Path, plan: &Plan) -> Result<(), String> {
    make_folder(folder)?;
    for slot in &*plan.slots {
        let case = &plan.cases[slot.case];
        let target = &plan.targets[slot.target].name;
        let prompt = json!({
            "eval_id": case.id(),
            "target": &**target,
            "question": case.input.question(),
            "guidelines": case.input.guidelines(),
            "guideline_files": case.input.guideline_files,
            "chat_prompt": case.input.chat_prompt(),
            "input_messages": case.input.messages,
            "input_files": case.input.files,
        });
        write(folder, case, target, slot.repeat, &prompt)?;
    }
    Ok(())
}

/// Writes the trail of every case as it settles.
pub struct Traces {
    pub folder: PathBuf,
}

impl Sink for Traces {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        let RunEvent::Settled(settled) = event else { return Ok(()) };
        let SettledCase { case, target, repeat, outcome, .. } = &**settled;
        let (Outcome::Assessed { response, .. } | Outcome::Answered { response }) = outcome else {
            return Ok(());
        };
        let trail = json!({
            "eval_id": case.id(),
            "target": &**target,
            "trace_summary": response.trace_summary(),
            "output_messages": response.output_messages,
            "trace": response.trace,
        });
        write(&self.folder, case, target, *repeat, &trail).map_err(|message| SinkFault { message })
    }
}

fn write(
    folder: &Path,
    case: &EvalCase,
    target: &str,
    repeat: u32,
    content: &serde_json::Value,
) -> Result<(), String> {
    let path = folder.join(file_name(case, target, repeat));
    let written = || -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(content)?;
        text.push('\n');
        fs::write(&path, text)
    };
    written().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Readable, but never a path: an id may hold anything. The hash tells apart what reads the same.
fn file_name(case: &EvalCase, target: &str, repeat: u32) -> String {
    let mut hasher = DefaultHasher::new();
    (&*case.suite, case.id(), target, repeat).hash(&mut hasher);
    let readable: String = case
        .id()
        .chars()
        .take(60)
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' })
        .collect();
    format!("{readable}-{:016x}.json", hasher.finish())
}
