// The decisions of the reader: filters, excluded sources and passages, verdicts, and the
// file to which they are saved.

const reasons = {
  quoted: lang.text("common.reason-quoted"), template: lang.text("common.reason-template"), common: lang.text("common.reason-common"),
  own: lang.text("common.reason-own"), other: lang.text("common.reason-other"),
};

// choice returns the decisions in the form that count takes.
function choice() {
  return {
    kinds: state.kinds, grades: state.grades, passageWords: state.passageWords, sourceWords: state.sourceWords,
    sourcePercent: state.sourcePercent, sources: state.sources, passages: new Set([...state.passages.keys(), ...notAccepted()]), places: state.leftPlaces.values(),
  };
}

function changed() {
  return state.kinds.size + state.grades.size + state.passageWords + state.sourceWords + state.sourcePercent +
    state.sources.size + state.passages.size + state.leftPlaces.size + state.hints.size > 0;
}

// rewordedOnly states that the score consists of reworded words only, with the longest run, "" for other scores.
function rewordedOnly(total) {
  if (total.covered === 0 || total.grades.at(-1) < total.covered) return "";
  const run = total.run > 0 ? "; " + lang.text("common.longest-run", {words: lang.text("common.words", {n: total.run})}) : "";
  return lang.text("common.reworded-only") + run;
}

// hintedMore states how many sources are listed for their hints only, "" for none. It does not count those whose hints are
// all left out.
function hintedMore() {
  const n = new Set(hintsLeft().map((k) => data.hints[k].source).filter((i) => data.sources[i].hinted)).size;
  return n > 0 ? ", " + lang.text("common.hinted-more", {n}) : "";
}

// repaint marks the text and the map again.
function repaint() {
  state.painted = paint(state.total);
  state.painted.chips = chipsOf(state.painted);
  drawText(state.painted);
  drawMap(state.painted);
}

// recount counts again and updates the page.
function recount() {
  const total = state.total = count(input, choice());
  state.places = placesOf(data.passages, total);
  showGroups();
  repaint();
  for (const node of document.querySelectorAll("[data-percent]")) node.textContent = lang.percent(total.percent);
  find("covered").textContent = lang.number(total.covered);
  find("counts").textContent = lang.text("page.count-places", {n: state.places.length}) + ", " +
    lang.text("page.count-sources", {n: total.sources.filter((_, i) => !isGone(i) && !data.sources[i].hinted).length}) + hintedMore() +
    (hintsLeft().length > 0 ? ", " + lang.text("page.count-hints", {n: hintsLeft().length}) : "");
  find("as-found").hidden = lang.percent(total.percent) === find("as-found").querySelector("b").textContent;
  const only = rewordedOnly(total);
  for (const node of document.querySelectorAll("[data-reworded]")) {
    node.textContent = only;
    node.hidden = only === "";
  }
  total.grades.forEach((words, g) => {
    find("grade-words-" + g).textContent = lang.number(words);
    find("grade-percent-" + g).textContent = lang.percent(percentOf(words, data.words));
    find("grade-bar-" + g).style.width = percentOf(words, data.words) + "%";
  });
  const most = Math.max(1, ...total.sources.map((s) => s.covered));
  data.sources.forEach((_, i) => showSource(i, total.sources[i], most));
  sourceList.total = total.sources;
  arrange();
  showStrongest();
  showEverybody();
  showHints();
  find("decided").replaceChildren(...decisionList());
  find("decided-title").textContent = lang.text(state.hints.size > 0 ? "page.left-out-accepted" : "page.left-out");
  showLost();
  showReview();
  showPassage();
}

// isGone reports whether a source was left out. A source without passages, which is
// listed only for its n-grams, is not left out.
function isGone(source) {
  return state.total.sources[source].out && (state.sources.has(source) || hasPassages.has(source));
}

// showSource fills in the row of a source.
function showSource(i, s, most) {
  const row = sourceRows[i];
  row.classList.toggle("gone", isGone(i));
  row.querySelector(".share").textContent = lang.percent(s.percent);
  row.querySelector(".bar i").style.width = percentOf(s.covered, most) + "%";
  row.querySelector(".words").textContent = lang.number(s.covered);
  row.querySelector(".counted").textContent = lang.number(s.counted);
  row.querySelector(".passages").textContent = lang.number(s.passages);
}

// filterList lists the active filters, since the form is not printed.
function filterList() {
  const list = [];
  if (state.passageWords > 0) list.push(lang.text("page.under-passage", {n: state.passageWords}));
  if (state.sourceWords > 0) list.push(lang.text("page.under-source", {n: state.sourceWords}));
  if (state.sourcePercent > 0) list.push(lang.text("page.under-share", {percent: lang.limit(state.sourcePercent)}));
  gradeNames.forEach((grade, g) => { if (state.grades.has(g)) list.push(lang.text("page.without-grade", {grade})); });
  for (const box of document.querySelectorAll("[data-kind]")) {
    if (box.checked) list.push(box.closest("label").innerText.trim());
  }
  return list;
}

// decisionList lists exclusions with their reasons, each with a button to undo it.
function decisionList() {
  const item = (map, i, what) => {
    const d = map.get(i);
    const isHint = map === state.hints;
    const back = el("button", {type: "button", className: "small", ariaLabel: isHint ? lang.text("page.hint-withdraw") + ": " + what : lang.text("page.count-what", {what})},
      lang.text(isHint ? "page.hint-withdraw" : "page.count-again"));
    back.addEventListener("click", () => { map.delete(i); touched(); });
    return el("li", {}, el("b", {}, what), " – " + (reasons[d.reason] || lang.text("page.hint-accepted")) + (d.note ? ": " : ""), el("bdi", {}, d.note), " ", stampOf(d), " ", back);
  };
  return [
    ...filterList().map((what) => el("li", {}, el("b", {}, what))),
    ...[...state.sources.keys()].sort((a, b) => a - b).map((i) => item(state.sources, i, sourceNamed(i))),
    ...[...state.passages.keys()].sort((a, b) => a - b).map((i) => item(state.passages, i, passageNamed(i))),
    ...[...state.hints.keys()].sort((a, b) => a - b).map((k) => item(state.hints, k, hintNamed(k))),
    ...[...state.leftPlaces].sort((a, b) => a[1].word - b[1].word).map(([name, s]) => item(state.leftPlaces, name, lang.text("page.this-place", {words: stretchQuoted(s)}))),
  ];
}

// sourceNamed names a source in a list of decisions.
function sourceNamed(i) {
  return lang.text("page.source-number", {number: i + 1}) + ", " + fullName(data.sources[i]);
}

// passageNamed names a passage in a list of decisions, by its words and its source.
function passageNamed(i) {
  const p = data.passages[i];
  return lang.text("page.passage-number", {number: i + 1}) + " " + quoteOf(p.from, p.to) + ", " + fullName(data.sources[p.source]);
}

// stamp returns the reviewer and the present time.
function stamp() {
  return {by: find("reviewer").value.trim(), at: new Date().toISOString().slice(0, 19) + "Z"};
}

// stampOf returns the reviewer and the time of a decision, as far as known.
function stampOf(d) {
  return el("span", {className: "dim"}, [d.by, d.at && lang.date(d.at)].filter(Boolean).join(", "));
}

// verdictOn returns the verdict on a passage, "" for none. On a joined passage, that is the verdict on its first part that has
// one: a report made before the parts were joined may have verdicts on any of them.
function verdictOn(i) {
  const part = partsWith(i).find((k) => state.passageVerdicts.has(k));
  return part === undefined ? "" : state.passageVerdicts.get(part).verdict;
}

// judgePassage sets or removes the verdict on a passage and its parts.
function judgePassage(i, verdict) {
  const [first, ...others] = partsWith(i);
  others.forEach((k) => state.passageVerdicts.delete(k));
  judge(state.passageVerdicts, first, verdict);
}

// judge sets or removes a verdict on one source or passage.
function judge(map, i, verdict) {
  if (verdict) map.set(i, {verdict, note: "", ...stamp()});
  else map.delete(i);
  noted();
}

// judgeAll sets the verdict on the whole text. A note is stored while it is typed, so
// that closing the page loses nothing.
function judgeAll(what) {
  const verdict = find("verdict").value, note = find("verdict-note").value.trim();
  if (!verdict && !state.verdict) return showReview(); // a note without a verdict is not stored, which the card states
  state.verdict = verdict ? {verdict, note, ...stamp()} : null;
  noted(what);
}

// showReview shows the verdicts.
function showReview() {
  find("verdict").value = state.verdict ? state.verdict.verdict : "";
  if (document.activeElement !== find("verdict-note")) find("verdict-note").value = state.verdict ? state.verdict.note : find("verdict-note").value;
  find("note-alone").hidden = !noteAlone();
  const item = (v, what) => el("li", {}, el("b", {}, what), " – " + verdictName(v) + (v.note ? ": " : ""), el("bdi", {}, v.note), " ", stampOf({...v, by: v.by || find("reviewer").value.trim() || lang.text("common.no-name")}));
  const sorted = (map) => [...map].sort((a, b) => a[0] - b[0]);
  find("verdicts").replaceChildren(
    ...(state.verdict ? [item(state.verdict, lang.text("common.whole-text"))] : []),
    ...sorted(state.sourceVerdicts).map(([i, v]) => item(v, sourceNamed(i))),
    ...sorted(state.passageVerdicts).map(([i, v]) => item(v, passageNamed(i))),
  );
}

function verdictName(v) {
  return [...find("verdict").options].find((o) => o.value === v.verdict).textContent;
}

// noteAlone reports whether there is a note without a verdict.
function noteAlone() {
  return !find("verdict").value && find("verdict-note").value.trim() !== "";
}

// listenToReview adds the event handlers of the card of the review.
function listenToReview() {
  find("verdict").addEventListener("change", () => judgeAll());
  find("verdict-note").addEventListener("input", () => judgeAll("verdict-note"));
  find("verdict-note").addEventListener("change", () => { judgeAll("verdict-note"); settled(); });
  find("reviewer").addEventListener("change", () => { keep(); showReview(); });
  find("verdict-passage").addEventListener("change", (e) => judgePassage(state.selected, e.target.value));
  find("verdict-source").addEventListener("change", (e) => judge(state.sourceVerdicts, data.passages[state.selected].source, e.target.value));
  find("load-file").addEventListener("change", (e) => {
    if (e.target.files.length > 0) load(e.target.files[0]);
    e.target.value = "";
  });
  window.addEventListener("beforeunload", (e) => {
    if ((!state.unsaved || state.kept) && !noteAlone()) return;
    e.preventDefault();
    e.returnValue = "";
  });
}

// decide asks for a reason and leaves out a source or a passage, or counts it
// again.
function decide(map, i, what) {
  if (map.has(i)) {
    map.delete(i);
    touched();
    notice(lang.text("page.what-counts", {what, percent: lang.percent(state.total.percent)}));
    return;
  }
  const dialog = find("decide");
  find("decide-what").textContent = lang.text("page.leave-what", {what});
  find("decide-note").value = "";
  dialog.querySelector("form").onsubmit = (e) => {
    if (!e.submitter || e.submitter.value !== "ok") return;
    const before = state.total.covered;
    map.set(i, {reason: find("decide-reason").value, note: find("decide-note").value.trim(), ...stamp()});
    touched();
    tellMoved(map, what, before);
  };
  dialog.showModal();
}

// tellMoved shows the effect of a decision on the score, or why it had none.
function tellMoved(map, what, before) {
  const percent = lang.percent(state.total.percent);
  const others = state.total.covered < before ? [] : map.others();
  if (others.length === 0) return notice(lang.text("page.what-left-out", {what, percent}));
  const button = el("button", {type: "button", className: "small", "data-do": "exclude-place"}, lang.text("page.leave-place"));
  notice(lang.text("page.not-moved", {what, percent, n: others.length}), ...(map.isPassage && state.selected >= 0 ? [button] : []));
}

// othersAt returns the counted sources that have words of these passages, except the
// given ones.
function othersAt(passages, sources) {
  const found = new Set();
  data.passages.forEach((q, k) => {
    if (state.total.passages[k].out || sources.has(q.source)) return;
    if (passages.some((i) => data.passages[i].from < q.to && q.from < data.passages[i].to)) found.add(q.source);
  });
  return [...found];
}

// decided returns all decisions in the form of a file of decisions, including those whose
// subjects are not in this report.
function decided() {
  const said = (d) => Object.fromEntries(Object.entries(d).filter(([, value]) => value !== ""));
  const placeOf = (i) => {
    const p = data.passages[i];
    return {source: data.sources[p.source].id, name: data.sources[p.source].name, suspect: p.bytes.slice(0, 2), origin: p.bytes.slice(2)};
  };
  const sorted = (map) => [...map].sort((a, b) => a[0] - b[0]);
  return {
    verdicts: [
      ...(state.verdict ? [{of: "report", ...said(state.verdict)}] : []),
      ...sorted(state.sourceVerdicts).map(([i, v]) => ({of: "source", source: data.sources[i].id, name: data.sources[i].name, ...said(v)})),
      ...sorted(state.passageVerdicts).map(([i, v]) => ({of: "passage", ...placeOf(i), ...said(v)})),
      ...state.lost.verdicts,
    ],
    filter: {
      kinds: [...state.kinds].sort(), grades: data.grades.filter((_, g) => state.grades.has(g)),
      passage_words: state.passageWords, source_words: state.sourceWords, source_percent: state.sourcePercent,
    },
    sources: [...sorted(state.sources).map(([i, d]) => ({id: data.sources[i].id, name: data.sources[i].name, ...said(d)})), ...state.lost.sources],
    ...(state.hints.size + state.lost.hints.length > 0 ? {hints: [...hintDecisions(), ...state.lost.hints]} : {}),
    ...(state.leftPlaces.size > 0 ? {places: [...state.leftPlaces.values()].sort((a, b) => a.word - b.word).map(said)} : {}),
    passages: [...sorted(state.passages).map(([i, d]) => ({number: i + 1, ...placeOf(i), ...said(d)})), ...state.lost.passages],
  };
}

// decisions returns the content of a file for otisk report --decisions.
function decisions() {
  const total = state.total;
  const grades = {};
  data.grades.forEach((name, g) => { if (total.grades[g] > 0) grades[name] = total.grades[g]; });
  const by = stamp();
  return {
    otisk: "decisions", format: 1, suspect: data.suspect, ...(by.by ? by : {at: by.at}), ...decided(),
    score: {words: data.words, covered: total.covered, percent: total.percent, grades},
  };
}

function save() {
  const file = new Blob([JSON.stringify(decisions(), null, 2) + "\n"], {type: "application/json"});
  const link = el("a", {href: URL.createObjectURL(file), download: data.file + ".decisions.json"});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  markSaved();
  tell(lang.text("page.saved"));
}

// takeFilters reads the filters from the form.
function takeFilters() {
  const number = (id, most) => Math.min(most, Math.max(0, Number(find(id).value) || 0));
  state.passageWords = Math.floor(number("passage-words", 1e9));
  state.sourceWords = Math.floor(number("source-words", 1e9));
  state.sourcePercent = number("source-percent", 100);
  state.grades = new Set(data.grades.map((_, g) => g).filter((g) => !find("grade-" + g).checked));
  state.kinds = new Set([...document.querySelectorAll("[data-kind]")].filter((box) => box.checked).map((box) => box.dataset.kind));
}

// putFilters writes the filters of the state into the form.
function putFilters() {
  find("passage-words").value = state.passageWords;
  find("source-words").value = state.sourceWords;
  find("source-percent").value = state.sourcePercent;
  data.grades.forEach((_, g) => { find("grade-" + g).checked = !state.grades.has(g); });
  for (const box of document.querySelectorAll("[data-kind]")) box.checked = state.kinds.has(box.dataset.kind);
}

// startReview applies the review in the report, and then the decisions that the browser
// has stored since.
function startReview() {
  data.sources.forEach((s, i) => sourceAt.set(s.id, i));
  data.passages.forEach((p, i) => passageAt.set(placeName(data.sources[p.source].id, p.bytes.slice(0, 2), p.bytes.slice(2)), i));
  data.hints.forEach((h, k) => hintAt.set(hintName({kind: h.kind, source: data.sources[h.source].id, suspect: h.bytes.slice(0, 2), origin: h.bytes.slice(2)}), k));
  if (data.hints.length > 0) find("hint-filter").addEventListener("input", showHints);
  find("reviewer").value = "";
  if (data.review) takeReview(data.review);
  const came = takeSaved() ?? (data.review ? data.review.at || "" : undefined);
  state.now = state.base = partsOf(decided());
  listenToReview();
  listenToOthers();
  restore(came);
}

function takeReview(v) {
  state.kinds = new Set(v.filter.kinds);
  state.grades = new Set(v.filter.grades.map((name) => data.grades.indexOf(name)));
  state.passageWords = v.filter.passage_words;
  state.sourceWords = v.filter.source_words;
  state.sourcePercent = v.filter.source_percent;
  const words = (x) => ({note: x.note || "", by: x.by || "", at: x.at || ""});
  for (const d of v.sources) state.sources.set(d.index, {reason: d.reason, ...words(d)});
  for (const d of v.passages) state.passages.set(d.index, {reason: d.reason, ...words(d)});
  for (const x of v.places || []) state.leftPlaces.set(stretchName(x), {suspect: x.suspect, word: x.word, words: x.words, reason: x.reason, ...words(x)});
  for (const d of v.hints || []) state.hints.set(d.index, words(d));
  for (const x of v.verdicts || []) {
    const value = {verdict: x.verdict, ...words(x)};
    if (x.of === "source") state.sourceVerdicts.set(x.index || 0, value);
    else if (x.of === "passage") state.passageVerdicts.set(x.index || 0, value);
    else state.verdict = value;
  }
}
