//! `agentv convert`: files of other dialects, formats and tools in the current form.

mod import;

use std::{
    io::{self, Write as _},
    path::Path,
};

use agentv_base::{Diagnostic, Problems, Sources};
use agentv_case::convert::{
    Content, GraderName, Opened, ProviderName, Vocabulary, content_of, open, read_document, rename,
};
use agentv_report::{RowsFormat, convert_rows, rows_format, write_whole};

use super::{current_dir, given, make_folder_of, refuse, report};
use crate::{
    args::{ConvertArgs, ConvertFrom, ConvertTo},
    console::Console,
    exit::Exit,
};

/// What there is to convert, for whoever gave something else.
const KNOWN: &str = "convert takes a suite, targets or config file in any dialect (YAML), recorded \
                     results (JSONL or YAML) and promptfoo configurations (YAML or JSON)";

pub fn run(args: &ConvertArgs, console: Console) -> Exit {
    match convert(args, console) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn convert(args: &ConvertArgs, console: Console) -> Result<Exit, Exit> {
    let ending = args.file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_lines = matches!(ending, "jsonl" | "ndjson");
    if args.from.is_none_or(|from| from == ConvertFrom::Results) && !args.file.is_dir() {
        let format = rows_format(&args.file).map_err(|error| {
            refuse(format!("`{}` cannot be read: {error}", args.file.display()), console)
        })?;
        if let Some(format) = format {
            return results(args, format, console);
        }
        if args.from.is_some() {
            return Err(unknown(args, "holds no recorded results: no row has `eval_id`", console));
        }
    }
    if args.to.is_some() {
        return Err(unknown(args, "holds no results, which are what `--to` is for", console));
    }
    if is_lines || ending == "csv" {
        return Err(unknown(
            args,
            "holds cases, which suites take as they are (`evalcases: file://…`)",
            console,
        ));
    }
    let opened = match open(&args.file, &current_dir(console)?) {
        Ok(opened) => opened,
        Err((problems, sources)) => {
            report(&problems, &sources, console)?;
            return Err(Exit::Refused);
        }
    };
    let content = match args.from {
        Some(ConvertFrom::Suite) => Content::Suite,
        Some(ConvertFrom::Targets) => Content::Targets,
        Some(ConvertFrom::Promptfoo) => Content::Promptfoo,
        Some(ConvertFrom::Results) | None => content_of(&opened.file, &opened.node),
    };
    match content {
        Content::Suite | Content::Targets | Content::Config => {
            current_names(args, &opened, content, console)
        }
        Content::Promptfoo => import::run(args, opened, console),
        Content::Foreign => Err(unknown(args, "is nothing that convert knows", console)),
    }
}

fn unknown(args: &ConvertArgs, what: &str, console: Console) -> Exit {
    let mut problems = Problems::default();
    let message = format!("`{}` {what}", args.file.display());
    problems.push(Diagnostic::error(message).hint(KNOWN));
    let shown = report(&problems, &Sources::default(), console);
    shown.err().unwrap_or(Exit::Refused)
}

/// A file of ours, from any dialect to the current names.
fn current_names(
    args: &ConvertArgs,
    opened: &Opened,
    content: Content,
    console: Console,
) -> Result<Exit, Exit> {
    let text = opened.sources.get(opened.source).map(|source| source.text.clone());
    let text = text.unwrap_or_default();
    let mut problems = Problems::default();
    let renamed = rename(&text, &opened.node, content, &vocabulary(), &mut problems);
    report(&problems, &opened.sources, console)?;
    let Some(renamed) = renamed else { return Err(Exit::Refused) };
    let mark = if opened.has_mark { "\u{feff}" } else { "" };
    let shown = args.file.display();
    let said = match renamed.changes {
        0 => format!("`{shown}` has the current names already: nothing to change\n"),
        1 => format!("`{shown}`: 1 name changed\n"),
        changes => format!("`{shown}`: {changes} names changed\n"),
    };
    let target = if args.write { Some(args.file.as_path()) } else { args.out.as_deref() };
    let untouched = args.write && renamed.changes == 0;
    let exit = match target {
        Some(_) if untouched => Exit::Passed,
        Some(path) => write_file(path, &format!("{mark}{}", renamed.text), console)?,
        None => given(print(&format!("{mark}{}", renamed.text)), console),
    };
    console.say(&said);
    Ok(exit)
}

/// Recorded results, from one format to another.
fn results(args: &ConvertArgs, from: RowsFormat, console: Console) -> Result<Exit, Exit> {
    if args.write {
        return Err(unknown(
            args,
            "holds results: name a file for the other format with `--out`",
            console,
        ));
    }
    let ending = args.out.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
    let to = match (args.to, ending) {
        (Some(ConvertTo::Yaml), _) | (None, Some("yaml" | "yml")) => RowsFormat::Yaml,
        (Some(ConvertTo::Jsonl), _) | (None, Some("jsonl" | "ndjson")) => RowsFormat::Jsonl,
        (None, _) => from.other(),
    };
    let count = match &args.out {
        Some(path) => {
            make_folder_of(path, console)?;
            let mut converted = Ok(0);
            let written = write_whole(path, |out| {
                converted = convert_rows(&args.file, from, to, read_document, out);
                match &converted {
                    Ok(_) => Ok(()),
                    Err(fault) => Err(io::Error::other(fault.to_string()).into()),
                }
            });
            // A bad row is no fault of the file that is written.
            let count = converted.map_err(|fault| refuse(fault.to_string(), console))?;
            written.map_err(|fault| refuse(fault.to_string(), console))?;
            count
        }
        None => convert_rows(&args.file, from, to, read_document, &mut Console::stdout())
            .map_err(|fault| refuse(fault.to_string(), console))?,
    };
    if args.out.is_some() {
        console.say(&format!("{count} row(s) converted\n"));
    }
    Ok(Exit::Passed)
}

fn print(text: &str) -> io::Result<()> {
    let mut stdout = Console::stdout();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn write_file(path: &Path, text: &str, console: Console) -> Result<Exit, Exit> {
    make_folder_of(path, console)?;
    write_whole(path, |out| Ok(out.write_all(text.as_bytes())?))
        .map_err(|fault| refuse(fault.to_string(), console))?;
    Ok(Exit::Passed)
}

/// The names of all graders and providers there are.
fn vocabulary() -> Vocabulary {
    let graders = agentv_grade::kinds().map(|kind| GraderName {
        name: kind.name(),
        aliases: kind.aliases(),
        keys: kind.keys(),
    });
    let providers = agentv_exec::provider::KINDS.iter().map(|kind| ProviderName {
        name: kind.name(),
        aliases: kind.aliases(),
        keys: kind.keys(),
    });
    Vocabulary {
        graders: graders.collect(),
        grader_keys: agentv_grade::COMMON_KEYS,
        providers: providers.collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn any_row_comes_back_from_yaml_as_it_was(
            text in any::<String>(), number in any::<f64>(), whole in any::<i64>()
        ) {
            prop_assume!(number.is_finite());
            let row = json!({"eval_id": text, "n": number, "i": whole, "deep": {&text: [text]}});
            let rows = format!("{row}\n{row}\n");
            let folder = tempfile::tempdir().unwrap();
            let (jsonl, yaml) = (folder.path().join("a.jsonl"), folder.path().join("a.yaml"));
            fs::write(&jsonl, &rows).unwrap();
            let convert = |path: &Path, from: RowsFormat| {
                let mut out = Vec::new();
                convert_rows(path, from, from.other(), read_document, &mut out).unwrap();
                String::from_utf8(out).unwrap()
            };
            fs::write(&yaml, convert(&jsonl, RowsFormat::Jsonl)).unwrap();
            prop_assert_eq!(convert(&yaml, RowsFormat::Yaml), rows);
        }
    }
}
