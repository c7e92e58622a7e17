//! Types of graders on the command line: shells offer them all, and any text is taken. Who knows
//! the types under all their names, and what was perhaps meant, is the registry.

use std::ffi::OsStr;

use clap::{
    Arg, Command, Error,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};

#[derive(Clone)]
pub(super) struct GraderTypes;

impl TypedValueParser for GraderTypes {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        typed: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, typed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(agentv_grade::kinds().map(|kind| PossibleValue::new(kind.name()))))
    }
}
