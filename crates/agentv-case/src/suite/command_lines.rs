//! Command lines of graders, in which no variable of a case may stand.
//!
//! A line is read by a shell, and a variable is data: an apostrophe in it would break the line, and
//! more would be run. A variable can be an argument of its own, which no shell reads, or a part of
//! what the judge is told.

use agentv_base::{Diagnostic, Node, NodeValue, Span};

use super::template::{is_template, tell};
use crate::interpolate::Interpolation;

/// Where a grader says what to run.
const COMMANDS: [&str; 3] = ["script", "command", "path"];

/// Where graders stand inside of others, and of what a case says of its execution.
const NESTED: [&str; 4] = ["evaluators", "assertions", "assert", "aggregator"];

/// After these an argument is code, for shells and for other languages.
const CODE_FOLLOWS: [&str; 3] = ["-c", "-e", "--eval"];

/// Reports every command line in graders, as they are written, that a variable would become a part
/// of.
pub(super) fn refuse_variables(graders: &Node, case: Span, settings: &mut Interpolation<'_, '_>) {
    match &graders.value {
        NodeValue::List(items) => {
            for item in items.iter() {
                refuse_variables(item, case, settings);
            }
        }
        NodeValue::Map(entries) => {
            for entry in entries.iter() {
                if COMMANDS.contains(&&*entry.key) {
                    for line in lines(&entry.value) {
                        tell(problem().at(line.span), line.span, case, settings.problems);
                    }
                } else if NESTED.contains(&&*entry.key) {
                    refuse_variables(&entry.value, case, settings);
                }
            }
        }
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => {}
    }
}

/// What of a command is code, and has templates in it.
fn lines(command: &Node) -> Vec<&Node> {
    let has_template = |node: &&Node| node.as_str().is_some_and(is_template);
    let Some(arguments) = command.as_list() else {
        return Some(command).filter(has_template).into_iter().collect();
    };
    let is_code = |pair: &&[Node]| {
        pair.first().and_then(Node::as_str).is_some_and(|flag| CODE_FOLLOWS.contains(&flag))
    };
    let code = arguments.windows(2).filter(is_code).filter_map(|pair| pair.get(1));
    // The program itself is code too.
    arguments.first().into_iter().chain(code).filter(has_template).collect()
}

fn problem() -> Diagnostic {
    Diagnostic::error("a variable would become a part of this command, which is code")
        .code("unsafe-template")
        .hint(
            "hand it over as an argument, `command: [sh, judge.sh, \"{{ name }}\"]`, or in `config`",
        )
}
