//! What people see while a run goes on. Displays hear of a case after the record has it, and no
//! fault of theirs ever ends the run.

mod board;
mod canvas;
mod course;
mod display;
mod line;
mod pace;
mod picture;
mod plain;
mod rate;
mod said;
mod screen;
mod spend;
mod tally;

pub use display::Display;
pub use plain::Plain;
pub use spend::Budget;

#[cfg(test)]
mod vt;
