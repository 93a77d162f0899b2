package lang

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/otisk/otisk/lang/phrase"
)

// TestNote says in Czech what results have in English, with messages.
func TestNote(t *testing.T) {
	var messages phrase.Table
	for _, tt := range []struct {
		of   *phrase.Phrase
		want string
	}{
		{phrase.Error("said.letters-for", "{script} letters in the place of {other}", "script", phrase.Error("said.cyrillic", "Cyrillic"), "other", phrase.Error("said.latin", "Latin")), "písmena: cyrilice místo latinka"},
		{phrase.Counted("said.around-page", "{n} byte around the text of the page is left out", "{n} bytes around the text of the page are left out", 3), "vynechány 3 bajty okolo textu stránky"},
		{phrase.Error("said.text-not-again", "{name}: its text is not kept, and its file cannot be read again: {cause}", "name", "b: c.txt", "cause", fmt.Errorf("c.txt: %w", fs.ErrNotExist)),
			"b: c.txt: jeho text se neuchovává a nelze jej znovu přečíst: c.txt: soubor ani složka neexistuje"},
		{phrase.Counted("said.not-seen", "{n} character on {pages} of {all} pages is invisible, the first on page {page}: {why}: they are left out",
			"{n} characters on {pages} of {all} pages are invisible, the first on page {page}: {why}: they are left out", 2000, "pages", 1, "all", 9, "page", 4, "why", phrase.Fixed("white on white")),
			"2\u00a0000 znaků na 1 z 9 stran není vidět, první na straně 4: bílé na bílém: jsou vynechány"},
		{phrase.Error("said.left-out", "left out, {percent}% the same as {name}", "percent", 93.5, "name", "a.txt"), "vynecháno, z 93,5\u00a0% stejné jako a.txt"},
		{phrase.Error("said.of-a-later-version", "said by a later version"), "said by a later version"},
		{phrase.Error("said.details", "{what}: {details}", "what", "a", "details", phrase.Error("said.of-a-later-version", "b")), "a: b"},
	} {
		english := messages.Add(tt.of)
		if got := Of("cs").Note(english, messages); got != tt.want {
			t.Errorf("%q is said as %q, want %q", english, got, tt.want)
		}
		if got := Of("en").Note(english, messages); got != english {
			t.Errorf("%q is said as %q in English", english, got)
		}
		if got := Of("cs").Err(messages.Of(english)); got != tt.want {
			t.Errorf("the remark %q is said as %q, want %q", english, got, tt.want)
		}
	}
	for english, want := range map[string]string{"hidden text": "skrytý text", "12 of 300 pages cannot be read": "12 of 300 pages cannot be read"} {
		if got := Of("cs").Note(english, nil); got != want {
			t.Errorf("without a message, %q is said as %q, want %q", english, got, want)
		}
	}
}
