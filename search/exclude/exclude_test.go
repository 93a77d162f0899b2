package exclude

import (
	"slices"
	"strings"
	"testing"
)

// parts returns the texts of ranges.
func parts(text string, list []Range) []string {
	out := []string{}
	for _, r := range list {
		out = append(out, text[r.Start:r.End])
	}
	return out
}

func TestQuotations(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"Czech", "Řekl: „Stará lípa voněla.“ A šel.", []string{"„Stará lípa voněla.“"}},
		{"Czech in Czech", "„Řekl mi ‚pojď sem‘ a šel,“ psal.", []string{"„Řekl mi ‚pojď sem‘ a šel,“"}},
		{"Czech, single", "Slovo ‚pojď sem hned‘ zaznělo.", []string{"‚pojď sem hned‘"}},
		{"Polish", "Powiedział: „Idę do domu” i poszedł.", []string{"„Idę do domu”"}},
		{"typed end", "Napsal „tak to bylo\" a dost.", []string{"„tak to bylo\""}},
		{"English", "He said “it was so” twice: “yes”.", []string{"“it was so”"}},
		{"typewriter", `She wrote "a room of one's own" in 1929.`, []string{`"a room of one's own"`}},
		{"two of them", `"One or two," he said, "or even three."`, []string{`"One or two,"`, `"or even three."`}},
		{"French", "Il dit : « Je suis là » et partit.", []string{"« Je suis là »"}},
		{"German", "Er sagte: »Ich bin da« und ging.", []string{"»Ich bin da«"}},
		{"over lines", "He said “it was\nso”.", []string{"“it was\nso”"}},
		{"mail", "I agree.\n> you said this\n> and that\nNot so.", []string{"> you said this\n> and that"}},
		{"same marks inside", "„Vnější a „vnitřní“ text“ dál", []string{"„Vnější a „vnitřní“"}},

		{"PDF of an old TeX", "Slovo „jaguár a pesÿ, nebo „jaguár jako zvířeÿ.", []string{"„jaguár a pesÿ", "„jaguár jako zvířeÿ"}},
		{"low marks lost in a PDF", "als ein ” Proof of Concept” dienen. (”So ist es“ nicht.)", []string{"” Proof of Concept”", "”So ist es“"}},
		{"the same mark twice", "chyba “406 Not Acceptable“ a konec“", []string{"“406 Not Acceptable“"}},
		{"typewriter, in brackets", `He ("so to say") and ["one of them"]: "b".`, []string{`"so to say"`, `"one of them"`}},

		{"code", `x="a b"; f("a", b+"c d"), {"e":"f g"} and s("`, nil},
		{"more code", `print ("a string of words"); say("and one of them") x = "three or four words"` + "\nint a; // \"this is a remark\"\nlog \"a b c\";", []string{`"this is a remark"`}},
		{"a prompt", "Zkusíme:\n> db.articles.find({tags: \"php\"})\n> var user = {\n> a pak to vyšlo", []string{"> a pak to vyšlo"}},
		{"values with names", `{ "title" : "Programování v tomto jazyce", "url": "a b c d" }`, nil},
		{"an attribute, in marks of a word processor", "<div class=“column is-12 is-6“> a <div class=„tak to je“>", nil},
		{"a loose mark after a word", "so und” nicht so “ dort”", nil},
		{"a letter", "Le Sieur de L'Haÿ „y vint. ÿ", nil},
		{"apostrophes", "Don't. The dogs' bone, rock 'n' roll, ’90s; it’s O’Brien’s ‘word’.", nil},
		{"a mark before a letter ends nothing", "Napsal „tak je“li to psáno“ dál.", []string{"„tak je“li to psáno“"}},
		{"a space that TeX has eaten", "der „alten“Pods. Der Graf zeigt die „Zahl aller Knoten“an und die „neuen“-Pods", []string{"„Zahl aller Knoten“"}},
		{"the same, at the end", "Die „Zahl aller Knoten“steigt an. Und so fort.", []string{"„Zahl aller Knoten“"}},
		{"the same, of an old TeX", "slova „houseÿlze přeložit jako „důmÿ. Pokud „to je domÿzde, pak „domÿ.", []string{"„to je domÿ"}},
		{"English, typed end", "it says “the two are much alike in that\" and goes on", []string{"“the two are much alike in that\""}},
		{"two apostrophes at the end", "moduł „tuner RF do 30 MHz’’ oraz “front end of it’’.", []string{"„tuner RF do 30 MHz’’", "“front end of it’’"}},
		{"over indented lines of a PDF", "He said “it was the\n\nmetaphysical view of some” twice.", []string{"“it was the\n\nmetaphysical view of some”"}},
		{"a listing that TeX set", "” t em perature sensor data ” : ”a b c=”Email” and\nreturn ”\\> <h2> a b ”", nil},
		{"inches", `A 5" disk and a 3" disk.`, nil},
		{"never closed", "Řekl „a nic. Pak šel.", nil},
		{"closed in another paragraph", "Řekl „a nic.\n\nPak šel“ domů.", nil},
		{"greater than", "a > b, and 5 >> 3", nil},
		{"empty", "", nil},
		{"only a mark", "„", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parts(tt.text, quotations(tt.text, false)); !slices.Equal(got, tt.want) {
				t.Errorf("quotations(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestQuotationsEndWithTheirLine(t *testing.T) {
	text := "Řekl „a nic.\nPak šel“ domů."
	if got := parts(text, quotations(text, true)); len(got) != 0 {
		t.Errorf("Quotations of lines = %q, want none", got)
	}
}

const (
	czechList = "[1] NOVÁK, Jan. Korpusy. Praha: Academia, 2009. ISBN 80-200-0000-0.\n" +
		"[2] DVOŘÁK, P. Texty a jejich podoby [online]. 2011 [cit. 2012-05-01].\n    Dostupné z: http://example.cz/texty"
	englishList = "Broder, A. (1997). On the resemblance and containment of documents. SEQUENCES, pp. 21–29.\n\n" +
		"Manber, U. (1994). Finding similar files in a large file system. USENIX Winter."
)

func TestBibliographies(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"Czech", "Závěr je jasný.\n\nSeznam použité literatury\n\n" + czechList, []string{"Seznam použité literatury\n\n" + czechList}},
		{"Czech, numbered, upper case", "Konec.\n\n7. LITERATURA\n" + czechList + "\n\nPřílohy\nPříloha A: dotazník", []string{"7. LITERATURA\n" + czechList}},
		{"Slovak", "Koniec.\nZoznam použitej literatúry\n" + czechList, []string{"Zoznam použitej literatúry\n" + czechList}},
		{"English", "The end.\n\nReferences\n\n" + englishList + "\n\nAppendix A\n\nTables of 2001.", []string{"References\n\n" + englishList}},
		{"English, Markdown", "# Bibliography\n" + englishList, []string{"# Bibliography\n" + englishList}},
		{"Czech, Markdown, bold", "## **Seznam použité literatury**\n" + czechList, []string{"## **Seznam použité literatury**\n" + czechList}},
		{"an appendix after it", "Literatura\n" + czechList + "\nA Externí přílohy\nLeží na http://example.cz/prilohy.", []string{"Literatura\n" + czechList}},
		{"keys on lines of their own", "Literatur\n[Abi01]\n\n[ALS10]\n\nSerge Abiteboul. Semistructured Data.\nTalk, June 2001.\n",
			[]string{"Literatur\n[Abi01]\n\n[ALS10]\n\nSerge Abiteboul. Semistructured Data.\nTalk, June 2001."}},
		{"German", "Ende.\n\nLiteraturverzeichnis\n" + englishList, []string{"Literaturverzeichnis\n" + englishList}},
		{"Polish", "Koniec.\n\nBibliografia:\n" + englishList, []string{"Bibliografia:\n" + englishList}},
		{"one a chapter", "References\n" + englishList + "\n\nChapter 2\n\n" + strings.Repeat("Prose goes on and on.\n", 9) + "References\n" + englishList,
			[]string{"References\n" + englishList, "References\n" + englishList}},
		{"names of its parts", "Prameny a literatura\nPrameny\n" + czechList + "\nInternetové zdroje\n" + czechList,
			[]string{"Prameny a literatura\nPrameny\n" + czechList + "\nInternetové zdroje\n" + czechList}},

		{"words of a heading in another order", "Konec.\n\nLiteratura a další zdroje\n" + czechList, []string{"Literatura a další zdroje\n" + czechList}},
		{"many words", "Konec.\n\n8 Seznam použité odborné literatury a internetových zdrojů\n" + czechList, []string{"8 Seznam použité odborné literatury a internetových zdrojů\n" + czechList}},
		{"German, of two kinds", "Ende.\n\nLiteratur- und Internetquellenverzeichnis\n\nVerzeichnis der verwendeten Literatur\n" + englishList, []string{"Verzeichnis der verwendeten Literatur\n" + englishList}},
		{"Polish, of two kinds", "Koniec.\n\nSpis literatury i źródeł internetowych\n" + englishList, []string{"Spis literatury i źródeł internetowych\n" + englishList}},
		{"in the task of a thesis", "Literatura:\nNovák, J. Korpusy. Praha: Academia, 2009.\nDvořák, P. Texty. Brno, 2011.\n\nPři obhajobě semestrální části projektu je požadováno:\n\nBody 1-3.\n\nPodrobné závazné pokyny viz https://www.example.cz/theses/", []string{"Literatura:\nNovák, J. Korpusy. Praha: Academia, 2009.\nDvořák, P. Texty. Brno, 2011."}},
		{"a disk after it", "Literatura\n" + czechList + "\nObsah přiloženého CD\nread.me z roku 2011.\nsrc, s. 12", []string{"Literatura\n" + czechList}},
		{"an appendix with a letter", "Literatura\n" + czechList + "\nB Dotazník pro učitele\nPodle dotazníku (2011), s. 12.\nIn: výsledky, s. 13", []string{"Literatura\n" + czechList}},

		{"English, in two words", "The end.\n\nWorks Cited\n" + englishList, []string{"Works Cited\n" + englishList}},
		{"nine words", "Seznam použité odborné literatury a internetových zdrojů a pramenů\n" + czechList, []string{"Seznam použité odborné literatury a internetových zdrojů a pramenů\n" + czechList}},
		{"an entry that begins as an index does", "Literatura\n" + czechList + "\nIndex Translationum. Paris: UNESCO, 1999.\n" + czechList, []string{"Literatura\n" + czechList + "\nIndex Translationum. Paris: UNESCO, 1999.\n" + czechList}},
		{"a line that begins as an appendix does", "Literatura\n" + czechList + "\npřílohy k tomu vyšly v Brně\n" + czechList, []string{"Literatura\n" + czechList + "\npřílohy k tomu vyšly v Brně\n" + czechList}},

		{"Slovak appendix", "Literatúra\n" + czechList + "\nPríloha A: obsah prílohy\nKód je na http://example.sk/praca, s. 12.", []string{"Literatúra\n" + czechList}},
		{"one entry", "The end.\n\nREFERENCES\n\nMcCrae, R. R., Costa P. T. Personality. 2003.\n\nAPPENDICES\n\nAppendix A", []string{"REFERENCES\n\nMcCrae, R. R., Costa P. T. Personality. 2003."}},
		{"an address and a patent that are cut", "References\n\n" + englishList + "\n\nAndroid: Build. https://example.org/os/Build.\n\nVERSION_CODES.html#KITKAT.\n\n(15.05.2001). – Patent No.: US 6,233,702",
			[]string{"References\n\n" + englishList + "\n\nAndroid: Build. https://example.org/os/Build.\n\nVERSION_CODES.html#KITKAT.\n\n(15.05.2001). – Patent No.: US 6,233,702"}},

		{"a year in a chapter of that title", "Literatura\n\nV roce (2001) to začalo.\n\nPak to šlo dál.\n\nPřílohy\n\nA", nil},
		{"ten words", "Seznam použité odborné literatury a internetových zdrojů a dalších pramenů\n" + czechList, nil},
		{"half of two words", "Works\n" + englishList, nil},
		{"notes", "Notes\n" + englishList, nil},
		{"a chapter on the literature of a year", "Literatura 1945\n" + czechList, nil},
		{"a chapter on sources", "Zdroje energie\n\n" + czechList, nil},
		{"a question", "Literatura, zdroje?\n\n" + czechList, nil},
		{"a chapter on literature", "Literatura 19. století\n\n" + czechList, nil},
		{"a chapter of that very title", "Literatura\n\n" + strings.Repeat("Literatura je umění slova a žije z toho, co se píše i čte.\n", 9), nil},
		{"a table of contents", "Úvod\nLiteratura\nPřílohy\n\nÚvod\n\nTak to začalo.", nil},
		{"a line of a table of contents", "Literatura ......... 45\nPřílohy ......... 47", nil},
		{"in a sentence", "He gave references.\n" + englishList, nil},
		{"a heading at the end", "The end.\nReferences", nil},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parts(tt.text, bibliographies(tt.text, nil)); !slices.Equal(got, tt.want) {
				t.Errorf("bibliographies = %q,\nwant %q", got, tt.want)
			}
		})
	}
}

// TestBibliographyAtTopOfPage reads text of pages, where the last line of one
// and the heading of the next have no line end between them.
func TestBibliographyAtTopOfPage(t *testing.T) {
	before, after := "A tím práce končí a její ", " Přílohy\n\nA Dotazník z roku 2001."
	list := "Literatura\n\n" + czechList
	text := before + list + after
	pages := []int{0, len(before), len(before) + len(list)}
	if got := parts(text, bibliographies(text, pages)); !slices.Equal(got, []string{list}) {
		t.Errorf("bibliographies = %q, want %q", got, list)
	}
	if got := parts(text, bibliographies(text, nil)); len(got) != 0 {
		t.Errorf("without pages bibliographies = %q, want none", got)
	}
}

func TestTemplates(t *testing.T) {
	const given = "Prohlašuji, že jsem tuto práci vypracoval samostatně a uvedl všechny použité prameny. V Brně dne"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"whole", "Úvod. Prohlašuji, že jsem tuto práci vypracoval samostatně a uvedl všechny použité prameny. Dále.",
			[]string{"Prohlašuji, že jsem tuto práci vypracoval samostatně a uvedl všechny použité prameny"}},
		{"other case and a field filled in", "PROHLAŠUJI, ŽE JSEM TUTO práci (s názvem Korpusy) vypracoval samostatně a uvedl všechny zdroje.",
			[]string{"PROHLAŠUJI, ŽE JSEM TUTO práci (s názvem Korpusy) vypracoval samostatně a uvedl všechny"}},
		{"four words", "Tvrdím, že jsem tuto práci koupil.", nil},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parts(tt.text, templates(tt.text, given)); !slices.Equal(got, tt.want) {
				t.Errorf("templates(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
	if got := templates("any text that goes on here", "too short"); got != nil {
		t.Errorf("a template of two words excludes %v", got)
	}
}

func TestFind(t *testing.T) {
	text := "He said “it was so in the end of all”.\n\nReferences\n" + englishList
	var got []string
	for _, r := range Find(text, Options{Templates: []string{"it was so in the end", "so in the end of all the days"}}) {
		got = append(got, r.Kind+" "+text[r.Start:min(r.End, r.Start+12)])
	}
	want := []string{"quotation “it was so", "template it was so in", "bibliography References\nB"}
	if !slices.Equal(got, want) {
		t.Errorf("Find = %q, want %q", got, want)
	}
}

// TestBlockQuotes joins those that the format states with those in marks.
func TestBlockQuotes(t *testing.T) {
	text := "Píše:\n\nstará „lípa“ voněla\n\na „jinde než tam“ ne"
	start := strings.Index(text, "stará")
	quotes := []Range{{Quotation, start, strings.Index(text, "\n\na ")}}
	want := []string{"stará „lípa“ voněla", "„jinde než tam“"}
	if got := parts(text, Find(text, Options{Quotes: quotes})); !slices.Equal(got, want) {
		t.Errorf("Find = %q, want %q", got, want)
	}
}

// TestStatedContents finds tables of contents that the format states, if their lines end with numbers of pages.
func TestStatedContents(t *testing.T) {
	prose := strings.Repeat("\n\nProse goes on and on, line after line.", 40)
	tests := []struct{ name, text, want string }{
		{"under another heading", "Was Sie erwartet\n\n1 Anfang 5\n\n2 Mitte 12\n\n2.1 Mehr davon 13\n\n3 Ende 20", "1 Anfang 5\n\n2 Mitte 12\n\n2.1 Mehr davon 13\n\n3 Ende 20"},
		{"prose in the style of contents", "Was Sie erwartet\n\nEr ging davon aus, dass es so war.\n\nSie ging davon aus, dass es anders war.\n\nUnd so war es denn auch.", ""},
	}
	for _, tt := range tests {
		var stated []int
		for at := 0; at >= 0 && at < len(tt.text); {
			next := strings.Index(tt.text[at:], "\n\n")
			if next < 0 {
				break
			}
			at += next + 2
			stated = append(stated, at)
		}
		got := ""
		for _, r := range Find(tt.text+prose, Options{Contents: stated}) {
			got += (tt.text + prose)[r.Start:r.End]
		}
		if got != tt.want {
			t.Errorf("%s: Find = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzFind checks that ranges lie in the text, and those of a kind apart.
func FuzzFind(f *testing.F) {
	f.Add("„a “b« »c \"d\"\n\nLiteratura\n[1] x 2009.\n> q\r\n\xff", "a b c d e f", 5, 9)
	f.Fuzz(func(t *testing.T, text, template string, a, b int) {
		quote := Range{Quotation, 0, len(text)}
		if 0 <= a && a < b && b <= len(text) {
			quote.Start, quote.End = a, b
		}
		if quote.Start == quote.End {
			return
		}
		end := map[string]int{}
		for _, r := range Find(text, Options{Quotes: []Range{quote}, Pages: []int{a, b}, Templates: []string{template}}) {
			if r.Start < end[r.Kind] || r.End <= r.Start || r.End > len(text) {
				t.Fatalf("range %+v after %d in %d bytes", r, end[r.Kind], len(text))
			}
			end[r.Kind] = r.End
		}
	})
}

func TestRangesThatTouchAreOne(t *testing.T) {
	for _, tt := range []struct{ second, want int }{{4, 1}, {5, 1}, {6, 2}} {
		got := union([]Range{{Kind: Quotation, Start: tt.second, End: 9}, {Kind: Quotation, Start: 1, End: 5}})
		if len(got) != tt.want || got[0].Start != 1 || got[len(got)-1].End != 9 {
			t.Errorf("union of 1 to 5 and %d to 9 = %v, want %d ranges", tt.second, got, tt.want)
		}
	}
	if got := union([]Range{{Start: 1, End: 9}, {Start: 2, End: 4}}); len(got) != 1 || got[0].End != 9 {
		t.Errorf("union of a range and a part of it = %v, want the range", got)
	}
}

func TestTitlePage(t *testing.T) {
	prose := strings.Repeat("the bees flew slowly over the wide meadow and came back before the rain ", 4)
	contents := "Contents\n\n1 Bees ..... 1\n2 Rain ..... 4\n3 Wind ..... 9\n\n"
	body := strings.Repeat(prose+"\n\n", 40)
	for _, tt := range []struct{ name, front, want string }{
		{"before the contents", "University\n\nBees\nAnna Kehl\n\n" + contents, "University\n\nBees\nAnna Kehl"},
		{"up to prose", "University\n\n" + prose + "\n\n" + contents, "University"},
		{"prose first", prose + "\n\n" + contents, ""},
		{"nothing before the contents", contents, ""},
		{"no contents", "University\n\nBees\n\n", ""},
		{"too long", strings.Repeat("A. Kehl, B. Stein\n", 101) + contents, ""},
	} {
		text := tt.front + body
		if got := text[:TitlePage(text, nil, Find(text, Options{}))]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestDeclarationWithoutVerb: universities word their declarations in the third person, too.
func TestDeclarationWithoutVerb(t *testing.T) {
	body := strings.Repeat("The bees flew over the wide meadow and came back before the rain.\n\n", 40)
	for _, paragraph := range []string{
		"This thesis and all that it refers to are the results of my own efforts. Nothing has been handed in for another degree.",
		"This dissertation is the result of my own work and includes nothing which is the outcome of work done in collaboration.",
	} {
		text := "Bees\n\nDeclaration\n\n" + paragraph + "\n\nContents\n\n1 Bees ..... 1\n2 Rain ..... 4\n3 Wind ..... 9\n\n" + body
		if r := Find(text, Options{}); len(r) == 0 || r[0].Kind != Declaration {
			t.Errorf("%q is no declaration: %+v", paragraph, r)
		}
	}
}

// TestNoDeclaration: phrases of two languages do not make a declaration.
func TestNoDeclaration(t *testing.T) {
	body := strings.Repeat("The bees flew over the wide meadow and came back before the rain.\n\n", 40)
	for _, paragraph := range []string{
		"Dear Mims, I would like to confirm the use of the flexible pricing option, since the original contract price is fixed.",
		"All personnel must declare what they carry, and affirm that the plan of the hall is known to them.",
	} {
		for _, r := range Find("Hello.\n\n"+paragraph+"\n\n"+body, Options{}) {
			t.Errorf("%q has %s", paragraph, r.Kind)
		}
	}
}
