package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/corpustest"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
)

// file makes a file of the collection of a text.
func file(form corpus.Form, text string) File {
	return File{Path: "test", Form: form, Tags: plain.DefaultTags, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// runOn returns the output of a run.
func runOn(t testing.TB, o Options, files ...File) (string, Summary) {
	t.Helper()
	o.Norms, o.Field = corpustest.Norms(t), "text"
	var out bytes.Buffer
	sum, err := Run(t.Context(), files, o, corpustest.Folder(t), func(_ int, b []byte) error { out.Write(b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), sum
}

// randomCollection makes a small vertical file with odd tags and much that
// repeats.
func randomCollection(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 3))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var words []string
	for range []int{2, 4, 20, 200}[r.IntN(4)] {
		word := ""
		for range 1 + r.IntN(1+r.IntN(20)) {
			word += string(rune('a' + r.IntN(6)))
		}
		words = append(words, word)
	}
	lines := []string{pick("<doc>", "<doc id=\"1\">", "x", "</doc>", "<p>")}
	var paragraphs [][]string
	for range 1 + r.IntN(12) {
		if r.IntN(10) > 0 {
			lines = append(lines, pick("<doc>", "<doc id=\"2\">", "<document>", "<docs>", "<doc"))
		}
		for range r.IntN(9) {
			if r.IntN(10) > 0 {
				lines = append(lines, pick("<p>", "<p n=\"1\">", "<px>", "<p", "<head>"))
			}
			p := randomParagraph(r, words, paragraphs)
			paragraphs = append(paragraphs, p)
			lines = append(lines, p...)
			if r.IntN(10) < 8 {
				lines = append(lines, pick("</p>", "</p>", "</p>x", "</p >"))
			}
		}
		if r.IntN(10) < 8 {
			lines = append(lines, pick("</doc>", "</doc>", "</doc>y", "</doc >"))
		}
	}
	return strings.Join(lines, "\n") + pick("\n", "")
}

func randomParagraph(r *rand.Rand, words []string, before [][]string) (p []string) {
	if len(before) > 0 && r.IntN(10) < 4 {
		p = append(p, before[r.IntN(len(before))]...)
	} else {
		for range []int{0, 1, 3, 8, 15, 30, 60}[r.IntN(7)] {
			p = append(p, words[r.IntN(len(words))])
		}
	}
	if odd := []string{"", "<", "<s>", "< x", "a\tb", "a longer line with spaces in it"}; len(p) > 0 && r.IntN(10) < 3 {
		p[r.IntN(len(p))] = odd[r.IntN(len(odd))]
	}
	return p
}

// randomOptions are onion's or others that it has too.
func randomOptions(seed uint64) Options {
	o := Defaults()
	o.Mark = true
	r := rand.New(rand.NewPCG(seed, 4))
	o.Smooth = r.IntN(2) == 0
	if r.IntN(2) == 0 {
		o.N, o.Stub, o.Threshold = 1+r.IntN(10), r.IntN(30), float64(r.IntN(11))/10
	}
	return o
}

// TestIsNaive compares random collections with the naive deduplication: each
// with marks, without, or with a filter of the first pass.
func TestIsNaive(t *testing.T) {
	for seed := range uint64(need.Seeds(270)) {
		text, o := randomCollection(seed), randomOptions(seed)
		want := strings.Join(naive(text, o), "\n") + "\n"
		switch seed % 3 {
		case 1:
			o.Mark = false
			want = unmarked(want)
		case 2:
			o.Approximate, o.Memory = true, 1<<20
		}
		if got, _ := runOn(t, o, file(corpus.Vertical, text)); got != want {
			t.Fatalf("seed %d, %+v:\n%s\ngives\n%s\nwant\n%s", seed, o, text, got, want)
		}
	}
}

// unmarked returns the lines that are marked as kept, without their marks.
func unmarked(marked string) string {
	var kept strings.Builder
	for line := range strings.Lines(marked) {
		if line[0] == '0' {
			kept.WriteString(line[2:])
		}
	}
	return kept.String()
}

// TestIsOnion compares with onion 1.2, byte for byte, collisions of its hash
// included.
func TestIsOnion(t *testing.T) {
	onion := os.Getenv("OTISK_ONION")
	if onion == "" {
		t.Skip("OTISK_ONION does not name the program onion 1.2")
	}
	path := filepath.Join(t.TempDir(), "x.vert")
	for seed := range uint64(200) {
		text := randomCollection(seed)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for mode := range 4 {
			o := randomOptions(seed)
			args := []string{"-q", "-n", fmt.Sprint(o.N), "-l", fmt.Sprint(o.Stub), "-t", fmt.Sprint(o.Threshold)}
			if o.Mark = mode&1 == 0; !o.Mark {
				args = append(args, "-s")
			}
			if o.Smooth = mode&2 == 0; !o.Smooth {
				args = append(args, "-m")
			}
			o.OnionHash = true
			want, err := exec.Command(onion, append(args, path)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := runOn(t, o, file(corpus.Vertical, text)); got != string(want) {
				t.Fatalf("seed %d, onion %v:\n%s\ngives\n%s\nwant\n%s", seed, args, text, got, want)
			}
		}
	}
}

// TestManyBlocks has a collection that takes many blocks and ranges of links: each
// document exists twice, and only the first copies stay.
func TestManyBlocks(t *testing.T) {
	var first, all strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	documents := int64(need.Rounds(3000))
	for i := range documents {
		fmt.Fprintf(&first, "<doc id=\"%d\">\n<p>\n", i)
		for range 100 + r.IntN(800) {
			fmt.Fprintf(&first, "w%d\n", r.IntN(1_000_000))
		}
		first.WriteString("</p>\n</doc>\n")
	}
	all.WriteString(first.String())
	all.WriteString(first.String())
	o := Defaults()
	got, sum := runOn(t, o, file(corpus.Vertical, all.String()))
	if got != first.String() {
		t.Errorf("%d bytes stay of twice %d", len(got), first.Len())
	}
	if sum.DroppedDocuments != documents || sum.Documents != 2*documents {
		t.Errorf("%d of %d documents were dropped, want %d of all", sum.DroppedDocuments, sum.Documents, documents)
	}
	o.Memory = 1 << 18 // many rounds for each part, and the bits in a file
	if again, _ := runOn(t, o, file(corpus.Vertical, all.String())); again != got {
		t.Error("with less memory something else stays")
	}
}

// collectionJSON has three documents with a paragraph in common, escapes of all
// kinds, and lines that are not JSON.
const collectionJSON = `{"id":1,"text":"Nothing like it is anywhere else in here, none.\n\nThis p\u00e1r \ud83d\ude00 \"is\" in both of them, \u011b \ud800 word\n\n","x":[1,{"text":""}]}
{"text" : "Something different starts this other one that follows.\r\n\r\nThis p\u00e1r \ud83d\ude00 \"is\" in both of them, ě \ud800 word", "id":2 , "y":"\u00e1"}
{"text":"This p\u00e1r 😀 \"is\" in both of them, \u011b \ud800 word"}

nothing
{"text":7}
`

// TestJSONLines keeps each byte of what stays: escapes, white space, other
// fields, and lines that are no documents.
func TestJSONLines(t *testing.T) {
	o := Defaults()
	o.N, o.Stub = 4, 0
	lines := strings.SplitAfter(collectionJSON, "\n")
	second := strings.Replace(lines[1], `This p\u00e1r \ud83d\ude00 \"is\" in both of them, ě \ud800 word`, "", 1)
	want := lines[0] + second + strings.Join(lines[3:], "")
	got, sum := runOn(t, o, file(corpus.JSONLines, collectionJSON))
	if got != want {
		t.Errorf("what stays is\n%s\nwant\n%s", got, want)
	}
	if sum.Problems != 2 || sum.DroppedDocuments != 1 {
		t.Errorf("%d problems and %d documents dropped, want 2 and 1", sum.Problems, sum.DroppedDocuments)
	}
	o.Mark = true
	marked := strings.NewReplacer(`]}`, `],"duplicate":[0,0]}`, `"\u00e1"}`, `"\u00e1","duplicate":[0,1]}`, `word"}`, `word","duplicate":[1]}`)
	if got, _ := runOn(t, o, file(corpus.JSONLines, collectionJSON)); got != strings.Replace(marked.Replace(collectionJSON), `""}],`, `""}],`, 1) {
		t.Errorf("marked\n%s", got)
	}
}

// TestText keeps paragraphs of plain text with the bytes between them.
func TestText(t *testing.T) {
	o := Defaults()
	o.N, o.Stub = 4, 0
	const repeated = "Here are several words\r\nthat the text repeats.\r\n\r\n"
	const text = "\n" + repeated + "  Between are others, which nobody else has.\n \n" + repeated + "And the end is another one again."
	got, _ := runOn(t, o, file(corpus.Whole, text))
	if want := strings.Replace(text, repeated+"And", "And", 1); got != want {
		t.Errorf("what stays is %q, want %q", got, want)
	}
	o.Mark = true
	got, _ = runOn(t, o, file(corpus.Whole, text))
	if want := 4; strings.Count(got, "1\t") != 3 || len(strings.SplitAfter(got, "\n")) != len(strings.SplitAfter(text, "\n")) {
		t.Errorf("marked is %q, want %d lines with 1", got, want)
	}
	got, sum := runOn(t, o, file(corpus.Whole, "\xff is not text"))
	if got != "0\t\xff is not text" || sum.Problems != 1 {
		t.Errorf("invalid UTF-8 gives %q with %d problems, want it as it is with 1", got, sum.Problems)
	}
}

// TestTuples has the rule of n-grams within sentences: a repeated sentence between
// two new paragraphs stays, at the end it goes.
func TestTuples(t *testing.T) {
	o := Defaults()
	o.Rule, o.N = Tuples, 3
	const again, one, two = "It is a sentence that comes again.\n\n", "The first one is new here and long.\n\n", "Then comes one more that is new.\n\n"
	for _, tt := range []struct{ text, want string }{
		{one + again, one + again},
		{again + one + again + two, again + one + again + two},
		{again + one + again, again + one},
		{one + again + "It is a sentence that comes again.\n\nFew.\n\n" + two, one + again + two},
	} {
		if got, _ := runOn(t, o, file(corpus.Whole, tt.text)); got != tt.want {
			t.Errorf("of\n%s\nstays\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}

// TestTuplesThreshold has just the share that is allowed stay: 7 of 10 n-grams.
func TestTuplesThreshold(t *testing.T) {
	o := Defaults()
	o.Rule, o.N, o.Threshold = Tuples, 1, 0.7
	const first, again = "a b c d e f g\n\n", "a b c d e f g x y z\n\n"
	if got, _ := runOn(t, o, file(corpus.Whole, first+again)); got != first+again {
		t.Errorf("stays %q, want all", got)
	}
}

// TestTuplesBetweenTags has tags without a token between them be no paragraph that another is beside: a
// short first or last paragraph stays, and so does a repeated one beside them between two that stay.
func TestTuplesBetweenTags(t *testing.T) {
	p := func(words string) string { return "<p>\n" + strings.ReplaceAll(words, " ", "\n") + "\n</p>\n" }
	const again = "it is what comes again"
	one, two := p("the first one is new"), p("then another that is not old")
	o := Defaults()
	o.Rule, o.N = Tuples, 3
	first := "<doc>\n" + p(again) + "</doc>\n"
	for _, tt := range []struct{ text, dropped string }{
		{"<doc>\n" + p("a title") + one + p("the end") + "</text>\n</doc>\n", ""},
		{"<doc>\n<div>\n" + one + "</div>\n<div>\n" + p(again) + "</div>\n<div>\n" + two + "</div>\n</doc>\n", ""},
		{"<doc>\n" + p(again) + one + "</doc>\n", p(again)},
	} {
		want := first + strings.Replace(tt.text, tt.dropped, "", 1)
		if got, _ := runOn(t, o, file(corpus.Vertical, first+tt.text)); got != want {
			t.Errorf("of\n%s\nstays\n%s\nwant\n%s", first+tt.text, got, want)
		}
	}
}

// TestWhatIsCompared has documents that differ in tags, case or punctuation, and
// are the same by a column, by words, or as a whole.
func TestWhatIsCompared(t *testing.T) {
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	doc := func(format string, words string) string {
		text := "<doc>\n"
		for _, w := range strings.Fields(words) {
			text += fmt.Sprintf(format, w) + "\n"
		}
		return text + "</doc>\n"
	}
	const words = "one two three four five six seven eight nine ten"
	for _, tt := range []struct {
		name          string
		set           func(*Options)
		first, second string
	}{
		{"column 1", func(o *Options) { o.Column = 1 }, doc("%s\tA", words), doc("%s\tB", words)},
		{"column 2", func(o *Options) { o.Column = 2 }, doc("A\t%s", words), doc("B\t%s\tC", words)},
		{"words", func(o *Options) { o.Words = norm }, doc("%s", words), doc("%s", strings.ToUpper(words)+" , .")},
		{"whole documents", func(o *Options) { o.Documents = true }, doc("%s", words), strings.Replace(doc("%s", words), "six", "</p>\n<p>\nsix", 1)},
	} {
		o := Defaults()
		o.Smooth = false
		if tt.set(&o); !o.Documents {
			if got, _ := runOn(t, Options{N: 7, Threshold: 0.5, MaxDoc: 1 << 20, Memory: 1 << 20}, file(corpus.Vertical, tt.first+tt.second)); got != tt.first+tt.second {
				t.Errorf("%s: by whole lines %q stays", tt.name, got)
			}
		}
		if got, _ := runOn(t, o, file(corpus.Vertical, tt.first+tt.second)); got != tt.first {
			t.Errorf("%s: %q stays, want the first document", tt.name, got)
		}
	}
}

// TestNoColumn names a document with tokens that do not have the column, and compares those as
// they are: they are not all the same.
func TestNoColumn(t *testing.T) {
	o := Defaults()
	o.Smooth, o.Column = false, 2
	var bad []string
	o.Problem = func(where string, err error) { bad = append(bad, where+": "+err.Error()) }
	one := "<doc>\n" + strings.Join(strings.Fields("one two three four five six seven eight nine"), "\n") + "\n\n</doc>\n"
	two, three := strings.ReplaceAll(one, "t", "d"), "<doc>\na\tone\n\n</doc>\n"
	got, _ := runOn(t, o, file(corpus.Vertical, one+two+three+one))
	if got != one+two+three {
		t.Errorf("%q stays", got)
	}
	const want = "test: byte 6: it has no column 2; such tokens are compared as they are"
	if len(bad) != 3 || bad[0] != want {
		t.Errorf("named are %q, want 3, the first %q", bad, want)
	}
}

// TestTooLong has a document that is longer than the limit stay as it is, whatever
// it repeats, and the others judged.
func TestTooLong(t *testing.T) {
	small := "<doc>\n" + strings.Repeat("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", 10) + "</doc>\n"
	large := "<doc>\n" + strings.Repeat("word\n", 700_000) + "</doc>\n"
	o := Defaults()
	o.Smooth, o.MaxDoc, o.Threshold = false, 1<<20, 0.99
	got, sum := runOn(t, o, file(corpus.Vertical, small+large+large+small))
	if got != small+large+large || sum.Problems != 2 || sum.DroppedDocuments != 1 {
		t.Errorf("%d bytes stay with %d problems, %d documents dropped; want %d, 2, 1", len(got), sum.Problems, sum.DroppedDocuments, len(small)+2*len(large))
	}
	o.Mark = true
	got, _ = runOn(t, o, file(corpus.Vertical, large))
	if want := strings.ReplaceAll(strings.TrimSuffix("0\t"+large, "\n"), "\n", "\n0\t") + "\n"; got != want {
		t.Errorf("marked, a long document has %d bytes, want %d", len(got), len(want))
	}
}

// TestCutOff ends at a stream that is cut off, and does not take what there is for all.
func TestCutOff(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("..", "testdata", "x.vert.gz"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.vert.gz")
	if err := os.WriteFile(path, whole[:len(whole)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	cut := File{Path: "x.vert.gz", Form: corpus.Vertical, Tags: plain.DefaultTags, Open: func() (io.ReadCloser, error) { return corpus.OpenStream(path, nil, plain.DefaultTags) }}
	_, err = Run(t.Context(), []File{cut}, Defaults(), corpustest.Folder(t), func(int, []byte) error { return nil })
	if !errors.Is(err, document.ErrDamaged) || !strings.Contains(err.Error(), "x.vert.gz") {
		t.Errorf("a stream that is cut off ends with %v", err)
	}
}

// TestMarkOfUTF8 judges the first line of JSON after a mark, which stays.
func TestMarkOfUTF8(t *testing.T) {
	o := Defaults()
	o.Smooth = false
	line := `{"text":"one two three four five six seven eight nine"}` + "\n"
	if got, sum := runOn(t, o, file(corpus.JSONLines, "\ufeff"+line+line)); got != "\ufeff"+line || sum.Problems != 0 {
		t.Errorf("%q stays, with %d problems", got, sum.Problems)
	}
}

// TestWordsNotUTF8 names documents whose words are compared and are not UTF-8, and does not take
// tokens for the same that differ there.
func TestWordsNotUTF8(t *testing.T) {
	norm, _ := corpustest.Norms(t).For("text/vertical", "vert")
	doc := func(token string) string { return "<doc>\n" + strings.Repeat("k"+token+"\n", 9) + "</doc>\n" }
	text := doc("\xf9\xf2") + doc("\xe1\xf2") + doc("\xf9\xf2") + doc("ůň") + doc("ŮŇ")
	for _, approximate := range []bool{false, true} {
		o := Defaults()
		o.Words, o.Documents, o.Approximate = norm, true, approximate
		o.Threshold = 0.9 // in each document the last two of nine tokens are in n-grams that occurred before
		var bad []string
		o.Problem = func(where string, err error) { bad = append(bad, where+": "+err.Error()) }
		got, _ := runOn(t, o, file(corpus.Vertical, text))
		if got != doc("\xf9\xf2")+doc("\xe1\xf2")+doc("ůň") || len(bad) != 3 || bad[0] != "test: byte 6: its bytes are not UTF-8; tokens that are not are compared as they are" {
			t.Errorf("it becomes %q, problems %q", got, bad)
		}
	}
}

// TestUnbalanced names documents without an end or a start, and writes them as they are.
func TestUnbalanced(t *testing.T) {
	const balanced = "<corpus>\n<doc id=\"a\">\nx\n</doc>\n\n<doc>\ny\n</doc>\n</corpus>\n"
	for text, want := range map[string][]string{
		balanced: nil,
		"<doc>\nx\n<doc>\ny\n</doc>\nstray\nwords\n<doc>\nz\n": {"byte 0: " + corpus.ErrNoEnd.Error(), "byte 23: " + corpus.ErrNoStart.Error(), "byte 35: " + corpus.ErrNoEnd.Error()},
	} {
		o := Defaults()
		o.Smooth = false
		for _, o.Approximate = range []bool{false, true} {
			var bad []string
			o.Problem = func(where string, err error) { bad = append(bad, strings.TrimPrefix(where, "test: ")+": "+err.Error()) }
			got, sum := runOn(t, o, file(corpus.Vertical, text))
			if !slices.Equal(bad, want) || sum.Problems != len(want) || got != text && text != balanced {
				t.Errorf("%q becomes %q with problems %q, want %q", text, got, bad, want)
			}
		}
	}
}
