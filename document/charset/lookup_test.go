package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/otisk/otisk/document/format"
)

// TestFewCyrillic checks the guess on a file of tags with some Russian: a letter that fits the
// encoding must not cost more than one that does not.
func TestFewCyrillic(t *testing.T) {
	text := strings.Repeat("<item><title>Вся Россия: Россия, Турция и Украина</title><link>http://forum.example/news/template-toolkit.html</link><description>Украинская сторона заявляет. Российская сторона возражает. Совещание Совета Федерации. Вчерашняя Таллинская встреча. Хартия</description><guid isPermaLink=\"false\">http://forum.example/archive/template-toolkit/discussion.html</guid><author>webmaster@forum.example</author><category domain=\"http://forum.example/categories\">templates</category><pubDate>Tue, 3 Jan 2006 19:57:00</pubDate></item>\n", 20)
	for name, enc := range map[string]*charmap.Charmap{"x-mac-cyrillic": charmap.MacintoshCyrillic, "windows-1251": charmap.Windows1251, "ibm866": charmap.CodePage866, "iso-8859-5": charmap.ISO8859_5} {
		data, err := enc.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := Decode(t.Context(), &format.Source{Data: data}, ""); got != name || err != nil {
			t.Errorf("Decode of text in %s guesses %s, %v", name, got, err)
		}
	}
}

func TestLookupMac(t *testing.T) {
	for _, label := range []string{"MacCyrillic", "mac-cyrillic", "mac_cyrillic", "x-mac-cyrillic", "MacCE", "macintosh", "macroman"} {
		if _, err := Lookup(label); err != nil {
			t.Errorf("Lookup(%q): %v", label, err)
		}
	}
}
