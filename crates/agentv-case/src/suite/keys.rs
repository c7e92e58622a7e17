//! The language of suites: every key of every part, under every name it ever had.
//!
//! This is the one table that dialects are lowered by. The first name of a key is the one that
//! documents, messages and `agentv convert` use; the others are those of earlier and later
//! dialects. Keys with another meaning are keys of their own, such as `input_messages` (a list of
//! messages) and `input` (a text, a message or a list).

use agentv_base::{GRADER, Key, Part, RUBRICS, Shape, TARGET, Tagged, words_of};

/// What stands in a `file://` reference, or in a list of names.
const NAMES: Shape = Shape::Either(&[Shape::Name, Shape::List(&Shape::Name)]);
const GRADERS: Shape = Shape::List(&GRADER);
const VARS: Shape = Shape::Either(&[Shape::AnyMap, Shape::Name]);
const CASES: Shape =
    Shape::Either(&[Shape::Name, Shape::List(&Shape::Either(&[Shape::Part(&CASE), Shape::Name]))]);
const MESSAGES: Shape = Shape::List(&Shape::Part(&MESSAGE));
/// Messages, or less than that: a text, one message, or the content of one.
const SPOKEN: Shape = Shape::Either(&[Shape::Text, Shape::AnyMap, Shape::List(&Shape::Any)]);

/// What may become of a case whose `depends_on` did not pass, and whether it must have.
pub(super) const ON_DEPENDENCY_FAILURE: [(&str, bool); 2] = [("skip", true), ("run", false)];
const ON_DEPENDENCY_FAILURE_WORDS: Shape = Shape::Choice(&words_of(&ON_DEPENDENCY_FAILURE));

/// Ways of adding up the repeats of a case, as another dialect chooses one of them.
pub(super) const STRATEGIES: [(&str, ()); 3] =
    [("pass_at_k", ()), ("mean", ()), ("confidence_interval", ())];

/// The ways out of keys that are about a whole run.
const USE_BUDGET: &str = "it is the run's: pass `--budget-usd X` to `agentv eval`";
const USE_CACHE: &str = "it is the run's: pass `--cache` to `agentv eval`";

/// Who can say something.
pub(super) const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

const CASES_ABOUT: &str = "The cases: a list of cases and of files with cases, or one such file, \
                           folder or glob (YAML, JSONL, CSV)";
const ASSERT_ABOUT: &str = "Graders that are added to those of every case";

pub const SUITE: Part = Part { what: "suite", tables: &[SUITE_KEYS] };

pub(crate) const SUITE_KEYS: &[Key] = &[
    Key::new("$schema", Shape::Text, "Which schema the file follows; for editors"),
    Key::new("dataset", Shape::Name, "What results call the suite")
        .or(&["name", "suite", "eval_set"])
        .default("the file's name without its ending"),
    Key::new("evalcases", CASES, CASES_ABOUT).or(&["tests", "cases", "eval_cases"]),
    Key::new("target", Shape::Name, "The target that is asked"),
    Key::new(
        "providers",
        Shape::Either(&[Shape::Name, Shape::List(&Shape::Either(&[Shape::Name, TARGET]))]),
        "Targets that are all asked: names, or targets described on the spot",
    )
    .or(&["targets"]),
    Key::new("execution", Shape::Part(&EXECUTION), "How cases are run and graded"),
    Key::new("evaluators", GRADERS, "Graders of the cases that bring none of their own"),
    Key::new("assert", GRADERS, ASSERT_ABOUT).or(&["assertions"]),
    Key::new("evaluator", Shape::Name, "One grader by its type alone, instead of `evaluators`"),
    Key::new("threshold", Shape::Share, "The score from which a case passes").default("0.8"),
    Key::new("judge_target", Shape::Name, "The target that judges where a model must")
        .or(&["grader_target"])
        .default("that of the target"),
    Key::new("repeat", Shape::Count, "How often every case is asked, up to 10,000 times")
        .default("1"),
    Key::new(
        "on_dependency_failure",
        ON_DEPENDENCY_FAILURE_WORDS,
        "Whether cases are asked whose `depends_on` did not pass",
    )
    .default("skip"),
    Key::new("input", SPOKEN, "What is said before the input of every case"),
    Key::new("input_files", NAMES, "Files that are attached to every case"),
    Key::new("tags", NAMES, "Tags of every case, for `--tag`"),
    Key::new("vars", VARS, "Variables of every case, for `{{ … }}`"),
    Key::new(
        "prompts",
        Shape::Either(&[
            Shape::Name,
            Shape::List(&Shape::Either(&[Shape::Name, Shape::Part(&PROMPT)])),
        ]),
        "Prompts with `{{ … }}`; every case is asked with each of them",
    ),
    Key::new(
        "default_test",
        Shape::Either(&[Shape::Part(&DEFAULT_TEST), Shape::Name]),
        "What every case has besides its own",
    ),
    Key::new(
        "scenarios",
        Shape::List(&Shape::Part(&SCENARIO)),
        "Cases that are each asked with several sets of variables",
    ),
    Key::new("evaluate_options", Shape::Part(&EVALUATE_OPTIONS), "How the suite is run"),
    Key::new("version", Shape::Scalar, "For readers; not used"),
    Key::new("author", Shape::Any, "For readers; not used"),
    Key::new("license", Shape::Text, "For readers; not used"),
    Key::new("category", Shape::Text, "For readers; not used"),
    Key::later("rubrics", "rubrics belong to a case, or to an `llm_judge` in `evaluators`"),
    Key::later("requires", "say it in `description`"),
    Key::later("workspace", "prepare the folder in the target's command, and set its `cwd`"),
    Key::later("environment", "prepare the folder in the target's command, and set its `cwd`"),
    Key::later("extensions", "prepare and clean up in the target's command"),
    Key::later("hooks", "prepare and clean up in the target's command"),
    Key::later("env", "set `env` of the target"),
    Key::later("preprocessors", "transform the answer in a `code_judge`"),
    Key::later("derived_metrics", "compute it in a `code_judge`"),
];

pub const CASE: Part = Part { what: "eval case", tables: &[CASE_KEYS] };

pub(crate) const CASE_KEYS: &[Key] = &[
    Key::new("id", Shape::Name, "The name of the case, unique in its suite")
        .default("required, but for CSV rows and suites with `prompts`"),
    Key::new("input_messages", MESSAGES, "What the target is told: a list of messages"),
    Key::new("input", SPOKEN, "What the target is told: a text, a message or a list of them"),
    Key::new("expected_outcome", Shape::Text, "What a good answer does, in words, for judges")
        .or(&["outcome", "criteria"]),
    Key::new("expected_messages", MESSAGES, "A good answer: a list of messages"),
    Key::new("expected_output", SPOKEN, "A good answer: a text, a message or a list of them"),
    Key::new("evaluators", GRADERS, "The graders of the case, instead of the suite's `evaluators`"),
    Key::new("assert", GRADERS, "The same as `evaluators`; both may be given").or(&["assertions"]),
    Key::new("evaluator", Shape::Name, "One grader by its type alone, instead of `evaluators`"),
    Key::new(
        "rubrics",
        RUBRICS,
        "Points that a judge checks one by one: a list, or a file with one",
    ),
    Key::new("execution", Shape::Part(&EXECUTION), "How the case is run and graded"),
    Key::new("threshold", Shape::Share, "The score from which the case passes")
        .default("the suite's"),
    Key::new("judge_target", Shape::Name, "The target that judges where a model must")
        .or(&["grader_target"])
        .default("the suite's"),
    Key::new("repeat", Shape::Count, "How often the case is asked, up to 10,000 times")
        .default("the suite's"),
    Key::new("depends_on", NAMES, "Cases of the suite that are asked before it, by their ids"),
    Key::new(
        "on_dependency_failure",
        ON_DEPENDENCY_FAILURE_WORDS,
        "Whether the case is asked where one of them did not pass",
    )
    .default("the suite's"),
    Key::new("input_files", NAMES, "Files that are attached to the last message of the user"),
    Key::new("vars", VARS, "Variables for `{{ … }}` in the case"),
    Key::new("tags", NAMES, "Tags, for `--tag`"),
    Key::new("conversation_id", Shape::Name, "Copied to results and to batch requests"),
    Key::new("category", Shape::Text, "For readers; not used"),
    Key::later("turns", "write the earlier turns into `input_messages`"),
    Key::later("aggregation", "write the earlier turns into `input_messages`"),
    Key::later("workspace", "prepare the folder in the target's command, and set its `cwd`"),
    Key::later("environment", "prepare the folder in the target's command, and set its `cwd`"),
    Key::later("options", "set them on the target"),
    Key::later("provider", "name the target in `execution.target`"),
];

pub const EXECUTION: Part = Part { what: "execution", tables: &[EXECUTION_KEYS] };

pub(crate) const EXECUTION_KEYS: &[Key] = &[
    Key::new("target", Shape::Name, "The target that is asked; wins over `target` beside it"),
    Key::new("targets", NAMES, "Targets that are all asked").or(&["providers"]),
    Key::new("evaluators", GRADERS, "As `evaluators` beside `execution`, and wins over it"),
    Key::new("assert", GRADERS, "As `assert` beside `execution`, and wins over it")
        .or(&["assertions"]),
    Key::new("skip_defaults", Shape::Bool, "The case has nothing of the suite's graders and input")
        .default("false"),
    Key::new("threshold", Shape::Share, "As `threshold` beside `execution`, and wins over it"),
    Key::new("judge_target", Shape::Name, "As `judge_target` beside `execution`, and wins over it")
        .or(&["grader_target"]),
    Key::new("workers", Shape::Count, "Most invocations at once of a target that sets none")
        .or(&["max_concurrency"])
        .default("4"),
    Key::new("repeat", Shape::Count, "As `repeat` beside `execution`, and wins over it"),
    Key::new(
        "trials",
        Shape::Either(&[Shape::Count, Shape::Part(&TRIALS)]),
        "As `repeat`, in the words of another dialect",
    ),
    Key::later("budget_usd", USE_BUDGET),
    Key::later("total_budget_usd", USE_BUDGET),
    Key::later("cost_limit_usd", USE_BUDGET),
    Key::later("cache", USE_CACHE),
    Key::later("fail_on_error", "a case that cannot be evaluated always makes the exit code 3"),
];

pub const TRIALS: Part = Part { what: "trials", tables: &[TRIALS_KEYS] };

pub(crate) const TRIALS_KEYS: &[Key] = &[
    Key::new("count", Shape::Count, "How often a case is asked, up to 10,000 times").required(),
    Key::new(
        "strategy",
        Shape::Choice(&words_of(&STRATEGIES)),
        "Not needed: all estimates are reported",
    ),
    Key::later("cost_limit_usd", USE_BUDGET),
];

pub const EVALUATE_OPTIONS: Part =
    Part { what: "evaluate_options", tables: &[EVALUATE_OPTIONS_KEYS] };

pub(crate) const EVALUATE_OPTIONS_KEYS: &[Key] = &[
    Key::new("max_concurrency", Shape::Count, "As `execution.workers`").or(&["workers"]),
    Key::new("repeat", Shape::Count, "As `repeat` of the suite, which wins over it"),
    Key::later("cache", USE_CACHE),
    Key::later("delay", "wait in the target's command"),
    Key::later("budget_usd", USE_BUDGET),
    Key::later("timeout_ms", "set `timeout_seconds` of the target"),
    Key::later("max_eval_time_ms", "set `timeout_seconds` of the target"),
];

pub const DEFAULT_TEST: Part = Part { what: "default_test", tables: &[DEFAULT_TEST_KEYS] };

pub(crate) const DEFAULT_TEST_KEYS: &[Key] = &[
    Key::new("vars", VARS, "Variables of every case; a case's own win"),
    Key::new("assert", GRADERS, ASSERT_ABOUT).or(&["assertions", "evaluators"]),
    Key::new("threshold", Shape::Share, "The score from which a case passes"),
    Key::new("tags", NAMES, "Tags of every case, for `--tag`"),
    Key::later("options", "set them on the target"),
];

pub const SCENARIO: Part = Part { what: "scenario", tables: &[SCENARIO_KEYS] };

pub(crate) const SCENARIO_KEYS: &[Key] = &[
    Key::new("id", Shape::Name, "The beginning of the ids of its cases"),
    Key::new(
        "config",
        Shape::List(&Shape::Part(&SCENARIO_CONFIG)),
        "Sets of variables; every case of the scenario is asked with each",
    )
    .required(),
    Key::new("tests", CASES, CASES_ABOUT).or(&["evalcases", "cases", "eval_cases"]).required(),
];

pub const SCENARIO_CONFIG: Part =
    Part { what: "set of variables", tables: &[SCENARIO_CONFIG_KEYS] };

pub(crate) const SCENARIO_CONFIG_KEYS: &[Key] = &[
    Key::new("id", Shape::Name, "What the ids of its cases end in").default("its number"),
    Key::new("vars", VARS, "The variables; a case's own win").required(),
];

pub const PROMPT: Part = Part { what: "prompt", tables: &[PROMPT_KEYS] };

pub(crate) const PROMPT_KEYS: &[Key] = &[
    Key::new("label", Shape::Name, "What the ids of its cases end in where there are several")
        .or(&["id", "name"])
        .default("its number"),
    Key::new("prompt", SPOKEN, "A text, a message, a list of them, or `file://…`")
        .or(&["raw", "template", "messages", "content"])
        .required(),
];

pub const MESSAGE: Part = Part { what: "message", tables: &[MESSAGE_KEYS] };

pub(crate) const MESSAGE_KEYS: &[Key] = &[
    Key::new("role", Shape::Choice(&ROLES), "Who says it").required(),
    Key::new(
        "content",
        Shape::Either(&[
            Shape::Text,
            Shape::List(&Shape::Either(&[Shape::Text, Shape::Tagged(&BLOCK)])),
            Shape::AnyMap,
        ]),
        "A text, a list of texts and blocks, or an object; needed unless there are `tool_calls`",
    ),
    Key::new("name", Shape::Text, "The name of who says it"),
    Key::new("tool_calls", Shape::List(&Shape::Part(&TOOL_CALL)), "Tools that are called with it"),
];

pub const TOOL_CALL: Part = Part { what: "tool call", tables: &[TOOL_CALL_KEYS] };

pub(crate) const TOOL_CALL_KEYS: &[Key] = &[
    Key::new("tool", Shape::Name, "The name of the tool").required(),
    Key::new("input", Shape::Any, "What it was called with"),
    Key::new("output", Shape::Any, "What it gave back"),
    Key::new("id", Shape::Text, "The id of the call"),
    Key::new("timestamp", Shape::Text, "When it was called"),
    Key::new("duration_ms", Shape::Number, "How long it took"),
];

/// Blocks of other types are the author's own.
pub const BLOCK: Tagged =
    Tagged { key: "type", parts: &[("text", &TEXT_BLOCK), ("file", &TEXT_BLOCK)], open: true };

const TEXT_BLOCK: Part = Part { what: "block", tables: &[BLOCK_KEYS] };

pub(crate) const BLOCK_KEYS: &[Key] = &[
    Key::new("type", Shape::Name, "`text`, `file`, or a type of your own"),
    Key::new("value", Shape::Text, "The text, or the path of the file").required(),
];
