package disguise

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
)

// A thin space inside a word is hardly visible and splits it into two that match nothing.
// Honest texts have thin spaces, too: before signs, in numbers and units, between the words of
// narrow lines. So the pieces decide: pieces that also occur alone in the text are words;
// pieces that do not, of words that occur elsewhere, are a disguise.

// Limits for joining.
const (
	leastNarrow = 3  // least number of split words
	fewWords    = 2  // least number of split words per place between two words
	rareApart   = 4  // number of unknown pieces per possible place between words, at which these are joined, too
	manyPieces  = 20 // least number of split words if no other text shows the words
	surePieces  = 9  // of ten such words, those with unknown pieces only
	longPiece   = 6  // letters of a word whose pieces are both unknown
)

// isNarrow reports whether r is a space of about a quarter of the usual width or less.
func isNarrow(r rune) bool {
	return r == 0x2006 || 0x2008 <= r && r <= 0x200A || r == 0x202F || r == 0x205F
}

// A parted is one or several words with narrow spaces inside or between them. prose:ok
type parted struct {
	start, end int
	pieces     []string // in lower case
	space      rune     // the first space
	spaces     int
}

// narrow joins words that are split by narrow spaces. It returns nil if there are none.
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
		u.find(Find{Spaced, start, start + len(joined), w.spaces, u.inside(w.space)})
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

// partedWords returns the runs of letters with narrow spaces, except runs of single letters,
// which are spaced words.
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
	return !slices.ContainsFunc(w.pieces, func(p string) bool { return utf8.RuneCountInString(p) > 1 })
}

func (w parted) letters() (count int) {
	return lists.Sum(w.pieces, utf8.RuneCountInString)
}

// partedAround returns the letters on both sides of a narrow space, and further pieces that
// follow; the result starts at least or later.
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

// A narrower holds the words of a text that are not beside a narrow space.
type narrower struct {
	known  map[string]bool
	spaces int  // other spaces
	all    bool // narrow spaces hardly ever separate words
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

// whole reports whether the joined word occurs in the text.
func (n *narrower) whole(w parted) bool { return n.known[strings.Join(w.pieces, "")] }

// unknown counts the pieces that are not words. Single letters may be words.
func (n *narrower) unknown(w parted) (count int) {
	return lists.Count(w.pieces, func(p string) bool { return !n.known[p] && utf8.RuneCountInString(p) > 1 })
}

// joins reports whether a word is joined in a disguised text.
func (n *narrower) joins(w parted) bool { return n.all || n.whole(w) || n.unknown(w) > 0 }

// disguised reports whether narrow spaces are inside words rather than between them.
func (n *narrower) disguised(list []parted) bool {
	words, apart, spaces := 0, 0, 0
	pieces := map[string]bool{} // pieces that occur nowhere else
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
		return false // they separate the words of the text
	case words >= leastNarrow && words > fewWords*apart:
		return true
	}
	return len(pieces) >= manyPieces && 10*(torn+words) >= surePieces*len(list)
}
