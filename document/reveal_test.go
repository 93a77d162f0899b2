package document_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/need"
)

func TestReveal(t *testing.T) {
	const text = "The first plаgiаrism, then c o p i e d words and pla\u200bgiat."
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, []byte(text), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "The first plagiarism, then copied words and pla\u200bgiat."; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	var got []string
	for _, f := range doc.Flags {
		got = append(got, string(f.Kind)+": "+doc.Text[f.Start:f.End])
	}
	if want := []string{"mixed scripts: plagiarism", "spaced letters: copied", "invisible characters: pla\u200bgiat"}; !reflect.DeepEqual(got, want) {
		t.Errorf("flags %q, want %q", got, want)
	}
	asIs := &document.Document{}
	if err := readtest.Read(t.Context(), asIs, []byte(text), document.Options{AsIs: true}); err != nil || asIs.Text != text || asIs.Flags != nil {
		t.Errorf("as it is: text %q, flags %v, %v", asIs.Text, asIs.Flags, err)
	}
}

// TestRevealMoves checks that places in the text move with it.
func TestRevealMoves(t *testing.T) {
	data := sample.DOCX(`<w:p><w:r><w:t>c o p i e d words of a text that somebody else wrote</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>` +
		`<w:p><w:r><w:t>end</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>` + strings.Repeat("hidden ", 30) + `</w:t></w:r></w:p>`)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	readtest.Marks(t, doc, "heading: Head")
	if n := len(doc.Flags); n != 2 || doc.Flags[1].Start != strings.Index(doc.Text, "end")+3 {
		t.Errorf("flags %+v, want the second after the end of %q", doc.Flags, doc.Text)
	}
}

// TestFlagsTogether checks that adjacent pieces of hidden text are one find.
func TestFlagsTogether(t *testing.T) {
	const glued = "one<i hidden>ab</i> two<i hidden>c</i> three"
	html := glued + strings.Repeat(" word", 50) + " four<i hidden>d</i>"
	doc := &document.Document{Ext: "html"}
	if err := readtest.Read(t.Context(), doc, []byte(html), document.Options{}); err != nil {
		t.Fatal(err)
	}
	want := []document.Flag{{Kind: document.HiddenText, Start: 3, End: 7, Count: 3, Detail: "marked as hidden"}, {Kind: document.HiddenText, Start: len(doc.Text), End: len(doc.Text), Count: 1, Detail: "marked as hidden"}}
	if !reflect.DeepEqual(doc.Flags, want) {
		t.Errorf("flags %+v, want %+v", doc.Flags, want)
	}
}

// TestRevealLimits says how many disguises are not listed.
func TestRevealLimits(t *testing.T) {
	need.OneGoroutine(t)
	doc := &document.Document{}
	words := strings.Repeat("pl\u0430giarism is copied by many who write and do not think of it at all, so that it is found "+strings.Repeat("and told ", 40), 10_100)
	if err := readtest.Read(t.Context(), doc, []byte(words), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"100 further places with disguised letters are not listed"}; !reflect.DeepEqual(doc.Notes, want) || len(doc.Flags) != 10_000 {
		t.Errorf("%d flags, notes %q, want 10000 and %q", len(doc.Flags), doc.Notes, want)
	}
}

// TestLittleHidden reads texts with a few hidden letters: those of white titles are noted, and a larger
// share or places near each other within prose are flagged.
func TestLittleHidden(t *testing.T) {
	const title = `<w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>List of mottos</w:t></w:r>`
	const within = `<w:p><w:r><w:t>The words of an hon</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r><w:r><w:t>est thesis of a student.</w:t></w:r></w:p>`
	text := strings.Repeat(`<w:p><w:r><w:t>The words of an honest thesis.</w:t></w:r></w:p>`, 60)
	tests := []struct {
		name, body  string
		flags, note int
	}{
		{"one title", "<w:p>" + title + "</w:p>" + text, 0, 1},
		{"two places", "<w:p>" + title + "</w:p>" + text + "<w:p>" + title + "</w:p>", 0, 1},
		{"a short text", "<w:p>" + title + "</w:p>" + text[:len(text)/2], 0, 1},
		{"a paragraph", "<w:p>" + strings.Replace(title, "List of mottos", strings.Repeat("words of a copy ", 11), 1) + "</w:p>" + strings.Repeat(text, 4), 1, 0},
		{"titles of a book", "<w:p>" + title + "</w:p>" + strings.Repeat(text, 4) + "<w:p>" + title + "</w:p>", 0, 1},
		{"seven places within prose", strings.Repeat(text, 8) + strings.Repeat(within, 7), 0, 1},
		{"eight places within prose", strings.Repeat(text, 9) + strings.Repeat(within, 8), 1, 0},
		{"eight places far apart", strings.Repeat(strings.Repeat(text, 2)+within, 8), 0, 1},
		{"one place in each part of a short text", strings.Repeat(text[:len(text)/2]+within, 8), 8, 0},
		{"eight places without spaces", strings.Repeat(`<w:p><w:r><w:t>没有空格的文字没有空格的文字</w:t></w:r></w:p>`, 400) + strings.Repeat(`<w:p><w:r><w:t>没有</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r><w:r><w:t>空格</w:t></w:r></w:p>`, 8), 1, 0},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.DOCX(tt.body), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if len(doc.Flags) != tt.flags || len(doc.Notes) != tt.note {
			t.Errorf("%s: flags %+v and notes %q, want %d and %d", tt.name, doc.Flags, doc.Notes, tt.flags, tt.note)
		}
	}
}

// TestPreview: text of some length before that of a message or a page is noted, and flagged elsewhere.
func TestPreview(t *testing.T) {
	const hidden, shown = `<div style="display:none">%s</div>`, `<p>The words of an honest message, which is long, and longer than the text of its preview in the list of messages.</p>`
	preview := fmt.Sprintf(hidden, strings.Repeat("Words of a preview. ", 12))
	for _, tt := range []struct {
		name, body  string
		flags, note int
	}{
		{"preview", preview + shown, 0, 1},
		{"within", shown + preview + shown, 1, 0},
		{"a whole text", strings.Repeat(preview, 5) + shown, 1, 0},
	} {
		for head, ext := range map[string]string{"": "html", "From: a@b\nMessage-ID: <1>\nContent-Type: text/html\n\n": "eml"} {
			doc := &document.Document{Ext: ext}
			if err := readtest.Read(t.Context(), doc, []byte(head+tt.body), document.Options{}); err != nil || len(doc.Flags) != tt.flags || len(doc.Notes) != tt.note {
				t.Errorf("%s in %s: flags %+v, notes %q, %v, want %d and %d", tt.name, ext, doc.Flags, doc.Notes, err, tt.flags, tt.note)
			}
		}
	}
}

// TestCells: words with letters of two alphabets are noted in short cells of a table, and flagged in a cell with a sentence.
func TestCells(t *testing.T) {
	for _, tt := range []struct {
		name, row string
		want      bool
	}{
		{"codes", "Ястик %d\tYЛ-A5\tцветной cрез\t1 234 p.", false},
		{"sentences", "Ястик %d\tСтaрый дом cтоял у рeки, и люди, которыe жили в нём, дaвно пpивыкли к шyму вoды.", true},
	} {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, tt.row+"\n", i)
		}
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(b.String()), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := len(doc.Flags) > 0; got != tt.want || !tt.want && len(doc.Notes) == 0 {
			t.Errorf("%s: %d flags and notes %q, want flags: %v", tt.name, len(doc.Flags), doc.Notes, tt.want)
		}
	}
}

// TestScattered reads a book with Latin letters in a few Cyrillic words: far apart they are noted, and near each
// other they are flagged.
func TestScattered(t *testing.T) {
	const page = "Старый дом стоял у реки, и люди, которые жили в нём, давно привыкли к шуму воды.\n\n"
	words := strings.Fields("стaрый cтоял рeки которыe дaвно пpивыкли шyму вoды cтарый")
	for _, tt := range []struct {
		name  string
		apart int // pages between two words
		want  int
	}{{"apart", 120, 0}, {"together", 0, len(words)}} {
		var b strings.Builder
		for _, w := range words {
			b.WriteString(strings.Repeat(page, tt.apart))
			b.WriteString("Там был " + w + " и больше ничего не было.\n\n")
		}
		b.WriteString(strings.Repeat(page, len(words)*(120-tt.apart)))
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(b.String()), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if len(doc.Flags) != tt.want || tt.want == 0 && len(doc.Notes) != 1 {
			t.Errorf("%s: %d flags and notes %q, want %d flags", tt.name, len(doc.Flags), doc.Notes, tt.want)
		}
	}
}
