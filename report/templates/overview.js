// The tables of texts and of pairs, which can be sorted by any column and searched by
// name, source and score.

const find = (id) => document.getElementById(id);
const collator = new Intl.Collator(document.documentElement.lang, {numeric: true});
const texts = [...find("table").tBodies[0].rows];

// sortable makes the column headings of a table sort it. Columns of names are compared
// as text.
function sortable(table, names) {
  table.tHead.addEventListener("click", (e) => {
    const button = e.target.closest("[data-sort]");
    if (!button) return;
    const name = button.dataset.sort, head = button.closest("th"), isName = names.includes(name);
    const up = head.ariaSort ? head.ariaSort === "descending" : isName;
    for (const th of head.parentNode.cells) th.removeAttribute("aria-sort");
    head.ariaSort = up ? "ascending" : "descending";
    const compare = isName
      ? (a, b) => collator.compare(a.dataset[name], b.dataset[name])
      : (a, b) => Number(a.dataset[name]) - Number(b.dataset[name]);
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort((a, b) => (up ? compare(a, b) : compare(b, a))));
  });
}

// wanted reports whether a row contains all search words.
function wanted(row) {
  const text = row.textContent.toLocaleLowerCase();
  return find("search").value.toLocaleLowerCase().split(/\s+/).filter(Boolean).every((w) => text.includes(w));
}

function filter() {
  const least = Number(find("least").value) || 0;
  for (const row of texts) row.hidden = Number(row.dataset.percent) < least || !wanted(row);
  find("matches").textContent = lang.text("common.texts", {n: texts.filter((row) => !row.hidden).length});
  if (find("pair-table")) filterPairs();
}

sortable(find("table"), ["name", "top"]);
find("search").addEventListener("input", filter);
find("least").addEventListener("input", filter);
find("print").addEventListener("click", () => window.print());
find("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

// Once this page was opened, reports in its folder link to it.
try {
  localStorage.setItem("otisk-overview:" + location.href.replace(/#.*/, ""), new Date().toISOString());
} catch (e) {
  // the browser stores nothing
}
