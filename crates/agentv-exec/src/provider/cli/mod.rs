//! The `cli` provider: any command line, one process a case or one process a batch.

pub mod template;
