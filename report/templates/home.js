// Decisions on a server: the page sends them after each decision. If another reader has
// decided meanwhile, the page merges both and sends the result.

const home = {number: 0, sending: false, again: false};

// startAtHome names the reviewer, and reads the decisions of others when the reader returns to this window.
function startAtHome() {
  home.number = data.home.number;
  find("reviewer").value = data.home.by;
  document.body.classList.add("at-home");
  if (data.home.judge) judgeAtHome();
  startRemarks();
  if (data.home.fixed) return tellKept(lang.text("page.fixed"));
  window.addEventListener("focus", () => (state.unsaved ? keepAtHome() : joinAtHome().catch(() => {})));
}

// keepAtHome sends the decisions, again and again while there are new ones.
async function keepAtHome() {
  keepInPage();
  if (data.home.fixed) return;
  state.kept = false;
  home.again = true;
  if (home.sending) return;
  home.sending = true;
  try {
    while (home.again) {
      home.again = false;
      await send();
    }
    tellKept(lang.text("page.at-home"));
  } catch (e) {
    tellKept();
  } finally {
    home.sending = false;
  }
}

// send sends the decisions once.
async function send() {
  const sent = state.now;
  const answer = await fetch(data.home.decisions, {
    method: "PUT", headers: {"Content-Type": "application/json", "If-Match": `"${home.number}"`}, body: JSON.stringify(decisions()), redirect: "error",
  });
  if (answer.status === 409) {
    await joinAtHome();
    home.again = true;
    return;
  }
  if (!answer.ok) throw new Error(answer.statusText);
  [home.number, state.base, state.kept] = [(await answer.json()).number, sent, true];
  markUnsaved(state.now !== sent);
}

// joinAtHome applies decisions that another reader has stored since. If both decided on one
// subject, this window takes precedence.
async function joinAtHome() {
  const answer = await fetch(data.home.decisions, {redirect: "error"});
  if (answer.status === 204) return;
  if (!answer.ok) throw new Error(answer.statusText);
  const number = Number(answer.headers.get("ETag").replaceAll('"', ""));
  if (number === home.number) return;
  const found = readDecisions(await answer.text());
  if (!found) throw new Error("decisions");
  const theirs = partsOf(found);
  takeDecisions(wholeOf(merged(state.base, state.now, theirs)));
  find("reviewer").value = data.home.by;
  [home.number, state.base, state.now] = [number, theirs, partsOf(decided())];
  putFilters();
  recount();
  say(lang.text("page.other-reader", {percent: lang.percent(state.total.percent)}));
}

// judgeAtHome sends the verdict on the text when the reader asks for it: each is a step of its case. Leaving the page
// with one that was not sent asks first.
function judgeAtHome() {
  const typed = () => JSON.stringify([find("home-verdict").value, find("home-comment").value.trim()]);
  let sent = typed();
  find("judge").addEventListener("submit", async (e) => {
    e.preventDefault();
    const now = typed(), told = find("judged");
    const wrong = await sendHome(data.home.judge, new URLSearchParams({verdict: find("home-verdict").value, comment: find("home-comment").value}));
    if (!wrong) sent = now;
    told.classList.toggle("warn", wrong !== "");
    told.textContent = wrong || lang.text("page.verdict-stored");
  });
  window.addEventListener("beforeunload", (e) => { if (typed() !== sent) e.preventDefault(); });
}

// sendHome sends a form to the server, and returns why it was refused, "" if it was stored.
async function sendHome(address, body) {
  try {
    const answer = await fetch(address, {method: "POST", body, redirect: "manual"});
    if (answer.type === "opaqueredirect") return ""; // to the record
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.getElementById("wrong")?.textContent || lang.text("page.not-at-home");
  } catch (e) {
    return lang.text("page.not-at-home");
  }
}
