package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/otisk/otisk/document/layout"
	"github.com/otisk/otisk/internal/testing/need"
)

// write makes a file in a folder of the test's own.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read fills in what data says, as if doc was a file of one document.
func read(ctx context.Context, doc *Document, data []byte, opts Options) error {
	f, err := find(data, doc.Ext)
	if err != nil {
		return err
	}
	_, err = f.fill(ctx, doc, opts.source(data, doc.Ext), opts)
	return err
}

func TestOpenText(t *testing.T) {
	const text = "\ufeffPříliš žluťoučký kůň\r\n\tskáče.\n\n"
	path := write(t, "Kůň.TXT", text)
	mod := time.Date(2001, 2, 3, 4, 5, 6, 789e6, time.UTC)
	if err := os.Chtimes(path, mod, mod); err != nil {
		t.Fatal(err)
	}
	doc, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if doc.Text != text {
		t.Errorf("Text = %q, want the file as it is: %q", doc.Text, text)
	}
	if doc.Format != "text" || doc.Ext != "txt" || doc.Path != path || doc.Parted {
		t.Errorf("Open = format %q, ext %q, path %q, parted %v", doc.Format, doc.Ext, doc.Path, doc.Parted)
	}
	if doc.Bytes != int64(len(text)) || !doc.ModTime.Equal(mod.Truncate(time.Second)) {
		t.Errorf("Open = %d bytes of %v, want %d of %v", doc.Bytes, doc.ModTime, len(text), mod.Truncate(time.Second))
	}
	sum := sha256.Sum256([]byte(text))
	if want := hex.EncodeToString(sum[:]); doc.Content != want {
		t.Errorf("Content = %s, want %s", doc.Content, want)
	}
	if got, err := Hash(t.Context(), path); err != nil || got != doc.Content {
		t.Errorf("Hash = %s, %v, want %s as Open", got, err, doc.Content)
	}
}

func TestOpenErrors(t *testing.T) {
	tests := []struct {
		name, content string
		want          error
		says          string
	}{
		{"empty.txt", "", ErrEmpty, "no text in it"},
		{"blank.txt", "\ufeff \r\n\t\u00a0", ErrEmpty, "no text in it"},
		{"markup.html", "<html><script>var a</script><p> </p></html>", ErrEmpty, "no text in it"},
		{"nul.txt", "some text\x00", ErrBinary, "not text: a NUL character at byte 9"},
		{"nul.html", "<html>text\x00", ErrBinary, "not text: a NUL character at byte 10"},
		{"picture.txt", "\x89PNG\r\n\x1a\n", ErrBinary, "not text: a PNG image"},
		{"data.bin", "\x01\x02\x03\x04\xff\xfe", ErrBinary, "not text: control characters"},
		{"damaged.txt", "Příliš žluťoučký k\xc5ň", ErrEncoding, "encoding unknown: not UTF-8 at byte 25"},
		{"unlikely.txt", "a\xa4b\xa6c\xb6d\xb8e", ErrEncoding, "encoding unknown: not UTF-8 at byte 1"},
		{"large.txt", strings.Repeat("word ", 300), ErrTooLarge, "too large: 1500 bytes, the limit is 1000"},
	}
	for _, tt := range tests {
		path := write(t, tt.name, tt.content)
		_, err := Open(t.Context(), path, Options{MaxBytes: 1000})
		if !errors.Is(err, tt.want) || err.Error() != tt.says {
			t.Errorf("%s: Open: error %v, want %s", tt.name, err, tt.says)
		}
	}
}

func TestOpenNotFile(t *testing.T) {
	if _, err := Open(t.Context(), t.TempDir(), Options{}); !errors.Is(err, ErrNotFile) {
		t.Errorf("Open(folder): error %v, want %v", err, ErrNotFile)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := Open(t.Context(), missing, Options{}); !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), missing) {
		t.Errorf("Open(missing): error %v, want %v without the path", err, os.ErrNotExist)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if _, err := Open(t.Context(), os.DevNull, Options{}); !errors.Is(err, ErrNotFile) || !strings.HasSuffix(err.Error(), ": a device") {
		t.Errorf("Open(device): error %v, want %v: a device", err, ErrNotFile)
	}
}

func TestOpenUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may read every file")
	}
	path := write(t, "secret.txt", "text")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Open(unreadable): error %v, want %v", err, os.ErrPermission)
	}
}

func TestCancelled(t *testing.T) {
	path := write(t, "a.txt", "text")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: error %v, want %v", err, context.Canceled)
	}
	if _, err := Hash(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash: error %v, want %v", err, context.Canceled)
	}
}

func TestChangedWhileRead(t *testing.T) {
	tests := []struct {
		name   string
		change func(path string) error
	}{
		{"grows", func(path string) error { return os.WriteFile(path, []byte("some more text"), 0o600) }},
		{"touched", func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }},
	}
	for _, tt := range tests {
		path := write(t, "a.txt", "some text")
		f, before, err := openFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := unchanged(f, before); err != nil {
			t.Errorf("%s: unchanged before = %v, want nil", tt.name, err)
		}
		if err := tt.change(path); err != nil {
			t.Fatal(err)
		}
		if err := unchanged(f, before); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: unchanged after = %v, want %v", tt.name, err, ErrChanged)
		}
		f.Close()
	}
}

func TestShrinksWhileRead(t *testing.T) {
	f, _, err := openFile(write(t, "a.txt", "text"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := readChunk(t.Context(), f, make([]byte, 5), sha256.New()); !errors.Is(err, ErrChanged) {
		t.Errorf("readChunk past the end: error %v, want %v", err, ErrChanged)
	}
}

// TestTextMemory checks that opening plain text holds it once.
func TestTextMemory(t *testing.T) {
	need.OneGoroutine(t)
	const size = 8 << 20
	path := write(t, "a.txt", strings.Repeat("some words ", size/11))
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Open(b.Context(), path, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if got > size*11/10 {
		t.Errorf("Open of %d bytes allocates %d, want them once", size, got)
	}
	if want := Footprint(path, size); got > want*11/10 {
		t.Errorf("Footprint = %d, but Open allocates %d", want, got)
	}
}

// FuzzOpen checks that whatever a file holds gives a text that keeps its
// promises, or an error.
func FuzzOpen(f *testing.F) {
	f.Add("a.txt", []byte("text\r\n"))
	f.Add("a.html", []byte("<p>text<br>&#0;&#xd800;&amp;"))
	f.Add("a", []byte("<?xml version='1.0' encoding='iso-8859-2'?><html><title/>\xb9</html>"))
	f.Add("a.rtf", []byte(`{\rtf1\ansicpg1250{\fonttbl{\f0\fcharset238 A;}}\f0 a\'9e\u345?{\footnote b\par c}{\v d}\cell\row\bin2 }}}`))
	f.Add("a.tex", []byte("\\documentclass{a}\\begin{document}\\section{a}$b$ \\v{c}\\footnote{d}\\verb|e| %f\n\n\\begin{tabular}{l}g & h\\\\\\end{tabular}"))
	f.Add("a.md", []byte("---\ntitle: a\n---\n# b\n[c](d) ![e](f)\n\n```\ng\n```\n| h | i |\n|---|---|\n<b>&amp;"))
	f.Add("a.xml", []byte("<TEI><teiHeader><title>a</title></teiHeader><head>b</head><p>c<note>d</note><lb/>&nbsp;</p></TEI>"))
	f.Add("a.html", []byte("<p hidden>a<p style='color:white'>p l a g i а t<h1>b</h1><pre>c"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if bytes.HasPrefix(data, []byte("PK")) || layout.Looks(data) {
			t.Skip("packed: has a fuzz target of its own, or an engine")
		}
		doc := &Document{Ext: extension(name), Bytes: int64(len(data))}
		if err := read(t.Context(), doc, data, Options{}); err != nil {
			return
		}
		if !utf8.ValidString(doc.Text) || doc.Text == "" || doc.Format == "html" && strings.ContainsRune(doc.Text, 0) {
			t.Fatalf("text %q: want valid UTF-8, without NUL in HTML", doc.Text)
		}
		if !utf8.ValidString(doc.Title+doc.Author) || strings.ContainsAny(doc.Title+doc.Author, "\x00\n") {
			t.Fatalf("title %q, author %q: want valid UTF-8 in one line", doc.Title, doc.Author)
		}
		if len(doc.Text) > 4*len(data) {
			t.Fatalf("%d bytes of text out of %d", len(doc.Text), len(data))
		}
		checkPlaces(t, doc)
	})
}

// checkPlaces checks that all ranges that refer to the text are within it.
func checkPlaces(t *testing.T, doc *Document) {
	t.Helper()
	inside := func(start, end int) bool { return 0 <= start && start <= end && end <= len(doc.Text) }
	for _, m := range doc.Marks {
		if !inside(m.Start, m.End) || (m.Start == m.End) != (m.Kind == NoteMark) {
			t.Fatalf("mark %+v in %d bytes", m, len(doc.Text))
		}
	}
	for _, f := range doc.Flags {
		if !inside(f.Start, f.End) {
			t.Fatalf("flag %+v in %d bytes", f, len(doc.Text))
		}
	}
	if !slices.IsSorted(doc.Pages) {
		t.Fatalf("pages at %d", doc.Pages)
	}
}

// TestJSONIsTold: a file of JSON under another name is one text, names and all, and says so.
func TestJSONIsTold(t *testing.T) {
	const note = "it is JSON"
	for text, want := range map[string]bool{
		`{"id": 1, "text": "some words"}` + "\n" + `{"id": 2, "text": "others"}`: true,
		`[{"id": 1, "text": "some words"}]`:                                      true,
		`{"text": "` + strings.Repeat("some words ", 1000):                       true,
		`[1] Smith, J. Some words`:                                               false,
		`{some} words in braces`:                                                 false,
		`{} and []`:                                                              false,
		`{`:                                                                      false,
		"some words":                                                             false,
	} {
		doc := &Document{}
		if err := read(t.Context(), doc, []byte(text), Options{}); err != nil || strings.Contains(strings.Join(doc.Notes, ""), note) != want {
			t.Errorf("%.40s: %v, notes %q, want that it is JSON: %v", text, err, doc.Notes, want)
		}
	}
}

// TestJSONTexts checks that escapes in the texts of JSON are read as characters.
func TestJSONTexts(t *testing.T) {
	doc := &Document{}
	err := read(t.Context(), doc, []byte(`[{"name": 1, "text": "The harbour commis-\nsion of P\u0159erov", "more": ["old\ttown"]}]`), Options{})
	if want := "The harbour commis-\nsion of Přerov\n\nold\ttown\n\n"; err != nil || doc.Text != want {
		t.Errorf("text %q, %v, want %q", doc.Text, err, want)
	}
}

// TestRomanianCommas checks that letters with a cedilla become those with a comma in Romanian, and
// only there.
func TestRomanianCommas(t *testing.T) {
	for text, want := range map[string]string{
		"Comisia portului a hotărât să construiască şi ţara": "Comisia portului a hotărât să construiască și țara",
		"Aceşti oameni au construit o casă aşa cum au vrut":  "Acești oameni au construit o casă așa cum au vrut",
		"Comisia portului a hotărât să şi Erdoğan zică":      "Comisia portului a hotărât să și Erdoğan zică",
		"Şehir komisyonu Văleni yeni bir ağır fener inşa":    "Şehir komisyonu Văleni yeni bir ağır fener inşa",
		"Şehir komisyonu yeni bir deniz feneri inşa etti":    "Şehir komisyonu yeni bir deniz feneri inşa etti",
	} {
		doc := &Document{}
		if err := read(t.Context(), doc, []byte(text), Options{}); err != nil || doc.Text != want {
			t.Errorf("text %q, %v, want %q", doc.Text, err, want)
		}
	}
}

// TestUTF16Formats checks that XML in UTF-16 is read by its format, as the same in UTF-8 is.
func TestUTF16Formats(t *testing.T) {
	for format, text := range map[string]string{
		"odt":  `<?xml version="1.0"?><office:document xmlns:office="o" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>har<text:span>bour</text:span></text:p></office:text></office:body></office:document>`,
		"fb2":  `<?xml version="1.0"?><FictionBook><body><section><p>har<strong>bour</strong></p></section></body></FictionBook>`,
		"xml":  `<?xml version="1.0"?><TEI><text><body><p>har<hi>bour</hi></p></body></text></TEI>`,
		"html": `<html><body><p>har<b>bour</b></p></body></html>`,
	} {
		data := []byte{0xFF, 0xFE}
		for _, c := range utf16.Encode([]rune(text)) {
			data = append(data, byte(c), byte(c>>8))
		}
		doc := &Document{}
		if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Format != format || doc.Text != "harbour" {
			t.Errorf("%s is read as %s, text %q, %v", format, doc.Format, doc.Text, err)
		}
	}
}

// TestStrayNULs reads a text with a NUL here and there, as pages saved from
// the web have.
func TestStrayNULs(t *testing.T) {
	data := []byte(strings.Repeat("some words of text ", 20) + "\x00" + "and some more")
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Text != string(data) {
		t.Fatalf("read = %v, text %q; want the text as it is", err, doc.Text)
	}
	if want := "1 NUL character, at byte 380, separates words"; len(doc.Notes) != 1 || doc.Notes[0] != want {
		t.Errorf("notes %q, want %q", doc.Notes, want)
	}
}
