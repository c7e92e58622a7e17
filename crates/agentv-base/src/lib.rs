//! The words that every part of AgentV shares, and the seams between the parts.
//!
//! Nothing here reads a file, starts a process, prints or looks at the clock. A file is named
//! after the word it holds; a reader who knows these words can read any other crate.

mod blanks;
mod call;
mod case;
mod choice;
mod diagnostic;
mod event;
mod excerpt;
mod exit;
mod failure;
mod future;
mod grader;
mod json_line;
mod judge;
mod key;
mod key_table;
mod message;
mod messages;
mod nearest;
mod node;
mod outcome;
mod price;
mod process;
mod process_limits;
mod prompt;
mod provider;
mod redact;
mod request;
mod response;
mod retry;
mod rubric;
mod schema;
mod score;
mod settings;
mod source;
mod stop;
mod stop_rule;
mod target;
mod text;
mod trace;
mod usage;
mod word;

pub use blanks::Blanks;
pub use call::Call;
pub use case::{CasePlace, Dependency, EvalCase, NamedTarget, Suite};
pub use choice::{choice_of, words_of};
pub use diagnostic::{Diagnostic, Note, Piece, Problems, Severity};
pub use event::{RunEvent, Sink, SinkFault, Totals};
pub use excerpt::{escape_controls, excerpt, excerpt_ends, tail};
pub use exit::{ended_by, exited};
pub use failure::{Failure, FailureKind, FaultClass};
pub use future::BoxFuture;
pub use grader::{Assessor, GradeContext, Grader, GraderFault};
pub use json_line::{append_json, plain_prefix};
pub use judge::{
    Appointed, Bench, CalibrationNote, CheckRecord, Exchange, Judge, JudgeAnswer, JudgeQuestion,
    JudgeRecord, JudgeWish, Repair,
};
pub use key::{
    FREE_KEYS, GRADER, GRADER_KEYS, Key, MEMBERS, OWN_KEY_PREFIX, Part, Shape, TARGET, Tagged,
    camel_case, find_key,
};
pub use key_table::{key_table, names_in_words, parts_of, shape_in_words};
pub use message::{Message, ToolCall};
pub use messages::{Messages, Reference};
pub use nearest::nearest;
pub use node::{Entry, Node, NodeValue, Span};
pub use outcome::{FailedAttempt, Outcome, SettledCase, SkipReason, SkippedCase, Spent};
pub use price::{PRICE, Price, PriceList};
pub use process::{
    Captured, Exit, LeakedProcess, ProcessFault, ProcessOutput, ProcessRunner, ProcessSpec,
    Program, Stdin, Stdout, WriteInput,
};
pub use process_limits::{MAX_CPU_SECONDS, MAX_MEMORY_MB, ProcessLimits};
pub use prompt::{ChatMessage, ChatRole};
pub use provider::{Answer, Answers, AskAgain, Batching, Provider};
pub use redact::{Redactor, holds_secret, is_secret_name, is_token_count};
pub use request::{Input, Request};
pub use response::{
    CommandRaw, CommandRun, Earlier, ModelRaw, Provenance, Raw, RecordRaw, Response,
};
pub use retry::{Backoff, RetryPolicy};
pub use rubric::{RUBRIC, RUBRICS, SCORE_RANGE};
pub use schema::{SchemaWriter, VARIABLE_PATTERN, WrittenBy};
pub use score::{Assessment, Grade, GraderResult, Score, Verdict, reaches};
pub use settings::{Fields, count_limit_of, count_of, is_free, limit_of, share_of};
pub use source::{Source, SourceId, Sources};
pub use stop::{Stop, StopLevel};
pub use stop_rule::StopRule;
pub use target::{TARGET_KEYS, TargetSpec};
pub use text::Text;
pub use trace::{TraceEvent, TraceEventKind, TraceSummary};
pub use usage::TokenUsage;
pub use word::Word;
