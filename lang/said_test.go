package lang

import "testing"

// TestSaid says in Czech what results have in English.
func TestSaid(t *testing.T) {
	for english, want := range map[string]string{
		"hidden text":           "skrytý text",
		"not text: a PNG image": "není to text: obrázek PNG",
		"too large: 2000000 bytes, the limit is 100":                                                        "příliš velké: 2\u00a0000\u00a0000 bajtů, limit je 100",
		"damaged or not whole: unexpected EOF":                                                              "poškozený nebo neúplný: unexpected EOF",
		"Cyrillic letters in the place of Latin":                                                            "písmena: cyrilice místo latinka",
		"3 bytes around the text of the page are left out":                                                  "vynechány 3 bajty okolo textu stránky",
		"a/b: c.txt: its text is not kept, and its file cannot be read again: changed since it was indexed": "a/b: c.txt: jeho text se neuchovává a nelze jej znovu přečíst: od indexování se změnil",
		"1 included file is not read":                                                                       "1 další soubor sem má být vložen, a není přečten",
		"2 included PDF files and listings are not read":                                                    "2 vložené soubory PDF nebo výpisy kódu nejsou přečteny",
		"3 included files are not read":                                                                     "3 další soubory sem mají být vloženy, a nejsou přečteny",
		"hidden slides are read, too: 2, 5":                                                                 "čtou se i skryté snímky: 2, 5",
		"foreign letters in the place of Latin":                                                             "písmena: cizí místo latinka",
		"what nobody says":                                                                                  "what nobody says",
		"":                                                                                                  "",
		"12 of 3 pages cannot be read, they say":                                                            "12 of 3 pages cannot be read, they say",
		"12 of 300 pages cannot be read":                                                                    "12 z 300 stran nelze přečíst",
	} {
		if got := Of("cs").Said(english); got != want {
			t.Errorf("%q is said as %q, want %q", english, got, want)
		}
		if got := Of("en").Said(english); got != english {
			t.Errorf("%q is said as %q in English", english, got)
		}
	}
}
