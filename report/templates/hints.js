// Hints: places with perhaps the same content. They do not count unless the reader accepts them: then each is a passage.

// notAccepted returns the indexes, among the passages that are counted, of hints that the reader did not accept.
function notAccepted() {
  return data.hints.map((_, k) => k).filter((k) => !state.hints.has(k)).map((k) => data.passages.length + k);
}

// linked returns a stretch of a text with the words that link it marked. Links are pairs of offsets.
function linked(text, from, to, links) {
  const nodes = [];
  let at = from;
  for (const [start, end] of links.toSorted((a, b) => a[0] - b[0])) {
    if (start < at) continue;
    nodes.push(text.slice(at, start), el("mark", {className: "link"}, text.slice(start, end)));
    at = end;
  }
  return [...nodes, text.slice(at, to)];
}

// hintLeftOut reports whether the reader left out a hint, as the Go package report does: with its source, or with at least
// half of its words.
function hintLeftOut(k) {
  const h = data.hints[k];
  return !state.hints.has(k) && (state.sources.has(h.source) || 2 * state.total.passages[data.passages.length + k].words <= h.words);
}

// hintsLeft returns the indexes of the hints that are not left out.
function hintsLeft() { return data.hints.map((_, k) => k).filter((k) => !hintLeftOut(k)); }

// hintShown reports whether the filter shows a hint.
function hintShown(k) {
  const what = find("hint-filter").value;
  return what === "all" || (what === "accepted" ? state.hints.has(k) : what === data.hints[k].strength || what === data.hints[k].kind);
}

function hintItem(k) {
  const h = data.hints[k], source = data.sources[h.source], accepted = state.hints.get(k);
  const origin = h.excerpt < 0 ? [lang.text("page.made-without")] : linked(source.excerpts[h.excerpt].text, h.originFrom, h.originTo, h.links.map((l) => [l[2], l[3]]));
  const quote = (title, nodes) => el("div", {}, el("h3", {}, title), el("blockquote", {dir: "auto", tabIndex: 0, role: "group", ariaLabel: title + ", " + lang.text("page.hint-number", {number: k + 1})}, ...nodes));
  return el("li", {className: accepted ? "accepted" : ""},
    el("p", {}, el("span", {className: "chip " + colorOf(h.source)}, String(h.source + 1)), " ", el("bdi", {}, fullName(source))),
    el("p", {className: "dim"}, h.facts),
    el("div", {className: "both " + colorOf(h.source)}, quote(lang.text("page.text"), linked(data.text, h.from, h.to, h.links)), quote(lang.text("page.source-text"), origin)),
    el("p", {className: "buttons"},
      el("button", {type: "button", className: "small", "data-do": "accept-hint", "data-hint": k, ariaLabel: lang.text(accepted ? "page.hint-withdraw" : "page.hint-accept") + ": " + lang.text("page.hint-number", {number: k + 1})},
        lang.text(accepted ? "page.hint-withdraw" : "page.hint-accept")), " ",
      el("button", {type: "button", className: "small", "data-do": "show-hint", "data-hint": k}, lang.text("page.hint-show")), " ",
      ...(accepted ? [el("b", {}, lang.text("page.hint-accepted")), " ", stampOf(accepted)] : [])));
}

// showHints lists the hints that the filter shows.
function showHints() {
  if (data.hints.length === 0) return;
  const left = hintsLeft(), shown = left.filter(hintShown);
  find("hint-list").replaceChildren(...shown.map(hintItem));
  find("hint-count").textContent = lang.text("page.hints-shown", {n: shown.length, all: left.length});
}

// acceptHint accepts a hint, or withdraws that.
function acceptHint(k) {
  const focused = document.activeElement && document.activeElement.dataset.hint !== undefined;
  if (!state.hints.delete(k)) state.hints.set(k, {note: "", ...stamp()});
  touched();
  tell(lang.text(state.hints.has(k) ? "page.hint-counts" : "page.hint-counts-not", {percent: lang.percent(state.total.percent)}));
  if (focused) document.querySelector(`[data-do="accept-hint"][data-hint="${k}"]`)?.focus();
}

// hintMark returns the mark of a piece of the text in a hint that is accepted or shown. A click leads to the hint.
function hintMark(x, text) {
  return el("mark", {className: ["m", colorOf(data.hints[x.hint].source), x.accepted ? "g2" : "hinted"].join(" "), "data-do": "go-hint", "data-hint": x.hint,
    title: lang.text("page.hint-number", {number: x.hint + 1})}, text);
}

// showHint marks a hint in the text and goes there.
function showHint(k) {
  setSheets(false);
  select(-1, false);
  state.shownHint = k;
  repaint();
  goTo(data.hints[k].from);
}

// goToHint goes to a hint in the list.
function goToHint(k) {
  find("hint-filter").value = "all";
  showHints();
  find("hint-list").querySelector(`[data-do="accept-hint"][data-hint="${k}"]`)?.closest("li").scrollIntoView({block: "center"});
}

// hintNamed names a hint in a list of decisions.
function hintNamed(k) {
  const h = data.hints[k];
  return lang.text("page.hint-number", {number: k + 1}) + " " + quoteOf(h.from, h.to) + ", " + fullName(data.sources[h.source]);
}

// hintDecisions returns the accepted hints in the form of a file of decisions.
function hintDecisions() {
  return [...state.hints].sort((a, b) => a[0] - b[0]).map(([k, d]) => {
    const h = data.hints[k], source = data.sources[h.source];
    return {kind: h.kind, source: source.id, name: source.name, suspect: h.bytes.slice(0, 2), origin: h.bytes.slice(2),
      ...Object.fromEntries(Object.entries(d).filter(([, value]) => value !== ""))};
  });
}

function hintName(x) { return [x.kind, placeName(x.source, x.suspect, x.origin)].join(" "); }
