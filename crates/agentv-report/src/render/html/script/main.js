// Brings it together: what the state says is shown, and what people do changes the state.

const $ = (id) => document.getElementById(id);
const panel = $("case");
let table = null;
let shownList = "";
let found = [];
let wasOpen = "";

/** Shows the state. What has not changed since is left as it is. */
function show() {
  showFilters();
  const key = JSON.stringify({ ...state, case: "", read: state.q ? haystacks.next : 0 });
  if (key !== shownList) {
    shownList = key;
    showList();
  }
  showCase();
  if (state.q && !haystacks.isDone() && areRowsThere()) readSoon();
}

let isReading = false;
function readSoon() {
  if (isReading) return;
  isReading = true;
  setTimeout(() => {
    isReading = false;
    const until = performance.now() + 150;
    while (!haystacks.isDone() && performance.now() < until) haystacks.readOn();
    show();
  });
}

function showFilters() {
  for (const [id, key] of [["find", "q"], ["status", "status"], ["target", "target"], ["suite", "suite"],
    ["tag", "tag"], ["from", "from"], ["to", "to"]]) {
    const field = $(id);
    if (document.activeElement !== field || field.tagName === "SELECT") field.value = state[key];
  }
  $("clear").hidden = !isFiltered();
  for (const view of ["cases", "matrix"]) {
    $(`view-${view}`).setAttribute("aria-pressed", String(state.view === view));
  }
  for (const pick of document.querySelectorAll("button.pick")) {
    pick.setAttribute("aria-pressed", String(state[pick.dataset.kind] === pick.dataset.name));
  }
}

function showList() {
  const isMatrix = state.view === "matrix" && names.targets.length > 1;
  found = sorted(matching());
  let items = found;
  if (isMatrix) {
    items = [...new Set(found.map((row) => row.of))];
    table = new LongTable("Cases by target", matrixColumns(), matrixRow);
    table.table.classList.add("matrix");
  } else {
    table = new LongTable("Cases", CASE_COLUMNS, caseRow);
    table.table.classList.toggle("one-target", names.targets.length < 2);
    table.table.classList.toggle("one-suite", names.suites.length < 2);
    table.table.classList.toggle("no-cost", rows.every((row) => row.cost === null));
  }
  const list = $("list");
  const height = list.offsetHeight;
  list.style.minHeight = `${Math.min(height, window.innerHeight)}px`;
  list.replaceChildren(table.table);
  table.setItems(items);
  table.selected = isMatrix ? -1 : found.findIndex((row) => String(row.place) === state.case);
  list.style.minHeight = "";
  tellCount(items, isMatrix);
}

function tellCount(items, isMatrix) {
  const all = isMatrix ? cases.length : rows.length;
  const what = isMatrix || !cases.some((each) => each.rows.length > 1) ? "cases" : "answers";
  let words = items.length === all
    ? `${group(all)} ${all === 1 ? what.slice(0, -1) : what}` : `${group(items.length)} of ${group(all)} ${what}`;
  if (items.length > MOST_ROWS) words += `; the first ${group(MOST_ROWS)} are listed`;
  if (state.q && !haystacks.isDone()) words += `; searched ${group(haystacks.next)} of ${group(rows.length)} answers so far`;
  if (!items.length && rows.length) words = "No case matches.";
  $("shown").textContent = words;
}

function showCase() {
  const place = Number(state.case);
  const isOpen = state.case !== "" && Number.isInteger(place) && rows[place] !== undefined;
  document.body.classList.toggle("open", isOpen);
  if (!isOpen) {
    if (!panel.hidden) {
      panel.hidden = true;
      panel.replaceChildren();
      if (table && table.selected >= 0) table.select(table.selected);
    }
    wasOpen = "";
    return;
  }
  if (wasOpen === state.case || !areRowsThere()) return;
  const isFirst = wasOpen === "";
  wasOpen = state.case;
  panel.hidden = false;
  let content;
  try {
    content = caseView(place);
  } catch (fault) {
    content = el("p.none", null, `This row cannot be shown: ${fault.message}`);
  }
  const inner = el("div.inner");
  add(inner, [content]);
  panel.replaceChildren(panelBar(place), inner);
  panel.scrollTop = 0;
  if (state.view === "cases" && table) {
    const at = found.findIndex((row) => row.place === place);
    // A page that is opened at a case begins at its top, also for whoever takes a picture of it; the
    // list comes to the row when the case is closed.
    if (at >= 0 && isFirst) {
      table.selected = at;
      table.draw();
    } else if (at >= 0) table.select(at, false);
  }
  if (isFirst) panel.focus({ preventScroll: true });
}

function panelBar(place) {
  const at = found.findIndex((row) => row.place === place);
  const go = (by) => el("button", { type: "button", disabled: !found[at + by] || at < 0, onclick: () => step(by),
    "data-step": by }, by < 0 ? "Previous" : "Next");
  return el("nav.panel-bar", { "aria-label": "Cases" }, go(-1), go(1),
    el("span", null, at < 0 ? "" : `${group(at + 1)} of ${group(found.length)}`),
    el("button.close", { type: "button", onclick: close }, "Close"));
}

function step(by) {
  const at = found.findIndex((row) => String(row.place) === state.case);
  const next = found[at + by];
  if (next) change({ case: String(next.place) });
}

function close() {
  change({ case: "" });
}

const STEPS = { j: 1, k: -1 };
// Arrows scroll, as everywhere, but for whoever is in the list already.
const ARROWS = { ArrowDown: 1, ArrowUp: -1 };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape") {
    if (isTyping) event.target.blur();
    else if (state.case !== "") close();
    else return;
  } else if (isTyping) {
    if (event.key === "Enter" && event.target.id === "find" && found.length) {
      event.target.blur();
      table.select(0);
    } else return;
  } else if (event.key === "/") $("find").focus();
  else if (STEPS[event.key]) move(STEPS[event.key]);
  else if (ARROWS[event.key] && state.case === "" && $("list").contains(event.target)) move(ARROWS[event.key]);
  else return;
  event.preventDefault();
}

function move(by) {
  if (state.case !== "") step(by);
  else if (table && table.items.length) table.select(table.selected < 0 ? 0 : table.selected + by);
}

/** Names in the tables become buttons that filter; bars of the distribution too. */
function makePicks() {
  for (const span of document.querySelectorAll("span.pick")) {
    const { kind, name } = span.dataset;
    if (name === "") continue;
    const toggle = () => {
      change({ [kind]: state[kind] === name ? "" : name });
      $("browse").scrollIntoView({ block: "start" });
    };
    const button = el("button.pick", { type: "button", onclick: toggle, title: "Show only these" });
    button.dataset.kind = kind;
    button.dataset.name = name;
    button.textContent = span.textContent;
    span.replaceWith(button);
  }
  for (const bin of document.querySelectorAll(".bin")) {
    bin.addEventListener("click", () => change({ from: bin.dataset.from, to: bin.dataset.to, below: "1" }));
  }
}

function fillChoices() {
  for (const [id, kind] of [["target", "targets"], ["suite", "suites"], ["tag", "tags"]]) {
    const choices = names[kind].filter((name) => name !== "");
    for (const name of choices) {
      const option = el("option", null, name);
      option.value = name;
      $(id).append(option);
    }
    $(id).closest("label").hidden = choices.length < (id === "tag" ? 1 : 2);
    $(id).addEventListener("change", (event) => change({ [id]: event.target.value }));
  }
  $("status").addEventListener("change", (event) => change({ status: event.target.value }));
  $("find").addEventListener("input", (event) => change({ q: event.target.value }));
  $("from").addEventListener("input", (event) => change({ from: event.target.value }));
  $("to").addEventListener("input", (event) => change({ to: event.target.value, below: "" }));
  $("clear").addEventListener("click", () => change({ ...DEFAULTS, view: state.view, case: state.case, theme: state.theme }));
  $("view-cases").addEventListener("click", () => change({ view: "cases" }));
  $("view-matrix").addEventListener("click", () => change({ view: "matrix" }));
  $("view-matrix").hidden = names.targets.length < 2;
}

function start() {
  if (!rows.length) return;
  fillChoices();
  makePicks();
  $("browse").hidden = false;
  $("find").value = state.q;
  let isWaiting = false;
  const redraw = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      table?.draw();
    });
  };
  addEventListener("scroll", redraw, { passive: true });
  addEventListener("resize", redraw);
  addEventListener("popstate", () => {
    state = readState();
    $("find").value = state.q;
    showTheme();
    show();
  });
  addEventListener("keydown", onKey);
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", clearPrint);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? preparePrint() : clearPrint()));
  if (!areRowsThere()) addEventListener("DOMContentLoaded", show);
  show();
}

offerTheme();
start();
