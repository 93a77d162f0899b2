package pages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// TestCourseForms creates and changes a course by its forms, and chooses which texts count. A reader
// sees the texts and no forms, and names are no markup.
func TestCourseForms(t *testing.T) {
	t.Parallel()
	const planted = `"><script>alert(1)</script>`
	s := newTestSite(t)
	ctx := t.Context()
	collection, _, _ := s.queued("2026")
	session := s.sessions[accounts.Administrator]
	form := url.Values{"name": {planted}, "ends": {"2999-12-01T12:30"}, "rise": {"7,5"}, "collection": {collection}, "among": {"1"}, "exclude": {"quotation"}}
	w := s.ask("POST", "/courses", session, form)
	path := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(path, "/courses/") {
		t.Fatalf("creating a course: %d to %q", w.Code, path)
	}
	id := strings.TrimPrefix(path, "/courses/")
	u, err := s.desk.Receive(ctx, s.admin, accounts.CheckTexts, "a.txt", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	texts, err := s.desk.HandIn(ctx, s.admin, id, "", []*desk.Upload{u})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"/courses", path, "/audit"} {
		if got := s.ask("GET", page, session, nil).Body.String(); strings.Contains(got, "<script>alert") || !strings.Contains(got, "script&gt;alert(1)") {
			t.Errorf("%s shows the name as markup, or not at all", page)
		}
	}
	page := s.ask("GET", path, session, nil).Body.String()
	for _, want := range []string{`id="files-about" data-part>They wait until the date`, "waits for the date", `value="2999-12-01T12:30"`, `value="7.5"`, "Check now", `name="counts" value="` + texts[0] + `" checked`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the course lacks %q:\n%s", want, page)
		}
	}
	if w := s.ask("GET", "/submissions/"+id, session, nil); w.Header().Get("Location") != path {
		t.Errorf("the page of the submission leads to %q, want %s", w.Header().Get("Location"), path)
	}
	s.ask("POST", path+"/choice", session, url.Values{"text": {texts[0]}})
	s.ask("POST", path, session, url.Values{"name": {"Essays"}, "ends": {"2999-12-02T12:30:00"}})
	c, checks, err := s.desk.Course(ctx, s.admin, id)
	if err != nil || c.Name != "Essays" || !c.Ends.Equal(time.Date(2999, 12, 2, 12, 30, 0, 0, time.Local)) || c.Rise != 10 || c.Counting != 0 || checks[0].Counts || !c.Among {
		t.Errorf("the course is %+v with %+v, %v", c, checks, err)
	}
	reader := s.ask("GET", path, s.user(accounts.Reader, "reader", ""), nil).Body.String()
	if strings.Contains(reader, `action="`+path) || !strings.Contains(reader, "does not count") || strings.Contains(reader, "<button>") || strings.Contains(reader, `type="checkbox"`) {
		t.Errorf("a reader sees forms:\n%s", reader)
	}
	for _, wrong := range []url.Values{{"name": {"x"}, "ends": {"tomorrow"}, "collection": {collection}}, {"name": {"x"}, "ends": {""}, "collection": {collection}}, {"name": {"x"}, "ends": {"2999-12-01T12:30"}}, {"name": {"x"}, "ends": {"2999-12-01T12:30"}, "rise": {"much"}, "collection": {collection}}} {
		if w := s.ask("POST", "/courses", session, wrong); w.Code != http.StatusBadRequest && w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d, want it refused", wrong, w.Code)
		}
	}
}

// TestRise: the record of a text and the page of a committee show by how much a check raised its score,
// with the dates of both checks.
func TestRise(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	_, _, check := s.queued("2026")
	s.finish(check)
	at := func(day int) int64 { return time.Date(2026, 12, day, 12, 30, 0, 0, time.Local).UnixMilli() }
	add := func(day int, score float64) {
		s.change(`INSERT INTO check_scores (check_id, at, score) VALUES (?, ?, ?)`, check, at(day), score)
	}
	pages := func() []string {
		session := s.sessions[accounts.Administrator]
		return []string{s.ask("GET", "/checks/"+check, session, nil).Body.String(), s.ask("GET", s.share(check, "Committee"), "", nil).Body.String()}
	}
	add(1, 12.5)
	for _, page := range pages() {
		if strings.Contains(page, "raised") || strings.Contains(page, "12.5") {
			t.Errorf("a rise after one check:\n%s", page)
		}
	}
	add(3, 40)
	for _, page := range pages() {
		if !strings.Contains(page, "The check of 3 December 2026 12:30 raised the score from 12.5% (1 December 2026 12:30) to 40.0%.") {
			t.Errorf("no rise:\n%s", page)
		}
	}
	add(5, 20)
	for _, page := range pages() {
		if strings.Contains(page, "raised the score") || !strings.Contains(page, "5 December 2026 12:30: 20") || !strings.Contains(page, "3 December 2026 12:30: 40") {
			t.Errorf("after a fall:\n%s", page)
		}
	}
}

// TestPairs: a course leads to the pairs of its texts. They follow decisions, and a text that does not count
// is in none. Reports of an earlier version are read once.
func TestPairs(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	collection, _, _ := s.queued("2026")
	admin := s.sessions[accounts.Administrator]
	course, err := s.desk.NewCourse(t.Context(), s.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}, Among: true})
	if err != nil {
		t.Fatal(err)
	}
	var uploads []*desk.Upload
	for _, name := range []string{"anna.txt", "<b>jan.txt", "eva.txt"} {
		u, err := s.desk.Receive(t.Context(), s.admin, accounts.CheckTexts, name, strings.NewReader("some words"))
		if err != nil {
			t.Fatal(err)
		}
		uploads = append(uploads, u)
	}
	ids, err := s.desk.HandIn(t.Context(), s.admin, course, "", uploads)
	if err != nil {
		t.Fatal(err)
	}
	text := "one two three four five six seven eight nine ten"
	doc := []string{"0123456789abcdef", "1123456789abcdef", "2123456789abcdef"}
	for i, shares := range [][]int{{1}, {0}, nil} {
		r := &report.Report{Result: search.Result{Suspect: search.Suspect{ID: doc[i], Path: uploads[i].Name, Text: text, Bytes: len(text), Runes: len(text), Words: 10, Paragraphs: 1, NewLine: "true"}}}
		for _, other := range shares {
			span := search.Span{Start: 0, End: len(text)}
			r.Sources = []search.Source{{ID: doc[other], Name: uploads[other].Name, Among: true}, {ID: "3123456789abcdef", Name: "t.pdf", Title: "<b>Master thesis"}}
			for i := range r.Sources {
				r.Passages = append(r.Passages, search.Passage{Number: i + 1, Source: i, Suspect: span, Origin: span, Words: 10, Matched: 10, Run: 10, Grade: search.Verbatim})
			}
		}
		s.store(ids[i], r)
	}
	path := "/courses/" + course + "/pairs"
	if page := s.ask("GET", "/courses/"+course, admin, nil).Body.String(); !strings.Contains(page, `href="`+path+`"`) {
		t.Errorf("the course does not lead to its pairs:\n%s", page)
	}
	row := `<tr><td class="name"><a href="/checks/` + ids[0] + `/report"><bdi>anna.txt</bdi></a></td><td class="name"><a href="/checks/` + ids[1] + `/report"><bdi>&lt;b&gt;jan.txt</bdi></a></td><td class="number">10</td><td class="number">100.0%</td><td class="number">100.0%</td>`
	source := `<td class="title"><bdi>&lt;b&gt;Master thesis</bdi><small>Of the first: 10 words</small><small>Of the second: 10 words</small></td>`
	for range 2 { // computed, and stored
		page := s.ask("GET", path, admin, nil).Body.String()
		for _, want := range []string{row, source, `<a href="/courses/` + course + `"><bdi>Essays</bdi></a>`, "1 of 1 pairs", "Group of 2 texts:<ol><li>"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of pairs lacks %q:\n%s", want, page)
			}
		}
		if strings.Count(page, `<td class="title">`) != 1 || strings.Contains(page, "<b>jan") || strings.Contains(page, "<b>Master") {
			t.Errorf("the page has %d pairs, or a name as markup", strings.Count(page, `<td class="title">`))
		}
	}
	for query, want := range map[string]int{"?q=ANNA": 1, "?q=anna+jan": 1, "?q=eva": 0, "?least=100": 1, "?least=100,5": 1, "?all=1&sort=other": 1, "?sort=none&page=9": 1} {
		if got := strings.Count(s.ask("GET", path+query, admin, nil).Body.String(), `<td class="title">`); got != want {
			t.Errorf("%s has %d pairs, want %d", query, got, want)
		}
	}
	beside := path + "/" + ids[0] + "/" + ids[1]
	page := s.ask("GET", beside, admin, nil).Body.String()
	for _, want := range []string{`<a class="place" href="#b1" id="a1">` + text + `</a>`, `<a class="place" href="#a1" id="b1">`, "10 words are in both", "&lt;b&gt;jan.txt", `href="?most=1"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of two texts lacks %q:\n%s", want, page)
		}
	}
	if page := s.ask("GET", path, admin, nil).Body.String(); !strings.Contains(page, `href="`+beside+`"`) {
		t.Errorf("the pairs do not lead to %s:\n%s", beside, page)
	}
	for _, wrong := range []string{path + "/" + ids[0] + "/" + ids[0], path + "/" + ids[0] + "/none", "/courses/none/pairs/" + ids[0] + "/" + ids[1]} {
		if w := s.ask("GET", wrong, admin, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want not found", wrong, w.Code)
		}
	}
	other, err := s.desk.NewGroup(t.Context(), s.admin, "Other")
	if err != nil {
		t.Fatal(err)
	}
	stranger := s.user(accounts.Reader, "stranger", other)
	for _, page := range []string{path, beside} {
		if w := s.ask("GET", page, stranger, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s for another group: %d, want not found", page, w.Code)
		}
	}
	for i := range 2 { // decisions leave out each the other
		d := report.Decisions{Kind: "decisions", Format: report.Version, Sources: []report.SourceDecision{{ID: doc[1-i], Name: "x", Reason: "own"}}}
		d.Suspect.Bytes, d.Suspect.Words = len(text), 10
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.desk.Decide(t.Context(), s.admin, ids[i], -1, data); err != nil {
			t.Fatal(err)
		}
	}
	if page := s.ask("GET", path, admin, nil).Body.String(); !strings.Contains(page, "none shares anything") {
		t.Errorf("pairs after the decisions:\n%s", page)
	}
	s.change(`UPDATE checks SET state = 'failed' WHERE id = ?`, ids[2])
	if page := s.ask("GET", path, admin, nil).Body.String(); !strings.Contains(page, "<b>1 of 3 texts has no report.</b>") {
		t.Errorf("the pairs with a text that failed:\n%s", page)
	}
	if err := s.desk.Choose(t.Context(), s.admin, course, map[string]bool{ids[2]: false}); err != nil {
		t.Fatal(err)
	}
	if page := s.ask("GET", path, admin, nil).Body.String(); strings.Contains(page, "eva.txt") {
		t.Error("a text that does not count is in the overview")
	}
}

// TestPairsOfMany: of a class of 300 in which every two share a declaration, with 30 sources of each, the page lists the pairs that
// share most. It is below 100 kB in each language, also with the declaration, and follows to all 44,850 pairs.
func TestPairsOfMany(t *testing.T) {
	t.Parallel()
	const class = 300
	s := newTestSite(t)
	collection, _, _ := s.queued("2026")
	course, err := s.desk.NewCourse(t.Context(), s.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}, Among: true})
	if err != nil {
		t.Fatal(err)
	}
	name := func(i int) string { return fmt.Sprintf("text%03d", i) }
	file := func(i int) string { return "Seminar 2026.zip!/Nováková Jana/" + name(i) + ".txt" }
	for i := range class {
		in := report.Sharing{ID: name(i)}
		for other := range class {
			if other == i {
				continue
			}
			share := report.Share{ID: name(other), Shared: report.Shared{Words: 20, Percent: 2}}
			if i/2 == other/2 {
				share.Words, share.Rest = 300, report.Shared{Words: 280, Percent: 28}
			}
			in.Shares = append(in.Shares, share)
		}
		for source := range 30 {
			in.Outside = append(in.Outside, report.Outside{ID: fmt.Sprint(i, source), Name: strings.Repeat("Příliš žluťoučký kůň ", 20), Words: 100 - source})
		}
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		s.change(`INSERT INTO checks (id, submission_id, job_id, file, name, path, folded, size, state, created, finished, words, overview) SELECT ?, id, job_id, ?, ?, ?, '', 1, 'done', 0, 1, 1000, ? FROM courses WHERE id = ?`, name(i), name(i), name(i), file(i), string(data), course)
	}
	path := "/courses/" + course + "/pairs"
	session := s.sessions[accounts.Administrator]
	for _, query := range []string{"?", "?all=1&page=2&sort=name&"} {
		for _, tag := range []string{"cs", "de", "en", "sk"} {
			page := s.ask("GET", path+query+"lang="+tag, session, nil).Body.String()
			if n := strings.Count(page, `<td class="title">`); n != pairRows || len(page) > 100_000 {
				t.Errorf("%s in %s: %d pairs in %d bytes, want %d in at most 100,000", query, tag, n, len(page), pairRows)
			}
		}
	}
	seen := ""
	for page := range (class/2 + pairRows - 1) / pairRows {
		seen += s.ask("GET", fmt.Sprintf("%s?page=%d", path, page+1), session, nil).Body.String()
	}
	for i := 0; i < class; i += 2 {
		if !strings.Contains(seen, `/pairs/`+name(i)+`/`+name(i+1)+`"`) {
			t.Errorf("the pair of %s is missing", name(i))
		}
	}
	if page := s.ask("GET", path+"?all=1&least=0", session, nil).Body.String(); !strings.Contains(page, "44,850 of 44,850 pairs") || !strings.Contains(page, "and 280 more texts") {
		t.Errorf("all pairs: %.3000s", page)
	}
}

// TestLargeCourse: the page of a course or an upload of 300 texts is below 100 kB in each language, and all texts are on one of its pages.
// So are the other pages with them.
func TestLargeCourse(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	collection, submission, check := s.queued("2026")
	for i := range 299 {
		s.change(`INSERT INTO checks (id, submission_id, job_id, file, name, path, size, state, words, score, created) SELECT substr(id, 1, 20) || ?, submission_id, job_id, file, name, ?, size, 'done', 3000, 12.5, created FROM checks WHERE id = ?`,
			fmt.Sprintf("copy%02d", i), fmt.Sprintf("Seminar 2026.zip!/Nováková Jana/student%03d.txt", i), check)
	}
	s.change(`UPDATE checks SET flags = 12, verbatim = 1234, edited = 1234, reworded = 1234, quoted_cited = 1234, quoted = 1234, cited = 1234, neither = 1234`)
	session := s.sessions[accounts.Administrator]
	look := func(path string) {
		t.Helper()
		seen := map[string]bool{}
		for page := 1; page <= 4; page++ {
			for _, tag := range []string{"cs", "de", "en", "sk"} {
				body := s.ask("GET", fmt.Sprintf("%s?page=%d&lang=%s", path, page, tag), session, nil).Body.String()
				if len(body) > 100_000 {
					t.Errorf("page %d of %s in %s has %d bytes, want at most 100,000", page, path, tag, len(body))
				}
				for _, row := range strings.Split(body, `<td class="name"><a href="/checks/`)[1:] {
					id, _, _ := strings.Cut(row, `"`)
					seen[id] = true
				}
			}
		}
		if len(seen) != 300 {
			t.Errorf("the pages of %s have %d texts, want 300", path, len(seen))
		}
		last := strings.Count(s.ask("GET", path+"?page=4", session, nil).Body.String(), "<tr>")
		if got := strings.Count(s.ask("GET", path+"?page=99", session, nil).Body.String(), "<tr>"); got != last || last < 50 {
			t.Errorf("page 99 of %s has %d rows, want the %d of the last", path, got, last)
		}
	}
	look("/submissions/" + submission)
	s.change(`INSERT INTO courses (id, group_id, job_id, name, ends, rise) SELECT s.id, group_id, c.job_id, 'Class', 1, 10 FROM submissions s JOIN checks c ON c.id = ? WHERE s.id = ?`, check, submission)
	look("/courses/" + submission)
	for _, path := range []string{"/checks", "/checks/" + check, "/courses", "/courses/" + submission + "/pairs", "/collections", "/collections/" + collection, "/audit", "/users", "/help"} {
		for _, tag := range []string{"cs", "de", "en", "sk"} {
			if body := s.ask("GET", path+"?lang="+tag, session, nil).Body; body.Len() > 100_000 {
				t.Errorf("%s in %s has %d bytes, want at most 100,000", path, tag, body.Len())
			}
		}
	}
}
