// The groups of passages, by quotation marks and citations: counted, and shown one at a time. They change no score.

// inGroup reports whether a passage is shown.
function inGroup(i) { return !state.group || data.passages[i].group === state.group; }

// bestIn returns the shown passage of a place that counts for most words, if there is one.
function bestIn(s) {
  if (!state.group) return s.best;
  const counted = (i) => state.total.passages[i].counted;
  return s.passages.filter((i) => inGroup(i) && counted(i) > 0).sort((i, j) => counted(j) - counted(i) || i - j)[0];
}

// showGroups counts the groups, and shows all passages again if the shown group has none left.
function showGroups() {
  const places = (group) => state.places.filter((s) => s.passages.some((i) => data.passages[i].group === group && state.total.passages[i].counted > 0)).length;
  if (state.group && places(state.group) === 0) state.group = "";
  for (const button of groupButtons()) {
    const {group} = button.dataset, n = places(group);
    const words = data.passages.reduce((sum, p, i) => sum + (p.group === group ? state.total.passages[i].counted : 0), 0);
    button.ariaPressed = String(group === state.group);
    button.disabled = n === 0;
    button.nextElementSibling.textContent = lang.text("common.words", {n: words}) + ", " + lang.text("common.places", {n});
    if (group === state.group) find("group-name").textContent = lang.text("page.group-only", {group: button.textContent, n});
  }
  find("group-shown").hidden = !state.group;
}

function groupButtons() { return [...document.querySelectorAll("button[data-group]")]; }

// setGroup shows the passages of one group, or of all for "".
function setGroup(group) {
  state.group = group;
  recount();
  tell(group ? find("group-name").textContent : lang.text("page.group-all"));
}

// nextGroup shows the next group that has passages, and all passages after the last one.
function nextGroup() {
  const groups = ["", ...groupButtons().filter((b) => !b.disabled).map((b) => b.dataset.group)];
  if (groups.length > 1) setGroup(groups[(groups.indexOf(state.group) + 1) % groups.length]);
}
