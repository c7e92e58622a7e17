//! The fields of a row and of what stands in it, for its JSON Schema: one line each, in the order
//! of the file. The row itself says how they are written; a test holds the two together.

use agentv_base::{Key, Part, Shape};

const TEXTS: Shape = Shape::List(&Shape::Text);
const VERDICT: Shape = Shape::Choice(&["pass", "borderline", "fail"]);

pub const ROW: Part = Part { what: "result", tables: &[ROW_KEYS] };

const ROW_KEYS: &[Key] = &[
    Key::new("timestamp", Shape::Text, "When the case was settled").required(),
    Key::new("eval_id", Shape::Text, "The id of the case").required(),
    Key::new("dataset", Shape::Text, "The name of its suite").required(),
    Key::new("suite", Shape::Text, "The suite's file, from the repository root").required(),
    Key::new("target", Shape::Text, "Who was asked").required(),
    Key::new("repeat", Shape::Count, "Which repetition it is, from 1").required(),
    Key::new(
        "status",
        Shape::Choice(&["passed", "failed", "error"]),
        "How it ended; `error`: it could not be evaluated",
    )
    .required(),
    Key::new("score", Shape::Share, "Null for an error").required().default("null"),
    Key::new("verdict", VERDICT, "Null for an error").required().default("null"),
    Key::new("threshold", Shape::Share, "The score from which it passes; null if not graded")
        .required()
        .default("null"),
    Key::new("hits", TEXTS, "What graders found, in their order").required(),
    Key::new("misses", TEXTS, "What graders missed, in their order").required(),
    Key::new("candidate_answer", Shape::Text, "The answer; null where there was none")
        .required()
        .default("null"),
    Key::new("reasoning", Shape::Text, "What graders gave as reasons"),
    Key::new("evaluator_results", Shape::List(&RESULT), "What each grader said"),
    Key::new("trace_summary", Shape::Part(&TRACE_SUMMARY), "The trail of the answer in numbers"),
    Key::new("output_messages", Shape::List(&Shape::Part(&MESSAGE)), "With `--include-trace`"),
    Key::new("trace", Shape::List(&Shape::Part(&TRACE_EVENT)), "With `--include-trace`"),
    Key::new("conversation_id", Shape::Text, "That of the case"),
    Key::new("tags", TEXTS, "Those of the case"),
    Key::new("question", Shape::Text, "What was asked, up to 8,192 characters of it"),
    Key::new(
        "question_omitted",
        Shape::Count,
        "Characters left out of it; `--include-prompts` keeps them",
    ),
    Key::new("reference_answer", Shape::Text, "What was expected, where the case failed"),
    Key::new("reference_omitted", Shape::Count, "Characters left out of it"),
    Key::new("attempts", Shape::Count, "How often it was asked for").required(),
    Key::new(
        "failed_attempts",
        Shape::List(&Shape::Part(&FAILED_ATTEMPT)),
        "The attempts before the one that counts",
    ),
    Key::new("duration_ms", Shape::Number, "How long the invocation took, where that is known"),
    Key::new("token_usage", Shape::Part(&TOKEN_USAGE), "What the target says it took"),
    Key::new("cost_usd", Shape::Number, "What the target says it cost"),
    Key::new("error", Shape::Text, "Why it could not be evaluated"),
    Key::new("error_kind", Shape::Text, "The same in one word, such as `timeout`"),
    Key::new("error_class", Shape::Text, "Where to look for the cause of the error"),
    Key::new("cached", Shape::Bool, "The answer was kept from an earlier run: nobody was asked"),
    Key::new("fingerprint", Shape::Text, "Of all that the outcome depends on besides chance"),
    Key::new("file", Shape::Name, "The file that the case stands in, where that is not its suite"),
    Key::new("line", Shape::Count, "The line of that file, else of the suite"),
    Key::new("leaked_processes", TEXTS, "What could not be ended, as `pid command`"),
    Key::new("dropped_elements", Shape::Count, "Elements of messages and trace that did not fit"),
];

// A result of a grader that is made of others contains theirs: only statics can go in a circle.
static RESULT: Shape = Shape::Part(&GRADER_RESULT);
static GRADER_RESULT: Part = Part { what: "grader result", tables: &[&GRADER_RESULT_KEYS] };
static GRADER_RESULT_KEYS: [Key; 15] = [
    Key::new("name", Shape::Text, "What the suite calls the grader").required(),
    Key::new("type", Shape::Text, "Its type in snake_case").required(),
    Key::new("score", Shape::Share, "Null where the grader failed").required().default("null"),
    Key::new("weight", Shape::Number, "Its share in the mean").required(),
    Key::new("required_score", Shape::Share, "The score below which it alone fails the case"),
    Key::new("verdict", VERDICT, "Null where the grader failed").required().default("null"),
    Key::new("barred", Shape::Bool, "A required part of it was not met, which fails the case"),
    Key::new("hits", TEXTS, "What it found").required(),
    Key::new("misses", TEXTS, "What it missed").required(),
    Key::new("reasoning", Shape::Text, "What it gave as a reason"),
    Key::new("duration_ms", Shape::Number, "How long it took").required(),
    Key::new("stderr", Shape::Text, "The end of what a program that judged wrote beside its score"),
    Key::new("judge", Shape::Part(&JUDGE), "What was asked of a model"),
    Key::new("error", Shape::Text, "Why it gave no score"),
    Key::new("evaluator_results", Shape::List(&RESULT), "What the graders that it is made of said"),
];

const JUDGE: Part = Part {
    what: "judge",
    tables: &[&[
        Key::new("target", Shape::Text, "The target that judged").required(),
        Key::new("fingerprint", Shape::Text, "Which judge it was, as in its calibration"),
        Key::new("asks", Shape::Number, "How often it was asked, also in vain").required(),
        Key::new("samples", Shape::List(&Shape::Share), "The score of each sample"),
        Key::new("spread", Shape::Number, "The standard deviation of the samples"),
        Key::new("checks", Shape::List(&Shape::Part(&CHECK)), "What it said of each rubric"),
        Key::new("token_usage", Shape::Part(&TOKEN_USAGE), "What it took, where that is known"),
        Key::new("cost_usd", Shape::Number, "What it cost, where that is known"),
        Key::new("calibration", Shape::Part(&CALIBRATION), "How well it agreed with people"),
        Key::new("exchanges", Shape::List(&Shape::Part(&EXCHANGE)), "With `--include-prompts`"),
    ]],
};

const CHECK: Part = Part {
    what: "check",
    tables: &[&[
        Key::new("id", Shape::Text, "The rubric").required(),
        Key::new("score", Shape::Share, "How far it is met").required(),
        Key::new("reasoning", Shape::Text, "Why"),
    ]],
};

const CALIBRATION: Part = Part {
    what: "calibration",
    tables: &[&[
        Key::new("measured_at", Shape::Text, "When it was measured").required(),
        Key::new("labels", Shape::Number, "Answers with a label of a person").required(),
        Key::new("accuracy", Shape::Share, "The share of labels that it agreed with").required(),
        Key::new("kappa", Shape::Number, "Cohen's kappa; null where it is not defined")
            .required()
            .default("null"),
        Key::new("true_positive_rate", Shape::Share, "Of good answers, the share that it passed"),
        Key::new("true_negative_rate", Shape::Share, "Of bad answers, the share that it failed"),
        Key::new("errors", Shape::Number, "Judgements that could not be had then"),
        Key::new("pass_from", Shape::List(&Shape::Share), "From where answers passed then"),
        Key::new("passes_here_from", Shape::Share, "From where they pass here, where that differs"),
    ]],
};

const EXCHANGE: Part = Part {
    what: "exchange",
    tables: &[&[
        Key::new("instructions", Shape::Text, "How it was told to answer").required(),
        Key::new("prompt", Shape::Text, "What it was asked").required(),
        Key::new("repair", Shape::Text, "What was wrong with its answer before"),
        Key::new("answer", Shape::Text, "What it said").required(),
    ]],
};

const TRACE_SUMMARY: Part = Part {
    what: "trace summary",
    tables: &[&[
        Key::new("eventCount", Shape::Number, "How many events there are").required(),
        Key::new("toolNames", TEXTS, "The tools that were called, sorted").required(),
        Key::new("toolCallsByName", Shape::MapOf(&Shape::Count), "How often each").required(),
        Key::new("errorCount", Shape::Number, "How many events are errors").required(),
    ]],
};

const MESSAGE: Part = Part {
    what: "message",
    tables: &[&[
        Key::new("role", Shape::Text, "Who says it").required(),
        Key::new("name", Shape::Text, "The name of who says it"),
        Key::new("content", Shape::Any, "What is said"),
        Key::new("tool_calls", Shape::List(&Shape::Part(&TOOL_CALL)), "Tools that were called"),
        Key::new("timestamp", Shape::Text, "When it was said"),
        Key::new("metadata", Shape::AnyMap, "The target's own"),
    ]],
};

const TOOL_CALL: Part = Part {
    what: "tool call",
    tables: &[&[
        Key::new("tool", Shape::Text, "The name of the tool").required(),
        Key::new("input", Shape::Any, "What it was called with"),
        Key::new("output", Shape::Any, "What it gave back"),
        Key::new("id", Shape::Text, "The id of the call"),
        Key::new("timestamp", Shape::Text, "When it was called"),
        Key::new("duration_ms", Shape::Number, "How long it took"),
    ]],
};

const TRACE_EVENT: Part = Part {
    what: "trace event",
    tables: &[&[
        Key::new(
            "type",
            Shape::Choice(&["model_step", "tool_call", "tool_result", "message", "error"]),
            "What happened",
        )
        .required(),
        Key::new("timestamp", Shape::Text, "When"),
        Key::new("id", Shape::Text, "The id of the event"),
        Key::new("name", Shape::Text, "The name of the tool"),
        Key::new("text", Shape::Text, "What was said"),
        Key::new("input", Shape::Any, "What a tool was called with"),
        Key::new("output", Shape::Any, "What it gave back"),
        Key::new("metadata", Shape::AnyMap, "The target's own"),
    ]],
};

const FAILED_ATTEMPT: Part = Part {
    what: "failed attempt",
    tables: &[&[
        Key::new("error", Shape::Text, "Why it failed").required(),
        Key::new("error_kind", Shape::Text, "The same in one word").required(),
        Key::new("duration_ms", Shape::Number, "How long it took; null if shared by a batch")
            .required()
            .default("null"),
        Key::new("token_usage", Shape::Part(&TOKEN_USAGE), "What it took all the same"),
        Key::new("cost_usd", Shape::Number, "What it cost all the same"),
    ]],
};

const TOKEN_USAGE: Part = Part {
    what: "token usage",
    tables: &[&[
        Key::new("input", Shape::Number, "Tokens that were read").required(),
        Key::new("output", Shape::Number, "Tokens that were written").required(),
        Key::new("cached", Shape::Number, "Tokens that were read from a cache"),
    ]],
};

#[cfg(test)]
mod tests;
