//! Reads a template as a shell would, to know in which context each placeholder stands.
//!
//! It understands as much of the shell's grammar as decides about quoting, and where shells read
//! something differently it takes the reading that refuses. It does not run or expand anything.

use std::{collections::HashSet, ops::Range};

use super::{
    command::{self, Word},
    fault::{Refusal, TemplateFault, TemplateText},
    placeholder::Hole,
};

/// All faults of a text whose holes are known.
pub(super) fn check(text: &str, which: TemplateText, holes: &[Hole]) -> Vec<TemplateFault> {
    let mut reader = Reader {
        text,
        which,
        holes,
        at: 0,
        depth: 0,
        holders: OUR_VARIABLES.iter().map(ToString::to_string).collect(),
        held: Vec::new(),
        faults: Vec::new(),
    };
    if which == TemplateText::FilesFormat {
        // Files are arguments of a program that stands before them in the command.
        reader.list(None, vec![Word::literal("program")]);
    } else {
        reader.list(None, Vec::new());
    }
    reader.faults
}

/// What every command finds in its environment, and what holds or names a value.
const OUR_VARIABLES: &[&str] =
    &["AGENTV_EVAL_ID", "AGENTV_PROMPT_FILE", "AGENTV_BATCH_FILE", "AGENTV_OUTPUT_FILE"];

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    which: TemplateText,
    holes: &'t [Hole],
    pub(super) at: usize,
    /// How many command substitutions are open.
    pub(super) depth: usize,
    /// Variables that hold a value.
    holders: HashSet<String>,
    /// Where such a variable is used.
    held: Vec<Range<usize>>,
    faults: Vec<TemplateFault>,
}

/// A here-document whose body begins on the next line.
struct Pending {
    delimiter: String,
    strips_tabs: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Redirection {
    Input,
    Output,
    /// `>&` and `<&`, whose word some shells expand a second time.
    Duplicate,
}

/// What is known of the command that is being read.
#[derive(Default)]
struct State {
    words: Vec<Word>,
    word: Option<Word>,
    /// The word that comes next is a file, not a part of the command.
    redirected: Option<Redirection>,
    /// Standard input comes from a file.
    has_input: bool,
    pending: Vec<Pending>,
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn starts_with(&self, prefix: &str) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
    }

    /// The placeholder that begins here.
    pub(super) fn hole(&self) -> Option<&Hole> {
        let index = self.holes.binary_search_by_key(&self.at, |hole| hole.range.start).ok()?;
        self.holes.get(index)
    }

    /// Placeholders with a value between two places.
    pub(super) fn holes_in(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        self.holes
            .iter()
            .filter(|hole| hole.holds_a_value())
            .filter(|hole| range.start <= hole.range.start && hole.range.end <= range.end)
            .map(|hole| hole.range.clone())
            .collect()
    }

    /// Placeholders between two places, and variables that hold the value of one.
    fn carried_in(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let held =
            self.held.iter().filter(|held| range.start <= held.start && held.end <= range.end);
        self.holes_in(range).into_iter().chain(held.cloned()).collect()
    }

    /// A variable is used: the word carries what it holds.
    pub(super) fn use_variable(&mut self, name: &str, range: Range<usize>, word: &mut Word) {
        word.expand(&[]);
        if self.holders.contains(name) {
            word.expand(std::slice::from_ref(&range));
            self.held.push(range);
        }
    }

    pub(super) fn refuse(&mut self, range: &Range<usize>, refusal: &Refusal) {
        if self.faults.iter().any(|fault| fault.range == *range) {
            return;
        }
        let shown = self.text.get(range.clone()).unwrap_or_default();
        self.faults.push(TemplateFault {
            text: self.which,
            range: range.clone(),
            message: refusal.message(shown),
            hint: Some(refusal.hint(shown)),
        });
    }

    pub(super) fn refuse_in(
        &mut self,
        range: &Range<usize>,
        refusal: &Refusal,
    ) -> Vec<Range<usize>> {
        let inside = self.holes_in(range);
        for hole in &inside {
            self.refuse(hole, refusal);
        }
        inside
    }

    pub(super) fn fault(&mut self, start: usize, message: &str) {
        self.faults.push(TemplateFault {
            text: self.which,
            range: start..self.text.len(),
            message: message.to_owned(),
            hint: None,
        });
    }

    /// Reads commands up to `end`, which is taken too. Gives the placeholders inside.
    pub(super) fn list(&mut self, end: Option<u8>, words: Vec<Word>) -> Vec<Range<usize>> {
        let start = self.at;
        let mut state = State { words, ..State::default() };
        while let Some(byte) = self.peek() {
            if end == Some(byte) {
                self.end_command(&mut state);
                if !state.pending.is_empty() {
                    self.fault(start, "a here-document is not ended before its `)`");
                }
                self.at += 1;
                return self.carried_in(&(start..self.at));
            }
            self.step(byte, &mut state);
        }
        self.end_command(&mut state);
        if !state.pending.is_empty() {
            self.fault(start, "a here-document has no end");
        }
        if end.is_some() {
            self.fault(start, "a `(` is not closed");
        }
        self.carried_in(&(start..self.at))
    }

    /// Takes the next piece of a list of commands.
    fn step(&mut self, byte: u8, state: &mut State) {
        if let Some(hole) = self.hole() {
            let (range, value) = (hole.range.clone(), hole.holds_a_value());
            self.at = range.end;
            let word = state.word.get_or_insert_default();
            if self.text.get(range.clone()) == Some("{FILES}") {
                word.become_several();
            }
            if value {
                word.carry(&[range]);
            } else {
                word.push_text("{");
            }
            return;
        }
        match byte {
            b' ' | b'\t' => self.end_word(state),
            b'\n' => {
                self.end_command(state);
                self.at += 1;
                for pending in std::mem::take(&mut state.pending) {
                    self.here_document(&pending);
                }
                return;
            }
            b';' | b'&' | b'|' => {
                self.end_command(state);
                // `&>` is a redirection where it is known, and a background command elsewhere:
                // either way what follows the `>` is a file.
            }
            // The end of a pattern of `case`, which a command follows.
            b')' => self.end_command(state),
            b'(' => return self.parenthesis(state),
            b'<' | b'>' => return self.redirection(state),
            b'#' if state.word.is_none() => return self.comment(),
            _ => return self.word_piece(byte, state),
        }
        self.at += 1;
    }

    fn parenthesis(&mut self, state: &mut State) {
        let start = self.at;
        if state.word.is_none() && self.starts_with("((") {
            self.at += 2;
            self.arithmetic(start);
            return;
        }
        self.end_word(state);
        self.at += 1;
        self.list(Some(b')'), Vec::new());
        // What may follow is the body of a function: a command of its own.
        state.words.clear();
    }

    /// To the end of `((…))`; the opening was taken.
    pub(super) fn arithmetic(&mut self, start: usize) -> Vec<Range<usize>> {
        let mut open = 2;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                // A variable in here is evaluated, and what it holds again.
                let range = start..self.at;
                let inside = self.text.get(range.clone()).unwrap_or_default();
                if self.holders.iter().any(|name| inside.contains(name.as_str())) {
                    self.refuse(&range, &Refusal::Arithmetic);
                }
                return self.refuse_in(&range, &Refusal::Arithmetic);
            }
        }
        self.fault(start, "arithmetic is not closed");
        self.refuse_in(&(start..self.at), &Refusal::Arithmetic)
    }

    fn comment(&mut self) {
        let start = self.at;
        self.at = self.rest().find('\n').map_or(self.text.len(), |length| start + length);
        self.refuse_in(&(start..self.at), &Refusal::Comment);
        if self.which == TemplateText::FilesFormat {
            self.fault(start, "a comment would swallow the rest of the command");
        }
    }

    fn redirection(&mut self, state: &mut State) {
        // A number right before it is a part of it.
        if state.word.as_ref().is_some_and(Word::is_number) {
            state.word = None;
        }
        self.end_word(state);
        if self.starts_with("<(") || self.starts_with(">(") {
            self.at += 2;
            let inside = self.list(Some(b')'), Vec::new());
            state.word.get_or_insert_default().expand(&inside);
            return;
        }
        let mut direction =
            if self.peek() == Some(b'<') { Redirection::Input } else { Redirection::Output };
        state.has_input |= direction == Redirection::Input;
        if self.starts_with("<<<") {
            self.at += 3;
        } else if self.starts_with("<<") {
            self.at += 2;
            return self.here_document_start(state);
        } else {
            self.at += 1;
            if self.peek() == Some(b'&') {
                direction = Redirection::Duplicate;
            }
            if matches!(self.peek(), Some(b'>' | b'|' | b'&')) {
                self.at += 1;
            }
        }
        state.redirected = Some(direction);
    }

    fn here_document_start(&mut self, state: &mut State) {
        let strips_tabs = self.peek() == Some(b'-');
        if strips_tabs {
            self.at += 1;
        }
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let start = self.at;
        while self.peek().is_some_and(|byte| !b" \t\n;&|<>()".contains(&byte)) {
            self.at += 1;
        }
        if !self.refuse_in(&(start..self.at), &Refusal::HereDocument).is_empty() {
            return;
        }
        let word = self.text.get(start..self.at).unwrap_or_default();
        if word.is_empty() || word.contains(['$', '`']) {
            self.fault(start, "the end of a here-document must be a plain word");
            return;
        }
        let delimiter = word.replace(['\'', '"', '\\'], "");
        state.pending.push(Pending { delimiter, strips_tabs });
    }

    fn here_document(&mut self, pending: &Pending) {
        let start = self.at;
        while self.at < self.text.len() {
            let line = self.rest().split('\n').next().unwrap_or_default();
            let length = line.len();
            let shown = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
            let ends = shown == pending.delimiter;
            self.at = (self.at + length + 1).min(self.text.len());
            if ends {
                self.refuse_in(&(start..self.at), &Refusal::HereDocument);
                return;
            }
        }
        self.refuse_in(&(start..self.at), &Refusal::HereDocument);
        self.fault(start, "a here-document has no end");
    }

    /// Takes a piece of a word: text, quotes, or something that is expanded.
    fn word_piece(&mut self, byte: u8, state: &mut State) {
        let start = self.at;
        let word = state.word.get_or_insert_default();
        match byte {
            b'\\' => {
                self.at += 1;
                if let Some(hole) = self.hole().map(|hole| hole.range.clone()) {
                    self.refuse(&hole, &Refusal::Backslash);
                    return;
                }
                let next = self.rest().chars().next();
                self.at += next.map_or(0, char::len_utf8);
                if let Some(next) = next.filter(|next| *next != '\n') {
                    word.push_text(next.encode_utf8(&mut [0; 4]));
                }
            }
            b'\'' => {
                word.quote();
                self.single_quotes(word);
            }
            b'"' => {
                word.quote();
                self.at += 1;
                self.double_quotes(start, word);
            }
            b'`' => self.backticks(word),
            b'$' => self.dollar(word),
            _ => {
                let c = self.rest().chars().next().unwrap_or_default();
                self.at += c.len_utf8();
                word.push_text(c.encode_utf8(&mut [0; 4]));
            }
        }
    }

    fn end_word(&mut self, state: &mut State) {
        let Some(word) = state.word.take() else { return };
        if let Some(direction) = state.redirected.take() {
            let runs = match direction {
                Redirection::Input => command::reads_code(&state.words),
                Redirection::Output => false,
                Redirection::Duplicate => true,
            };
            if runs {
                for range in word.carried() {
                    self.refuse(range, &Refusal::Code("its reader".to_owned()));
                }
            }
            // Files are several words: only the first is redirected to, the others stand for
            // themselves.
            if word.carried().iter().any(|range| self.text.get(range.clone()) == Some("{FILES}")) {
                state.words.push(word);
            }
            return;
        }
        // The `)` of a pattern would be taken for the end of the substitution.
        if self.depth > 0 && command::is_program_place(&state.words) && word.is("case") {
            self.fault(self.at, "`case` inside `$(…)` cannot be read safely: put it in a script");
        }
        state.words.push(word);
    }

    fn end_command(&mut self, state: &mut State) {
        self.end_word(state);
        state.redirected = None;
        for (range, refusal) in command::check(&state.words) {
            self.refuse(&range, &refusal);
        }
        self.holders.extend(command::holders(&state.words));
        if command::evaluates_names(&state.words, &self.holders) {
            self.fault(self.at, "a variable that holds a value would be evaluated");
        }
        let piped = !std::mem::take(&mut state.has_input) && command::reads_code(&state.words);
        if piped && self.holes.iter().any(Hole::holds_a_value) {
            let message = "a program that reads code from its input could run a value";
            self.fault(self.at, message);
        }
        state.words.clear();
    }
}
