package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/otisk/otisk/document/format"
)

// doubles are the encodings with one or two bytes a character. usual has the most frequent characters of their
// languages: nearly any text in a single-byte encoding of Russian, Greek or Hebrew is valid in the Chinese ones, too.
var doubles = []struct {
	name  string
	chars encoding.Encoding
	usual string
}{
	{"shift_jis", japanese.ShiftJIS, kana},
	{"euc-jp", japanese.EUCJP, kana},
	{"euc-kr", korean.EUCKR, "이다는을의에고가를은하한로기지사도인리서그나어으자정아대시있해과일들"},
	{"gb18030", simplifiedchinese.GB18030, simplified},
	{"big5", traditionalchinese.Big5, "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過"},
}

const kana = "のにはをたがでてとしるいなれかもらりこすっそあさまうよだくんきおせけつどめわ"

const simplified = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"

const (
	leastUsual = 0.1   // share of the non-ASCII characters that are usual ones
	mostFaults = 0.005 // share of the characters that are not valid
	fewest     = 4     // usual characters
)

// guessDouble returns the encoding of data among those with one or two bytes a character, "" if none fits.
func guessDouble(data []byte) (name string) {
	first := bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
	head, best := format.Head(data[max(first, 0):]), leastUsual
	for _, d := range doubles {
		text, err := d.chars.NewDecoder().Bytes(head)
		if err != nil {
			continue
		}
		all, usual, ascii, faults := 0, 0, 0, 0
		word, other := 0, false // the ASCII letters of the open word, and whether it has others
		for _, r := range string(text) + " " {
			switch {
			case r == utf8.RuneError:
				faults++
			case strings.ContainsRune(d.usual, r):
				usual++
			}
			switch {
			case r >= utf8.RuneSelf:
				all++
				other = true
			case unicode.IsLetter(r):
				word++
			default:
				if other {
					ascii += word
				}
				word, other = 0, false
			}
		}
		// The head may end within a character. The second byte of Big5 may be an ASCII letter: Polish is
		// valid, with more other letters in its words.
		if share := float64(usual) / float64(max(all, 1)); share > best && usual >= fewest && all > ascii && faults <= 1+int(mostFaults*float64(all)) {
			name, best = d.name, share
		}
	}
	return name
}
