package fingerprint

import "fmt"

// LongParagraph is the minimum number of words of a long paragraph. Shorter ones are often
// the same in unrelated texts.
const LongParagraph = 9

// A Paragraph is the fingerprint of a paragraph.
type Paragraph struct {
	Sum   uint64 // CityHash64 of its words, joined by one space
	Words int
}

// Paragraphs returns the fingerprints of the paragraphs of a text. words calls its argument
// with each word of the text in order, and with the number of its paragraph.
func Paragraphs(words func(add func(word []byte, paragraph int))) (list []Paragraph) {
	var text []byte
	count, last := 0, 0
	end := func() {
		if count > 0 {
			list = append(list, Paragraph{Sum64(text), count})
		}
		text, count = text[:0], 0
	}
	words(func(word []byte, paragraph int) {
		if paragraph != last {
			end()
			last = paragraph
		}
		if count > 0 {
			text = append(text, ' ')
		}
		text = append(text, word...)
		count++
	})
	end()
	return list
}

// String returns the sum in 16 hexadecimal digits.
func (p Paragraph) String() string { return fmt.Sprintf("%016x", p.Sum) }

// Kind returns d for a long paragraph and k for a short one, as in the files of earlier
// programs.
func (p Paragraph) Kind() string {
	if p.Words < LongParagraph {
		return "k"
	}
	return "d"
}
