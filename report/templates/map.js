// The map shows the whole suspect in one bar. The height of a passage depends on its
// grade, so that passages differ in more than colour.

function drawMap(painted) {
  const canvas = find("map-canvas");
  const scale = window.devicePixelRatio || 1;
  const width = canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
  const draw = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const colors = Array.from({length: 8}, (_, i) => style.getPropertyValue("--c" + i));
  const length = Math.max(1, data.text.length);
  for (let k = 0; k + 1 < painted.at.length; k++) {
    const p = data.passages[painted.best[k]] ?? (state.hints.has(painted.hint[k]) ? data.hints[painted.hint[k]] : null);
    if (!p || painted.out[k]) continue;
    const from = painted.at[k] / length * width;
    const tall = height * [1, 0.72, 0.45][p.grade];
    draw.fillStyle = colors[p.source % 8];
    draw.fillRect(from, height - tall, Math.max(scale, painted.at[k + 1] / length * width - from), tall);
  }
  const parts = partsWith(state.selected).map((i) => data.passages[i]);
  if (parts.length > 0) {
    const p = {from: parts[0].from, to: parts.at(-1).to};
    draw.strokeStyle = style.getPropertyValue("--ink");
    draw.lineWidth = 2 * scale;
    draw.strokeRect(p.from / length * width - scale, scale, Math.max(3 * scale, (p.to - p.from) / length * width + 2 * scale), height - 2 * scale);
  }
}

// blockAt returns the paragraph at an offset of the text.
function blockAt(offset) {
  let i = 0;
  while (i + 1 < blocks.length && blocks[i + 1].from <= offset) i++;
  return blocks[i];
}

// drawWindow marks the visible part of the text on the map.
function drawWindow() {
  const top = document.querySelector(".top").getBoundingClientRect().bottom;
  const first = offsetAt(top), last = offsetAt(window.innerHeight);
  const length = Math.max(1, data.text.length);
  const frame = find("map-window");
  frame.hidden = last <= first;
  frame.style.left = 100 * first / length + "%";
  frame.style.width = 100 * (last - first) / length + "%";
}

// offsetAt returns the offset in the text that is at a height of the
// screen, to within a paragraph.
function offsetAt(y) {
  if (onSheets()) return sheetOffsetAt(y);
  let from = 0, to = blocks.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (blocks[middle].node.getBoundingClientRect().bottom < y) from = middle + 1;
    else to = middle;
  }
  if (from === blocks.length) return data.text.length;
  const box = blocks[from].node.getBoundingClientRect();
  const part = Math.min(1, Math.max(0, (y - box.top) / Math.max(1, box.height)));
  return blocks[from].from + part * (blocks[from].to - blocks[from].from);
}

function goTo(offset) {
  if (onSheets()) return goToSheet(offset);
  const b = blockAt(offset);
  if (!b) return;
  const box = b.node.getBoundingClientRect();
  const part = (offset - b.from) / Math.max(1, b.to - b.from);
  window.scrollBy({top: box.top + part * box.height - window.innerHeight / 3});
}
