package pages

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
)

// finish records a report on a check, as a worker does.
func (s *testSite) finish(check string) {
	s.t.Helper()
	s.store(check, &report.Report{Result: search.Result{Suspect: search.Suspect{Path: "essay.txt", Text: "some words", Bytes: 10, Runes: 10, Words: 2, Paragraphs: 1, NewLine: "true"}}})
}

// store records a report on a check.
func (s *testSite) store(check string, r *report.Report) {
	s.t.Helper()
	r.Score = search.Score{Words: r.Suspect.Words}
	report.IncludeSelf(r)
	var b bytes.Buffer
	if err := report.Write(&b, "json", r, report.Options{}); err != nil {
		s.t.Fatal(err)
	}
	if err := s.folder.Shelf(storage.Reports).Put(s.t.Context(), check+".json", func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
		s.t.Fatal(err)
	}
	s.change(`UPDATE checks SET state = 'done', reported = 1, words = ?, sources = ?, found = ?, score = ? WHERE id = ?`, r.Suspect.Words, len(r.Sources), r.Score.Percent, r.Score.Percent, check)
}

// change executes a statement of SQL.
func (s *testSite) change(query string, args ...any) {
	s.t.Helper()
	err := s.folder.Write(s.t.Context(), func(tx *storage.Tx) { tx.Exec(query, args...) })
	if err != nil {
		s.t.Fatal(err)
	}
}

var linkAddress = regexp.MustCompile(`value="http://otisk.example(/shared/[A-Z2-7]+)"`)

// share creates a link by the form of the record, and returns its path.
func (s *testSite) share(check, recipient string) string {
	s.t.Helper()
	w := s.ask("POST", "/checks/"+check+"/links", s.sessions[accounts.Administrator], url.Values{"for": {recipient}, "days": {"7"}})
	m := linkAddress.FindStringSubmatch(w.Body.String())
	if m == nil {
		s.t.Fatalf("no link on the record: %d %s", w.Code, w.Body)
	}
	return m[1]
}

// TestSharedPages: a link opens the record and the report without a session and nothing else, and
// stores nothing. Links that expired, were revoked or never existed look alike.
func TestSharedPages(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	_, submission, check := s.queued("2026")
	s.finish(check)
	const planted = `<script>alert(1)</script>`
	link := s.share(check, planted)
	page := s.ask("GET", link, "", nil)
	if body := page.Body.String(); page.Code != http.StatusOK || !strings.Contains(body, "essay.txt") || !strings.Contains(body, "script&gt;alert(1)") || strings.Contains(body, planted) || strings.Contains(body, "<textarea") {
		t.Errorf("%s: %d %s, want the record without forms", link, page.Code, body)
	}
	if h := page.Header(); h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Robots-Tag") != "noindex" || h.Get("Cache-Control") != "no-store" || h.Get("Set-Cookie") != "" {
		t.Errorf("headers %v, want no referrer, index, store or cookie", h)
	}
	opened := s.ask("GET", link+"/report", "", nil)
	if body := opened.Body.String(); opened.Code != http.StatusOK || !strings.Contains(body, `"fixed":true`) || strings.Contains(body, "/decisions") {
		t.Errorf("the report by a link: %d, want one that stores no decisions", opened.Code)
	}
	secret := strings.TrimPrefix(link, "/shared/")
	for _, path := range []string{"/checks/" + check, "/checks/" + check + "/report", "/checks/" + check + "/decisions", "/submissions/" + submission, "/checks"} {
		if w := s.ask("GET", path, secret, nil); w.Code != http.StatusSeeOther {
			t.Errorf("GET %s with the secret as a session: %d, want the page for signing in", path, w.Code)
		}
		if w := s.ask("GET", link+strings.TrimPrefix(path, "/checks"), "", nil); w.Code != http.StatusNotFound && path != "/checks" {
			t.Errorf("GET %s: %d, want not found", link+path, w.Code)
		}
	}
	for _, request := range []string{"PUT " + link + "/decisions", "PUT " + link + "/report", "POST " + link + "/verdict", "POST " + link, "GET /link?secret=" + secret} {
		method, path, _ := strings.Cut(request, " ")
		if w := s.ask(method, path, "", nil, "If-Match", `"0"`); w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d, want refused", request, w.Code)
		}
	}
	revoked := s.share(check, "Dean")
	record := s.ask("GET", "/checks/"+check, s.sessions[accounts.Administrator], nil).Body.String()
	forms := regexp.MustCompile(`/checks/`+check+`/links/\w+/revoke`).FindAllString(record, -1)
	if len(forms) != 2 || strings.Contains(record, secret) {
		t.Fatalf("the record lists %d links, or a secret; want 2", len(forms))
	}
	s.ask("POST", forms[0], s.sessions[accounts.Administrator], url.Values{"sure": {"1"}}) // the latest
	missing := s.ask("GET", "/shared/AAAAAAAAAAAAAAAAAAAAAAAAAA", "", nil)
	same := func(what, path string) {
		t.Helper()
		for _, suffix := range []string{"", "/report"} {
			w := s.ask("GET", path+suffix, "", nil)
			if got := strings.ReplaceAll(w.Body.String(), path+suffix, "/shared/AAAAAAAAAAAAAAAAAAAAAAAAAA"); w.Code != http.StatusNotFound || got != missing.Body.String() {
				t.Errorf("a link that %s, %s: %d %s, want the page of a link that never existed", what, suffix, w.Code, got)
			}
		}
	}
	same("was revoked", revoked)
	s.change(`UPDATE shares SET expires = 1`)
	same("has expired", link)
	if c, err := s.desk.Check(t.Context(), s.admin, check); err != nil || c.Verdict != "" {
		t.Errorf("the check has the verdict %q, %v", c.Verdict, err)
	}
}

// TestDecisionsInWords: the record and the page of a committee state each decision with its reason, person
// and effect on the score, also a withdrawn one, and the sources that the report still has.
func TestDecisionsInWords(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	_, _, check := s.queued("2026")
	text := "one two three four five six seven eight nine ten"
	span := search.Span{Start: 0, End: len(text)}
	r := &report.Report{Result: search.Result{
		Suspect:  search.Suspect{Path: "essay.txt", Text: text, Bytes: len(text), Runes: len(text), Words: 10, Paragraphs: 1, NewLine: "true"},
		Sources:  []search.Source{{ID: "0123456789abcdef", Name: "novel.txt", Match: search.Match{}}},
		Passages: []search.Passage{{Number: 1, Source: 0, Suspect: span, Origin: span, Word: 0, Words: 10, Matched: 10, Run: 10, Grade: search.Verbatim}},
	}}
	s.store(check, r)
	admin := s.sessions[accounts.Administrator]
	send := func(number, sources string) {
		t.Helper()
		body := `{"otisk":"decisions","format":` + strconv.Itoa(report.Version) + `,"suspect":{"path":"essay.txt","bytes":` + strconv.Itoa(len(text)) + `,"words":10},"filter":{"kinds":[],"grades":[],"passage_words":0,"source_words":0,"source_percent":0},"sources":[` + sources + `],"passages":[],"score":{}}`
		w := httptest.NewRecorder()
		q := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "http://otisk.example/checks/"+check+"/decisions", strings.NewReader(body))
		q.Header.Set("If-Match", `"`+number+`"`)
		q.Header.Set("Sec-Fetch-Site", "same-origin")
		q.AddCookie(&http.Cookie{Name: api.Cookie, Value: admin})
		s.handler.ServeHTTP(w, q)
		if w.Code != http.StatusOK {
			t.Fatalf("decisions: %d %s", w.Code, w.Body)
		}
	}
	send("0", `{"id":"0123456789abcdef","name":"novel.txt","reason":"quoted","note":"see <b>page</b> 3"}`)
	c, err := s.desk.Check(t.Context(), s.admin, check)
	if err != nil || c.Sources != 0 || c.Score != 0 {
		t.Errorf("the check has %d sources and the score %v, %v: want none", c.Sources, c.Score, err)
	}
	send("1", "")
	link := s.share(check, "Committee")
	for _, path := range []string{"/checks/" + check, link} {
		page := s.ask("GET", path, admin, nil).Body.String()
		for _, want := range []string{"administrator</bdi>: score 100.0% → 0.0%", "<bdi>without source 1, novel.txt (quoted correctly: see &lt;b&gt;page&lt;/b&gt; 3)</bdi>", "score 0.0% → 100.0%", "withdrawn: <bdi>without source 1, novel.txt"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q:\n%s", path, want, page)
			}
		}
	}
	if page := s.ask("GET", "/checks/"+check, admin, nil, "Accept-Language", "cs").Body.String(); !strings.Contains(page, "odvoláno: <bdi>bez zdroje 1") {
		t.Errorf("no decisions in Czech:\n%s", page)
	}
}

// TestOriginal: the record leads to the uploaded file, which the browser saves; a stranger gets none.
func TestOriginal(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	_, _, check := s.queued("2026")
	s.finish(check)
	admin, path := s.sessions[accounts.Administrator], "/checks/"+check+"/file"
	if page := s.ask("GET", "/checks/"+check, admin, nil).Body.String(); !strings.Contains(page, `href="`+path+`"`) {
		t.Errorf("the record does not lead to the file:\n%s", page)
	}
	w := s.ask("GET", path, admin, nil)
	if h := w.Header(); w.Body.String() != "some words" || h.Get("Content-Disposition") != "attachment; filename=essay.txt" || h.Get("Content-Type") != "application/octet-stream" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v %q, want the file to save", w.Code, h, w.Body)
	}
	other, err := s.desk.NewGroup(t.Context(), s.admin, "Other")
	if err != nil {
		t.Fatal(err)
	}
	if w := s.ask("GET", path, s.user(accounts.Administrator, "stranger", other), nil); w.Code != http.StatusNotFound {
		t.Errorf("the file for another group: %d, want not found", w.Code)
	}
}

// TestDetail: the audit log states scores in the language of the page.
func TestDetail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, action, detail, want string }{
		{"cs", "decide", "13.5 %", "13,5 %"}, {"en", "decide", "13.5 %", "13.5%"}, {"cs", "decide", "x %", "x %"}, {"de", "add source", "13.5 %", "13.5 %"}, {"en", "verdict", "minor", "minor fault"},
	} {
		v := &view{visit: &visit{lang: lang.Of(tt.language)}}
		if got := strings.ReplaceAll(v.Detail(desk.Entry{Action: tt.action, Detail: tt.detail}), "\u00a0", " "); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
