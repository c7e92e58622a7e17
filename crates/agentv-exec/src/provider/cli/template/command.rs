//! One simple command, word by word: whether a value in it would be run.
//!
//! Quoting keeps a value one word. What is left are the words that name a program, and the commands
//! that take a word for code. The lists below are about those that templates are written with; a
//! program of the author's own that evaluates its arguments is beyond what a template can show.

use std::{collections::HashSet, ops::Range};

use super::{
    fault::Refusal,
    interpreter::{Code, Interpreter},
};

/// A word as far as it is known before anything is expanded.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// What is written, quotes removed.
    text: String,
    /// Something in it is only known when the command runs.
    expanded: bool,
    /// It has quotes, so that it is a word even where nothing is in them.
    quoted: bool,
    /// It becomes several words.
    several: bool,
    /// How much of the text stands before that.
    known: usize,
    /// Placeholders whose values become a part of it.
    carried: Vec<Range<usize>>,
}

impl Word {
    pub fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn become_several(&mut self) {
        self.several = true;
    }

    pub fn quote(&mut self) {
        self.quoted = true;
    }

    /// Whether it may turn out to be no word at all, as an unset variable without quotes is.
    fn may_vanish(&self) -> bool {
        self.expanded && self.text.is_empty() && !self.quoted && self.carried.is_empty()
    }

    pub fn carry(&mut self, holes: &[Range<usize>]) {
        if !holes.is_empty() {
            self.expand(holes);
        }
    }

    /// An expansion stands in it, with these placeholders inside.
    pub fn expand(&mut self, holes: &[Range<usize>]) {
        if !self.expanded {
            self.known = self.text.len();
        }
        self.expanded = true;
        self.carried.extend(holes.iter().cloned());
    }

    pub fn carried(&self) -> &[Range<usize>] {
        &self.carried
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is(&self, text: &str) -> bool {
        !self.expanded && self.text == text
    }

    pub fn is_number(&self) -> bool {
        !self.expanded && !self.text.is_empty() && self.text.bytes().all(|b| b.is_ascii_digit())
    }

    fn is_option(&self) -> bool {
        self.text.starts_with(['-', '+'])
    }

    /// The name before the `=` of `NAME=…`; a value after it is only kept, not run. A name that is
    /// only known when the command runs is none: such a word names a program.
    pub fn assigned(&self) -> Option<&str> {
        let (name, _) = self.text.split_once('=')?;
        if self.expanded && name.len() >= self.known {
            return None;
        }
        let name = name.strip_suffix('+').unwrap_or(name);
        let fits = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        fits.then_some(name)
    }

    /// The name of the program without its folder.
    fn program(&self) -> &str {
        if self.expanded { "" } else { self.text.rsplit('/').next().unwrap_or_default() }
    }
}

/// Words of the grammar that a command follows.
const RESERVED: &[&str] =
    &["!", "{", "if", "then", "else", "elif", "do", "while", "until", "time", "coproc"];

/// Programs that run the program named after their options, with the letters of the options that
/// have a value of their own.
const LAUNCHERS: &[(&str, &str)] = &[
    ("exec", "a"),
    ("command", ""),
    ("builtin", ""),
    ("env", "uC"),
    ("nohup", ""),
    ("sudo", "ughpCDRT"),
    ("doas", "uC"),
    ("setsid", ""),
    ("nice", "n"),
    ("ionice", "cnp"),
    ("timeout", "sk"),
    ("stdbuf", "ioe"),
    ("xargs", "InPLdEsa"),
    ("busybox", ""),
];

/// Commands that take their words for code, or for names that they evaluate.
const EVALUATORS: &[&str] = &[
    "eval",
    "trap",
    "alias",
    "let",
    "declare",
    "typeset",
    "read",
    "mapfile",
    "readarray",
    "unset",
    "getopts",
    "[[",
    ".",
    "source",
    "ssh",
    "watch",
    "tmux",
    "screen",
    "parallel",
];

/// Programs that run what follows their option `-c`.
const WITH_CODE_OPTION: &[&str] = &["su", "script", "flock"];

/// Variables that decide what a program runs, or how a shell reads its words.
const DECISIVE: &[&str] = &[
    "PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "IFS",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "RUBYLIB",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "GIT_SSH_COMMAND",
];

/// What is wrong with the values in these words.
pub(super) fn check(words: &[Word]) -> Vec<(Range<usize>, Refusal)> {
    let mut found = Vec::new();
    let mut refuse = |word: &Word, refusal: &Refusal| {
        found.extend(word.carried.iter().map(|range| (range.clone(), refusal.clone())));
    };
    for word in words {
        if let Some(name) = word.assigned().filter(|name| DECISIVE.contains(name)) {
            refuse(word, &Refusal::Variable(name.to_owned()));
        }
    }
    let Some(program) = program_place(words) else { return found };
    refuse(&words[program], &Refusal::Program);
    if words[program].may_vanish() {
        // Then what follows is the command.
        let rest = check(words.get(program + 1..).unwrap_or_default());
        found.extend(rest.into_iter().map(|(range, refusal)| {
            let would_be_run = refusal == Refusal::Program;
            (range, if would_be_run { Refusal::ProgramWhereEmpty } else { refusal })
        }));
    }
    let mut refuse = |word: &Word, refusal: &Refusal| {
        found.extend(word.carried.iter().map(|range| (range.clone(), refusal.clone())));
    };
    let name = words[program].text.as_str();
    let arguments = words.get(program + 1..).unwrap_or_default();
    let evaluates = EVALUATORS.contains(&name)
        || (matches!(name, "test" | "[" | "printf") && arguments.iter().any(|word| word.is("-v")));
    if evaluates {
        for word in arguments {
            refuse(word, &Refusal::Code(name.to_owned()));
        }
    }
    // Whatever program this is (`$SHELL`), `-c` is how most of them take code.
    if words[program].expanded || WITH_CODE_OPTION.contains(&name) {
        let takes_code =
            |word: &Word| word.text.starts_with('-') && word.text.ends_with(['c', 'e']);
        for pair in arguments.windows(2).filter(|pair| takes_code(&pair[0])) {
            refuse(&pair[1], &Refusal::Code(pair[0].text.clone()));
        }
    }
    // A shell may also be named later: `docker exec box sh -c …`, `find … -exec sh -c …`.
    for (index, word) in words.iter().enumerate().skip(program) {
        let Some(interpreter) = Interpreter::named(word.program()) else { continue };
        let code = interpreter.code(words.get(index + 1..).unwrap_or_default());
        let refusal = Refusal::Code(word.program().to_owned());
        match code {
            Code::Option(code) => refuse(code, &refusal),
            Code::Script(script) if index == program => refuse(script, &refusal),
            Code::Script(_) | Code::Input | Code::Elsewhere => {}
        }
        // What follows are arguments of that code.
        break;
    }
    found
}

/// Whether a command evaluates the names it is given, and one of them holds a value.
pub(super) fn evaluates_names(words: &[Word], holders: &HashSet<String>) -> bool {
    let Some(program) = program_place(words) else { return false };
    let arguments = words.get(program + 1..).unwrap_or_default();
    matches!(words[program].text.as_str(), "let" | "declare" | "typeset" | "[[")
        && arguments.iter().any(|word| holders.iter().any(|name| word.text.contains(name.as_str())))
}

/// The variables that hold a value once this command has run.
pub(super) fn holders(words: &[Word]) -> Vec<String> {
    let carried = |word: &&Word| !word.carried.is_empty();
    let assigned = words.iter().filter(carried).filter_map(Word::assigned);
    let mut names: Vec<String> = assigned.map(str::to_owned).collect();
    let Some(program) = program_place(words) else { return names };
    let arguments = words.get(program + 1..).unwrap_or_default();
    let texts =
        |words: &[Word]| -> Vec<String> { words.iter().map(|word| word.text.clone()).collect() };
    match words[program].text.as_str() {
        "for" | "select" if arguments.iter().any(|word| !word.carried.is_empty()) => {
            names.extend(texts(arguments.get(..1).unwrap_or_default()));
        }
        // What is read may come from a file of ours.
        "read" | "mapfile" | "readarray" => names.extend(texts(arguments)),
        "set" if arguments.iter().any(|word| !word.carried.is_empty()) => {
            names.extend("@*123456789".chars().map(String::from));
        }
        _ => {}
    }
    names
}

/// Whether the next word would name the program.
pub(super) fn is_program_place(words: &[Word]) -> bool {
    program_place(words).is_none()
}

/// Whether this is an interpreter that takes its code from its standard input.
pub(super) fn reads_code(words: &[Word]) -> bool {
    let Some(program) = program_place(words) else { return false };
    let arguments = words.get(program + 1..).unwrap_or_default();
    Interpreter::named(words[program].program())
        .is_some_and(|interpreter| matches!(interpreter.code(arguments), Code::Input))
}

/// Where the word stands that names the program: after assignments, words of the grammar, and
/// launchers with their options.
fn program_place(words: &[Word]) -> Option<usize> {
    let mut launcher: Option<&str> = None;
    let mut places = words.iter().enumerate();
    while let Some((index, word)) = places.next() {
        // Of several words only the first is assigned; the second would be run.
        if word.assigned().is_some() && !word.several {
            continue;
        }
        if let Some(valued) = launcher {
            if word.is_option() {
                let is_valued = |letter: &str| word.text.len() == 2 && valued.contains(letter);
                if word.text.get(1..).is_some_and(is_valued) {
                    places.next();
                }
                continue;
            }
            // A duration, a number of arguments.
            if word.text.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
        } else if RESERVED.iter().any(|reserved| word.is(reserved)) {
            continue;
        }
        match LAUNCHERS.iter().find(|(name, _)| *name == word.program()) {
            Some((_, valued)) => launcher = Some(valued),
            None => return Some(index),
        }
    }
    None
}
