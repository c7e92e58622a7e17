//! `agentv schema KIND`: the JSON Schema of a kind of file.

use agentv_report::write_whole;

use super::{given, make_folder_of, refuse};
use crate::{args::SchemaArgs, console::Console, exit::Exit, schema::schema};

pub fn run(args: &SchemaArgs, console: Console) -> Exit {
    let text = format!("{:#}\n", schema(args.kind));
    let Some(path) = &args.out else {
        return given(console.result(&text), console);
    };
    if let Err(exit) = make_folder_of(path, console) {
        return exit;
    }
    match write_whole(path, |out| Ok(out.write_all(text.as_bytes())?)) {
        Ok(()) => Exit::Passed,
        Err(fault) => refuse(fault.to_string(), console),
    }
}
