package esclient

// A word is a number in a block, with a fixed number of characters: the first one has base 90,
// the others base 61. The digits are printable ASCII in ascending order, without the blank, the
// quotation mark and the backslash: the first 90 of these characters, and those of them from '!' to
// '>' and from '_' to '~'. So words sort like their numbers, and JSON escapes none of them.
//
// Lucene packs four bytes of terms into three if they are in these two ranges, when the terms of a
// block of its dictionary have more than two bytes in common: in an index of ten million n-grams and
// more. With base64, an n-gram takes 1.2 bytes more.
type words struct {
	chars int
	most  uint64 // the highest number
}

const (
	gramChars, gramBits = 8, 48
	pairChars, pairBits = 7, 42
)

var (
	gramWords = words{gramChars, 1<<gramBits - 1}
	pairWords = words{pairChars, 1<<pairBits - 1}
)

func (w words) append(b []byte, number uint64) []byte {
	b = append(b, "        "[:w.chars]...)
	word := b[len(b)-w.chars:]
	for i := w.chars - 1; i > 0; i-- {
		word[i] = restDigits.chars[number%restBase]
		number /= restBase
	}
	word[0] = firstDigits.chars[number]
	return b
}

// value returns the number of a word of w.chars bytes; ok is false if it is not a word.
func (w words) value(word string) (number uint64, ok bool) {
	number = uint64(firstDigits.values[word[0]])
	bad := number
	for _, c := range []byte(word[1:]) {
		v := uint64(restDigits.values[c])
		number, bad = number*restBase+v, bad|v&noDigit
	}
	return number, bad&noDigit == 0 && number <= w.most
}

const (
	firstBase, restBase = 90, 61
	noDigit             = 1 << 7
)

// digits are the characters of a base and their values; noDigit for other bytes.
type digits struct {
	chars  string
	values [256]byte
}

var (
	firstDigits = digitsOf(firstBase, func(byte) bool { return true })
	restDigits  = digitsOf(restBase, func(c byte) bool { return c <= '>' || c >= '_' })
)

// digitsOf returns the first digits, base of them, that ok accepts.
func digitsOf(base int, ok func(c byte) bool) (d digits) {
	for i := range d.values {
		d.values[i] = noDigit
	}
	for c := byte('!'); c <= '~' && len(d.chars) < base; c++ {
		if c != '"' && c != '\\' && ok(c) {
			d.values[c] = byte(len(d.chars))
			d.chars += string(rune(c))
		}
	}
	return d
}
