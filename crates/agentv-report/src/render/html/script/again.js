// The command that runs one case again, and nothing else: for a shell at the root of the project.

function againCommand(full) {
  const { again } = names;
  const start = again?.grade ? ["agentv", "grade", shellWord(again.grade)]
    : ["agentv", "eval", shellWord(full.suite.startsWith("-") ? `./${full.suite}` : full.suite)];
  const words = [...start, flagText("--eval-id", literalPattern(full.eval_id))];
  // Whose target was chosen is not known of rows without their run.
  if (full.target && (!again || again.with_target)) words.push(flagText("--target", full.target));
  return [...words, ...(again?.flags ?? []).map(([name, value]) => flagText(name, value))].join(" ");
}

/** A pattern that matches this text and nothing else. */
function literalPattern(text) {
  return text.replace(/[*?[{}\\]/g, "\\$&");
}

/** A flag with its value; a value that looks like a flag is tied to its own. */
function flagText(name, value) {
  if (value === undefined) return name;
  return `${name}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`;
}

/** The word so that a shell takes it as it is; what cannot be seen in the form of bash, zsh and ksh. */
function shellWord(word) {
  if (/^[\w@+:,./-]+$/.test(word)) return word;
  if (word.search(UNSEEN) < 0 && !/[\n\t]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  // Byte by byte: what \u means depends on the locale.
  const spelt = (text) => [...new TextEncoder().encode(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  const inside = word.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replace(UNSEEN, spelt);
  return `$'${inside}'`;
}
