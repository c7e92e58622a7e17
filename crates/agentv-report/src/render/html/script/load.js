// The data of the page: what every row came to is read at once, a row itself when it is opened.

const STATUSES = ["passed", "failed", "error"];

const names = JSON.parse(document.getElementById("names").textContent);
for (const kind of ["suites", "targets", "tags"]) names[kind] ??= [];

/** One for each row, in the order of the file. */
const rows = JSON.parse(document.getElementById("index").textContent).map((line, place) => {
  const [id, suite, target, repeat, status, score, tags, duration, cost, about] = line;
  return { place, id, suite, target, repeat, status, score, tags, duration, cost, about, text: null };
});

/** Cases by suite and id, each with its rows: repeats and targets of a case stand together. */
const cases = (() => {
  const known = new Map();
  for (const row of rows) {
    const key = `${row.suite} ${row.id}`;
    let found = known.get(key);
    if (!found) {
      found = { id: row.id, suite: row.suite, order: known.size, rows: [] };
      known.set(key, found);
    }
    found.rows.push(row);
    row.of = found;
  }
  for (const each of known.values()) {
    each.rows.sort((a, b) => a.target - b.target || a.repeat - b.repeat || a.place - b.place);
    each.isRepeated = each.rows.some((row, at) => at > 0 && row.target === each.rows[at - 1].target);
  }
  return [...known.values()];
})();

/** Where each row stands among the others when nobody has sorted them. */
cases.flatMap((each) => each.rows).forEach((row, order) => { row.order = order; });

/** The list is shown while the browser still reads the rows. */
function areRowsThere() {
  return document.readyState !== "loading";
}

let holders = null;
function findHolders() {
  return [...document.querySelectorAll("script.rows")].map((element) => ({
    element,
    first: Number(element.dataset.first),
    lines: null,
  }));
}

/** The line of a row, as it is in the file of results. */
function lineOf(place) {
  holders ??= findHolders();
  let low = 0;
  let high = holders.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holders[middle].first <= place) low = middle;
    else high = middle - 1;
  }
  const holder = holders[low];
  holder.lines ??= holder.element.textContent.split("\n");
  return holder.lines[place - holder.first];
}

function rowAt(place) {
  return JSON.parse(lineOf(place));
}

/** What a search looks into: read once, a slice at a time, so that the page stays responsive. */
const haystacks = {
  next: 0,
  isDone() { return this.next >= rows.length; },
  /** Reads on for about as long as a frame takes. */
  readOn() {
    const until = performance.now() + 12;
    while (!this.isDone() && performance.now() < until) {
      const row = rows[this.next];
      const full = rowAt(row.place);
      const parts = [full.question, full.candidate_answer, full.error, ...(full.misses ?? [])];
      row.text = parts.filter(Boolean).join("\n").toLowerCase();
      this.next += 1;
    }
  },
};
