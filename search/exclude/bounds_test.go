package exclude

import (
	"slices"
	"strings"
	"testing"
)

// Lines of a bibliography with evidence, and without; the heading of what
// follows.
const (
	entry = "Novák, J. Korpusy. Praha, 2009."
	prose = "Tak to tenkrát bylo"
	part  = "Prameny"
	end   = "Přílohy"
)

// linesWith returns lines that a code names: e for an entry, p for prose, a
// h for the name of a part, a blank for a blank line, ! for the end.
func linesWith(code string) string {
	names := map[rune]string{'e': entry, 'p': prose, 'h': part, ' ': "", '!': end}
	var list []string
	for _, r := range code {
		list = append(list, names[r])
	}
	return strings.Join(list, "\n")
}

func TestBibliographyBounds(t *testing.T) {
	many := strings.Repeat
	tests := []struct {
		name, code string
		want       int // lines after the heading that belong to it, -1 for no bibliography
	}{
		{"ten lines without evidence are passed", "e" + many("p", 9) + "e!", 11},
		{"eleven are not", "ee" + many("p", 10) + "e!", 5},
		{"an entry alone where the text ends", "e", 1},
		{"an entry alone in a text that goes on", "ep!", -1},
		{"two entries in a text that goes on", "eep!", 3},
		{"the rest of an entry is up to three lines", "ee" + many("p", 5), 5},
		{"and ends at a blank line", "eep p", 3},
		{"a blank line right after", "ee ppp", 2},
		{"and at the end of the text", "eepp", 4},
		{"a third of the lines must be entries, the first ten aside", "e" + many("p", 9) + "e" + many("p", 4) + "e!", 16},
		{"just a third of what comes after ten", "e" + many("p", 9) + "e" + many("p", 7) + "e!", 19},
		{"just less than a third", "e" + many("p", 9) + "e" + many("p", 8) + "e!", 14},
		{"names of parts do not count", "e" + many("p", 9) + "e" + many("p", 3) + "h" + many("p", 4) + "e!", 20},
		{"no entry", "pppp!", -1},
		{"an entry alone, and one line more", "ep", -1},
		{"an entry alone before the next heading, near its own", "ppe!", 3},
		{"an entry alone before the next heading, far from its own", "pppe!", -1},
		{"fewer are not", "e" + many("p", 9) + "e" + many("p", 9) + "eeeee!", 14},
	}
	for _, tt := range tests {
		lines := linesWith(tt.code)
		text := "Literatura\n" + lines
		want := []string{}
		if tt.want >= 0 {
			want = append(want, "Literatura\n"+strings.Join(strings.Split(lines, "\n")[:tt.want], "\n"))
		}
		if got := parts(text, bibliographies(text, nil)); !slices.Equal(got, want) {
			t.Errorf("%s: bibliographies(%s) has %d lines after the heading, want %d", tt.name, tt.code, strings.Count(strings.Join(got, ""), "\n"), tt.want)
		}
	}
}

// TestHeadingsAreShort takes a known heading among signs of Markdown.
func TestHeadingsAreShort(t *testing.T) {
	for length, want := range map[int]bool{120: true, 121: false} {
		if got := isHeading("literatura" + strings.Repeat("*", length-len("literatura"))); got != want {
			t.Errorf("isHeading of %d bytes = %v, want %v", length, got, want)
		}
	}
	for length, want := range map[int]bool{119: true, 120: false} {
		if got := endsList("Index" + strings.Repeat(" ", length-len("Index"))); got != want {
			t.Errorf("endsList of %d bytes = %v, want %v", length, got, want)
		}
	}
}

// TestTouchingRangesAreOne joins a block quote with the quotation right after.
func TestTouchingRangesAreOne(t *testing.T) {
	text := "citát„druhý“ dál"
	quote := []Range{{Quotation, 0, len("citát")}}
	// A mark after a letter opens nothing, so only the block is found.
	if got, want := parts(text, Find(text, Options{Quotes: quote})), []string{"citát"}; !slices.Equal(got, want) {
		t.Fatalf("Find = %q, want %q", got, want)
	}
	tests := []struct {
		name       string
		list, want []Range
	}{
		{"touching", []Range{{"", 0, 5}, {"", 5, 9}}, []Range{{"", 0, 9}}},
		{"one byte between", []Range{{"", 0, 5}, {"", 6, 9}}, []Range{{"", 0, 5}, {"", 6, 9}}},
		{"inside", []Range{{"", 0, 9}, {"", 2, 5}}, []Range{{"", 0, 9}}},
		{"out of order", []Range{{"", 6, 9}, {"", 0, 6}}, []Range{{"", 0, 9}}},
	}
	for _, tt := range tests {
		if got := union(tt.list); !slices.Equal(got, tt.want) {
			t.Errorf("%s: union = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestUnclosedMarksAreLookedForOnce has a paragraph of opening marks that
// nothing closes. Looking for the end of each would take hours.
func TestUnclosedMarksAreLookedForOnce(t *testing.T) {
	text := strings.Repeat("„a «b ‚c ", 200_000)
	if got := quotations(text, false); len(got) != 0 {
		t.Errorf("Quotations finds %d, want none", len(got))
	}
}

func TestPagesEndLines(t *testing.T) {
	text := "ab\ncdef"
	tests := []struct {
		pages []int
		want  []string
	}{
		{nil, []string{"ab", "cdef"}},
		{[]int{0}, []string{"ab", "cdef"}},
		{[]int{0, 1}, []string{"a", "b", "cdef"}},
		{[]int{2}, []string{"ab", "cdef"}}, // before the line end, which is then one more line end
		{[]int{3}, []string{"ab", "cdef"}},
		{[]int{0, 0, 5}, []string{"ab", "cd", "ef"}},
		{[]int{7}, []string{"ab", "cdef"}},
	}
	for _, tt := range tests {
		var got []string
		for _, l := range filled(linesOf(text, tt.pages)) {
			got = append(got, l.text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("linesOf(pages %v) = %q, want %q", tt.pages, got, tt.want)
		}
	}
}

func TestTemplateBounds(t *testing.T) {
	given := "one two three four five six seven eight nine ten"
	tests := []struct{ name, text, want string }{
		{"a template of exactly five words", "a b c d e", "a b c d e"},
		{"five words at the end of a text", "so one two three four five", "one two three four five"},
		{"four other words between", "one two three four five w x y z six seven eight nine ten", "one two three four five w x y z six seven eight nine ten"},
		{"words that begin elsewhere", "on etwo three four five", ""},
		{"after a bracket", "(one two three four five)", "one two three four five"},
		{"five other words between", "one two three four five v w x y z six seven eight nine ten", "one two three four five|six seven eight nine ten"},
	}
	for _, tt := range tests {
		template := given
		if tt.name == tests[0].name {
			template = tt.text
		}
		if got := strings.Join(parts(tt.text, templates(tt.text, template)), "|"); got != tt.want {
			t.Errorf("%s: templates = %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, text := range []string{"v roce 2009 na straně 5", "it was so dans le cafe\u0301"} {
		if got := parts("("+text+")", templates("("+text+")", text)); !slices.Equal(got, []string{text}) {
			t.Errorf("templates = %q, want %q: numbers and accents are of words", got, text)
		}
	}
}

func TestQuotationNeighbours(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"after a digit", "5„ne a ne“ a 5 „ano a ano“", []string{"„ano a ano“"}},
		{"after a bracket", `x ("a b c") -"d e f" /"g h i" x"j k l"`, []string{`"a b c"`, `"d e f"`, `"g h i"`}},
		{"before a bracket", `f ("a b c", ")") and (")") "x y z"`, []string{`"a b c"`, `"x y z"`}},
		{"at the end of the text", `tak "`, nil},
		{"nothing in it", "„ “ „“", nil},
		{"one word", "„slovo“ a “two words”", nil},
		{"after a letter", "citát„tak to je“ dál", nil},
		{"after a sign that opens nothing", `dots…“so it is” and…"so it is"`, []string{"“so it is”"}},
		{"a sign right after it", `x ",and so it" y “,and so it” z`, []string{"“,and so it”"}},
		{"numbers", "„12 34 56“ a „– – –“", []string{"„12 34 56“"}},
		{"no end after a space", `"it was " so on and on" end`, []string{`"it was " so on and on"`}},
		{"the same, Czech", "„tak to “ je to“ dál", []string{"„tak to “ je to“"}},
		{"an end after a space", "“a b c ” d e”", []string{"“a b c ”"}},
		{"typed end of what French marks start", `« tak to je" dál`, nil},
		{"typed end before a letter", `“so it is"x y`, nil},
		{"single, before a letter", "Slovo ‚pojď sem hned‘a dál", nil},
		{"a mark that starts nothing after one before a word", "„Zahl aller Knoten“an „ und so“ fort", []string{"„Zahl aller Knoten“an „ und so“"}},
		{"at the end nothing starts", "tak “a b c“d e f.“", []string{"“a b c“d e f.“"}},
		{"the first of two before words", "„tak to je“nebo tak“ne", []string{"„tak to je“"}},
		{"mail without a space", ">ne\n> ano", []string{"> ano"}},
		{"mail in two blocks", "> a\nb\n> c", []string{"> a", "> c"}},
	}
	for _, tt := range tests {
		if got := parts(tt.text, quotations(tt.text, false)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: quotations(%q) = %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// TestStringsOfCodeAreNoQuotations: one code character near the marks, or between them, is
// enough; those far away or in another line are ignored.
func TestStringsOfCodeAreNoQuotations(t *testing.T) {
	const said = `"so it was then"`
	far := strings.Repeat("x", codeNear-2)
	tests := []struct {
		name, before, after string
		code                bool
	}{
		{"nothing near", "he said ", " and went", false},
		{"a call", "say(", " and", true},
		{"a call by a name of one letter", "f(", " and", true},
		{"a bracket at the start", "(", " and)", false},
		{"a bracket after a space", "he (", " he said)", false},
		{"a bracket after an accent", "é(", ")", false},
		{"a value with a name", `a "title": `, " and", true},
		{"a name alone", "the title: ", " and", false},
		{"the end of a call", "log ", ");", true},
		{"a bracket and more", "log ", "); and", true},
		{"the end of a statement", "log ", ";\nnext", true},
		{"the end of the last statement", "log ", ";", true},
		{"a semicolon", "he said ", "; she did not", false},
		{"a sign before it", "x = y ", " and", true},
		{"a sign after it", "y ", " and x = y", true},
		{"a sign just near enough before", "{" + far + " ", " and", true},
		{"a sign too far before", "{x" + far + " ", " and", false},
		{"a sign just near enough after", "y ", " " + far + "}", true},
		{"a sign too far after", "y ", " x" + far + "}", false},
		{"a sign in the line before", "x = y\n", " and", false},
		{"a sign in the line before, not right before", "x = y\nhe said ", " and", false},
		{"a sign in the next line", "y ", "\nx = y", false},
		{"a sign in the next line, not right after", "y ", " he said.\nx = y", false},
	}
	for _, tt := range tests {
		text := tt.before + said + tt.after
		if got := !slices.Contains(parts(text, quotations(text, false)), said); got != tt.code {
			t.Errorf("%s: %q is code: %v, want %v", tt.name, text, got, tt.code)
		}
	}
	for _, c := range "azAZ09" {
		if text := string(c) + "(" + said + ")"; len(quotations(text, false)) != 0 {
			t.Errorf("%s has a quotation, want a call", text)
		}
	}
	for _, c := range "[`/:" {
		if text := string(c) + "(" + said + ")"; len(quotations(text, false)) != 1 {
			t.Errorf("%s has no quotation", text)
		}
	}
	for text, want := range map[string]int{`he "gave a = b then"`: 0, `he "gave a_b and then"`: 1} {
		if got := len(quotations(text, false)); got != want {
			t.Errorf("%s has %d quotations, want %d", text, got, want)
		}
	}
}
