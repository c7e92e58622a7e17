//! `agentv schema KIND`: the JSON Schema of a kind of file.

use std::{fs, io, path::Path};

use super::{given, refuse};
use crate::{args::SchemaArgs, console::Console, exit::Exit, schema::schema};

pub fn run(args: &SchemaArgs, console: Console) -> Exit {
    let text = format!("{:#}\n", schema(args.kind));
    let Some(path) = &args.out else {
        return given(console.result(&text), console);
    };
    match write(path, &text) {
        Ok(()) => Exit::Passed,
        Err(error) => refuse(format!("cannot write `{}`: {error}", path.display()), console),
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
