package disguise

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
)

func TestUndo(t *testing.T) {
	script := func(start, end, count int) []Find {
		return []Find{{Script, start, end, count, "Cyrillic letters in the place of Latin"}}
	}
	spaced := func(start, end, count int) []Find {
		return []Find{{Spaced, start, end, count, "letters separated by spaces"}}
	}
	tests := []struct {
		name, text, want string
		finds            []Find
	}{
		{"nothing", "Příliš žluťoučký kůň, and the quick brown fox — “so” it is.", "", nil},
		{"Cyrillic letters in a Latin word", "the plаgiаrism here", "the plagiarism here", script(4, 14, 2)},
		{"with accents", "je to plаgiátоrství", "je to plagiátorství", script(6, 21, 2)},
		{"capital", "to Аhoj", "to Ahoj", script(3, 7, 1)},
		{"most letters Cyrillic", "a сосоn and", "a cocon and", script(2, 7, 4)},
		{"Greek", "the prοblem", "the problem", []Find{{Script, 4, 11, 1, "Greek letters in the place of Latin"}}},
		{"Latin letters in a Cyrillic word", "это слoво и дело", "это слово и дело", []Find{{Script, 7, 17, 1, "Latin letters in the place of Cyrillic"}}},
		{"Russian", "Съешь же ещё этих мягких французских булок, да выпей чаю", "", nil},
		{"Russian word that reads as Latin, quoted", "the word “оса, улей” means", "", nil},
		{"whole word of doubles", "this is а trap and", "this is a trap and", script(8, 9, 1)},
		{"symbols of science", "about 5 μm and kΩ, Δt, α-helix, β2, Ωm", "", nil},
		{"all but one letter replaced", "the rest of the dау, even", "the rest of the day, even", []Find{{Script, 16, 19, 2, "Cyrillic letters in the place of Latin"}}},
		{"letter that is like none of the script", "they were оссuріеd", "they were occupied", []Find{{Script, 10, 18, 6, "Cyrillic letters in the place of Latin"}}},
		{"short words among many", "the plаgiаrism tаken frоm а bооk by mе, ѕо to say", "the plagiarism taken from a book by me, so to say", []Find{
			{Script, 4, 14, 2, "Cyrillic letters in the place of Latin"}, {Script, 15, 20, 1, "Cyrillic letters in the place of Latin"}, {Script, 21, 25, 1, "Cyrillic letters in the place of Latin"},
			{Script, 26, 27, 1, "Cyrillic letters in the place of Latin"}, {Script, 28, 32, 2, "Cyrillic letters in the place of Latin"}, {Script, 36, 38, 1, "Cyrillic letters in the place of Latin"},
			{Script, 40, 42, 2, "Cyrillic letters in the place of Latin"}}},
		{"three scripts in a word", "the dіcοtomy of", "the dicotomy of", []Find{{Script, 4, 12, 2, "Greek letters in the place of Latin"}}},
		{"words in a row of doubles", "je to со оре сор tak", "je to co ope cop tak",
			[]Find{{Script, 6, 8, 2, "Cyrillic letters in the place of Latin"}, {Script, 9, 12, 3, "Cyrillic letters in the place of Latin"}, {Script, 13, 16, 3, "Cyrillic letters in the place of Latin"}}},
		{"Russian word with letters that differ a little, quoted", "the word кот means cat", "", nil},
		{"letters that differ a little, in a Latin word", "the кitten", "the kitten", []Find{{Script, 4, 10, 1, "Cyrillic letters in the place of Latin"}}},
		{"Latin letters in a Cyrillic text", "это рынок и mаrket там", "это рынок и market там", []Find{{Script, 21, 27, 1, "Cyrillic letters in the place of Latin"}}},
		{"Armenian, Cherokee and phonetic letters", "sհօwn Ꭰigest plɑgiarism", "shown Digest plagiarism", []Find{
			{Script, 0, 5, 2, "foreign letters in the place of Latin"}, {Script, 6, 12, 1, "foreign letters in the place of Latin"}, {Script, 13, 23, 1, "foreign letters in the place of Latin"}}},
		{"transcription", "the word [ˈɪnteɡrəti], /tɡeder/", "", nil},
		{"full-width and mathematical letters", "a ｗord and 𝒑𝒍𝒂𝒈𝒊𝒂𝒓𝒊𝒔𝒎", "a word and plagiarism", []Find{{Script, 2, 6, 1, "foreign letters in the place of Latin"}, {Script, 11, 21, 10, "foreign letters in the place of Latin"}}},
		{"full-width words", "糖 Ｏｐｔｉｍｉｚａｔｉｏｎ ｗａｔｅｒ", "", nil},
		{"formula of mathematical letters", "where 𝑎𝑏 and 𝑠𝑖𝑛", "", nil},
		{"blank letters glue words", "two\u3164words\u3164\u3164glued", "two words glued", []Find{{Invisible, 3, 4, 1, "U+3164 in the place of spaces"}, {Invisible, 9, 10, 2, "U+3164 in the place of spaces"}}},
		{"text turned round", "a \u202emsiraigalp dna ypoc\u202c here", "a copy and plagiarism here", []Find{{Invisible, 2, 21, 19, "U+202E turns text round"}}},
		{"Hebrew turned round", "a \u202eשלום\u202c here", "", nil},
		{"Korean with fillers", "한\u3164글", "", nil},
		{"variation selector", "pla\ufe0fgiat", "", []Find{{Invisible, 0, 10, 1, "U+FE0F inside words"}}},
		{"formula of equal letters", "the term L2ΡβPPPPP", "", nil},
		{"made of two scripts honestly", "a Яndex and Web-сайт, αbcdeλ, formula pνx", "", nil},
		{"spaced word", "this is p l a g i a r i s m here", "this is plagiarism here", spaced(8, 18, 10)},
		{"spaced capitals", "K A P I T O L A první", "KAPITOLA první", spaced(0, 8, 8)},
		{"spaced with no-break spaces", "o\u00a0p\u00a0i\u00a0s\u00a0y", "opisy", spaced(0, 5, 5)},
		{"spaced Russian", "это п л а г и а т", "это плагиат", []Find{{Spaced, 7, 21, 7, "letters separated by spaces"}}},
		{"spaced accents", "š t ě s t í", "štěstí", spaced(0, 9, 6)},
		{"spaced sentence", "c o p i e d   f r o m  a\n b o o k", "copied   from  a\n book",
			[]Find{{Spaced, 0, 6, 6, "letters separated by spaces"}, {Spaced, 9, 13, 4, "letters separated by spaces"}, {Spaced, 18, 22, 4, "letters separated by spaces"}}},
		{"spaced words with one space between", "copied from a book: f r o m a b o o k, c o p i e d f r o m", "copied from a book: from a book, copied from", []Find{
			{Spaced, 20, 31, 9, "letters separated by spaces"}, {Spaced, 33, 44, 10, "letters separated by spaces"}}},
		{"short spaced words among many", "it is s p a c e d out, c o p i e d out w o r k by w o r d s too, o n e", "it is spaced out, copied out work by words too, one", []Find{
			{Spaced, 6, 12, 6, "letters separated by spaces"}, {Spaced, 18, 24, 6, "letters separated by spaces"}, {Spaced, 29, 33, 4, "letters separated by spaces"},
			{Spaced, 37, 42, 5, "letters separated by spaces"}, {Spaced, 48, 51, 3, "letters separated by spaces"}}},
		{"spaced, with Cyrillic letters", "it was с o р i е d", "it was copied", []Find{{Spaced, 7, 13, 6, "letters separated by spaces"}}},
		{"dirt of a scanner", "to v v o o v v r, 1 v v v i r", "", nil},
		{"Chinese with spaces", "目 录 联 合 起 来", "", nil},
		{"few letters", "i a o v tom, a i k o", "", nil},
		{"answers of a test", "A B C D and a b c d e", "", nil},
		{"rows of a cipher", "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z\nB C D E F G H I J K L M N O P Q R S T U V W X Y Z A\nC D E F G", "", nil},
		{"the same again", "x x x x x, a b a b a", "", nil},
		{"two tricks", "рlay p l a y e r", "play player", []Find{{Script, 0, 4, 1, "Cyrillic letters in the place of Latin"}, {Spaced, 5, 11, 6, "letters separated by spaces"}}},
		{"zero-width", "pla\u200bgi\u2060at", "", []Find{{Invisible, 0, 13, 2, "U+200B inside words"}}},
		{"soft hyphens near each other are one find", "pla\u00adgiat and co\u00adpy", "", []Find{{Invisible, 0, 20, 2, "U+00AD inside words"}}},
		{"invisible between words", "\ufeffone \u200btwo\u200b three", "", nil},
		{"joiners of a script that needs them", "می\u200cخواهم", "", nil},
	}
	for _, tt := range tests {
		p := undoing(t, tt.text)
		want := tt.want
		if want == "" {
			want = tt.text
		}
		if p.Text != want {
			t.Errorf("%s: Undo(%q) = %q, want %q", tt.name, tt.text, p.Text, want)
		}
		if len(p.Finds) != len(tt.finds) {
			t.Errorf("%s: finds %+v, want %+v", tt.name, p.Finds, tt.finds)
			continue
		}
		for i, f := range p.Finds {
			if f != tt.finds[i] {
				t.Errorf("%s: find %+v, want %+v", tt.name, f, tt.finds[i])
			}
		}
	}
}

// TestSpacedSentence checks that short words and signs within words are joined
// where spaced words are frequent.
func TestSpacedSentence(t *testing.T) {
	const text = "f i n e l y   w r i t t e n   w o r d s ,   1 2 : 9   o f   a   m a n ' s   i d o l - w o r s h i p"
	const want = "finely   written   words ,   12:9   of   a   man's   idol-worship"
	if got := undoing(t, text).Text; got != want {
		t.Errorf("Undo(%q) = %q, want %q", text, got, want)
	}
}

// mixedWords are enough words of two scripts for a second look at the text.
const mixedWords = "plаgiat оne tеxt "

// Few spaced words among many of two scripts are undone, too.
func TestSpacedAmongMixed(t *testing.T) {
	if p := undoing(t, mixedWords+"c o p i e d here"); p.Text != "plagiat one text copied here" {
		t.Errorf("undone to %q", p.Text)
	}
}

func TestMoved(t *testing.T) {
	const text = "one plаgiаrism two c o p i e d three"
	p := undoing(t, text)
	for _, w := range []string{"one", "two", "three"} {
		if got := p.Moved(strings.Index(text, w)); !strings.HasPrefix(p.Text[got:], w) {
			t.Errorf("Moved(place of %s) = %d: %q", w, got, p.Text[got:])
		}
	}
	if got := p.Moved(len(text)); got != len(p.Text) {
		t.Errorf("Moved(end) = %d, want %d", got, len(p.Text))
	}
}

// FuzzUndo checks for any text that finds lie within it in rising order, that places stay in
// order, and that undoing twice changes nothing more.
func FuzzUndo(f *testing.F) {
	f.Add("the plаgiаrism is c o p i e d, а trap pla\u200bg")
	f.Add(everySecond("\u0335")(prose) + "p l a g i a r i s m")
	f.Add(strings.Repeat("ⓒⓞⓟy ⅽⅿd \u0335 ", 9))
	f.Add("е\u0301t\u00ad о р\u0306 а b c")
	f.Add(mixedWords + "c o p i e d")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("not UTF-8")
		}
		p := undoing(t, text)
		if !utf8.ValidString(p.Text) {
			t.Fatalf("Undo(%q) = %q, not UTF-8", text, p.Text)
		}
		for _, d := range p.Finds {
			if d.Start < 0 || d.Start >= d.End || d.End > len(p.Text) || !utf8.RuneStart(p.Text[d.Start]) {
				t.Fatalf("Undo(%q) finds %+v in %d bytes", text, d, len(p.Text))
			}
		}
		last, moved := 0, 0
		for at := range text {
			m := p.Moved(at)
			if m < moved || m > len(p.Text) {
				t.Fatalf("Moved(%d) = %d of %d bytes, after %d", at, m, len(p.Text), moved)
			}
			moved = m
		}
		for _, e := range p.edits {
			if e.start < last || e.end <= e.start {
				t.Fatalf("edits %v do not rise", p.edits)
			}
			last = e.end
		}
	})
}

// A text made of disguises takes memory for a bounded number of them.
func TestManyEdits(t *testing.T) {
	const word, honest = "plаgiаt ", "plagiat "
	u := &undoer{ctx: t.Context(), pulse: format.NewPulse(t.Context()), in: strings.Repeat(word, 30), minSpaced: minSpaced, joined: map[string]int{}}
	u.edits = make([]edit, maxEdits-20) // those of the text before
	u.walk()
	if want := strings.Repeat(honest, 20) + strings.Repeat(word, 10); u.Text != want || len(u.edits) != maxEdits || u.Left != 10 {
		t.Errorf("%d edits, %d left, %q, want %d, 10 and %q", len(u.edits), u.Left, u.Text, maxEdits, want)
	}
}

// undoing is Undo with all the time that it needs.
func undoing(t testing.TB, text string) *Plain {
	t.Helper()
	p, err := Undo(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func undone(t testing.TB, text string) *Plain {
	t.Helper()
	p, err := undo(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestUndoStops stops where the context ends, in words and in a row of letters.
func TestUndoStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"pl\u0430giat of words", strings.Repeat("a ", 1000)} {
		if _, err := Undo(ctx, text); !errors.Is(err, context.Canceled) {
			t.Errorf("Undo(%.20q) = %v, want %v", text, err, context.Canceled)
		}
	}
}

// TestMeasure compares words with each character in them with the definition of a word.
func TestMeasure(t *testing.T) {
	for r := range rune(0xE0200) {
		if 0x34000 <= r && r < 0xE0000 {
			continue // not assigned
		}
		for _, text := range []string{"xо" + string(r) + "y ", string(r) + "-"} {
			want := word{}
			for at, r := range text {
				if isBlank(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) && !normalize.Invisible(r) {
					break
				}
				if !unicode.IsLetter(r) && normalize.Invisible(r) {
					continue
				}
				want.end = at + len(string(r))
				if !unicode.IsLetter(r) {
					continue
				}
				s := scriptOf(r)
				want.letters++
				want.scripts[s]++
				if like, ok := lookalikes()[r]; ok {
					want.alike[s]++
					if l := like[latin]; l != 0 && lookalikes()[l][s] == r {
						want.same++
					}
					if s == exotic && isForm(r) {
						want.forms++
						if 0xFF21 <= r && r <= 0xFF5A {
							want.wide++
						}
					}
				}
			}
			for _, r := range text[:want.end] {
				if normalize.Invisible(r) {
					if want.invisible++; want.invisible == 1 {
						want.detail = r
					}
				}
			}
			if got := (&undoer{in: text}).measure(0); got != want {
				t.Fatalf("measure(%q) = %+v, want %+v", text, got, want)
			}
		}
	}
}
