package normalize

import (
	"slices"
	"strings"
	"testing"
)

func TestSetFor(t *testing.T) {
	set, err := NewSet(Rules{DeleteChars: "-"}, map[string]Rules{
		"HTML": {DeleteTags: []string{"<b>"}},
		".tex": {DeleteChars: "~"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ ext, rules, chars string }{
		{"", "", "-"},
		{".txt", "", "-"},
		{"html", "html", ""},
		{".Html", "html", ""},
		{"tex", "tex", "~"},
	}
	for _, tt := range tests {
		n, rules := set.For(tt.ext)
		if rules != tt.rules || n.Rules().DeleteChars != tt.chars {
			t.Errorf("For(%q) = rules %q deleting %q, want %q deleting %q",
				tt.ext, rules, n.Rules().DeleteChars, tt.rules, tt.chars)
		}
		if again, ok := set.Named(rules); !ok || again != n {
			t.Errorf("Named(%q) = %p, %v, want %p as For(%q)", rules, again, ok, n, tt.ext)
		}
	}
	if n, ok := set.Named("odt"); ok {
		t.Errorf("Named(odt) = %v, want none", n)
	}
	if got, want := set.Types(), []string{"html", "tex"}; !slices.Equal(got, want) {
		t.Errorf("Types() = %q, want %q", got, want)
	}
}

func TestNewSetErrors(t *testing.T) {
	bad := Rules{StopWords: []string{"two words"}}
	tests := []struct {
		name    string
		general Rules
		types   map[string]Rules
		want    string
	}{
		{"general", bad, nil, `stopwords: "two words"`},
		{"of a type", Rules{}, map[string]Rules{"html": bad}, `type "html": stopwords: "two words"`},
		{"no extension", Rules{}, map[string]Rules{".": {}}, `type ".": empty file extension`},
		{"twice", Rules{}, map[string]Rules{"TXT": {}, "txt": {}}, `type "txt": rules given twice`},
	}
	for _, tt := range tests {
		_, err := NewSet(tt.general, tt.types)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: NewSet: error %v, want one starting %s", tt.name, err, tt.want)
		}
	}
}

// TestAsIndexed: a text is made words of as it was when it was indexed, or there is an
// error: with other rules it would have other words.
func TestAsIndexed(t *testing.T) {
	set, err := NewSet(Rules{DeleteChars: "-"}, map[string]Rules{"tex": {DeleteChars: "~"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rules, newLine string
		chars          string
		mode           Mode
		err            string
	}{
		{"", "true", "-", Line, ""},
		{"tex", "blank", "~", Blank, ""},
		{"tex", "false", "~", Whole, ""},
		{"odt", "true", "", Auto, `indexed with rules for "odt" files, which the settings do not have`},
		{"tex", "yes", "~", Auto, `unknown new_line "yes": want true, false, blank or auto`},
	} {
		n, mode, err := set.AsIndexed(tt.rules, tt.newLine)
		if mode != tt.mode || (err != nil) != (tt.err != "") || err != nil && err.Error() != tt.err {
			t.Errorf("AsIndexed(%q, %q): mode %v, error %v; want %v, %s", tt.rules, tt.newLine, mode, err, tt.mode, tt.err)
		}
		if (n != nil) != (tt.chars != "") || n != nil && n.Rules().DeleteChars != tt.chars {
			t.Errorf("AsIndexed(%q, %q) = %+v, want what deletes %q", tt.rules, tt.newLine, n, tt.chars)
		}
	}
}
