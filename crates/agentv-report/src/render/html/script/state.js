// What is shown, and the address that says so: a link opens the same view.

const DEFAULTS = {
  q: "", status: "", target: "", suite: "", tag: "", from: "", to: "", below: "",
  sort: "order", dir: "up", view: "cases", case: "", theme: "",
};

function readState() {
  const read = { ...DEFAULTS };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (Object.hasOwn(DEFAULTS, key)) read[key] = value;
  }
  if (!SORTS[read.sort]) read.sort = "order";
  return read;
}

function writeState(isNew) {
  const said = Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key]);
  const hash = new URLSearchParams(said).toString();
  const address = hash ? `#${hash}` : location.pathname;
  try {
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  } catch {
    // A browser that lets no page name its own address shows the page all the same.
  }
}

/** Changes what is shown; `isNew` where the way back leads to what was shown before. */
function change(changes, isNew = false) {
  state = { ...state, ...changes };
  writeState(isNew);
  show();
}

function isFiltered() {
  return ["q", "status", "target", "suite", "tag", "from", "to"].some((key) => state[key] !== "");
}

function placeOf(kind, name) {
  return name === "" ? null : names[kind].indexOf(name);
}

/** Whether a row is wanted, by all but the text. */
function filter() {
  const target = placeOf("targets", state.target);
  const suite = placeOf("suites", state.suite);
  const tag = placeOf("tags", state.tag);
  const from = state.from === "" ? null : Number(state.from);
  const to = state.to === "" ? null : Number(state.to);
  const isBelow = state.below !== "" && to !== 1;
  return (row) => {
    const status = STATUSES[row.status];
    if (state.status === "not-passed" ? row.status === 0 : state.status && status !== state.status) {
      return false;
    }
    if (target !== null && row.target !== target) return false;
    if (suite !== null && row.suite !== suite) return false;
    if (tag !== null && !row.tags.includes(tag)) return false;
    if (from === null && to === null) return true;
    if (row.score === null) return false;
    // Scores are sums of products of decimals: 0.3 may be a little less.
    if (from !== null && row.score < from - 1e-9) return false;
    if (to === null) return true;
    return isBelow ? row.score < to - 1e-9 : row.score <= to + 1e-9;
  };
}

/** Every word of the search must be found, in the id or in what was read of the row so far. */
function search() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) => {
    if (!words.length) return true;
    const id = row.id.toLowerCase();
    const about = row.about.toLowerCase();
    return words.every((word) => id.includes(word) || about.includes(word)
      || (row.text !== null && row.text.includes(word)));
  };
}

function matching() {
  const isWanted = filter();
  const isFound = search();
  return rows.filter((row) => isWanted(row) && isFound(row));
}

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
// What is not known stands last, whichever way it is sorted.
const byNumber = (of) => (a, b) => {
  const [left, right] = [of(a), of(b)];
  if (left === null || right === null) return { unknown: (left === null) - (right === null) };
  return left - right;
};

const SORTS = {
  order: (a, b) => a.order - b.order,
  status: (a, b) => b.status - a.status,
  id: (a, b) => byText(a.id, b.id),
  target: (a, b) => a.target - b.target,
  suite: (a, b) => a.suite - b.suite,
  score: byNumber((row) => row.score),
  time: byNumber((row) => row.duration),
  cost: byNumber((row) => row.cost),
};

function sorted(list) {
  const compare = SORTS[state.sort];
  const way = state.dir === "down" ? -1 : 1;
  return list.sort((a, b) => {
    const found = compare(a, b);
    if (typeof found === "object") return found.unknown || a.order - b.order;
    return found * way || a.order - b.order;
  });
}

let state = readState();
