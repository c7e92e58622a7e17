//! `agentv schema KIND`: the JSON Schema of a kind of file.

use std::fs;

use agentv_report::write_whole;

use super::{given, refuse};
use crate::{args::SchemaArgs, console::Console, exit::Exit, schema::schema};

pub fn run(args: &SchemaArgs, console: Console) -> Exit {
    let text = format!("{:#}\n", schema(args.kind));
    let Some(path) = &args.out else {
        return given(console.result(&text), console);
    };
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.map_err(|error| format!("cannot write `{}`: {error}", path.display()));
    let written = written.and_then(|()| {
        write_whole(path, |out| Ok(out.write_all(text.as_bytes())?))
            .map_err(|fault| fault.to_string())
    });
    match written {
        Ok(()) => Exit::Passed,
        Err(message) => refuse(message, console),
    }
}
