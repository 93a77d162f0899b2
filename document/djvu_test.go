package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// djvuChunk makes a chunk of a DjVu file.
func djvuChunk(name string, body ...string) string {
	all := strings.Join(body, "")
	head := string(binary.BigEndian.AppendUint32([]byte(name), uint32(len(all))))
	return head + all + strings.Repeat("\x00", len(all)%2)
}

// djvuOf makes a file of pages with these texts, as one form each; "" is a page without.
func djvuOf(texts ...string) []byte {
	var pages []string
	for _, text := range texts {
		chunks := []string{"DJVU", djvuChunk("INFO", "\x07\xd0\x0b\xb8\x18\x00\x2c\x01\x16\x01"), djvuChunk("Sjbz", "picture")}
		if n := len(text); n > 0 {
			chunks = append(chunks, djvuChunk("TXTa", string([]byte{byte(n >> 16), byte(n >> 8), byte(n)}), text, "\x01"))
		}
		pages = append(pages, djvuChunk("FORM", chunks...))
	}
	at := 4 + 8 + 4 + 8 + 3 + 4*len(pages)
	at += at % 2
	list := binary.BigEndian.AppendUint16([]byte{0x81}, uint16(len(pages)))
	for _, p := range pages {
		list = binary.BigEndian.AppendUint32(list, uint32(at))
		at += len(p)
	}
	return []byte("AT&T" + djvuChunk("FORM", append([]string{"DJVM", djvuChunk("DIRM", string(list))}, pages...)...))
}

func TestDjVu(t *testing.T) {
	doc := &Document{}
	if err := read(t.Context(), doc, djvuOf("a line of the first page, which plagi-\narises.\n", "", "the third"), Options{OCR: recognizer(t, "ces")}); err != nil {
		t.Fatal(err)
	}
	if want := "a line of the first page, which plagiarises. the third"; doc.Text != want || doc.Format != "djvu" || len(doc.Pages) != 3 {
		t.Errorf("%s of %d pages: %q, want djvu of 3: %q", doc.Format, len(doc.Pages), doc.Text, want)
	}
	notes := []string{"only pictures without text on 1 of 3 pages: 2", "1 of 3 pages were not recognised: 2: pictures of DjVu are not read: convert it to PDF"}
	if !reflect.DeepEqual(doc.Notes, notes) || len(doc.Flags) != 1 || doc.Flags[0].Kind != NoTextLayer {
		t.Errorf("notes %q, flags %v, want %q and the flag", doc.Notes, doc.Flags, notes)
	}
	if err := read(t.Context(), &Document{}, djvuOf("", ""), Options{}); !errors.Is(err, ErrNoLayer) || !strings.Contains(err.Error(), "2 of 2 pages") {
		t.Errorf("without text: %v, want %v", err, ErrNoLayer)
	}
	data := djvuOf("page")
	if err := read(t.Context(), &Document{}, []byte(strings.Replace(string(data), "\x81", "\x01", 1)), Options{}); !errors.Is(err, ErrBinary) || !strings.Contains(fmt.Sprint(err), "djvmcvt -b") {
		t.Errorf("pages in other files: %v, want what to do", err)
	}
}
