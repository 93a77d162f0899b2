// Decisions on other reports on the same text: those of an earlier check that the
// browser has stored, which are offered to the reader, and applied ones whose
// subjects are not in this report.

const earlier = {offers: []};

// findEarlier returns the decisions on this text that the browser has stored, the
// latest first, except those without anything new.
function findEarlier() {
  const found = [];
  for (let i = 0; i < localStorage.length; i++) {
    const key = localStorage.key(i);
    if (!key.startsWith("otisk:") || key === keptAt()) continue;
    const text = localStorage.getItem(key);
    if (!text.includes('"bytes":' + data.suspect.bytes + ",")) continue; // parsing all entries would take long
    const d = readDecisions(text);
    if (d && isOnThisText(d) && isNamedAlike(d)) found.push({key, d, parts: partsOf(d)});
  }
  const answered = readAnswered();
  const known = [state.now];
  return found.sort((a, b) => Date.parse(b.d.at) - Date.parse(a.d.at)).filter((o) => {
    if (answered[o.key] === o.d.at || known.some((k) => [...o.parts].every(([key, part]) => samePart(part, k.get(key))))) return false;
    known.push(o.parts);
    return true;
  });
}

// readAnswered returns which decisions were offered and answered, with their time.
function readAnswered() {
  try {
    return JSON.parse(localStorage.getItem("otisk-answered:" + data.id)) || {};
  } catch (e) {
    return {};
  }
}

// isNamedAlike reports whether a text may be this one, if there is no checksum.
function isNamedAlike(d) {
  const last = (path) => path.split(/[\\/]/).pop();
  return Boolean(d.suspect.sha256 && data.suspect.sha256) || last(d.suspect.path) === last(data.suspect.path);
}

function showEarlier() {
  find("earlier").hidden = earlier.offers.length === 0;
  find("offers").replaceChildren(...earlier.offers.map(offer));
}

// offer shows earlier decisions, lists those that do not apply, and asks the reader.
function offer(o) {
  const lost = [...o.parts.values()].filter(isLost);
  const again = [...o.parts].filter(([key, part]) => state.now.has(key) && !samePart(part, state.now.get(key))).length;
  const of = (list) => [...o.parts.values()].filter((part) => part.list === list).length;
  const filters = o.parts.size - decidedLists.reduce((sum, list) => sum + of(list), 0);
  const what = [["page.offer-sources", of("sources")], ["page.offer-passages", of("passages")], ["page.offer-places", of("places")], ["page.offer-filters", filters], ["page.offer-verdicts", of("verdicts")]]
    .filter(([, n]) => n > 0).map(([name, n]) => lang.text(name, {n})).join(", ");
  const score = o.d.score && Number.isFinite(o.d.score.percent) ? " " + lang.text("page.offer-score", {percent: lang.percent(o.d.score.percent)}) : "";
  const take = el("button", {type: "button"}, lang.text("page.take-over")), leave = el("button", {type: "button"}, lang.text("page.decline"));
  take.addEventListener("click", () => takeOver(o));
  leave.addEventListener("click", () => { answer(o, true); find("title").focus(); });
  return el("li", {},
    el("p", {}, el("b", {}, stampOf(o.d)), ": " + what + "." + score),
    el("p", {}, lost.length === 0 ? lang.text("page.offer-fits") : lang.text("page.offer-lost", {n: lost.length})),
    ...(lost.length > 0 ? [el("ul", {}, ...lost.map((part) => el("li", {}, ...lostItem(part))))] : []),
    ...(again > 0 ? [el("p", {}, lang.text("page.offer-again", {n: again}))] : []),
    el("p", {className: "actions"}, take, leave));
}

function isLost(part) {
  return decidedLists.includes(part.list) && indexOf(part.list, part.value) === undefined;
}

// takeOver adds earlier decisions. Decisions made in this report take precedence.
function takeOver(o) {
  takeDecisions(wholeOf(new Map([...o.parts, ...state.now])));
  putFilters();
  touched(o);
  answer(o, true);
  find("title").focus(); // the focused element was removed
  tell(lang.text("page.taken-over", {percent: lang.percent(state.total.percent)}));
}

// answer records whether decisions are to be offered again. It does not delete them.
function answer(o, answered) {
  try {
    const {[o.key]: before, ...others} = readAnswered();
    localStorage.setItem("otisk-answered:" + data.id, JSON.stringify(answered ? {...others, [o.key]: o.d.at} : others));
  } catch (e) {
    state.kept = false;
  }
  earlier.offers = earlier.offers.filter((other) => other !== o);
  if (!answered) earlier.offers.push(o);
  showEarlier();
}

// lostItem describes the subject of a decision that is not in this report, and the
// passages now at its place.
function lostItem({list, value: x}) {
  const isSource = list === "sources" || x.of === "source";
  const source = data.sources[sourceAt.get(x.source)];
  const what = list === "places" ? [el("b", {}, lang.text("page.place") + ": "), el("q", {dir: "auto"}, beginning(textAt(x.suspect)))] : isSource
    ? [el("b", {}, lang.text("page.source") + ": "), el("bdi", {}, shownName(x.name || x.id || x.source))]
    : [el("b", {}, lang.text("page.passage") + ": "), el("q", {dir: "auto"}, beginning(textAt(x.suspect))), " " + lang.text("page.from") + " ", el("bdi", {}, source ? source.label : shownName(x.name || x.source))];
  const near = isSource || list === "places" ? [] : data.passages.map((_, i) => i).filter((i) => {
    const p = data.passages[i];
    return data.sources[p.source].id === x.source && p.bytes[0] < x.suspect[1] && p.bytes[1] > x.suspect[0];
  });
  const said = " – " + (x.verdict ? verdictName(x) : reasons[x.reason]) + (x.note ? ": " : "");
  return [...what, said, el("bdi", {}, x.note || ""), " ", stampOf(x), ...(near.length > 0 ? [" ", lang.text("page.lost-near") + " ", ...near.map(chip)] : [])];
}

// shownName returns a name without characters that change the writing direction, as
// the program does.
function shownName(name) {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

// textAt returns the text of a range of bytes.
function textAt([from, to]) {
  return new TextDecoder().decode(new TextEncoder().encode(data.text).slice(from, to));
}

// showLost lists the decisions that do not apply to this report.
function showLost() {
  const lost = decidedLists.flatMap((list) => state.lost[list].map((value) => ({list, value})));
  find("lost").hidden = lost.length === 0;
  find("lost-list").replaceChildren(...lost.map((part) => {
    const button = el("button", {type: "button", className: "small"}, lang.text("page.forget"));
    button.addEventListener("click", () => {
      state.lost[part.list] = state.lost[part.list].filter((x) => x !== part.value);
      touched();
    });
    return el("li", {}, ...lostItem(part), " ", button);
  }));
  find("decided-box").hidden = !changed() && lost.length === 0;
}

// startEarlier offers the stored decisions on earlier checks.
function startEarlier() {
  if (data.home) return;
  if (data.suspect.bytes === 0) return; // all empty texts are the same
  try {
    earlier.offers = findEarlier();
  } catch (e) {
    return; // the browser stores nothing
  }
  showEarlier();
}
