// A table of which only what is on the screen is in the document: rows are equally high, and two
// empty ones stand for all above and all below.

/** Rows beyond the edges of the screen that are there already, so that scrolling shows no gaps. */
const MARGIN = 12;

/** Higher pages than this are beyond what browsers can scroll. */
const MOST_ROWS = 200000;

class LongTable {
  /** `columns`: {name, sort, class}; `cells(item)`: the row of an item, made when it is needed. */
  constructor(label, columns, makeRow) {
    this.makeRow = makeRow;
    this.items = [];
    this.first = 0;
    this.last = 0;
    this.selected = -1;
    this.head = el("thead", null, el("tr", null, columns.map(heading)));
    this.above = el("tr.space", { "aria-hidden": "true" }, el("td"));
    this.below = el("tr.space", { "aria-hidden": "true" }, el("td"));
    this.body = el("tbody", null, this.above, this.below);
    this.table = el("table.long", { "aria-label": label }, this.head, this.body);
    this.drawn = new Map();
  }

  height() {
    return parseFloat(getComputedStyle(this.table).getPropertyValue("--row")) || 48;
  }

  setItems(items) {
    this.items = items.length > MOST_ROWS ? items.slice(0, MOST_ROWS) : items;
    this.table.setAttribute("aria-rowcount", items.length + 1);
    this.clear();
    this.draw();
  }

  clear() {
    for (const row of this.drawn.values()) row.remove();
    this.drawn.clear();
  }

  draw() {
    if (!this.table.isConnected) return;
    const height = this.height();
    const top = this.table.getBoundingClientRect().top + this.head.offsetHeight;
    const count = Math.ceil(window.innerHeight / height);
    const at = Math.floor(-top / height);
    this.first = Math.max(0, Math.min(at - MARGIN, this.items.length - count - MARGIN));
    this.last = Math.min(this.items.length, Math.max(0, at) + count + MARGIN);
    for (const [place, row] of this.drawn) {
      if (place < this.first || place >= this.last) {
        row.remove();
        this.drawn.delete(place);
      }
    }
    let before = this.above;
    for (let place = this.first; place < this.last; place += 1) {
      let row = this.drawn.get(place);
      if (!row) {
        row = this.makeRow(this.items[place], place);
        row.setAttribute("aria-rowindex", place + 2);
        this.drawn.set(place, row);
        before.after(row);
      }
      row.classList.toggle("selected", place === this.selected);
      before = row;
    }
    this.above.firstChild.style.height = `${this.first * height}px`;
    this.below.firstChild.style.height = `${(this.items.length - this.last) * height}px`;
  }

  /** Marks an item and brings it on the screen. */
  select(place, isFocused = true) {
    this.selected = Math.max(0, Math.min(place, this.items.length - 1));
    const height = this.height();
    const top = this.table.getBoundingClientRect().top + this.head.offsetHeight
      + this.selected * height;
    const room = window.innerHeight;
    const isSeen = top >= 0 && top + height <= room;
    if (!isFocused && !isSeen) window.scrollBy(0, top - room / 3);
    else if (top < this.head.offsetHeight + 8) window.scrollBy(0, top - this.head.offsetHeight - 8);
    else if (top + height > room) window.scrollBy(0, top + height - room + 8);
    this.draw();
    if (isFocused) this.drawn.get(this.selected)?.querySelector("button")?.focus({ preventScroll: true });
  }
}

/** A heading; one that sorts is a button. */
function heading(column) {
  if (!column.sort) return el("th", { scope: "col", class: column.class }, column.name);
  const isSorted = state.sort === column.sort;
  const order = isSorted ? (state.dir === "down" ? "descending" : "ascending") : "none";
  const turn = () => {
    if (state.sort !== column.sort) change({ sort: column.sort, dir: column.first ?? "up" });
    else if (state.dir === (column.first ?? "up")) change({ dir: state.dir === "up" ? "down" : "up" });
    else change({ sort: "order", dir: "up" });
  };
  const arrow = isSorted ? (state.dir === "down" ? " ↓" : " ↑") : "";
  return el("th", { scope: "col", class: column.class, "aria-sort": order },
    el("button", { type: "button", onclick: turn, "data-sort": column.sort }, column.name, arrow));
}

const CASE_COLUMNS = [
  { name: "Status", sort: "status", class: "status" },
  { name: "Case", sort: "id", class: "id" },
  { name: "Target", sort: "target", class: "target" },
  { name: "Suite", sort: "suite", class: "suite" },
  { name: "Score", sort: "score", class: "number score" },
  { name: "Time", sort: "time", first: "down", class: "number time" },
  { name: "Cost", sort: "cost", first: "down", class: "number cost" },
];

function nameOf(row) {
  return row.of.isRepeated ? `${row.id} #${row.repeat}` : row.id;
}

function scoreBar(row) {
  if (row.score === null) return null;
  const bar = el(`i.level.${STATUSES[row.status]}`);
  bar.style.setProperty("--share", row.score);
  return bar;
}

function caseRow(row) {
  const open = () => change({ case: String(row.place) }, state.case === "");
  return el("tr", { onclick: open },
    el("td.status", null, badge(STATUSES[row.status])),
    el("td.id", null,
      el("button", { type: "button" }, nameOf(row)),
      el("span.gist", null, el("span.of", null, `${names.targets[row.target] || "—"} · `), row.about)),
    el("td.target", null, names.targets[row.target] || "—"),
    el("td.suite", null, names.suites[row.suite] || "—"),
    el("td.number.score", null, el("span", null, scoreText(row.score)), scoreBar(row)),
    el("td.number.time", null, timeText(row.duration)),
    el("td.number.cost", null, costText(row.cost)));
}

/** Cases by targets; repeats of a case are one cell, the share of them that passed. */
function matrixColumns() {
  return [{ name: "Case", sort: "id", class: "id" },
    ...names.targets.map((name) => ({ name: name || "—", class: "cell" }))];
}

function matrixRow(item) {
  return el("tr", null,
    el("th", { scope: "row", class: "id" }, item.id),
    names.targets.map((_, target) => matrixCell(item.rows.filter((row) => row.target === target))));
}

function matrixCell(found) {
  if (!found.length) return el("td.cell", null, el("span.none", null, "·"));
  const graded = found.filter((row) => row.score !== null);
  const passed = graded.filter((row) => row.status === 0).length;
  const worst = found.reduce((a, b) => (b.status > a.status ? b : a));
  const open = () => change({ case: String(worst.place) }, state.case === "");
  if (!graded.length) {
    return el("td.cell", null, el("button.error", { type: "button", onclick: open }, "error"));
  }
  const mean = graded.reduce((sum, row) => sum + row.score, 0) / graded.length;
  const kind = passed === found.length ? "passed" : passed === 0 ? "failed" : "mixed";
  const word = found.length > 1 ? `${passed} of ${found.length}` : kind === "passed" ? "pass" : "fail";
  const button = el(`button.${kind}`, { type: "button", onclick: open },
    el("b", null, word), ` ${scoreText(mean)}`);
  return el("td.cell", null, button);
}
