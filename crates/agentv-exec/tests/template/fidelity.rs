//! Templates of every accepted form hand over values unchanged, and run nothing of them.

use std::fs;

use agentv_exec::provider::cli::template::{CommandTemplate, TemplateValues};
use proptest::{prelude::*, sample::select, test_runner::TestRunner};

use crate::{cases, hostile, sandbox::Sandbox};

/// Commands that write the prompt to the file OUT.
const FRAGMENTS: [&str; 25] = [
    "printf %s {PROMPT} > OUT",
    "> OUT printf %s {PROMPT}",
    "printf '%s' {PROMPT} >OUT 2>/dev/null",
    "printf %s {PROMPT} | cat > OUT",
    "first {PROMPT} > OUT",
    "first {PROMPT} extra {EVAL_ID} > OUT",
    "P={PROMPT} variable > OUT",
    "P={PROMPT}; first \"$P\" > OUT",
    "P={PROMPT}; export P; variable > OUT",
    "export P={PROMPT}; variable > OUT",
    "env P={PROMPT} variable > OUT",
    "timeout 60 first {PROMPT} > OUT",
    "nice -n 1 env X=1 first {PROMPT} > OUT",
    "cat {FILES} > OUT",
    "cat < {PROMPT_FILE} > OUT",
    "(first {PROMPT}) > OUT",
    "{ first {PROMPT}; } > OUT",
    "if tool {EVAL_ID}; then first {PROMPT} > OUT; else tool; fi",
    "for x in {PROMPT}; do first \"$x\" > OUT; done",
    "set -- {PROMPT}; first \"$1\" > OUT",
    "case {EVAL_ID} in zzz) tool ;; *) first {PROMPT} > OUT ;; esac",
    "first \\\n  {PROMPT} \\\n  > OUT",
    "[ -s {PROMPT_FILE} ] && first {PROMPT} > OUT",
    "tool \"$(first {PROMPT})\" && first {PROMPT} > OUT",
    "tool $(first {PROMPT}) `tool` \"it's\" '\"' \\' # it's\nfirst {PROMPT} > OUT",
];

#[test]
fn every_value_arrives_unchanged_and_nothing_of_it_is_run() {
    let sandbox = Sandbox::new();
    let fragments = prop::collection::vec(
        (select(&FRAGMENTS[..]), select(&["; ", "\n", " && ", "\n\n# it's\n"][..])),
        1..4,
    );
    let input = (fragments, hostile::value(), hostile::value());
    let mut runner = TestRunner::new(cases(80));
    let result = runner.run(&input, |(fragments, prompt, eval_id)| {
        let mut template = String::new();
        for (index, (fragment, separator)) in fragments.iter().enumerate() {
            if index > 0 {
                template.push_str(separator);
            }
            template.push_str(&fragment.replace("OUT", &format!("out{index}")));
        }
        let parsed = CommandTemplate::parse(&template, None)
            .map_err(|faults| TestCaseError::fail(format!("{template}\n{faults:#?}")))?;
        let prompt_file = sandbox.work().with_file_name("the prompt's file");
        fs::write(&prompt_file, &prompt).unwrap();
        let prompt_file = prompt_file.to_str().unwrap().to_owned();
        let script = parsed.render(&TemplateValues {
            prompt: &prompt,
            prompt_file: &prompt_file,
            eval_id: &eval_id,
            files: std::slice::from_ref(&prompt_file),
            ..TemplateValues::default()
        });
        for shell in 0..sandbox.shells() {
            prop_assert!(!sandbox.runs_a_value(shell, &script, &eval_id), "{}", script);
            for index in 0..fragments.len() {
                // An empty prompt makes `[ -s … ]` false, so there is no output then.
                let out = sandbox.work().join(format!("out{index}"));
                let written = fs::read(out).unwrap_or_default();
                prop_assert!(written == prompt.as_bytes(), "shell {}: {}", shell, script);
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
