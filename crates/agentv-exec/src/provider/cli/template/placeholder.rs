//! The placeholders, and where a text has them. What the shell makes of the place is not said here.

use std::ops::Range;

use agentv_base::nearest;

use super::{
    Segment,
    fault::{TemplateFault, TemplateText},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placeholder {
    Prompt,
    PromptFile,
    Guidelines,
    EvalId,
    Attempt,
    Files,
    OutputFile,
    EvalFile,
    BatchFile,
}

const NAMES: &[(&str, Placeholder)] = &[
    ("PROMPT", Placeholder::Prompt),
    ("PROMPT_FILE", Placeholder::PromptFile),
    ("GUIDELINES", Placeholder::Guidelines),
    ("EVAL_ID", Placeholder::EvalId),
    ("ATTEMPT", Placeholder::Attempt),
    ("FILES", Placeholder::Files),
    ("OUTPUT_FILE", Placeholder::OutputFile),
    ("EVAL_FILE", Placeholder::EvalFile),
    ("BATCH_FILE", Placeholder::BatchFile),
];

/// A piece of a text that something else takes the place of.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    pub range: Range<usize>,
    pub segment: Segment,
}

impl Hole {
    /// Whether a value stands here; `{{NAME}}` is only another way to write text.
    pub fn holds_a_value(&self) -> bool {
        !matches!(self.segment, Segment::Text(_))
    }
}

/// Every hole of the text in order, and every name that is not known.
pub(super) fn find_holes(text: &str, which: TemplateText) -> (Vec<Hole>, Vec<TemplateFault>) {
    let (mut holes, mut faults) = (Vec::new(), Vec::new());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'{', bytes.get(at..).unwrap_or_default()) {
        let start = at + open;
        at = start + 1;
        if start > 0 && bytes[start - 1] == b'$' {
            continue;
        }
        let doubled = bytes.get(start + 1) == Some(&b'{');
        let name_start = start + if doubled { 2 } else { 1 };
        let Some(name) = name_at(text, name_start, which) else { continue };
        let name_end = name_start + name.len();
        if doubled {
            if bytes.get(name_end + 1) == Some(&b'}') {
                let segment = Segment::Text(format!("{{{name}}}"));
                holes.push(Hole { range: start..name_end + 2, segment });
                at = name_end + 2;
            }
            continue;
        }
        let range = start..name_end + 1;
        at = range.end;
        match known(name, which) {
            Some(segment) => holes.push(Hole { range, segment }),
            None => faults.push(unknown(name, range, which)),
        }
    }
    (holes, faults)
}

/// The name that stands here and is followed by `}`: upper case in a command, lower case in a
/// files format.
fn name_at(text: &str, start: usize, which: TemplateText) -> Option<&str> {
    let rest = text.get(start..)?;
    let fits = |c: char| match which {
        TemplateText::Command => c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_',
        TemplateText::FilesFormat => c.is_ascii_alphanumeric() || c == '_',
    };
    let end = rest.find(|c| !fits(c))?;
    let name = rest.get(..end)?;
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (begins_well && rest.get(end..)?.starts_with('}')).then_some(name)
}

fn known(name: &str, which: TemplateText) -> Option<Segment> {
    match which {
        TemplateText::Command => {
            NAMES.iter().find(|(known, _)| *known == name).map(|(_, value)| Segment::Value(*value))
        }
        TemplateText::FilesFormat => match name {
            "path" => Some(Segment::Path),
            "basename" => Some(Segment::Basename),
            _ => None,
        },
    }
}

fn unknown(name: &str, range: Range<usize>, which: TemplateText) -> TemplateFault {
    let names: Vec<&str> = match which {
        TemplateText::Command => NAMES.iter().map(|(name, _)| *name).collect(),
        TemplateText::FilesFormat => vec!["path", "basename"],
    };
    let meant = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{{{near}}}`?"),
        None => {
            let listed: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
            format!("known: {}", listed.join(" "))
        }
    };
    TemplateFault {
        text: which,
        range,
        message: format!("unknown placeholder `{{{name}}}`"),
        hint: Some(format!("{meant} (`{{{{{name}}}}}` gives a literal `{{{name}}}`)")),
    }
}
