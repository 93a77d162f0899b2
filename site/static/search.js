// Search over the words of all pages, without a server. The words are loaded at the first key.
"use strict";
(() => {
  const form = document.getElementById("search"), query = document.getElementById("query"), found = document.getElementById("found");
  const most = 20; // results
  const fold = s => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  let loading;

  const load = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = document.getElementById("words").href;
    script.onload = () => done(otiskWords.map(p => ({...p, name: fold(p.title + " " + p.heading), folded: fold(p.text)})));
    script.onerror = failed;
    document.head.append(script);
  });

  // rank returns 0 if a word is missing, and more for words in headings.
  const rank = (p, words) => words.reduce((sum, w) => sum && (p.name.includes(w) ? sum + 10 : p.folded.includes(w) ? sum + 1 : 0), 1);

  const excerpt = (p, word) => {
    const at = Math.max(0, p.folded.indexOf(word) - 60);
    return (at > 0 ? "…" : "") + p.text.slice(at, at + 160) + (at + 160 < p.text.length ? "…" : "");
  };

  const show = async () => {
    const words = fold(query.value).split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      found.hidden = true;
      return;
    }
    const pages = await load();
    const root = document.getElementById("root").href.replace(/index\.html$/, "");
    const hits = pages.map(p => [rank(p, words), p]).filter(([r]) => r > 0).sort((a, b) => b[0] - a[0]).slice(0, most);
    found.replaceChildren(...hits.map(([, p]) => {
      const link = document.createElement("a"), text = document.createElement("p"), hit = document.createElement("div");
      link.href = root + p.url.replace(/^\//, "");
      link.textContent = p.heading ? p.title + " › " + p.heading : p.title;
      text.textContent = excerpt(p, words[0]);
      hit.append(link, text);
      return hit;
    }));
    if (hits.length === 0) found.textContent = query.dataset.none;
    found.hidden = false;
  };

  query.addEventListener("input", show);
  form.addEventListener("submit", e => {
    e.preventDefault();
    found.querySelector("a")?.click();
  });
})();
