package markup_test

import (
	"fmt"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestMarksInWords: marks inside words, citations and raised numbers of notes leave the words as
// they are shown, and what is shown in another output only is noted.
func TestMarksInWords(t *testing.T) {
	for _, tt := range []struct{ ext, text, want, notes string }{
		{"adoc", "har**bour** w__ee__k p##or##t c``od``e decided^12^, 10 m^2^ H~2~O cite:[novak]", "harbour week port code decided, 10 m2 H2O", "[]"},
		{"adoc", "a * b ** c and 2 ** 3", "a * b ** c and 2 ** 3", "[]"},
		{"adoc", "one\n\n++++\n<p>raw words</p>\n++++", "one", "[2 words that may be shown are not read: ++++]"},
		{"org", "slovo [cite:@novak p. 12] a [cite/t:@smith;@doe] dva^3 cite:novak2001 \\cite{doe} x^2", "slovo a dva x2", "[]"},
		{"org", "a\u200b*b*\u200bc", "a\u200bb\u200bc", "[]"},
		{"typ", "slovo#super[1] slovo#super(\"2\") dva m#super[2]", "slovo slovo dva m2", "[]"},
		{"org", "one\n#+begin_export html\nraw words\n#+end_export", "one", "[2 words that may be shown are not read: #+begin_export]"},
		{"rst", `har\ **bour**\ x slovo :cite:p:` + "`novak`" + ` dva\ :sup:` + "`1`" + ` m\ :sup:` + "`2`" + ``, "harbourx slovo dva m2", "[]"},
		{"rst", "one\n\n.. raw:: html\n\n   raw words\n\ntwo", "one\n\ntwo", "[2 words that may be shown are not read: raw::]"},
	} {
		doc := &document.Document{Ext: tt.ext}
		if err := readtest.Read(t.Context(), doc, []byte(tt.text), document.Options{}); err != nil || doc.Text != tt.want || fmt.Sprint(doc.Notes) != tt.notes {
			t.Errorf("%s %q: text %q, notes %v, %v, want %q, %s", tt.ext, tt.text, doc.Text, doc.Notes, err, tt.want, tt.notes)
		}
	}
}
