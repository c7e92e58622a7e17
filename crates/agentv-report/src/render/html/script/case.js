// One case, opened: everything that its row says, from what was asked to the row itself.

function caseView(place) {
  const row = rows[place];
  const full = rowAt(place);
  return [
    el("header", null,
      el("div.title", null, badge(full.status), el("h2", { id: "case-name" }, row.id)),
      caseFacts(row, full)),
    siblings(row),
    errorPart(full),
    full.misses?.length > 0 && !full.evaluator_results?.length && marks(full.misses, "miss", "Missed"),
    section("Question", questionPart(full)),
    section("Answer", answerPart(full)),
    section("Graders", gradersPart(full)),
    section("Messages", messagesPart(full)),
    full.trace?.length > 0 && section(`Trace, ${group(full.trace.length)} events`, some(full.trace, eventView)),
    full.failed_attempts?.length > 0 && section("Attempts", attemptsPart(full)),
    full.suite && section("Run it again", rerunPart(full)),
    section("Row", rawPart(place)),
  ];
}

function section(name, ...content) {
  return el("section", null, el("h3", null, name), content);
}

function caseFacts(row, full) {
  const file = full.file || full.suite;
  return factList([
    ["Score", full.score === null ? null
      : `${scoreText(full.score)}${full.threshold === null ? "" : `, passes from ${full.threshold}`}`],
    ["Verdict", full.verdict],
    ["Target", full.target],
    ["Repeat", row.of.isRepeated ? full.repeat : null],
    ["Suite", full.suite || full.dataset],
    ["Tags", full.tags?.join(", ")],
    ["Stands at", full.line ? `${file}:${full.line}` : null],
    ["Conversation", full.conversation_id],
    ["Time", full.duration_ms === undefined ? null : timeText(full.duration_ms)],
    ["Tokens", full.token_usage ? tokensText(full.token_usage) : null],
    ["Cost", full.cost_usd === undefined ? null : costText(full.cost_usd)],
    ["Attempts", full.attempts > 1 ? full.attempts : null],
    ["Answer from", full.cached ? "an earlier run: nobody was asked" : null],
    ["When", full.timestamp.startsWith("1970-01-01T00:00:00") ? null : momentText(full.timestamp)],
    ["Fingerprint", full.fingerprint],
    ["Left behind", full.leaked_processes?.join(", ")],
  ]);
}

/** The other rows of the case: its repeats, and the other targets. */
function siblings(row) {
  if (row.of.rows.length < 2) return null;
  const button = (other) => el(`button.${STATUSES[other.status]}`, {
    type: "button",
    "aria-current": other === row ? "true" : null,
    onclick: () => change({ case: String(other.place) }),
  }, `${names.targets[other.target] || "—"}${row.of.isRepeated ? ` #${other.repeat}` : ""}`,
  el("span.number", null, other.score === null ? "error" : scoreText(other.score)));
  return el("nav.siblings", { "aria-label": "Targets and repeats of this case" }, row.of.rows.map(button));
}

function errorPart(full) {
  if (!full.error) return null;
  const kind = [full.error_kind, full.error_class].filter(Boolean).join(", ");
  return section(`Error${kind ? `: ${kind}` : ""}`, textBlock(full.error, "error"));
}

function questionPart(full) {
  if (!full.question) return el("p.none", null, "The question was not recorded.");
  return [textBlock(full.question), omitted(full.question_omitted)];
}

function omitted(count) {
  if (!(count > 0)) return null;
  const told = `${group(count)} more characters were not recorded`;
  if (names.kept.prompts) return el("p.none", null, `${told}.`);
  return el("p.none", null, `${told}: run with `, el("code", null, "--include-prompts"), ".");
}

/** An error may have come before an answer, or in spite of one. */
function hasAnswer(full) {
  const answer = full.candidate_answer;
  return answer !== null && answer !== undefined && !(answer === "" && full.status === "error");
}

function answerPart(full) {
  const answer = full.candidate_answer;
  const given = hasAnswer(full) ? textBlock(answer) : el("p.none", null, "There was no answer.");
  if (!full.reference_answer) return given;
  return [given,
    el("h4", null, "Expected"), textBlock(full.reference_answer), omitted(full.reference_omitted),
    answer ? [el("h4", null, "Difference ", el("span.legend", null, el("del", null, "expected, missing"), " ", el("ins", null, "given, not expected"))),
      differenceView(full.reference_answer, answer)] : null];
}

function gradersPart(full) {
  const results = full.evaluator_results ?? [];
  if (results.length) return some(results, graderView);
  return [marks(full.hits, "hit", "Found"), full.reasoning && textBlock(full.reasoning),
    !full.hits?.length && !full.reasoning
      && el("p.none", null, full.status === "error" ? "It was not graded." : "No grader's own result was recorded.")];
}

function messagesPart(full) {
  const messages = full.output_messages ?? [];
  const dropped = full.dropped_elements > 0
    && el("p.none", null, `${group(full.dropped_elements)} elements did not fit and were left out.`);
  if (messages.length) return [some(messages, messageView), dropped];
  const summary = full.trace_summary;
  const calls = Object.entries(summary?.toolCallsByName ?? {});
  const told = calls.length > 0
    && el("p", null, "Tools that were called: ", calls.map(([name, count]) => `${name} × ${count}`).join(", "));
  if (full.trace?.length) return [told || el("p.none", null, "None."), dropped];
  if (!hasAnswer(full)) return [told, dropped, el("p.none", null, "There was no answer, and so there are none.")];
  if (names.kept.trace) return [told, dropped, el("p.none", null, "The target gave none.")];
  return [told, el("p.none", null, "Messages, tool calls and the trace were not recorded: run with ",
    el("code", null, "--include-trace"), ".")];
}

function messageView(message) {
  const calls = message.tool_calls ?? [];
  const content = message.content;
  return el("article.message", { "data-role": message.role },
    el("h4", null, el("span.role", null, message.role), message.name && el("code", null, message.name),
      message.timestamp && el("time", null, message.timestamp)),
    content !== null && content !== undefined && content !== ""
      && (typeof content === "string" ? textBlock(content) : contentParts(content)),
    calls.map(callView));
}

/** Content in parts: the texts as texts, anything else as data. */
function contentParts(content) {
  if (!Array.isArray(content)) return jsonBlock(content);
  return content.map((part) => {
    const text = typeof part === "string" ? part : part?.text ?? part?.value;
    return typeof text === "string" ? textBlock(text) : jsonBlock(part);
  });
}

function callView(call) {
  return el("details.call", null,
    el("summary", null, el("span.kind", null, "tool"), el("code", null, call.tool),
      el("span.peek", null, call.input === undefined ? "" : peek(call.input)),
      call.duration_ms !== undefined && el("span.number", null, timeText(call.duration_ms))),
    call.input !== undefined && [el("h4", null, "Arguments"), jsonBlock(call.input)],
    call.output !== undefined && [el("h4", null, "Result"), jsonBlock(call.output)]);
}

function peek(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function eventView(event) {
  const body = [
    event.text && textBlock(event.text),
    event.input !== undefined && [el("h4", null, "Arguments"), jsonBlock(event.input)],
    event.output !== undefined && [el("h4", null, "Result"), jsonBlock(event.output)],
    event.metadata !== undefined && [el("h4", null, "Metadata"), jsonBlock(event.metadata)],
  ];
  const said = event.text ?? event.input ?? event.output;
  return el(`details.call.${event.type === "error" ? "error" : "event"}`, null,
    el("summary", null, el("span.kind", null, String(event.type).replace("_", " ")),
      event.name && el("code", null, event.name),
      el("span.peek", null, said === undefined || said === null ? "" : peek(said)),
      event.timestamp && el("time", null, event.timestamp)),
    body);
}

function attemptsPart(full) {
  const failed = full.failed_attempts.map((attempt, place) => [
    String(place + 1), attempt.error_kind, attempt.error, attempt.duration_ms, attempt.token_usage, attempt.cost_usd,
  ]);
  const last = [String(failed.length + 1), full.error_kind ?? "answered", full.error ?? "", full.duration_ms,
    full.token_usage, full.cost_usd];
  return el("table.attempts", null,
    el("thead", null, el("tr", null, ["Attempt", "What came", "Why", "Time", "Tokens", "Cost"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, [...failed, last].map(([place, kind, why, time, tokens, cost]) => el("tr", null,
      el("th", { scope: "row" }, place), el("td", null, kind), el("td.why", null, why),
      el("td.number", null, timeText(time)), el("td", null, tokensText(tokens)), el("td.number", null, costText(cost))))));
}

/** The row as it was recorded, made when somebody wants to see it. */
function rawPart(place) {
  const holder = el("details", { ontoggle: () => {
    if (holder.open && holder.childElementCount === 1) add(holder, [jsonBlock(rowAt(place))]);
  } }, el("summary", null, "As JSON"));
  return [copyButton("Copy JSON", () => JSON.stringify(rowAt(place), null, 2)), holder];
}

function rerunPart(full) {
  const command = againCommand(full);
  return [textBlock(command, "raw"), copyButton("Copy command", () => command)];
}

function copyButton(name, text) {
  const button = el("button.copy", { type: "button", onclick: () => copyText(text(), button, name) }, name);
  return button;
}

async function copyText(text, button, name) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers that keep the clipboard from pages without a server still copy what is selected.
    const area = el("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = name; }, 1500);
}
