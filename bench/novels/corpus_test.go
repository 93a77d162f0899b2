package novels

import (
	"encoding/xml"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// made returns the files of a corpus from the novels in the repository.
func made(t *testing.T, seed uint64, suspects int) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "corpus")
	o := Options{Sources: "../../samples/collection/czech", Hosts: "../../testdata/czech", Seed: seed, Suspects: suspects}
	if err := Make(out, o); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(out, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A truth is the parsed XML of a pair.
type truth struct {
	Reference string `xml:"reference,attr"`
	Features  []struct {
		Name         string `xml:"name,attr"`
		Source       string `xml:"source_reference,attr"`
		Offset       int    `xml:"this_offset,attr"`
		Length       int    `xml:"this_length,attr"`
		SourceOffset int    `xml:"source_offset,attr"`
		SourceLength int    `xml:"source_length,attr"`
	} `xml:"feature"`
}

// cut returns the words in a range of code points; a word that the range cuts
// shows as one that is not in the other text.
func cut(text string, offset, length int) []string {
	return strings.Fields(string([]rune(text)[offset : offset+length]))
}

// common returns the share of the words of the longer list that the other one
// has too, each as often as it occurs there.
func common(a, b []string) float64 {
	left := map[string]int{}
	for _, w := range a {
		left[w]++
	}
	n := 0
	for _, w := range b {
		if left[w] > 0 {
			left[w]--
			n++
		}
	}
	return float64(n) / float64(max(len(a), len(b)))
}

func TestTruth(t *testing.T) {
	const suspects = 12
	files := made(t, 1, suspects)
	tests := []struct {
		folder   string
		features int     // in each pair at least
		share    float64 // of words in common, at least
		verbatim bool
	}{
		{"01-no-plagiarism", 0, 0, false},
		{"02-no-obfuscation", 1, 1, true},
		{"03-words-swapped", 1, 0.55, false},
		{"04-words-left-out", 1, 0.65, false},
		{"05-sentences-reordered", 1, 1, false},
		{"06-two-sources-woven", 1, 1, true},
		{"07-heavy-paraphrase", 1, 0.2, false},
		{"08-merged-and-split", 1, 0.5, false},
	}
	var all strings.Builder
	for _, tt := range tests {
		pairs := strings.Split(strings.TrimSpace(files[tt.folder+"/pairs"]), "\n")
		if want := suspects * 3; len(pairs) < want {
			t.Errorf("%s: %d pairs, want %d at least", tt.folder, len(pairs), want)
		}
		all.WriteString(files[tt.folder+"/pairs"])
		for _, pair := range pairs {
			suspect, source, _ := strings.Cut(pair, " ")
			name := tt.folder + "/" + pairName(suspect, source)
			var got truth
			if err := xml.Unmarshal([]byte(files[name]), &got); err != nil || got.Reference != suspect {
				t.Fatalf("%s is about %q: %v", name, got.Reference, err)
			}
			if len(got.Features) < tt.features || tt.features == 0 && len(got.Features) > 0 {
				t.Errorf("%s: %d features, want %d", name, len(got.Features), tt.features)
			}
			for _, f := range got.Features {
				if f.Name != "plagiarism" || f.Source != source {
					t.Errorf("%s: feature %q of %q", name, f.Name, f.Source)
				}
				this := cut(files["susp/"+suspect], f.Offset, f.Length)
				that := cut(files["src/"+source], f.SourceOffset, f.SourceLength)
				if share := common(this, that); share < tt.share {
					t.Errorf("%s: passage at %d has %.2f of its words in common with the source, want %.2f\n%q\n%q", name, f.Offset, share, tt.share, this, that)
				}
				if same := slices.Equal(this, that); same != tt.verbatim {
					t.Errorf("%s: passage at %d is word for word as its source: %v, want %v", name, f.Offset, same, tt.verbatim)
				}
			}
		}
	}
	if files["pairs"] != all.String() {
		t.Error("pairs is not that of the folders together")
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	a := made(t, 7, 2)
	if !maps.Equal(a, made(t, 7, 2)) {
		t.Error("the same seed gave other files")
	}
	if maps.Equal(a, made(t, 8, 2)) {
		t.Error("another seed gave the same files")
	}
}

func TestMakeErrors(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const novels = "../../testdata/czech"
	tests := []struct{ name, out, sources, want string }{
		{"no novels", t.TempDir(), full, "no .txt or .xml file in " + full},
		{"not empty", full, novels, full + " is not empty"},
	}
	for _, tt := range tests {
		err := Make(tt.out, Options{Sources: tt.sources, Hosts: novels, Seed: 1, Suspects: 1})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// A folder of TEI files alone is enough: every fourth one is copied into.
func TestOneFolderOfTEI(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "corpus")
	for i, novel := range []string{"eins", "zwei", "drei", "Gast"} {
		body := "<TEI><teiHeader><title>Kopf</title></teiHeader><text><body>" +
			strings.Repeat("<p>Das ist "+novel+" von vier. Es hat noch einen Satz.</p>", 600) + "</body></text></TEI>"
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".xml"), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Make(out, Options{Sources: dir, Seed: 1, Suspects: 1}); err != nil {
		t.Fatal(err)
	}
	for glob, want := range map[string]string{"src/*.txt": "eins zwei drei", "susp/*00001.txt": "Gast"} {
		names, _ := filepath.Glob(filepath.Join(out, glob))
		found := map[string]bool{}
		for _, name := range names {
			text, _ := os.ReadFile(name)
			for _, w := range strings.Fields(string(text)) {
				found[w] = true
			}
		}
		for _, w := range []string{"eins", "zwei", "drei", "Gast", "Kopf"} {
			if got := found[w]; got != strings.Contains(want, w) {
				t.Errorf("%s: the word %s is there: %v, want the text of %s", glob, w, got, want)
			}
		}
	}
}
