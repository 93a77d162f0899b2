package ole

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
)

// Property ids of the summary.
const (
	propertyPage   = 1 // code page
	propertyTitle  = 2
	propertyAuthor = 4
)

// Types of property values.
const (
	kindShort = 2
	kindBytes = 30 // text in the code page
	kindWide  = 31 // text in UTF-16
)

// maxProperty is the size limit for a property, in bytes.
const maxProperty = 4096

// Summary returns the title and the author of a file, "" if they are missing or damaged.
func Summary(f *File) (title, author string) {
	data, err := f.Stream("\x05SummaryInformation")
	if err != nil || len(data) < 48 {
		return "", ""
	}
	from := int(word(data, 44))
	if from < 0 || from+8 > len(data) {
		return "", ""
	}
	s := section(data[from:])
	page := 1252
	if kind, v := s.value(propertyPage); kind == kindShort && len(v) >= 2 {
		page = int(binary.LittleEndian.Uint16(v))
	}
	return s.text(propertyTitle, page), s.text(propertyAuthor, page)
}

// A section is a set of properties.
type section []byte

// value returns the type of a property and the bytes that start with its value.
func (s section) value(id uint32) (kind uint32, v []byte) {
	count := int(word(s, 4))
	for at := 8; count > 0 && at+8 <= len(s); at, count = at+8, count-1 {
		if from := int(word(s, at+4)); word(s, at) == id && from >= 0 && from+8 <= len(s) {
			return word(s, from), s[from+4:]
		}
	}
	return 0, nil
}

func (s section) text(id uint32, page int) string {
	kind, v := s.value(id)
	if len(v) < 4 {
		return ""
	}
	size := int(min(word(v, 0), maxProperty))
	if kind == kindWide {
		size *= 2
	}
	v = v[4:min(4+size, len(v))]
	switch kind {
	case kindWide:
		s, _, _ := strings.Cut(String16(v), "\x00")
		return flow.OneLine(s)
	case kindBytes:
		v, _, _ = bytes.Cut(v, []byte{0})
		return flow.OneLine(charset.PageString(page, v))
	}
	return ""
}
