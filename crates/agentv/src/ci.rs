//! What GitHub Actions is told of a run by itself, because it asked for it by its variables: a
//! summary of the step, and annotations at the lines of cases that did not pass.
//!
//! Neither is ever a reason for a run to fail.

use std::{
    env,
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
};

use agentv_base::escape_controls;
use agentv_report::{Report, format_named};

use crate::{console::Console, settings::Out, workflow};

/// Several tools and steps share the file, so that ours comes behind theirs. An empty name is none.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Tells what is asked for. Who wants nothing but the outcome gets no annotations, and neither does
/// who writes them somewhere already.
pub fn tell(report: &Report<'_>, outs: &[Out], quiet: bool, console: Console) {
    if let Some(path) = env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        if let Err(cause) = append_summary(report, &path) {
            let shown = path.to_string_lossy();
            let shown = escape_controls(&shown);
            console.say(&format!(
                "warning: cannot write the summary of the step, `{shown}`: {cause}\n"
            ));
        }
    }
    let are_written = outs.iter().any(|out| out.format.name() == "github");
    if !quiet && !are_written && workflow::is_at_work() {
        // Both streams are read for commands; this one carries nothing that another program takes.
        match rendered(report, "github") {
            Ok(text) => console.say_commands(&String::from_utf8_lossy(&text)),
            Err(cause) => console.say(&format!("warning: no annotations: {cause}\n")),
        }
    }
}

fn append_summary(report: &Report<'_>, path: &Path) -> Result<(), String> {
    let mut text = rendered(report, "md")?;
    text.push(b'\n');
    let file = OpenOptions::new().append(true).create(true).open(path);
    // In one piece, since steps that run side by side write there too.
    file.and_then(|mut file| file.write_all(&text)).map_err(|cause| cause.to_string())
}

/// Both formats are small, whatever the run.
fn rendered(report: &Report<'_>, format: &str) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let format = format_named(format).map_err(|problem| problem.message)?;
    format.write(report, &mut text).map_err(|cause| cause.to_string())?;
    Ok(text)
}
