package indexer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/store"
)

// TestTranslated: with the option, each document has keys of its language. Keys are added to
// unchanged documents, and once an index has some, later documents get them without the option.
func TestTranslated(t *testing.T) {
	english := "In the morning the old man went to the market, because he had promised his daughter that he would bring her apples and pears."
	dir := files.Folder(t, map[string]string{"a.txt": english, "b.txt": strings.Repeat("xyzzy plugh ", 20)})
	s := newStore()
	state := func() string {
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprint(info.Keys().Documents)
		err = s.Documents(t.Context(), "", func(d store.Document) error {
			grams, keyed := d.Grams(store.TranslationKeys)
			line += fmt.Sprintf(" %s:%s:%v:%v:%v", d.Path[len(d.Path)-5:], d.Language, keyed, grams > 0, len(d.NGrams()))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	index(t, s, Options{N: 3, Pairs: true}, dir)
	if got, want := state(), "0 a.txt:en:false:false:1 b.txt::false:false:1"; got != want {
		t.Errorf("without keys: %s, want %s", got, want)
	}
	sum := index(t, s, Options{N: 3, Pairs: true, Translated: true}, dir)
	if got, want := state(), "2 a.txt:en:true:true:1 b.txt::true:false:1"; got != want || sum.Failed > 0 {
		t.Errorf("with keys: %s, want %s; %d failed", got, want, sum.Failed)
	}
	if sum := index(t, s, Options{N: 3, Pairs: true, Translated: true}, dir); sum.Unchanged != 2 {
		t.Errorf("again: %s", counts(sum))
	}
	files.Write(t, dir+"/c.txt", english)
	index(t, s, Options{N: 3, Pairs: true}, dir)
	if got, want := state(), "3 a.txt:en:true:true:1 b.txt::true:false:1 c.txt:en:true:true:1"; got != want {
		t.Errorf("a later document: %s, want %s", got, want)
	}
	if got := unsound(t, s); len(got) > 0 {
		t.Errorf("VerifyTexts reports %v", got)
	}
}
