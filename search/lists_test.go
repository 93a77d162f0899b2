package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/hint"
)

// theses returns short theses by the name of their file. Those of one language are of one faculty, and on other subjects.
func theses(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/theses/*.txt")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files (%v), want 6", len(files), err)
	}
	texts := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(f)] = string(text)
	}
	return texts
}

// TestHonestTheses: title pages, declarations, acknowledgements, tables of contents and bibliographies resemble each other in
// all theses of a faculty. Only their long runs of equal words are passages, the rest is hints.
func TestHonestTheses(t *testing.T) {
	set := normSet(t, normalize.Auto)
	o := Options{N: 7, AlignAll: true, Hints: []hint.Finder{hint.NewRewritten(hint.DefaultParams())}}
	texts := theses(t)
	check := func(name, what string, sources map[string]string) (listed int) {
		r := search(t, index(t, set, 7, sources), set, texts[name], o)
		for _, p := range r.Passages {
			if p.Run < align.DefaultParams().Verbatim {
				t.Errorf("%s against %s: passage of %d words, %s, longest run %d: %q", name, what, p.Words, p.Grade, p.Run, texts[name][p.Suspect.Start:p.Suspect.End])
			}
		}
		for _, h := range r.Hints {
			if h.Reason == ReasonList {
				listed++
			}
		}
		return listed
	}
	for name := range texts {
		all := map[string]string{}
		for other, text := range texts {
			if other == name {
				continue
			}
			all["/"+other] = text
			listed := check(name, other, map[string]string{"/" + other: text})
			if other[:2] == name[:2] && listed == 0 {
				t.Errorf("%s against %s: no hint at their lists", name, other)
			}
		}
		check(name, "all others", all)
	}
}

// TestCopyInAThesis: a reworded introduction is a passage, whatever the front matter before it has in common with that of the source.
func TestCopyInAThesis(t *testing.T) {
	set := normSet(t, normalize.Auto)
	texts := theses(t)
	_, body, _ := strings.Cut(texts["en-bees.txt"], "1 Introduction\n\n")
	body, _, _ = strings.Cut(body, "\n\nBibliography")
	words := strings.Fields(body)
	for i := 4; i < len(words); i += 5 {
		words[i] = "indeed"
	}
	front, rest, _ := strings.Cut(texts["en-bridges.txt"], "1 Introduction\n\n")
	r := search(t, index(t, set, 7, map[string]string{"/bees": texts["en-bees.txt"]}), set, front+"1 Introduction\n\n"+strings.Join(words, " ")+"\n\n"+rest, Options{N: 7, AlignAll: true, Hints: []hint.Finder{hint.NewRewritten(hint.DefaultParams())}})
	found := 0
	for _, p := range r.Passages {
		t.Log(p.Grade, p.Words, p.Matched, p.Run, p.Word)
		if p.Run < align.DefaultParams().Verbatim {
			found += p.Words
		}
	}
	for _, h := range r.Hints {
		t.Log(h.Kind, h.Reason, h.Word, h.Words)
	}
	if found < len(words)*9/10 || found > len(words)+20 {
		t.Errorf("%d words reworded, want the %d of the introduction", found, len(words))
	}
}

// TestNumbersAlone: numbers that two diagrams have at their axes are no passage, but those of a table are.
func TestNumbersAlone(t *testing.T) {
	set := normSet(t, normalize.Auto)
	for _, tt := range []struct {
		name, shared string
		want         int
	}{
		{"axes", "0 10 20 30 40 50 60 70 80 90 100 0.0 0.5 1.0 1.5 2.0 2.5", 0},
		{"a table", "14.2 873 51.9 66.04 2,918 35 77.31 492 8.25 603.7 19 9.46 381 7 45.8 26 117 64.3 95", 1},
		{"names of axes", "0 10 20 30 40 50 time in minutes 0 10 20 30 40", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := index(t, set, 7, map[string]string{"/source": "Bees flew at nine degrees and more. " + tt.shared + " Farmers saw fruit."})
			for _, exact := range []bool{false, true} {
				want := tt.want
				if exact {
					want = 1 // exact passages are equal words, whatever these are
				}
				r := search(t, s, set, "Old bridges of riveted iron carry lorries. "+tt.shared+" The spectrum of the sound moves.", Options{N: 7, Exact: exact})
				if len(r.Passages) != want || r.Match.Matched == 0 {
					t.Errorf("exact %v: %d passages, %d n-grams in common, want %d and some", exact, len(r.Passages), r.Match.Matched, want)
				}
			}
		})
	}
}

func TestIsProse(t *testing.T) {
	set := normSet(t, normalize.Auto)
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"The harvest of wild bees, in 3 orchards (see p. 7), has been observed.", true},
		{"THE HARVEST OF WILD BEES HAS BEEN OBSERVED", true},
		{"今天天气很好，我们去公园散步，看到了很多花。", true},
		{"don't co-operate with e-mail", true},
		{"2.1 Sound . . . . . . . 4 2.2 Iron . . . . . . . 7", false},
		{"map(f)([x1, x2, . . . , xn]) = [f(x1), f(x2), . . . , f(xn)]", false},
		{"strlen ( source ) , size , 1 , fp ) ; if ( err != 0 ) { fclose ( fp ) ; }", false},
		{"17 31.5 8 2,918", false},
	} {
		s := newSuspect(plain(tt.text), set, nil)
		if got := s.isProse([]stretch{{0, len(s.words)}}); got != tt.want {
			t.Errorf("isProse(%q) = %v", tt.text, got)
		}
	}
}
