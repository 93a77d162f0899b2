package main

import (
	"archive/zip"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/internal/testing/need"
)

// plantedName is a name that would run a script on a page that does not escape it.
const plantedName = `<img src=x onerror="planted=1">`

// A user uses the pages of a server in a browser.
type user struct {
	t *testing.T
	p *browser.Page
	s *testServer

	shared  string // path of a link to a check
	student string // path of a link for the student
}

// TestServePages goes through the pages of a server as its first users do, in one browser.
func TestServePages(t *testing.T) {
	t.Parallel()
	p := browser.Start(t)
	s := startServe(t, t.TempDir())
	s.address = strings.Replace(s.address, "localhost", "127.0.0.1", 1) // no name resolves in the browser
	u := &user{t: t, p: p, s: s}
	english := t.Run("English", func(t *testing.T) { u.shared, u.student = u.in(t).mainPath() })
	if !english {
		return
	}
	t.Run("Accessible", func(t *testing.T) { u.in(t).accessible() })
	t.Run("TwoReaders", func(t *testing.T) { u.in(t).twoReaders() })
	t.Run("Keyboard", func(t *testing.T) { u.in(t).keyboard() })
	t.Run("Czech", func(t *testing.T) { u.in(t).czech() })
	t.Run("SecondFactor", func(t *testing.T) { u.in(t).secondFactor() })
}

func (u *user) in(t *testing.T) *user {
	s := *u.s
	s.t = t
	return &user{t: t, p: u.p.In(t), s: &s, shared: u.shared, student: u.student}
}

// open opens a page, which must load without errors and without requests to others.
func (u *user) open(path string) {
	u.t.Helper()
	u.p.Visit(u.s.address + path)
	u.clean()
}

func (u *user) clean() {
	u.t.Helper()
	for _, r := range u.p.Requests {
		if !strings.HasPrefix(r, u.s.address+"/") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") {
			u.t.Errorf("the page requests %s", r)
		}
	}
	if len(u.p.Errors) > 0 {
		u.t.Errorf("errors on %s: %q", u.p.Text("location.pathname"), u.p.Errors)
		u.p.Errors = nil
	}
	if planted := u.p.Text(`typeof planted`); planted != "undefined" {
		u.t.Fatalf("a planted script ran on %s", u.p.Text("location.pathname"))
	}
}

// fill types values into fields, as pairs of name and value.
func (u *user) fill(pairs ...string) {
	u.t.Helper()
	u.fillIn("main", pairs...)
}

// fillIn types values into fields of the element that a selector finds.
func (u *user) fillIn(selector string, pairs ...string) {
	u.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		u.p.Eval(`document.querySelector('`+selector+` [name="`+pairs[i]+`"]').value = `+quoted(pairs[i+1]), nil)
	}
}

func quoted(text string) string { return "`" + text + "`" }

// send presses the button of a form, and waits until script is true on the next page.
func (u *user) send(action, then string) {
	u.t.Helper()
	u.p.Eval(`window.left = true; document.querySelector('form[action="`+action+`"] button:not([type=button])').click()`, nil)
	u.until(`typeof left === "undefined" && document.readyState === "complete" && (` + then + `)`)
	u.clean()
}

// until waits until script is true. It asks ever more rarely, since each time takes several processes of the browser.
func (u *user) until(script string) {
	u.t.Helper()
	end := time.Now().Add(time.Minute)
	for wait := 20 * time.Millisecond; u.p.Text(script) != "true"; wait = min(2*wait, 200*time.Millisecond) {
		if time.Now().After(end) {
			u.t.Fatalf("not true after a minute on %s: %s\n%s", u.p.Text("location.href"), script, u.p.Text("document.body.innerText"))
		}
		time.Sleep(wait)
	}
}

// archive writes a zip file with files of the samples.
func archive(t *testing.T, name string, members map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(members[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// mainPath creates the first administrator, a collection and a check, decides, gives a verdict, a
// notice to the student and a link to the check, and signs out. It returns the paths of the links.
func (u *user) mainPath() (link, student string) {
	t := u.t
	u.open("/link?secret=" + u.s.link)
	u.fill("login", "jana", "name", plantedName, "password", testPassword, "again", testPassword)
	u.send("/link", `location.pathname === "/check"`)
	u.open("/collections")
	u.fill("name", plantedName)
	u.send("/collections", `location.pathname.startsWith("/collections/")`)
	collection := u.p.Text("location.pathname")
	members := sampleSources(t)
	members["broken.pdf"] = "%PDF-1.7 and no more"
	u.p.Attach("#file", archive(t, "theses.zip", members))
	u.send(collection+"/add", `true`)
	u.until(`document.querySelector("#live .state.done") !== null`) // by the script of the page
	u.open(collection)
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, "8 documents") || !strings.Contains(got, "dyk-krysar.txt") || !strings.Contains(got, "1\n") {
		t.Errorf("the collection shows %s", got)
	}
	u.open("/check")
	u.fill("label", plantedName)
	u.p.Attach("#file", archive(t, "class.zip", map[string]string{"essay.txt": sample(t, "suspects/czech-essay.txt"), "<b>.txt": plantedName + " " + sample(t, "suspects/california-code-1851.txt")}))
	u.send("/check", `location.pathname.startsWith("/submissions/")`)
	u.until(`document.querySelectorAll("#live .state.done").length === 2`)
	u.open("/checks?sort=-score")
	u.open(u.p.Text(`[...document.querySelectorAll(".name > a")].find((a) => a.textContent.includes("essay")).getAttribute("href")`))
	record := u.p.Text("location.pathname")
	before := u.p.Text(`document.querySelector(".big b").textContent`)
	u.open(record + "/report")
	u.p.Eval(`document.querySelector('[data-do="exclude-row"]').click(); document.querySelector('#decide button[value="ok"]').click()`, nil)
	u.until(`document.getElementById("review-state").textContent === "Stored on the server."`)
	left := u.p.Text(`document.querySelector(".score [data-percent]").textContent`)
	u.open(record + "/report")
	if got := u.p.Text(`document.querySelector(".score [data-percent]").textContent`); got != left || left == before {
		t.Errorf("score %s, after a decision %s, after loading again %s", before, left, got)
	}
	u.judge(record)
	u.remark(record)
	u.open(record)
	u.fill("verdict", "minor", "comment", plantedName)
	u.send(record+"/verdict", `document.querySelector(".given").innerText.includes("minor")`)
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, left) || !strings.Contains(got, before) || !strings.Contains(got, plantedName) {
		t.Errorf("the record lacks the scores %s and %s, or the comment: %s", before, left, got)
	}
	u.fillIn(".case", "for", plantedName, "text", plantedName)
	u.send(record+"/notices", `document.querySelector(".copy") !== null`)
	student = u.p.Text(`new URL(document.querySelector(".copy").value).pathname`)
	u.state(student, record)
	u.p.Print(true)
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, before) || !strings.Contains(got, "It is quoted.") || strings.Contains(got, "Delete the check") {
		t.Errorf("the printed record lacks the score %s or the statement, or has a form: %s", before, got)
	}
	u.p.Print(false)
	if pdf := u.p.PDF(); len(pdf) < 1000 {
		t.Errorf("the record prints as %d bytes", len(pdf))
	}
	u.fillIn("#links", "for", plantedName, "days", "3")
	u.send(record+"/links", `document.querySelector(".copy") !== null`)
	link = u.p.Text(`new URL(document.querySelector(".copy").value).pathname`)
	u.course()
	u.document(collection)
	u.open("/users")
	u.fill("login", "petr", "name", plantedName)
	u.send("/users", `document.querySelector(".copy") !== null`)
	u.open(u.p.Text(`[...document.querySelectorAll(".name a")].at(-1).getAttribute("href")`))
	u.fill("mail", "petr@example.org")
	u.send(u.p.Text("location.pathname"), `location.pathname === "/users" && document.body.innerText.includes("petr@example.org")`)
	for _, path := range []string{"/audit", "/tokens", "/checks?q=class&verdict=minor", record + "/report"} {
		u.open(path)
	}
	u.open("/checks")
	u.send("/sign-out", `location.pathname === "/sign-in"`)
	u.open("/checks")
	if got := u.p.Text("location.pathname"); got != "/sign-in" {
		t.Errorf("signed out, the checks are at %s", got)
	}
	u.committee(link, left)
	return link, student
}

// document sets the author of a document that the essay copies, clears it, and looks for the checks that found it.
func (u *user) document(collection string) {
	u.t.Helper()
	page := collection + "/document?name=" + url.QueryEscape("dyk-krysar.txt")
	for _, author := range []string{plantedName, ""} {
		u.open(page)
		u.fill("author", author)
		u.send(collection+"/document", `location.pathname === "`+collection+`"`)
		u.until(`document.querySelector("#live .state.queued, #live .state.running") === null`)
		u.open(page)
		if got := u.p.Text(`document.querySelector('[name="author"]').value`); got != author {
			u.t.Errorf("the author is %q, want %q", got, author)
		}
	}
	u.open(page + "&checks=1")
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, "essay.txt") || !strings.Contains(got, "Krysař") || !strings.Contains(got, "cs") {
		u.t.Errorf("the page of a document shows %s", got)
	}
}

// judge gives a verdict in the report, and goes to the next text and back.
func (u *user) judge(record string) {
	u.t.Helper()
	u.p.Eval(`document.getElementById("home-verdict").value = "serious"; document.getElementById("home-comment").value = "In the report."; document.querySelector("#judge button").click()`, nil)
	u.until(`document.getElementById("judged").textContent.includes("is stored")`)
	u.clean()
	beside := u.p.Text(`document.querySelector('.beside-texts a').getAttribute("href")`)
	u.open(beside)
	if back := u.p.Text(`document.querySelector('.beside-texts a').getAttribute("href")`); back != record+"/report" || beside == back {
		u.t.Errorf("the text beside %s leads to %s", beside, back)
	}
	u.open(record + "/report")
	if got := u.p.Text(`document.getElementById("home-verdict").value + document.getElementById("home-comment").value`); got != "seriousIn the report." {
		u.t.Errorf("the report has the verdict %s", got)
	}
}

// remark comments on the first passage of a report by keyboard, looks at the mark in the text, and at the comment on the record.
func (u *user) remark(record string) {
	u.t.Helper()
	u.open(record + "/report")
	u.p.Press("n", "c")
	u.until(`document.getElementById("remark-box").open && document.getElementById("remark-words").value.length > 20 && document.activeElement.id === "remark-text"`)
	for _, key := range "Cite it" {
		u.p.Press(string(key))
	}
	u.p.Press("Tab", "Tab", "Enter")
	u.until(`!document.getElementById("remark-box").open`)
	u.clean()
	if got := u.p.Text(`document.querySelector("#suspect-text .chip.note").ariaLabel + document.querySelectorAll("#suspect-text .remarked").length`); !strings.HasPrefix(got, "Comment 1") || strings.HasSuffix(got, "10") {
		u.t.Errorf("the text has the mark %s", got)
	}
	u.p.Eval(`document.querySelector("#remark-list button").click()`, nil)
	if got := u.p.Text(`document.activeElement.dataset.do`); got != "show-remark" {
		u.t.Errorf("the comment leads to %s, want its mark in the text", got)
	}
	u.p.Eval(`document.querySelector('[data-do="remark"]').click(); document.getElementById("remark-words").value = "words that are not there"; document.getElementById("remark-text").value = "x"; document.querySelector("#remark button").click()`, nil)
	u.until(`document.getElementById("remark-wrong").textContent.includes("does not have these words")`)
	u.p.Errors = nil // the status is an error
	u.open(record)
	if got := u.p.Text(`document.getElementById("remarks").innerText`); !strings.Contains(got, "Cite it") || !strings.Contains(got, "for reviewers only") {
		u.t.Errorf("the record has the comments %s", got)
	}
}

// state writes the statement of the student by his link, and opens the record, which shows it.
func (u *user) state(link, record string) {
	u.t.Helper()
	u.open(link)
	u.fill("text", "It is quoted. "+plantedName)
	u.send(link+"/statement", `document.querySelector("main").innerText.includes("It is quoted.")`)
	u.open(record)
	if got := u.p.Text(`document.querySelector(".case").innerText`); !strings.Contains(got, "It is quoted. "+plantedName) {
		u.t.Errorf("the record lacks the statement: %s", got)
	}
}

// course creates a course and adds texts, leaves one of them out, and checks them before the date.
func (u *user) course() {
	u.open("/courses")
	u.fill("name", plantedName)
	u.send("/courses", `location.pathname.startsWith("/courses/")`)
	course := u.p.Text("location.pathname")
	essay := sample(u.t, "suspects/czech-essay.txt")
	u.p.Attach("#file", archive(u.t, "first.zip", map[string]string{"first.txt": essay[:2000]}), archive(u.t, "more.zip", map[string]string{"more.txt": essay}))
	u.send(course+"/texts", `document.querySelectorAll(".state.waiting").length === 2`)
	u.until(`document.querySelector("#live[data-refresh]") === null && document.querySelector("main").innerText.includes("more.zip!/more.txt")`)
	u.p.Eval(`document.querySelectorAll('[name="counts"]')[1].checked = false`, nil)
	u.send(course+"/choice", `document.querySelectorAll(".state.waiting").length === 1`)
	u.send(course+"/check", "true")
	u.until(`document.querySelectorAll("#live tbody .state.done").length === 1`)
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, "collects texts") || !strings.Contains(got, "first.txt") || !strings.Contains(got, "does not count") {
		u.t.Errorf("the course shows %s", got)
	}
}

// committee opens a record and its report by a link, without an account: it can try settings of the
// report and not store them.
func (u *user) committee(link, score string) {
	u.open(link)
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, score) || !strings.Contains(got, plantedName) {
		u.t.Errorf("the record by a link lacks the score %s or the comment: %s", score, got)
	}
	if got := u.p.Text(`document.querySelectorAll("main form, .menu a").length`); got != "0" {
		u.t.Errorf("the record by a link has %s forms and links of the menu, want none", got)
	}
	u.p.Visit(u.s.address + u.p.Text(`document.querySelector("a.main").getAttribute("href")`))
	u.p.Eval(`document.querySelector('[data-do="exclude-row"]').click(); document.querySelector('#decide button[value="ok"]').click(); dispatchEvent(new Event("focus"))`, nil)
	u.until(`document.querySelector(".score [data-percent]").textContent !== "` + score + `"`)
	u.open(link + "/report")
	if got := u.p.Text(`document.querySelector(".score [data-percent]").textContent`); got != score {
		u.t.Errorf("the committee changed the score from %s to %s", score, got)
	}
	u.p.Visit(u.s.address + "/shared/AAAAAAAAAAAAAAAAAAAAAAAAAA")
	if got := u.p.Text(`document.querySelector("main").innerText`); !strings.Contains(got, "Ask the person who sent it") {
		u.t.Errorf("a guessed link shows %s", got)
	}
	u.p.Errors = nil // the status is an error
}

func (u *user) signIn() {
	u.t.Helper()
	u.open("/sign-in")
	u.fill("login", "jana", "password", testPassword)
	u.send("/sign-in", `location.pathname === "/check"`)
}

// accessible runs axe-core over every page, wide or narrow, light or dark in turn, and with OTISK_TEST_LONG both wide and
// narrow.
func (u *user) accessible() {
	audit := func(path string) {
		u.t.Helper()
		u.open(path)
		u.audit()
	}
	audit("/sign-in")
	audit(u.shared)
	audit(u.student)
	u.signIn()
	u.open("/collections")
	collection := u.p.Text(`document.querySelector(".name a").getAttribute("href")`)
	u.open("/courses")
	course := u.p.Text(`document.querySelector(".name a").getAttribute("href")`)
	u.open("/checks?q=class")
	record := u.p.Text(`document.querySelector(".name a").getAttribute("href")`)
	u.open("/users")
	person := u.p.Text(`[...document.querySelectorAll(".name a")].at(-1).getAttribute("href")`)
	for i, path := range []string{"/check", "/checks", record, record + "/report", "/courses", course, course + "/pairs", "/collections", collection, collection + "/document?name=dyk-krysar.txt", "/presets", "/users", person, "/audit", "/tokens", "/webhooks", "/platforms", "/integrations", "/account", "/help?at=record", "/unknown"} {
		u.p.Dark(i%4 > 1)
		u.p.Size(1200, 900)
		if path == "/unknown" {
			u.p.Visit(u.s.address + path)
			u.p.Errors = nil // the status is an error
			continue
		}
		u.open(path)
		if i%2 == 0 || need.All() {
			u.audit()
		}
		u.p.Size(360, 740)
		if i%2 == 1 || need.All() {
			u.audit()
		}
		u.narrow(path)
	}
	u.p.Size(1200, 900)
	u.open("/check")
	u.send("/sign-out", "true")
}

// narrow opens a page on a phone in German, which has the longest words, and expects it to be as wide as the screen, and small.
func (u *user) narrow(path string) {
	u.t.Helper()
	tags := []string{"de"}
	if need.All() {
		tags = append(tags, "cs")
	}
	for _, tag := range tags {
		in := "?"
		if strings.Contains(path, "?") {
			in = "&"
		}
		u.open(path + in + "lang=" + tag)
		if got := u.p.Text(`document.documentElement.scrollWidth`); got != "360" {
			u.t.Errorf("%s in %s is %s pixels wide on a phone of 360", path, tag, got)
		}
		if size := u.p.Text(`performance.getEntriesByType("navigation")[0].decodedBodySize < 100_000`); size != "true" && !strings.HasSuffix(path, "/report") {
			u.t.Errorf("%s in %s has more than 100 kB", path, tag)
		}
	}
}

// audit runs axe-core over the page that is open.
func (u *user) audit() {
	u.t.Helper()
	path := u.p.Text("location.pathname")
	for _, f := range u.p.Violations() {
		u.t.Errorf("%s: %s", path, f)
	}
	if wide := u.p.Text(`document.documentElement.scrollWidth > innerWidth`); wide == "true" {
		u.t.Errorf("%s is wider than the screen", path)
	}
}

// keyboard signs in, opens a report and signs out by keys only.
func (u *user) keyboard() {
	u.open("/sign-in")
	u.until(`document.activeElement.name === "login"`) // the browser moves the focus there after it has loaded the page
	u.p.Press(keysOf("jana")...)
	u.p.Press("Tab")
	u.p.Press(keysOf(testPassword)...)
	u.p.Press("Enter")
	u.until(`location.pathname === "/check"`)
	u.tabTo(`document.activeElement.getAttribute("href") === "/checks"`)
	u.p.Press("Enter")
	u.until(`location.pathname === "/checks"`)
	u.tabTo(`(document.activeElement.getAttribute("href") || "").endsWith("/report")`)
	u.p.Press("Enter")
	u.until(`location.pathname.endsWith("/report") && document.readyState === "complete"`)
	u.tabTo(`document.activeElement.classList.contains("brand")`)
	u.p.Press("Enter")
	u.until(`document.querySelector("footer.site") !== null`)
	u.tabTo(`document.activeElement.closest("form.who button") !== null`)
	u.p.Press("Enter")
	u.until(`location.pathname === "/sign-in"`)
}

// twoReaders stores a decision while the page of another reader is open: both count.
func (u *user) twoReaders() {
	u.signIn()
	u.open("/checks?q=essay")
	report := u.p.Text(`document.querySelector(".name small a").getAttribute("href")`)
	u.open(report)
	u.p.Eval(`(async () => {
		const address = location.pathname.replace("report", "decisions"), stored = await fetch(address), d = await stored.json();
		d.filter.passage_words = 9;
		const answer = await fetch(address, {method: "PUT", headers: {"If-Match": stored.headers.get("ETag")}, body: JSON.stringify(d)});
		if (!answer.ok) throw new Error(answer.status);
		document.getElementById("grade-2").click();
	})()`, nil)
	u.until(`document.getElementById("review-state").textContent === "Stored on the server."`)
	u.p.Errors = nil // the answer about the conflict is an error
	u.open(report)
	if got := u.p.Text(`document.getElementById("passage-words").value + " " + document.getElementById("grade-2").checked`); got != "9 false" {
		u.t.Errorf("the decisions of both readers: %s, want 9 false", got)
	}
	u.open("/check")
	u.send("/sign-out", "true")
}

func keysOf(text string) []string { return strings.Split(text, "") }

// tabTo presses Tab until script is true.
func (u *user) tabTo(script string) {
	u.t.Helper()
	for range 60 {
		u.p.Press("Tab")
		if u.p.Text(script) == "true" {
			return
		}
	}
	u.t.Fatalf("no Tab leads there on %s: %s", u.p.Text("location.href"), script)
}

// czech chooses Czech on the page for signing in, and every page is in Czech.
func (u *user) czech() {
	u.open("/sign-in")
	u.p.Eval(`window.left = true; document.querySelector('[lang="cs"]').click()`, nil)
	u.until(`typeof left === "undefined" && document.readyState === "complete" && document.documentElement.lang === "cs"`)
	u.signIn()
	u.open("/checks")
	report := u.p.Text(`document.querySelector(".name small a").getAttribute("href")`)
	for path, want := range map[string]string{"/check": "Soubory ke kontrole", "/checks": "Míra shody", "/collections": "Nová sbírka", "/courses": "Nový kurz", "/users": "Pozvat uživatele", "/audit": "vytvoření sbírky", "/tokens": "Nový token"} {
		var got string // read and not opened: opening a page takes a tenth of a second of CPU
		u.p.Eval(`fetch("`+path+`").then((r) => r.text()).then((page) => {
			const body = new DOMParser().parseFromString(page, "text/html").body;
			body.querySelectorAll("script, style, template").forEach((x) => x.remove());
			return body.textContent;
		})`, &got)
		if !strings.Contains(got, want) {
			u.t.Errorf("%s in Czech lacks %q: %s", path, want, got)
		}
	}
	u.open(report)
	if got := u.p.Text(`document.body.innerText`); !strings.Contains(got, "Míra shody") {
		u.t.Errorf("the report in Czech lacks %q: %s", "Míra shody", got)
	}
}
