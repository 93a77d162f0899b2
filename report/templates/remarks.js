// Comments on places of the text, which a server stores. The reader chooses words of the text or types them.

const remarks = {list: [], near: 0};

// startRemarks lists the comments, and prepares the form for another one.
function startRemarks() {
  if (!find("remarks")) return;
  drawRemarks();
  find("remark")?.addEventListener("submit", sendRemark);
}

function drawRemarks() {
  find("remarks").hidden = remarks.list.length === 0;
  find("remark-list").replaceChildren(...remarks.list.map((r, k) => el("li", {},
    el("button", {type: "button", className: "quote", disabled: r.to === 0, "data-do": "go-remark", "data-remark": k}, el("q", {dir: "auto"}, beginning(r.quote, 60))),
    el("p", {className: "dim"}, el("bdi", {}, r.about), ...(r.to === 0 ? [" ", lang.text("page.remark-lost")] : [])),
    el("p", {className: "remark-text", dir: "auto"}, r.text))));
}

// remarksIn returns where comments start and end in a block.
function remarksIn(block) {
  return remarks.list.flatMap((r) => [r.from, r.to]).filter((offset) => offset > block.from && offset < block.to);
}

// remarksAt returns the comments on the text after an offset, of which some start there.
function remarksAt(offset) {
  return [...remarks.list.keys()].filter((k) => remarks.list[k].from <= offset && offset < remarks.list[k].to);
}

// remarkChip is the mark in the text before the words of a comment.
function remarkChip(k) {
  return el("button", {type: "button", className: "chip note", "data-do": "show-remark", "data-remark": k, title: remarks.list[k].text, ariaLabel: lang.text("page.remark-number", {n: k + 1})}, "✎" + (k + 1));
}

// goToRemark shows the words of a comment in the text, or the comment in the list.
function goToRemark(k, inText) {
  if (inText) setSheets(false);
  const node = document.querySelector(`${inText ? "#suspect-text" : "#remark-list"} [data-remark="${k}"]`);
  node?.scrollIntoView({block: "center"});
  node?.focus({preventScroll: true});
}

// chosenWords returns the words of the text that are chosen, or those of the passage that is shown, and where they start.
function chosenWords() {
  const range = getSelection().rangeCount > 0 ? getSelection().getRangeAt(0) : null;
  const block = range && !range.collapsed && blocks.find((b) => b.node.contains(range.startContainer));
  if (block) {
    const before = document.createRange();
    before.selectNodeContents(block.node);
    before.setEnd(range.startContainer, range.startOffset);
    return [wordsOf(range), block.from + wordsOf(before).length];
  }
  if (state.selected < 0) return ["", 0];
  const p = data.passages[state.selected];
  return [data.text.slice(p.from, p.to), p.from];
}

// wordsOf returns the text in a range, without the marks of passages.
function wordsOf(range) {
  const part = range.cloneContents();
  part.querySelectorAll("button, .page-start").forEach((node) => node.remove());
  part.querySelectorAll("p").forEach((node) => node.append(" "));
  return part.textContent;
}

function openRemark() {
  if (!find("remark")) return;
  const [words, from] = chosenWords();
  remarks.near = new TextEncoder().encode(data.text.slice(0, from)).length;
  if (words) find("remark-words").value = words.trim();
  find("remark-wrong").textContent = "";
  find("remark-box").showModal();
  find(find("remark-words").value ? "remark-text" : "remark-words").focus();
}

// sendRemark sends a comment and reads all again, also those of others.
async function sendRemark(e) {
  if (!e.submitter?.value) return; // cancelled
  e.preventDefault();
  const fields = new URLSearchParams(new FormData(find("remark")));
  fields.set("near", remarks.near);
  let wrong = await sendHome(data.home.remark, fields);
  if (!wrong) {
    const answer = await fetch(data.home.remark, {redirect: "error"}).catch(() => null);
    if (answer?.ok) {
      remarks.list = await answer.json();
      drawRemarks();
      repaint();
      find("remark").reset();
      find("remark-box").close();
      say(lang.text("page.remark-stored"));
      return;
    }
    wrong = lang.text("page.remark-reload");
  }
  find("remark-wrong").textContent = wrong;
}
