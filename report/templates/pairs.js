// The pairs of texts at or above an adjustable threshold, and the groups that they
// connect, each with a diagram. Text that most texts share, such as a declaration, is
// ignored unless the reader includes it.

// showFigures writes the figures of a pair into its row, with or without text that most
// texts share.
function showFigures(row, all) {
  const [words, a, b] = row.dataset[all ? "all" : "rest"].split(" ").map(Number);
  Object.assign(row.dataset, {words, a, b});
  const cells = row.cells;
  cells[2].textContent = lang.number(words);
  cells[3].textContent = percentOrNone(a);
  cells[4].textContent = percentOrNone(b);
}

// percentOrNone returns a share, or a dash if the report on the text does not list the other one.
function percentOrNone(share) {
  return share > 0 ? lang.percent(share) : "–";
}

function shareOf(row) {
  return Math.max(Number(row.dataset.a), Number(row.dataset.b));
}

function filterPairs() {
  const rows = [...find("pair-table").tBodies[0].rows];
  const least = Number(find("pair-least").value), all = find("pair-all").checked;
  find("pair-limit").textContent = lang.limit(least);
  for (const row of rows) {
    showFigures(row, all);
    row.hidden = Number(row.dataset.words) === 0 || shareOf(row) < least || !wanted(row);
  }
  const shown = rows.filter((row) => !row.hidden);
  find("pair-count").textContent = lang.text("overview.pairs-shown", {n: shown.length, all: rows.length});
  find("groups").replaceChildren(...groupsOf(shown).map((group) => figure(group, shown)));
}

// groupsOf returns the groups of texts that pairs connect, the largest first, each in the
// order of the texts.
function groupsOf(pairs) {
  const root = new Map();
  const rootOf = (i) => (root.has(i) && root.get(i) !== i ? rootOf(root.get(i)) : i);
  for (const {dataset: {first, second}} of pairs) {
    const [a, b] = [rootOf(Number(first)), rootOf(Number(second))].sort((x, y) => x - y);
    root.set(a, a).set(b, a);
  }
  const groups = new Map();
  for (const i of [...root.keys()].sort((a, b) => a - b)) groups.set(rootOf(i), [...(groups.get(rootOf(i)) || []), i]);
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const rowOf = new Map(texts.map((row) => [Number(row.dataset.index), row]));
const nodeRadius = 13, leastNode = 3, labelNode = 9, graphRoom = 22, mostRadius = 230; // of the picture
const mostEdges = 2000; // lines that are drawn; the table has all pairs

// figure draws a group: a numbered circle for each text, connected by lines as wide as
// the larger of the two shares, and the names.
function figure(group, pairs) {
  const large = Math.min(Math.max(48, group.length * (2 * nodeRadius + 8) / (2 * Math.PI)), mostRadius);
  const radius = Math.max(Math.min(nodeRadius, Math.PI * large / group.length - 2), leastNode);
  const middle = large + graphRoom;
  const at = new Map(group.map((i, k) => {
    const angle = 2 * Math.PI * k / group.length - Math.PI / 2;
    return [i, [middle + large * Math.cos(angle), middle + large * Math.sin(angle)]];
  }));
  const edges = pairs.filter((row) => at.has(Number(row.dataset.first))).sort((a, b) => shareOf(b) - shareOf(a)).slice(0, mostEdges).reverse();
  const picture = svg("svg", {class: "graph", viewBox: `0 0 ${2 * middle} ${2 * middle}`, width: 2 * middle, height: 2 * middle, "aria-hidden": "true"},
    ...edges.map((row) => edge(at.get(Number(row.dataset.first)), at.get(Number(row.dataset.second)), row)),
    ...group.map((i, k) => circle(at.get(i), radius, k + 1, rowOf.get(i))));
  const list = document.createElement("ol");
  list.append(...group.map((i) => {
    const item = document.createElement("li"), score = document.createElement("small");
    score.textContent = lang.percent(Number(rowOf.get(i).dataset.percent));
    item.append(rowOf.get(i).querySelector(".name > :first-child").cloneNode(true), " ", score);
    return item;
  }));
  const caption = document.createElement("figcaption"), node = document.createElement("figure");
  caption.append(lang.text("overview.group", {n: group.length}), list);
  node.className = "cluster";
  node.append(picture, caption);
  return node;
}

function edge(a, b, row) {
  const title = `${row.dataset.name} – ${row.dataset.other}: ${lang.percent(shareOf(row))}`;
  return svg("line", {x1: a[0], y1: a[1], x2: b[0], y2: b[1], "stroke-width": 0.6 + 5.4 * shareOf(row) / 100}, svg("title", {}, title));
}

function circle([x, y], radius, number, row) {
  const label = radius >= labelNode ? [svg("text", {x, y: y + 4}, String(number))] : [];
  return svg("g", {}, svg("title", {}, `${number} ${row.dataset.name}`), svg("circle", {cx: x, cy: y, r: radius}), ...label);
}

if (find("pair-table")) {
  sortable(find("pair-table"), ["name", "other"]);
  find("pair-least").addEventListener("input", filterPairs);
  find("pair-all").addEventListener("change", filterPairs);
  find("pair-tools").hidden = false;
  filterPairs();
}
