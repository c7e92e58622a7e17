//! What people see while a run goes on. Displays hear of a case after the record has it, and no
//! fault of theirs ever ends the run.

mod bar;
mod line;
mod plain;
mod said;
mod screen;
mod tally;

pub use bar::Bar;
pub use plain::Plain;
