//! `agentv`: arguments in, exit code out.

mod args;
mod commands;
mod console;
mod diagnostics;
mod dump;
mod exit;
mod resolve;
mod schema;
mod settings;
mod signals;
mod sinks;
mod starter;
mod whole_file;
mod wiring;

fn main() -> std::process::ExitCode {
    let arguments = args::parse();
    let console = console::Console::new(arguments.color());
    commands::run(arguments, console).into()
}
