package charset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// bytesPerNUL is the least number of bytes of text per NUL character. Text saved from web
// pages has few, binary files have many.
const bytesPerNUL = 100

// checkText returns an error unless data is text in UTF-8.
func checkText(data []byte) error {
	if i := bytes.IndexByte(data, 0); i >= 0 && bytes.Count(data, []byte{0}) > len(data)/bytesPerNUL {
		return fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("said.nul", "a NUL character at byte {byte}", "byte", i))
	}
	at := invalidUTF8(data)
	if at == len(data) {
		return nil
	}
	if manyControls(data) {
		return fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("said.control", "control characters"))
	}
	return fmt.Errorf("%w: %w", format.ErrEncoding, phrase.Error("said.not-utf8", "not UTF-8 at byte {byte}", "byte", at))
}

// invalidUTF8 returns the offset of the first invalid byte, or the length of data. It skips
// ASCII eight bytes at a time, before and after each other character; nearly all of those have
// two bytes.
func invalidUTF8(data []byte) int {
	at := 0
	for at < len(data) {
		if at+8 <= len(data) {
			w := binary.LittleEndian.Uint64(data[at:])
			ascii := bits.TrailingZeros64(w&0x8080808080808080) / 8
			if at += ascii; ascii == 8 {
				continue
			}
			if w >>= 8 * ascii; ascii < 7 && w&0xC0E0 == 0x80C0 && w&0x1E != 0 {
				at += 2
				continue
			}
		}
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return at
}

// isASCII reports whether data has no byte over 0x7F.
func isASCII(data []byte) bool {
	for ; len(data) >= 8; data = data[8:] {
		if binary.LittleEndian.Uint64(data)&0x8080808080808080 != 0 {
			return false
		}
	}
	return !slices.ContainsFunc(data, func(b byte) bool { return b >= utf8.RuneSelf })
}

// manyControls reports whether the start of data has more control characters than a text.
func manyControls(data []byte) bool {
	head, count := format.Head(data), 0
	for _, b := range head {
		if b < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(b)) || b == 0x7f {
			count++
		}
	}
	return count*50 > len(head)
}
