package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestTime stops reading after the limit of time, in every format and within
// archives.
func TestTime(t *testing.T) {
	for name, data := range sample.Files(t) {
		got, err := readtest.All(t, name, data, document.Options{Time: 1})
		if says := fmt.Sprint(got, err); !strings.Contains(says, "too large: reading takes longer than 1ns") {
			t.Errorf("%s: %s, want the limit", name, says)
		}
	}
}

// within fails the test if reading takes longer than any machine needs.
func within(t *testing.T, name string, data []byte, opts document.Options) error {
	t.Helper()
	const most = 20 * time.Second
	start := time.Now()
	_, err := readtest.All(t, name, data, opts)
	if took := time.Since(start); took > most {
		t.Errorf("%s: %d bytes took %v under a limit of %v", name, len(data), took, opts.Time)
	}
	return err
}

// TestStyleSheets reads style sheets that were made to take quadratic time.
func TestStyleSheets(t *testing.T) {
	need.OneGoroutine(t)
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
		if err := within(t, "a.html", []byte("<style>"+sheet+"</style>"+body), document.Options{}); err != nil && !errors.Is(err, document.ErrEmpty) {
			t.Errorf("%s: %v", what, err)
		}
	}
	err := within(t, "a.html", []byte("<style>"+strings.Repeat(".a{color:red}", rules)+"</style>"+strings.Repeat(body, 5)), document.Options{Time: 100 * time.Millisecond})
	if !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("rules that are for each element: error %v, want %v", err, document.ErrTooLarge)
	}
}

// TestArchiveBudget counts the decompressed bytes of rejected members, and does not decompress
// those that declare a size above the limit.
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
	got, err := readtest.All(t, "a.zip", pack(true), document.Options{MaxBytes: max})
	if want := unpackFactorOfTest; !errors.Is(err, document.ErrTooLarge) || len(got) > want {
		t.Errorf("members with wrong checksums: %d of them, %v; want at most %d, and %v", len(got), err, want, document.ErrTooLarge)
	}
	got, err = readtest.All(t, "a.zip", pack(false), document.Options{MaxBytes: max / 2})
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
		"a.txt.gz": sample.Gzipped(t, []byte(zeros), ""),
		"two.gz":   append(sample.Gzipped(t, []byte(zeros), ""), sample.Gzipped(t, []byte("b"), "")...), // whose end says 1 byte
		"a.zip":    zipped.Of("a.txt", zeros, "b.txt", "b"),
		"a.docx":   sample.DOCX("<w:p><w:r><w:t>" + zeros + "</w:t></w:r></w:p>"),
		"a.odt":    sample.ODT("", "<text:p>"+zeros+"</text:p>"),
		"a.epub":   sample.EPUB("<html><p>" + zeros),
	}
	for name, data := range files {
		path := readtest.Write(t, name, string(data))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := document.Each(t.Context(), path, document.Options{MaxBytes: max}, func(_ *document.Document, err error) error { return err })
		runtime.ReadMemStats(&after)
		if !errors.Is(err, document.ErrTooLarge) {
			t.Errorf("%s: error %v, want %v", name, err, document.ErrTooLarge)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > max {
			t.Errorf("%s: %d bytes of memory to refuse %d bytes that unpack to %d, want less than the limit of %d", name, took, len(data), size, max)
		}
	}
}

// TestRepeatedCells: a text that a workbook keeps once can be in any number of cells.
// The text of such a small file has a lower limit than that of other files.
func TestRepeatedCells(t *testing.T) {
	need.OneGoroutine(t)
	text := strings.Repeat("words of a cell ", 1<<16)
	for _, tt := range []struct {
		times int
		want  error
	}{{60, nil}, {70, document.ErrTooLarge}} {
		data := sample.XLSX(strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, tt.times), "<t>"+text+"</t>")
		if err := readtest.Read(t.Context(), &document.Document{}, data, document.Options{AsIs: true}); !errors.Is(err, tt.want) {
			t.Errorf("%d cells of %d bytes: %v, want %v", tt.times, len(text), err, tt.want)
		}
	}
}

// TestSourceHostile reads input that takes a careless reader quadratic time.
func TestSourceHostile(t *testing.T) {
	need.OneGoroutine(t)
	times := need.Rounds(20_000)
	for ext, pieces := range map[string][]string{
		"tex":  {"{", `\lstset{`, `\iffalse `, `\iftrue `, `\footnote{`, `\begin{a}`, "$", `\cite[`, `\section{`, `\verb|`, `\begin{verbatim}`, `\begin{equation}`, `\(`, `\textcolor{white}{`, `\phantom{`},
		"md":   {"[", "![a](", "[a](", "*", "<a", "> ", "|", "`", "<!--", "\n```", "[^a]", "<b>"},
		"rtf":  {`{\rtf1 `, `\par `, `\'`, `{\footnote `, `\v `},
		"xml":  {"<note>", "<p>", "&amp;", "<hi style='color:white'>"},
		"html": {"<p>", "<a>", "<b", "<!--", "<style>", "<link ", "<div style='color:red'>", "<h1>", "<pre>", "<table><td>"},
	} {
		for _, piece := range pieces {
			err := within(t, "a."+ext, []byte(strings.Repeat("word "+piece, times)), document.Options{})
			if err != nil && !errors.Is(err, document.ErrEmpty) && !errors.Is(err, document.ErrTooLarge) && !errors.Is(err, document.ErrDamaged) {
				t.Errorf("%s, %q: error %v, want one that says why", ext, piece, err)
			}
		}
	}
}
