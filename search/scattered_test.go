package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// patchwork returns runs of this number of words, each from a source of its own, with
// words between them that no source has.
func patchwork(runs, words, own int) (text string, sources map[string]string) {
	sources = map[string]string{}
	var b strings.Builder
	for i := range runs {
		run := numbered(fmt.Sprintf("copied%c", 'a'+i), words)
		sources[fmt.Sprintf("/%02d", i)] = numbered(fmt.Sprintf("before%c", 'a'+i), 200) + " " + run + " " + numbered(fmt.Sprintf("after%c", 'a'+i), 200)
		b.WriteString(run + " " + numbered(fmt.Sprintf("own%c", 'a'+i), own) + " ")
	}
	return b.String(), sources
}

// numbered returns this number of different words with a common prefix.
func numbered(start string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(start, i))
	}
	return strings.Join(list, " ")
}

// TestScatteredRunsAreTold has a text made of runs that are each too short for a
// passage: its score is 0, and the result says how much it might be.
func TestScatteredRunsAreTold(t *testing.T) {
	set := normSet(t, normalize.Auto)
	for _, tt := range []struct {
		name             string
		runs, words, own int
		want             string
	}{
		{"patchwork", 20, 11, 3, "[{scattered runs 20 12 220 [] 20 unchanged runs are too short for a passage, which has 12 words or more; in no passage for that reason: 220 words}]"},
		{"one sentence alone", 1, 7, 0, "[{scattered runs 1 12 7 [] 1 unchanged run is too short for a passage, which has 12 words or more; in no passage for that reason: 7 words}]"},
		{"as chance has it", 2, 11, 250, "[]"},
		{"shorter than what is not chance", 20, 6, 3, "[]"},
		{"long enough for passages", 20, 12, 3, "[]"},
	} {
		text, sources := patchwork(tt.runs, tt.words, tt.own)
		r := search(t, index(t, set, 5, sources), set, text, Options{N: 5})
		if got := fmt.Sprint(r.Unsearched); got != tt.want {
			t.Errorf("%s: unsearched %s\nwant %s", tt.name, got, tt.want)
		}
		if got, want := r.Score.Percent+r.CouldRise(r.Score.Percent), 100*float64(tt.words)/float64(tt.words+tt.own); tt.want != "[]" && fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", want) {
			t.Errorf("%s: score may be up to %.3f %%, want %.3f", tt.name, got, want)
		}
	}
}

// TestScatteredRunsBesideTheTextItself has a text that is in the index, too. All of it is in
// one passage then, which must not hide scattered runs of other documents.
func TestScatteredRunsBesideTheTextItself(t *testing.T) {
	set := normSet(t, normalize.Auto)
	text, sources := patchwork(20, 11, 3)
	sources["/big"] = numbered("before", 100) + " " + numbered("big", 40) + " " + numbered("after", 100) // found beside them, as a passage
	text += numbered("big", 40)
	alone := search(t, index(t, set, 5, sources), set, text, Options{N: 5})
	sources["/itself"] = text
	own := func(suspect string) string { return "/" + strings.Replace(suspect, "suspect.txt", "itself", 1) }
	both := search(t, index(t, set, 5, sources), set, text, Options{N: 5, Canonical: own})
	if got, want := fmt.Sprint(both.Unsearched), fmt.Sprint(alone.Unsearched); got != want || len(alone.Unsearched) != 1 {
		t.Errorf("unsearched %s\nwant %s", got, want)
	}
	if r := search(t, index(t, set, 5, map[string]string{"/itself": text}), set, text, Options{N: 5, Canonical: own}); len(r.Unsearched) > 0 {
		t.Errorf("alone in the index: unsearched %v", r.Unsearched)
	}
	if r := search(t, index(t, set, 5, sources), set, text, Options{N: 5}); len(r.Unsearched) > 0 {
		t.Errorf("as a source like others: unsearched %v", r.Unsearched)
	}
}

// TestScatteredRunsOfTheTextItselfTwice has a text that was indexed under several prefixes, alone, beside a part of it, and
// beside an equal file.
func TestScatteredRunsOfTheTextItselfTwice(t *testing.T) {
	set := normSet(t, normalize.Auto)
	text := numbered("a", 60)
	own := func(suspect string) string { return "/itself" }
	for _, tt := range []struct {
		name    string
		others  map[string]string
		covered int
		want    string
	}{
		{"alone", nil, 0, "[]"},
		{"beside a short run of it", map[string]string{"/run": numbered("a", 11)}, 0, "[{scattered runs 1 12 11 [] 1 unchanged run is too short for a passage, which has 12 words or more; in no passage for that reason: 11 words}]"},
		{"beside a copy", map[string]string{"/copy": text}, 60, "[]"},
	} {
		for copies := 1; copies <= 3; copies++ {
			s := index(t, set, 5, tt.others)
			for i := range copies {
				addAs(t, s, set, 5, strings.Repeat("lib:", i), "/itself", text)
			}
			r := search(t, s, set, text, Options{N: 5, Canonical: own})
			if got := fmt.Sprint(r.Unsearched); got != tt.want || r.Score.Covered != tt.covered {
				t.Errorf("%s, itself %d times: %d words covered, unsearched %s\nwant %d, %s", tt.name, copies, r.Score.Covered, got, tt.covered, tt.want)
			}
			if r.WithItself == nil || r.WithItself.Covered != 60 || r.WithItself.Grades[Verbatim] != 60 {
				t.Errorf("%s, itself %d times: with itself %+v, want 60 words", tt.name, copies, r.WithItself)
			}
			for _, src := range r.Sources {
				if src.Own == OwnFile && (src.Covered != 60 || src.Percent != 100 || src.Counted > 0) {
					t.Errorf("%s, itself %d times: source %+v", tt.name, copies, src)
				}
			}
			if r := search(t, s, set, text, Options{N: 5, Canonical: own, CountSelf: true}); r.Score.Covered != 60 || r.WithItself != nil || len(r.Unsearched) > 0 {
				t.Errorf("%s, itself %d times and counted: %+v, with itself %v, unsearched %v", tt.name, copies, r.Score, r.WithItself, r.Unsearched)
			}
		}
	}
}

// TestOmissionsOfTheTextItself: nothing can be missed in a document that does not count.
func TestOmissionsOfTheTextItself(t *testing.T) {
	set := normSet(t, normalize.Auto)
	text := numbered("a", 60)
	s := index(t, set, 5, map[string]string{"/itself": text})
	for _, tt := range []struct {
		name  string
		index store.Reader
	}{{"text", s}, {"no text", textless{s}}} {
		if r := search(t, tt.index, set, text, Options{N: 5, Canonical: func(string) string { return "/itself" }}); len(r.Unsearched) > 0 {
			t.Errorf("%s: unsearched %v", tt.name, r.Unsearched)
		}
	}
}

// TestScatteredRunsAreExactPassages: who asks for unchanged words has them all.
func TestScatteredRunsAreExactPassages(t *testing.T) {
	set := normSet(t, normalize.Auto)
	text, sources := patchwork(20, 11, 3)
	r := search(t, index(t, set, 5, sources), set, text, Options{N: 5, Exact: true})
	if r.Score.Covered != 220 || len(r.Unsearched) > 0 {
		t.Errorf("%d words covered, unsearched %v; want 220, and nothing left", r.Score.Covered, r.Unsearched)
	}
}

// TestRunsEndWithParagraphs: six words at the end of one paragraph and six at the start of the
// next are not a run of twelve.
func TestRunsEndWithParagraphs(t *testing.T) {
	set := normSet(t, normalize.Blank)
	var text strings.Builder
	sources := map[string]string{}
	for i := range 20 {
		first, second := numbered(fmt.Sprintf("first%c", 'a'+i), 6), numbered(fmt.Sprintf("second%c", 'a'+i), 6)
		sources[fmt.Sprint("/", i)] = first + " " + numbered(fmt.Sprintf("between%c", 'a'+i), 90) + " " + second
		fmt.Fprintf(&text, "%s %s\n\n%s ", numbered(fmt.Sprintf("own%c", 'a'+i), 3), first, second)
	}
	if r := search(t, index(t, set, 5, sources), set, text.String(), Options{N: 5}); len(r.Unsearched) > 0 {
		t.Errorf("unsearched %v, want nothing: no run has seven words", r.Unsearched)
	}
}
