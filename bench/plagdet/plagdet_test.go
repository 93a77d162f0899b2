package plagdet

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// at makes a case from offsets: suspect from, to, source from, to.
func at(a, b, c, d int) Case { return Case{Span{a, b}, Span{c, d}} }

func TestScore(t *testing.T) {
	truth := []Case{at(0, 100, 0, 100), at(200, 300, 500, 600)}
	tests := []struct {
		name                           string
		truth, detected                []Case
		recall, precision, granularity float64
	}{
		{"all found", truth, truth, 1, 1, 1},
		{"nothing found", truth, nil, 0, 0, 1},
		{"nothing there", nil, []Case{at(0, 10, 0, 10)}, 0, 0, 1},
		{"one of two", truth, truth[:1], 0.5, 1, 1},
		{"half of one side", truth[:1], []Case{at(0, 50, 0, 100)}, 0.75, 1, 1},
		{"too long", truth[:1], []Case{at(0, 200, 0, 100)}, 1, 2.0 / 3, 1},
		{"in two pieces", truth[:1], []Case{at(0, 40, 0, 40), at(60, 100, 60, 100)}, 0.8, 1, 2},
		{"pieces that overlap count once", truth[:1], []Case{at(0, 60, 0, 60), at(40, 100, 40, 100)}, 1, 1, 2},
		{"right suspect, wrong source", truth, []Case{at(0, 100, 500, 600)}, 0, 0, 1},
		{"two cases in one detection", truth, []Case{at(0, 300, 0, 600)}, 1, 400.0 / 900, 1},
	}
	for _, tt := range tests {
		var sum Tally
		sum.Add(tt.truth, tt.detected)
		got := sum.Score()
		if !near(got.Recall, tt.recall) || !near(got.Precision, tt.precision) || !near(got.Granularity, tt.granularity) {
			t.Errorf("%s: recall %.4f precision %.4f granularity %.4f, want %.4f %.4f %.4f", tt.name,
				got.Recall, got.Precision, got.Granularity, tt.recall, tt.precision, tt.granularity)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestPlagdetDividesByGranularity(t *testing.T) {
	var sum Tally
	sum.Add([]Case{at(0, 100, 0, 100)}, []Case{at(0, 50, 0, 50), at(50, 100, 50, 100)})
	if got, want := sum.Score().Plagdet, 1/math.Log2(3); !near(got, want) {
		t.Errorf("plagdet of one case in two pieces = %.5f, want %.5f", got, want)
	}
}

func TestMergeIsAdd(t *testing.T) {
	var one, a, b Tally
	cases, found := []Case{at(0, 100, 0, 100), at(300, 350, 300, 350)}, []Case{at(0, 50, 0, 50), at(60, 100, 60, 100)}
	one.Add(cases, found)
	one.Add(cases, nil)
	a.Add(cases, found)
	b.Add(cases, nil)
	a.Merge(b)
	if a != one {
		t.Errorf("merged %+v, want %+v", a, one)
	}
}

func TestWriteIsRead(t *testing.T) {
	want := []Case{at(0, 5, 7, 9), at(10, 20, 30, 41)}
	var b bytes.Buffer
	if err := Write(&b, `a&"b".txt`, "c<d>.txt", want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("read %v, want %v", got, want)
	}
}

func TestReadSkipsOtherFeatures(t *testing.T) {
	got, err := Read(strings.NewReader(`<document reference="a.txt">
	<feature name="about" authors="x" title="y"/>
	<feature name="md5" value="00"/>
	<feature name="plagiarism" this_offset="1" this_length="2" source_reference="s.txt" source_offset="3" source_length="4" type="artificial"/>
</document>`))
	if err != nil || len(got) != 1 || got[0] != at(1, 3, 3, 7) {
		t.Errorf("Read = %v, %v, want one case 1-3 of 3-7", got, err)
	}
}

func TestReadPairsNamesTheLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pairs")
	if err := os.WriteFile(name, []byte("a.txt b.txt\n\na.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPairs(name); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("ReadPairs = %v, want an error that names line 3", err)
	}
}

// The organisers' scorer, on detections of a simple detector: OTISK_PAN_SAMPLE
// names the folder of those, OTISK_PAN that of the truth.
func TestAgainstOrganisersScorer(t *testing.T) {
	truth := os.Getenv("OTISK_PAN")
	sample := os.Getenv("OTISK_PAN_SAMPLE")
	if truth == "" || sample == "" {
		t.Skip("OTISK_PAN and OTISK_PAN_SAMPLE do not name folders")
	}
	tests := []struct {
		part                                    string
		plagdet, recall, precision, granularity float64
	}{
		{"02-no-obfuscation", 0.95857, 0.99718, 0.94864, 1.01997},
		{"03-random-obfuscation", 0.26004, 0.15155, 0.98424, 1.01404},
		{"05-summary-obfuscation", 0.08145, 0.05483, 0.99994, 1.42222},
	}
	for _, tt := range tests {
		sum, err := Folder(filepath.Join(truth, tt.part), filepath.Join(sample, tt.part))
		if err != nil {
			t.Fatal(err)
		}
		got := sum.Score()
		for _, x := range []struct {
			name      string
			got, want float64
		}{
			{"plagdet", got.Plagdet, tt.plagdet}, {"recall", got.Recall, tt.recall},
			{"precision", got.Precision, tt.precision}, {"granularity", got.Granularity, tt.granularity},
		} {
			if math.Abs(x.got-x.want) > 1e-4 {
				t.Errorf("%s: %s = %.5f, want %.5f", tt.part, x.name, x.got, x.want)
			}
		}
	}
}
