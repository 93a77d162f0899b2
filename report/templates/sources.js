// The list of sources, which can be searched, sorted and grouped by collection, with
// sources of the same passages folded into one row.

const shownAtFirst = 12; // number of rows shown until the reader requests all
const sourceRows = []; // by source; in a document saved by a browser, rows are in the order last shown
for (const row of document.querySelectorAll("tr[data-source]")) sourceRows[row.dataset.source] = row;
const sourceList = {all: false, open: new Set(), folds: [], total: null};
const byName = new Intl.Collator(document.documentElement.lang, {numeric: true});

// foldsOf returns, for each source, the first source with passages at the same places,
// which represents all of them.
function foldsOf() {
  const places = data.sources.map(() => []);
  for (const p of data.passages) places[p.source].push(p.from + "-" + p.to);
  const first = new Map();
  return places.map((list, i) => {
    const key = list.length > 0 ? list.join() : "source " + i;
    if (!first.has(key)) first.set(key, i);
    return first.get(key);
  });
}

// foldOf returns the sources that are folded into one, itself first.
function foldOf(source) {
  return data.sources.map((_, i) => i).filter((i) => sourceList.folds[i] === source);
}

const orders = {
  number: (a, b) => a - b,
  covered: (a, b) => sourceList.total[b].covered - sourceList.total[a].covered,
  counted: (a, b) => sourceList.total[b].counted - sourceList.total[a].counted,
  passages: (a, b) => sourceList.total[b].passages - sourceList.total[a].passages,
  run: (a, b) => data.sources[b].run - data.sources[a].run,
  name: (a, b) => byName.compare(data.sources[a].label, data.sources[b].label),
};

// plain returns a text in lower case without accents, for searching.
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

// arrange sorts the rows and shows those that match.
function arrange() {
  if (sourceRows.length === 0) return;
  const words = plain(find("source-search").value).split(/\s+/).filter(Boolean);
  const fold = find("source-fold").checked && words.length === 0;
  const group = find("source-group").checked;
  const found = (i) => {
    const text = plain(data.sources[i].label + " " + data.sources[i].name);
    return words.every((w) => text.includes(w));
  };
  const compare = orders[find("source-sort").value];
  const order = data.sources.map((_, i) => i).filter(found).sort((a, b) =>
    (group ? byName.compare(data.sources[a].group, data.sources[b].group) : 0) || compare(a, b) || a - b);
  const rows = [];
  const isFound = new Set(order);
  let visible = 0, now = null;
  for (const i of order) {
    const into = sourceList.folds[i];
    if (fold && into !== i && isFound.has(into)) continue; // its row comes after that of the first
    if (group && data.sources[i].group !== now) {
      now = data.sources[i].group;
      rows.push(groupRow(now, order.filter((k) => data.sources[k].group === now)));
    }
    const late = !sourceList.all && words.length === 0 && ++visible > shownAtFirst;
    rows.push(...foldedRows(i, fold, late));
  }
  const shown = new Set(rows);
  for (const row of sourceRows) {
    if (shown.has(row)) continue;
    row.classList.add("late"); // does not match: hidden on the screen, but printed
    rows.push(row);
  }
  replaceRows(document.querySelector(".listed tbody"), rows);
  tellSources(order.length, visible);
}

// replaceRows replaces the rows of the table and keeps the focus.
function replaceRows(body, rows) {
  if (rows.length === body.rows.length && rows.every((row, k) => row === body.rows[k])) return;
  const focused = document.activeElement;
  body.replaceChildren(...rows);
  if (body.contains(focused)) focused.focus({preventScroll: true});
}

// foldedRows returns the row of a source, and after it those folded into it.
function foldedRows(i, fold, late) {
  const others = fold ? foldOf(i).slice(1) : [];
  const gone = [i, ...others].filter(isGone).length;
  const row = sourceRows[i], open = sourceList.open.has(i) || gone > 0 && gone <= others.length; // some of them only
  row.classList.toggle("late", late);
  row.classList.remove("inner");
  row.querySelector(".fold")?.remove();
  if (others.length > 0) {
    const text = lang.text("page.folded", {n: others.length});
    const button = el("button", {type: "button", className: "link", ariaExpanded: String(open), "data-do": "unfold"}, lang.text(open ? "page.fold-again" : "page.unfold"));
    row.querySelector(".name").append(el("small", {className: "fold"}, text + ". ", button));
  }
  leaveButton(i, others.length > 0 && !open ? [i, ...others] : [i]);
  return [row, ...others.map((k) => {
    sourceRows[k].classList.toggle("late", late || !open);
    sourceRows[k].classList.add("inner");
    sourceRows[k].querySelector(".fold")?.remove();
    leaveButton(k, [k]);
    return sourceRows[k];
  })];
}

// groupRow returns the heading row of a part of the collection.
function groupRow(name, sources) {
  const covered = sources.reduce((sum, i) => sum + sourceList.total[i].counted, 0);
  return el("tr", {className: "group"}, el("th", {colSpan: 8, scope: "rowgroup"},
    el("bdi", {}, name || lang.text("page.other-collection")), " – " + lang.text("page.count-sources", {n: sources.length}) + ", " +
    lang.percent(percentOf(covered, data.words))));
}

function tellSources(found, rows) {
  const all = data.sources.length;
  find("source-count").textContent = found < all ? lang.text("page.found-sources", {n: found, all}) : lang.text("page.count-sources", {n: data.sources.filter((s) => !s.hinted).length}) + hintedMore();
  const rest = find("source-rest");
  rest.hidden = rows <= shownAtFirst;
  rest.textContent = lang.text("page.show-all", {n: all});
}

// leaveButton makes the button of a row leave out, or count again, all sources that the
// row represents.
function leaveButton(i, sources) {
  const button = sourceRows[i].querySelector(".exclude");
  const out = sources.every((k) => state.sources.has(k));
  const what = sourcesNamed(sources);
  button.sources = sources;
  button.textContent = sources.length > 1
    ? lang.text(out ? "page.count-all" : "page.leave-all", {n: sources.length})
    : lang.text(out ? "page.count-again" : "page.leave-out");
  button.ariaLabel = button.textContent + ": " + what;
  button.what = what;
}

// decisionOn returns one decision on several sources or passages.
function decisionOn(map, list) {
  const isPassage = map === state.passages;
  const passages = () => (isPassage ? list : data.passages.map((_, k) => k).filter((k) => list.includes(data.passages[k].source)));
  return {
    isPassage,
    others: () => othersAt(passages(), new Set(isPassage ? list.map((k) => data.passages[k].source) : list)),
    has: () => list.every((i) => map.has(i)),
    delete: () => list.forEach((i) => map.delete(i)),
    set: (_, d) => list.forEach((i) => map.set(i, {...d})),
  };
}

// copiesOf returns a source and, while copies are folded, those folded with it, since
// leaving out one of twelve copies would change nothing.
function copiesOf(source) {
  return find("source-fold").checked ? foldOf(sourceList.folds[source]) : [source];
}

// sameIn returns the parts of a passage and the equal passages in the copies of its source.
function sameIn(i) {
  const parts = partsWith(i).map((k) => data.passages[k]), copies = new Set(copiesOf(data.passages[i].source));
  return data.passages.map((_, k) => k).filter((k) => {
    const q = data.passages[k];
    return copies.has(q.source) && parts.some((p) => q.from === p.from && q.to === p.to);
  });
}

function sourcesNamed(list) {
  return list.length > 1
    ? lang.text("page.sources-all", {n: list.length, numbers: list.map((k) => k + 1).join(", ")})
    : lang.text("page.source-number", {number: list[0] + 1});
}

function passagesNamed(list) {
  return list.length > 1
    ? lang.text("page.passages-all", {n: list.length, numbers: list.map((k) => k + 1).join(", ")})
    : lang.text("page.passage-number", {number: list[0] + 1});
}

function startSources() {
  if (sourceRows.length === 0) return;
  sourceList.folds = foldsOf();
  find("fold-label").hidden = sourceList.folds.every((into, i) => into === i);
  for (const id of ["source-search", "source-sort", "source-group", "source-fold"]) find(id).addEventListener("input", arrange);
}
