package lang

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/browser"
)

// TestScript compares the messages of a page with those of the program.
func TestScript(t *testing.T) {
	p := browser.Start(t)
	for _, tag := range Tags() {
		t.Run(tag, func(t *testing.T) { checkScript(t, p.In(t), made(t, tag), Of(tag)) })
	}
}

func checkScript(t *testing.T, p *browser.Page, words, dates *Printer) {
	script := "{" + newScript(t, words, "t.") + "window.lang = lang }\n{" + newScript(t, dates) + "window.days = lang }\n"
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte("<!doctype html><meta charset=utf-8><script>"+script+"</script>"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Open(file)
	var want []string
	var calls strings.Builder
	say := func(text, call string, args ...any) {
		want = append(want, text)
		fmt.Fprintf(&calls, call+",", args...)
	}
	for _, n := range []int{0, 1, 2, 3, 4, 5, 11, 12, 21, 22, 100, 101, 999, 1000, 1234, 10000, 1234567, -5} {
		say(words.Text("t.words", "n", n), "lang.text('t.words', {n: %d})", n)
		say(words.Number(int64(n)), "lang.number(%d)", n)
	}
	for n := range 1001 {
		share := float64(n) / 10
		say(words.Percent(share), "lang.percent(%v)", share)
		say(words.Percent(share*0.97), "lang.percent(%v)", share*0.97)
	}
	for _, share := range []float64{0.25, 12.5, 7, 0.125, 33.333, 100} { // as typed
		say(words.Limit(share), "lang.limit(%v)", share)
	}
	for month := range 12 {
		day := time.Date(2026, time.Month(month+1), 3, 0, 0, 0, 0, time.UTC)
		say(dates.Date(day), "days.date(%q)", day.Format(time.RFC3339))
	}
	say(words.Text("t.in", "words", "{name}", "name", "<a>"), "lang.text('t.in', {words: '{name}', name: '<a>'})")
	say(words.Text("t.only", "n", 1000), "lang.text('t.only', {n: 1000})")
	say(words.Text("t.nothing"), "lang.text('t.nothing')")
	var got []string
	p.Eval("["+calls.String()+"]", &got)
	if len(got) != len(want) {
		t.Fatalf("the page says %d things, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("the page says %q, the program %q", got[i], want[i])
		}
	}
}

func newScript(t *testing.T, p *Printer, prefixes ...string) string {
	t.Helper()
	s, err := p.Script(prefixes...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScriptHasWhatIsAskedFor(t *testing.T) {
	s := newScript(t, made(t, "en"), "t.in", "t.on")
	_, data, _ := strings.Cut(s, "const lang = newLang(")
	var got struct{ Messages map[string]any }
	if err := json.Unmarshal([]byte(strings.TrimSuffix(data, ");\n")), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Messages) != 2 || got.Messages["t.in"] != "{words} in {name}" || got.Messages["t.only"] == nil {
		t.Errorf("the script has %v, want t.in and t.only", got.Messages)
	}
}
