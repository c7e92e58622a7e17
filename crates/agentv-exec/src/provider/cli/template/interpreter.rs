//! Programs that take a word, a file or their input for code, and how to tell which.

use super::command::Word;

pub(super) struct Interpreter {
    /// Without version: `python3.11` is `python`.
    name: &'static str,
    /// Letters of the options that code follows.
    code: &'static str,
    /// Letters of other options with a value of their own.
    valued: &'static str,
    /// Letters of options after which there is no script: it was named, or there is none.
    done: &'static str,
    long_code: &'static [&'static str],
    long_valued: &'static [&'static str],
    is_shell: bool,
}

const PLAIN: Interpreter = Interpreter {
    name: "",
    code: "",
    valued: "",
    done: "",
    long_code: &[],
    long_valued: &[],
    is_shell: false,
};

const SHELL: Interpreter = Interpreter {
    code: "c",
    valued: "oO",
    long_valued: &["--rcfile", "--init-file"],
    is_shell: true,
    ..PLAIN
};

const NODE: Interpreter = Interpreter {
    code: "ep",
    valued: "r",
    long_code: &["--eval", "--print"],
    long_valued: &["--require", "--import", "--loader"],
    ..PLAIN
};

const INTERPRETERS: &[Interpreter] = &[
    Interpreter { name: "sh", ..SHELL },
    Interpreter { name: "bash", ..SHELL },
    Interpreter { name: "dash", ..SHELL },
    Interpreter { name: "zsh", ..SHELL },
    Interpreter { name: "ksh", ..SHELL },
    Interpreter { name: "mksh", ..SHELL },
    Interpreter { name: "ash", ..SHELL },
    Interpreter { name: "fish", ..SHELL },
    Interpreter { name: "python", code: "c", valued: "WX", done: "m", ..PLAIN },
    Interpreter { name: "pypy", code: "c", valued: "WX", done: "m", ..PLAIN },
    Interpreter { name: "perl", code: "eE", valued: "I", ..PLAIN },
    Interpreter { name: "ruby", code: "e", valued: "rI", ..PLAIN },
    Interpreter { name: "php", code: "r", valued: "dc", done: "f", ..PLAIN },
    Interpreter { name: "node", ..NODE },
    Interpreter { name: "bun", ..NODE },
    Interpreter { name: "awk", valued: "vF", done: "f", ..PLAIN },
    Interpreter { name: "gawk", valued: "vF", done: "f", ..PLAIN },
    Interpreter { name: "mawk", valued: "vF", done: "f", ..PLAIN },
];

/// What an interpreter does with its arguments.
pub(super) enum Code<'w> {
    /// This word is code, given by an option.
    Option(&'w Word),
    /// This word names a script, or is the code without an option.
    Script(&'w Word),
    /// Its standard input is the code.
    Input,
    /// Named by an option, and nothing more to see.
    Elsewhere,
}

impl Interpreter {
    pub fn named(program: &str) -> Option<&'static Self> {
        let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        INTERPRETERS.iter().find(|interpreter| interpreter.name == name)
    }

    pub fn code<'w>(&self, arguments: &'w [Word]) -> Code<'w> {
        let mut words = arguments.iter();
        let (mut code_follows, mut options) = (false, true);
        let mut reads_input = false;
        while let Some(word) = words.next() {
            let text = word.text();
            if options && text == "--" {
                options = false;
            } else if options && text.starts_with("--") {
                if self.long_code.iter().any(|option| text.starts_with(option)) {
                    let glued = !word.carried().is_empty() || text.contains('=');
                    return glued
                        .then_some(word)
                        .or_else(|| words.next())
                        .map_or(Code::Elsewhere, Code::Option);
                }
                if self.long_valued.contains(&text) {
                    words.next();
                }
            } else if options && text.len() > 1 && text.starts_with(['-', '+']) {
                if text.contains(|c| self.code.contains(c)) {
                    if !word.carried().is_empty() {
                        return Code::Option(word);
                    }
                    if !self.is_shell {
                        return words.next().map_or(Code::Elsewhere, Code::Option);
                    }
                    code_follows = true;
                } else if text.contains(|c| self.done.contains(c)) {
                    return Code::Elsewhere;
                }
                reads_input |= self.is_shell && text.contains('s');
                if text.ends_with(|c| self.valued.contains(c)) {
                    words.next();
                }
            } else if code_follows {
                return Code::Option(word);
            } else if reads_input || word.is("-") || word.is("/dev/stdin") {
                return Code::Input;
            } else {
                return Code::Script(word);
            }
        }
        if code_follows { Code::Elsewhere } else { Code::Input }
    }
}
