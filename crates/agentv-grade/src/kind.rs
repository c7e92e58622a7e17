//! What every kind of grader says about itself. Which kinds there are is said in the registry.

use std::{path::Path, sync::Arc, time::Duration};

use agentv_base::{Fields, Grader, Key, Problems, ProcessRunner};

use crate::manual::Manual;

/// One kind of grader: everything the loader, the listings and the hints need to know of it.
pub trait GraderKind: Sync {
    /// The name in rows and messages, in snake_case.
    fn name(&self) -> &'static str;

    /// Other names in snake_case. Kebab case is understood for every name and need not be listed.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// What it does, in one line.
    fn description(&self) -> &'static str;

    /// Its page: what it does in full, with examples, and what other tools call it.
    fn manual(&self) -> Manual;

    /// Its own keys, beside the common ones.
    fn keys(&self) -> &'static [Key];

    /// Whether `not_` in front of the name makes sense. The texts of such a grader state facts
    /// about the answer (`contains …`, `does not contain …`), which stay true when hits and misses
    /// change places.
    fn can_be_negated(&self) -> bool {
        false
    }

    /// Makes a grader of checked settings. Gives nothing where it reported an error.
    fn build(
        &self,
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>>;
}

/// What graders are built with.
pub struct BuildContext<'a> {
    /// The folder of the suite: relative paths start here, and judges run here.
    pub suite_dir: &'a Path,
    /// The same folder as problems show it.
    pub shown_dir: &'a Path,
    pub processes: &'a Arc<dyn ProcessRunner>,
    /// The deadline of a judge that sets none of its own; none where deadlines are off.
    pub agent_timeout: Option<Duration>,
}
