//! What a tool wrote, read without the tool: for those who have its output and nothing else, as
//! fuzzing and replays do. The readers are the ones that every invocation uses.

use std::{fs::File, sync::Arc, time::Duration};

use agentv_base::{Answers, AskAgain, CommandRun, Failure, Redactor};

use super::{invocation::Finished, read_batch, single_answer};

/// Reads the JSONL file of a batch that was asked for these ids.
pub fn of_batch(
    output: File,
    ids: Vec<Arc<str>>,
    ask_again: Option<AskAgain>,
) -> Result<Arc<dyn Answers>, Failure> {
    read_batch(Finished { ids, ..finished(output) }, ask_again, Redactor::default())
}

/// Reads the output of one case.
pub fn of_case(output: File) -> Result<Arc<dyn Answers>, Failure> {
    single_answer(finished(output))
}

/// An invocation of which only its output is known.
fn finished(output: File) -> Finished {
    Finished {
        output,
        ids: Vec::new(),
        run: Arc::new(CommandRun { exit_code: Some(0), ..CommandRun::default() }),
        duration: Duration::ZERO,
        leaked: Arc::default(),
        warnings: Vec::new(),
    }
}
