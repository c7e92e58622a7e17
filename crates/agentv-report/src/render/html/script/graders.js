// What the graders of a case said, those that are made of others with theirs.

function graderView(result) {
  const status = result.error ? "error" : result.verdict === "pass" ? "passed" : "failed";
  const head = el("summary", null,
    el(`span.badge.${status}`, null, result.error ? "error" : result.verdict ?? "—"),
    el("b", null, result.name || result.type),
    result.type && result.type !== result.name && el("code", null, result.type),
    el("span.number", null, scoreText(result.score)));
  const facts = [
    result.weight !== 1 && `weight ${result.weight}`,
    result.required_score !== undefined && `at least ${result.required_score} is required`,
    result.barred && "a required part of it was not met, which fails the case",
    result.duration_ms >= 1 && timeText(result.duration_ms),
  ].filter(Boolean);
  const parts = result.evaluator_results ?? [];
  return el("details.grader", { open: status !== "passed" || undefined }, head,
    facts.length > 0 && el("p.facts", null, facts.join(" · ")),
    result.error && textBlock(result.error, "error"),
    marks(result.misses, "miss", "Missed"),
    marks(result.hits, "hit", "Found"),
    result.reasoning && [el("h4", null, "Reasoning"), textBlock(result.reasoning)],
    result.stderr && [el("h4", null, "Standard error of the judge, its end"), textBlock(result.stderr, "raw")],
    result.judge && judgeView(result.judge),
    parts.length > 0 && el("div.parts", null, some(parts, graderView)));
}

function marks(texts, kind, word) {
  if (!texts || !texts.length) return null;
  return el(`ul.marks.${kind}`, { "aria-label": word }, texts.map((text) =>
    el("li", null, el("span.sign", null, word), el("span.said", null, text))));
}

function judgeView(judge) {
  const facts = [
    ["Judge", judge.target],
    ["Asked", judge.asks === undefined ? null : `${judge.asks} ×`],
    ["Samples", judge.samples?.length ? judge.samples.map(scoreText).join(", ") : null],
    ["Spread", judge.spread === undefined ? null : judge.spread.toFixed(3)],
    ["Tokens", judge.token_usage ? tokensText(judge.token_usage) : null],
    ["Cost", judge.cost_usd === undefined ? null : costText(judge.cost_usd)],
    ["Fingerprint", judge.fingerprint],
    ["Calibration", judge.calibration ? calibrationText(judge.calibration) : null],
  ];
  const checks = judge.checks ?? [];
  const exchanges = judge.exchanges ?? [];
  return el("div.judge", null,
    factList(facts),
    checks.length > 0 && el("table.checks", null,
      el("thead", null, el("tr", null, ["Rubric", "Score", "Why"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, checks.map((check) => el("tr", null,
        el("th", { scope: "row" }, check.id),
        el("td.number", null, scoreText(check.score)),
        el("td", null, check.reasoning ?? ""))))),
    exchanges.length > 0
      ? exchanges.map(exchangeView)
      : !names.kept.prompts && el("p.none", null, "What the judge was asked was not recorded: run with ",
        el("code", null, "--include-prompts"), "."));
}

function calibrationText(calibration) {
  const percent = (share) => (share === null || share === undefined ? "—" : `${Math.round(share * 100)} %`);
  const kappa = calibration.kappa === null || calibration.kappa === undefined
    ? "not defined" : calibration.kappa.toFixed(2);
  return `agreed with people on ${percent(calibration.accuracy)} of ${calibration.labels} answers `
    + `(kappa ${kappa}; passed ${percent(calibration.true_positive_rate)} of the good, failed `
    + `${percent(calibration.true_negative_rate)} of the bad), ${calibration.measured_at}`;
}

function exchangeView(exchange, place, all) {
  const name = all.length > 1 ? `Raw prompt ${place + 1} of ${all.length}` : "Raw prompt";
  return el("details", null, el("summary", null, name),
    el("h4", null, "Instructions"), textBlock(exchange.instructions),
    el("h4", null, "Prompt"), textBlock(exchange.prompt),
    exchange.repair && [el("h4", null, "Asked again, because"), textBlock(exchange.repair)],
    el("h4", null, "Answer"), textBlock(exchange.answer));
}

/** A list of names and values, of those that are known. */
function factList(facts) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return known.length > 0 && el("dl.facts", null,
    known.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

/** A browser takes its time over longer texts; whoever wants all of one asks for it. */
const LONGEST_TEXT = 100000;

/** A text as it was, its lines kept. */
function textBlock(text, kind) {
  if (text === "") return el("p.none", null, "Empty.");
  const tag = kind ? `pre.text.${kind}` : "pre.text";
  const block = el(tag, { tabindex: text.length > 2000 ? 0 : null }, text.slice(0, LONGEST_TEXT));
  if (text.length <= LONGEST_TEXT) return block;
  const more = el("button", { type: "button", onclick: () => {
    block.replaceChildren(shown(text));
    more.remove();
  } }, `Show ${group(text.length - LONGEST_TEXT)} more characters`);
  return [block, more];
}

/** Elements of a long list that are shown before somebody asks for the rest. */
const MOST_AT_ONCE = 200;

function some(list, make) {
  const first = list.slice(0, MOST_AT_ONCE).map(make);
  if (list.length <= MOST_AT_ONCE) return first;
  const more = el("button", { type: "button", onclick: () => {
    more.replaceWith(...list.slice(MOST_AT_ONCE).map(make));
  } }, `Show ${group(list.length - MOST_AT_ONCE)} more`);
  return [first, more];
}

function jsonBlock(value) {
  return textBlock(typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "null", "raw");
}
