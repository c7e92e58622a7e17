//! Performs one invocation: `process` runs programs and knows nothing of evals; `provider` knows
//! how each kind of target is asked.

pub mod process;
pub mod provider;
pub mod scratch;
