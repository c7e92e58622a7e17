//! One row with everything that it says: what was asked, what came, what each grader made of it,
//! what it took. Texts are shown whole, line by line; only control characters are made harmless.

use std::time::SystemTime;

use agentv_base::{
    FailureKind, GraderResult, JudgeRecord, Message, TokenUsage, TraceEvent, escape_controls,
};
use serde_json::Value;

use super::{failures::name_of, moment::cost_text};
use crate::{
    page::Page,
    record::{Row, Status},
    style::{Style, Tone, counted, duration_text},
};

/// A row, for people.
pub fn case_text(row: &Row<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let (sign, tone, word) = match row.status {
        Status::Passed => ("✓", Tone::Good, "passed"),
        Status::Failed => ("✗", Tone::Bad, "failed"),
        Status::Error => ("!", Tone::Odd, "error"),
    };
    let name = style.paint(Tone::Heading, &name_of(row));
    page.line(&format!("{} {name}", style.paint(tone, sign)));
    let score = match (row.score, row.threshold) {
        (Some(score), Some(threshold)) => format!(", score {score:.3} (passes from {threshold})"),
        (Some(score), None) => format!(", score {score:.3}"),
        (None, _) => String::new(),
    };
    page.wrapped("  ", &format!("{word}{score}"));
    write_facts(row, &mut page);
    write_error(row, &mut page);
    text_part(&mut page, "Question", row.question.as_deref(), row.question_omitted);
    write_answer(row, &mut page);
    text_part(&mut page, "Expected", row.reference_answer.as_deref(), row.reference_omitted);
    write_graders(row, &mut page);
    write_messages(row, &mut page);
    write_attempts(row, &mut page);
    page.text
}

fn write_facts(row: &Row<'_>, page: &mut Page) {
    let mut facts = Vec::new();
    // Rows of other programs may not say when.
    if row.timestamp.moment() > SystemTime::UNIX_EPOCH {
        facts.push(format!("at {}", row.timestamp));
    }
    facts.extend(row.duration_ms.map(|it| format!("took {}", duration_text(it))));
    facts.push(counted(row.attempts as usize, "attempt", "attempts"));
    facts.extend(row.token_usage.map(|it| tokens_text(&it)));
    facts.extend(row.cost_usd.filter(|it| it.is_finite()).map(cost_text));
    if row.cached {
        facts.push("the answer was kept from before".to_owned());
    }
    page.wrapped("  ", &facts.join(", "));
    let names = |names: &[std::borrow::Cow<'_, str>]| -> String {
        names.iter().map(|name| escape_controls(name)).collect::<Vec<_>>().join(", ")
    };
    if !row.tags.is_empty() {
        page.wrapped("  tags: ", &names(&row.tags));
    }
    if let Some(conversation) = &row.conversation_id {
        page.wrapped("  conversation: ", &escape_controls(conversation));
    }
    if let Some(summary) = &row.trace_summary {
        let tools = summary.tool_calls_by_name.iter();
        let tools: Vec<String> =
            tools.map(|(tool, calls)| format!("{} × {calls}", escape_controls(tool))).collect();
        if !tools.is_empty() {
            page.wrapped("  tools: ", &tools.join(", "));
        }
    }
    for leaked in &row.leaked_processes {
        page.wrapped("  left behind: ", &escape_controls(leaked));
    }
}

fn tokens_text(usage: &TokenUsage) -> String {
    let cached = usage.cached.map_or(String::new(), |cached| format!(", {cached} of them cached"));
    format!("{} tokens in{cached}, {} out", usage.input, usage.output)
}

fn write_error(row: &Row<'_>, page: &mut Page) {
    if row.status != Status::Error {
        return;
    }
    let kind = row.error_kind.as_deref().unwrap_or("unknown");
    let class = row.error_class.as_deref();
    let class = class.or_else(|| FailureKind::named(kind).map(|kind| kind.class().name()));
    let class = class.map_or(String::new(), |class| format!(", {}", escape_controls(class)));
    page.heading(&format!("Error ({}{class})", escape_controls(kind)));
    lines(page, "  ", row.error.as_deref().unwrap_or("no reason was recorded"));
}

fn write_answer(row: &Row<'_>, page: &mut Page) {
    match row.candidate_answer.as_deref() {
        None => {}
        Some(answer) if answer.trim().is_empty() => {
            page.heading("Answer");
            page.line("  (nothing)");
        }
        Some(answer) => text_part(page, "Answer", Some(answer), 0),
    }
}

/// A text under its heading; nothing where there is none.
fn text_part(page: &mut Page, heading: &str, text: Option<&str>, omitted: usize) {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return };
    page.heading(heading);
    lines(page, "  ", text);
    if omitted > 0 {
        let more = counted(omitted, "more character", "more characters");
        let more = format!("  … {more}, not kept (`--include-prompts` keeps all)");
        let more = page.style.paint(Tone::Aside, &more);
        page.line(&more);
    }
}

/// Each line as it is, broken only where the window ends.
fn lines(page: &mut Page, indent: &str, text: &str) {
    for line in text.lines() {
        page.wrapped(indent, &escape_controls(&line.replace('\t', "    ")));
    }
}

fn write_graders(row: &Row<'_>, page: &mut Page) {
    let graders = row.evaluator_results.as_deref().unwrap_or_default();
    if graders.is_empty() {
        points(page, "  ", &row.hits, &row.misses);
        return;
    }
    page.heading("Graders");
    for grader in graders {
        write_grader(grader, 2, page);
    }
}

fn write_grader(grader: &GraderResult, indent: usize, page: &mut Page) {
    let margin = " ".repeat(indent);
    let score = grader.score.map_or("—".to_owned(), |score| format!("{score:.3}"));
    let tone = match grader.verdict {
        Some(agentv_base::Verdict::Pass) => Tone::Good,
        Some(_) => Tone::Bad,
        None => Tone::Odd,
    };
    let mut facts = vec![escape_controls(&grader.kind).into_owned()];
    if (grader.weight - 1.0).abs() > f64::EPSILON {
        facts.push(format!("weight {}", grader.weight));
    }
    facts.extend(grader.required_score.map(|needed| format!("required to reach {needed}")));
    if grader.barred {
        facts.push("a required part was not met".to_owned());
    }
    let score = page.style.paint(tone, &score);
    let name = escape_controls(&grader.name).into_owned();
    page.wrapped(&format!("{margin}{score} "), &format!("{name} ({})", facts.join(", ")));
    let below = format!("{margin}  ");
    points(page, &below, &grader.hits, &grader.misses);
    for (label, text) in [("", grader.reasoning.as_deref()), ("error: ", grader.error.as_deref())] {
        if let Some(text) = text {
            lines(page, &below, &format!("{label}{text}"));
        }
    }
    if let Some(stderr) = grader.stderr.as_deref().filter(|text| !text.trim().is_empty()) {
        page.line(&format!("{below}standard error:"));
        lines(page, &format!("{below}  "), stderr);
    }
    if let Some(judge) = &grader.judge {
        write_judge(judge, &below, page);
    }
    for part in &grader.evaluator_results {
        write_grader(part, indent + 4, page);
    }
}

fn points(page: &mut Page, margin: &str, hits: &[impl AsRef<str>], misses: &[impl AsRef<str>]) {
    let (good, bad) = (page.style.paint(Tone::Good, "+"), page.style.paint(Tone::Bad, "-"));
    let hits = hits.iter().map(|hit| (&good, hit.as_ref()));
    let misses = misses.iter().map(|miss| (&bad, miss.as_ref()));
    for (sign, text) in hits.chain(misses) {
        for (place, line) in text.lines().enumerate() {
            let sign = if place == 0 { sign.as_str() } else { " " };
            page.wrapped(&format!("{margin}{sign} "), &escape_controls(line));
        }
    }
}

fn write_judge(judge: &JudgeRecord, margin: &str, page: &mut Page) {
    let mut facts = vec![format!("judged by {}", escape_controls(&judge.target))];
    facts.push(format!("asked {}", counted(judge.asks as usize, "time", "times")));
    if !judge.samples.is_empty() {
        let samples: Vec<String> = judge.samples.iter().map(|it| format!("{it:.2}")).collect();
        facts.push(format!("samples {}", samples.join(" ")));
    }
    facts.extend(judge.spread.map(|spread| format!("spread {spread:.3}")));
    facts.extend(judge.token_usage.map(|it| tokens_text(&it)));
    facts.extend(judge.cost_usd.filter(|it| it.is_finite()).map(cost_text));
    page.wrapped(margin, &facts.join(", "));
    for check in &judge.checks {
        let id = escape_controls(&check.id).into_owned();
        let why = check.reasoning.as_deref().map_or(String::new(), |why| format!(": {why}"));
        lines(page, &format!("{margin}  "), &format!("{:.2} {id}{why}", check.score));
    }
    for exchange in &judge.exchanges {
        let Ok(Value::Object(said)) = serde_json::to_value(exchange) else { continue };
        for (key, text) in &said {
            let Some(text) = text.as_str() else { continue };
            page.line(&format!("{margin}  {key}:"));
            lines(page, &format!("{margin}    "), text);
        }
    }
}

fn write_messages(row: &Row<'_>, page: &mut Page) {
    let messages = row.output_messages.as_deref().unwrap_or_default();
    if !messages.is_empty() {
        page.heading("Messages");
        for message in messages {
            write_message(message, page);
        }
    }
    let trace = row.trace.as_deref().unwrap_or_default();
    if !trace.is_empty() {
        page.heading("Trace");
        for event in trace {
            write_event(event, page);
        }
    }
    if row.dropped_elements > 0 {
        let left_out = counted(row.dropped_elements, "element", "elements");
        page.line(&format!("  … {left_out} did not fit and were left out"));
    }
}

fn write_message(message: &Message, page: &mut Page) {
    page.line(&format!("  {}:", escape_controls(&message.role)));
    if let Some(text) = message.text() {
        lines(page, "    ", &text);
    }
    for call in &message.tool_calls {
        let tool = escape_controls(&call.tool).into_owned();
        page.wrapped("    → ", &format!("{tool}({})", json_text(call.input.as_ref())));
        if call.output.is_some() {
            page.wrapped("    ← ", &json_text(call.output.as_ref()));
        }
    }
}

fn write_event(event: &TraceEvent, page: &mut Page) {
    let kind = serde_json::to_value(event.kind).ok();
    let kind = kind.as_ref().and_then(Value::as_str).unwrap_or("event").to_owned();
    let name =
        event.name.as_deref().map_or(String::new(), |it| format!(" {}", escape_controls(it)));
    let input =
        event.input.as_ref().map_or(String::new(), |it| format!(" {}", json_text(Some(it))));
    page.wrapped("  ", &format!("{kind}{name}{input}"));
    if let Some(text) = &event.text {
        lines(page, "    ", text);
    }
    if event.output.is_some() {
        page.wrapped("    ← ", &json_text(event.output.as_ref()));
    }
}

fn json_text(value: Option<&Value>) -> String {
    let text = match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    escape_controls(&text).into_owned()
}

fn write_attempts(row: &Row<'_>, page: &mut Page) {
    if row.failed_attempts.is_empty() {
        return;
    }
    page.heading("Attempts before");
    for (place, attempt) in row.failed_attempts.iter().enumerate() {
        let took =
            attempt.duration_ms.map_or(String::new(), |it| format!(", {}", duration_text(it)));
        let cost = attempt.cost_usd.map_or(String::new(), |it| format!(", {}", cost_text(it)));
        let kind = escape_controls(&attempt.error_kind).into_owned();
        page.wrapped("  ", &format!("{}. {kind}{took}{cost}", place + 1));
        lines(page, "     ", &attempt.error);
    }
}
