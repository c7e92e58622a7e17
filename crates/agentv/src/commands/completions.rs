//! `agentv completions SHELL`.

use clap::CommandFactory as _;

use super::given;
use crate::{
    args::{Arguments, CompletionsArgs},
    console::Console,
    exit::Exit,
};

pub fn run(args: &CompletionsArgs, console: Console) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "agentv", &mut script);
    given(console.result(&String::from_utf8_lossy(&script)), console)
}
