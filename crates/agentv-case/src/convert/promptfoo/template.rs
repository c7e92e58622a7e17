//! Templates of promptfoo that the templates of AgentV (Jinja) read differently.

use agentv_base::Span;

use super::Import;

/// What only Nunjucks and JavaScript know, and what Jinja would have instead.
const FOREIGN: [(&str, &str); 10] = [
    ("elseif", "Jinja says `elif`"),
    ("asyncEach", "Jinja has no `asyncEach`"),
    ("asyncAll", "Jinja has no `asyncAll`"),
    ("ifAsync", "Jinja has no `ifAsync`"),
    ("===", "Jinja compares with `==`"),
    ("!==", "Jinja compares with `!=`"),
    ("&&", "Jinja says `and`"),
    ("||", "Jinja says `or`"),
    (".length", "Jinja says `| length`"),
    ("env.", "variables of the environment are not known to templates"),
];

/// Filters that Jinja does not have.
const FILTERS: [(&str, &str); 6] = [
    ("dump", "Jinja says `tojson`"),
    ("nl2br", "Jinja has no such filter"),
    ("striptags", "Jinja has no such filter"),
    ("urlize", "Jinja has no such filter"),
    ("wordcount", "Jinja has no such filter"),
    ("truncate", "Jinja has no such filter"),
];

impl Import {
    /// Lists what a template says in words that only promptfoo knows. The template stays as it is.
    pub(super) fn check_template(&mut self, text: &str, span: Span) {
        for tag in tags(text) {
            for (word, instead) in FOREIGN {
                if tag.contains(word) {
                    self.leave(span, format!("`{word}` in a template"), instead);
                }
            }
            let filters = tag.split('|').skip(1).filter_map(|filter| {
                let name = filter.trim().split(|c: char| !c.is_ascii_alphanumeric()).next()?;
                FILTERS.iter().find(|(known, _)| *known == name)
            });
            for (name, instead) in filters {
                self.leave(span, format!("the filter `{name}` in a template"), *instead);
            }
        }
    }
}

/// What stands between `{{` and `}}` or `{%` and `%}`.
fn tags(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (open, close) in [("{{", "}}"), ("{%", "%}")] {
        let pieces = text.split(open).skip(1);
        found.extend(pieces.filter_map(|piece| piece.split_once(close)).map(|(tag, _)| tag));
    }
    found
}
