//! `agentv`: arguments in, exit code out.

mod again;
mod args;
mod calibrations;
mod ci;
mod commands;
mod console;
mod contents;
mod diagnostics;
mod discreet;
mod dump;
mod earlier;
mod exit;
mod fingerprint;
mod graders;
mod identity;
mod ingredients;
mod judges;
mod manifest;
mod plan;
mod provision;
mod recorded;
mod resolve;
mod row_answers;
mod schema;
mod session;
mod settings;
mod signals;
mod sinks;
mod starter;
mod target_judge;
mod telling;
mod when;
mod whole_file;
mod wiring;
mod workflow;

/// Reading a suite makes and drops millions of small values, at which the system's allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let arguments = args::parse();
    let console = console::Console::new(arguments.color());
    commands::run(arguments, console).into()
}
