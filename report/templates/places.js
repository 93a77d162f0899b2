// Places group the passages of several sources at one place of the text, so that a reader
// visits them once. The rule is the same as in spotsOf in places.go; a test compares them.

function lastWord(p) { return p.word + p.words; }

// placesOf returns the places of the passages that total counts, in order of the text.
function placesOf(passages, total) {
  let open = [];
  const done = [];
  const join = (s, i) => {
    s.passages.push(i);
    if (total.passages[i].counted > total.passages[s.best].counted) s.best = i;
    if (passages[i].words > passages[s.lead].words) s.lead = i;
  };
  passages.forEach((p, i) => {
    if (total.passages[i].out) return;
    open = open.filter((s) => lastWord(passages[s.lead]) > p.word || !done.push(s));
    const s = placeFor(passages, open, p);
    if (s) join(s, i);
    else open.push({passages: [i], best: i, lead: i});
  });
  const places = [...done, ...open].filter((s) => total.passages[s.best].counted > 0).sort((a, b) => a.passages[0] - b.passages[0]);
  const first = new Map(); // by joined passage
  return places.filter((s) => {
    const number = passages[s.best].joined;
    if (!number || !first.has(number)) return first.set(number, s);
    s.passages.forEach((i) => join(first.get(number), i));
    return false;
  });
}

// placeFor returns the one of places to which a passage belongs, if there is one.
function placeFor(passages, places, p) {
  let found, most = 0;
  for (const s of places) {
    const lead = passages[s.lead];
    const common = Math.min(lastWord(lead), lastWord(p)) - Math.max(lead.word, p.word);
    if (common > most && 2 * common >= Math.min(lead.words, p.words)) [found, most] = [s, common];
  }
  return found;
}

// partsWith returns a passage and the other parts of the joined passage that it is a part of, by place.
function partsWith(i) {
  const number = i < 0 ? 0 : data.passages[i].joined;
  return number ? joinedParts.get(number) : i < 0 ? [] : [i];
}

// placeOf returns the number of the place of a passage, or -1.
function placeOf(i) {
  return state.places.findIndex((s) => s.passages.includes(i));
}

// stretchAt returns the range of words and bytes to leave out with the place of a passage:
// that of the passage, extended by passages of the place with slightly different bounds.
function stretchAt(i) {
  const p = data.passages[i];
  const like = data.passages.filter((q) => {
    const common = Math.min(lastWord(p), lastWord(q)) - Math.max(p.word, q.word);
    return 2 * common >= Math.max(p.words, q.words);
  });
  const first = like.reduce((a, b) => (b.word < a.word ? b : a)), last = like.reduce((a, b) => (lastWord(b) > lastWord(a) ? b : a));
  return {suspect: [first.bytes[0], last.bytes[1]], word: first.word, words: lastWord(last) - first.word};
}

// leftPlaceOf returns the excluded place that contains most of a passage, if there is one.
function leftPlaceOf(p) {
  return [...state.leftPlaces.values()].find((s) => 2 * (Math.min(lastWord(p), lastWord(s)) - Math.max(p.word, s.word)) >= p.words);
}

function stretchName(s) { return s.suspect.join("-"); }

// unitAt converts a byte offset to an offset in the text.
function unitAt(byte) {
  if (unitAt.known.size === 0) {
    for (const p of data.passages) unitAt.known.set(p.bytes[0], p.from).set(p.bytes[1], p.to);
  }
  if (!unitAt.known.has(byte)) {
    unitAt.known.set(byte, new TextDecoder().decode(new TextEncoder().encode(data.text).slice(0, byte)).length);
  }
  return unitAt.known.get(byte);
}
unitAt.known = new Map();

// leftOutPlaces returns the places that the reader left out, as stretches of the text.
function leftOutPlaces() {
  return [...state.leftPlaces.values()].map((s) => ({kind: "place", from: unitAt(s.suspect[0]), to: unitAt(s.suspect[1])}));
}

// quoteOf returns the first words of a stretch of the text, between marks.
function quoteOf(from, to) {
  return lang.text("common.at-words", {words: beginning(data.text.slice(from, to), 60)});
}

function stretchQuoted(s) { return quoteOf(unitAt(s.suspect[0]), unitAt(s.suspect[1])); }

// isEverybodys reports whether the words of a passage are shared by most documents.
function isEverybodys(p) {
  const inside = data.everybody.reduce((sum, s) => sum + Math.max(0, Math.min(lastWord(p), lastWord(s)) - Math.max(p.word, s.word)), 0);
  return p.words - inside <= 4;
}

// showEverybody lists text shared by most documents, with a button to leave it out.
function showEverybody() {
  const open = data.everybody.filter((s) => !state.leftPlaces.has(stretchName(s)));
  find("everybody").hidden = data.everybody.length === 0;
  find("leave-everybody").hidden = open.length === 0;
  find("everybody-list").replaceChildren(...data.everybody.map((s) => el("li", {className: open.includes(s) ? "" : "gone"},
    el("q", {dir: "auto"}, beginning(data.text.slice(unitAt(s.suspect[0]), unitAt(s.suspect[1])))), " ",
    el("span", {className: "dim"}, [lang.text("common.in-of", {n: s.sources, all: s.of}), lang.text("common.words", {n: s.words}),
      ...(open.includes(s) ? [] : [lang.text("page.is-left-out")])].join(" · ")))));
}

// leaveEverybody leaves out text shared by most documents, as given text.
function leaveEverybody() {
  for (const {suspect, word, words} of data.everybody) {
    const s = {suspect, word, words};
    if (!state.leftPlaces.has(stretchName(s))) state.leftPlaces.set(stretchName(s), {...s, reason: "template", note: "", ...stamp()});
  }
  touched();
  notice(lang.text("page.everybody-left", {percent: lang.percent(state.total.percent)}));
}

// notice shows the effect of a decision, with buttons for the next steps.
function notice(text, ...buttons) {
  find("notice-text").replaceChildren(text, ...buttons.flatMap((b) => [" ", b]));
  find("notice").hidden = false;
  tell(text);
}
