//! How problems look on a screen: the place, the line underlined, the way out.

use std::ops::Range;

use agentv_base::{Diagnostic, Problems, Severity, Source, Sources, Span, escape_controls};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::place::span_of;

/// Most problems shown at once: nobody reads the thousandth before mending the first.
const MOST: usize = 100;
/// Most lines of a place that are shown; a map of a hundred lines is recognised by its first.
const LINES: usize = 3;

/// All problems as text, errors and warnings in the order of their places, with a count.
pub fn render(problems: &Problems, sources: &Sources, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in problems.iter().take(MOST) {
        let windows = windows(diagnostic, sources);
        text.push_str(&renderer.render(&[group(diagnostic, &windows)]));
        text.push_str("\n\n");
    }
    let (errors, warnings) = (problems.count(Severity::Error), problems.count(Severity::Warning));
    if errors + warnings > MOST {
        text.push_str("… and ");
        text.push_str(&(errors + warnings - MOST).to_string());
        text.push_str(" more\n\n");
    }
    let counted = [(errors, "error"), (warnings, "warning")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
        .collect::<Vec<_>>()
        .join(", ");
    if !counted.is_empty() {
        text.push_str(&counted);
        text.push('\n');
    }
    text
}

/// A piece of a file around a span, and where the span lies in it. Only this is handed to the
/// renderer: files can have any size.
struct Window<'a> {
    path: String,
    text: &'a str,
    first_line: usize,
    range: Range<usize>,
    label: Option<&'a str>,
    primary: bool,
}

fn windows<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Window<'a>> {
    let primary =
        span_of(diagnostic, sources).map(|span| (span, diagnostic.label.as_deref(), true));
    let notes = diagnostic.notes.iter().map(|note| (note.span, Some(note.text.as_str()), false));
    primary
        .into_iter()
        .chain(notes)
        .filter_map(|(span, label, primary)| {
            let source = sources.get(span.source)?;
            Some(window(source, span, label, primary))
        })
        .collect()
}

fn window<'a>(source: &'a Source, span: Span, label: Option<&'a str>, primary: bool) -> Window<'a> {
    let text: &'a str = &source.text;
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(span.start as usize);
    let mut end = boundary(span.end as usize).max(start);
    let line_start = text.get(..start).and_then(|t| t.rfind('\n')).map_or(0, |at| at + 1);
    let rest = text.get(start..).unwrap_or_default();
    let last = rest
        .match_indices('\n')
        .map(|(at, _)| start + at)
        .find(|at| *at >= end)
        .unwrap_or(text.len());
    let cut = rest.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| start + at);
    let stop = last.min(cut);
    end = end.min(stop);
    let (first_line, _) = source.line_and_column(line_start);
    Window {
        path: source.path.display().to_string(),
        text: text.get(line_start..stop).unwrap_or_default(),
        first_line,
        range: start - line_start..end - line_start,
        label,
        primary,
    }
}

fn group<'a>(diagnostic: &'a Diagnostic, windows: &'a [Window<'a>]) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(escape_controls(&diagnostic.message).into_owned());
    let mut group = Group::with_title(title);
    for window in windows {
        let kind = if window.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(window.range.clone());
        if let Some(label) = window.label {
            annotation = annotation.label(label);
        }
        group = group.element(
            Snippet::source(window.text)
                .line_start(window.first_line)
                .path(window.path.clone())
                .annotation(annotation),
        );
    }
    if let Some(hint) = &diagnostic.hint {
        // A hint may show lines to copy; nothing else in it may move the cursor.
        let lines: Vec<_> = hint.lines().map(escape_controls).collect();
        group = group.element(Level::HELP.message(lines.join("\n")));
    }
    group
}
