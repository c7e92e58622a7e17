//! `agentv validate`: everything that `eval` would refuse, without running anything.

use std::collections::HashSet;

use agentv_base::Diagnostic;
use agentv_case::{LoadOptions, Loaded};

use super::{current_dir, given, problems_of, sources_of};
use crate::{
    args::ValidateArgs,
    console::Console,
    diagnostics::{Audience, Checked, Report},
    exit::Exit,
    settings, wiring,
};

pub fn run(args: &ValidateArgs, console: Console) -> Exit {
    match validate(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn validate(args: &ValidateArgs, console: Console) -> Result<Exit, Exit> {
    let current_dir = current_dir(console)?;
    let mut loaded = agentv_case::load(&LoadOptions {
        paths: args.paths.clone(),
        targets: args.targets_file.clone(),
        current_dir: current_dir.clone(),
        environment: settings::environment(),
        needs_targets: false,
        needs_hashes: false,
    });
    wiring::check(&mut loaded);
    if loaded.suites.iter().any(|suite| suite.targets.is_none()) {
        loaded.problems.push(
            Diagnostic::warning("no targets file was found: target names are not checked")
                .code("no-targets-file")
                .hint("`agentv eval` will need `.agentv/targets.yaml`"),
        );
    }
    let problems = problems_of(&loaded);
    let report = Report {
        problems: &problems,
        sources: &sources_of(&loaded),
        checked: checked(&loaded),
        current_dir: &current_dir,
        root: &loaded.root,
        color: console.stderr_has_color(),
    };
    let exit = tell(args, &report, console);
    // The process ends here: to free a large suite value by value would only take time.
    std::mem::forget(loaded);
    Ok(exit)
}

fn checked(loaded: &Loaded) -> Checked {
    Checked {
        files: loaded.files_checked,
        suites: loaded.suites.len(),
        cases: loaded.suites.iter().map(|loaded| loaded.suite.cases.len()).sum(),
        targets: loaded
            .targets_files
            .iter()
            .flat_map(|file| &file.specs)
            .map(|spec| (&spec.file, &spec.name))
            .collect::<HashSet<_>>()
            .len(),
    }
}

fn tell(args: &ValidateArgs, report: &Report<'_>, console: Console) -> Exit {
    let told = (args.format.render)(report);
    let refused = report.problems.has_errors();
    let result = match args.format.audience {
        Audience::Programs => told,
        Audience::People => {
            console.say(&told);
            if refused {
                return Exit::Refused;
            }
            let Checked { files, suites, cases, targets } = report.checked;
            format!(
                "{files} file(s) are valid: {cases} case(s) in {suites} suite(s), \
                 {targets} target(s)\n"
            )
        }
    };
    let exit = given(console.result(&result), console);
    if refused && exit == Exit::Passed { Exit::Refused } else { exit }
}
