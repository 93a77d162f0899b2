package document

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/document/layout"
	"github.com/otisk/otisk/internal/testing/need"
)

// A countdown is a context that ends after a number of calls of its methods.
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

// TestReadersLook checks that every reader checks its context regularly.
func TestReadersLook(t *testing.T) {
	need.OneGoroutine(t)
	const czech = "Příliš žluťoučký kůň úpěl\nďábelské ódy. "
	long := strings.Repeat(czech, 20_000)
	files := map[string][]byte{
		"a.txt":  sample.Encode(t, strings.Repeat(long, 5), "windows-1250"),
		"a.html": []byte("<html><p>" + strings.ReplaceAll(long, "\n", "<p>")),
		"b.html": []byte("<html><p>" + long),
		"a.md":   []byte(long),
		"a.tex":  []byte(long),
		"a.xml":  []byte("<?xml version='1.0'?><a><p>" + strings.ReplaceAll(long, "\n", "</p><p>") + "</p></a>"),
		"a.rtf":  []byte(`{\rtf1 ` + strings.Repeat(`\'9elu\par `, 20_000) + "}"),
		"a.docx": sample.DOCX(strings.Repeat("<w:p><w:r><w:t>"+czech+"</w:t></w:r></w:p>", 5_000)),
		"a.odt":  sample.ODT("", strings.Repeat("<text:p>"+czech+"</text:p>", 5_000)),
		"a.fodt": []byte(`<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>` +
			strings.Repeat("<text:p>"+czech+"</text:p>", 5_000) + "</office:text></office:body></office:document>"),
		"a.eml":  sample.Mail("", long),
		"a.epub": sample.EPUB("<html><p>" + strings.ReplaceAll(long, "\n", "<p>")),
		"a.vert": []byte("<doc>\n" + strings.Repeat("kůň\tkůň\n", 20_000) + "</doc>\n"),
	}
	for _, ext := range []string{"adoc", "rst", "org", "textile", "typ", "wiki"} {
		files["a."+ext] = []byte(long)
	}
	files["a.srt"] = []byte(strings.Repeat("1\n00:00:01,000 --> 00:00:02,000\n"+czech+"\n\n", 5_000))
	files["a.ipynb"] = []byte(`{"cells":[{"cell_type":"markdown","source":"` + strings.ReplaceAll(long, "\n", `\n`) + `"}],"nbformat":4}`)
	files["a.dbk"] = []byte("<article><para>" + strings.ReplaceAll(long, "\n", "</para><para>") + "</para></article>")
	files["a.nxml"] = []byte("<article><p>" + strings.ReplaceAll(long, "\n", "</p><p>") + "</p></article>")
	files["a.fb2"] = []byte("<FictionBook><body><section><p>" + strings.ReplaceAll(long, "\n", "</p><p>") + "</p></section></body></FictionBook>")
	files["a.djvu"] = sample.DjVu(slices.Repeat([]string{czech}, 2000)...)
	files["a.xls"] = sample.OldBook([]string{czech}, slices.Repeat([]string{sample.XLSRecord(0x00FD, sample.Shorts(0, 0, 0), sample.Numbers(0))}, 5_000)...)
	files["a.ppt"] = sample.OldSlides("", strings.Repeat(czech+"\r", 5_000), "", false)
	files["a.mobi"] = sample.Mobi(1, slices.Repeat([]string{"<p>" + czech}, 1000)...)
	files["a.pptx"] = sample.PPTX("", strings.Repeat(sample.SlideShape("body", czech), 5_000))
	files["a.odp"] = sample.ODF("oasis.opendocument.presentation", "", strings.Repeat("<draw:page><text:p>"+czech+"</text:p></draw:page>", 5_000))
	files["a.xlsx"] = sample.XLSX(strings.Repeat("<row><c><v>1</v></c></row>", 5_000))
	files["a.ods"] = sample.ODF("oasis.opendocument.spreadsheet", "", "<table:table>"+strings.Repeat("<table:table-row><table:table-cell><text:p>"+czech+"</text:p></table:table-cell></table:table-row>", 5_000)+"</table:table>")
	files["a.doc"] = sample.OldWord(slices.Repeat([]sample.Piece{{Text: czech + "\r"}}, 5_000))
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

// TestPDFWaits checks that the time limit of a PDF excludes the time that it waits for an engine.
func TestPDFWaits(t *testing.T) {
	const limit = 2 * time.Second
	data := sample.PDF(sample.At(50, 600, "text"))
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
