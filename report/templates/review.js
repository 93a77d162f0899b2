// What the reader leaves out: filters, sources and passages, and the file they
// are saved to.

const reasons = {quoted: "quoted correctly", template: "given text", common: "common wording", own: "own work", other: "other"};

function shown(percent) {
  return (Math.floor(percent * 10 + 0.5) / 10).toFixed(1);
}

function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

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
  for (const node of document.querySelectorAll("[data-percent]")) node.textContent = shown(total.percent);
  find("covered").textContent = grouped(total.covered);
  find("as-found").hidden = !changed();
  total.grades.forEach((words, g) => {
    find("grade-words-" + g).textContent = grouped(words);
    find("grade-bar-" + g).style.width = percentOf(words, data.words) + "%";
  });
  data.sources.forEach((_, i) => showSource(i, total.sources[i]));
  find("decided").replaceChildren(...decisionList());
  find("decided-box").hidden = !changed();
  drawText(state.painted);
  drawMap(state.painted);
  showPassage();
}

function showSource(i, s) {
  const row = document.querySelector(`tr[data-source="${i}"]`);
  row.classList.toggle("gone", s.out);
  row.querySelector(".share").textContent = shown(s.percent) + " %";
  row.querySelector(".bar i").style.width = percentOf(s.covered, Math.max(1, ...state.total.sources.map((x) => x.covered))) + "%";
  row.querySelector(".words").textContent = grouped(s.covered);
  row.querySelector(".counted").textContent = grouped(s.counted);
  row.querySelector(".passages").textContent = grouped(s.passages);
  const button = row.querySelector(".exclude");
  button.textContent = state.sources.has(i) ? "Count again" : "Leave out";
  button.ariaLabel = button.textContent + ": source " + (i + 1);
}

// filterList says which filters are in force: paper does not show the form.
function filterList() {
  const list = [];
  if (state.passageWords > 0) list.push("passages under " + grouped(state.passageWords) + " words");
  if (state.sourceWords > 0) list.push("sources under " + grouped(state.sourceWords) + " words");
  if (state.sourcePercent > 0) list.push("sources under " + state.sourcePercent + " %");
  data.grades.forEach((name, g) => { if (state.grades.has(g)) list.push("passages that are " + name); });
  for (const box of document.querySelectorAll("[data-kind]")) {
    if (box.checked) list.push(box.closest("label").innerText.trim());
  }
  return list;
}

// decisionList says what was left out and why, decisions each with a way back.
function decisionList() {
  const item = (map, i, what) => {
    const d = map.get(i);
    const back = el("button", {type: "button", className: "small", ariaLabel: "Count again: " + what}, "Count again");
    back.addEventListener("click", () => { map.delete(i); touched(); });
    return el("li", {}, el("b", {}, what), " – " + reasons[d.reason] + (d.note ? ": " : ""), el("bdi", {}, d.note), " ", back);
  };
  return [
    ...filterList().map((what) => el("li", {}, el("b", {}, what))),
    ...[...state.sources.keys()].sort((a, b) => a - b).map((i) => item(state.sources, i, "source " + (i + 1))),
    ...[...state.passages.keys()].sort((a, b) => a - b).map((i) => item(state.passages, i, "passage " + (i + 1))),
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
    say(what + " counts again. Score " + shown(state.total.percent) + " percent.");
    return;
  }
  const dialog = find("decide");
  find("decide-what").textContent = "Leave out " + what;
  find("decide-note").value = "";
  dialog.querySelector("form").onsubmit = (e) => {
    if (!e.submitter || e.submitter.value !== "ok") return;
    map.set(i, {reason: find("decide-reason").value, note: find("decide-note").value.trim()});
    touched();
    say(what + " left out. Score " + shown(state.total.percent) + " percent.");
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
  say("Decisions saved.");
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
