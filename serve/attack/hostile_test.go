package attack

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
)

// reported gives the check of the own group a report on 7 words.
func (f *fortress) reported() (check string) {
	f.t.Helper()
	check = f.check[ownGroup]
	r := &report.Report{Result: search.Result{Suspect: search.Suspect{Path: "thesis.txt", Text: "six words of text for a check", Bytes: 29, Runes: 29, Words: 7, Paragraphs: 1, NewLine: "true"}}}
	err := f.folder.Shelf(storage.Reports).Put(f.t.Context(), check+".json", func(w io.Writer) error { return report.Write(w, "json", r, report.Options{}) })
	if err != nil {
		f.t.Fatal(err)
	}
	execute(f.t, f.folder, `UPDATE checks SET state = 'done', reported = 1, words = 7 WHERE id = '`+check+`'`, `UPDATE jobs SET state = 'done'`)
	return check
}

// TestHostileDecisions: decisions that are huge, deep, of wrong types or on another text are refused and not
// stored. Those on places that the text does not have count for nothing. Scripts in notes are shown as text.
func TestHostileDecisions(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	path, session := "/checks/"+f.reported()+"/decisions", f.users[ownGroup][accounts.Checker]
	decisions := func(change func(d *report.Decisions)) []byte {
		d := report.Decisions{Kind: "decisions", Format: report.Version, Places: []report.LeftOut{{Suspect: [2]int{0, 3}, Words: 1, Reason: "other", Note: "<script>alert(1)</script>"}}}
		d.Suspect.Bytes, d.Suspect.Words = 29, 7
		change(&d)
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	valid := decisions(func(*report.Decisions) {})
	places := func(n int, at [2]int) []byte {
		return decisions(func(d *report.Decisions) {
			for range n {
				d.Places = append(d.Places, report.LeftOut{Suspect: at, Words: 1, Reason: "other"})
			}
		})
	}
	for name, body := range map[string][]byte{
		"too long":                  append(bytes.Repeat([]byte(" "), api.MostDecisions), valid...),
		"deep":                      []byte(`{"otisk":` + strings.Repeat("[", 1<<20)),
		"deep objects":              []byte(strings.Repeat(`{"suspect":`, 1<<17)),
		"a list":                    []byte(`[]`),
		"null":                      []byte(`null`),
		"a number for a text":       bytes.Replace(valid, []byte(`"decisions"`), []byte(`7`), 1),
		"a text for a number":       bytes.Replace(valid, []byte(`[0,3]`), []byte(`["0","3"]`), 1),
		"a number that is too long": bytes.Replace(valid, []byte(`[0,3]`), []byte(`[0,`+strings.Repeat("9", 1000)+`]`), 1),
		"an unknown field":          bytes.Replace(valid, []byte(`"otisk"`), []byte(`"__proto__":{},"otisk"`), 1),
		"a second object":           append(append([]byte{}, valid...), valid...),
		"a script as a reason":      decisions(func(d *report.Decisions) { d.Places[0].Reason = "<script>alert(1)</script>" }),
		"another text":              decisions(func(d *report.Decisions) { d.Suspect.Bytes, d.Suspect.Words = 30, 8 }),
		"an unknown source":         decisions(func(d *report.Decisions) { d.Verdicts = []report.VerdictOn{{Of: "source", Verdict: "<script>"}} }),
	} {
		status, answer := f.ask("PUT", api.Prefix+path, session, bytes.NewReader(body))
		if status < 400 || status >= 500 || len(answer) > 4096 || strings.Contains(answer, "<script") {
			t.Errorf("%s: %d and %d bytes, %.200s", name, status, len(answer), answer)
		}
	}
	if status, answer := f.ask("GET", api.Prefix+path, session, nil); status != http.StatusNotFound {
		t.Errorf("after refused decisions: %d %.200s, want none", status, answer)
	}
	if status, _ := f.ask("PUT", api.Prefix+path, f.users[otherGroup][accounts.Checker], bytes.NewReader(valid)); status != http.StatusNotFound {
		t.Errorf("another group decides: %d, want not found", status)
	}
	if status, answer := f.ask("PUT", api.Prefix+path, session, bytes.NewReader(valid)); status != http.StatusOK {
		t.Fatalf("valid decisions: %d %s", status, answer)
	}
	for name, body := range map[string][]byte{"a negative place": places(1, [2]int{-5, 3}), "behind the end": places(1, [2]int{0, 1 << 40}), "ends before": places(1, [2]int{9, 4}), "thousands": places(50_000, [2]int{28, 1000})} {
		if status, answer := f.ask("PUT", api.Prefix+path, session, bytes.NewReader(body)); status >= 500 {
			t.Errorf("%s: %d %s", name, status, answer)
		}
		var c desk.Check
		if _, answer := f.ask("GET", api.Prefix+strings.TrimSuffix(path, "/decisions"), session, nil); json.Unmarshal([]byte(answer), &c) != nil || c.Score < 0 || c.Score > 100 {
			t.Errorf("%s: %.300s, want a score", name, answer)
		}
	}
	for _, page := range []string{strings.TrimSuffix(path, "/decisions"), strings.TrimSuffix(path, "/decisions") + "/report"} {
		if status, answer := f.ask("GET", page, session, nil); status != http.StatusOK || strings.Contains(answer, "<script>alert(1)") {
			t.Errorf("%s: %d, want the script as text", page, status)
		}
	}
	if status, answer := f.ask("GET", api.Prefix+strings.TrimSuffix(path, "/decisions")+"/report?format=html&decided=true", session, nil); status != http.StatusOK || strings.Contains(answer, "<script>alert(1)") || !strings.Contains(answer, "alert(1)") {
		t.Errorf("the report as a page: %d %s", status, answer[:min(len(answer), 100)])
	}
}
