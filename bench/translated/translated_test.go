package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
)

func TestPair(t *testing.T) {
	t.Parallel()
	long, short := strings.Repeat("x", 300), strings.Repeat("y", 40)
	other := []string{strings.Repeat("ž", 20), strings.Repeat("X", 310), strings.Repeat("z", 620)}
	got := pair([]string{short, long, long, long}, other)
	want := []piece{{short, other[0]}, {long, other[1]}, {long + " " + long, other[2]}}
	if !slices.Equal(got, want) {
		t.Errorf("pair = %d pieces %.40q, want %.40q", len(got), got, want)
	}
}

// TestPlant: a planted passage is where plant says, in the suspect and in the source.
func TestPlant(t *testing.T) {
	t.Parallel()
	var pieces []piece
	for n := range 1000 {
		id := strings.Repeat("a", n%26+1) + string(rune('a'+n/26%26)) + string(rune('a'+n/676))
		pieces = append(pieces, piece{"the " + id + "e one two three four five.", "ten " + id + "o jedna dva."})
	}
	b := &book{name: "news", language: "cs", pieces: pieces}
	b.cut()
	if len(b.blocks) < 2 {
		t.Fatalf("%d blocks", len(b.blocks))
	}
	p, ok := b.plant(0, 2, 100, forms[0])
	if !ok {
		t.Fatal("no passage")
	}
	suspect, source := wordsOf(p.suspect), wordsOf(p.source)
	first, origin := suspect[p.at.From+1].Text, source[p.from.From+1].Text
	if suspect[p.at.From].Text != "ten" || strings.TrimSuffix(first, "o") != strings.TrimSuffix(origin, "e") || suspect[p.at.To-1].Text != "dva" || source[p.from.To-1].Text != "five" {
		t.Errorf("the passage is said to start with %q and its source with %q", first, origin)
	}
	for _, f := range forms[1:] {
		q, ok := b.plant(0, 2, 100, f)
		if !ok || q.suspect == p.suspect || q.source != p.source || len(wordsOf(q.suspect)) < len(suspect)-20 {
			t.Errorf("%s: %v, a suspect of %d words", f.name, ok, len(wordsOf(q.suspect)))
		}
	}
}

// TestRun reads sets in the form of those that are named, and prints the counts.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("XDG_DATA_DIRS", files.Folder(t, nil))
	english := strings.Repeat("The house is old and it was built by the river in the year.\n", 700)
	czech := strings.Repeat("Dům je starý a byl postaven u řeky v tom roce, který je to.\n", 700)
	ntrex := files.Folder(t, map[string]string{"newstest2019-src.eng.txt": english, "newstest2019-ref.ces.txt": czech})
	progit := files.Folder(t, map[string]string{"en/01-a/01.markdown": "# Title #\n\nText `of` it.\n\n\tcode\n", "cs/01-a/01.markdown": "# Název #\n\nJeho *text*.\n"})
	if pieces, err := readProGit(progit, language.Of("cs")); err != nil || !slices.Equal(pieces, []piece{{"Title", "Název"}, {"Text of it.", "Jeho text ."}}) {
		t.Errorf("readProGit = %q, %v", pieces, err)
	}
	var out bytes.Buffer
	sets := filepath.Join(dir, "sets")
	if err := run(t.Context(), &out, options{ntrex: ntrex, languages: "cs", out: sets}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "pairs of the same text       6  with a weak hint only 0") || !strings.Contains(got, "shuffled by fours") {
		t.Errorf("run prints\n%s", got)
	}
	truth, err := os.ReadFile(filepath.Join(sets, "truth.tsv"))
	if err != nil || strings.Count(string(truth), "\n") != 15 {
		t.Errorf("truth.tsv: %v\n%s", err, truth)
	}
}

// TestIndex: from an index, the source of a passage that a dictionary translates is named and shown.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	words := &lexicon.Lexicon{Name: "words", From: "en", To: "cs"}
	word := func(n int) string {
		return "w" + string(rune('a'+n%20)) + string(rune('a'+n/20%20)) + string(rune('a'+n/400))
	}
	for n := range 3000 {
		words.Pairs = append(words.Pairs, lexicon.Pair{Word: word(n) + "en", Translation: word(n) + "cs"})
	}
	t.Setenv("XDG_DATA_DIRS", dir)
	shelf, err := lexicon.Default()
	if err != nil {
		t.Fatal(err)
	}
	if err := shelf.Add(words); err != nil {
		t.Fatal(err)
	}
	english, czech := "", ""
	for line := range 420 {
		english += "The and of to in is that it was for"
		czech += "Je to a na se že by jako který pro"
		for k := range 8 {
			n := (line*31 + k*k*17) % 3000
			english += " " + word(n) + "en"
			czech += " " + word(n) + "cs"
		}
		english, czech = english+".\n", czech+".\n"
	}
	ntrex := files.Folder(t, map[string]string{"newstest2019-src.eng.txt": english, "newstest2019-ref.ces.txt": czech})
	var out bytes.Buffer
	others := files.Folder(t, map[string]string{"other.txt": strings.Repeat("There is a text of other words that nobody translated into any of the languages. ", 50)})
	if err := run(t.Context(), &out, options{ntrex: ntrex, languages: "cs", index: true, english: others, made: 8, lengths: "200", temp: dir}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "index of 11 documents") || !strings.Contains(got, "among ten  100%  shown  100%") {
		t.Errorf("run prints\n%s", got)
	}
}

// TestReadProGit leaves out code, comments (which have the original in the Polish book) and untranslated text.
func TestReadProGit(t *testing.T) {
	t.Parallel()
	folder := files.Folder(t, map[string]string{
		"en/01-a/01.markdown": "One dog sees two cats.\n\n    git log\n\nThis one was never translated.\n\nThree birds saw four fish.\n",
		"pl/01-a/01.markdown": "<!-- One dog sees\n\ntwo cats. -->\n\nJeden pies widzi dwa koty.\n\nThis one was not translated.\n\nTrzy ptaki widziały cztery ryby.\n",
	})
	got, err := readProGit(folder, language.Of("pl"))
	want := []piece{{"One dog sees two cats.", "Jeden pies widzi dwa koty."}, {"Three birds saw four fish.", "Trzy ptaki widziały cztery ryby."}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("readProGit = %q, %v, want %q", got, err, want)
	}
}
