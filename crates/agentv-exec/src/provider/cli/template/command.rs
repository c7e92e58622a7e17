//! One simple command, word by word: whether a value in it would be run.
//!
//! Quoting keeps a value one word. What is left are the words that name a program, and the commands
//! that take a word for code. The lists below are about those that templates are written with; a
//! program of the author's own that evaluates its arguments is beyond what a template can show.

use std::ops::Range;

use super::fault::Refusal;

/// A word as far as it is known before anything is expanded.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// What is written, quotes removed.
    text: String,
    /// Something in it is only known when the command runs.
    expanded: bool,
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

    pub fn carry(&mut self, holes: &[Range<usize>]) {
        if !holes.is_empty() {
            self.expanded = true;
            self.carried.extend(holes.iter().cloned());
        }
    }

    /// An expansion stands in it, with these placeholders inside.
    pub fn expand(&mut self, holes: &[Range<usize>]) {
        self.expanded = true;
        self.carried.extend(holes.iter().cloned());
    }

    pub fn carried(&self) -> &[Range<usize>] {
        &self.carried
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

    /// `NAME=…`; a value after the `=` is only kept, not run.
    fn is_assignment(&self) -> bool {
        let name = self.text.split(['=', '+']).next().unwrap_or_default();
        self.text.contains('=')
            && !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
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

/// Commands that take their words for code or for names that are evaluated.
const EVALUATORS: &[&str] =
    &["eval", "trap", "alias", "let", "declare", "typeset", "[[", ".", "source", "ssh", "su"];

const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"];

/// Interpreters with the letter of the option that takes code; without it their first operand is
/// a script, or (`awk`) the code.
const INTERPRETERS: &[(&str, char)] = &[
    ("python", 'c'),
    ("python2", 'c'),
    ("python3", 'c'),
    ("perl", 'e'),
    ("ruby", 'e'),
    ("node", 'e'),
    ("bun", 'e'),
    ("php", 'r'),
    ("awk", AWK),
    ("gawk", AWK),
    ("mawk", AWK),
];

/// It has no option for code.
const AWK: char = '\0';

/// What is wrong with the values in these words.
pub(super) fn check(words: &[Word]) -> Vec<(Range<usize>, Refusal)> {
    let mut found = Vec::new();
    let Some(program) = program_place(words) else { return found };
    let mut refuse = |word: &Word, refusal: &Refusal| {
        found.extend(word.carried.iter().map(|range| (range.clone(), refusal.clone())));
    };
    refuse(&words[program], &Refusal::Program);
    let name = words[program].program();
    let arguments = words.get(program + 1..).unwrap_or_default();
    let evaluates = EVALUATORS.contains(&name)
        || (matches!(name, "test" | "[" | "printf") && arguments.iter().any(|word| word.is("-v")));
    if evaluates {
        for word in arguments {
            refuse(word, &Refusal::Code(name.to_owned()));
        }
    }
    // A shell may also be named later: `docker exec box sh -c …`, `find … -exec sh -c …`.
    for (index, word) in words.iter().enumerate().skip(program) {
        let code = words.get(index + 1..).unwrap_or_default();
        if index == program && word.expanded {
            // Whatever program this is (`$SHELL`), `-c` is how most of them take code.
            for pair in code.windows(2).filter(|pair| pair[0].is("-c") || pair[0].is("-e")) {
                refuse(&pair[1], &Refusal::Code(pair[0].text.clone()));
            }
        }
        let Some(code_option) = code_option(word.program()) else { continue };
        if let Some(code) = code_word(code, code_option) {
            refuse(code, &Refusal::Code(word.program().to_owned()));
        }
        // What follows are arguments of that code.
        break;
    }
    found
}

/// Whether the next word would name the program.
pub(super) fn is_program_place(words: &[Word]) -> bool {
    program_place(words).is_none()
}

/// Whether this is a shell that takes its commands from its standard input.
pub(super) fn reads_code(words: &[Word]) -> bool {
    program_place(words).is_some_and(|program| {
        let arguments = words.get(program + 1..).unwrap_or_default();
        SHELLS.contains(&words[program].program())
            && arguments.iter().all(|word| word.is_option() && !word.text.contains('c'))
    })
}

/// Where the word stands that names the program: after assignments, words of the grammar, and
/// launchers with their options.
fn program_place(words: &[Word]) -> Option<usize> {
    let mut launcher: Option<&str> = None;
    let mut places = words.iter().enumerate();
    while let Some((index, word)) = places.next() {
        if word.is_assignment() {
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

fn code_option(program: &str) -> Option<char> {
    if SHELLS.contains(&program) {
        return Some('c');
    }
    INTERPRETERS.iter().find(|(name, _)| *name == program).map(|(_, option)| *option)
}

/// The word that an interpreter takes for code or for a script: the one after its code option,
/// else its first operand.
fn code_word(arguments: &[Word], code_option: char) -> Option<&Word> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let short = word.is_option() && !word.text.starts_with("--");
        if short && word.text.contains(code_option) {
            let glued = !word.carried.is_empty();
            return if glued { Some(word) } else { words.next() };
        }
        if code_option == AWK && (word.is("-v") || word.is("-F")) {
            words.next();
        } else if !word.is_option() || word.text.len() < 2 {
            return Some(word);
        }
    }
    None
}
