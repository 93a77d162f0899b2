package lang

import (
	"html/template"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// made is a catalog with a message of each kind.
func made(t *testing.T, tag string) *Printer {
	t.Helper()
	c, err := load(fstest.MapFS{
		"messages/t.en.json": {Data: []byte(`{"t.words": {"description": "what a text has", "one": "{n} word", "other": "{n} words"},
			"t.in": "{words} in {name}", "t.only": "only in English: {n}"}`)},
		"messages/t.de.json": {Data: []byte(`{"t.words": {"one": "{n} Wort", "other": "{n} Wörter"}, "t.in": "{words} in {name}"}`)},
		"messages/t.cs.json": {Data: []byte(`{"t.words": {"one": "{n} slovo", "few": "{n} slova", "other": "{n} slov"}, "t.in": "{name}: {words}"}`)},
		"messages/t.sk.json": {Data: []byte(`{"t.words": {"one": "{n} slovo", "few": "{n} slová", "other": "{n} slov"}, "t.in": "{name}: {words}"}`)},
	}, tag)
	if err != nil {
		t.Fatal(err)
	}
	return newPrinter(c, tag)
}

func TestPlural(t *testing.T) {
	tests := map[string][]string{ // 0, 1, 2, 4, 5, 21, 22, 101, 1234
		"en": {"0 words", "1 word", "2 words", "4 words", "5 words", "21 words", "22 words", "101 words", "1,234 words"},
		"de": {"0 Wörter", "1 Wort", "2 Wörter", "4 Wörter", "5 Wörter", "21 Wörter", "22 Wörter", "101 Wörter", "1.234 Wörter"},
		"cs": {"0 slov", "1 slovo", "2 slova", "4 slova", "5 slov", "21 slov", "22 slov", "101 slov", "1\u00a0234 slov"},
		"sk": {"0 slov", "1 slovo", "2 slová", "4 slová", "5 slov", "21 slov", "22 slov", "101 slov", "1\u00a0234 slov"},
	}
	for tag, wants := range tests {
		p := made(t, tag)
		for i, n := range []int{0, 1, 2, 4, 5, 21, 22, 101, 1234} {
			if got := p.Text("t.words", "n", n); got != wants[i] {
				t.Errorf("%s: %d words are %q, want %q", tag, n, got, wants[i])
			}
			if got := p.Text("t.words", "n", int64(n)); got != wants[i] {
				t.Errorf("%s: %d words, as an int64, are %q, want %q", tag, n, got, wants[i])
			}
		}
	}
}

func TestTextIsNeverEmpty(t *testing.T) {
	p := made(t, "cs")
	for _, tt := range []struct {
		got, want string
	}{
		{p.Text("t.in", "words", p.Text("t.words", "n", 2), "name", "a.txt"), "a.txt: 2 slova"},
		{p.Text("t.in", "name", "{words}"), "{words}: {words}"},
		{p.Text("t.in", "name", "a", "words", "{name}"), "a: {name}"},
		{p.Text("t.only", "n", 3), "only in English: 3"},
		{p.Text("t.words"), "{n} slov"},
		{p.Text("t.words", "n", "3"), "3 slov"},
		{p.Text("t.words", "n"), "{n} slov"},
		{p.Text("t.nothing", "n", 3), "t.nothing"},
	} {
		if tt.got != tt.want {
			t.Errorf("text is %q, want %q", tt.got, tt.want)
		}
	}
}

func TestHTML(t *testing.T) {
	got := made(t, "en").HTML("t.in", "words", "<3 & 4>", "name", template.HTML("<b>a</b>"))
	if want := template.HTML("&lt;3 &amp; 4&gt; in <b>a</b>"); got != want {
		t.Errorf("HTML is %q, want %q", got, want)
	}
	if got, want := made(t, "cs").HTML("t.words", "n", 3), template.HTML("3 slova"); got != want {
		t.Errorf("HTML is %q, want %q", got, want)
	}
}

func TestNumbers(t *testing.T) {
	day := time.Date(2026, time.March, 5, 23, 0, 0, 0, time.UTC)
	tests := map[string][]string{
		"cs": {"0", "-1\u00a0234\u00a0567", "1\u00a0234,5", "12,3\u00a0%", "100,0\u00a0%", "12,5\u00a0%", "10\u00a0%", "5. března 2026"},
		"de": {"0", "-1.234.567", "1.234,5", "12,3\u00a0%", "100,0\u00a0%", "12,5\u00a0%", "10\u00a0%", "5. März 2026"},
		"en": {"0", "-1,234,567", "1,234.5", "12.3%", "100.0%", "12.5%", "10%", "5 March 2026"},
		"sk": {"0", "-1\u00a0234\u00a0567", "1\u00a0234,5", "12,3\u00a0%", "100,0\u00a0%", "12,5\u00a0%", "10\u00a0%", "5. marca 2026"},
	}
	for tag, wants := range tests {
		p := Of(tag)
		got := []string{p.Number(0), p.Number(-1234567), p.Decimal(1234.5), p.Percent(12.34), p.Percent(99.96),
			p.Limit(12.5), p.Limit(10), p.Date(day)}
		for i, want := range wants {
			if strings.ReplaceAll(got[i], "\u2212", "-") != want {
				t.Errorf("%s: %q, want %q", tag, got[i], want)
			}
		}
	}
}

// TestPercentRounds holds the rounding of shares to that of the reports: half
// a tenth goes up.
func TestPercentRounds(t *testing.T) {
	p := Of("en")
	for share, want := range map[float64]string{0: "0.0%", 0.04: "0.0%", 0.05: "0.1%", 0.25: "0.3%", 0.35: "0.4%", 12.25: "12.3%", 33.333: "33.3%", 99.95: "100.0%"} {
		if got := p.Percent(share); got != want {
			t.Errorf("Percent(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"cs", map[string]string{"LANG": "de_DE.UTF-8"}, "cs"},
		{"SK", nil, "sk"},
		{"de-AT", nil, "de"},
		{"", nil, "en"},
		{"", map[string]string{"LANG": "cs_CZ.UTF-8"}, "cs"},
		{"", map[string]string{"LC_MESSAGES": "sk_SK", "LANG": "cs_CZ.UTF-8"}, "sk"},
		{"", map[string]string{"LC_ALL": "C.UTF-8", "LC_MESSAGES": "sk_SK", "LANG": "cs_CZ.UTF-8"}, "en"},
		{"", map[string]string{"LC_ALL": "", "LANG": "de"}, "de"},
		{"", map[string]string{"LANG": "fr_FR.UTF-8"}, "en"},
		{"", map[string]string{"LANG": "csb_PL"}, "en"},
		{"", map[string]string{"LANG": "de@euro"}, "de"},
	}
	for _, tt := range tests {
		if platform() != "" && tt.want == "en" {
			continue // then Windows is asked
		}
		p, err := Choose(tt.name, func(name string) string { return tt.env[name] })
		if err != nil || p.Tag() != tt.want {
			t.Errorf("Choose(%q) with %v = %v, %v, want %s", tt.name, tt.env, p, err, tt.want)
		}
	}
	if _, err := Choose("fr", nil); err == nil || err.Error() != `unknown language "fr": want cs, de, en, sk` {
		t.Errorf("Choose(fr): %v", err)
	}
}
