package normalize

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// show writes paragraphs on one line: their range, then the words.
func show(text string, ps []Paragraph) string {
	var parts []string
	for _, p := range ps {
		words := make([]string, len(p.Words))
		for i, w := range p.Words {
			words[i] = w.Text
		}
		parts = append(parts, text[p.Start:p.End]+" = "+strings.Join(words, " "))
	}
	return strings.Join(parts, " | ")
}

func TestWords(t *testing.T) {
	tags := Rules{NewLineTags: []string{"<p>", "<br />"}, DeleteTags: []string{"<i>", "</i>", "<p>", "[[", "<x y=\"1\">"}}
	tests := []struct {
		name  string
		rules Rules
		text  string
		want  string
	}{
		{"nothing", DefaultRules(), "", ""},
		{"only punctuation", DefaultRules(), " *** ", ""},
		{"case", DefaultRules(), "Příliš ŽLUŤOUČKÝ", "příliš žluťoučký"},
		{"digits", DefaultRules(), "§ 12a, 3.5 ½ ²", "12a 3 5"},
		{"deleted characters join", DefaultRules(), "e-mail don't don’t", "email dont dont"},
		{"other punctuation splits", DefaultRules(), "a.b,c—d_e/f", "a b c d e f"},
		{"punctuation kept", Rules{KeepPunctuation: true, DeleteChars: "-"}, "C++, e-mail\x00x", "c++, email x"},
		{"tab is a space even if deleted", Rules{DeleteChars: "\t. "}, "a\tb c.d", "a b cd"},
		{"deleted letters", Rules{DeleteChars: "aé"}, "banán éé e\u0301a", "bnán"},
		{"deleted characters of far scripts", Rules{DeleteChars: "中𝔸"}, "a中b 中 𝔸x", "ab x"},
		{"invisible characters", DefaultRules(), "\ufeffslo\u00advo zero\u200bwidth \u2060", "slovo zerowidth"},
		{"emoji is no word", DefaultRules(), "a ❤\ufe0f b", "a b"},
		{"decomposed", DefaultRules(), "pr\u030ci\u0301lis\u030c", "příliš"},
		{"composes only in lower case", DefaultRules(), "J\u030c", "ǰ"},
		{"sigma", DefaultRules(), "ΟΔΟΣ οδος", "οδοσ οδοσ"},
		{"dotted I", DefaultRules(), "İI\u0307", "ii"},
		{"accent alone", DefaultRules(), "\u0301", "\u0301"},
		{"accent on a space", DefaultRules(), "a \u0301b", "a b"},
		{"accent on punctuation", DefaultRules(), "a-\u0301b =\u0338 c", "ab c"},
		{"not UTF-8", DefaultRules(), "a\xffb \xc3", "a b"},
		{"half a letter", DefaultRules(), "a\xc3bc \xd0x ab\xc3", "a bc x ab"},
		{"a deleted sign in two characters", Rules{DeleteChars: "≠"}, "a≠b a=\u0338b a=b", "ab ab a b"},
		{"a deleted letter in two characters", Rules{DeleteChars: "-é"}, "a-e\u0301 b", "a b"},
		{"marks of far scripts", DefaultRules(), "か\u3099き", "がき"},
		{"twelve marks count", DefaultRules(), "q" + strings.Repeat("\u0323", 13) + "x", "q" + strings.Repeat("\u0323", 12) + "x"},
		{"not UTF-8 in a tag", tags, "a<\xffi>b<i\xff>c<i \xff>d", "a i b i cd"},
		{"tags part lines and vanish", tags, "a<p>b<BR/>c<br class=\"x\">d<i>e</i>f", "a b c def"},
		{"first rule wins", tags, "a<p>b", "a b"},
		{"not a tag", tags, "<pre>x</pre> <p", "pre x pre p"},
		{"tag with a tag in it", tags, "<i <i>>x", "i x"},
		{"tag over lines", tags, "a<i\nclass=\"x\"\n>b", "ab"},
		{"tag with an accent", tags, "a<i>\u0338b <i \u0338>c", "a i b i c"},
		{"tag without an end", tags, "a<p b", "a p b"},
		{"tag with a sign that is no end", tags, "a<i x=\">\u0338<\u0338\">b", "ab"},
		{"signs that are no tag", Rules{DeleteTags: []string{"<>", "</>", "<y", "x>"}}, "a<>b</>c< >d</ >e<y>fx>g", "abc d e fg"},
		{"tag with attributes in the rule", tags, "a<X y=\"1\" z>b<x>c", "ab x c"},
		{"any string", tags, "a[[b[c", "ab c"},
		{"Kelvin sign in a tag", Rules{DeleteTags: []string{"<kbd>"}}, "a<\u212abd>b", "ab"},
		{"tag with letters beyond ASCII", Rules{DeleteTags: []string{"<čin>"}}, "a<ČIN>b<c\u030cin>c", "abc"},
		{"stop words", Rules{StopWords: []string{"The", "don't"}, DeleteChars: "'"}, "the cat DON’T dont The", "cat don t"},
	}
	for _, tt := range tests {
		n := mustNew(t, tt.rules)
		var words []string
		for _, w := range wordsOf(n.Paragraphs(tt.text, Whole)) {
			words = append(words, w.Text)
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("%s: words of %q = %q, want %q", tt.name, tt.text, got, tt.want)
		}
		checkAll(t, n, tt.text)
	}
}

func TestParagraphs(t *testing.T) {
	rules := Rules{NewLineTags: []string{"<p>"}, DeleteTags: []string{"<b>", "</b>"}, DeleteChars: "-"}
	tests := []struct {
		name string
		mode Mode
		text string
		want string
	}{
		{"lines", Line, "One.\n\n  „Two“! \r\n***\rthree", "One. = one | „Two“! = two | three = three"},
		{"line breaks of all kinds", Line, "a\r\nb\rc\nd\u0085e\u2028f\u2029g", "a = a | b = b | c = c | d = d | e = e | f = f | g = g"},
		{"lines by tags", Line, "a.<p class=x> b <p><b>c</b>!", "a. = a | b = b | <b>c</b>! = c"},
		{"whole", Whole, "\n\n(a\n\nb)\n ", "(a\n\nb) = a b"},
		{"blank lines", Blank, "a\nb.\n \t\n\n- c\n\n***\n\nd", "a\nb. = a b | - c = c | d = d"},
		{"a line of signs is not blank", Blank, "a\n---\nb", "a\n---\nb = a b"},
		{"signs before and after", Blank, "***\na\n***\n\nb", "***\na\n*** = a | b = b"},
		{"deleted tags leave a line blank", Blank, "<b>\na\n</b>\nb</b>\n", "a = a | b</b> = b"},
		{"invisible characters leave a line blank", Blank, "\ufeffa\n\u200b\n\ufeff-b\u00ad\n", "a = a | -b = b"},
		{"blank by tags", Blank, "a<p>b<p> <p>c\n<p>d", "a<p>b = a b | c = c | d = d"},
		{"blank with CRLF", Blank, "a\r\nb\r\n\r\nc\r\r\nd", "a\r\nb = a b | c = c | d = d"},
		{"a carriage return at the end", Line, "a\r\rb\r", "a = a | b = b"},
		{"auto is blank here", Auto, "a\nb\n\nc", "a\nb = a b | c = c"},
	}
	for _, tt := range tests {
		n := mustNew(t, rules)
		if got := show(tt.text, n.Paragraphs(tt.text, tt.mode)); got != tt.want {
			t.Errorf("%s: Paragraphs(%q, %v)\n got %q\nwant %q", tt.name, tt.text, tt.mode, got, tt.want)
		}
		checkAll(t, n, tt.text)
	}
}

// wordIn reports whether r may be in a word by the default rules.
func wordIn(r rune) bool { return unicode.In(r, unicode.L, unicode.Nd, unicode.M) }

// simpleWords implements the default rules by the standard library, for composed texts without
// special characters.
func simpleWords(text string) []string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune(deleteChars+"\u00ad\ufeff", r) {
			return -1
		}
		return r
	}, norm.NFC.String(text))
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !wordIn(r) })
}

// checkSimple compares the words of a text with simpleWords.
func checkSimple(t *testing.T, name, text string) {
	t.Helper()
	want := simpleWords(text)
	got := 0
	for s := mustNew(t, DefaultRules()).Scan(text, Blank); s.Next(); got++ {
		if got >= len(want) || string(s.Word()) != want[got] {
			t.Fatalf("%s: word %d is %q, want %q", name, got, s.Word(), want[min(got, len(want)-1)])
		}
	}
	if got != len(want) {
		t.Fatalf("%s: %d words, want %d", name, got, len(want))
	}
}

func TestRealTexts(t *testing.T) {
	for name, text := range map[string]string{"english": english, "czech": czech} {
		checkSimple(t, name, text)
		for _, rules := range ruleSets {
			checkAll(t, mustNew(t, rules), text)
		}
	}
}

// TestCorpus checks every tenth file of PAN 2013, and in full every
// hundredth and those with accents of their own.
func TestCorpus(t *testing.T) {
	root := os.Getenv("OTISK_PAN")
	if root == "" {
		t.Skip("OTISK_PAN names no folder of the PAN 2013 corpus")
	}
	files, err := filepath.Glob(filepath.Join(root, "s*", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts in %s: %v", root, err)
	}
	n := mustNew(t, DefaultRules())
	for i := 0; i < len(files); i += 10 {
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		special := func(r rune) bool { return unicode.IsMark(r) || Invisible(r) }
		if i%100 == 0 || strings.ContainsFunc(string(text), special) {
			checkAll(t, n, string(text))
		} else {
			checkSimple(t, files[i], string(text))
		}
	}
}

// TestEachCharacter sets every character that is special in some way between
// two letters.
func TestEachCharacter(t *testing.T) {
	n := mustNew(t, Rules{KeepPunctuation: true})
	for r := rune(0); r <= unicode.MaxRune; r++ {
		plain := r >= 0x3100 && unicode.ToLower(r) == r && norm.NFC.PropertiesString(string(r)).BoundaryBefore() && norm.NFD.IsNormalString(string(r))
		if plain || !utf8.ValidRune(r) {
			continue
		}
		text := "x" + string(r) + "y"
		if got, want := n.Paragraphs(text, Line), reference(n.Rules(), text, Line); !equalParagraphs(got, want) {
			t.Fatalf("%U: Paragraphs(%q) = %+v, want %+v", r, text, got, want)
		}
	}
}

func TestLongWords(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []int // bytes of the words
	}{
		{"just fits", strings.Repeat("x", maxWord), []int{maxWord}},
		{"one more", strings.Repeat("x", maxWord+1), []int{maxWord, 1}},
		{"two bytes at the border", strings.Repeat("x", maxWord-1) + "žx", []int{maxWord - 1, 3}},
		{"accent at the border", strings.Repeat("x", maxWord-1) + "z\u030c", []int{maxWord - 1, 2}},
		{"three bytes each", strings.Repeat("漢", 1000), []int{1023, 1023, 954}},
		{"deleted characters do not count", strings.Repeat("-x", maxWord), []int{maxWord}},
	}
	n := mustNew(t, DefaultRules())
	for _, tt := range tests {
		var got []int
		for s := n.Scan(tt.text, Whole); s.Next(); {
			got = append(got, len(s.Word()))
		}
		if len(got) != len(tt.want) || got[0] != tt.want[0] || got[len(got)-1] != tt.want[len(got)-1] {
			t.Errorf("%s: words of %v bytes, want %v", tt.name, got, tt.want)
		}
		checkAll(t, n, tt.text)
	}
}

// TestHostileTexts walks texts that would take quadratic time, or memory of
// their own size, if anything were looked at twice or kept.
func TestHostileTexts(t *testing.T) {
	rules := Rules{NewLineTags: []string{"<p>", "<p class=\"x\">"}, DeleteTags: []string{"<b>"}, DeleteChars: "-"}
	for i := range 1000 {
		rules.DeleteTags = append(rules.DeleteTags, "<b"+strings.Repeat("x", i)+">")
	}
	n := mustNew(t, rules)
	size := 64 << 10
	for _, unit := range []string{"<p ", "<", "<b≮", "<p \u0338", "x", "x\u0301", "\u0301", "-", "<b>", "\r", "\xff", "<bxxxxxxxxxxxxxxxxxxxxxx ", "\u00ad", "漢"} {
		text := "a" + strings.Repeat(unit, size/len(unit))
		allocs := testing.AllocsPerRun(1, func() {
			for s := n.Scan(text, Blank); s.Next(); {
				if start, end := s.Span(); start >= end {
					t.Fatalf("word %q at [%d,%d)", s.Word(), start, end)
				}
			}
		})
		accents := strings.HasSuffix(unit, "\u0338") || strings.HasPrefix(unit, "x\u0301") // x/text allocates for each
		if allocs > 30 && !accents {
			t.Errorf("%d times %q: %v allocations, want 30 at most", size/len(unit), unit, allocs)
		}
	}
}

func TestNewErrors(t *testing.T) {
	tests := []struct {
		rules Rules
		want  string
	}{
		{Rules{NewLineTags: []string{" "}}, "new_line_tags: empty tag"},
		{Rules{DeleteTags: []string{"<b>", ""}}, "delete_tags: empty tag"},
		{Rules{DeleteTags: []string{"<\xff>"}}, `delete_tags: tag "<\xff>" is not UTF-8`},
		{Rules{DeleteChars: "-\xff"}, `delete_chars: "-\xff" is not UTF-8`},
		{Rules{StopWords: []string{"in spite"}}, `stopwords: "in spite" is 2 words, want 1`},
		{Rules{StopWords: []string{"--"}, DeleteChars: "-"}, `stopwords: "--" is 0 words, want 1`},
	}
	for _, tt := range tests {
		_, err := New(tt.rules)
		if err == nil || err.Error() != tt.want {
			t.Errorf("New(%+v): error %v, want %s", tt.rules, err, tt.want)
		}
	}
}

func TestParseMode(t *testing.T) {
	for _, m := range []Mode{Auto, Line, Whole, Blank} {
		if got, err := ParseMode(m.String()); got != m || err != nil {
			t.Errorf("ParseMode(%q) = %v, %v, want %v", m.String(), got, err, m)
		}
	}
	if got := Mode(9).String(); got != "Mode(9)" {
		t.Errorf("a mode without a name is %q", got)
	}
	if _, err := ParseMode("yes"); err == nil || !strings.Contains(err.Error(), `unknown new_line "yes"`) {
		t.Errorf("ParseMode(yes): error %v, want one naming it", err)
	}
}

// TestModeOf: the rules decide how paragraphs are separated, and with Auto the text does.
func TestModeOf(t *testing.T) {
	lines := strings.Repeat("Each line of this text is a paragraph, since it has one sentence of a dozen words or more.\n", 20)
	for mode, want := range map[Mode][2]Mode{Auto: {Line, Blank}, Line: {Line, Line}, Whole: {Whole, Whole}, Blank: {Blank, Blank}} {
		n := mustNew(t, Rules{NewLine: mode})
		if got := [2]Mode{n.Mode(lines), n.Mode("a\nb")}; got != want {
			t.Errorf("%v: modes %v, want %v", mode, got, want)
		}
	}
}

// TestAppendWords: words that are asked for after others come after them, and
// paragraphs are counted from the first of them.
func TestAppendWords(t *testing.T) {
	n := mustNew(t, DefaultRules())
	first, breaks := n.Words("One two.\nThree", Line)
	words, all := n.AppendWords(first, breaks, "four\nfive six", Line)
	want := []Word{{"one", 0, 3}, {"two", 4, 7}, {"three", 9, 14}, {"four", 0, 4}, {"five", 5, 9}, {"six", 10, 13}}
	if !slices.Equal(words, want) || !slices.Equal(all, []int{0, 2, 0, 1}) {
		t.Errorf("words %v, paragraphs from %v; want %v and [0 2 0 1]", words, all, want)
	}
}

// TestDeletedSignsAreSeen: a line of signs that vanish shows something, and parts nothing,
// in any script.
func TestDeletedSignsAreSeen(t *testing.T) {
	n := mustNew(t, Rules{DeleteChars: "-中"})
	for _, sign := range []string{"-", "中"} {
		text := "a\n" + sign + "\nb"
		if got, want := show(text, n.Paragraphs(text, Blank)), text+" = a b"; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
