//! `{{ … }}` in cases that have variables → text.
//!
//! The language is Jinja's. A variable that nobody gave is an error at its place, and so is
//! everything else that goes wrong: a prompt with a hole in it would be graded all the same.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use agentv_base::{Diagnostic, Entry, Node, NodeValue, Problems, Span, is_secret_name, nearest};
use minijinja::{
    Environment, ErrorKind, UndefinedBehavior, Value, escape_formatter,
    syntax::SyntaxConfig,
    value::{Serde, ValueKind, merge_maps},
};
use serde_json::Map;

use crate::interpolate::Interpolation;

/// Steps that one text may take: far above any prompt, and over in a blink.
const FUEL: u64 = 1_000_000;

/// The engine, set up once for a suite.
pub(super) struct Templates {
    engine: Environment<'static>,
}

/// The variables of one case.
pub(super) struct Scope {
    pub(super) vars: Arc<[Entry]>,
    /// Where the case stands.
    pub(super) case: Span,
    context: Value,
}

impl Scope {
    pub(super) fn new(vars: Arc<[Entry]>, case: Span) -> Self {
        let context = vars
            .iter()
            .map(|entry| (entry.key.to_string(), Value::from(Serde(entry.value.to_json()))))
            .collect::<BTreeMap<String, Value>>();
        Self { vars, case, context: Value::from(context) }
    }

    /// The value of a variable; null counts as absent.
    pub(super) fn var(&self, name: &str) -> Option<&Node> {
        let entry = self.vars.iter().find(|entry| &*entry.key == name)?;
        Some(&entry.value).filter(|node| !node.is_null())
    }

    pub(super) fn to_json(&self) -> Map<String, serde_json::Value> {
        self.vars.iter().map(|entry| (entry.key.to_string(), entry.value.to_json())).collect()
    }

    fn get(&self, path: &str) -> Option<&Node> {
        let mut names = path.split('.');
        let first = names.next()?;
        let entry = self.vars.iter().find(|entry| &*entry.key == first)?;
        names.try_fold(&entry.value, |node, name| node.get(name))
    }
}

impl Default for Templates {
    fn default() -> Self {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_fuel(Some(FUEL));
        // A text keeps its last line break, as it would without a template in it.
        if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
            engine.set_syntax(syntax);
        }
        // Inside of a text, values are told as the later dialects' engine and JSON tell them, and
        // not as Python does; null is nothing.
        engine.set_formatter(|out, state, value| {
            let as_json = matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::Bool);
            if value.is_none() {
                Ok(())
            } else if as_json {
                Ok(out.write_str(&json(value)?)?)
            } else {
                escape_formatter(out, state, value)
            }
        });
        // The name that the later dialects' engine has for it.
        engine.add_filter("dump", json);
        Self { engine }
    }
}

fn json(value: &Value) -> Result<String, minijinja::Error> {
    serde_json::to_string(value)
        .map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))
}

impl Templates {
    /// The variables of a case. They may be made of each other: each is rendered once, after those
    /// that it is made of. Those of `data` are what they are, whatever braces they have.
    pub(super) fn scope(
        &self,
        vars: Arc<[Entry]>,
        data: Option<&[Entry]>,
        case: Span,
        settings: &mut Interpolation<'_, '_>,
    ) -> Scope {
        let given = |var: &Entry| data.is_some_and(|data| data.iter().any(|it| it.key == var.key));
        let is_open = |var: &Entry| has_templates(&var.value, &[]) && !given(var);
        if !vars.iter().any(is_open) {
            return Scope::new(vars, case);
        }
        let (mut open, mut known): (Vec<Entry>, Vec<Entry>) =
            vars.iter().cloned().partition(is_open);
        while !open.is_empty() {
            let ready = open.iter().position(|var| {
                let needed = self.needed_by(&var.value);
                !open.iter().any(|other| needed.contains(&*other.key))
            });
            let Some(ready) = ready else {
                for var in &open {
                    settings.problems.push(
                        Diagnostic::error(format!("the variable `{}` is made of itself", var.key))
                            .code("bad-template")
                            .at(var.value.span),
                    );
                }
                known.append(&mut open);
                break;
            };
            let var = open.remove(ready);
            let scope = Scope::new(Arc::from(known.clone()), case);
            let value = self.render(&var.value, &[], &scope, settings);
            known.push(Entry { value, ..var });
        }
        // In the order in which they were given.
        let place = |var: &Entry| vars.iter().position(|given| given.key == var.key);
        known.sort_by_key(place);
        Scope::new(Arc::from(known), case)
    }

    /// The names that the templates of a value mention.
    fn needed_by(&self, node: &Node) -> HashSet<String> {
        match &node.value {
            NodeValue::String(text) => self
                .engine
                .template_from_str(text)
                .map(|template| template.undeclared_variables(false))
                .unwrap_or_default(),
            NodeValue::List(items) => items.iter().flat_map(|item| self.needed_by(item)).collect(),
            NodeValue::Map(entries) => {
                entries.iter().flat_map(|entry| self.needed_by(&entry.value)).collect()
            }
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
                HashSet::new()
            }
        }
    }

    /// The tree with every text rendered, except below the `literal` keys. What is wrong is
    /// reported at the text, which then stays as it is.
    pub(super) fn render(
        &self,
        node: &Node,
        literal: &[&str],
        scope: &Scope,
        settings: &mut Interpolation<'_, '_>,
    ) -> Node {
        if !has_templates(node, literal) {
            return node.clone();
        }
        let value = match &node.value {
            NodeValue::String(text) => return self.render_text(text, node, scope, settings),
            NodeValue::List(items) => {
                let render = |item| self.render(item, literal, scope, settings);
                NodeValue::List(items.iter().map(render).collect())
            }
            NodeValue::Map(entries) => {
                let render = |entry: &Entry| Entry {
                    key: entry.key.clone(),
                    key_span: entry.key_span,
                    value: if literal.contains(&&*entry.key) {
                        entry.value.clone()
                    } else {
                        self.render(&entry.value, literal, scope, settings)
                    },
                };
                NodeValue::Map(entries.iter().map(render).collect())
            }
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
                node.value.clone()
            }
        };
        Node::new(node.span, value)
    }

    fn render_text(
        &self,
        text: &str,
        node: &Node,
        scope: &Scope,
        settings: &mut Interpolation<'_, '_>,
    ) -> Node {
        // A variable alone stands for its whole value, so that messages can be one.
        if let Some(value) = alone(text).and_then(|path| scope.get(path))
            && matches!(value.value, NodeValue::List(_) | NodeValue::Map(_))
        {
            return Node::new(value.span, value.value.clone());
        }
        // References to the environment stay text where they are not filled in as settings.
        let source = text.replace("${{", "${{ '{{' }}");
        match self.filled(&source, scope, settings) {
            Ok(rendered) => Node::new(node.span, NodeValue::String(rendered.into())),
            Err(fault) => {
                let problem = self.diagnose(&fault, text, &source, scope).at(node.span);
                tell(problem, node.span, scope.case, settings.problems);
                node.clone()
            }
        }
    }

    fn filled(
        &self,
        source: &str,
        scope: &Scope,
        settings: &mut Interpolation<'_, '_>,
    ) -> Result<String, minijinja::Error> {
        let template = self.engine.template_from_str(source)?;
        if !source.contains("env.") || scope.var("env").is_some() {
            return template.render(scope.context.clone());
        }
        let named = template.undeclared_variables(true);
        let mut environment = BTreeMap::new();
        for name in named.iter().filter_map(|name| name.strip_prefix("env.")) {
            if let Some(value) = settings.variables.get(name) {
                if is_secret_name(name) {
                    settings.secrets.insert(value.to_owned());
                }
                environment.insert(name.to_owned(), value.to_owned());
            }
        }
        let environment = Value::from_pairs([("env", Value::from(environment))]);
        template.render(merge_maps([environment, scope.context.clone()]))
    }

    fn diagnose(
        &self,
        fault: &minijinja::Error,
        text: &str,
        source: &str,
        scope: &Scope,
    ) -> Diagnostic {
        let undefined = fault.kind() == ErrorKind::UndefinedError;
        if let Some(name) = undefined.then(|| self.missing(source, scope)).flatten() {
            let problem =
                Diagnostic::error(format!("there is no variable `{name}`")).code("unset-variable");
            let known = || scope.vars.iter().map(|entry| &*entry.key);
            let problem = problem.piece(name.clone(), before_first_use(&name, text));
            return match nearest(&name, known()) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None if name.starts_with("env.") => {
                    problem.hint("set it in the environment or in a `.env` file")
                }
                None => {
                    let known: Vec<&str> = known().collect();
                    problem.hint(format!("`vars` of this case: {}", known.join(", ")))
                }
            };
        }
        let reason = match fault.detail() {
            _ if fault.kind() == ErrorKind::OutOfFuel => "it takes too many steps".to_owned(),
            Some(detail) => format!("{}: {detail}", fault.kind()),
            None => fault.kind().to_string(),
        };
        let problem = Diagnostic::error(format!("this template cannot be rendered: {reason}"))
            .code("bad-template")
            .hint("texts of cases with `vars` are Jinja templates; `{{ '{{' }}` gives two braces");
        // Of a long text only the line is shown.
        match fault.line().and_then(|number| text.lines().nth(number.checked_sub(1)?)) {
            Some(line) if text.trim_end().contains('\n') => problem.piece(line.trim(), 0),
            Some(_) | None => problem,
        }
    }

    /// The first variable, in the order of the text, that nobody gave.
    fn missing(&self, source: &str, scope: &Scope) -> Option<String> {
        let template = self.engine.template_from_str(source).ok()?;
        let mut missing: Vec<String> = template
            .undeclared_variables(true)
            .into_iter()
            .filter(|name| scope.get(name).is_none())
            .collect();
        missing.sort_by_key(|name| (source.find(name.as_str()), name.clone()));
        missing.into_iter().next()
    }
}

/// A text of the suite goes wrong in one case or in all of them: it is told once, with the first.
pub(super) fn tell(problem: Diagnostic, at: Span, case: Span, problems: &mut Problems) {
    let of_case = at.source == case.source && at.start >= case.start && at.end <= case.end;
    if of_case {
        problems.push(problem);
    } else if !problems.iter().any(|told| told.span == Some(at) && told.message == problem.message)
    {
        problems.push(problem.note(case, "in this case"));
    }
}

/// How often a name stands in a text before the first braces that it is used in.
fn before_first_use(name: &str, text: &str) -> usize {
    let within_braces = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        let last = |marks: [&str; 2]| marks.iter().filter_map(|mark| before.rfind(mark)).max();
        last(["{{", "{%"]) > last(["}}", "%}"])
    };
    let uses = text.match_indices(name).enumerate();
    uses.into_iter().find(|(_, (at, _))| within_braces(*at)).map_or(0, |(before, _)| before)
}

/// `{{ name }}` or `{{ name.of.it }}` and nothing else.
fn alone(text: &str) -> Option<&str> {
    let path = text.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    (!path.is_empty() && path.chars().all(plain)).then_some(path)
}

pub(super) fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|opening| text.contains(opening))
}

pub(super) fn has_templates(node: &Node, literal: &[&str]) -> bool {
    match &node.value {
        NodeValue::String(text) => is_template(text),
        NodeValue::List(items) => items.iter().any(|item| has_templates(item, literal)),
        NodeValue::Map(entries) => entries
            .iter()
            .any(|entry| !literal.contains(&&*entry.key) && has_templates(&entry.value, literal)),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use agentv_base::SourceId;

    use super::*;
    use crate::{
        environment::{Environment, Variables},
        yaml,
    };

    fn check(vars: &str, text: &str) -> Result<String, (String, String)> {
        let process: Environment =
            [("HOST".to_owned(), "example.org".to_owned())].into_iter().collect();
        let variables = Variables::new(&process, Vec::new());
        let mut problems = Problems::default();
        let vars = yaml::parse(vars, SourceId::default(), &mut problems).unwrap();
        let scope = Scope::new(Arc::from(vars.as_map().unwrap().to_vec()), Span::default());
        let node = Node::new(Span::default(), NodeValue::String(text.into()));
        let mut secrets = BTreeSet::new();
        let mut settings =
            Interpolation { variables: &variables, problems: &mut problems, secrets: &mut secrets };
        let rendered = Templates::default().render(&node, &[], &scope, &mut settings);
        match problems.iter().next() {
            Some(problem) => {
                Err((problem.message.clone(), problem.hint.clone().unwrap_or_default()))
            }
            None => {
                Ok(rendered.as_str().map_or_else(|| rendered.to_json().to_string(), str::to_owned))
            }
        }
    }

    #[test]
    fn variables_filters_and_loops_are_rendered() {
        let vars = "name: Ann\nn: 3\nitems: [a, b]\nmap: {b: true, a: [1.5, ~]}\nnone: ~";
        for (text, rendered) in [
            ("Hi {{ name }}!\n", "Hi Ann!\n"),
            ("{{ name|upper }} {{ n + 1 }}", "ANN 4"),
            ("{% for item in items %}- {{ item }}\n{% endfor %}", "- a\n- b\n"),
            ("{{ items|dump }}", r#"["a","b"]"#),
            ("{{ map }} {{ map.b }} ({{ none }})", r#"{"b":true,"a":[1.5,null]} true ()"#),
            ("a {# note #}b", "a b"),
            ("from {{ env.HOST }}", "from example.org"),
        ] {
            assert_eq!(check(vars, text).as_deref(), Ok(rendered), "{text}");
        }
    }

    #[test]
    fn a_variable_alone_stands_for_its_whole_value() {
        let vars = "chat: [{role: user, content: hi}]\ndeep: {er: [1]}\nn: 1";
        assert_eq!(check(vars, "{{ chat }}").unwrap(), r#"[{"role":"user","content":"hi"}]"#);
        assert_eq!(check(vars, " {{deep.er}} ").unwrap(), "[1]");
        assert_eq!(check(vars, "{{ n }}").unwrap(), "1");
    }

    #[test]
    fn references_to_the_environment_in_dollar_form_stay_text() {
        assert_eq!(check("a: 1", "${{ secrets.X }} {{ a }}").unwrap(), "${{ secrets.X }} 1");
    }

    #[test]
    fn a_variable_that_nobody_gave_is_named() {
        let (message, hint) = check("name: Ann", "Hi {{ nmae }}").unwrap_err();
        assert_eq!(message, "there is no variable `nmae`");
        assert_eq!(hint, "did you mean `name`?");
        let (message, hint) = check("name: Ann", "Hi {{ env.NOWHERE }}").unwrap_err();
        assert_eq!(message, "there is no variable `env.NOWHERE`");
        assert_eq!(hint, "set it in the environment or in a `.env` file");
    }

    #[test]
    fn a_broken_or_endless_template_is_an_error() {
        let (message, _) = check("a: 1", "{{ a").unwrap_err();
        assert!(message.starts_with("this template cannot be rendered: syntax error"), "{message}");
        let endless =
            "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        let (message, _) = check("a: 1", endless).unwrap_err();
        assert_eq!(message, "this template cannot be rendered: it takes too many steps");
    }
}
