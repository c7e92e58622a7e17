//! Which model is meant: by its key, or behind the name of the provider as in `openai:gpt-4o`.

use agentv_base::{Diagnostic, Fields, Node, Problems, TargetSpec, excerpt};

/// What a target says of its model.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::provider) struct Named {
    pub(in crate::provider) model: String,
    /// The form that stands between the provider and the model, as in `openai:responses:gpt-4o`.
    pub(in crate::provider) form: Option<&'static str>,
}

/// Forms of later dialects that no model of ours is asked in.
const OTHER_FORMS: &[&str] = &[
    "assistant",
    "completion",
    "embedding",
    "embeddings",
    "image",
    "moderation",
    "realtime",
    "speech",
    "transcription",
    "video",
];

/// Which model is meant where nothing is said of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) enum Unnamed {
    IsWrong,
    Is(&'static str),
}

/// The model behind the provider, which is the one under `key` where there is such a key too.
pub(in crate::provider) fn read(
    spec: &TargetSpec,
    fields: &Fields<'_>,
    key: &str,
    forms: &[&'static str],
    unnamed: Unnamed,
    problems: &mut Problems,
) -> Option<Named> {
    let by_key = fields.optional(key, problems, Fields::non_blank)?.map(str::trim);
    let (form, behind) = match behind_provider(spec) {
        Some(behind) => split(behind, spec, forms, problems)?,
        None => (None, None),
    };
    let model = match (behind, by_key, unnamed) {
        (Some(behind), Some(by_key), _) if behind != by_key => {
            let behind = excerpt(behind, 100);
            let message = format!("`provider` names the model `{behind}`, and `{key}` another");
            problems.push(
                Diagnostic::error(message)
                    .at(fields.get(key).map_or(fields.span(), |node| node.span))
                    .note(spec.provider_span, "the first stands here")
                    .hint("keep one of the two"),
            );
            return None;
        }
        (Some(model), _, _) | (None, Some(model), _) | (None, None, Unnamed::Is(model)) => model,
        (None, None, Unnamed::IsWrong) => {
            fields.required(key, problems);
            return None;
        }
    };
    Some(Named { model: model.to_owned(), form })
}

/// The form and the model that stand behind a provider; only one of the two may be there.
fn split<'s>(
    behind: &'s str,
    spec: &TargetSpec,
    forms: &[&'static str],
    problems: &mut Problems,
) -> Option<(Option<&'static str>, Option<&'s str>)> {
    let (word, rest) = match behind.split_once(':') {
        Some((word, rest)) => (word.trim(), Some(rest.trim())),
        None => (behind, None),
    };
    if rest.is_some() && OTHER_FORMS.contains(&word) {
        problems.push(
            Diagnostic::error(format!("`{word}` is no form that a model is asked in here"))
                .code("not-supported")
                .at(spec.provider_span)
                .hint("name the provider and the model only: `provider: openai:gpt-4o`"),
        );
        return None;
    }
    let form = forms.iter().find(|form| **form == word).copied();
    // A model can have a colon of its own.
    let model = if form.is_some() { rest } else { Some(behind) };
    if model == Some("") {
        problems.push(
            Diagnostic::error("no model stands behind the last `:` of `provider`")
                .at(spec.provider_span)
                .hint("name it there, or remove the `:` and give it a key of its own"),
        );
        return None;
    }
    Some((form, model))
}

/// What stands behind the first colon of `provider`, in the author's own letters.
fn behind_provider(spec: &TargetSpec) -> Option<&str> {
    let written = spec.node.get("provider").and_then(Node::as_str)?;
    written.split_once(':').map(|(_, behind)| behind.trim())
}
