//! Providers → targets: commands and scripts; models by name, for the author to complete.

use agentv_base::{Entry, Node, NodeValue, Span};
use serde_json::{Map, Value, json};

use super::{
    Import,
    files::{ending, relative, split_function, stem},
    scripts::{NODE_PROVIDER, PYTHON_PROVIDER, shell_word},
};

/// A target, or the place of one that could not be carried over.
pub(super) struct Target {
    pub(super) name: String,
    /// What promptfoo calls it.
    id: String,
    /// Empty where it could not be carried over.
    pub(super) settings: Map<String, Value>,
}

impl Target {
    /// What is left of a provider that could not be carried over: a comment with its id.
    pub(super) fn stub(&self, indent: &str) -> String {
        if !self.settings.is_empty() {
            return String::new();
        }
        let id = self.id.replace(char::is_control, " ");
        format!("{indent}# Not carried over: {id}\n")
    }
}

/// Words that a command begins with before it comes to its own name.
const INTERPRETERS: [&str; 14] = [
    "python", "python3", "node", "bash", "sh", "zsh", "ruby", "perl", "npx", "uv", "run", "deno",
    "bun", "env",
];

/// A provider as the configuration describes it.
struct Described<'n> {
    id: String,
    span: Span,
    /// The map of its settings, where it has one.
    node: Option<&'n Node>,
}

impl Import {
    pub(super) fn targets(&mut self, config: &Node) -> Vec<Target> {
        let Some(node) = config.get("providers").or_else(|| config.get("targets")) else {
            return Vec::new();
        };
        let items: Vec<Node> = match &node.value {
            NodeValue::List(items) => items.to_vec(),
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::String(_)
            | NodeValue::Map(_) => vec![node.clone()],
        };
        let environment = config.get("env").cloned();
        let mut targets: Vec<Target> = Vec::new();
        for item in &items {
            let Some(described) = self.described(item) else { continue };
            let mut target = self.target(&described, environment.as_ref());
            let taken = |name: &str| targets.iter().any(|target| target.name == name);
            if taken(&target.name) {
                let base = target.name.clone();
                let free = (2..=targets.len() + 2)
                    .map(|number| format!("{base}-{number}"))
                    .find(|name| !taken(name));
                target.name = free.unwrap_or(base);
                if !target.settings.is_empty() {
                    target.settings.insert("name".to_owned(), json!(target.name));
                }
            }
            targets.push(target);
        }
        if let Some(environment) =
            environment.filter(|_| targets.iter().all(|target| target.settings.is_empty()))
        {
            self.leave(
                environment.span,
                "`env` of the configuration",
                "there is no target to set it for",
            );
        }
        targets
    }

    fn described<'n>(&mut self, node: &'n Node) -> Option<Described<'n>> {
        if let Some(id) = node.as_str() {
            return Some(Described { id: id.to_owned(), span: node.span, node: None });
        }
        let id = node.get("id").and_then(Node::as_str);
        match (node.as_map(), id) {
            (_, Some(id)) => {
                Some(Described { id: id.to_owned(), span: node.span, node: Some(node) })
            }
            // `- exec: command` without quotes.
            (Some([Entry { key, key_span, value }]), None) if value.as_str().is_some() => {
                let id = format!("{key}: {}", value.as_str().unwrap_or_default());
                Some(Described { id, span: *key_span, node: None })
            }
            // The id as the key of its settings.
            (Some([Entry { key, key_span, value }]), None) => {
                Some(Described { id: key.to_string(), span: *key_span, node: Some(value) })
            }
            _ => {
                self.error(node.span, "a provider needs an `id`");
                None
            }
        }
    }

    fn target(&mut self, described: &Described<'_>, environment: Option<&Node>) -> Target {
        let id = described.id.trim();
        let label = described.node.and_then(|node| node.get("label")).and_then(Node::as_str);
        let mut uses_config = false;
        let command = self.command(described, &mut uses_config);
        let name = label.map_or_else(|| default_name(id), str::to_owned);
        let mut settings = Map::new();
        if let Some(command) = command {
            settings.insert("name".to_owned(), json!(name));
            settings.insert("provider".to_owned(), json!("cli"));
            settings.insert("command_template".to_owned(), json!(command));
            if self.places.base != self.places.suite_dir {
                let cwd = relative(&self.places.suite_dir, &self.places.base);
                settings.insert("cwd".to_owned(), json!(cwd));
            }
            let env = environment_of(described.node, environment);
            if !env.is_empty() {
                settings.insert("env".to_owned(), Value::Object(env));
            }
            if let Some(node) = described.node {
                let used: &[&str] = if uses_config {
                    &["id", "label", "env", "config"]
                } else {
                    &["id", "label", "env"]
                };
                self.leave_rest(node, used, &format!("provider `{id}`"));
            }
        }
        Target { name, id: id.to_owned(), settings }
    }

    /// The command that asks a provider; nothing where there is none.
    fn command(&mut self, described: &Described<'_>, uses_config: &mut bool) -> Option<String> {
        let (id, span) = (described.id.trim(), described.span);
        if let Some(command) = id.strip_prefix("exec:") {
            let command = command.trim();
            if has_placeholder(command) {
                let why = "capitals in braces are AgentV's placeholders; write `{{NAME}}` for them";
                self.leave(span, format!("provider `{id}`"), why);
                return None;
            }
            return Some(format!("{command} {{PROMPT}}"));
        }
        if id == "echo" {
            return Some("cat {PROMPT_FILE}".to_owned());
        }
        let (path, name) = split_function(id.strip_prefix("python:").unwrap_or(id));
        let is_script = id.starts_with("python:") || id.starts_with("file://");
        let config = described.node.and_then(|node| node.get("config"));
        let options = json!({
            "id": id,
            "config": config.map_or_else(|| json!({}), Node::to_json),
        });
        let word = shell_word(path);
        let options = shell_word(&options.to_string());
        let files = "{PROMPT_FILE} {OUTPUT_FILE}";
        let command = match ending(path) {
            "py" if is_script => {
                let name = shell_word(name.unwrap_or("call_api"));
                format!("python3 -c '{PYTHON_PROVIDER}' {word} {name} {options} {files}")
            }
            "js" | "mjs" | "cjs" if is_script => {
                let node = "node --input-type=module -e";
                format!("{node} '{NODE_PROVIDER}' {word} {options} {files}")
            }
            "sh" | "bash" if is_script => return Some(format!("bash {word} {{PROMPT}}")),
            _ => {
                self.leave(span, format!("provider `{id}`"), why_not(id));
                return None;
            }
        };
        if has_placeholder(&options) {
            let why = "its settings have capitals in braces, which are AgentV's placeholders";
            self.leave(span, format!("provider `{id}`"), why);
            return None;
        }
        *uses_config = true;
        Some(command)
    }
}

/// The variables of the configuration; a provider's own win.
fn environment_of(own: Option<&Node>, shared: Option<&Node>) -> Map<String, Value> {
    let own = own.and_then(|node| node.get("env"));
    let maps = [shared, own].into_iter().flatten();
    maps.filter_map(Node::as_map)
        .flatten()
        .map(|entry| (entry.key.to_string(), entry.value.to_json()))
        .collect()
}

/// Whether a command has `{NAME}`, which would be taken for one of ours.
fn has_placeholder(text: &str) -> bool {
    text.split('{').skip(1).any(|rest| {
        let name = rest.split('}').next().unwrap_or_default();
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    })
}

fn why_not(id: &str) -> &'static str {
    if id.starts_with("file://") {
        "AgentV calls scripts in Python, JavaScript and shell; make it a command of your own"
    } else if id.starts_with("http://") || id.starts_with("https://") || id.starts_with("http") {
        "ask the address in a command of your own, such as `curl`"
    } else {
        "targets that are models come later; until then, ask it in a command of your own"
    }
}

/// What to call a provider that has no label: its script, its program or its model.
fn default_name(id: &str) -> String {
    let last = |text: &str| {
        let words = text.split_whitespace();
        let own =
            words.filter(|word| !word.starts_with('-')).find(|word| !INTERPRETERS.contains(word));
        stem(own.unwrap_or(text))
    };
    let name = match id.strip_prefix("exec:") {
        Some(command) => last(command.trim()),
        None => {
            let (path, _) = split_function(id);
            let path = path.strip_prefix("python:").unwrap_or(path);
            if ending(path).len() < 4 && path.contains(['/', '.']) && !path.contains(':') {
                stem(path)
            } else {
                id.rsplit(':').next().unwrap_or(id).to_owned()
            }
        }
    };
    if name.trim().is_empty() { "target".to_owned() } else { name }
}
