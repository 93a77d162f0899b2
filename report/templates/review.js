// What the reader leaves out: filters, sources and passages, and the file they
// are saved to.

const reasons = {
  quoted: lang.text("common.reason-quoted"), template: lang.text("common.reason-template"), common: lang.text("common.reason-common"),
  own: lang.text("common.reason-own"), other: lang.text("common.reason-other"),
};

// choice returns the state as the score wants it.
function choice() {
  return {
    kinds: state.kinds, grades: state.grades, passageWords: state.passageWords, sourceWords: state.sourceWords,
    sourcePercent: state.sourcePercent, sources: state.sources, passages: state.passages,
  };
}

function changed() {
  return state.kinds.size + state.grades.size + state.passageWords + state.sourceWords + state.sourcePercent +
    state.sources.size + state.passages.size > 0;
}

// recount counts again and shows all that follows from it.
function recount() {
  const total = state.total = count(input, choice());
  state.painted = paint(total);
  state.painted.chips = chipsOf(state.painted);
  for (const node of document.querySelectorAll("[data-percent]")) node.textContent = lang.percent(total.percent);
  find("covered").textContent = lang.number(total.covered);
  find("counts").textContent = lang.text("page.count-passages", {n: total.passages.filter((p) => !p.out).length}) + ", " +
    lang.text("page.count-sources", {n: total.sources.filter((_, i) => !isGone(i)).length});
  find("as-found").hidden = !changed();
  total.grades.forEach((words, g) => {
    find("grade-words-" + g).textContent = lang.number(words);
    find("grade-bar-" + g).style.width = percentOf(words, data.words) + "%";
  });
  const most = Math.max(1, ...total.sources.map((s) => s.covered));
  data.sources.forEach((_, i) => showSource(i, total.sources[i], most));
  sourceList.total = total.sources;
  arrange();
  showStrongest();
  find("decided").replaceChildren(...decisionList());
  find("decided-box").hidden = !changed();
  drawText(state.painted);
  drawMap(state.painted);
  showPassage();
}

// isGone says whether a source was left out. One that never had a passage, and is
// listed for its n-grams only, was not.
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

// filterList says which filters are in force: paper does not show the form.
function filterList() {
  const list = [];
  if (state.passageWords > 0) list.push(lang.text("page.under-passage", {n: state.passageWords}));
  if (state.sourceWords > 0) list.push(lang.text("page.under-source", {n: state.sourceWords}));
  if (state.sourcePercent > 0) list.push(lang.text("page.under-share", {percent: lang.percent(state.sourcePercent)}));
  gradeNames.forEach((grade, g) => { if (state.grades.has(g)) list.push(lang.text("page.without-grade", {grade})); });
  for (const box of document.querySelectorAll("[data-kind]")) {
    if (box.checked) list.push(box.closest("label").innerText.trim());
  }
  return list;
}

// decisionList says what was left out and why, decisions each with a way back.
function decisionList() {
  const item = (map, i, what) => {
    const d = map.get(i);
    const back = el("button", {type: "button", className: "small", ariaLabel: lang.text("page.count-what", {what})}, lang.text("page.count-again"));
    back.addEventListener("click", () => { map.delete(i); touched(); });
    return el("li", {}, el("b", {}, what), " – " + reasons[d.reason] + (d.note ? ": " : ""), el("bdi", {}, d.note), " ", back);
  };
  return [
    ...filterList().map((what) => el("li", {}, el("b", {}, what))),
    ...[...state.sources.keys()].sort((a, b) => a - b).map((i) => item(state.sources, i, lang.text("page.source-number", {number: i + 1}))),
    ...[...state.passages.keys()].sort((a, b) => a - b).map((i) => item(state.passages, i, lang.text("page.passage-number", {number: i + 1}))),
  ];
}

// touched recounts after a decision that is not in a file yet.
function touched() {
  find("save").classList.add("dirty");
  recount();
}

// decide asks for a reason and leaves out a source or a passage, or counts it
// again.
function decide(map, i, what) {
  if (map.has(i)) {
    map.delete(i);
    touched();
    say(lang.text("page.what-counts", {what, percent: lang.percent(state.total.percent)}));
    return;
  }
  const dialog = find("decide");
  find("decide-what").textContent = lang.text("page.leave-what", {what});
  find("decide-note").value = "";
  dialog.querySelector("form").onsubmit = (e) => {
    if (!e.submitter || e.submitter.value !== "ok") return;
    map.set(i, {reason: find("decide-reason").value, note: find("decide-note").value.trim()});
    touched();
    say(lang.text("page.what-left-out", {what, percent: lang.percent(state.total.percent)}));
  };
  dialog.showModal();
}

// decisions returns what the command report --decisions reads.
function decisions() {
  const total = state.total;
  const grades = {};
  data.grades.forEach((name, g) => { if (total.grades[g] > 0) grades[name] = total.grades[g]; });
  return {
    otisk: "decisions", format: 1, suspect: data.suspect,
    filter: {
      kinds: [...state.kinds].sort(), grades: data.grades.filter((_, g) => state.grades.has(g)),
      passage_words: state.passageWords, source_words: state.sourceWords, source_percent: state.sourcePercent,
    },
    sources: [...state.sources].sort((a, b) => a[0] - b[0]).map(([i, d]) => ({id: data.sources[i].id, name: data.sources[i].name, ...d})),
    passages: [...state.passages].sort((a, b) => a[0] - b[0]).map(([i, d]) => {
      const p = data.passages[i];
      return {number: i + 1, source: data.sources[p.source].id, suspect: p.bytes.slice(0, 2), origin: p.bytes.slice(2), ...d};
    }),
    score: {words: data.words, covered: total.covered, percent: total.percent, grades},
  };
}

function save() {
  const file = new Blob([JSON.stringify(decisions(), null, 2) + "\n"], {type: "application/json"});
  const link = el("a", {href: URL.createObjectURL(file), download: data.file + ".decisions.json"});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  find("save").classList.remove("dirty");
  say(lang.text("page.saved"));
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

// putFilters writes the state into the form.
function putFilters() {
  find("passage-words").value = state.passageWords;
  find("source-words").value = state.sourceWords;
  find("source-percent").value = state.sourcePercent;
  data.grades.forEach((_, g) => { find("grade-" + g).checked = !state.grades.has(g); });
  for (const box of document.querySelectorAll("[data-kind]")) box.checked = state.kinds.has(box.dataset.kind);
}

// start takes over the review that the report was made with.
function startReview() {
  const v = data.review;
  if (!v) return;
  state.kinds = new Set(v.filter.kinds);
  state.grades = new Set(v.filter.grades.map((name) => data.grades.indexOf(name)));
  state.passageWords = v.filter.passage_words;
  state.sourceWords = v.filter.source_words;
  state.sourcePercent = v.filter.source_percent;
  for (const d of v.sources) state.sources.set(d.index, {reason: d.reason, note: d.note || ""});
  for (const d of v.passages) state.passages.set(d.index, {reason: d.reason, note: d.note || ""});
}
