package office

import (
	"unicode/utf16"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/lang/phrase"
)

var errXLSText error = phrase.Error("cause.workbook-truncated", "a text of the workbook is truncated")

// An xlsText reads texts from the body of a record and its continuation records.
type xlsText struct {
	parts [][]byte
	ended bool
}

// left returns the unread rest of the current body, nil at the end.
func (t *xlsText) left() []byte {
	for len(t.parts) > 0 && len(t.parts[0]) == 0 {
		t.parts = t.parts[1:]
	}
	if len(t.parts) == 0 {
		t.ended = true
		return nil
	}
	return t.parts[0]
}

func (t *xlsText) byte() byte {
	b := t.left()
	if b == nil {
		return 0
	}
	t.parts[0] = b[1:]
	return b[0]
}

func (t *xlsText) number(size int) int {
	n := 0
	for i := range size {
		n |= int(t.byte()) << (8 * i)
	}
	return n
}

func (t *xlsText) skip(size int) {
	for size > 0 && !t.ended {
		b := t.left()
		n := min(size, len(b))
		if n > 0 {
			t.parts[0] = b[n:]
		}
		size -= n
	}
}

// chars reads characters of one byte, or of two if wide is true. A continuation record states
// the width again.
func (t *xlsText) chars(count int, wide bool) string {
	units := make([]uint16, 0, min(count, 1<<12))
	for count > 0 && !t.ended {
		if len(t.parts) > 0 && len(t.parts[0]) == 0 && len(t.parts) > 1 {
			t.parts = t.parts[1:]
			wide = t.byte()&1 != 0
			continue
		}
		if wide {
			units = append(units, uint16(t.number(2)))
		} else {
			units = append(units, uint16(t.byte()))
		}
		count--
	}
	return string(utf16.Decode(units))
}

// Flags of a text.
const (
	xlsWide  = 1
	xlsFar   = 4 // phonetic data follow
	xlsLooks = 8 // formatting runs follow
)

// string reads a text that starts with its number of characters in size bytes.
func (r *xlsReader) string(t *xlsText, size int) (string, error) {
	count := t.number(size)
	if r.old {
		b := t.left()
		if t.ended || count > len(b) {
			return "", errXLSText
		}
		t.parts[0] = b[count:]
		return charset.PageString(r.page, b[:count]), nil
	}
	flags := t.byte()
	runs, far := 0, 0
	if flags&xlsLooks != 0 {
		runs = t.number(2)
	}
	if flags&xlsFar != 0 {
		far = t.number(4)
	}
	s := t.chars(count, flags&xlsWide != 0)
	t.skip(4*runs + far)
	if t.ended {
		return s, errXLSText
	}
	return s, nil
}
