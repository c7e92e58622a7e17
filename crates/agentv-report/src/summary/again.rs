//! The commands that run failed cases again. What the shell makes of them is in `shell`.

use std::path::{Component, Path, PathBuf};

use super::{
    place::Place,
    shell::{flag, literal_pattern, shell_word},
};
use crate::record::Row;

/// Longer commands are not told: nobody reads them, and `--rerun-failed` does the same.
const LONGEST: usize = 500;

/// How to run cases of a run again.
#[derive(Clone, Debug)]
pub struct Again {
    pub run_id: String,
    /// Where the user stands, and the folder that paths of suites start at; both absolute.
    pub current_dir: PathBuf,
    pub root: PathBuf,
    pub how: AgainHow,
    /// Flags of the run that its outcome depends on, each with its value where it has one.
    pub flags: Vec<(&'static str, Option<String>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgainHow {
    /// The case is asked anew; of its target alone, where the run has several or was told which.
    Ask { with_target: bool },
    /// The answer that is there is graded anew.
    Grade,
}

impl Again {
    /// The command that runs just the case of a row; nothing where it would be too long.
    pub(crate) fn case(&self, row: &Row<'_>) -> Option<String> {
        self.one(&Place::of(row))
    }

    /// The same of a case by its place.
    pub(super) fn one(&self, place: &Place) -> Option<String> {
        let mut words = vec!["agentv".to_owned()];
        match self.how {
            AgainHow::Ask { .. } => {
                words.push("eval".to_owned());
                words.push(shell_word(&self.path_of(&place.suite)).into_owned());
            }
            AgainHow::Grade => {
                words.push("grade".to_owned());
                words.push(shell_word(&self.run_id).into_owned());
            }
        }
        words.push(flag("--eval-id", &literal_pattern(&place.eval_id)));
        if self.how == (AgainHow::Ask { with_target: true }) {
            words.push(flag("--target", &place.target));
        }
        for (name, value) in &self.flags {
            words.push(match value {
                Some(value) => flag(name, value),
                None => (*name).to_owned(),
            });
        }
        let command = words.join(" ");
        (command.chars().count() <= LONGEST).then_some(command)
    }

    /// The command that runs again all that failed, and what erred.
    pub(super) fn all_failed(&self) -> String {
        format!("agentv eval --rerun-failed {}", shell_word(&self.run_id))
    }

    pub(super) fn all_errors(&self) -> String {
        format!("agentv eval --rerun-errors {}", shell_word(&self.run_id))
    }

    /// A file of the project, as one types it where one stands.
    pub fn path_of(&self, from_root: &str) -> String {
        let whole = self.root.join(from_root);
        let path = relative(&whole, &self.current_dir).unwrap_or(whole);
        let path = path.to_string_lossy().into_owned();
        if path.starts_with('-') { format!("./{path}") } else { path }
    }
}

/// `path` as it is found from `folder`; nothing where they have nothing in common.
fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    let (path, folder): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (path.components().collect(), folder.components().collect());
    let common = path.iter().zip(&folder).take_while(|(one, other)| one == other).count();
    if common < 2 {
        return None;
    }
    let up = folder.iter().skip(common).map(|_| Component::ParentDir);
    Some(up.chain(path.into_iter().skip(common)).collect())
}

#[cfg(test)]
mod tests;
