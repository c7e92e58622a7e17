//! Reading the keys of a trajectory. Everything is read before anything is given up, so that all
//! problems are told.

use agentv_base::{Diagnostic, Fields, Node, Problems, count_limit_of, nearest};

use super::{
    super::{
        json_text,
        trajectory::{
            args::{Args, ArgsMatch},
            limits::Limits,
            numbers::calls,
            step::Step,
            tool::Tool,
            wanted_json::{How, Wanted},
        },
    },
    EXPECTED_TOOL, MODES, Trajectory, checks,
};

pub(super) fn trajectory(fields: &Fields<'_>, problems: &mut Problems) -> Option<Trajectory> {
    let mode = fields
        .optional("mode", problems, |fields, key, problems| fields.choice(key, &MODES, problems));
    let ways = Ways::read(fields, problems);
    let expected = read_expected(fields, ways.as_ref(), problems);
    let limits = read_limits(fields, problems);
    let (mode, expected, limits) = (mode?, expected, limits?);
    let has_expected = fields.get("expected").is_some();
    checks::mode(mode, has_expected, &limits, fields, problems)?;
    let trajectory = Trajectory { mode, expected: expected?, limits };
    ways?.check(&trajectory.expected, problems)?;
    checks::contradictions(&trajectory, fields, problems)?;
    Some(trajectory)
}

/// How arguments are compared where a call does not say it.
struct Ways<'n> {
    default: ArgsMatch<'n>,
    by_tool: Vec<(&'n str, &'n Node, ArgsMatch<'n>)>,
}

impl<'n> Ways<'n> {
    fn read(fields: &Fields<'n>, problems: &mut Problems) -> Option<Self> {
        let default = match fields.get("args_match") {
            Some(node) => ArgsMatch::read(node, problems),
            None => Some(ArgsMatch::Whole(How::Exact)),
        };
        let by_tool: Option<Vec<_>> = match fields.get("args_match_by_tool") {
            None => Some(Vec::new()),
            Some(node) => fields.map("args_match_by_tool", problems).and_then(|entries| {
                if entries.is_empty() {
                    problems.error(node.span, "`args_match_by_tool` is empty");
                    return None;
                }
                let read: Vec<_> = entries
                    .iter()
                    .map(|entry| {
                        let way = ArgsMatch::read(&entry.value, problems)?;
                        Some((&*entry.key, &entry.value, way))
                    })
                    .collect();
                read.into_iter().collect()
            }),
        };
        Some(Self { default: default?, by_tool: by_tool? })
    }

    fn of(&self, tool: &str) -> ArgsMatch<'n> {
        let own = self.by_tool.iter().find(|(name, _, _)| *name == tool);
        own.map_or(self.default, |(_, _, way)| *way)
    }

    /// A way to compare calls that nobody expects is a name that was misspelt.
    fn check(&self, expected: &[Step], problems: &mut Problems) -> Option<()> {
        let mut good = true;
        for (name, node, _) in &self.by_tool {
            if expected.iter().all(|step| step.tool.written() != *name) {
                good = false;
                let problem = Diagnostic::error(format!("no call of `{name}` is expected"));
                let problem = problem.at(node.span);
                let near = nearest(name, expected.iter().map(|step| step.tool.written()));
                problems.push(match near {
                    Some(near) => problem.hint(format!("did you mean `{near}`?")),
                    None => problem,
                });
            }
        }
        good.then_some(())
    }
}

/// The calls of `expected`, each a name or a map. None where the key is absent; nothing where it is
/// wrong.
fn read_expected(
    fields: &Fields<'_>,
    ways: Option<&Ways<'_>>,
    problems: &mut Problems,
) -> Option<Vec<Step>> {
    if fields.get("expected").is_none() {
        return Some(Vec::new());
    }
    let items = fields.list("expected", problems)?;
    let read: Vec<_> = items.iter().map(|item| read_step(item, ways, problems)).collect();
    read.into_iter().collect()
}

fn read_step(item: &Node, ways: Option<&Ways<'_>>, problems: &mut Problems) -> Option<Step> {
    if let Some(name) = item.as_str() {
        if name.trim().is_empty() {
            problems.error(item.span, "the name of an expected tool is blank");
            return None;
        }
        return Some(Step::of(Tool::named(name)));
    }
    let call = Fields::read(item, "expected tool", EXPECTED_TOOL.tables, problems)?;
    let name = match call.required("tool", problems) {
        Some(_) => call.non_blank("tool", problems),
        None => None,
    };
    let own_way = match call.get("args_match") {
        Some(node) => ArgsMatch::read(node, problems).map(Some),
        None => Some(None),
    };
    let max_duration_ms = call.optional("max_duration_ms", problems, Fields::positive);
    for key in ["args", "output"] {
        if let Some(entry) = call.entry(key).filter(|entry| entry.value.is_null()) {
            problems.push(
                Diagnostic::error(format!("`{key}` is null, which would say nothing"))
                    .code("wrong-type")
                    .at(entry.value.span)
                    .hint("leave it out, or say what is expected"),
            );
        }
    }
    let output = match call.get("output") {
        Some(node) => Wanted::read(node, problems).map(Some),
        None => Some(None),
    };
    let way = match own_way {
        Some(Some(way)) => Some(way),
        Some(None) => ways.map(|ways| name.map_or(ways.default, |name| ways.of(name))),
        None => None,
    };
    let args = match (call.get("args"), own_way, way) {
        (Some(node), _, Some(way)) => Args::read(node, way, problems),
        // The way is wrong, which was told; what else is wrong is told with any way.
        (Some(node), _, None) => {
            Args::read(node, ArgsMatch::Whole(How::Exact), problems);
            None
        }
        (None, Some(Some(ArgsMatch::Whole(_) | ArgsMatch::Fields(_))), _) => {
            let span = call.entry("args_match").map_or(item.span, |entry| entry.key_span);
            problems.push(
                Diagnostic::error("there are no `args` to match, so any would do")
                    .code("missing-key")
                    .at(span)
                    .hint("add `args: …`"),
            );
            None
        }
        (None, own_way, _) => own_way.map(|_| None),
    };
    let (name, args) = (name?, args?);
    let shown_args =
        args.as_ref().and(call.get("args")).map(|node| json_text::shown(&node.to_json()));
    Some(Step {
        tool: Tool::named(name),
        args,
        output: output?,
        max_duration_ms: max_duration_ms?,
        shown_args,
    })
}

fn read_limits(fields: &Fields<'_>, problems: &mut Problems) -> Option<Limits> {
    let minimums = read_counts("minimums", fields, problems);
    let maximums = read_counts("maximums", fields, problems);
    let forbidden = read_forbidden(fields, problems);
    let min_steps = fields.optional("min_steps", problems, Fields::count);
    let max_steps = fields.optional("max_steps", problems, Fields::count_limit);
    let max_call = fields.optional("max_call_duration_ms", problems, Fields::positive);
    let max_total = fields.optional("max_total_duration_ms", problems, Fields::positive);
    Some(Limits {
        minimums: minimums?,
        maximums: maximums?,
        forbidden: forbidden?,
        min_steps: min_steps?,
        max_steps: max_steps?.map(calls),
        max_call_duration_ms: max_call?,
        max_total_duration_ms: max_total?,
    })
}

/// A number for each tool. Empty where the key is absent; nothing where it is wrong.
fn read_counts(
    key: &str,
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<Vec<(String, usize)>> {
    let Some(node) = fields.get(key) else {
        return Some(Vec::new());
    };
    let entries = fields.map(key, problems)?;
    if entries.is_empty() {
        return empty(key, node, problems);
    }
    let read: Vec<_> = entries
        .iter()
        .map(|entry| {
            let name = format!("{key}.{}", entry.key);
            let count = count_limit_of(&name, &entry.value, problems);
            if entry.key.trim().is_empty() {
                problems.error(entry.key_span, format!("a tool of `{key}` is blank"));
                return None;
            }
            Some((entry.key.trim().to_owned(), calls(count?)))
        })
        .collect();
    read.into_iter().collect()
}

fn read_forbidden(fields: &Fields<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let Some(node) = fields.get("forbidden") else {
        return Some(Vec::new());
    };
    let items = fields.list("forbidden", problems)?;
    if items.is_empty() {
        return empty("forbidden", node, problems);
    }
    let read: Vec<_> = items
        .iter()
        .map(|item| {
            let name = item.as_str().map(str::trim).filter(|name| !name.is_empty());
            if name.is_none() {
                problems.error(item.span, "a forbidden tool must be a name that is not blank");
            }
            name.map(str::to_owned)
        })
        .collect();
    read.into_iter().collect()
}

fn empty<T>(key: &str, node: &Node, problems: &mut Problems) -> Option<T> {
    problems.error(node.span, format!("`{key}` is empty, so every answer would pass"));
    None
}
