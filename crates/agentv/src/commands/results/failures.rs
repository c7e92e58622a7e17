//! `agentv results failures`: what failed, and why. It only looks, so its exit code says whether
//! there was something to look at.

use agentv_report::{RunFolder, Wrong, write_rows_csv, write_rows_json};

use super::place::{Here, Wish, choose};
use crate::{
    again::again,
    args::{FailuresArgs, ResultsFormat},
    commands::given,
    console::Console,
    exit::Exit,
    telling::style,
};

/// Failed cases, and kinds of errors, that are told to people who did not say how many.
const USUAL: usize = 20;

pub fn run(args: &FailuresArgs, console: Console) -> Exit {
    match failures(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn failures(args: &FailuresArgs, console: Console) -> Result<Exit, Exit> {
    let here = Here::find(console)?;
    let wish = Wish::of(&args.filter, &[], true);
    let chosen = choose(&here, args.run.as_deref(), &wish, console)?;
    let rows = chosen.rows(&wish, console)?;
    let most = match args.most {
        None | Some(0) => usize::MAX,
        Some(most) => most,
    };
    let written = match args.format {
        ResultsFormat::Json => Console::stream(|out| write_rows_json(rows.take(most).map(Ok), out)),
        ResultsFormat::Csv => Console::stream(|out| write_rows_csv(rows.take(most).map(Ok), out)),
        ResultsFormat::Table => {
            let folder = chosen.run_folder.clone().map(RunFolder::at);
            let again = folder
                .zip(chosen.recorded.manifest.as_ref())
                .and_then(|(folder, manifest)| again(&folder, manifest));
            let mut wrong = Wrong::new(args.most.unwrap_or(USUAL), again);
            rows.for_each(|row| wrong.add(&row));
            console.tell(&wrong.text(chosen.of, style(console.stdout_has_color())))
        }
    };
    Ok(given(written, console))
}
