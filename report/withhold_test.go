package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/phrase"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// TestWithhold: a report on private sources has nothing of them but their owner and share, and where the copied
// passages are in the suspect.
func TestWithhold(t *testing.T) {
	r, want := sample(), sample()
	names := map[string]bool{"/texty/slovník.txt": true, "texty/zahrada.html": true}
	note := phrase.Error("error.found", "{name} was found", "name", "texty/zahrada.html")
	r.Note(note)
	r.Hints = []search.Hint{{Number: 1, Source: 1}}
	r.Joined = []search.Joined{{Source: 0}}
	Withhold(r, func(string) string { return "dean" }, names)
	stored := render(t, "json", r, Options{})
	for _, secret := range []string{"knihy", "vesnice", "Vesnice", "Světlá", "lesnická", "example.org", "zahrada.html", "Babiččina", "pod plotem", "slovník", "00000000000000a1", "00000000000000b2"} {
		if strings.Contains(stored, secret) {
			t.Errorf("the report has %q", secret)
		}
	}
	for i, name := range []string{"private source 1 (dean)", "private source 2 (dean)"} {
		if s := r.Sources[i]; s.Name != name || s.Match.Percent != want.Sources[i].Match.Percent {
			t.Errorf("source %d is %q with %v %%, want %q with %v", i, s.Name, s.Match.Percent, name, want.Sources[i].Match.Percent)
		}
	}
	for i, p := range r.Passages {
		if p.Suspect != want.Passages[i].Suspect || p.Matched != want.Passages[i].Matched {
			t.Errorf("passage %d is at %v, want %v", i, p.Suspect, want.Passages[i].Suspect)
		}
		if p.Origin != (search.Span{}) || p.OriginWords != 0 || len(p.Equal) > 0 || p.Run != 0 {
			t.Errorf("passage %d states where it is in the private source: %+v", i, p)
		}
	}
	if len(r.Hints) > 0 || len(r.Joined) > 0 || !slices.Equal(r.Notes, append(want.Notes, withheld.Error())) {
		t.Errorf("hints %v, joined %v, notes %q, want none, none and %q", r.Hints, r.Joined, r.Notes, withheld)
	}
}

// TestWithholdOthers: sources that are not private, and texts that were checked together, stay as they are.
func TestWithholdOthers(t *testing.T) {
	r, want := sample(), sample()
	r.Sources[1].Among, want.Sources[1].Among = true, true
	r.Hints = []search.Hint{{Number: 1, Source: 0}, {Number: 2, Source: 1}, {Number: 3, Source: 0}}
	want.Hints = slices.Clone(r.Hints)
	Withhold(r, func(id string) string { return map[string]string{"00000000000000b2": "dean"}[id] }, nil)
	if got, want := render(t, "json", r, Options{}), render(t, "json", want, Options{}); got != want {
		t.Errorf("a report without private sources is another\n%s", got)
	}
	r.Sources[1].Among = false
	Withhold(r, func(id string) string { return map[string]string{"00000000000000b2": "dean"}[id] }, nil)
	if r.Sources[0].Name != want.Sources[0].Name || r.Sources[1].Name != "private source 1 (dean)" || len(r.Hints) != 2 || r.Hints[1].Number != 2 || len(r.Passages[0].Equal) == 0 {
		t.Errorf("sources %q and %q, hints %v, want only the second source withheld", r.Sources[0].Name, r.Sources[1].Name, r.Hints)
	}
}

// TestNamesInLanguage: text and page translate the names of private and deleted sources. JSON has the same names in
// all languages, since text and page are made from it.
func TestNamesInLanguage(t *testing.T) {
	const id = "00000000000000c3"
	r := sample()
	Forget(r, map[string]string{r.Sources[0].Name: id}, false)
	earlier := *r // by a version that stored no message of the name
	earlier.Sources, earlier.Messages = slices.Clone(r.Sources), nil
	Withhold(r, func(other string) string { return map[bool]string{true: "", false: "dean"}[other == id] }, nil)
	for _, tt := range []struct {
		r    *Report
		want []string
	}{{r, []string{"smazaný dokument 00000000", "soukromý zdroj 1 (dean)"}}, {&earlier, []string{"smazaný dokument 00000000"}}} {
		for _, format := range []string{"text", "html"} {
			out := render(t, format, tt.r, Options{Lang: lang.Of("cs")})
			for _, want := range tt.want {
				if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
					t.Errorf("%s lacks %q", format, want)
				}
			}
			for _, english := range []string{"deleted document 0", "private source 1"} {
				if strings.Contains(out, english) {
					t.Errorf("%s has %q", format, english)
				}
			}
		}
		if stored := render(t, "json", tt.r, Options{Lang: lang.Of("cs")}); !strings.Contains(stored, ForgottenName) || strings.Contains(stored, "smazaný") {
			t.Error("JSON has a name in the language of the reader")
		}
	}
}
