//! The words of a prompt: in the settings themselves, or in a file that they name.

use std::path::Path;

use agentv_base::{Fields, Problems};

use super::wanted::{FILE, missing_file, read_file};
use crate::kind::BuildContext;

/// How files with prompts end.
const ENDINGS: [&str; 5] = ["md", "txt", "prompt", "jinja", "j2"];

/// A prompt as it was written.
pub(super) struct PromptText {
    pub(super) text: String,
    /// The file that it stands in, as it was named.
    pub(super) file: Option<String>,
}

impl PromptText {
    /// What stands in `prompt`, which is there. Every problem is reported.
    pub(super) fn read(
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let node = fields.get("prompt")?;
        let typed = fields.non_blank("prompt", problems)?;
        let path = typed.trim();
        if let Some(path) = path.strip_prefix(FILE) {
            let text = read_file(path, node, context, problems)?;
            return Some(Self { text, file: Some(path.to_owned()) });
        }
        // What is asked has braces in it, which the name of a file hardly has.
        if !path.contains(['\n', '{']) && context.suite_dir.join(path).is_file() {
            let text = read_file(path, node, context, problems)?;
            return Some(Self { text, file: Some(path.to_owned()) });
        }
        if is_path(path) {
            problems.push(missing_file(path, node, context));
            return None;
        }
        Some(Self { text: typed.to_owned(), file: None })
    }
}

/// Whether a text can only be meant as the path of a file: nobody asks anything in one word that
/// ends as files do.
fn is_path(text: &str) -> bool {
    if text.contains(|c: char| c.is_whitespace() || matches!(c, '{' | '}')) {
        return false;
    }
    let Some(ending) = Path::new(text).extension().and_then(|ending| ending.to_str()) else {
        return false;
    };
    ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)) || text.contains('/')
}

/// The hint for a blank of these names that stands in single braces, as in other template
/// languages.
pub(super) fn single_braces<'n>(
    text: &str,
    names: impl Iterator<Item = &'n str>,
) -> Option<String> {
    let words: Vec<&str> = text
        .split('{')
        .skip(1)
        .filter_map(|after| after.split_once('}'))
        .map(|(inside, _)| inside.trim())
        .collect();
    let mut names = names;
    names
        .find(|name| words.iter().any(|word| word.eq_ignore_ascii_case(name)))
        .map(|name| format!("braces must be double: write `{{{{ {name} }}}}` for `{{{name}}}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_that_ends_as_files_do_is_a_path() {
        for text in ["judge.md", "prompts/judge.TXT", "a.j2", "../x.prompt", "prompts/judge.html"] {
            assert!(is_path(text), "{text}");
        }
        for text in ["Is it right?", "Read judge.md", "{{answer}}.md", "either/or", "yes.no", ".md"]
        {
            assert!(!is_path(text), "{text}");
        }
    }

    #[test]
    fn a_known_name_in_single_braces_is_found() {
        let check = |text: &str| single_braces(text, ["output", "answer"].into_iter());
        let told = "braces must be double: write `{{ answer }}` for `{answer}`";
        for text in ["Is {answer} right?", "{a} { Answer }"] {
            assert_eq!(check(text).as_deref(), Some(told));
        }
        for text in ["Is it right?", "{", "{other}", "{\"answer\": 1}"] {
            assert_eq!(check(text), None, "{text}");
        }
    }
}
