//! `agentv man`: the manual pages, made from the same definitions as the help.
//!
//! What `--help` shows below the options is sorted into the sections that a manual has: examples,
//! exit status, and notes.

use std::{
    io::{self, Write as _},
    path::Path,
};

use clap::{Command, CommandFactory as _};
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use super::{given, refuse};
use crate::{
    args::{Arguments, ManArgs},
    console::Console,
    exit::Exit,
    whole_file::{self, Existing},
};

const FILES: &[(&str, &str)] = &[
    (
        ".agentv/targets.yaml",
        "The targets, looked up from the suite's folder upwards to the root of the repository.",
    ),
    (".agentv/config.yaml", "Settings of the project, looked up in the same way."),
    (
        ".agentv/results/<run-id>/",
        "A run: run.json says what was run, results.jsonl has a row for each case.",
    ),
    (
        ".env",
        "Variables for ${{ VAR }}; one that is set in the environment wins, then the file nearest \
         to the suite.",
    ),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("any variable", "Targets, settings and suites may refer to it as ${{ VAR }}."),
    (
        "GITHUB_ACTIONS",
        "Where it is true, cases that did not pass are annotated, unless -q is given.",
    ),
    ("GITHUB_STEP_SUMMARY", "A file that runs add a summary in Markdown to."),
    ("NO_COLOR", "No colour, unless --color asks for it."),
    ("TMPDIR", "Where prompts and outputs of running targets are kept; /tmp where it is not set."),
];

pub fn run(args: &ManArgs, console: Console) -> Exit {
    let mut main = Arguments::command().disable_help_subcommand(true);
    main.build();
    let Some(folder) = &args.out else {
        return match page(&main, &main) {
            Ok(text) => given(console.result(&text), console),
            Err(fault) => refuse(format!("the page cannot be made: {fault}"), console),
        };
    };
    let mut said = String::new();
    let nested = main.get_subcommands().flat_map(Command::get_subcommands);
    for command in std::iter::once(&main).chain(main.get_subcommands()).chain(nested) {
        match write(folder, command, &main) {
            Ok(path) => said.push_str(&path),
            Err(message) => return refuse(message, console),
        }
        said.push('\n');
    }
    given(console.result(&said), console)
}

fn write(folder: &Path, command: &Command, main: &Command) -> Result<String, String> {
    let path = folder.join(format!("{}.1", page_name(command)));
    let written =
        page(command, main).and_then(|text| whole_file::write(&path, &text, Existing::IsReplaced));
    match written {
        Ok(()) => Ok(path.display().to_string()),
        Err(fault) => Err(format!("cannot write `{}`: {fault}", path.display())),
    }
}

fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command, main: &Command) -> io::Result<String> {
    let (name, version) = (page_name(command), env!("CARGO_PKG_VERSION"));
    let known = Man::new(command.clone());
    let mut page = Vec::new();
    // Not by `render_title`, which drops an empty date so that what follows moves up into it. There
    // is no date because the same sources are to give the same page.
    writeln!(page, ".TH {} 1 \"\" \"agentv {version}\" \"AgentV\"", name.to_uppercase())?;
    known.render_name_section(&mut page)?;
    known.render_synopsis_section(&mut page)?;
    known.render_description_section(&mut page)?;
    known.render_options_section(&mut page)?;
    if command.has_subcommands() {
        known.render_subcommands_section(&mut page)?;
    }
    sections(command, main).to_writer(&mut page)?;
    Ok(in_ascii(&String::from_utf8_lossy(&page)))
}

/// The language of manual pages has names for all characters, and old readers know no others.
fn in_ascii(page: &str) -> String {
    let named = page.chars().map(|c| match c {
        c if c.is_ascii() => c.to_string(),
        c => format!("\\[u{:04X}]", u32::from(c)),
    });
    named.collect()
}

/// What the help says below the options, by its kind.
#[derive(Default)]
struct Below {
    examples: Vec<String>,
    exit_status: Option<String>,
    notes: Vec<String>,
}

impl Below {
    fn of(command: &Command) -> Self {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let mut below = Self::default();
        for paragraph in text.split("\n\n") {
            if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
                below.examples.extend(examples.lines().map(|line| line.trim_end().to_owned()));
            } else if let Some(codes) = paragraph.strip_prefix("Exit codes: ") {
                below.exit_status = Some(codes.to_owned());
            } else if !paragraph.trim().is_empty() {
                below.notes.push(paragraph.to_owned());
            }
        }
        below
    }
}

fn sections(command: &Command, main: &Command) -> Roff {
    let below = Below::of(command);
    let mut roff = Roff::new();
    if !below.notes.is_empty() {
        roff.control("SH", ["NOTES"]);
        for note in &below.notes {
            roff.control("PP", []);
            roff.text([roman(note.replace('\n', " "))]);
        }
    }
    if let Some(codes) = below.exit_status.or_else(|| Below::of(main).exit_status) {
        roff.control("SH", ["EXIT STATUS"]);
        roff.text([roman(codes.replace('\n', " "))]);
    }
    for (title, entries) in [("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT)] {
        roff.control("SH", [title]);
        for (name, meaning) in entries {
            roff.control("TP", []);
            roff.text([bold(*name)]);
            roff.text([roman(*meaning)]);
        }
    }
    if !below.examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]);
        // As it was written: the columns of the examples mean something.
        roff.control("nf", []);
        for line in &below.examples {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    see_also(&mut roff, command, main);
    roff
}

fn see_also(roff: &mut Roff, command: &Command, main: &Command) {
    let own = page_name(command);
    let others = std::iter::once(main)
        .chain(main.get_subcommands())
        .map(page_name)
        .filter(|name| *name != own)
        .map(|name| format!("{name}(1)"));
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman(others.collect::<Vec<_>>().join(", "))]);
}
