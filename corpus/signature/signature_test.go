package signature

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/corpustest"
)

// TestSameText checks that case, diacritics, tags and punctuation do not change a
// signature, and that another text has another one.
func TestSameText(t *testing.T) {
	const want = "Příliš žluťoučký kůň úpěl ďábelské ódy"
	sum, letters, _ := Of(want, false)
	if letters != 33 || len(sum.String()) != 8 {
		t.Errorf("%q has %d letters and the signature %s, want 33 and 8 digits", want, letters, sum)
	}
	for _, same := range []string{
		"PRILIS zlutoucky kun,\r\nupel dabelske ody.",
		"<p class=\"a\">Příliš <b>žluťoučký</b> kůň</p>\n<!-- x --><br/>úpěl ďábelské ódy 12",
		"Pr\u030ci\u0301lis\u030c z\u030clut\u030couc\u030cky\u0301 ku\u030an\u030c u\u0301pe\u030cl d\u030ca\u0301belske\u0301 o\u0301dy",
	} {
		if got, _, _ := Of(same, false); got != sum {
			t.Errorf("%q has the signature %s, want %s", same, got, sum)
		}
	}
	for _, other := range []string{want + " x", "a < b", ""} {
		if got, _, _ := Of(other, false); got == sum {
			t.Errorf("%q has the signature of another text", other)
		}
	}
	if a, _, _ := Of("a < b > c", false); a != sumOf([]byte("abc")) {
		t.Error("< and > that are not a tag remove letters")
	}
	if none, _, _ := Of("12 + 3", false); none.String() != "-" {
		t.Errorf("a text without letters has the signature %s, want -", none)
	}
	for text, want := range map[string]bool{"Сегодня OK": true, "Vladimir, Владимир": false, "12 + 3": false, "łąka, ß": false} {
		if sum, _, foreign := Of(text, false); foreign != want || foreign && sum.String() != "-" {
			t.Errorf("Of(%q, false) = %s, foreign %v, want foreign %v", text, sum, foreign, want)
		}
	}
}

// TestDigits checks that digits count only if they are asked for, and never as letters that
// decide whether a text is in another script.
func TestDigits(t *testing.T) {
	const a, b = "Born in 1950, room 7", "Born in 1951, room 7"
	without, _, _ := Of(a, false)
	if other, _, _ := Of(b, false); other != without {
		t.Error("without digits, texts that differ in digits have different signatures")
	}
	with, length, _ := Of(a, true)
	if other, _, _ := Of(b, true); other == with || length != 15 {
		t.Errorf("with digits, texts that differ in digits have the same signature, of %d characters", length)
	}
	if sum, _, _ := Of("12 + 3", true); sum.String() == "-" || sum != sumOf([]byte("123")) {
		t.Errorf("with digits, a text of digits has the signature %s", sum)
	}
	if sum, _, foreign := Of("Сегодня 1234567890", true); !foreign || sum.String() != "-" {
		t.Errorf("digits make up for letters of another script: %s", sum)
	}
}

// TestButForID checks that documents that differ only in their ids are the same.
func TestButForID(t *testing.T) {
	vertical := func(s string) *corpus.Doc { return &corpus.Doc{Form: corpus.Vertical, Raw: []byte(s)} }
	line := func(s string) *corpus.Doc { return &corpus.Doc{Form: corpus.JSONLines, Raw: []byte(s)} }
	for _, tt := range []struct {
		a, b *corpus.Doc
		same bool
	}{
		{vertical("<doc id=\"1\" x=\"y\">\na\n"), vertical("<doc id=\"22\" x=\"y\">\na\n"), true},
		{vertical("<doc id=\"1\" x=\"y\">\na\n"), vertical("<doc id=\"1\" x=\"z\">\na\n"), false},
		{vertical("<doc id='1' x=\"y\">\na\n"), vertical("<doc ID = 'it is 2' x=\"y\">\na\n"), true},
		{vertical("<doc>\n<s id=\"1\">\n"), vertical("<doc>\n<s id=\"2\">\n"), false},
		{line(`{"id":1,"text":"a"}`), line(`{"id":"two","text":"a"}`), true},
		{line(`{"id":1,"text":"a"}`), line(`{"id":1,"text":"b"}`), false},
	} {
		a, _ := ButForID(tt.a, []string{"id"})
		b, _ := ButForID(tt.b, []string{"id"})
		if (a == b) != tt.same {
			t.Errorf("%s and %s are the same: %v, want %v", tt.a.Raw, tt.b.Raw, a == b, tt.same)
		}
	}
}

// TestWrite checks that signatures are added or replaced, and that all else stays.
func TestWrite(t *testing.T) {
	const vertical = "<doc id=\"a>b\" signature='old' x=\"1\">\n<p>\nKůň\n</p>\n</doc>\n<doc id='2'>\r\nkun\n</doc>\n"
	const lines = "{\"id\":1,\"text\":\"Kůň\" }\n{\"signature\":7,\"text\":\"12\"}"
	sum, _, _ := Of("kun", false)
	for name, want := range map[string]string{
		vertical: "<doc id=\"a>b\" x=\"1\" signature=\"SUM\">\n<p>\nKůň\n</p>\n</doc>\n<doc id='2' signature=\"SUM\">\r\nkun\n</doc>\n",
		lines:    "{\"id\":1,\"text\":\"Kůň\" ,\"signature\":\"SUM\"}\n{\"signature\":\"-\",\"text\":\"12\"}\n",
	} {
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		want = strings.ReplaceAll(want, "SUM", sum.String())
		for range 2 { // the second time, the input has signatures
			var got strings.Builder
			if w, err := Write(t.Context(), corpustest.Input(t, path), false, &got); err != nil || got.String() != want || w.Documents != 2 || w.Problems > 0 {
				t.Errorf("got %q, %+v, %v; want %q", got.String(), w, err, want)
			}
			if err := os.WriteFile(path, []byte(got.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
