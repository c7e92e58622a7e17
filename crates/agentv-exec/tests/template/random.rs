//! Whatever template is accepted, however it came about, never runs a value.

use std::cell::Cell;

use agentv_exec::provider::cli::template::{CommandTemplate, Placeholder};
use proptest::{prelude::*, sample::select, test_runner::TestRunner};

use crate::{cases, hostile::ATTACKS, sandbox::Sandbox};

/// What random templates are made of: values, quotes, operators, and the commands of the rules.
const TOKENS: &[&str] = &[
    "{PROMPT}",
    "{PROMPT}",
    "{PROMPT}",
    "{EVAL_ID}",
    "{FILES}",
    "{PROMPT_FILE}",
    "{OUTPUT_FILE}",
    "{ATTEMPT}",
    "{{PROMPT}}",
    "${PROMPT}",
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\n",
    ";",
    "; ",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "&>",
    "<",
    ">",
    ">>",
    "<<",
    "<<<",
    "<>",
    ">&",
    "<&",
    "2>",
    "10>",
    "<(",
    ">(",
    "(",
    ")",
    "((",
    "))",
    "$(",
    "$((",
    "${",
    "}",
    "{",
    "{ ",
    "; }",
    "$",
    "$'",
    "$\"",
    "'",
    "'",
    "\"",
    "\"",
    "`",
    "\\",
    "\\\n",
    " \\\n",
    "#",
    " #",
    "!",
    "! ",
    "*",
    "?",
    "[",
    "]",
    "[ ",
    " ]",
    "[[ ",
    " ]]",
    "=",
    "+=",
    "P=",
    "P={PROMPT}",
    "$P",
    "\"$P\"",
    "${P",
    "${P:-",
    "${P}",
    "$1",
    "$@",
    "\"$AGENTV_EVAL_ID\"",
    "set -- ",
    "read P ",
    "EOF",
    "<<EOF",
    "<<'EOF'",
    "\nEOF\n",
    "tool",
    "tool ",
    "tool ",
    "cat ",
    "eval ",
    "sh ",
    "bash ",
    "-c ",
    "-s ",
    "env ",
    "exec ",
    "command ",
    "timeout 5 ",
    "nice ",
    "xargs ",
    "-v ",
    "test ",
    "-eq ",
    "1 ",
    "printf ",
    "%s ",
    "trap ",
    "export ",
    "for f in ",
    "; do ",
    "; done",
    "if ",
    "; then ",
    "; fi",
    "while ",
    "case x in ",
    "x) ",
    ";; ",
    "esac",
];

/// Good templates, to be spoiled.
const BASES: &[&str] = &[
    "tool {PROMPT} {EVAL_ID}",
    "tool \"$(cat {PROMPT_FILE})\" {PROMPT}",
    "P={PROMPT} tool x {PROMPT}; tool {PROMPT}",
    "for f in {FILES} x; do tool \"$f\" {PROMPT}; done",
    "P={PROMPT}; tool \"$P\" | cat {PROMPT_FILE}",
    "set -- {FILES}; tool \"$@\" {PROMPT} && sh x {PROMPT}",
    "if [ -s {PROMPT_FILE} ]; then tool {PROMPT}; fi",
    "case {EVAL_ID} in x) tool {PROMPT} ;; *) tool {PROMPT} ;; esac",
    "cat > x <<EOF\nhello $P\nEOF\ntool {PROMPT}",
    "env P={PROMPT} timeout 5 tool {FILES} {PROMPT}",
    "{ tool {PROMPT}; (tool {EVAL_ID}); } 2>&1 # that's it\ntool {PROMPT}",
    "tool 'a b' \"c $P d\" \\\n --x={PROMPT} -y {FILES} &\ntool {PROMPT}",
    "tool $(tool {PROMPT} `tool x` $((1 + 2))) ${P:-x} {PROMPT}",
    "tool {FILES} {PROMPT} && sh x {PROMPT}",
    "tool <(cat {PROMPT_FILE}) $'x' {PROMPT} <<< {PROMPT}",
];

fn token() -> impl Strategy<Value = &'static str> {
    select(TOKENS)
}

/// A good template with some tokens put in, taken out or written over at random places.
fn spoiled() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), token(), 0..3_usize);
    (select(BASES), prop::collection::vec(change, 1..5)).prop_map(|(base, changes)| {
        let mut template: Vec<char> = base.chars().collect();
        for (place, token, removed) in changes {
            let start = place.index(template.len() + 1);
            let end = (start + removed).min(template.len());
            template.splice(start..end, token.chars());
        }
        template.into_iter().collect()
    })
}

fn template() -> impl Strategy<Value = String> {
    let made_up = prop::collection::vec(token(), 1..12).prop_map(|tokens| tokens.concat());
    let with_tool =
        prop::collection::vec(token(), 1..8).prop_map(|tokens| format!("tool {}", tokens.concat()));
    prop_oneof![2 => made_up, 2 => with_tool, 3 => spoiled()]
}

#[test]
fn no_accepted_template_ever_runs_a_value() {
    let sandbox = Sandbox::new();
    let tried = Cell::new(0_u32);
    let mut runner = TestRunner::new(cases(150));
    let result = runner.run(&template(), |template| {
        let Ok(parsed) = CommandTemplate::parse(&template, None) else {
            return Ok(());
        };
        let values = [Placeholder::Prompt, Placeholder::EvalId, Placeholder::Files];
        if !values.into_iter().any(|one| parsed.mentions(one)) {
            return Ok(());
        }
        tried.set(tried.get() + 1);
        for attack in &ATTACKS {
            let files = attack.files();
            let script = parsed.render(&attack.values(&files));
            for shell in 0..sandbox.shells() {
                let ran = sandbox.runs_a_value(shell, &script, attack.eval_id);
                prop_assert!(!ran, "shell {} ran a value of {:?}:\n{}", shell, template, script);
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    println!("{} templates were accepted and tried", tried.get());
    assert!(tried.get() > 0, "no random template was accepted, so nothing was tried");
}
