// The page in light and dark, and on paper.

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark as the system says, until somebody chooses. */
function isDark() {
  return state.theme ? state.theme === "dark" : dark.matches;
}

function showTheme() {
  if (state.theme) document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  else delete document.documentElement.dataset.theme;
  $("theme").textContent = isDark() ? "Light" : "Dark";
}

function offerTheme() {
  $("theme").addEventListener("click", () => {
    state.theme = isDark() ? "light" : "dark";
    writeState(false);
    showTheme();
  });
  dark.addEventListener("change", showTheme);
  $("theme").hidden = false;
  showTheme();
}

/** Opened cases that are put on paper before the rest is only counted. */
const MOST_PRINTED = 200;

/** On paper there is nothing to open: what did not pass is written out, of what the filters leave. */
function preparePrint() {
  if (!areRowsThere()) return;
  const bad = found.filter((row) => row.status !== 0);
  const told = bad.slice(0, MOST_PRINTED).map((row) => {
    const article = el("article.printed");
    add(article, [caseView(row.place)]);
    for (const details of article.querySelectorAll("details")) details.open = true;
    article.querySelector("section:last-child")?.remove();
    return article;
  });
  const line = (row) => el("tr", null, el("td", null, STATUSES[row.status]), el("td", null, nameOf(row)),
    el("td", null, names.targets[row.target] || "—"), el("td.number", null, scoreText(row.score)));
  const listed = found.slice(0, 2000);
  $("print").replaceChildren(
    el("h2", null, bad.length ? "Cases that did not pass" : "Every case passed"), ...told,
    bad.length > told.length ? el("p", null, `… and ${group(bad.length - told.length)} more`) : "",
    el("h2", null, "All cases"),
    el("table", null, el("thead", null, el("tr", null, ["Status", "Case", "Target", "Score"].map((name) => el("th", null, name)))),
      el("tbody", null, listed.map(line))),
    found.length > listed.length ? el("p", null, `… and ${group(found.length - listed.length)} more`) : "");
}

function clearPrint() {
  $("print").replaceChildren();
}
