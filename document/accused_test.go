package document

import (
	"strings"
	"testing"
)

// TestAccused flags words of a PDF that are disguised, and notes letters of other scripts and
// spaces that formulas, listings and headings have.
func TestAccused(t *testing.T) {
	const sentence = "The committee looked at the question again and found that nothing had changed since the last meeting of the year. "
	spaced := func(words string) string {
		return strings.Join(strings.Split(words, ""), " ")
	}
	cyrillic := strings.NewReplacer("a", "а", "e", "е", "o", "о")
	testAccused(t, "pdf", []accusedTest{
		{"untouched", sentence, "", ""},
		{"words spaced", strings.Repeat(sentence+"The "+spaced("committee")+"  looked at the  "+spaced("question")+"  again. ", 4), SpacedWord, ""},
		{"a heading", spaced("committee") + "\n\n" + sentence, "", "1 word with spaces between its letters is joined"},
		{"a listing", sentence + "\n\n" + strings.Repeat("if ("+spaced("committee")+"  == { x } ) ; return [ "+spaced("question")+"  ] ;\n", 5), "", "words with spaces between their letters are joined"},
		{"letters replaced", strings.Repeat(sentence+"The cоmmittее looked at the quеstiоn again. ", 4), MixedScript, ""},
		{"letters replaced in all words", strings.Repeat(cyrillic.Replace(sentence), 3), MixedScript, ""},
		{"a formula", strings.Repeat(sentence, 5) + "Here αlist is a type, and xαy = zαy holds for all of its members.", "", "1 word with letters of another script is read as it looks"},
		{"soft hyphens for hyphens", sentence + "It is time\u00adcritical, and well\u00adknown.", "", "1 place with soft hyphens inside words: they are ignored"},
		{"soft hyphens", strings.Repeat("The com\u00admittee looked at the ques\u00adtion again. ", 6), InvisibleChars, ""},
		{"a formula of words in letters of mathematics", strings.Repeat(sentence, 20) + "\n\nThe committee 𝑙𝑜𝑜𝑘𝑒𝑑 𝑎𝑔𝑎𝑖𝑛 𝑞𝑢𝑒𝑠𝑡𝑖𝑜𝑛 𝑛𝑜𝑡ℎ𝑖𝑛𝑔 𝑐ℎ𝑎𝑛𝑔𝑒𝑑 and found 𝑚𝑒𝑒𝑡𝑖𝑛𝑔 of the year.", "", "6 words with letters of another script are read as they look"},
		{"letters of mathematics within words", strings.Repeat(sentence, 20) + "\n\nThe committee 𝑙ooked 𝑎gain 𝑞uestion 𝑛othing 𝑐hanged and 𝑓ound the 𝑙ast 𝑚eeting of the 𝑦ear.", MixedScript, ""},
		{"a listing with its signs apart", sentence + "\n\n" + strings.Repeat("help "+spaced("committee")+"  , child , "+spaced("question")+"  . again , "+spaced("meeting")+"  , then\n", 5), "", "words with spaces between their letters are joined"},
		{"a listing of which few pieces are words", strings.Repeat(sentence, 40) + strings.Repeat("The p yt h on of a c om mi is "+spaced("committee")+"  and b eg i n and g ow a n y to "+spaced("question")+"  again and l o g o w n i a. ", 3), "", "words with spaces between their letters are joined"},
		{"zero-width spaces", sentence + "The com\u200bmittee.", InvisibleChars, ""},
	})
}

// An accusedTest has a text, the kind of its first flag, and how its notes end.
type accusedTest struct {
	name, text string
	flag       FlagKind
	note       string
}

func testAccused(t *testing.T, format string, tests []accusedTest) {
	t.Helper()
	for _, tt := range tests {
		doc := &Document{Format: format, Text: tt.text}
		if err := reveal(t.Context(), doc, false); err != nil {
			t.Fatal(err)
		}
		var kind FlagKind
		if len(doc.Flags) > 0 {
			kind = doc.Flags[0].Kind
		}
		if kind != tt.flag {
			t.Errorf("%s: flags %+v, want %q", tt.name, doc.Flags, tt.flag)
		}
		if notes := strings.Join(doc.Notes, "; "); !strings.HasSuffix(notes, tt.note) || tt.note == "" && notes != "" {
			t.Errorf("%s: notes %q, want %q", tt.name, notes, tt.note)
		}
	}
}

// TestHyphenatedPages notes the soft hyphens of a program that hyphenates, and flags
// what else shows nothing inside words.
func TestHyphenatedPages(t *testing.T) {
	const note = "soft hyphens inside words: they are ignored"
	testAccused(t, "html", []accusedTest{
		{"all long words", strings.Repeat("The com\u00admit\u00adtee looked at the ques\u00adtion again. ", 6), "", note},
		{"at the end of a word", "The commit\u00adtee\u00ad. That was almost\u00ad", "", note},
		{"with accents", "pří\u00adliš žlu\u00adťou\u00adčký", "", note},
		{"a letter alone", "The com\u00admittee looked at the q\u00aduestion.", InvisibleChars, ""},
		{"a letter alone at the end", "The com\u00admittee looked at the questio\u00adn", InvisibleChars, ""},
		{"in the middle of short words, too", "He sa\u00adid th\u00adat the com\u00admittee wo\u00aduld me\u00adet.", InvisibleChars, ""},
		{"between letters", "The c\u00ado\u00adm\u00admittee looked.", InvisibleChars, ""},
		{"a letter of an encoding read as another", "MarÃ\u00ada y RamÃ\u00adrez, dÃ\u00ada y paÃ\u00ads, asÃ\u00ad.", "", note},
		{"another one beside them", "The com\u00admit\u200btee looked.", InvisibleChars, ""},
		{"another one elsewhere", "The com\u00admittee looked at the ques\u200btion.", InvisibleChars, ""},
	})
}

// TestRare notes a slip in a long text, and flags it in a short one.
func TestRare(t *testing.T) {
	text := strings.Repeat("The committee looked at the question again and found that nothing had changed. ", 40)
	const slip, slips = "1 word with letters of another script is read as it looks", "3 words with letters of another script are read as they look"
	testAccused(t, "docx", []accusedTest{
		{"a letter of the other keyboard", text + "The сommittee.", "", slip},
		{"the same word again and again", text + "The сommittee, the сommittee and the сommittee.", "", slips},
		{"other words", text + "The сommittee, the сhange and the сause.", MixedScript, ""},
		{"in a short text", "The сommittee looked.", MixedScript, ""},
		{"symbols of formulas", text + "Here αcond, αshell, αboiling and ρDMSO are constants; αcond is known.", "", "5 words with letters of another script are read as they look"},
		{"Greek letters in words", text + "The cοmmittee lοοked at the questiοn, and fοund nοthing.", MixedScript, ""},
		{"slips in a text of another alphabet", strings.Repeat("Комитет снова рассмотрел вопрос и решил, что ничего не изменилось. ", 60) + "Это оne way, вoпрос, кoмитет и рeшил.", "", "4 words with letters of another script are read as they look"},
		{"many of them", strings.Repeat("Комитет снова рассмотрел вопрос и решил, что ничего не изменилось. ", 60) + strings.Repeat("Кoмитет рассмoтрел вoпрос и рeшил. ", 3), MixedScript, ""},
		{"words of another alphabet between Latin ones", strings.Repeat("Комитет снова рассмотрел вопрос и решил, что ничего не изменилось. ", 9) + "Класса NP у P, ElGamal са RSA, AES256 у CTR, Linux о Windows, RSA а DSA.", "", ""},
		{"a name with letters of another alphabet", strings.Repeat("Комитет снова рассмотрел вопрос и решил, что ничего не изменилось. Неждан и Недвига молчали. ", 60) + strings.Repeat("\n\nHеждан\n\nHедвига\n\n", 9), "", "18 words with letters of another script are read as they look"},
		{"slips in comments of a program", "double getcarPrice() Возвращает cтоимость double getCredit() Возвращает cумму кредита int getYears() Возвращает cрок", "", "3 words with letters of another script are read as they look"},
		{"slips in a short text", "Дыпломная праца: старонак 5, iллюстрацый 2, таблiц 7, крынiц 9.", "", "3 words with letters of another script are read as they look"},
		{"an alphabet replaced in a short text", "Дыплoмная прaца: стaрoнaк бoльшасць, iллюстрaцый нoвaя, тaблiц мнoгo, крынiц нямa, пытaння дoўгa.", MixedScript, ""},
		{"symbols with an index in letters of mathematics", text + "Here OR𝑖, lnOR𝑖, where𝑃𝑖 and OR𝑔 are ratios, and w𝑖OR𝑖 is the weighted one.", "", "5 words with letters of another script are read as they look"},
		{"words with letters of mathematics", text + "The c𝑜mmittee l𝑜𝑜ked at the questi𝑜n and f𝑜und nothing.", MixedScript, ""},
		{"codes", text + "The boxes 24А4, 40А4сп, YL-А51273 and WОТ24 are full.", "", "2 words with letters of another script are read as they look"},
		{"words of one letter of another language", strings.Repeat(text, 2) + "Комитет снова рассмотрел вопрос. " + strings.Repeat("Âbad. = Haeb. Chrest. с. 246. See Nirukta, о XLVII, в Berlin у F. Dümmler. ", 2), "", "6 words with letters of another script are read as they look"},
		{"words of one letter", text + strings.Repeat("It is а committee оf а kind, with а question and а meeting о it. ", 4), MixedScript, ""},
		{"emphasis", strings.Repeat(text, 4) + "It was f o u n d again. " + text + "The c h a n g e d  q u e s t i o n is here. " + text + "The c o m m i t t e e  l o o k e d.", "", "5 words with spaces between their letters are joined"},
		{"spaced headings", "D I P L O M O V Á  P R Á C E\n\n" + text + "\n\nZ u s a m m e n f a s s u n g\n\n" + text + "\n\nA b s t r a k t", "", "4 words with spaces between their letters are joined"},
		{"a spaced paragraph", text + "\n\n" + strings.Join(strings.Split("thecommitteelookedatthequestionagainandfoundnothing", ""), " "), SpacedWord, ""},
		{"spaced letters in sentences", text + "It was f o u n d again that n o t h i n g had changed since the q u e s t i o n.", SpacedWord, ""},
		{"formulas", text + strings.Repeat("It is defined by x b i j c and by c d a e b for all of the members but not by d e i a c. ", 3), "", "9 words with spaces between their letters are joined"},
		{"spaced letters", text + "It was f o u n d again.", "", "1 word with spaces between its letters is joined"},
		{"one soft hyphen", text + "The c\u00adommittee.", "", "1 place with soft hyphens inside words: they are ignored"},
		{"names copied from a page", text + "By Ire\u00adlan, Patrick Harrington, John\u00adston, Mar\u00adi\u00adon Newlevant and Lau\u00adren Dor\u00adman.", "", "1 place with soft hyphens inside words: they are ignored"},
		{"another character", text + "The com\u200bmittee.", "", "1 place with invisible characters inside words: they are ignored"},
		{"characters in many words", text + strings.Repeat("The com\u200bmittee looked. ", 10), InvisibleChars, ""},
		{"a sentence turned round", text + "\u202e" + "noitseuq eht ta dekool eettimmoc ehT\u202c", InvisibleChars, ""},
	})
}
