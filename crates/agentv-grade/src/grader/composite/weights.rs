//! Weights of members that their composite gives them.

use std::collections::{HashMap, HashSet};

use agentv_base::{Diagnostic, Fields, Problems, limit_of, nearest};

use crate::case_graders::NamedGrader;

/// By the names of members.
pub(super) type Weights = HashMap<String, f64>;

/// The nearest name is looked for among all members, which can be many; of so many mistakes.
const MOST_HINTS: usize = 10;

/// What `weights` of an aggregator says, or nothing where that is wrong. Without `members`, which
/// could not be built, their names are not looked at.
pub(super) fn read(
    settings: &Fields<'_>,
    members: Option<&[NamedGrader]>,
    problems: &mut Problems,
) -> Option<Weights> {
    let Some(node) = settings.get("weights") else { return Some(Weights::new()) };
    let entries = settings.map("weights", problems)?;
    if entries.is_empty() {
        problems.error(node.span, "`weights` is empty");
        return None;
    }
    let names = || members.unwrap_or_default().iter().map(|member| member.name.as_ref());
    let known: HashSet<&str> = names().collect();
    let mut wrong = 0;
    let mut weights = Weights::with_capacity(entries.len());
    for entry in entries {
        let name = entry.key.trim();
        if members.is_some() && !known.contains(name) {
            wrong += 1;
            let near = nearest(name, names().filter(|_| wrong <= MOST_HINTS));
            problems.push(
                Diagnostic::error(format!("`weights` names no member with `{name}`"))
                    .at(entry.key_span)
                    .hint(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "a member is called by its `name`, else by its type".to_owned(),
                    }),
            );
        }
        match limit_of(&format!("weights.{name}"), &entry.value, problems) {
            Some(weight) => drop(weights.insert(name.to_owned(), weight)),
            None => wrong += 1,
        }
    }
    (wrong == 0).then_some(weights)
}
