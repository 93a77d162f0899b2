package normalize

import (
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
