"use strict";
// The pages work without this script. It refreshes lists of unfinished work, takes dropped files,
// asks before deletions, prints, copies links, and sends forms that need no answer.

// nameCells gives each cell the name of its column, which is shown on narrow screens.
function nameCells() {
  for (const table of document.querySelectorAll(".rows")) {
    const names = [...table.querySelectorAll("thead th")].map((th) => (th.querySelector(".sr") ? "" : th.textContent.trim())); // a button says what it does
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, i) => { if (i > 0 && names[i]) cell.dataset.name = names[i]; });
    table.classList.add("named");
  }
}
nameCells();

// refresh replaces the part of the page that shows unfinished work, until nothing is unfinished.
async function refresh() {
  const live = document.querySelector("[data-refresh]");
  if (!live) return;
  if (!document.hidden && !live.contains(document.activeElement)) {
    try {
      const answer = await fetch(location.href, {redirect: "error"});
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = page.getElementById(live.id);
        if (next) live.replaceWith(document.adoptNode(next));
        for (const part of document.querySelectorAll("[data-part]")) {
          const changed = page.getElementById(part.id);
          if (changed && !part.contains(document.activeElement) && !part.querySelector("input:checked")) part.replaceWith(document.adoptNode(changed));
        }
        nameCells();
      }
    } catch (e) {
      // the next attempt may succeed
    }
  }
  setTimeout(refresh, 2000);
}
setTimeout(refresh, 1500);

for (const drop of document.querySelectorAll(".drop")) {
  const input = drop.querySelector("input");
  drop.addEventListener("dragover", (e) => { e.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (e) => {
    e.preventDefault();
    drop.classList.remove("over");
    input.files = e.dataTransfer.files;
  });
}

document.addEventListener("submit", (e) => {
  const question = e.target.dataset.confirm;
  if (!question) return;
  if (!confirm(question)) return e.preventDefault();
  const sure = Object.assign(document.createElement("input"), {type: "hidden", name: "sure", value: "1"}); // the server asks otherwise
  e.target.append(sure);
});

// A choice needs at least one of its boxes, before a file is sent.
for (const choice of document.querySelectorAll("[data-choose]")) {
  const boxes = [...choice.querySelectorAll("input")];
  const check = () => boxes[0].setCustomValidity(boxes.some((box) => box.checked) ? "" : choice.dataset.choose);
  choice.addEventListener("change", check);
  check();
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = button.parentElement.querySelector(".copy");
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
  });
}

document.querySelector("form[data-send]")?.submit();
