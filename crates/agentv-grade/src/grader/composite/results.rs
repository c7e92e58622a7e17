//! What members said, for the program or the model that adds it up.

use agentv_base::GraderResult;
use serde::{Serialize, Serializer};

/// Results by the names of their graders, in the order of the graders; each as rows have it.
pub(in crate::grader) struct ByName<'a>(pub(in crate::grader) &'a [GraderResult]);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|result| (&result.name, result)))
    }
}
