package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/bench/novels"
	"github.com/otisk/otisk/bench/plagdet"
	"github.com/otisk/otisk/bench/plant"
	"github.com/otisk/otisk/internal/testing/golden"
)

// The table of PAN 2013's training corpus, with the program's own settings: a change of the
// alignment shows as a diff.
func TestCompareGolden(t *testing.T) {
	dir := os.Getenv("OTISK_PAN")
	if dir == "" {
		t.Skip("OTISK_PAN names no folder of the PAN 2013 corpus")
	}
	var got bytes.Buffer
	for _, o := range []compareOptions{
		{corpus: dir, half: "all", summary: true},
		{corpus: dir, half: "all"},
		{corpus: dir, half: "all", summary: true, fitted: true},
	} {
		table, err := compare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "PAN 2013, pairs given; summaries %v, fitted %v\n", o.summary, o.fitted)
		table.print(&got)
		fmt.Fprintln(&got)
	}
	golden.Compare(t, "pan13.txt", got.String())
}

// The tables of a corpus made from the novels in the repository, pairs given and from an
// index. No outside data is needed, so every change of the results shows as a diff on every
// machine.
func TestPlantedGolden(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	synonyms, err := plant.ReadSynonyms("../czech/synonyms.txt")
	if err != nil {
		t.Fatal(err)
	}
	o := novels.Options{Sources: "../../samples/collection/czech", Hosts: "../../testdata/czech", Seed: 1, Suspects: 8, Synonyms: synonyms}
	if err := novels.Make(dir, o); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	table, err := compare(t.Context(), compareOptions{corpus: dir, half: "all", summary: true})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&got, "Czech novels, pairs given")
	table.print(&got)
	fmt.Fprintln(&got)
	fmt.Fprintln(&got, "Czech novels, from an index of 7-grams")
	c, err := readCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &searchBench{searchOptions: searchOptions{dir: dir, n: 7, run: 10}, corpus: c, index: filepath.Join(t.TempDir(), "index"), checked: map[string]*checked{}}
	if err := errors.Join(s.joinTexts(""), s.makeIndex(t.Context(), io.Discard), s.checkAll(t.Context(), io.Discard)); err != nil {
		t.Fatal(err)
	}
	s.printFound(&got)
	if err := s.printScores(&got); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "planted.txt", got.String())
}

// smallCorpus writes a corpus with one pair that shares a passage and one that
// shares none.
func smallCorpus(t *testing.T) (dir string, truth plagdet.Case) {
	t.Helper()
	dir = t.TempDir()
	const passage = "Žluťoučký kůň úpěl ďábelské ódy, zatímco babička v malé chaloupce na slezských hranicích spokojeně dřímala u kamen"
	suspect := "Začátek, který nikdo neopsal. " + passage + ". Konec podezřelého textu zní jinak."
	source := "\ufeffÚvod pramene je také jeho vlastní. " + passage + ", a tak dále."
	files := map[string]string{
		"susp/s1.txt": suspect, "src/q1.txt": source, "src/q2.txt": "Zcela jiný text o jiných věcech.",
		"copies/pairs": "s1.txt q1.txt\n", "clean/pairs": "s1.txt q2.txt\n", "notes/readme": "no part",
	}
	at := func(text string) plagdet.Span {
		from := utf8.RuneCountInString(text[:strings.Index(text, passage)])
		return plagdet.Span{Start: from, End: from + utf8.RuneCountInString(passage)}
	}
	truth = plagdet.Case{Suspect: at(suspect), Source: at(source)}
	files["copies/s1-q1.xml"] = fmt.Sprintf(`<document reference="s1.txt"><feature name="plagiarism" this_offset="%d" this_length="%d" source_reference="q1.txt" source_offset="%d" source_length="%d"/></document>`,
		truth.Suspect.Start, truth.Suspect.End-truth.Suspect.Start, truth.Source.Start, truth.Source.End-truth.Source.Start)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, truth
}

const smallTable = `part                          pairs  cases  passages   recall  precision  granularity  plagdet
clean                             1      0         0
copies                            1      1         1   1.0000     1.0000       1.0000   1.0000
all                               2      1         1   1.0000     1.0000       1.0000   1.0000
0 of 1 pairs without copies have a passage
`

func TestCompareWritesWhatScoreReads(t *testing.T) {
	dir, truth := smallCorpus(t)
	out := t.TempDir()
	var compared, scored, errs bytes.Buffer
	if status := program.Run(t.Context(), []string{"compare", "--corpus", dir, "--out", out}, &compared, &errs); status != 0 {
		t.Fatalf("compare: status %d: %s", status, errs.String())
	}
	if got, _, _ := strings.Cut(compared.String(), "0 of 1"); !strings.HasPrefix(smallTable, got) {
		t.Errorf("compare printed\n%s\nwant\n%s", &compared, smallTable)
	}
	found, err := plagdet.ReadFile(filepath.Join(out, "copies", "s1-q1.xml"))
	if err != nil || len(found) != 1 || found[0] != truth {
		t.Errorf("detections %v, %v, want %v", found, err, truth)
	}
	if _, err := os.Stat(filepath.Join(out, "clean", "s1-q2.xml")); err != nil {
		t.Errorf("a pair without passages has no file: %v", err)
	}
	if status := program.Run(t.Context(), []string{"score", "--corpus", dir, "--detections", out}, &scored, &errs); status != 0 {
		t.Fatalf("score: status %d: %s", status, errs.String())
	}
	if scored.String() != smallTable {
		t.Errorf("score printed\n%s\nwant\n%s", &scored, smallTable)
	}
}

func TestMisuse(t *testing.T) {
	tests := []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 2, "usage: pan COMMAND"},
		{[]string{"dance"}, 2, "usage: pan COMMAND"},
		{[]string{"compare"}, 1, "--corpus is missing"},
		{[]string{"compare", "--corpus", "."}, 1, "no folder in it has a file named pairs"},
		{[]string{"compare", "--corpus", "testdata", "--half", "third"}, 1, "no folder"},
		{[]string{"score", "--corpus", "."}, 1, "--detections is missing"},
	}
	for _, tt := range tests {
		var errs bytes.Buffer
		if status := program.Run(t.Context(), tt.args, &bytes.Buffer{}, &errs); status != tt.status || !strings.Contains(errs.String(), tt.want) {
			t.Errorf("pan %v: status %d, %q, want %d, %q", tt.args, status, errs.String(), tt.status, tt.want)
		}
	}
}

func TestHalves(t *testing.T) {
	for _, tt := range []struct {
		half, name string
		want       bool
	}{
		{"even", "suspicious-document00014.txt", true},
		{"odd", "suspicious-document00014.txt", false},
		{"odd", "suspicious-document00007.txt", true},
		{"all", "suspicious-document00007.txt", true},
		{"even", "thesis.txt", true},
	} {
		pleases, err := halfOf(tt.half)
		if err != nil {
			t.Fatal(err)
		}
		if got := pleases(tt.name); got != tt.want {
			t.Errorf("half %s takes %s: %v, want %v", tt.half, tt.name, got, tt.want)
		}
	}
	if _, err := halfOf("third"); err == nil {
		t.Error("halfOf(third) = nil, want an error")
	}
}

func TestRunePlaces(t *testing.T) {
	for _, text := range []string{"", "abc", strings.Repeat("žluť kůň 🐎 ", 1000), strings.Repeat("\xff\x80é", 2000)} {
		p := newRunePlaces(text)
		n := 0
		for i := range text {
			if got := p.at(i); got != n {
				t.Fatalf("%.10q: at(%d) = %d, want %d", text, i, got, n)
			}
			n++
		}
		if got := p.at(len(text)); got != n {
			t.Errorf("%.10q: at its end = %d, want %d", text, got, n)
		}
	}
}

// Every kind of key names the source of the one pair that shares a passage.
func TestKeys(t *testing.T) {
	dir, _ := smallCorpus(t)
	var out bytes.Buffer
	if status := program.Run(t.Context(), []string{"keys", "--corpus", dir}, &out, &out); status != 0 {
		t.Fatalf("status %d: %s", status, &out)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 1+len(keyKinds) {
		t.Fatalf("%d lines, want a heading and one for each kind:\n%s", len(lines), &out)
	}
	for _, line := range lines[1:4] { // no word is rare where each is in half of the sources
		if !strings.Contains(line, "100.0 %, 100.0 %") {
			t.Errorf("the source is not named: %s", line)
		}
	}
}

// Joined texts have the true cases at other places, and the same table.
func TestBooksAndTheses(t *testing.T) {
	dir, _ := smallCorpus(t)
	for _, joined := range [][]string{nil, {"--books", "2"}, {"--thesis", "2"}, {"--books", "40", "--thesis", "40"}} {
		var out bytes.Buffer
		if status := program.Run(t.Context(), append([]string{"search", "--corpus", dir}, joined...), &out, &out); status != 0 {
			t.Fatalf("%v: status %d: %s", joined, status, &out)
		}
		if !strings.Contains(out.String(), smallTable) {
			t.Errorf("%v: printed\n%s\nwant\n%s", joined, &out, smallTable)
		}
	}
	var out bytes.Buffer
	if status := program.Run(t.Context(), []string{"search", "--corpus", dir, "--books", "2", "--out", dir}, &out, &out); status != 1 || !strings.Contains(out.String(), "cannot be combined") {
		t.Errorf("--books with --out: status %d, %s", status, &out)
	}
}

func TestSample(t *testing.T) {
	c := &corpus{suspects: []string{"a", "b", "c", "d", "e"}}
	if c.sample(2); fmt.Sprint(c.suspects) != "[a c e]" {
		t.Errorf("every second suspect: %v", c.suspects)
	}
}
