//! `agentv validate`: everything that `eval` would refuse, without running anything.

use agentv_base::Diagnostic;
use agentv_case::LoadOptions;

use super::{current_dir, given, report};
use crate::{args::ValidateArgs, console::Console, exit::Exit, settings, wiring};

pub fn run(args: &ValidateArgs, console: Console) -> Exit {
    match validate(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn validate(args: &ValidateArgs, console: Console) -> Result<Exit, Exit> {
    let mut loaded = agentv_case::load(&LoadOptions {
        paths: args.paths.clone(),
        targets: args.targets_file.clone(),
        current_dir: current_dir(console)?,
        environment: settings::environment(),
        needs_targets: false,
    });
    wiring::check(&mut loaded);
    if loaded.suites.iter().any(|suite| suite.targets.is_none()) {
        let warning =
            Diagnostic::warning("no targets file was found: target names are not checked");
        loaded.problems.push(warning.hint("`agentv eval` will need `.agentv/targets.yaml`"));
    }
    report(&loaded.problems, &loaded.sources, console)?;
    let cases: usize = loaded.suites.iter().map(|loaded| loaded.suite.cases.len()).sum();
    let targets: usize = loaded.targets_files.iter().map(|file| file.specs.len()).sum();
    let said = console.result(&format!(
        "{} file(s) are valid: {cases} case(s) in {} suite(s), {targets} target(s)\n",
        loaded.files_checked,
        loaded.suites.len(),
    ));
    Ok(given(said, console))
}
