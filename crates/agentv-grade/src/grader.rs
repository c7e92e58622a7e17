//! The graders, one file each, and the two small pieces they share.

pub(crate) mod code_judge;
pub(crate) mod contains;
pub(crate) mod equals;
mod immediate;
pub(crate) mod negated;
pub(crate) mod regex;
pub(crate) mod tool_trajectory;
mod wanted;
