// The table of texts: sorted by any column, searched by name, source and score.

const find = (id) => document.getElementById(id);
const body = document.querySelector("#table tbody");
const rows = [...body.rows];
const collator = new Intl.Collator(document.documentElement.lang, {numeric: true});

function sortBy(button) {
  const name = button.dataset.sort, head = button.closest("th");
  const isText = name === "name" || name === "top";
  const up = head.ariaSort ? head.ariaSort === "descending" : isText;
  for (const th of head.parentNode.cells) th.removeAttribute("aria-sort");
  head.ariaSort = up ? "ascending" : "descending";
  const compare = isText
    ? (a, b) => collator.compare(a.dataset[name], b.dataset[name])
    : (a, b) => Number(a.dataset[name]) - Number(b.dataset[name]);
  rows.sort((a, b) => (up ? compare(a, b) : compare(b, a)));
  body.append(...rows);
}

function filter() {
  const words = find("search").value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const least = Number(find("least").value) || 0;
  let seen = 0;
  for (const row of rows) {
    const text = row.textContent.toLocaleLowerCase();
    row.hidden = Number(row.dataset.percent) < least || !words.every((w) => text.includes(w));
    if (!row.hidden) seen++;
  }
  find("matches").textContent = lang.text("common.texts", {n: seen});
}

document.querySelector("#table thead").addEventListener("click", (e) => {
  const button = e.target.closest("[data-sort]");
  if (button) sortBy(button);
});
find("search").addEventListener("input", filter);
find("least").addEventListener("input", filter);
find("print").addEventListener("click", () => window.print());
find("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
