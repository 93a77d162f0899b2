package normalize

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// wrap breaks a text into lines of about width bytes.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, w := range strings.Fields(text) {
		if column > 0 && column+len(w) > width {
			b.WriteByte('\n')
			column = 0
		}
		if column > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		column += len(w) + 1
	}
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestResolveAuto(t *testing.T) {
	paragraphs := strings.Repeat(oneLine(czech)+"\n"+oneLine(english)+"\n", 10)
	poem := strings.Repeat("Byl pozdní večer – první máj –\nvečerní máj – byl lásky čas.\nHrdliččin zval ku lásce hlas,\nkde borový zaváněl háj.\n", 10)
	tests := []struct {
		name string
		text string
		want Mode
	}{
		{"empty", "", Blank},
		{"one line", oneLine(czech), Blank},
		{"a paragraph a line", paragraphs, Line},
		{"a paragraph a line, blank lines between", strings.ReplaceAll(paragraphs, "\n", "\n\n"), Blank},
		{"few paragraphs", oneLine(czech) + "\n" + oneLine(english), Blank},
		{"wrapped", strings.Repeat(wrap(czech, 72)+"\n\n", 10), Blank},
		{"wrapped without blank lines", strings.Repeat(wrap(czech, 72)+"\n", 10), Blank},
		{"wrapped wide", strings.Repeat(wrap(english, 200)+"\n", 10), Blank},
		{"dialogue, one speech a line", strings.Repeat("„Nepůjdu tam,“ řekl mlynář a postavil džbán zase na stůl vedle bochníku chleba, který tam ležel od rána.\n„A proč bys nešel, když tě tak pěkně prosím a když jsi to včera přede všemi u stolu tak slavně slíbil?“\n„Ne.“\n– Ne, a víckrát mi to neříkej, nechceš-li, abych se rozzlobil doopravdy a šel odtud hned domů!\n", 10), Line},
		{"verses of a Bible", strings.Repeat("[1:2] Země pak byla nesličná a pustá, a tma byla nad propastí, a Duch Boží vznášel se nad vodami.\n", 20), Line},
		{"poem", poem, Blank},
		{"list", strings.Repeat("One short sentence.\n", 100), Blank},
		{"program", strings.Repeat("for i := range n {\n\tsum += i\n}\n", 100), Blank},
		{"wrapped, then a paragraph a line past the sample", strings.Repeat(wrap(english, 72)+"\n", autoSample/len(english)+10) + strings.Repeat(paragraphs, 100), Blank},
		{"a line longer than the sample", strings.Repeat("word ", autoSample) + "\n" + paragraphs, Blank},
	}
	for _, tt := range tests {
		for _, end := range []string{"\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029"} {
			text := strings.ReplaceAll(tt.text, "\n", end)
			if got := Auto.Resolve(text); got != tt.want {
				t.Errorf("%s, lines ending in %q: Resolve = %v, want %v; counted %+v", tt.name, end, got, tt.want, countLines(text))
			}
		}
	}
}

func TestResolveKeepsOtherModes(t *testing.T) {
	for _, m := range []Mode{Line, Whole, Blank} {
		if got := m.Resolve("a\nb"); got != m {
			t.Errorf("%v.Resolve = %v", m, got)
		}
	}
}

// TestOneLineParagraphsFromWhereOn takes counts at each bound, and beyond it.
func TestOneLineParagraphsFromWhereOn(t *testing.T) {
	const pairs = 100 * minPairs
	at := lineCount{lines: 10, words: minWords * 10, pairs: pairs, complete: minComplete * pairs / 100, lower: maxLower * pairs / 100}
	tests := []struct {
		name   string
		change func(*lineCount)
		want   bool
	}{
		{"at every bound", func(*lineCount) {}, true},
		{"one word less", func(c *lineCount) { c.words-- }, false},
		{"one complete pair less", func(c *lineCount) { c.complete-- }, false},
		{"one more split sentence", func(c *lineCount) { c.lower++ }, false},
		{"as few pairs as are enough", func(c *lineCount) { c.pairs, c.complete, c.lower = minPairs, minPairs, 0 }, true},
		{"one pair less", func(c *lineCount) { c.pairs, c.complete, c.lower = minPairs-1, minPairs-1, 0 }, false},
	}
	for _, tt := range tests {
		c := at
		tt.change(&c)
		if got := c.oneLineParagraphs(); got != tt.want {
			t.Errorf("%s: oneLineParagraphs of %+v = %v, want %v", tt.name, c, got, tt.want)
		}
	}
}

// naiveLineEnd is lineEnd, a byte at a time.
func naiveLineEnd(s string, limit int) (end, next int) {
	ends := []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"}
	for i := 0; i < len(s) && i <= limit; i++ {
		for _, e := range ends {
			if strings.HasPrefix(s[i:], e) {
				return i, i + len(e)
			}
		}
	}
	if len(s) <= limit {
		return len(s), len(s)
	}
	return 0, 0
}

func TestLineEndIsTheNaiveOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"a", "plain ascii text", "\x0e", "\x0d", "\r\n", "\n", "\u0085", "\u2028", "\u2029", "ž", "\u0084", "\xc2", "\xe2\x80", "\t", "€"}
	for range 20_000 {
		var b strings.Builder
		for range rnd.IntN(6) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		s, limit := b.String(), rnd.IntN(40)
		end, next := lineEnd(s, limit)
		if wantEnd, wantNext := naiveLineEnd(s, limit); end != wantEnd || next != wantNext {
			t.Fatalf("lineEnd(%q, %d) = %d, %d, want %d, %d", s, limit, end, next, wantEnd, wantNext)
		}
	}
}

// TestCountLines: a sentence ends between two lines, or continues in lower case, or neither.
func TestCountLines(t *testing.T) {
	const text = "One two three.\nfour five.\n\nSix,\nSeven „eight.“\n– Nine\n"
	want := lineCount{lines: 5, words: 10, pairs: 3, complete: 1, lower: 1}
	if got := countLines(text); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSampleOfLines: the lines that end in the first 256 KiB are counted, a line break
// being one byte of those however it is written.
func TestSampleOfLines(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\u2028"} {
		for blank, want := range map[int]int{0: 1 << 14, 1: 1 << 14, 2: 1<<14 - 1, 16: 1<<14 - 1, 17: 1<<14 - 1, 18: 1<<14 - 2} {
			text := strings.Repeat(end, blank) + strings.Repeat("fifteen letters"+end, 20_000)
			if got := countLines(text).lines; got != want {
				t.Errorf("lines ending in %q, %d blank ones first: %d are counted, want %d", end, blank, got, want)
			}
		}
	}
}
