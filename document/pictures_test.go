package document

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// drawnAs returns one without ink, by the type that its name has.
func drawnAs(t *testing.T, kind string, width, height int) string {
	t.Helper()
	var buf bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, width, height))
	var err error
	switch kind {
	case "png":
		err = png.Encode(&buf, img)
	case "jpg":
		err = jpeg.Encode(&buf, img, nil)
	case "gif":
		err = gif.Encode(&buf, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// TestPicturesAreTold: a document that is pictures of pages has hardly any text to
// compare, and says so in place of a score that is simply 0.
func TestPicturesAreTold(t *testing.T) {
	page := func(n int) []string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("media/image%d.png", i), drawnAs(t, "png", 1240, 1754))
		}
		return list
	}
	docx := func(text string, pictures ...string) string {
		return string(zipped.Of(append([]string{"word/document.xml", `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:body></w:document>`}, pictures...)...))
	}
	long := strings.Repeat("words of a text that is there ", 20)
	const told = ": text in pictures is recognised only in PDF files"
	for _, tt := range []struct{ name, data, notes, flags string }{
		{"two pages and a title", docx("A thesis", page(2)...), "[2 large pictures with hardly any text" + told + "]", "[{only pictures 0 0 2 with hardly any text beside them}]"},
		{"one", docx("A thesis", page(1)...), "[1 large picture with hardly any text" + told + "]", "[{only pictures 0 0 1 with hardly any text beside them}]"},
		{"a text with a page", docx(long, page(1)...), "[1 picture has the shape of a page: text in pictures is not read]", "[]"},
		{"a text with photos", docx(long, "word/media/a.jpg", drawnAs(t, "jpg", 1600, 900)), "[]", "[]"},
		{"a logo", docx("A thesis", "word/media/a.gif", drawnAs(t, "gif", 300, 300)), "[]", "[]"},
		{"a picture of a kind that is not known", docx("A thesis", "word/media/a.tif", strings.Repeat("II*\x00", 10_000)), "[1 large picture with hardly any text" + told + "]", "[{only pictures 0 0 1 with hardly any text beside them}]"},
		{"one that is damaged", docx("A thesis", "word/media/a.png", "\x89PNG\r\n\x1a\n"), "[]", "[]"},
		{"slides", string(zipped.Of(append([]string{"ppt/presentation.xml", `<p:presentation/>`, "ppt/x.xml", ""}, page(2)...)...)), "no text layer: 2 large pictures and no text" + told, ""},
		{"RTF", `{\rtf1 A thesis {\pict\pngblip\picw1\pich1\picwgoal9000\pichgoal12000 00}{\*\nonshppict{\pict\wmetafile8\picwgoal9000\pichgoal12000 00}}}`,
			"[1 large picture with hardly any text" + told + "]", "[{only pictures 0 0 1 with hardly any text beside them}]"},
		{"RTF with a small one", `{\rtf1 A thesis {\pict\pngblip\picwgoal900\pichgoal1200 00}}`, "[]", "[]"},
	} {
		doc := &Document{}
		err := read(t.Context(), doc, []byte(tt.data), Options{})
		got := fmt.Sprint(doc.Notes)
		if err != nil {
			got = err.Error()
		}
		if got != tt.notes || err == nil && fmt.Sprint(doc.Flags) != tt.flags {
			t.Errorf("%s: %s %v\nwant %s %s", tt.name, got, doc.Flags, tt.notes, tt.flags)
		}
	}
}

// TestPicturesInOldFiles: Word 97 has pictures as files of their own within one of its
// streams.
func TestPicturesInOldFiles(t *testing.T) {
	var p pictures
	p.within([]byte("head" + drawnAs(t, "png", 1240, 1754) + "\xff\xd8\xff none" + drawnAs(t, "jpg", 1240, 1754) + drawnAs(t, "jpg", 30, 30)))
	if p.large != 2 || p.pages != 2 {
		t.Errorf("%d large pictures, %d of them pages, want 2 and 2", p.large, p.pages)
	}
}
