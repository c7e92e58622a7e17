//! One folder or file for each kind of target.

pub mod cli;
