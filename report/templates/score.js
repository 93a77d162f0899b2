// The score, by the rules of the Go package search/score; a test compares the two.
// count(input, choice) returns the score and the figures of each source after exclusions.

function percentOf(part, all) {
  return all === 0 ? 0 : 100 * part / all;
}

// cutTo limits a range of words to those of the suspect.
function cutTo(input, at) {
  const from = Math.min(Math.max(at.word, 0), input.words);
  return [from, Math.min(Math.max(at.word + at.words, from), input.words)];
}

// order returns the indexes of passages, sorted by compare; the sort is stable.
function order(passages, compare) {
  return passages.map((_, i) => i).sort((i, j) => compare(passages[i], passages[j]) || i - j);
}

function best(passages) {
  return order(passages, (a, b) => a.grade - b.grade || b.matched - a.matched || a.source - b.source);
}

// remaining returns, for each word and the end, the number of words before it that are
// not left out by kind or place.
function remaining(input, choice) {
  const left = new Int32Array(input.words + 1);
  const out = new Uint8Array(input.words);
  for (const e of input.exclusions) {
    if (choice.kinds.has(e.kind)) out.fill(1, ...cutTo(input, e));
  }
  for (const s of choice.places) out.fill(1, ...cutTo(input, s));
  for (let i = 0; i < input.words; i++) left[i + 1] = left[i] + 1 - out[i];
  return left;
}

// claims assigns each index to the first caller.
function newClaims(length) {
  const next = new Int32Array(length + 1);
  for (let i = 0; i <= length; i++) next[i] = i;
  const free = (i) => {
    let root = i;
    while (next[root] !== root) root = next[root];
    while (next[i] !== root) [i, next[i]] = [next[i], root];
    return root;
  };
  return function take(from, to, each) {
    for (let i = free(from); i < to; i = free(i + 1)) {
      each(i);
      next[i] = i + 1;
    }
  };
}

function count(input, choice) {
  const left = remaining(input, choice);
  const total = {
    covered: 0,
    run: 0, // longest of equal words in a passage that is not out
    excluded: input.words - left[input.words],
    grades: new Array(input.grades).fill(0),
    sources: Array.from({length: input.sources}, () => ({out: false, passages: 0, covered: 0, percent: 0, counted: 0})),
    passages: input.passages.map((p, i) => {
      const [from, to] = cutTo(input, p);
      const words = left[to] - left[from];
      return {out: choice.passages.has(i) || choice.sources.has(p.source) || choice.grades.has(p.grade) || words === 0, words, counted: 0};
    }),
  };
  dropShort(input, choice, total);
  dropSources(input, choice, left, total);
  const take = newClaims(input.words);
  for (const i of best(input.passages)) {
    if (total.passages[i].out) continue;
    const p = input.passages[i];
    let words = 0;
    take(...cutTo(input, p), (w) => { words += left[w + 1] - left[w]; });
    total.passages[i].counted = words;
    total.sources[p.source].counted += words;
    total.grades[p.grade] += words;
    total.covered += words;
    total.run = Math.max(total.run, p.run || 0);
  }
  addShares(input, choice, total);
  total.percent = percentOf(total.covered, input.words);
  return total;
}

// addShares adds the words of sources at unknown places.
function addShares(input, choice, total) {
  input.shares.forEach((words, i) => {
    const percent = percentOf(words, input.words);
    if (words === 0 || choice.sources.has(i) || choice.grades.has(0) || words < choice.sourceWords || percent < choice.sourcePercent) return;
    const counted = Math.max(0, words - total.covered);
    total.sources[i] = {out: false, passages: 0, covered: words, percent, counted};
    total.grades[0] += counted;
    total.covered += counted;
  });
}

// dropShort leaves out passages with too few words. The parts of a joined passage count together.
function dropShort(input, choice, total) {
  const joined = new Map();
  input.passages.forEach((p, i) => {
    if (p.joined && !total.passages[i].out) joined.set(p.joined, (joined.get(p.joined) || 0) + total.passages[i].words);
  });
  input.passages.forEach((p, i) => {
    const t = total.passages[i];
    t.out = t.out || Math.max(t.words, joined.get(p.joined) || 0) < choice.passageWords;
  });
}

function dropSources(input, choice, left, total) {
  const reach = new Int32Array(input.sources);
  const seen = new Set(); // joined passages
  for (const i of order(input.passages, (a, b) => a.word - b.word)) {
    const p = input.passages[i];
    if (total.passages[i].out) continue;
    const s = total.sources[p.source];
    const [start, to] = cutTo(input, p);
    const from = Math.max(start, reach[p.source]);
    if (from < to) {
      s.covered += left[to] - left[from];
      reach[p.source] = to;
    }
    if (!seen.has(p.joined)) s.passages++;
    if (p.joined) seen.add(p.joined);
  }
  total.sources.forEach((s, i) => {
    s.percent = percentOf(s.covered, input.words);
    if (choice.sources.has(i) || s.passages === 0 || s.covered < choice.sourceWords || s.percent < choice.sourcePercent) {
      Object.assign(s, {out: true, passages: 0, covered: 0, percent: 0});
    }
  });
  input.passages.forEach((p, i) => {
    if (total.sources[p.source].out) total.passages[i].out = true;
  });
}
