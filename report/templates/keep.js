// What the browser keeps of decisions: after each one, for this report, with a
// way back. Two windows may show one report: each takes over what the other
// decides.

const limits = ["passage_words", "source_words", "source_percent"];
const decidedLists = ["sources", "passages", "places", "verdicts"];
const sourceAt = new Map(), passageAt = new Map(); // filled by startReview

function placeName(source, suspect, origin) {
  return [source, ...suspect, ...origin].join();
}

// indexOf returns which source or passage a decision is on: 0 for the whole text,
// undefined for what this report does not have.
function indexOf(list, x) {
  if (list === "sources") return sourceAt.get(x.id);
  if (list === "places") return x.word + x.words <= data.words && x.suspect[1] <= data.suspect.bytes ? stretchName(x) : undefined;
  if (x.of === "report") return 0;
  if (x.of === "source") return sourceAt.get(x.source);
  return passageAt.get(placeName(x.source, x.suspect, x.origin));
}

// What each part of a file of decisions may have, as the program checks it.
const isText = (x) => typeof x === "string";
const isPlace = (x) => Array.isArray(x) && x.length === 2 && x.every(Number.isInteger);
const isMoment = (x) => isText(x) && /^\d{4}-(0[1-9]|1[0-2])-\d\dT/.test(x);
const isCount = (x) => Number.isInteger(x) && x >= 0;
const isShare = (x) => Number.isFinite(x) && x >= 0 && x <= 100;
const isList = (each) => (x) => Array.isArray(x) && x.every(each);
const isReason = (x) => isText(x) && Object.hasOwn(reasons, x);
const isVerdict = (x) => isText(x) && x !== "" && [...find("verdict").options].some((o) => o.value === x);

// has returns whether an object has these fields, those marked with ? if it
// likes, and no others: a decision that is passed over would change the score
// silently.
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
  verdicts: isList((x) => x !== null && Object.hasOwn(isOn, x.of) && has(x, isOn[x.of])),
};

// readDecisions returns the decisions that a text holds: undefined if it holds
// none, null if they cannot be read.
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

// isOnThisText says whether decisions were made on the text of this report.
function isOnThisText(d) {
  const here = data.suspect, there = d.suspect;
  if (here.sha256 && there.sha256) return here.sha256 === there.sha256;
  return here.bytes === there.bytes && here.words === there.words;
}

// partsOf takes decisions apart, each under the name of what it is on, so that
// those of two windows, or of two checks, can be put together.
function partsOf(d) {
  const parts = new Map();
  const put = (list, key, value) => parts.set(list + " " + key, {list, value});
  for (const kind of d.filter.kinds) put("kinds", kind, kind);
  for (const grade of d.filter.grades) put("grades", grade, grade);
  for (const limit of limits) if (d.filter[limit] > 0) put(limit, "", d.filter[limit]);
  for (const x of d.sources) put("sources", x.id, x);
  for (const x of d.passages) put("passages", placeName(x.source, x.suspect, x.origin), x);
  for (const x of d.places || []) put("places", stretchName(x), x);
  for (const x of d.verdicts) put("verdicts", [x.of, placeName(x.source, x.suspect || [], x.origin || [])], x);
  return parts;
}

// wholeOf puts decisions together again.
function wholeOf(parts) {
  const d = {filter: {kinds: [], grades: [], passage_words: 0, source_words: 0, source_percent: 0}, sources: [], passages: [], places: [], verdicts: []};
  for (const {list, value} of parts.values()) {
    if (decidedLists.includes(list)) d[list].push(value);
    else if (limits.includes(list)) d.filter[list] = value;
    else d.filter[list].push(value);
  }
  return d;
}

// samePart says whether two decisions on one thing say the same.
function samePart(a, b) {
  const said = (x) => (x === undefined ? "" : typeof x.value === "object" ? [x.value.reason, x.value.verdict, x.value.note || ""].join("\n") : String(x.value));
  return said(a) === said(b);
}

function sameParts(a, b) {
  return a.size === b.size && [...a].every(([key, part]) => samePart(part, b.get(key)));
}

// merged makes the changes that lead from one state to another in a third.
function merged(from, to, into) {
  const parts = new Map(into);
  for (const [key, part] of to) if (!samePart(part, from.get(key))) parts.set(key, part);
  for (const key of from.keys()) if (!to.has(key)) parts.delete(key);
  return parts;
}

// takeDecisions puts decisions into the state, in the place of all that it has,
// and returns how many are about what this report does not have. Those are kept
// beside the others.
function takeDecisions(d) {
  const words = (x) => ({note: x.note || "", by: x.by || "", at: x.at || ""});
  state.kinds = new Set(d.filter.kinds);
  state.grades = new Set(d.filter.grades.map((name) => data.grades.indexOf(name)));
  state.passageWords = d.filter.passage_words;
  state.sourceWords = d.filter.source_words;
  state.sourcePercent = d.filter.source_percent;
  state.verdict = null;
  for (const map of [state.sources, state.passages, state.leftPlaces, state.sourceVerdicts, state.passageVerdicts]) map.clear();
  for (const list of decidedLists) {
    state.lost[list] = d[list].filter((x) => indexOf(list, x) === undefined);
    for (const x of d[list]) {
      const i = indexOf(list, x);
      if (i === undefined) continue;
      if (list === "places") state.leftPlaces.set(i, {suspect: x.suspect, word: x.word, words: x.words, reason: x.reason, ...words(x)});
      else if (list !== "verdicts") state[list].set(i, {reason: x.reason, ...words(x)});
      else if (x.of === "report") state.verdict = {verdict: x.verdict, ...words(x)};
      else state[x.of + "Verdicts"].set(i, {verdict: x.verdict, ...words(x)});
    }
  }
  if (d.by) find("reviewer").value = d.by;
  return decidedLists.reduce((sum, list) => sum + state.lost[list].length, 0);
}

// touched recounts after a decision that is not in a file yet, and has the
// browser keep it.
function touched(what) {
  remember(what);
  markUnsaved(true);
  recount();
  keep();
}

// noted is touched for what changes no count.
function noted(what) {
  remember(what);
  markUnsaved(true);
  showReview();
  keep();
}

// remember makes a step that can be undone. What is the same as the last time,
// a field that is being typed in, is one step; what may be an offer, too, that
// was taken.
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

// undo takes the last decision back, and nothing that another window decided since.
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

// putParts puts decisions in the place of those that there are, and keeps them.
function putParts(parts) {
  takeDecisions(wholeOf(parts));
  state.now = partsOf(decided());
  markUnsaved(true);
  putFilters();
  recount();
  keep();
}

// markUnsaved notes whether there are decisions that are in no file. Those that were
// saved or loaded before, and are all that there is again, are in one.
function markUnsaved(unsaved) {
  state.unsaved = unsaved && JSON.stringify(decided()) !== savedBefore();
  find("save").classList.toggle("dirty", state.unsaved);
}

// savedBefore returns the decisions that were saved to a file, or loaded from one, last.
function savedBefore() {
  try {
    return localStorage.getItem("otisk-saved:" + data.id);
  } catch (e) {
    return null;
  }
}

// markSaved notes that the decisions are in a file.
function markSaved() {
  try {
    localStorage.setItem("otisk-saved:" + data.id, JSON.stringify(decided()));
  } catch (e) {
    state.kept = false;
  }
  markUnsaved(false);
}

// keptAt is where the browser keeps decisions on this report.
function keptAt() { return "otisk:" + data.id; }

// keep has the browser keep the decisions. A browser may keep nothing, in a
// private window say, or have no room.
function keep() {
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

// keepInPage writes the decisions into the page, so that one that the browser saves
// whole, to be mailed say, has them; and returns them as a text.
function keepInPage() {
  const text = JSON.stringify(decisions());
  find("kept").textContent = text.replaceAll("<", "\\u003c"); // nothing in it ends the element
  return text;
}

// joinOthers takes over what another window has decided since this one last
// looked, and returns whether there was anything. Where both decided on one thing, this window's is later.
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

// listenToOthers takes over what is decided in another window when that tells
// of it, or when a reader comes back to this one.
function listenToOthers() {
  const look = () => {
    try {
      if (!joinOthers()) return;
    } catch (e) {
      return; // a browser that keeps nothing has no other windows
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
  find("review-state").textContent = text || (state.unsaved ? lang.text(state.kept ? "page.kept" : "page.not-kept") : "");
  find("review-state").classList.toggle("warn", lost);
  find("not-kept").hidden = !lost;
}

// tell says something on the card of the review, and to a screen reader.
function tell(text) {
  tellKept(text);
  say(text);
}

// takeSaved takes over the decisions that the page was saved with by a browser, and
// returns when they were made.
function takeSaved() {
  const found = readDecisions(find("kept").textContent);
  if (!found) return undefined;
  takeDecisions(found);
  tellKept(lang.text("page.saved-with", {at: found.at ? lang.date(found.at) : "–"}));
  return found.at || "";
}

// restore takes over what the browser has kept, unless what the report came with
// is later.
function restore(came) {
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
  if (came !== undefined) remember(); // Undo shows what the report came with
  state.now = partsOf(decided());
  markUnsaved(true);
  tellKept(lang.text("page.restored", {at: found.at ? lang.date(found.at) : "–"}));
}

// setAside keeps a text elsewhere that the next decision would replace.
function setAside(text, name) {
  try {
    localStorage.setItem(keptAt() + ":" + name, text);
    localStorage.removeItem(keptAt());
  } catch (e) {
    state.kept = false;
  }
}

// load takes decisions out of a file.
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
