package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// readText takes plain text as it is, in UTF-8.
func readText(doc *Document, data []byte, opts Options) (err error) {
	if data, doc.Encoding, err = decode(data, "", opts); err != nil {
		return err
	}
	doc.Format = "text"
	doc.Text = asString(data)
	if count := bytes.Count(data, []byte{0}); count > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%d NUL characters, the first at byte %d, part words", count, bytes.IndexByte(data, 0)))
	}
	return hasText(doc)
}

// bytesPerNUL is how long a text is for each of its NUL characters, at least.
// Text saved from web pages has one here and there, other files have many.
const bytesPerNUL = 100

// checkText checks that data is text in UTF-8, and says where it is not.
func checkText(data []byte) error {
	if i := bytes.IndexByte(data, 0); i >= 0 && bytes.Count(data, []byte{0}) > len(data)/bytesPerNUL {
		return fmt.Errorf("%w: a NUL character at byte %d", ErrBinary, i)
	}
	at := invalidUTF8(data)
	if at == len(data) {
		return nil
	}
	if manyControls(data) {
		return fmt.Errorf("%w: control characters", ErrBinary)
	}
	return fmt.Errorf("%w: not UTF-8 at byte %d", ErrEncoding, at)
}

// invalidUTF8 returns where data first breaks UTF-8, its length if nowhere.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return len(data)
	}
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return at
}

// manyControls reports whether the start of data has more control characters
// than a text would.
func manyControls(data []byte) bool {
	head, count := data[:min(len(data), headSize)], 0
	for _, b := range head {
		if b < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(b)) || b == 0x7f {
			count++
		}
	}
	return count*50 > len(head)
}

// asString returns data as a string in the same memory. Nothing may write to
// data any more.
func asString(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// hasText checks that there is more than white space.
func hasText(doc *Document) error {
	for _, r := range doc.Text {
		if !unicode.IsSpace(r) && r != '\ufeff' {
			return nil
		}
	}
	return ErrEmpty
}
