//! From a response to a score: the graders, their registry, and what a case's graders add up to.
//!
//! A grader is one file in `grader/` and one line in `registry.rs`; its keys, its other names and
//! its description are methods of its kind, so nothing else has to be told about it. Nothing here
//! starts a process itself (a code judge is handed a runner), reads the environment or prints.

mod assess;
mod case_graders;
mod case_judge;
mod grader;
mod hearing;
mod json_value;
mod kind;
mod later;
mod manual;
mod mean;
mod names;
mod numbers;
mod page;
mod panel;
mod path;
mod registry;
mod shorthand;
#[cfg(test)]
mod testing;
mod told;

pub use agentv_base::GRADER_KEYS as COMMON_KEYS;
pub use assess::{CaseAssessor, GradedCase};
pub use case_graders::{CaseGraders, Lack, build};
pub use case_judge::CaseJudge;
pub use hearing::{Hearing, only_object};
pub use kind::{BuildContext, GraderKind};
pub use later::later_types;
pub use manual::{Answer, Elsewhere, Example, Given, Manual};
pub use page::{Seen, page};
pub use registry::{kind_called, kinds};
pub use shorthand::value_key;
