package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document/layout"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestTime stops reading after the limit of time, in every format and within
// archives.
func TestTime(t *testing.T) {
	for name, data := range sampleFiles(t) {
		got, err := all(t, name, data, Options{Time: 1})
		if says := fmt.Sprint(got, err); !strings.Contains(says, "too large: takes longer than 1ns to read") {
			t.Errorf("%s: %s, want the limit", name, says)
		}
	}
}

// A countdown is a context that ends after it was looked at so often.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestReadersLook checks that every reader looks at its context again and again.
func TestReadersLook(t *testing.T) {
	const czech = "Příliš žluťoučký kůň úpěl\nďábelské ódy. "
	long := strings.Repeat(czech, 20_000)
	files := map[string][]byte{
		"a.txt":  encode(t, strings.Repeat(long, 5), "windows-1250"),
		"a.html": []byte("<html><p>" + strings.ReplaceAll(long, "\n", "<p>")),
		"b.html": []byte("<html><p>" + long),
		"a.md":   []byte(long),
		"a.tex":  []byte(long),
		"a.xml":  []byte("<?xml version='1.0'?><a><p>" + strings.ReplaceAll(long, "\n", "</p><p>") + "</p></a>"),
		"a.rtf":  []byte(`{\rtf1 ` + strings.Repeat(`\'9elu\par `, 20_000) + "}"),
		"a.docx": docx(t, strings.Repeat("<w:p><w:r><w:t>"+czech+"</w:t></w:r></w:p>", 5_000)),
		"a.odt":  odt(t, "", strings.Repeat("<text:p>"+czech+"</text:p>", 5_000)),
		"a.fodt": []byte(`<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>` +
			strings.Repeat("<text:p>"+czech+"</text:p>", 5_000) + "</office:text></office:body></office:document>"),
		"a.eml":  mailed("", long),
		"a.epub": epub(t, "<html><p>"+strings.ReplaceAll(long, "\n", "<p>")),
		"a.vert": []byte("<doc>\n" + strings.Repeat("kůň\tkůň\n", 20_000) + "</doc>\n"),
	}
	for _, ext := range []string{"adoc", "rst", "org", "typ"} {
		files["a."+ext] = []byte(long)
	}
	files["a.srt"] = []byte(strings.Repeat("1\n00:00:01,000 --> 00:00:02,000\n"+czech+"\n\n", 5_000))
	files["a.ipynb"] = []byte(`{"cells":[{"cell_type":"markdown","source":"` + strings.ReplaceAll(long, "\n", `\n`) + `"}],"nbformat":4}`)
	files["a.dbk"] = []byte("<article><para>" + strings.ReplaceAll(long, "\n", "</para><para>") + "</para></article>")
	files["a.nxml"] = []byte("<article><p>" + strings.ReplaceAll(long, "\n", "</p><p>") + "</p></article>")
	files["a.djvu"] = djvuOf(slices.Repeat([]string{czech}, 2000)...)
	files["a.xls"] = oldBook([]string{czech}, slices.Repeat([]string{xlsRecord(0x00FD, shorts(0, 0, 0), numbers(0))}, 5_000)...)
	files["a.ppt"] = oldSlides("", strings.Repeat(czech+"\r", 5_000), "", false)
	files["a.mobi"] = mobi(1, slices.Repeat([]string{"<p>" + czech}, 1000)...)
	files["a.pptx"] = pptx(t, "", strings.Repeat(slideShape("body", czech), 5_000))
	files["a.odp"] = odf("oasis.opendocument.presentation", "", strings.Repeat("<draw:page><text:p>"+czech+"</text:p></draw:page>", 5_000))
	files["a.xlsx"] = xlsx(t, strings.Repeat("<row><c><v>1</v></c></row>", 5_000))
	files["a.ods"] = odf("oasis.opendocument.spreadsheet", "", "<table:table>"+strings.Repeat("<table:table-row><table:table-cell><text:p>"+czech+"</text:p></table:table-cell></table:table-row>", 5_000)+"</table:table>")
	files["a.doc"] = oldWord(slices.Repeat([]docTestPiece{{text: czech + "\r"}}, 5_000))
	read := map[string]bool{"pdf": true} // has an engine of its own
	for name, data := range files {
		f, err := find(data, extension(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read[f.name] = true
		ctx := &countdown{t.Context(), 5}
		if _, err := f.read(ctx, Options{}.source(data, extension(name))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, and %d looks at the context left of 5", name, err, ctx.looks)
		}
	}
	for _, f := range formats {
		if !read[f.name] {
			t.Errorf("%s: no long file of it here", f.name)
		}
	}
}

// within fails the test if reading takes longer than any machine needs.
func within(t *testing.T, name string, data []byte, opts Options) error {
	t.Helper()
	const most = 20 * time.Second
	start := time.Now()
	_, err := all(t, name, data, opts)
	if took := time.Since(start); took > most {
		t.Errorf("%s: %d bytes took %v under a limit of %v", name, len(data), took, opts.Time)
	}
	return err
}

// TestPDFWaits checks that a PDF does not spend its time while others have all the
// engines.
func TestPDFWaits(t *testing.T) {
	const limit = 2 * time.Second
	data := makePDF(at(50, 600, "text"))
	var others []func()
	for range runtime.GOMAXPROCS(0) {
		done, err := layout.Ready(t.Context(), Options{}.source(data, "pdf"))
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, done)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := read(ctx, &Document{}, data, Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for longer than the caller does: error %v, want %v", err, context.DeadlineExceeded)
	}
	time.AfterFunc(limit+limit/4, func() {
		for _, done := range others {
			done()
		}
	})
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{Time: limit}); err != nil || doc.Text != "text" {
		t.Errorf("after waiting for longer than its limit: text %q, %v", doc.Text, err)
	}
}

// TestStyleSheets reads style sheets that were made to take quadratic time.
func TestStyleSheets(t *testing.T) {
	const rules, paragraphs = 20_000, 20_000
	many := need.Rounds(300_000)
	body := strings.Repeat("<p class=a>b", paragraphs)
	for what, sheet := range map[string]string{
		"guessed":   strings.Repeat("[x]{background:red}", rules),
		"nested":    strings.Repeat("@media a{", many),
		"unclosed":  strings.Repeat("a{", many),
		"brackets":  strings.Repeat("a[(", many),
		"strings":   strings.Repeat("a{b:'", many),
		"comments":  strings.Repeat("/*", many),
		"selectors": strings.Repeat("a,", many) + "a{color:red}",
		"parents":   strings.Repeat("b ", many) + "{color:red}",
	} {
		if err := within(t, "a.html", []byte("<style>"+sheet+"</style>"+body), Options{}); err != nil && !errors.Is(err, ErrEmpty) {
			t.Errorf("%s: %v", what, err)
		}
	}
	err := within(t, "a.html", []byte("<style>"+strings.Repeat(".a{color:red}", rules)+"</style>"+strings.Repeat(body, 5)), Options{Time: 100 * time.Millisecond})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("rules that are for each element: error %v, want %v", err, ErrTooLarge)
	}
}

// TestArchiveBudget counts what is unpacked of members that are refused, and does
// not unpack those that say that they are too large.
func TestArchiveBudget(t *testing.T) {
	const max = 1 << 17
	pack := func(damaged bool) []byte {
		var pairs []string
		for i := range 2*unpackFactorOfTest + 1 {
			pairs = append(pairs, fmt.Sprintf("%d.txt", i), strings.Repeat(string(rune('a'+i%26)), max-1))
		}
		data := zipped.Of(append(pairs, "good.txt", "good")...)
		if damaged { // in the directory, where the checksums are
			for at := bytes.Index(data, []byte("PK\x01\x02")); at >= 0; {
				data[at+16] ^= 0xFF
				next := bytes.Index(data[at+4:], []byte("PK\x01\x02"))
				if next < 0 {
					break
				}
				at += 4 + next
			}
		}
		return data
	}
	got, err := all(t, "a.zip", pack(true), Options{MaxBytes: max})
	if want := unpackFactorOfTest; !errors.Is(err, ErrTooLarge) || len(got) > want {
		t.Errorf("members with wrong checksums: %d of them, %v; want at most %d, and %v", len(got), err, want, ErrTooLarge)
	}
	got, err = all(t, "a.zip", pack(false), Options{MaxBytes: max / 2})
	if n := len(got); err != nil || n != 2*unpackFactorOfTest+2 || got[n-1] != `!/good.txt text txt: "good"` || got[0] != "!/0.txt: too large: unpacks to more than 65536 bytes" {
		t.Errorf("members that are too large: %d of them, %v, want each refused and the last one read", n, err)
	}
}

// unpackFactorOfTest is how many times the limit of one file an archive may unpack to.
const unpackFactorOfTest = 16

// TestBombs refuses what unpacks to a thousand times its size without taking
// memory for it.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("measures memory: short tests are run with checks that take some themselves")
	}
	const max, size = 16 << 20, 64 << 20
	zeros := strings.Repeat("a", size)
	files := map[string][]byte{
		"a.txt.gz": gzipped(t, []byte(zeros), ""),
		"two.gz":   append(gzipped(t, []byte(zeros), ""), gzipped(t, []byte("b"), "")...), // whose end says 1 byte
		"a.zip":    zipped.Of("a.txt", zeros, "b.txt", "b"),
		"a.docx":   docx(t, "<w:p><w:r><w:t>"+zeros+"</w:t></w:r></w:p>"),
		"a.odt":    odt(t, "", "<text:p>"+zeros+"</text:p>"),
		"a.epub":   epub(t, "<html><p>"+zeros),
	}
	for name, data := range files {
		path := write(t, name, string(data))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Each(t.Context(), path, Options{MaxBytes: max}, func(_ *Document, err error) error { return err })
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: error %v, want %v", name, err, ErrTooLarge)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > max {
			t.Errorf("%s: %d bytes of memory to refuse %d bytes that unpack to %d, want less than the limit of %d", name, took, len(data), size, max)
		}
	}
}

// TestRepeatedCells: a text that a workbook keeps once can be in any number of cells.
// What that makes of a small file is bounded more tightly than by what a file may have.
func TestRepeatedCells(t *testing.T) {
	text := strings.Repeat("words of a cell ", 1<<16)
	for _, tt := range []struct {
		times int
		want  error
	}{{60, nil}, {70, ErrTooLarge}} {
		data := xlsx(t, strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, tt.times), "<t>"+text+"</t>")
		if err := read(t.Context(), &Document{}, data, Options{AsIs: true}); !errors.Is(err, tt.want) {
			t.Errorf("%d cells of %d bytes: %v, want %v", tt.times, len(text), err, tt.want)
		}
	}
}
