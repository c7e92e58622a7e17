//! Cases that build on others: what they say, and whether that can be done.
//!
//! A case may name one that stands behind it, or in another file of the suite. So names are looked
//! up when all cases are there.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use agentv_base::{Dependency, Diagnostic, EvalCase, Fields, Problems, Span, excerpt, nearest};

use super::keys::ON_DEPENDENCY_FAILURE;

/// Enough of an id to recognise it.
const SHOWN_ID: usize = 80;
/// Most ids of a circle that a message shows.
const SHOWN_CIRCLE: usize = 10;
/// Most circles that are told; whoever has more sees others when these are gone.
const TOLD_CIRCLES: usize = 20;
/// Unknown names that the nearest known one is looked up for: with many cases that takes its time.
const HINTED: usize = 20;

/// What the id of a case begins with and ends in because of its scenario and its prompt.
pub(super) struct Surroundings {
    before: String,
    after: String,
}

impl Surroundings {
    pub(super) fn new(before: &str, after: &str) -> Option<Self> {
        let some = !before.is_empty() || !after.is_empty();
        some.then(|| Self { before: before.to_owned(), after: after.to_owned() })
    }

    /// The id of the case that is combined with the same.
    fn of(&self, id: &str) -> String {
        format!("{}{id}{}", self.before, self.after)
    }
}

/// Whether the others must have passed, by the word of a suite or a case.
pub(super) fn must_pass(fields: &Fields<'_>, problems: &mut Problems) -> Option<bool> {
    let key = "on_dependency_failure";
    let node = fields.get(key)?;
    if node.as_str().is_some_and(|word| word.trim() == "fail") {
        problems.push(Diagnostic::error(format!("`{key}` cannot be `fail`")).at(node.span).hint(
            "a case that was not asked has not failed: `skip` leaves it out, counts it as not \
                 run and makes the exit code 3",
        ));
        return None;
    }
    fields.choice(key, &ON_DEPENDENCY_FAILURE, problems)
}

/// What a case depends on, under the names that it gives.
pub(super) fn read(
    fields: &Fields<'_>,
    of_suite: Option<bool>,
    problems: &mut Problems,
) -> Arc<[Dependency]> {
    let own = must_pass(fields, problems);
    let Some(node) = fields.get("depends_on") else {
        if let Some(entry) = fields.entry("on_dependency_failure").filter(|_| own.is_some()) {
            problems.push(
                Diagnostic::warning(format!("`{}` has no effect here", entry.key))
                    .code("misplaced-key")
                    .at(entry.key_span)
                    .hint("the case has no `depends_on`"),
            );
        }
        return Arc::default();
    };
    let must_pass = own.or(of_suite).unwrap_or(true);
    let items = node.as_list().unwrap_or(std::slice::from_ref(node));
    if items.is_empty() {
        problems.push(
            Diagnostic::error("`depends_on` is empty")
                .at(node.span)
                .hint("name a case, or remove the key"),
        );
    }
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        match item.as_str() {
            Some(id) if id.trim().is_empty() => {
                problems.error(item.span, "a name in `depends_on` is blank");
            }
            Some(id) => found.push(Dependency { id: id.into(), span: item.span, must_pass }),
            None => {
                let message = format!("`depends_on` takes strings, not {}", item.kind_name());
                problems.push(Diagnostic::error(message).code("wrong-type").at(item.span));
            }
        }
    }
    found.into()
}

/// Looks up what cases depend on. What cannot be is reported and left out.
pub(super) fn resolve(
    cases: &mut [Arc<EvalCase>],
    variants: &HashMap<Arc<str>, Surroundings>,
    problems: &mut Problems,
) {
    if cases.iter().all(|case| case.depends_on.is_empty()) {
        return;
    }
    let mut places: HashMap<Arc<str>, usize> = HashMap::with_capacity(cases.len());
    for (place, case) in cases.iter().enumerate() {
        places.entry(Arc::clone(&case.input.eval_id)).or_insert(place);
    }
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); cases.len()];
    let mut hinted = 0;
    for (place, (case, edges)) in cases.iter_mut().zip(&mut edges).enumerate() {
        if case.depends_on.is_empty() {
            continue;
        }
        let mut resolved: Vec<Dependency> = Vec::with_capacity(case.depends_on.len());
        let mut named: HashSet<usize> = HashSet::with_capacity(case.depends_on.len());
        for dependency in case.depends_on.iter() {
            let variant = variants.get(&case.input.eval_id).map(|known| known.of(&dependency.id));
            let known = variant.and_then(|id| places.get_key_value(&*id));
            let Some((id, other)) = known.or_else(|| places.get_key_value(&dependency.id)) else {
                let hint = (hinted < HINTED).then(|| nearest(&dependency.id, ids(&places)));
                hinted += 1;
                problems.push(unknown(dependency, hint.flatten()));
                continue;
            };
            if *other == place {
                problems.push(of_itself(id, dependency.span));
            } else if named.insert(*other) {
                edges.push(Edge { to: *other, span: dependency.span });
                resolved.push(Dependency { id: Arc::clone(id), ..dependency.clone() });
            } else {
                let id = excerpt(id, SHOWN_ID);
                let message = format!("`{id}` stands twice in `depends_on`");
                problems.push(bad(message, dependency.span).hint("keep one of them"));
            }
        }
        Arc::make_mut(case).depends_on = resolved.into();
    }
    report_circles(cases, &edges, problems);
}

fn ids(places: &HashMap<Arc<str>, usize>) -> impl Iterator<Item = &str> {
    places.keys().map(|id| &**id)
}

fn bad(message: String, span: Span) -> Diagnostic {
    Diagnostic::error(message).code("bad-dependency").at(span)
}

fn unknown(dependency: &Dependency, near: Option<&str>) -> Diagnostic {
    let id = excerpt(&dependency.id, SHOWN_ID);
    let problem = Diagnostic::error(format!("no eval case of this suite is called `{id}`"))
        .code("unknown-case")
        .at(dependency.span);
    match near {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint("a case can only depend on cases of its own suite"),
    }
}

fn of_itself(id: &str, span: Span) -> Diagnostic {
    let id = excerpt(id, SHOWN_ID);
    bad(format!("`{id}` depends on itself: {id} → {id}"), span).hint("remove it")
}

/// A case that another depends on.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    span: Span,
}

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    No,
    OnTheWay,
    Yes,
}

/// Goes along what cases depend on, each way once. Chains may be as long as a suite, so the way is
/// a list and no recursion.
fn report_circles(cases: &[Arc<EvalCase>], edges: &[Vec<Edge>], problems: &mut Problems) {
    let mut seen = vec![Seen::No; cases.len()];
    let mut told = 0;
    for start in 0..cases.len() {
        if seen.get(start) != Some(&Seen::No) {
            continue;
        }
        // A case, and how many of its edges have been gone along.
        let mut way: Vec<(usize, usize)> = vec![(start, 0)];
        set(&mut seen, start, Seen::OnTheWay);
        while let Some((at, gone)) = way.last_mut() {
            let Some(edge) = edges.get(*at).and_then(|edges| edges.get(*gone)) else {
                set(&mut seen, *at, Seen::Yes);
                way.pop();
                continue;
            };
            *gone += 1;
            match seen.get(edge.to) {
                Some(Seen::No) => {
                    set(&mut seen, edge.to, Seen::OnTheWay);
                    way.push((edge.to, 0));
                }
                Some(Seen::OnTheWay) if told == TOLD_CIRCLES => return,
                Some(Seen::OnTheWay) => {
                    told += 1;
                    let from = way.iter().position(|(at, _)| *at == edge.to).unwrap_or_default();
                    problems.push(circle(cases, edges, way.get(from..).unwrap_or_default()));
                }
                Some(Seen::Yes) | None => {}
            }
        }
    }
}

fn set(seen: &mut [Seen], place: usize, to: Seen) {
    if let Some(seen) = seen.get_mut(place) {
        *seen = to;
    }
}

/// What is said of a way that ends where it begins.
fn circle(cases: &[Arc<EvalCase>], edges: &[Vec<Edge>], way: &[(usize, usize)]) -> Diagnostic {
    let id = |place: usize| {
        cases.get(place).map_or_else(String::new, |case| excerpt(case.id(), SHOWN_ID))
    };
    let first = way.first().map_or_else(String::new, |(at, _)| id(*at));
    let mut shown: Vec<String> = way.iter().take(SHOWN_CIRCLE).map(|(at, _)| id(*at)).collect();
    if way.len() > SHOWN_CIRCLE {
        shown.push(format!("… ({} more)", way.len() - SHOWN_CIRCLE));
    }
    shown.push(first);
    let mut steps = way.iter().take(SHOWN_CIRCLE).filter_map(|(at, gone)| {
        let edge = edges.get(*at)?.get(gone.checked_sub(1)?)?;
        Some((*at, *edge))
    });
    let span = steps.next().map(|(_, edge)| edge.span).unwrap_or_default();
    let message = format!("cases depend on each other in a circle: {}", shown.join(" → "));
    let problem = bad(message, span).hint("one of them must not depend on the next");
    steps.fold(problem, |problem, (at, edge)| {
        problem.note(edge.span, format!("`{}` depends on `{}`", id(at), id(edge.to)))
    })
}
