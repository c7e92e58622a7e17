//! One call that is expected, and whether a call is it.

use agentv_base::{Call, GraderFault};

use super::{
    args::Args,
    tool::{Tool, shown},
    wanted_json::{How, Wanted},
};
use crate::numbers::milliseconds;

/// A call that is expected. What is not said of it does not matter.
#[derive(Clone, Debug)]
pub(in crate::grader) struct Step {
    pub(in crate::grader) tool: Tool,
    pub(in crate::grader) args: Option<Args>,
    /// What the call must give back. Maps of it may have more.
    pub(in crate::grader) output: Option<Wanted>,
    pub(in crate::grader) max_duration_ms: Option<f64>,
    /// Its arguments as they were written, short.
    pub(in crate::grader) shown_args: Option<String>,
}

impl Step {
    /// Any call of a tool.
    pub(in crate::grader) fn of(tool: Tool) -> Self {
        Self { tool, args: None, output: None, max_duration_ms: None, shown_args: None }
    }

    /// Whether every call of the tool will do.
    pub(super) fn takes_any_call(&self) -> bool {
        self.args.is_none() && self.output.is_none() && self.max_duration_ms.is_none()
    }

    /// Whether `call`, the one at `index`, is this one. What the trail does not say of a call that
    /// could be it is a fault.
    pub(super) fn is(&self, index: usize, call: &Call<'_>) -> Result<bool, GraderFault> {
        if !self.tool.is(call.tool) {
            return Ok(false);
        }
        if self.args.as_ref().is_some_and(|args| args.mismatch(call.input).is_some()) {
            return Ok(false);
        }
        if let Some(wanted) = &self.output {
            let Some(output) = call.output else {
                return Err(unknown(index, call, "what it gave back"));
            };
            if wanted.mismatch(output, How::Superset).is_some() {
                return Ok(false);
            }
        }
        if let Some(most) = self.max_duration_ms {
            return Ok(duration_of(index, call)? <= most);
        }
        Ok(true)
    }

    /// What tells a call of the same tool from this one, in words.
    pub(super) fn difference(&self, call: &Call<'_>) -> String {
        if let Some(mismatch) = self.args.as_ref().and_then(|args| args.mismatch(call.input)) {
            return format!("args{}", mismatch.shown());
        }
        if let Some((wanted, output)) = self.output.as_ref().zip(call.output)
            && let Some(mismatch) = wanted.mismatch(output, How::Superset)
        {
            return format!("output{}", mismatch.shown());
        }
        if let Some((most, duration)) = self.max_duration_ms.zip(call.duration_ms)
            && duration > most
        {
            let (duration, most) = (milliseconds(duration), milliseconds(most));
            return format!("took {duration}, allowed ≤{most}");
        }
        "as expected, but not here".to_owned()
    }

    pub(super) fn shown(&self) -> String {
        match &self.shown_args {
            Some(args) => format!("{} {args}", self.tool.shown()),
            None => self.tool.shown(),
        }
    }
}

/// How long a call took; a fault where nobody says.
pub(super) fn duration_of(index: usize, call: &Call<'_>) -> Result<f64, GraderFault> {
    call.duration_ms.ok_or_else(|| unknown(index, call, "how long it took"))
}

fn unknown(index: usize, call: &Call<'_>, what: &str) -> GraderFault {
    let (number, tool) = (index + 1, shown(call.tool));
    GraderFault::new(format!("the trail of call {number}, `{tool}`, does not say {what}"))
}
