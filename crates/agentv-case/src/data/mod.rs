//! Cases as data: a JSON object a line, or a row of a table. What the keys mean is not known here.

mod csv;
mod json;
mod records;
mod sound_json;

pub(crate) use self::{
    csv::Table,
    json::{json_lines, json_value},
    records::Records,
};
