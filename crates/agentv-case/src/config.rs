//! The project's configuration file, `.agentv/config.yaml`.

use std::collections::BTreeSet;

use agentv_base::{Diagnostic, Fields, Key, Node, Part, Problems, Shape};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{environment::Variables, interpolate::Interpolation};

pub const CONFIG: Part = Part { what: "config", tables: &[CONFIG_KEYS] };

const CONFIG_KEYS: &[Key] = &[
    Key::new("$schema", Shape::Text, "Which schema the file follows; for editors"),
    Key::new(
        "guideline_patterns",
        Shape::List(&Shape::Text),
        "Which attached files are guidelines",
    )
    .default("`**/*.instructions.md`, `**/instructions/**`, `**/*.prompt.md`, `**/prompts/**`"),
];

/// Where the configuration is looked for in each folder, first hit wins.
pub const CONFIG_FILES: [&str; 2] = [".agentv/config.yaml", ".agentv/config.yml"];

/// What counts as a guideline where nobody says otherwise.
const GUIDELINES: [&str; 4] =
    ["**/*.instructions.md", "**/instructions/**", "**/*.prompt.md", "**/prompts/**"];

pub(crate) struct Config {
    guidelines: GlobSet,
}

impl Default for Config {
    fn default() -> Self {
        let globs = GUIDELINES.iter().filter_map(|pattern| glob(pattern).ok());
        Self { guidelines: set(globs) }
    }
}

impl Config {
    /// Whether an attached file, by its path from the root, is a guideline and not a part of the
    /// question.
    pub(crate) fn is_guideline(&self, path_from_root: &str) -> bool {
        self.guidelines.is_match(path_from_root.trim_start_matches('/'))
    }
}

/// Gives meaning to a configuration file that was read.
pub(crate) fn lower(
    node: &Node,
    variables: &Variables<'_>,
    secrets: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Config {
    let node = Interpolation { variables, problems, secrets }.fill("config", node, &[]);
    // A file with nothing but comments configures nothing.
    if node.is_null() {
        return Config::default();
    }
    let Some(fields) = Fields::read(&node, "config", &[CONFIG_KEYS], problems) else {
        return Config::default();
    };
    fields.string("$schema", problems);
    let Some(patterns) = fields.list("guideline_patterns", problems) else {
        return Config::default();
    };
    let globs: Vec<Glob> =
        patterns.iter().filter_map(|pattern| read_pattern(pattern, problems)).collect();
    Config { guidelines: set(globs) }
}

fn read_pattern(node: &Node, problems: &mut Problems) -> Option<Glob> {
    let Some(pattern) = node.as_str() else {
        // A variable without a value has been reported already.
        if !node.is_null() {
            let kind = node.kind_name();
            let message = format!("a pattern must be a string, not {kind}");
            problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
        }
        return None;
    };
    match glob(pattern) {
        Ok(glob) => Some(glob),
        Err(error) => {
            let reason = error.kind().to_string();
            problems.push(
                Diagnostic::error(format!("`{pattern}` is no pattern: {reason}"))
                    .code("bad-pattern")
                    .at(node.span)
                    .hint("`*` stands for a part of a name, `**` for any folders"),
            );
            None
        }
    }
}

fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    GlobBuilder::new(pattern).literal_separator(true).build()
}

fn set(globs: impl IntoIterator<Item = Glob>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob);
    }
    // Only a set too large to compile fails, and each of its patterns has compiled alone.
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use agentv_base::SourceId;

    use super::*;
    use crate::{environment::Environment, yaml};

    fn check(text: &str) -> (Config, Vec<String>) {
        let process = Environment::new();
        let variables = Variables::new(&process, Vec::new());
        let mut problems = Problems::default();
        let node = yaml::parse(text, SourceId::default(), &mut problems).unwrap();
        let config = lower(&node, &variables, &mut BTreeSet::new(), &mut problems);
        let said = problems.iter().map(|problem| problem.message.clone());
        (config, said.collect())
    }

    #[test]
    fn without_patterns_the_defaults_hold() {
        for text in ["", "$schema: agentv-config-v2"] {
            let (config, problems) = check(text);
            assert_eq!(problems, [""; 0]);
            for path in [
                "a.instructions.md",
                "x/a.instructions.md",
                "instructions/a/b.txt",
                "x/prompts/a.txt",
                "b.prompt.md",
            ] {
                assert!(config.is_guideline(path), "{path}");
            }
            assert!(!config.is_guideline("docs/a.md"));
        }
    }

    #[test]
    fn patterns_replace_the_defaults_and_a_star_stays_within_one_folder() {
        let (config, problems) = check("guideline_patterns: ['rules/*.md']");
        assert_eq!(problems, [""; 0]);
        assert!(config.is_guideline("rules/a.md"));
        assert!(!config.is_guideline("rules/deep/a.md"));
        assert!(!config.is_guideline("a.prompt.md"));
        let (config, _) = check("guideline_patterns: []");
        assert!(!config.is_guideline("a.prompt.md"));
    }

    #[test]
    fn every_problem_of_a_config_is_told() {
        let (_, problems) = check("guidelines: []\nguideline_patterns: [1, 'a[', ok]");
        assert_eq!(
            problems,
            [
                "unknown key `guidelines` in config",
                "a pattern must be a string, not a number",
                "`a[` is no pattern: unclosed character class; missing ']'",
            ]
        );
        let (_, problems) = check("guideline_patterns: x");
        assert_eq!(problems, ["`guideline_patterns` must be a list, not a string"]);
        let (_, problems) = check("- x");
        assert_eq!(problems, ["config must be a map, not a list"]);
    }
}
