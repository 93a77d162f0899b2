package sample

import (
	"encoding/binary"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// EPUB returns a book with these chapters, each a page of HTML.
func EPUB(chapters ...string) []byte {
	manifest, spine := `<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>`, `<itemref idref="nav"/>`
	files := []string{"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`,
		"OEBPS/nav.xhtml", "<html><body>Contents</body></html>", "OEBPS/style.css", ".unseen { color: white }"}
	for i, c := range chapters {
		id := string(rune('a' + i))
		manifest = `<item id="` + id + `" href="text/ch%20` + id + `.xhtml" media-type="application/xhtml+xml"/>` + manifest
		spine += `<itemref idref="` + id + `"/>`
		files = append(files, "OEBPS/text/ch "+id+".xhtml", c)
	}
	files = append(files, "OEBPS/content.opf", `<package><metadata><dc:title>A Book</dc:title><dc:creator>Jan Novák</dc:creator></metadata><manifest>`+
		manifest+`</manifest><spine>`+spine+`</spine></package>`)
	return zipped.Of(files...)
}

// Mobi returns a book of Mobipocket with these records of text. packing is 1 for none, 2 for
// PalmDoc compression.
func Mobi(packing int, records ...string) []byte {
	be := binary.BigEndian
	head := make([]byte, 16+232)
	be.PutUint16(head, uint16(packing))
	be.PutUint16(head[8:], uint16(len(records)))
	copy(head[16:], "MOBI")
	be.PutUint32(head[20:], 232)
	be.PutUint32(head[28:], 65001)
	be.PutUint32(head[36:], 6)
	be.PutUint32(head[128:], 0x40)
	be.PutUint16(head[242:], 1) // each record ends with how many bytes a character has there
	fields := []byte("EXTH\x00\x00\x00\x00\x00\x00\x00\x02")
	for id, value := range map[uint32]string{100: "Jan Novák", 503: "Heron"} {
		fields = be.AppendUint32(be.AppendUint32(fields, id), uint32(8+len(value)))
		fields = append(fields, value...)
	}
	all := append([]string{string(append(head, fields...))}, records...)
	data := make([]byte, 78+8*len(all))
	copy(data, "book")
	copy(data[60:], "BOOKMOBI")
	be.PutUint16(data[76:], uint16(len(all)))
	for i, r := range all {
		be.PutUint32(data[78+8*i:], uint32(len(data)))
		if i > 0 {
			r += "\x00"
		}
		data = append(data, r...)
	}
	return data
}
