// The two texts: the suspect, with passages marked, and the source.

// blocksOf splits a text into paragraphs, each with its place.
function blocksOf(text, lines) {
  const blocks = [];
  const gap = lines ? /\r?\n/g : /\r?\n(?:[ \t\r]*\n)+/g;
  let from = 0;
  const add = (to) => {
    if (/\S/.test(text.slice(from, Math.min(to, from + 1000))) || /\S/.test(text.slice(from, to))) blocks.push({from, to});
  };
  for (const m of text.matchAll(gap)) {
    add(m.index);
    from = m.index + m[0].length;
  }
  add(text.length);
  return blocks;
}

// wrapped reports whether the line ends in a paragraph come from wrapping at a width and
// can be ignored: all lines but the last are long.
function wrapped(text) {
  const lines = text.trim().split("\n");
  if (lines.length < 2) return true;
  const full = lines.slice(0, -1);
  return full.reduce((sum, l) => sum + l.length, 0) / full.length >= 45;
}

// el returns a new element. Untrusted text only becomes text nodes.

function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === false) continue;
    if (name in node && name !== "list") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function paragraph(text) {
  return el("p", {dir: "auto", className: wrapped(text) ? "prose" : "verse"});
}

// colorOf returns the class of the colour of a source.
function colorOf(source) {
  return "c" + source % 8;
}

// lowest returns the first index whose value in the sorted list is at least x.
function lowest(list, x) {
  let from = 0, to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle] < x) from = middle + 1;
    else to = middle;
  }
  return from;
}

// paint splits the suspect's text into segments: for each the best passage
// there, the hint that is accepted or shown, how many sources it is in, and the kind that leaves it out.
function paint(total) {
  const shown = [...data.exclusions.filter((e) => state.kinds.has(e.kind)), ...leftOutPlaces()];
  const live = data.passages.map((_, i) => i).filter((i) => !total.passages[i].out && inGroup(i));
  const hints = data.hints.map((_, k) => k).filter((k) => state.hints.has(k) || k === state.shownHint);
  const cuts = new Set([0, data.text.length]);
  for (const k of hints) cuts.add(data.hints[k].from).add(data.hints[k].to);
  for (const i of live) cuts.add(data.passages[i].from).add(data.passages[i].to);
  for (const e of shown) cuts.add(e.from).add(e.to);
  const at = [...cuts].sort((a, b) => a - b);
  const index = new Map(at.map((offset, i) => [offset, i]));
  const range = (x) => [index.get(x.from), index.get(x.to)];
  const painted = {at, best: new Int32Array(at.length).fill(-1), hint: new Int32Array(at.length).fill(-1), many: new Int32Array(at.length), out: new Array(at.length)};
  const isLive = new Set(live);
  const take = newClaims(at.length);
  for (const i of best(data.passages)) {
    if (isLive.has(i)) take(...range(data.passages[i]), (k) => { painted.best[k] = i; });
  }
  for (const e of shown) painted.out.fill(e.kind, ...range(e));
  for (const k of hints) painted.hint.fill(k, ...range(data.hints[k]));
  countSources(painted, live, range);
  return painted;
}

// countSources counts the sources of each segment.
function countSources(painted, live, range) {
  const events = painted.at.map(() => []);
  for (const i of live) {
    const [from, to] = range(data.passages[i]);
    events[from].push([data.passages[i].source, 1]);
    events[to].push([data.passages[i].source, -1]);
  }
  const open = new Int32Array(data.sources.length);
  let sources = 0;
  events.forEach((list, k) => {
    for (const [source, step] of list) {
      if (open[source] === 0) sources++;
      open[source] += step;
      if (open[source] === 0) sources--;
    }
    painted.many[k] = sources;
  });
}

// piecesOf cuts a block at the segments and, where it holds the selected
// passage, at its parts and its equal words.
function piecesOf(block, painted, equal) {
  const cuts = new Set([block.from]);
  for (let k = lowest(painted.at, block.from); k < painted.at.length && painted.at[k] < block.to; k++) cuts.add(painted.at[k]);
  const parts = partsWith(state.selected).map((i) => data.passages[i]);
  const chosen = parts.length > 0 && parts[0].from < block.to && parts.at(-1).to > block.from;
  if (chosen) {
    for (const offset of [...parts.flatMap((p) => [p.from, p.to]), ...equal]) {
      if (offset > block.from && offset < block.to) cuts.add(offset);
    }
  }
  const doubts = data.doubts || []; // in pairs
  for (let k = lowest(doubts, block.from); k < doubts.length && doubts[k] < block.to; k++) cuts.add(doubts[k]);
  for (const offset of [...pagesIn(block), ...remarksIn(block)]) cuts.add(offset);
  const at = [...cuts].sort((a, b) => a - b);
  return at.map((from, i) => {
    const k = lowest(painted.at, from + 1) - 1;
    return {
      from, to: i + 1 < at.length ? at[i + 1] : block.to,
      best: painted.best[k], hint: painted.hint[k], accepted: state.hints.has(painted.hint[k]), many: painted.many[k], out: painted.out[k],
      selected: chosen && parts.some((p) => from >= p.from && from < p.to),
      between: chosen && from > parts[0].from && from < parts.at(-1).to && !parts.some((p) => from >= p.from && from < p.to),
      equal: chosen && lowest(equal, from + 1) % 2 === 1,
      doubtful: lowest(doubts, from + 1) % 2 === 1,
      remarks: remarksAt(from),
    };
  });
}

// pagesIn returns where pages start in a block.
function pagesIn(block) {
  return pageOffsets.slice(lowest(pageOffsets, block.from), lowest(pageOffsets, block.to));
}

// isHeading says whether a paragraph is a heading of the document.
function isHeading(block) {
  const h = (data.headings || []).find((x) => x[1] > block.from);
  return h !== undefined && h[0] < block.to && h[0] <= block.from + 2 && h[1] >= block.to - 2;
}

const deepest = 6; // levels of lists that are indented

// markItem indents a paragraph in an item of a list, and puts the label before the first paragraph of the item. Items are in
// order of their starts, an outer one first.
function markItem(block) {
  while (openItems.next < items.length && items[openItems.next].from < block.to) openItems.list.push(items[openItems.next++]);
  openItems.list = openItems.list.filter((x) => x.to > block.from);
  const item = openItems.list.at(-1);
  if (!item) return;
  block.node.classList.add("item");
  block.node.style.setProperty("--level", Math.min(item.level, deepest));
  if (item.from >= block.from) block.node.dataset.label = item.label || "•";
}

// equalOf returns the offsets where equal words start and end in the suspect.
function equalOf(i) {
  return partsWith(i).flatMap((k) => data.passages[k].equal).flatMap((e) => [e[0], e[1]]);
}

// drawText shows the suspect's text and, if they are shown, its pages, or those of its paragraphs that are
// given. Paragraphs that look the same as before are left alone.
function drawText(painted, list = blocks) {
  const equal = equalOf(state.selected);
  for (const b of list) {
    const pieces = piecesOf(b, painted, equal);
    const key = JSON.stringify([pieces, pieces.map((x) => painted.chips.get(x.from)), state.all]);
    if (b.key === key) continue;
    b.key = key;
    b.node.replaceChildren(...pieces.flatMap((x) => drawPiece(x, painted.chips)));
  }
  if (onSheets()) drawSheets();
}

// blocksWith returns the paragraphs that hold a part of one of the passages.
function blocksWith(...passages) {
  return passages.filter((i) => i >= 0).flatMap((i) => {
    const parts = partsWith(i);
    const first = Math.max(0, lowest(starts, data.passages[parts[0]].from + 1) - 1);
    return blocks.slice(first, lowest(starts, data.passages[parts.at(-1)].to));
  });
}

// chipsOf returns which passages start at an offset: those that are best
// there, or all of them.
function chipsOf(painted) {
  const chips = new Map();
  const add = (offset, i) => {
    if (!chips.has(offset)) chips.set(offset, []);
    chips.get(offset).push(i);
  };
  if (state.all) {
    data.passages.forEach((p, i) => { if (!state.total.passages[i].out && inGroup(i)) add(p.from, i); });
    return chips;
  }
  const seen = new Set();
  painted.best.forEach((i, k) => {
    if (i >= 0 && !seen.has(i) && !painted.out[k]) {
      partsWith(i).forEach((part) => seen.add(part));
      add(painted.at[k], i);
    }
  });
  return chips;
}

function drawPiece(x, chips) {
  const said = data.text.slice(x.from, x.to);
  const plain = x.doubtful ? el("span", {className: "doubtful", title: lang.text("page.doubtful")}, said) : said;
  const text = x.remarks.length > 0 ? el("span", {className: "remarked"}, plain) : plain;
  const nodes = [...(chips.get(x.from) || []).slice(0, 12).map(chip), ...x.remarks.filter((k) => remarks.list[k].from === x.from).map(remarkChip)];
  if (pageAt.has(x.from)) nodes.unshift(el("span", {className: "page-start", role: "img", ariaLabel: lang.text("page.sheet", {page: pageAt.get(x.from)}), "data-page": pageAt.get(x.from)}));
  const passage = x.selected ? partsWith(state.selected).find((i) => data.passages[i].to > x.from) : x.best;
  if (passage < 0) {
    if (x.hint >= 0 && !x.out) nodes.push(hintMark(x, text));
    else if (x.between) nodes.push(el("span", {className: "between", title: lang.text("page.between")}, text));
    else nodes.push(x.out ? el("span", {className: "out", title: leftOut(x.out)}, text) : text);
    return nodes;
  }
  const p = data.passages[passage];
  const classes = ["m", colorOf(p.source), "g" + p.grade];
  if (x.out) classes.push("out");
  if (x.selected) classes.push("selected");
  if (x.equal) classes.push("equal");
  if (state.all && x.many > 1) classes.push("many");
  nodes.push(el("mark", {className: classes.join(" "), "data-p": passage, "data-at": x.from, title: x.out ? leftOut(x.out) : undefined}, text));
  return nodes;
}

// leftOut says which kind of text is left out.
function leftOut(kind) {
  if (kind === "place") return lang.text("page.is-left-out");
  const box = [...document.querySelectorAll("[data-kind]")].find((b) => b.dataset.kind === kind);
  return lang.text("page.left-out-kind", {kind: box ? box.dataset.name : kind});
}

function chip(i) {
  const p = data.passages[i];
  return el("button", {
    type: "button", className: "chip " + colorOf(p.source) + (i === state.selected ? " on" : ""), "data-p": i,
    ariaLabel: lang.text("page.chip-passage", {number: i + 1, source: p.source + 1, grade: gradeNames[p.grade], words: lang.text("common.words", {n: p.words})}),
  }, String(p.source + 1));
}

// drawSource fills the pane with the excerpts of a passage's source, and
// returns the node at the place.
function drawSource(i) {
  const p = data.passages[i];
  const source = data.sources[p.source];
  let place = null;
  const nodes = [];
  source.excerpts.forEach((x, e) => {
    if (e > 0 || x.start > 0) nodes.push(el("p", {className: "gap"}, "…"));
    for (const b of blocksOf(x.text, false)) {
      const text = x.text.slice(b.from, b.to);
      const node = paragraph(text);
      for (const piece of sourcePieces(b, e, i)) {
        const part = x.text.slice(piece.from, piece.to);
        if (!piece.here && piece.other < 0) {
          node.append(piece.between ? el("span", {className: "between", title: lang.text("page.between")}, part) : part);
          continue;
        }
        const mark = el("mark", {className: ["m", colorOf(p.source), "g" + p.grade, piece.here ? "selected" : "other", piece.equal ? "equal" : ""].join(" "),
          "data-do": "show-passage", "data-p": piece.here ? i : piece.other}, part);
        if (piece.here && !place) place = mark;
        node.append(mark);
      }
      nodes.push(node);
    }
  });
  const last = source.excerpts[source.excerpts.length - 1];
  if (last && !last.ends) nodes.push(el("p", {className: "gap"}, "…"));
  if (nodes.length === 0) {
    nodes.push(el("p", {className: "gap"}, lang.text(source.noText ? "page.source-text-missing" : "page.made-without")));
  }
  find("source-text").replaceChildren(...nodes);
  return place;
}

// sourcePieces cuts a block of an excerpt at the passage and its equal words,
// and at the other passages from that source.
function sourcePieces(block, excerpt, i) {
  const p = data.passages[i];
  const parts = partsWith(i).map((k) => data.passages[k]).filter((q) => q.excerpt === excerpt);
  const equal = parts.flatMap((q) => q.equal).flatMap((e) => [e[2], e[3]]).sort((a, b) => a - b);
  const inside = (from) => parts.some((q) => from >= q.originFrom && from < q.originTo);
  const others = data.passages.map((_, k) => k).filter((k) => {
    const q = data.passages[k];
    return q.source === p.source && q.excerpt === excerpt && q.originFrom < block.to && q.originTo > block.from;
  });
  const cuts = new Set([block.from]);
  const bounds = [...equal, ...others.flatMap((k) => [data.passages[k].originFrom, data.passages[k].originTo])];
  for (const offset of bounds) if (offset > block.from && offset < block.to) cuts.add(offset);
  const at = [...cuts].sort((a, b) => a - b);
  const first = new Array(at.length).fill(-1); // passage at each cut
  const take = newClaims(at.length);
  for (const k of others) {
    const q = data.passages[k];
    take(lowest(at, Math.max(q.originFrom, block.from)), lowest(at, Math.min(q.originTo, block.to)), (cut) => { first[cut] = k; });
  }
  return at.map((from, k) => ({
    from, to: k + 1 < at.length ? at[k + 1] : block.to,
    here: inside(from),
    between: parts.length > 1 && !inside(from) && from > parts[0].originFrom && from < parts.at(-1).originTo,
    other: first[k],
    equal: lowest(equal, from + 1) % 2 === 1,
  }));
}
