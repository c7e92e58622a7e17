//! Command templates: where a placeholder may stand, and what takes its place.
//!
//! A value is always put into single quotes. A template is refused where those would not hold, or
//! where the word they make would be run, so that no prompt, id or file name can ever run anything.
//! All of that is decided once, when the template is parsed; filling it in is concatenation.

mod command;
mod fault;
mod interpreter;
mod placeholder;
mod quoting;
mod reader;

#[cfg(test)]
mod tests;

use std::{ops::Range, path::Path};

pub use fault::{TemplateFault, TemplateText};
pub use placeholder::Placeholder;

use self::placeholder::{Hole, find_holes};

/// What the placeholders of a template stand for in one invocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateValues<'v> {
    pub prompt: &'v str,
    pub prompt_file: &'v str,
    pub guidelines: &'v str,
    pub eval_id: &'v str,
    pub attempt: u32,
    pub files: &'v [String],
    pub output_file: &'v str,
    pub eval_file: &'v str,
    pub batch_file: &'v str,
}

/// A command whose placeholders all stand where their values are harmless.
#[derive(Clone, Debug)]
pub struct CommandTemplate {
    command: Vec<Segment>,
    file: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Text(String),
    Value(Placeholder),
    Path,
    Basename,
}

impl CommandTemplate {
    /// Reads a template and the format of its files, giving all faults of both at once.
    pub fn parse(template: &str, files_format: Option<&str>) -> Result<Self, Vec<TemplateFault>> {
        let (command, mut faults) = read(template, TemplateText::Command);
        let (file, more) = read(files_format.unwrap_or("{path}"), TemplateText::FilesFormat);
        faults.extend(more);
        if faults.is_empty() { Ok(Self { command, file }) } else { Err(faults) }
    }

    /// Whether the command uses `placeholder`.
    pub fn mentions(&self, placeholder: Placeholder) -> bool {
        self.command.contains(&Segment::Value(placeholder))
    }

    /// The command for a shell, with every value in its place.
    pub fn render(&self, values: &TemplateValues<'_>) -> String {
        let mut command = String::new();
        for segment in &self.command {
            let value = match segment {
                Segment::Text(text) => {
                    command.push_str(text);
                    continue;
                }
                Segment::Value(Placeholder::Files) => {
                    self.push_files(&mut command, values.files);
                    continue;
                }
                Segment::Value(Placeholder::Attempt) => {
                    command.push_str(&values.attempt.to_string());
                    continue;
                }
                Segment::Value(Placeholder::Prompt) => values.prompt,
                Segment::Value(Placeholder::PromptFile) => values.prompt_file,
                Segment::Value(Placeholder::Guidelines) => values.guidelines,
                Segment::Value(Placeholder::EvalId) => values.eval_id,
                Segment::Value(Placeholder::OutputFile) => values.output_file,
                Segment::Value(Placeholder::EvalFile) => values.eval_file,
                Segment::Value(Placeholder::BatchFile) => values.batch_file,
                // Tokens of the files format are not read in a command.
                Segment::Path | Segment::Basename => continue,
            };
            push_quoted(&mut command, value);
        }
        command
    }

    fn push_files(&self, command: &mut String, files: &[String]) {
        for (index, file) in files.iter().enumerate() {
            if index > 0 {
                command.push(' ');
            }
            for segment in &self.file {
                match segment {
                    Segment::Text(text) => command.push_str(text),
                    Segment::Path => push_quoted(command, file),
                    Segment::Basename => {
                        let name = Path::new(file).file_name().unwrap_or_default();
                        push_quoted(command, &name.to_string_lossy());
                    }
                    Segment::Value(_) => {}
                }
            }
        }
    }
}

/// One word for a POSIX shell, whatever the text.
fn push_quoted(command: &mut String, text: &str) {
    command.push('\'');
    command.push_str(&text.replace('\'', r"'\''"));
    command.push('\'');
}

/// Finds the holes of a text, has the shell's reading of it checked, and cuts it into segments.
fn read(text: &str, which: TemplateText) -> (Vec<Segment>, Vec<TemplateFault>) {
    let (holes, mut faults) = find_holes(text, which);
    faults.extend(reader::check(text, which, &holes));
    faults.sort_by_key(|fault| fault.range.start);
    (cut(text, &holes), faults)
}

fn cut(text: &str, holes: &[Hole]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut end = 0;
    let literal = |segments: &mut Vec<Segment>, range: Range<usize>| {
        if let Some(piece) = text.get(range).filter(|piece| !piece.is_empty()) {
            segments.push(Segment::Text(piece.to_owned()));
        }
    };
    for hole in holes {
        literal(&mut segments, end..hole.range.start);
        segments.push(hole.segment.clone());
        end = hole.range.end;
    }
    literal(&mut segments, end..text.len());
    segments
}
