// Storage of decisions in the browser, after each decision, with undo. If two windows
// show one report, each applies the decisions of the other.

const limits = ["passage_words", "source_words", "source_percent"];
const decidedLists = ["sources", "passages", "places", "hints", "verdicts"];
const sourceAt = new Map(), passageAt = new Map(), hintAt = new Map(); // filled by startReview

function placeName(source, suspect, origin) {
  return [source, ...suspect, ...origin].join();
}

// indexOf returns the index of the source or passage of a decision: 0 for the whole
// text, undefined if it is not in this report.
function indexOf(list, x) {
  if (list === "sources") return sourceAt.get(x.id);
  if (list === "places") return x.word + x.words <= data.words && x.suspect[1] <= data.suspect.bytes ? stretchName(x) : undefined;
  if (list === "hints") return hintAt.get(hintName(x));
  if (x.of === "report") return 0;
  if (x.of === "source") return sourceAt.get(x.source);
  return passageAt.get(placeName(x.source, x.suspect, x.origin));
}

// The fields of each part of a file of decisions, as in the check of the program.
const isText = (x) => typeof x === "string";
const isPlace = (x) => Array.isArray(x) && x.length === 2 && x.every(Number.isInteger);
const isMoment = (x) => isText(x) && /^\d{4}-(0[1-9]|1[0-2])-\d\dT/.test(x);
const isCount = (x) => Number.isInteger(x) && x >= 0;
const isShare = (x) => Number.isFinite(x) && x >= 0 && x <= 100;
const isList = (each) => (x) => Array.isArray(x) && x.every(each);
const isReason = (x) => isText(x) && Object.hasOwn(reasons, x);
const isVerdict = (x) => isText(x) && x !== "" && [...find("verdict").options].some((o) => o.value === x);

// has reports whether an object has these fields and no others; those marked with ?
// are optional. Skipping an unknown field would change the score silently.
function has(x, fields) {
  if (typeof x !== "object" || x === null || Array.isArray(x)) return false;
  const known = Object.keys(fields).map((name) => name.replace("?", ""));
  return Object.keys(x).every((name) => known.includes(name)) &&
    Object.entries(fields).every(([name, is]) => (name.endsWith("?") && x[name.slice(0, -1)] === undefined) || is(x[name.replace("?", "")]));
}

const stamps = {"name?": isText, "note?": isText, "by?": isText, "at?": isMoment};
const isOn = {
  report: {of: isText, verdict: isVerdict, ...stamps},
  source: {of: isText, source: isText, verdict: isVerdict, ...stamps},
  passage: {of: isText, source: isText, suspect: isPlace, origin: isPlace, verdict: isVerdict, ...stamps},
};
const fileFields = {
  otisk: (x) => x === "decisions", format: (x) => x === 1, "by?": isText, "at?": isMoment, "score?": () => true,
  suspect: (x) => has(x, {path: isText, bytes: isCount, words: isCount, "sha256?": isText}),
  filter: (x) => has(x, {kinds: isList(isText), grades: isList((g) => data.grades.includes(g)), passage_words: isCount, source_words: isCount, source_percent: isShare}),
  sources: isList((x) => has(x, {id: isText, reason: isReason, ...stamps})),
  passages: isList((x) => has(x, {number: isCount, source: isText, suspect: isPlace, origin: isPlace, reason: isReason, ...stamps})),
  places: isList((x) => has(x, {suspect: isPlace, word: isCount, words: isCount, reason: isReason, ...stamps})),
  hints: isList((x) => has(x, {kind: (kind) => kind === "rewritten" || kind === "translated" || kind === "similar", source: isText, suspect: isPlace, origin: isPlace, ...stamps})),
  verdicts: isList((x) => x !== null && Object.hasOwn(isOn, x.of) && has(x, isOn[x.of])),
};

// readDecisions parses decisions: it returns undefined if there are none in the text,
// and null if they are invalid.
function readDecisions(text) {
  let d;
  try {
    d = JSON.parse(text);
  } catch (e) {
    return undefined;
  }
  if (typeof d !== "object" || d === null || d.otisk !== "decisions") return undefined;
  for (const list of decidedLists) d[list] ??= [];
  d.filter = {passage_words: 0, source_words: 0, source_percent: 0, ...d.filter};
  for (const list of ["kinds", "grades"]) d.filter[list] ??= [];
  return has(d, fileFields) ? d : null;
}

// isOnThisText reports whether decisions were made on the text of this report.
function isOnThisText(d) {
  const here = data.suspect, there = d.suspect;
  if (here.sha256 && there.sha256) return here.sha256 === there.sha256;
  return here.bytes === there.bytes && here.words === there.words;
}

// partsOf splits decisions into parts, by the names of their subjects, so that those
// of two windows or two checks can be merged.
function partsOf(d) {
  const parts = new Map();
  const put = (list, key, value) => parts.set(list + " " + key, {list, value});
  for (const kind of d.filter.kinds) put("kinds", kind, kind);
  for (const grade of d.filter.grades) put("grades", grade, grade);
  for (const limit of limits) if (d.filter[limit] > 0) put(limit, "", d.filter[limit]);
  for (const x of d.sources) put("sources", x.id, x);
  for (const x of d.passages) put("passages", placeName(x.source, x.suspect, x.origin), x);
  for (const x of d.places || []) put("places", stretchName(x), x);
  for (const x of d.hints || []) put("hints", hintName(x), x);
  for (const x of d.verdicts) put("verdicts", [x.of, placeName(x.source, x.suspect || [], x.origin || [])], x);
  return parts;
}

// wholeOf joins parts of decisions.
function wholeOf(parts) {
  const d = {filter: {kinds: [], grades: [], passage_words: 0, source_words: 0, source_percent: 0}, sources: [], passages: [], places: [], hints: [], verdicts: []};
  for (const {list, value} of parts.values()) {
    if (decidedLists.includes(list)) d[list].push(value);
    else if (limits.includes(list)) d.filter[list] = value;
    else d.filter[list].push(value);
  }
  return d;
}

// samePart reports whether two decisions on one subject are equal.
function samePart(a, b) {
  const said = (x) => (x === undefined ? "" : typeof x.value === "object" ? [x.value.reason, x.value.verdict, x.value.note || ""].join("\n") : String(x.value));
  return said(a) === said(b);
}

function sameParts(a, b) {
  return a.size === b.size && [...a].every(([key, part]) => samePart(part, b.get(key)));
}

// merged applies the changes between two states to a third one.
function merged(from, to, into) {
  const parts = new Map(into);
  for (const [key, part] of to) if (!samePart(part, from.get(key))) parts.set(key, part);
  for (const key of from.keys()) if (!to.has(key)) parts.delete(key);
  return parts;
}

// takeDecisions replaces the decisions in the state, and returns the number of those
// whose subjects are not in this report, which are kept separately.
function takeDecisions(d) {
  const words = (x) => ({note: x.note || "", by: x.by || "", at: x.at || ""});
  state.kinds = new Set(d.filter.kinds);
  state.grades = new Set(d.filter.grades.map((name) => data.grades.indexOf(name)));
  state.passageWords = d.filter.passage_words;
  state.sourceWords = d.filter.source_words;
  state.sourcePercent = d.filter.source_percent;
  state.verdict = null;
  for (const map of [state.sources, state.passages, state.leftPlaces, state.hints, state.sourceVerdicts, state.passageVerdicts]) map.clear();
  for (const list of decidedLists) {
    state.lost[list] = d[list].filter((x) => indexOf(list, x) === undefined);
    for (const x of d[list]) {
      const i = indexOf(list, x);
      if (i === undefined) continue;
      if (list === "places") state.leftPlaces.set(i, {suspect: x.suspect, word: x.word, words: x.words, reason: x.reason, ...words(x)});
      else if (list === "hints") state.hints.set(i, words(x));
      else if (list !== "verdicts") state[list].set(i, {reason: x.reason, ...words(x)});
      else if (x.of === "report") state.verdict = {verdict: x.verdict, ...words(x)};
      else state[x.of + "Verdicts"].set(i, {verdict: x.verdict, ...words(x)});
    }
  }
  if (d.by) find("reviewer").value = d.by;
  return decidedLists.reduce((sum, list) => sum + state.lost[list].length, 0);
}

// touched counts again and stores the decisions, after one that is in no file yet.
function touched(what) {
  remember(what);
  markUnsaved(true);
  recount();
  keep();
}

// noted does the same as touched for decisions that change no count.
function noted(what) {
  remember(what);
  markUnsaved(true);
  showReview();
  keep();
}

// remember adds an undo step. Consecutive changes of the same subject, such as typing
// in a field, are one step. The subject may also be an offer that was accepted.
function remember(what) {
  const now = partsOf(decided()), last = state.past[state.past.length - 1];
  if (sameParts(now, state.now)) return;
  if (what && last && last.what === what) last.after = now;
  else state.past.push({before: state.now, after: now, what});
  if (state.past.length > 200) state.past.shift();
  state.future = [];
  state.now = now;
}

function isOffer(step) {
  return typeof step.what === "object";
}

// settled ends a step that consists of several.
function settled() {
  const last = state.past[state.past.length - 1];
  if (last && typeof last.what === "string") last.what = undefined;
}

// undo reverts the last decision, but none that another window has made since.
function undo() {
  const step = state.past.pop();
  if (!step) return say(lang.text("page.nothing-undone"));
  state.future.push(step);
  putParts(merged(step.after, step.before, state.now));
  if (isOffer(step)) answer(step.what, false);
  tell(lang.text("page.undone", {percent: lang.percent(state.total.percent)}));
}

function redo() {
  const step = state.future.pop();
  if (!step) return say(lang.text("page.nothing-undone"));
  state.past.push(step);
  settled();
  putParts(merged(step.before, step.after, state.now));
  if (isOffer(step)) answer(step.what, true);
  tell(lang.text("page.redone", {percent: lang.percent(state.total.percent)}));
}

// putParts replaces the decisions and stores them.
function putParts(parts) {
  takeDecisions(wholeOf(parts));
  state.now = partsOf(decided());
  markUnsaved(true);
  putFilters();
  recount();
  keep();
}

// markUnsaved records whether there are decisions that are in no file. If the present
// decisions equal those last saved or loaded, they are in one.
function markUnsaved(unsaved) {
  state.unsaved = unsaved && JSON.stringify(decided()) !== savedBefore();
  find("save").classList.toggle("dirty", state.unsaved);
}

// savedBefore returns the decisions last saved to a file or loaded from one.
function savedBefore() {
  try {
    return data.home ? null : localStorage.getItem("otisk-saved:" + data.id);
  } catch (e) {
    return null;
  }
}

// markSaved records that the decisions are in a file.
function markSaved() {
  try {
    localStorage.setItem("otisk-saved:" + data.id, JSON.stringify(decided()));
  } catch (e) {
    state.kept = false;
  }
  markUnsaved(false);
}

// keptAt is the storage key of the decisions on this report.
function keptAt() { return "otisk:" + data.id; }

// keep stores the decisions in the browser. That can fail, for example in a private
// window or if the storage is full.
function keep() {
  if (data.home) return keepAtHome();
  try {
    if (joinOthers()) recount();
    const text = keepInPage();
    localStorage.setItem(keptAt(), text);
    localStorage.setItem("otisk:reviewer", find("reviewer").value);
    state.kept = localStorage.getItem(keptAt()) === text;
    if (state.kept) [state.stored, state.base] = [text, state.now];
  } catch (e) {
    keepInPage();
    state.kept = false;
  }
  tellKept();
}

// keepInPage writes the decisions into the page, so that they are part of a page that
// the browser saves, and returns them as text.
function keepInPage() {
  const text = JSON.stringify(decisions());
  find("kept").textContent = text.replaceAll("<", "\\u003c"); // so that the text cannot end the element
  return text;
}

// joinOthers applies decisions that another window has made since the last call, and
// returns whether there were any. If both windows decided on one subject, this window
// takes precedence.
function joinOthers() {
  const stored = localStorage.getItem(keptAt());
  const found = stored === null || stored === state.stored ? null : readDecisions(stored);
  if (!found) return false;
  const theirs = partsOf(found), before = state.now;
  takeDecisions(wholeOf(merged(state.base, before, theirs)));
  [state.stored, state.base, state.now] = [stored, theirs, partsOf(decided())];
  putFilters();
  return true;
}

// listenToOthers applies the decisions of other windows on a storage event, and when the
// reader returns to this window.
function listenToOthers() {
  if (data.home) return;
  const look = () => {
    try {
      if (!joinOthers()) return;
    } catch (e) {
      return; // without storage, there is nothing to read
    }
    markUnsaved(true);
    recount();
    tell(lang.text("page.other-window", {percent: lang.percent(state.total.percent)}));
  };
  window.addEventListener("storage", (e) => { if (e.key === keptAt()) look(); });
  window.addEventListener("pageshow", look);
  window.addEventListener("focus", look);
}

function tellKept(text) {
  const lost = state.unsaved && !state.kept;
  const lostText = data.home ? "page.not-at-home" : "page.not-kept";
  find("review-state").textContent = text || (state.unsaved ? lang.text(state.kept ? "page.kept" : lostText) : "");
  find("review-state").classList.toggle("warn", lost);
  find("not-kept").hidden = !lost;
}

// tell shows a message on the card of the review, and announces it to screen readers.
function tell(text) {
  tellKept(text);
  say(text);
}

// takeSaved applies the decisions in a page that a browser has saved, and returns their
// time.
function takeSaved() {
  const found = readDecisions(find("kept").textContent);
  if (!found) return undefined;
  takeDecisions(found);
  tellKept(lang.text("page.saved-with", {at: found.at ? lang.date(found.at) : "–"}));
  return found.at || "";
}

// restore applies the stored decisions, unless the review in the report is later.
function restore(came) {
  if (data.home) return startAtHome();
  const by = find("reviewer").value || (data.review && data.review.by) || "";
  find("reviewer").value = by;
  let stored = null;
  try {
    find("reviewer").value = by || localStorage.getItem("otisk:reviewer") || "";
    stored = localStorage.getItem(keptAt());
  } catch (e) {
    return;
  }
  if (stored === null) return;
  const found = readDecisions(stored);
  if (!found) {
    setAside(stored, "unreadable");
    return tellKept(lang.text("page.kept-unreadable"));
  }
  if (Date.parse(found.at) < Date.parse(came)) return setAside(stored, found.at); // it is offered
  takeDecisions(found);
  [state.stored, state.base] = [stored, partsOf(found)];
  if (came !== undefined) remember(); // Undo shows the review in the report
  state.now = partsOf(decided());
  markUnsaved(true);
  tellKept(lang.text("page.restored", {at: found.at ? lang.date(found.at) : "–"}));
}

// setAside stores a text under another key, since the next decision would replace it.
function setAside(text, name) {
  try {
    localStorage.setItem(keptAt() + ":" + name, text);
    localStorage.removeItem(keptAt());
  } catch (e) {
    state.kept = false;
  }
}

// load loads decisions from a file.
async function load(file) {
  let text;
  try {
    text = await file.text();
  } catch (e) {
    return tell(lang.text("page.load-failed", {reason: e.message}));
  }
  const found = readDecisions(text);
  if (found === undefined) return tell(lang.text("page.load-none"));
  if (found === null) return tell(lang.text("page.load-unreadable"));
  if (!isOnThisText(found)) return tell(lang.text("page.load-other", {path: found.suspect.path}));
  const before = state.now.size;
  const lost = takeDecisions(found);
  remember();
  putFilters();
  recount();
  keep();
  markSaved();
  tell([lang.text("page.loaded"), ...(lost > 0 ? [lang.text("page.load-lost", {n: lost})] : []), ...(before > 0 ? [lang.text("page.load-undo")] : [])].join(" "));
}
