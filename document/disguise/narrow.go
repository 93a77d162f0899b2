package disguise

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
)

// A thin space inside a word is hardly seen, and parts it into two that nothing is like.
// Honest texts have thin spaces, too: before signs, in numbers and units, between words
// of narrow lines. So it counts what the pieces are. Words of the text by themselves are
// words; pieces that are none, of words that are there elsewhere, are a disguise.

// Bounds of what is joined.
const (
	leastNarrow = 3  // words
	fewWords    = 2  // times as many as places where two words are apart
	rareApart   = 4  // pieces for a place where two words may be apart, beside which that is one word, too
	manyPieces  = 20 // words, where no text tells what they are without
	surePieces  = 9  // of ten of these, nothing but pieces
	longPiece   = 6  // letters of a word of which both pieces are unknown
)

// isNarrow reports whether r is a space of a quarter of the usual width or less, or
// little more.
func isNarrow(r rune) bool {
	return r == 0x2006 || 0x2008 <= r && r <= 0x200A || r == 0x202F || r == 0x205F
}

// A parted word has narrow spaces in it, or is several words that they are between.
type parted struct {
	start, end int
	pieces     []string // in lower case
	space      rune     // the first of them
	spaces     int
}

// narrow joins words that narrow spaces part so that they are no words. It returns nil
// where none are.
func narrow(ctx context.Context, text string) (*Plain, error) {
	u := &undoer{in: text, pulse: format.NewPulse(ctx)}
	list := u.partedWords()
	if len(list) < leastNarrow || u.err != nil {
		return nil, u.err
	}
	n := newNarrower(text, list)
	if !n.disguised(list) {
		return nil, u.err
	}
	for _, w := range list {
		if !n.joins(w) || !u.going() {
			continue
		}
		start, joined := u.now(w.start), withoutNarrow(text[w.start:w.end])
		u.change(w.start, w.end, joined)
		u.find(Find{Spaced, start, start + len(joined), w.spaces, fmt.Sprintf("%U inside words", w.space)})
	}
	u.Text = u.edited()
	return &u.Plain, u.err
}

func withoutNarrow(s string) string {
	return strings.Map(func(r rune) rune {
		if isNarrow(r) {
			return -1
		}
		return r
	}, s)
}

// partedWords returns what has narrow spaces between letters, but for letters that
// are all alone: these are spaced.
func (u *undoer) partedWords() []parted {
	var list []parted
	for at, last := 0, 0; u.going(); {
		i := strings.IndexByte(u.in[at:], 0xE2)
		if i < 0 {
			break
		}
		r, size := utf8.DecodeRuneInString(u.in[at+i:])
		if at += i + size; !isNarrow(r) {
			continue
		}
		w := partedAround(u.in, at-size, last)
		at, last = max(at, w.end), max(last, w.end)
		if len(w.pieces) > 1 && !w.spelled() {
			w.space = r
			list = append(list, w)
		}
	}
	return list
}

// spelled reports whether all pieces are single letters.
func (w parted) spelled() bool {
	for _, p := range w.pieces {
		if utf8.RuneCountInString(p) > 1 {
			return false
		}
	}
	return true
}

func (w parted) letters() (count int) {
	for _, p := range w.pieces {
		count += utf8.RuneCountInString(p)
	}
	return count
}

// partedAround returns the letters on both sides of a narrow space, and what more of these
// follow, from least on.
func partedAround(text string, space, least int) parted {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || normalize.Invisible(r) }
	w := parted{start: space, end: space}
	for w.start > least {
		r, size := utf8.DecodeLastRuneInString(text[least:w.start])
		if !inWord(r) {
			break
		}
		w.start -= size
	}
	if w.start == space {
		return w
	}
	w.pieces = append(w.pieces, strings.ToLower(text[w.start:space]))
	for {
		_, size := utf8.DecodeRuneInString(text[w.end:])
		rest := text[w.end+size:]
		n := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) })
		if n < 0 {
			n = len(rest)
		}
		if n == 0 {
			return w
		}
		w.pieces = append(w.pieces, strings.ToLower(rest[:n]))
		w.spaces++
		w.end += size + n
		if r, _ := utf8.DecodeRuneInString(text[w.end:]); !isNarrow(r) {
			return w
		}
	}
}

// A narrower knows the words of a text that no narrow space is beside.
type narrower struct {
	known  map[string]bool
	spaces int  // other spaces
	all    bool // hardly any narrow space is between words
}

func newNarrower(text string, list []parted) *narrower {
	n := &narrower{known: map[string]bool{}}
	from := 0
	add := func(to int) {
		stretch := strings.ToLower(text[from:min(to, max(from, maxVocabular))])
		for at := 0; at < len(stretch); {
			start, end := nextWord(stretch, at)
			if start < end {
				n.known[stretch[start:end]] = true
			}
			at = max(end, at+1)
		}
		n.spaces += strings.Count(text[from:to], " ")
	}
	for _, w := range list {
		add(w.start)
		from = w.end
	}
	add(len(text))
	return n
}

// whole reports whether the word without its spaces is one of the text.
func (n *narrower) whole(w parted) bool { return n.known[strings.Join(w.pieces, "")] }

// unknown counts the pieces that are no words. Single letters may be.
func (n *narrower) unknown(w parted) (count int) {
	for _, p := range w.pieces {
		if !n.known[p] && utf8.RuneCountInString(p) > 1 {
			count++
		}
	}
	return count
}

// joins reports whether a word is to be joined where words are disguised.
func (n *narrower) joins(w parted) bool { return n.all || n.whole(w) || n.unknown(w) > 0 }

// disguised reports whether narrow spaces are in words, and not between them.
func (n *narrower) disguised(list []parted) bool {
	words, apart, spaces := 0, 0, 0
	pieces := map[string]bool{} // of which nothing is known
	torn := 0
	for _, w := range list {
		unknown := n.unknown(w)
		spaces += w.spaces
		switch whole := n.whole(w); {
		case unknown > 0 && whole:
			words++
		case unknown == 0 && !whole:
			apart++
		case unknown > 1 && w.letters() >= longPiece:
			pieces[strings.Join(w.pieces, "")] = true
			torn++
		}
	}
	n.all = apart*rareApart < words+torn
	switch {
	case spaces > n.spaces:
		return false // they are what words are separated by
	case words >= leastNarrow && words > fewWords*apart:
		return true
	}
	return len(pieces) >= manyPieces && 10*(torn+words) >= surePieces*len(list)
}
