// The pages as they were handed in: a picture of each page, with marks over the words of
// passages. Words are [from, to, left, top, width, height], in units of the text and dots.

// startSheets adds the pages to the document. Pictures near the screen load first, the
// others when the browser is idle, since print needs all of them.
function startSheets() {
  if (sheets.length === 0) return;
  for (const s of sheets) {
    s.image = el("img", {alt: lang.text("page.sheet", {page: s.label}), width: s.width, height: s.height, decoding: "async"});
    s.marks = el("div", {className: "marks"});
    s.node = el("figure", {className: "sheet", id: "sheet-" + s.number}, el("figcaption", {}, lang.text("page.sheet", {page: s.label})), el("div", {className: "leaf"}, s.image, s.marks));
  }
  const holder = find("sheets");
  for (const old of holder.querySelectorAll(".sheet")) old.remove(); // from a document saved by a browser
  holder.append(...sheets.map((s) => s.node));
  const near = new IntersectionObserver((entries) => {
    for (const e of entries) {
      const s = sheets.find((x) => x.node === e.target);
      if ((s.near = e.isIntersecting)) showSheet(s);
    }
  }, {rootMargin: "100% 0px"});
  for (const s of sheets) near.observe(s.node);
  const rest = [...sheets];
  // A browser without a window may never be idle.
  const idle = (run) => window.requestIdleCallback ? requestIdleCallback(run, {timeout: 200}) : setTimeout(run, 50);
  const next = () => {
    const s = rest.shift();
    if (!s) return document.body.classList.add("sheets-ready");
    loadSheet(s);
    idle(next);
  };
  idle(next);
}

function loadSheet(s) {
  if (!s.image.src) s.image.src = s.data;
}

// showSheet loads a page and draws its marks if they are out of date.
function showSheet(s) {
  loadSheet(s);
  if (s.drawn === state.painted) return;
  s.drawn = state.painted;
  const sheet = sheets.indexOf(s);
  const equal = equalOf(state.selected);
  const chips = chipWords();
  const lines = [];
  for (const w of sheetWords) {
    if (w.sheet !== sheet) continue;
    const look = lookAt(w.from, equal);
    const last = lines[lines.length - 1];
    if (look && last && last.look.key === look.key && !chips.has(w) && sameLine(last.box, w.box)) {
      last.box = union(last.box, w.box);
    } else if (look) {
      lines.push({look, box: w.box, at: w.from, chips: chips.get(w) || []});
    }
  }
  s.marks.replaceChildren(...lines.flatMap((l) => drawLine(s, l)));
}

// lookAt returns the style of the text at an offset, null outside passages and accepted hints.
function lookAt(offset, equal) {
  const painted = state.painted;
  const k = lowest(painted.at, offset + 1) - 1;
  const part = partsWith(state.selected).find((i) => offset >= data.passages[i].from && offset < data.passages[i].to);
  const selected = part !== undefined;
  const passage = selected ? part : painted.best[k];
  const hint = passage < 0 && state.hints.has(painted.hint[k]) ? painted.hint[k] : -1;
  if (passage < 0 && hint < 0) return null;
  const same = selected && lowest(equal, offset + 1) % 2 === 1;
  const many = state.all && painted.many[k] > 1;
  return {passage, hint, selected, same, many, out: painted.out[k], key: [passage, hint, selected, same, many, painted.out[k]].join(" ")};
}

function sameLine(a, b) {
  const middle = b[1] + b[3] / 2;
  return middle > a[1] && middle < a[1] + a[3] && b[0] >= a[0] && b[0] - a[0] - a[2] < 3 * a[3];
}

function union(a, b) {
  const left = Math.min(a[0], b[0]), top = Math.min(a[1], b[1]);
  return [left, top, Math.max(a[0] + a[2], b[0] + b[2]) - left, Math.max(a[1] + a[3], b[1] + b[3]) - top];
}

// chipWords returns the words at which passages start.
function chipWords() {
  const at = new Map();
  for (const [offset, list] of state.painted.chips) {
    const w = sheetWords[lowest(wordStarts, offset)];
    const here = w ? list.filter((i) => w.from < data.passages[i].to) : [];
    if (here.length > 0) at.set(w, [...(at.get(w) || []), ...here]);
  }
  return at;
}

function drawLine(s, line) {
  const {look, box} = line;
  const p = look.hint < 0 ? data.passages[look.passage] : data.hints[look.hint];
  const classes = ["m", colorOf(p.source), "g" + p.grade];
  for (const [name, on] of [["out", look.out], ["selected", look.selected], ["equal", look.same], ["many", look.many]]) if (on) classes.push(name);
  const mark = el("mark", {className: classes.join(" "), ...(look.hint < 0 ? {"data-p": look.passage, "data-at": line.at} : {"data-do": "go-hint", "data-hint": look.hint}), title: look.out ? leftOut(look.out) : undefined});
  place(mark, s, box);
  if (line.chips.length === 0) return [mark];
  const group = el("span", {className: "chips"}, ...line.chips.slice(0, 12).map(chip));
  place(group, s, [box[0], box[1], 0, 0]);
  return [mark, group];
}

// place positions a node over a part of a picture, independent of the displayed size.
function place(node, s, [left, top, width, height]) {
  node.style.left = 100 * left / s.width + "%";
  node.style.top = 100 * top / s.height + "%";
  if (width > 0) node.style.width = 100 * width / s.width + "%";
  if (height > 0) node.style.height = 100 * height / s.height + "%";
}

// drawSheets draws the visible pages, and the others when they become visible.
function drawSheets() {
  for (const s of sheets) {
    s.drawn = null;
    if (s.near) showSheet(s);
  }
}

function onSheets() { return document.body.classList.contains("on-sheets"); }

// setSheets shows either the pages or the text.
function setSheets(on) {
  if (sheets.length === 0) return;
  const offset = offsetAt(document.querySelector(".top").getBoundingClientRect().bottom + 1);
  const reading = find("text").getBoundingClientRect().top < 0;
  document.body.classList.toggle("on-sheets", on);
  find("sheets").hidden = !on;
  find("suspect-text").hidden = on;
  find("view-sheets").ariaPressed = String(on);
  find("view-text").ariaPressed = String(!on);
  if (on) drawSheets();
  if (state.selected >= 0) bringMark();
  else if (reading) goTo(offset);
  drawWindow();
}

// markOf returns the first mark of a passage in the current view. If no picture has the
// passage, it switches to the text.
function markOf(i) {
  if (onSheets()) {
    const p = data.passages[i];
    const w = sheetWords[lowest(wordStarts, p.from)];
    if (w && w.from < p.to) {
      showSheet(sheets[w.sheet]);
      return sheets[w.sheet].marks.querySelector("mark.selected");
    }
    setSheets(false);
    notice(lang.text("page.on-no-sheet"));
  }
  return document.querySelector("#suspect-text mark.selected");
}

// sheetOffsetAt is offsetAt for the pages.
function sheetOffsetAt(y) {
  const s = sheets.find((x) => x.node.getBoundingClientRect().bottom >= y);
  if (!s) return data.text.length;
  const box = s.node.getBoundingClientRect();
  const down = Math.max(0, (y - box.top) / Math.max(1, box.height)) * s.height;
  const words = s.words.length > 0 ? s.words : [[0, 0, 0, 0, 0, 0]];
  return (words.find((w) => w[3] + w[5] >= down) || words[words.length - 1])[0];
}

// goToSheet goes to the page that contains an offset of the text, or the next one.
function goToSheet(offset) {
  const w = sheetWords[Math.min(lowest(wordStarts, offset), sheetWords.length - 1)];
  if (w) sheets[w.sheet].node.scrollIntoView({block: "start"});
}
