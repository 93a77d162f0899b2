// The page: selection, keys and clicks.

const find = (id) => document.getElementById(id);
const data = JSON.parse(find("data").textContent);
data.hints ??= [];
remarks.list = data.home?.remarks || [];
const input = {
  words: data.words, sources: data.sources.length, grades: data.grades.length,
  passages: [...data.passages, ...data.hints], exclusions: data.exclusions,
  shares: data.sources.map((s) => s.share || 0),
};
const state = {
  kinds: new Set(), grades: new Set(), passageWords: 0, sourceWords: 0, sourcePercent: 0,
  sources: new Map(), passages: new Map(), // exclusions: reason, note, reviewer and time
  leftPlaces: new Map(), // excluded places, by their bytes
  hints: new Map(), // accepted hints
  places: [], // of the passages that count
  verdict: null, sourceVerdicts: new Map(), passageVerdicts: new Map(),
  lost: {sources: [], passages: [], places: [], hints: [], verdicts: []}, // decisions on what this report does not have
  unsaved: false, kept: true, // whether decisions are in no file; whether the browser stores them
  now: null, past: [], future: [], // all decisions; undo steps; redo steps
  stored: null, base: null, // content of the storage when it was last read, and the decisions in it
  group: "", // of the passages that are shown, "" for all
  all: false, selected: -1, shownHint: -1, total: null, painted: null,
};
const gradeNames = [lang.text("common.verbatim"), lang.text("common.edited"), lang.text("common.reworded")];
const joinedParts = new Map(); // by joined passage: its passages
data.passages.forEach((p, i) => { if (p.joined) joinedParts.set(p.joined, [...(joinedParts.get(p.joined) || []), i]); });
const hasPassages = new Set(data.passages.map((p) => p.source));
const blocks = blocksOf(data.text, data.lines);
const starts = blocks.map((b) => b.from);
// Starts of pages in the text, each at the first visible character.
const pageAt = new Map((data.pageStarts || []).map((s) => [s.at + data.text.slice(s.at, s.at + 100).search(/\S|$/), s.label]));
const items = data.items || [];
const openItems = {list: [], next: 0}; // while the text is built
const pageOffsets = [...pageAt.keys()].sort((a, b) => a - b);
const sheets = find("sheets-data") ? JSON.parse(find("sheets-data").textContent).pictures : [];
const sheetWords = sheets.flatMap((s, sheet) => s.words.map((w) => ({from: w[0], to: w[1], sheet, box: w.slice(2)}))).sort((a, b) => a.from - b.from);
const wordStarts = sheetWords.map((w) => w.from);

// say announces a message to screen readers.
function say(text) {
  find("live").textContent = text;
}

// list returns the passages for the keys n and p: the best one of each place or, in the
// view of all sources, all that are not left out.
function list() {
  if (!state.all) return state.places.map(bestIn).filter((i) => i !== undefined);
  return data.passages.map((_, i) => i).filter((i) => !state.total.passages[i].out && inGroup(i));
}

// select shows a passage in both texts.
function select(i, scroll) {
  const before = state.selected;
  state.selected = i;
  drawText(state.painted, blocksWith(before, i));
  drawMap(state.painted);
  showPassage();
  document.body.classList.toggle("reading", i >= 0);
  setDeciding(false);
  if (i < 0) return;
  const p = data.passages[i];
  const place = drawSource(i);
  const sheet = getComputedStyle(find("pane")).position === "fixed"; // on a phone, the pane covers the lower half
  if (scroll || sheet) bringMark();
  if (place) bring(place, find("source-text"));
  else find("source-text").scrollTop = 0;
  say(lang.text("page.say-passage", {number: i + 1, all: data.passages.length, source: p.source + 1, grade: gradeNames[p.grade],
    words: lang.text("common.words", {n: p.words})}) + " " + data.text.slice(p.from, Math.min(p.to, p.from + 300)));
}

// bringMark scrolls to the selected passage.
function bringMark() {
  const mark = markOf(state.selected);
  if (!mark) return;
  bring(mark, window);
  requestAnimationFrame(() => mark.isConnected && bring(mark, window)); // paragraphs in between have their actual height by now
}

// bring scrolls a box so that a node is in its upper third.
function bring(node, box) {
  const at = node.getBoundingClientRect();
  if (box === window) {
    window.scrollBy({top: at.top - window.innerHeight / 3, behavior: "instant"});
  } else {
    const frame = box.getBoundingClientRect();
    box.scrollTop += at.top - frame.top - frame.height / 5;
  }
}

// setDeciding shows the decisions of the pane instead of the source, on a phone.
function setDeciding(on) {
  find("pane").classList.toggle("deciding", on);
  find("pane-decide").ariaExpanded = String(on);
}

// showPassage fills the header of the pane.
function showPassage() {
  const i = state.selected;
  find("pane-empty").hidden = i >= 0;
  find("pane-full").hidden = i < 0;
  if (i < 0) return;
  const p = data.passages[i], source = data.sources[p.source];
  find("pane-number").className = "chip " + colorOf(p.source);
  find("pane-number").textContent = p.source + 1;
  find("pane-name").textContent = source.label;
  find("pane-path").textContent = source.detail;
  const link = find("pane-link");
  link.hidden = !source.address;
  link.textContent = link.href = source.address || "";
  find("pane-facts").textContent = factsOf(i).join(" · ");
  find("pane-facts").className = "facts g" + p.grade;
  find("pane-place").textContent = whereIs(i);
  const passages = sameIn(i), sources = copiesOf(p.source);
  find("exclude-passage").textContent = lang.text(decisionOn(state.passages, passages).has() ? "page.count-passage" : "page.leave-passage") + times(passages);
  find("exclude-source").textContent = lang.text(decisionOn(state.sources, sources).has() ? "page.count-source" : "page.leave-source") + times(sources);
  find("exclude-place").textContent = lang.text(leftPlaceOf(p) ? "page.count-place" : "page.leave-place");
  find("verdict-passage").value = verdictOn(i);
  find("verdict-source").value = (state.sourceVerdicts.get(p.source) || {verdict: ""}).verdict;
  showOthers(i);
}

// factsOf states the grade and the figures of a passage; of a joined one, the sums of its parts.
function factsOf(i) {
  const parts = partsWith(i).map((k) => data.passages[k]);
  const sum = (of) => parts.reduce((all, p) => all + p[of], 0);
  const grades = [...new Set(parts.map((p) => gradeNames[p.grade] + (p.kind === "summary" ? ", " + lang.text("page.summary") : "")))];
  const words = sum("words"), originWords = sum("originWords");
  return [
    grades.join(", "),
    lang.text("common.words", {n: words}) + (originWords !== words ? " (" + lang.text("page.in-source", {n: originWords}) + ")" : ""),
    lang.text("page.equal", {n: sum("matched")}), lang.text("page.longest-run", {n: Math.max(...parts.map((p) => p.run))}),
    ...(parts.length > 1 ? [lang.text("page.parts", {n: parts.length, between: lastWord(parts.at(-1)) - parts[0].word - words})] : []),
    ...new Set(parts.map((p) => p.pages).filter(Boolean)),
    ...new Set(parts.map((p) => p.witnesses).filter(Boolean)),
  ];
}

// whereIs returns, as text, the number of the place of a passage, and the position of its source
// among those of the place.
function whereIs(i) {
  const at = placeOf(i);
  if (at < 0) return lang.text("page.passage-of", {number: i + 1, all: data.passages.length}) + " (" + lang.text("page.is-left-out") + ")";
  const here = state.places[at];
  const sources = [...new Set([here.best, ...here.passages].map((k) => data.passages[k].source))];
  const number = sources.indexOf(data.passages[i].source) + 1;
  return lang.text("page.place-of", {number: at + 1, all: state.places.length}) +
    (sources.length > 1 ? " · " + lang.text("page.source-here", {number, n: sources.length}) : "");
}

function times(list) {
  return list.length > 1 ? " (" + lang.number(list.length) + "×)" : "";
}

// showOthers lists the other sources at the place of a passage.
function showOthers(i) {
  const p = data.passages[i], seen = new Set([p.source]);
  const others = data.passages.map((_, k) => k).filter((k) => {
    const q = data.passages[k];
    if (state.total.passages[k].out || q.from >= p.to || q.to <= p.from || seen.has(q.source)) return false;
    return seen.add(q.source);
  });
  find("pane-also").hidden = others.length === 0;
  find("pane-also").replaceChildren(lang.text("page.also") + " ", ...others.slice(0, 24).map(chip), others.length > 24 ? "…" : "");
}

// showStrongest lists the passages with most counted words.
function showStrongest() {
  const weight = (i) => partsWith(i).reduce((sum, k) => sum + state.total.passages[k].counted, 0);
  const leads = (i) => partsWith(i).find((k) => state.total.passages[k].counted > 0) === i;
  const strongest = data.passages.map((_, i) => i).filter((i) => leads(i) && inGroup(i) && !state.total.passages[i].out && weight(i) > 0 && !isEverybodys(data.passages[i]))
    .sort((a, b) => weight(b) - weight(a) || a - b).slice(0, 3);
  find("no-passages").hidden = strongest.length > 0;
  find("strongest").replaceChildren(...strongest.map((i) => {
    const p = data.passages[i];
    const sum = (of) => partsWith(i).reduce((all, k) => all + data.passages[k][of], 0);
    const facts = [gradeNames[p.grade], lang.text("common.words", {n: sum("words")}), lang.text("page.equal-of", {n: sum("matched"), all: sum("words")}), ...(p.pages ? [p.pages] : []), fullName(data.sources[p.source])];
    return el("li", {}, el("button", {type: "button", className: "quote", "data-do": "show-passage", "data-p": i},
      el("span", {className: "chip " + colorOf(p.source)}, String(p.source + 1)), el("q", {dir: "auto"}, beginning(data.text.slice(p.from, p.to)) || lang.text("page.passage-of", {number: i + 1, all: data.passages.length}))),
    el("p", {className: "dim"}, el("bdi", {}, facts.join(" · "))));
  }));
}

// fullName returns the title of a source, and its name if that differs.
function fullName(source) {
  const name = shownName(source.name);
  return name.endsWith(source.label) ? name : source.label + " · " + name;
}

// beginning returns the first words of a text.
function beginning(text, most = 160) {
  const line = text.slice(0, 400).replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  return line.slice(0, most).replace(/\s\S*$/, "") + " …";
}

// explain shows the explanation of a term beside it, until the term is clicked again.
function explain(button) {
  const box = find("explanation");
  const open = button.ariaExpanded === "true";
  hideExplanation();
  if (open) return;
  const at = button.getBoundingClientRect();
  box.textContent = find("about-" + button.dataset.term).textContent;
  box.hidden = false;
  box.style.left = Math.max(8, Math.min(at.left + window.scrollX, document.documentElement.clientWidth - box.offsetWidth - 8)) + "px";
  box.style.top = at.bottom + window.scrollY + 6 + "px";
  button.ariaExpanded = "true";
}

function hideExplanation() {
  find("explanation").hidden = true;
  for (const b of document.querySelectorAll(".term[aria-expanded=true]")) b.ariaExpanded = "false";
}

// step goes to the next passage (1) or the previous one (-1); without a selection, to
// the first one on the screen or below.
function step(by) {
  const walk = list();
  if (walk.length === 0) return;
  let at = walk.indexOf(state.selected);
  if (at >= 0) at = (at + by + walk.length) % walk.length;
  else if (state.selected >= 0) at = by > 0 ? lowest(walk, state.selected) % walk.length : (lowest(walk, state.selected) + walk.length - 1) % walk.length;
  else at = by > 0 ? 0 : walk.length - 1;
  select(walk[at], true);
}

// stepSource goes to the first passage of the next or previous source that has one.
function stepSource(by) {
  const walk = list();
  const sources = [...new Set(walk.map((i) => data.passages[i].source))].sort((a, b) => a - b);
  if (sources.length === 0) return;
  const now = state.selected < 0 ? -1 : sources.indexOf(data.passages[state.selected].source);
  const next = sources[now < 0 ? (by > 0 ? 0 : sources.length - 1) : (now + by + sources.length) % sources.length];
  select(walk.find((i) => data.passages[i].source === next), true);
}

function selectSource(source) {
  const i = list().find((k) => data.passages[k].source === source) ?? data.passages.findIndex((p) => p.source === source);
  if (i >= 0) select(i, true);
}

// pick handles a click in the text: it selects the passage there, and with each further
// click the next one that covers the place.
function pick(mark) {
  const at = Number(mark.dataset.at);
  const here = best(data.passages).filter((i) => {
    const p = data.passages[i];
    return !state.total.passages[i].out && inGroup(i) && p.from <= at && at < p.to;
  });
  const now = here.indexOf(state.selected);
  if (here.length > 0) select(here[(now + 1) % here.length], false);
}

function setView(all) {
  state.all = all;
  find("view-best").ariaPressed = String(!all);
  find("view-all").ariaPressed = String(all);
  state.painted.chips = chipsOf(state.painted);
  drawText(state.painted);
  showPassage();
}

function setTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  drawMap(state.painted);
}

const keys = {
  n: () => step(1), j: () => step(1), ArrowRight: () => step(1),
  p: () => step(-1), k: () => step(-1), ArrowLeft: () => step(-1),
  s: () => stepSource(1), S: () => stepSource(-1),
  a: () => setView(!state.all),
  x: () => state.selected >= 0 && find("exclude-passage").click(),
  X: () => state.selected >= 0 && find("exclude-source").click(),
  o: () => state.selected >= 0 && find("exclude-place").click(),
  f: () => { find("filters").scrollIntoView({block: "center"}); find("passage-words").focus(); },
  t: () => find("text").scrollIntoView(),
  g: nextGroup,
  v: () => setSheets(!onSheets()),
  d: setTheme, c: openRemark,
  u: undo, U: redo,
  Escape: () => (find("explanation").hidden ? select(-1, false) : hideExplanation()),
  "?": () => find("help").showModal(),
};

function onKey(e) {
  const field = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox";
  if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === "z" && !field && !document.querySelector("dialog[open]")) {
    e.preventDefault();
    return e.shiftKey ? redo() : undo();
  }
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  // A closed dialog keeps the focus until the next frame.
  const typing = field && !e.target.closest("dialog");
  if (typing) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const run = keys[e.key];
  if (!run) return;
  e.preventDefault();
  run();
}

// onEnter presses the first button of a dialog, wherever the focus is.
function onEnter(e) {
  if (e.key !== "Enter" || e.isComposing || e.target.tagName === "BUTTON") return;
  e.preventDefault();
  e.currentTarget.querySelector(".end button").click();
}

function onClick(e) {
  const node = e.target.closest("[data-p], [data-source], [data-do]");
  if (!node || node.dataset.do !== "explain") hideExplanation();
  if (!node) return;
  if (node.dataset.do) actions[node.dataset.do](node);
  else if (node.tagName === "MARK") pick(node);
  else if (node.dataset.p) select(Number(node.dataset.p), false);
  else selectSource(Number(node.dataset.source));
}

const actions = {
  next: () => step(1), previous: () => step(-1), "next-source": () => stepSource(1), close: () => select(-1, false),
  sheets: () => setSheets(true), plain: () => setSheets(false), best: () => setView(false), all: () => setView(true), theme: setTheme, save, load: () => find("load-file").click(), print: () => window.print(),
  help: () => find("help").showModal(),
  "exclude-passage": () => {
    const passages = sameIn(state.selected);
    decide(decisionOn(state.passages, passages), state.selected, passagesNamed(passages));
  },
  "exclude-place": () => {
    const s = leftPlaceOf(data.passages[state.selected]) || stretchAt(state.selected), name = stretchName(s);
    const map = {has: () => state.leftPlaces.has(name), delete: () => state.leftPlaces.delete(name), set: (_, d) => state.leftPlaces.set(name, {...s, ...d}), others: () => []};
    decide(map, name, lang.text("page.this-place", {words: stretchQuoted(s)}));
  },
  "accept-hint": (node) => acceptHint(Number(node.dataset.hint)),
  "show-hint": (node) => showHint(Number(node.dataset.hint)), "go-hint": (node) => goToHint(Number(node.dataset.hint)),
  "pane-decide": () => setDeciding(!find("pane").classList.contains("deciding")),
  "leave-everybody": leaveEverybody,
  remark: openRemark, "go-remark": (node) => goToRemark(Number(node.dataset.remark), true), "show-remark": (node) => goToRemark(Number(node.dataset.remark), false),
  dismiss: () => { find("notice").hidden = true; },
  "exclude-source": () => {
    const sources = copiesOf(data.passages[state.selected].source);
    decide(decisionOn(state.sources, sources), sources[0], sourcesNamed(sources));
  },
  "exclude-row": (node) => decide(decisionOn(state.sources, node.sources), node.sources[0], node.what),
  "show-passage": (node) => select(Number(node.dataset.p), true),
  "all-sources": () => { sourceList.all = true; arrange(); },
  unfold: (node) => {
    const source = Number(node.closest("tr").dataset.source);
    if (!sourceList.open.delete(source)) sourceList.open.add(source);
    arrange();
    sourceRows[source].querySelector(".fold button").focus();
  },
  explain,
  group: (node) => setGroup(node.dataset.group === state.group ? "" : node.dataset.group),
  "all-groups": () => setGroup(""),
  "show-source": (node) => selectSource(Number(node.closest("tr").dataset.source)),
  reset: () => {
    for (const map of [state.sources, state.passages, state.leftPlaces]) map.clear();
    Object.assign(state, {kinds: new Set(), grades: new Set(), passageWords: 0, sourceWords: 0, sourcePercent: 0});
    putFilters();
    touched();
    tell(lang.text("page.all-count", {percent: lang.percent(state.total.percent)}));
  },
  undo,
};

// fillPrint writes the passages of each place that count, with both texts, for print only.
// Text shared by most documents is on the first page.
function fillPrint() {
  if (onSheets()) sheets.forEach(showSheet);
  for (const d of document.querySelectorAll("details:not([open])")) {
    d.open = true;
    d.dataset.printed = "";
  }
  const counts = (i) => state.total.passages[i].counted > 0;
  const isLost = (i) => state.total.passages[i].out && data.passages[i].counted > 0;
  find("print-passages").replaceChildren(
    ...state.places.filter((s) => !isEverybodys(data.passages[s.lead])).flatMap((s) => {
      const shown = s.passages.filter(counts);
      const quoted = new Set(shown.map((i) => data.passages[i].source));
      return shown.map((i, k) => printed(i, k < shown.length - 1 ? [] : othersHere(s, quoted)));
    }),
    ...data.passages.map((_, i) => i).filter(isLost).map((i) => printed(i, [])));
}

// othersHere returns the numbers of the sources of a place that are not quoted.
function othersHere(s, quoted) {
  return [...new Set(s.passages.map((i) => data.passages[i].source))].filter((k) => !quoted.has(k)).map((k) => k + 1);
}

// printed returns a passage beside its source, for print.
function printed(i, others) {
  const p = data.passages[i], source = data.sources[p.source], x = source.excerpts[p.excerpt];
  const out = state.total.passages[i].out;
  const title = " " + lang.text("page.passage") + " " + [lang.number(i + 1) + ": " + gradeNames[p.grade], lang.text("common.words", {n: p.words}), ...(p.pages ? [p.pages] : [])].join(", ") +
    (out ? " – " + lang.text("page.is-left-out") : "");
  return el("article", {className: out ? "gone" : ""},
    el("h3", {}, el("span", {className: "chip " + colorOf(p.source)}, String(p.source + 1)), title),
    el("p", {className: "from"}, lang.text("page.from") + " ", el("bdi", {}, fullName(source)), others.length > 0 ? " · " + lang.text("page.also") + " " + others.join(", ") : ""),
    el("div", {className: "pair"},
      underlined(data.text, p.from, p.to, p.equal.map((e) => [e[0], e[1]])),
      underlined(x ? x.text : "", p.originFrom, p.originTo, p.equal.map((e) => [e[2], e[3]]))));
}

// endPrint closes the elements opened for print, and removes the printed passages, which
// may be long.
function endPrint() {
  find("print-passages").replaceChildren();
  for (const d of document.querySelectorAll("details[data-printed]")) {
    d.open = false;
    delete d.dataset.printed;
  }
}

const paperMost = 6000; // maximum characters of a printed passage

// underlined returns a part of a text with its equal words underlined.
function underlined(text, from, to, equal) {
  const node = el("p", {dir: "auto"});
  const end = Math.min(to, from + paperMost);
  let at = from;
  for (const [start, stop] of equal.sort((a, b) => a[0] - b[0])) {
    if (start < at || start >= end) continue;
    node.append(text.slice(at, start), el("u", {}, text.slice(start, Math.min(stop, end))));
    at = Math.min(stop, end);
  }
  node.append(text.slice(at, end), end < to ? " […]" : "");
  return node;
}

// The link to the overview is shown only if the reader came from it, or has opened it in
// this folder before, so that a report that was sent alone has no broken link.
function linkBack() {
  const link = find("all-reports");
  if (!link) return;
  link.hidden = location.hash !== "#from-all" && !isKnown(link.href);
  link.nextElementSibling.hidden = !link.hidden;
}

function isKnown(overview) {
  try {
    return localStorage.getItem("otisk-overview:" + overview) !== null;
  } catch (e) {
    return false; // the browser stores nothing
  }
}

// start shows the report. If a browser has saved the page, it contains elements that the
// script had added, so these are replaced.
function start() {
  linkBack();
  const holder = find("suspect-text");
  document.body.classList.remove("reading");
  if (blocks.length > 0) holder.replaceChildren();
  holder.classList.toggle("long", blocks.length > 300); // long texts are laid out only on the screen
  for (const b of blocks) {
    b.node = paragraph(data.text.slice(b.from, b.to));
    if (isHeading(b)) b.node.classList.add("heading");
    else markItem(b);
    holder.append(b.node);
  }
  for (const id of ["exclude-passage", "exclude-place", "exclude-source"]) find(id).dataset.do = id;
  startSheets();
  startReview();
  startSources();
  putFilters();
  recount();
  startEarlier();
  setSheets(true);
  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("keydown", onEnter);
  find("filters").addEventListener("input", (e) => { takeFilters(); touched(e.target.type === "number" ? e.target.id : undefined); });
  find("filters").addEventListener("change", settled);
  find("map").addEventListener("click", (e) => {
    const box = find("map").getBoundingClientRect();
    goTo((e.clientX - box.left) / box.width * data.text.length);
  });
  let waiting = false;
  const later = (run) => () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; run(); });
  };
  window.addEventListener("scroll", later(drawWindow), {passive: true});
  window.addEventListener("resize", later(() => { drawMap(state.painted); drawWindow(); }));
  window.addEventListener("beforeprint", fillPrint);
  window.addEventListener("afterprint", endPrint);
  drawWindow();
  document.body.classList.add("ready");
}

start();
