// What differs between the expected answer and the one that was given: by words where that is
// little work, else by lines, else not at all.

/** Pairs that are looked at before it is too much; half a second on a slow phone. */
const MOST_PAIRS = 2000000;

function difference(before, after) {
  // A word or a line with the white space behind it.
  for (const piece of [/\s*\S+\s*/g, /[^\n]*\n?/g]) {
    const left = (before.match(piece) ?? []).filter(Boolean);
    const right = (after.match(piece) ?? []).filter(Boolean);
    const parts = partsOf(left, right);
    if (parts) return parts;
  }
  return null;
}

/** White space that differs is no difference that anybody looks for. */
function isAlike(one, other) {
  return one === other || one.trim() === other.trim();
}

/** The longest common pieces in order; what is alike at both ends is not looked at twice. */
function partsOf(left, right) {
  let start = 0;
  while (start < left.length && start < right.length && isAlike(left[start], right[start])) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start
    && isAlike(left[left.length - 1 - end], right[right.length - 1 - end])) end += 1;
  const a = left.slice(start, left.length - end);
  const b = right.slice(start, right.length - end);
  if (a.length * b.length > MOST_PAIRS) return null;
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = isAlike(a[i], b[j])
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const parts = [];
  const push = (kind, text) => {
    const last = parts[parts.length - 1];
    if (last && last.kind === kind) last.text += text;
    else if (text !== "") parts.push({ kind, text });
  };
  push("same", right.slice(0, start).join(""));
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && isAlike(a[i], b[j])) {
      push("same", b[j]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      push("gone", a[i]);
      i += 1;
    } else {
      push("new", b[j]);
      j += 1;
    }
  }
  push("same", right.slice(right.length - end).join(""));
  return parts;
}

/** The difference as text: expected words that are missing, and words that nobody expected. */
function differenceView(expected, answer) {
  const parts = difference(expected, answer);
  if (!parts) return el("p.none", null, "Both are too long to be compared here.");
  if (parts.every((part) => part.kind === "same")) {
    return el("p.none", null, "They differ in white space at most.");
  }
  if (!parts.some((part) => part.kind === "same" && part.text.trim())) {
    return el("p.none", null, "They have no word in common.");
  }
  const tags = { same: "span", gone: "del", new: "ins" };
  return el("pre.text.diff", null, parts.map((part) => el(tags[part.kind], null, part.text)));
}
