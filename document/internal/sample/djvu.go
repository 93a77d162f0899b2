package sample

import (
	"encoding/binary"
	"strings"
)

// DjVuChunk returns a chunk of a DjVu file.
func DjVuChunk(name string, body ...string) string {
	all := strings.Join(body, "")
	head := string(binary.BigEndian.AppendUint32([]byte(name), uint32(len(all))))
	return head + all + strings.Repeat("\x00", len(all)%2)
}

// DjVu returns a file with a page for each text, as a form. A page for "" has no text.
func DjVu(texts ...string) []byte {
	var pages []string
	for _, text := range texts {
		chunks := []string{"DJVU", DjVuChunk("INFO", "\x07\xd0\x0b\xb8\x18\x00\x2c\x01\x16\x01"), DjVuChunk("Sjbz", strings.Repeat("picture", 50))}
		if n := len(text); n > 0 {
			chunks = append(chunks, DjVuChunk("TXTa", string([]byte{byte(n >> 16), byte(n >> 8), byte(n)}), text, "\x01"))
		}
		pages = append(pages, DjVuChunk("FORM", chunks...))
	}
	at := 4 + 8 + 4 + 8 + 3 + 4*len(pages)
	at += at % 2
	list := binary.BigEndian.AppendUint16([]byte{0x81}, uint16(len(pages)))
	for _, p := range pages {
		list = binary.BigEndian.AppendUint32(list, uint32(at))
		at += len(p)
	}
	return []byte("AT&T" + DjVuChunk("FORM", append([]string{"DJVM", DjVuChunk("DIRM", string(list))}, pages...)...))
}
