//! Values that would leave proof if any part of them were ever run.

use agentv_exec::provider::cli::template::TemplateValues;
use proptest::{prelude::*, sample::select};

use crate::sandbox::MAKER;

/// Pieces that break out of one kind of quoting or another.
const PIECES: [&str; 44] = [
    "'",
    "\"",
    "`",
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    ";",
    "&",
    "&&",
    "|",
    "#",
    "!",
    "!!",
    "$",
    "$$",
    "(",
    ")",
    "{",
    "}",
    "${IFS}",
    "*",
    "~",
    "-",
    "--",
    "-rf",
    "%s%n",
    "=",
    "[",
    "]",
    "\u{1}",
    "\u{7f}",
    "\u{81}",
    "‡",
    "日本",
    "é",
    "\u{feff}",
    "$(>CANARY)",
    "`>CANARY`",
    "\n>CANARY\n",
    "';>CANARY;'",
    "\";>CANARY;\"",
    "\nEOF\n>CANARY\n",
];

/// Any text made of such pieces, of ordinary ones, or of any characters but NUL.
pub fn value() -> impl Strategy<Value = String> {
    let pieces =
        prop::collection::vec(select(&PIECES[..]), 0..8).prop_map(|pieces| pieces.concat());
    let any = prop::collection::vec(any::<char>().prop_filter("NUL", |c| *c != '\0'), 0..20)
        .prop_map(|chars| chars.into_iter().collect::<String>());
    let long =
        (select(&PIECES[..]), 1000..6000_usize).prop_map(|(piece, times)| piece.repeat(times));
    prop_oneof![8 => pieces, 2 => any, 1 => long]
}

/// The same text for every value, and what may stand beside it.
pub struct Attack {
    pub value: &'static str,
    pub eval_id: &'static str,
    pub files: &'static [&'static str],
}

/// Sets of values, each made for another hole in the rules.
pub const ATTACKS: [Attack; 7] = [
    Attack { value: MAKER, eval_id: MAKER, files: &[MAKER, MAKER] },
    Attack { value: ">CANARY", eval_id: "-c", files: &["-c", ">CANARY"] },
    Attack { value: "a[$(>CANARY)]", eval_id: "a[$(>CANARY)]=1", files: &["-v", "a[$(>CANARY)]"] },
    Attack {
        value: "x';>CANARY;'\n>CANARY\n$(>CANARY)`>CANARY`",
        eval_id: "\";>CANARY;\"",
        files: &[],
    },
    Attack {
        value: "\\';>CANARY;\\'\nEOF\n>CANARY\n",
        eval_id: "\n>CANARY #",
        files: &["x\n>CANARY\n"],
    },
    Attack { value: "$(>CANARY)", eval_id: "P=1 CANARYMAKER", files: &["}", ">CANARY", ")"] },
    Attack { value: "|CANARYMAKER", eval_id: "x) >CANARY;;", files: &["PATH=.", "-S", MAKER] },
];

impl Attack {
    pub fn files(&self) -> Vec<String> {
        self.files.iter().map(|file| (*file).to_owned()).collect()
    }

    pub fn values<'v>(&'v self, files: &'v [String]) -> TemplateValues<'v> {
        TemplateValues {
            prompt: self.value,
            prompt_file: "prompt-file",
            guidelines: self.value,
            eval_id: self.eval_id,
            attempt: 0,
            files,
            output_file: self.value,
            eval_file: self.eval_id,
            batch_file: self.value,
        }
    }
}
