//! Answers that are kept, and those that take the place of asking.
//!
//! `cache.rs` keeps answers from run to run, `recording.rs` writes down a whole run, `replaying.rs`
//! answers from such a file, and `dry_run.rs` asks nobody at all. All of them are providers, so what
//! comes before and after an answer is the same as ever. `response.rs` is the form on disk,
//! `place.rs` says which question an answer belongs to.

mod cache;
mod dry_run;
mod entry;
mod line;
mod place;
mod recording;
mod replaying;
mod response;

pub use cache::{Cache, Cached, Ingredients, Journal};
pub use dry_run::DryRun;
pub use entry::Part;
pub use place::{Place, Role, request_sha256, suite_of};
pub use recording::{Recorded, RecordingFile};
pub use replaying::{RecordedAnswers, Replayed};
pub use response::KeptResponse;
