package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/bench/plagdet"
	"github.com/otisk/otisk/internal/testing/files"
)

func TestUnited(t *testing.T) {
	t.Parallel()
	at := func(suspect, source, length int) plagdet.Case {
		return plagdet.Case{Suspect: plagdet.Span{Start: suspect, End: suspect + length}, Source: plagdet.Span{Start: source, End: source + length}}
	}
	for name, tt := range map[string]struct{ list, want []plagdet.Case }{
		"none":        {nil, nil},
		"follow":      {[]plagdet.Case{at(500, 1500, 100), at(0, 1000, 200)}, []plagdet.Case{at(0, 1000, 600)}},
		"overlap":     {[]plagdet.Case{at(0, 0, 200), at(100, 100, 50)}, []plagdet.Case{at(0, 0, 200)}},
		"far":         {[]plagdet.Case{at(0, 0, 100), at(501, 501, 100)}, []plagdet.Case{at(0, 0, 100), at(501, 501, 100)}},
		"other order": {[]plagdet.Case{at(0, 500, 100), at(200, 0, 100)}, []plagdet.Case{at(0, 500, 100), at(200, 0, 100)}},
	} {
		if got := united(tt.list); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestRepeatedParagraphs: a paragraph that the conversion lists twice is written once, and both have its place; other paragraphs,
// and short equal ones, have their own.
func TestRepeatedParagraphs(t *testing.T) {
	t.Parallel()
	const text = "The stork that stands on the roof of the old mill flies to the south at the end of the summer"
	p := paper{Abstract: []paragraph{{Content: text}, {Content: "Short."}}, Sections: []section{{Paragraphs: []paragraph{{Content: text + " (1.1)."}, {Content: "Short."}}}}}
	got := p.repeats()
	if want := []int{0, 1, 0, 3}; !slices.Equal(got, want) {
		t.Fatalf("repeats() = %v, want %v", got, want)
	}
	written, places := p.text(got)
	if places[2] != places[0] || places[3] == places[1] || strings.Count(written, "stork") != 1 {
		t.Errorf("places %v in %q, want the third paragraph at the first one's, once", places, written)
	}
}

// TestMakePapers: the places of a rewritten paragraph in both papers are those of its text.
func TestMakePapers(t *testing.T) {
	t.Parallel()
	const paper = `{
		"source": {"title": "Örn", "abstract": [{"id": "a", "content": "About."}],
			"sections": [{"title": "One", "paragraphs": [{"id": "s1", "content": "Čáp flies."}, {"id": "s2", "content": ""}]}], "references": [{"tag": "[1]", "ref": "R."}]},
		"candidate": {"title": "T", "sections": [{"paragraphs": [
			{"id": "p1", "content": "Own."},
			{"id": "p2", "content": "A stork is flying.", "plagiarism": {"type": "plagiarism", "source_paragraph_id": "s1"}},
			{"id": "p3", "content": "Of nothing.", "plagiarism": {"type": "plagiarism", "source_paragraph_id": "s2"}},
			{"id": "p4", "content": "Altered.", "plagiarism": {"type": "altered"}}]}]}}`
	out := t.TempDir()
	if err := makePapers(io.Discard, files.Folder(t, map[string]string{"x.json": paper}), out); err != nil {
		t.Fatal(err)
	}
	pairs, err := plagdet.ReadPairs(filepath.Join(out, "papers", "pairs"))
	if err != nil || len(pairs) != 1 {
		t.Fatalf("pairs %v, %v", pairs, err)
	}
	truth, err := plagdet.ReadFile(filepath.Join(out, "papers", plagdet.FileName(pairs[0].Suspect, pairs[0].Source)))
	if err != nil || len(truth) != 1 {
		t.Fatalf("truth %v, %v", truth, err)
	}
	for path, want := range map[string]string{
		filepath.Join("susp", pairs[0].Suspect): "A stork is flying.",
		filepath.Join("src", pairs[0].Source):   "Čáp flies.",
	} {
		data, err := os.ReadFile(filepath.Join(out, path))
		if err != nil {
			t.Fatal(err)
		}
		text, place := []rune(string(data)), truth[0].Suspect
		if want == "Čáp flies." {
			place = truth[0].Source
		}
		if got := string(text[place.Start:place.End]); got != want {
			t.Errorf("%s has %q, want %q", path, got, want)
		}
	}
}
