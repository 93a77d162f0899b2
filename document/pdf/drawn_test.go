package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the shapes of the known letters")

// knownFonts are the standard fonts, which every engine has.
var knownFonts = []string{"Helvetica", "Times-Roman", "Times-Italic", "Helvetica-Bold", "Times-Bold", "Helvetica-Oblique", "Courier"}

// specimen returns a PDF with the letters, a line for each known font.
func specimen() []byte {
	var buf bytes.Buffer
	var fonts, lines strings.Builder
	for i, f := range knownFonts {
		fmt.Fprintf(&fonts, "/F%d<</Type/Font/Subtype/Type1/BaseFont/%s>>", i, f)
		for j, c := range testedLetters {
			fmt.Fprintf(&lines, "BT /F%d 12 Tf %d %d Td (%c) Tj ET\n", i, 20+20*j, 30+30*i, c)
		}
	}
	fmt.Fprintf(&buf, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 300]/Resources<</Font<<%s>>>>/Contents 4 0 R>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n", fonts.String(), lines.Len(), lines.String())
	return buf.Bytes()
}

// TestKnown checks that the known shapes are those that the engine draws for letters in the standard fonts.
func TestKnown(t *testing.T) {
	m := instance(t)
	r := &reader{ctx: t.Context(), engine: m, pauses: drawPauses}
	if err := r.open(specimen()); err != nil {
		t.Fatal(err)
	}
	page := m.handle(fnLoadPage, uint64(r.doc), 0)
	r.text, r.left = m.handle(fnTextLoadPage, uint64(page)), len(specimen())
	if err := r.load(); err != nil {
		t.Fatal(err)
	}
	d, ok := r.draw(page, everywhere)
	if !ok {
		t.Fatal("the letters are not drawn")
	}
	var letters [len(testedLetters)][]shape
	for i, u := range r.units {
		if at := strings.IndexRune(testedLetters, rune(u)); at >= 0 {
			if s, ok := d.shape(i); ok {
				letters[at] = append(letters[at], s)
			}
		}
	}
	if *update {
		var buf bytes.Buffer
		z, _ := zlib.NewWriterLevel(&buf, zlib.BestCompression)
		for _, l := range letters {
			if err := binary.Write(z, binary.LittleEndian, l); err != nil {
				t.Fatal(err)
			}
		}
		z.Close()
		if err := os.WriteFile("letters.zlib", buf.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, l := range known() {
		if len(l) != standardFonts || len(letters[i]) != standardFonts {
			t.Fatalf("%c: %d known shapes and %d drawn, want %d", testedLetters[i], len(l), len(letters[i]), standardFonts)
		}
		for j, k := range l {
			if k.shape != letters[i][j] {
				t.Errorf("%c in %s is drawn in another way than the known shape; run with -update", testedLetters[i], knownFonts[j])
			}
		}
	}
}
