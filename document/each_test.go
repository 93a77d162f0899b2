package document_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/archive/sevenzip/seventest"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

func TestEach(t *testing.T) {
	const vertical = `<doc id="a1" title="A &amp; B" author="Novák">
<p>
<s>
Psi	pes	k1
běží	běžet	k5
<g/>
.	.	kI
</s>
</p>
<p>
Dál
</p>
</doc>
<doc>
druhý
</doc>
`
	inner := zipped.Of("c.txt", "three")
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"one.txt", []byte("one"), []string{` text txt: "one"`}},
		{"one.txt.gz", sample.Gzipped(t, []byte("one"), ""), []string{` text txt: "one"`}},
		{"one.gz", sample.Gzipped(t, []byte("<p>one"), "page.html"), []string{` html html: "one"`}},
		{"some.zip", zipped.Of("a.txt", "one", "dir/", "", "dir/b.html", "<p>two", ".hidden", "no", "__MACOSX/a.txt", "no"),
			[]string{`!/a.txt text txt: "one"`, `!/dir/b.html html html: "two"`}},
		{"some.tar", sample.Tarred(t, "a.txt", "one", "b.txt.gz", string(sample.Gzipped(t, []byte("two"), ""))),
			[]string{`!/a.txt text txt: "one"`, `!/b.txt.gz text txt: "two"`}},
		{"some.tar.gz", sample.Gzipped(t, sample.Tarred(t, "a.txt", "one"), ""), []string{`!/a.txt text txt: "one"`}},
		{"document.zip", zipped.Of("a.docx", string(sample.DOCX("<w:p><w:r><w:t>one</w:t></w:r></w:p>"))), []string{`!/a.docx docx docx: "one"`}},
		{"bad members.zip", zipped.Of("../a.txt", "one", "/etc/b.txt", "two", "c.zip", string(inner), "d.tar", string(sample.Tarred(t, "d.txt", "four")), "e.txt", "\x00", "f.txt", "six"),
			[]string{`!/../a.txt: damaged or not whole: its path leads out of the archive`, `!//etc/b.txt: damaged or not whole: its path leads out of the archive`,
				`!/c.zip: archive in an archive`, `!/d.tar: archive in an archive`, `!/e.txt: not text: a NUL character at byte 0`, `!/f.txt text txt: "six"`}},
		{"corpus.vert", []byte(vertical), []string{`!/a1 vertical vert: "Psi běží.\n\nDál"`, `!/2 vertical vert: "druhý"`}},
		{"corpus.vert.gz", sample.Gzipped(t, []byte(vertical), ""), []string{`!/a1 vertical vert: "Psi běží.\n\nDál"`, `!/2 vertical vert: "druhý"`}},
		{"corpora.zip", zipped.Of("b.vert", vertical, "c.txt", "three"),
			[]string{`!/b.vert!/a1 vertical vert: "Psi běží.\n\nDál"`, `!/b.vert!/2 vertical vert: "druhý"`, `!/c.txt text txt: "three"`}},
		{"same.zip", zipped.Of("a.txt", "one", "a.txt", "two", "a.txt~2", "three"),
			[]string{`!/a.txt text txt: "one"`, `!/a.txt~2 text txt: "two"`, `!/a.txt~2~2 text txt~2: "three"`}},
		{"same.vert", []byte("<doc id=\"a\">\none\n</doc>\n<doc id=\"a\">\ntwo\n</doc>\n"),
			[]string{`!/a vertical vert: "one"`, `!/a~2 vertical vert: "two"`}},
		{"corpus", []byte(vertical), []string{`!/a1 vertical : "Psi běží.\n\nDál"`, `!/2 vertical : "druhý"`}},
	}
	for _, tt := range tests {
		got, err := readtest.All(t, tt.name, tt.data, document.Options{})
		if err != nil {
			t.Errorf("%s: Each: %v", tt.name, err)
		} else if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: Each =\n%q, want\n%q", tt.name, got, tt.want)
		}
	}
}

func TestVerticalAttributes(t *testing.T) {
	path := readtest.Write(t, "a.vert", "<doc id=\"x\" title=\"A &amp; B\" author='no'>\na\n</doc>\n")
	doc, err := document.Open(t.Context(), path, document.Options{})
	if err != nil || doc.Title != "A & B" || doc.Path != path+"!/x" {
		t.Errorf("Open = %+v, %v, want the title A & B and the path of x", doc, err)
	}
}

func TestOpenMember(t *testing.T) {
	path := readtest.Write(t, "some.zip", string(zipped.Of("a.txt", "one", "dir/b.txt", "two")))
	doc, err := document.Open(t.Context(), path+"!/dir/b.txt", document.Options{})
	if err != nil || doc.Text != "two" || doc.Path != path+"!/dir/b.txt" || doc.Bytes != 3 || doc.Content != "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3" {
		t.Errorf("Open(member) = %+v, %v, want the document two", doc, err)
	}
	if _, err := document.Open(t.Context(), path, document.Options{}); !errors.Is(err, document.ErrMany) {
		t.Errorf("Open(archive): error %v, want %v", err, document.ErrMany)
	}
	for _, members := range [][]string{{"../a.txt", "one", "b.txt", "two"}, {"b.txt", "two", "../a.txt", "one"}} {
		if _, err := document.Open(t.Context(), readtest.Write(t, "bad.zip", string(zipped.Of(members...))), document.Options{}); !errors.Is(err, document.ErrMany) {
			t.Errorf("Open(archive with a bad member): error %v, want %v", err, document.ErrMany)
		}
	}
	if _, err := document.Open(t.Context(), readtest.Write(t, "bad.zip", string(zipped.Of("../a.txt", "one"))), document.Options{}); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("Open(archive of a bad member): error %v, want %v", err, document.ErrDamaged)
	}
	if _, err := document.Open(t.Context(), path+"!/c.txt", document.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open(missing member): error %v, want %v", err, os.ErrNotExist)
	}
}

func TestEachHostile(t *testing.T) {
	const max = 1 << 17
	zeros := bytes.Repeat([]byte("a"), 3*max)
	many := []string{}
	for i := range 40 {
		many = append(many, fmt.Sprintf("%d.txt", i), strings.Repeat("b", max*9/10))
	}
	whole := sample.Tarred(t, "a.txt", "one", "b.txt", strings.Repeat("two ", 1000))
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"bomb.gz", sample.Gzipped(t, zeros, ""), document.ErrTooLarge},
		{"many.zip", zipped.Of(many...), document.ErrTooLarge},
		{"cut.gz", sample.Gzipped(t, zeros, "")[:100], document.ErrDamaged},
		{"cut.tar", whole[:2000], document.ErrDamaged},
		{"bad.gz", []byte("\x1f\x8bnot at all"), document.ErrDamaged},
		{"bad.zip", []byte("PK\x03\x04not at all"), document.ErrDamaged},
	}
	for _, tt := range tests {
		got, err := readtest.All(t, tt.name, tt.data, document.Options{MaxBytes: max})
		// An error of a member is reported for that member.
		if !errors.Is(err, tt.want) && !strings.Contains(strings.Join(got, ""), tt.want.Error()) {
			t.Errorf("%s: Each = %.200q, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	got, err := readtest.All(t, "bomb.zip", zipped.Of("bomb.txt", string(zeros), "good.txt", "good"), document.Options{MaxBytes: max})
	if want := []string{"!/bomb.txt: too large: unpacks to more than 131072 bytes", `!/good.txt text txt: "good"`}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("bomb beside a good file: %q, %v, want %q", got, err, want)
	}
}

func TestEachStops(t *testing.T) {
	stop := errors.New("stop")
	calls := 0
	err := document.Each(t.Context(), readtest.Write(t, "a.zip", string(zipped.Of("a", "one", "b", "two"))), document.Options{}, func(*document.Document, error) error {
		calls++
		return stop
	})
	if err != stop || calls != 1 {
		t.Errorf("Each = %v after %d calls, want the error of the first", err, calls)
	}
}

// TestSevenZip: an archive of 7-Zip is read whatever it is called, and none is read in
// another.
func TestSevenZip(t *testing.T) {
	inner := seventest.Archive{Method: "lzma", Files: []seventest.File{{Name: "a.txt", Content: "some text inside"}}}
	outer := seventest.Archive{Method: "lzma2", Packed: true, Files: []seventest.File{{Name: "b.txt", Content: "some text"}, {Name: "in.7z", Content: string(inner.Bytes())}}}
	for _, name := range []string{"x.7z", "x.data"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, outer.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		err := document.Each(t.Context(), path, document.Options{}, func(d *document.Document, err error) error {
			got[filepath.Base(d.Path)] = fmt.Sprint(d.Text, " ", err)
			return nil
		})
		want := map[string]string{"b.txt": "some text <nil>", "in.7z": " " + document.ErrNested.Error()}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

// TestTableOfNoTexts: a table is read as one text where no column has texts, and says so.
func TestTableOfNoTexts(t *testing.T) {
	for name, want := range map[string]int{"a.csv": 1, "a.txt": 0} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("id,abstract\n1,some words\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := document.Each(t.Context(), path, document.Options{}, func(d *document.Document, err error) error {
			if err != nil || len(d.Notes) != want || want > 0 && d.Notes[0] != document.NoTextColumn {
				t.Errorf("%s: notes %q, %v, want %d", name, d.Notes, err, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestArchiveWithoutTexts: an archive of folders and hidden files alone is an error, and not passed over.
func TestArchiveWithoutTexts(t *testing.T) {
	for _, names := range [][]string{{"theses/"}, {".thesis.txt"}, {"__MACOSX/._thesis.txt", ".DS_Store"}} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.Create(name)
			if err == nil && !strings.HasSuffix(name, "/") {
				_, err = w.Write([]byte("a text"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "class.zip")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		err := document.Each(t.Context(), path, document.Options{}, func(doc *document.Document, err error) error {
			t.Errorf("%q has %s, %v", names, doc.Path, err)
			return nil
		})
		if !errors.Is(err, document.ErrEmpty) {
			t.Errorf("%q: Each = %v, want ErrEmpty", names, err)
		}
	}
}
