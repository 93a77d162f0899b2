package disguise

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const prose = "The committee looked at the question of bridges again, and found that nothing had changed since the last meeting of the year. " +
	"Somebody wrote down which villages keep their water clean, who pays for it, and why the books of the district never mention any of this before the war. " +
	"Forty families kept sheep there, grew barley, and drove their carts to market each Friday with cheese and wool. "

// everySecond puts a mark on every second letter.
func everySecond(mark string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		n := 0
		for _, r := range text {
			b.WriteRune(r)
			if unicode.IsLetter(r) {
				if n++; n%2 == 0 {
					b.WriteString(mark)
				}
			}
		}
		return b.String()
	}
}

// inFont writes letters that a font has, every one or every second.
func inFont(every int, plain, font string) func(string) string {
	to := map[rune]rune{}
	for i, r := range []rune(plain) {
		to[r] = []rune(font)[i]
	}
	return func(text string) string {
		n := 0
		return strings.Map(func(r rune) rune {
			if m := to[r]; m != 0 {
				if n++; n%every == 0 {
					return m
				}
			}
			return r
		}, text)
	}
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// TestMasks removes masks that cover a whole text, whatever else the text contains.
func TestMasks(t *testing.T) {
	circled := ""
	for r := rune('ⓐ'); r <= 'ⓩ'; r++ {
		circled += string(r)
	}
	for name, trick := range map[string]func(string) string{
		"grave": everySecond("\u0300"), "acute": everySecond("\u0301"), "dot below": everySecond("\u0323"), "stroke": everySecond("\u0335"),
		"solidus": everySecond("\u0338"), "circle": everySecond("\u20dd"), "tilde and line": everySecond("\u0330\u0305"), "ring": everySecond("\u030a"),
		"Roman numerals": inFont(1, "ivxlcdm", "ⅰⅴⅹⅼⅽⅾⅿ"), "circled": inFont(1, alphabet, circled), "circled letters": inFont(2, alphabet, circled),
		"raised":         inFont(2, "abdegkmoptuvcfzinhjrwylsx", "ᵃᵇᵈᵉᵍᵏᵐᵒᵖᵗᵘᵛᶜᶠᶻⁱⁿʰʲʳʷʸˡˢˣ"),
		"lowered":        inFont(2, "aeoxhklmnpstijruv", "ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ"),
		"small capitals": inFont(1, smallLetters, smallCapitals),
	} {
		text := "Untouched words are before.\n\n" + trick(prose) + trick(prose)
		p := undoing(t, text)
		want := "Untouched words are before.\n\n" + prose + prose
		if got := common(p.Text, want); got < 90 {
			t.Errorf("%s: %d %% of words are undone: %q", name, got, p.Text[:300])
		}
		if len(p.Finds) < 30 {
			t.Errorf("%s: %d finds", name, len(p.Finds))
		}
		for _, f := range p.Finds {
			if f.Kind != Script || f.Start >= f.End || f.End > len(p.Text) || strings.ContainsRune(p.Text[f.Start:f.End], ' ') {
				t.Fatalf("%s: find %+v", name, f)
			}
		}
		if at := strings.LastIndex(text, " "); p.Moved(at) != strings.LastIndex(p.Text, " ") {
			t.Errorf("%s: the last space is moved to %d of %d bytes", name, p.Moved(at), len(p.Text))
		}
	}
}

// common is how many words in a hundred of want are at their place in got.
func common(got, want string) int {
	g, w := strings.Fields(got), strings.Fields(want)
	n := 0
	for i := range w {
		if i < len(g) && strings.EqualFold(g[i], w[i]) {
			n++
		}
	}
	return n * 100 / len(w)
}

// TestMasksBesideAccents keeps the accents of the language, composed or not.
func TestMasksBesideAccents(t *testing.T) {
	const czech = "Výbor se znovu zabýval otázkou mostů a zjistil, že se od posledního zasedání toho roku nic nezměnilo. Někdo zapsal, které vesnice si udržují čistou vodu, kdo za to platí, " +
		"a proč o tom knihy okresu před válkou nikdy nemluví. Čtyřicet rodin tam chovalo ovce, pěstovalo ječmen a každý pátek jezdilo na trh se sýrem a s vlnou. "
	for name, form := range map[string]norm.Form{"composed": norm.NFC, "apart": norm.NFD} {
		for _, mark := range []string{"\u0335", "\u0323"} {
			p := undoing(t, strings.Repeat(everySecond(mark)(form.String(czech)), 2))
			if got := common(norm.NFC.String(p.Text), strings.Repeat(czech, 2)); got < 90 {
				t.Errorf("%s: %d %% of words are undone: %q", name, got, p.Text[:200])
			}
		}
	}
}

// TestHonestMarks leaves as they are the marks and letters that languages and sciences
// have, however many there are.
func TestHonestMarks(t *testing.T) {
	for name, text := range map[string]string{
		"footnotes":       "The word² and 1ˢᵗ, 2ⁿᵈ, Mᵐᵉ, wordᵃ, bookᵇ, yearᶜ, № 5, Chapter Ⅷ and ⅳ, Louis ⅩⅣ, H₂O, xₙ, COₓ, Fe Ⅲ, CuⅠ and CrⅥ, ⓐ first ⓑ second. ",
		"Vietnamese":      norm.NFD.String("Ủy ban lại xem xét vấn đề những cây cầu và nhận thấy rằng không có gì thay đổi kể từ cuộc họp cuối cùng của năm, được ghi chép bởi người dân ở các làng. "),
		"Lithuanian":      "Lãbas, ką̃ veĩkia šė̃šios kalbõs žmónės, vil̃kas, kar̃tas, tam̃sa, į̃ stãlą, gė̃rė, vẽdė, pir̃kti, sau̇́lė, lū̃žo. ",
		"Yoruba":          "Ọ̀rọ̀ nípa ẹ̀kọ́ ọmọ Yorùbá, ṣé ẹ gbọ́ ohun tí mo sọ, ń lọ, ǹjẹ́, m̀bá, ẹ̀ṣẹ̀, ọ̀pọ̀lọpọ̀ ènìyàn. ",
		"Sanskrit":        norm.NFD.String("Dhr̥tarāṣṭra uvāca: dharmakṣetre kurukṣetre samavetā yuyutsavaḥ, māmakāḥ pāṇḍavāś caiva kim akurvata sañjaya, l̥kāra, saṃskr̥ta, kr̥ṣṇa, m̐. "),
		"Arabic":          norm.NFD.String("Shaykh al-Ḥusayn ibn ʿAbd Allāh, k͟hān, s͟hāh, ḏikr, ṯawāb, ḫalīfa, ġazal, ẓāhir, ṭarīqa, ḍarb, ṣūfī, qāḍī, k̲h̲ān, g̲h̲azal, s̲h̲āh, d̲h̲ikr. "),
		"Hebrew":          norm.NFD.String("bərēšîṯ bārāʾ ʾĕlōhîm ʾēṯ haššāmayim wəʾēṯ hāʾāreṣ, miṣp̄ōṯ, zāḵār, kōḇaʿ, ḥāḏāš, ṭôḇ, šeḡeš, niṣraḇ. "),
		"phonetic":        "[tʰɪk] kʷis gʷʰen dʰugəter n̩ l̩ t̪eð̞o d̪e b̥ɪt g̊ʊd z̥uː v̥aɪn k̚æt p̚ɪk t͡ʃ d͡ʒ ʰtʲʷⁿd ᵐbⁿdᵑg pʰatʰakʰ sʷˤtˠ. ",
		"Russian, stress": "Коми́ссия сно́ва рассмотре́ла вопро́с о моста́х и обнару́жила, что́ ничего́ не измени́лось с после́днего заседа́ния го́да, я́сный, ю́ность, э́то, сы́р. ",
		"Ukrainian":       "Комі́сія зно́ву розгля́нула пита́ння про мости́ і ви́явила, що́ нічо́го не зміни́лося з оста́ннього засіда́ння ро́ку, є́дність, ї́жа, ю́ність. ",
		"Church Slavonic": "Гдⷭ҇и і҆и҃се хрⷭ҇те сн҃е бж҃їй, поми́лꙋй мѧ̀ грѣ́шнаго, дх҃ъ, ст҃ы́й, бцⷣа, апⷭ҇лъ, цр҃ь, чл҃вѣ́къ, мц҃ъ. ",
		"Irish":           "Ḃí an cóṁairle ag féaċaint ar an gceist arís, aċt níor aṫruiġeaḋ aon rud ó ḋeireaḋ na bliaḋna, saoġal, leaḃar, suiḋe, cluiṫe. ",
		"Greek":           norm.NFD.String("Ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν, καὶ θεὸς ἦν ὁ λόγος, ᾧ, ῥήματα, πρᾷος. "),
		"Lisu":            "ꓡꓲ-ꓢꓴ ꓐꓳ ꓙꓰ ꓡꓯ ꓟꓬ ꓠꓲ ꓢꓲ. ",
		"Coptic":          "ϩⲛ ⲧⲉϩⲟⲩⲉⲓⲧⲉ ⲛⲉϥϣⲟⲟⲡ ⲛϭⲓ ⲡϣⲁϫⲉ. ",
	} {
		text = strings.Repeat(text, 30)
		p := undoing(t, text)
		if len(p.Finds) > 0 || p.Text != text {
			t.Errorf("%s: finds %+v", name, p.Finds[:min(2, len(p.Finds))])
		}
	}
}

// TestMasksOfFew leaves masks of a few words, such as a joke or an example.
func TestMasksOfFew(t *testing.T) {
	text := prose + everySecond("\u0335")("some words struck out") + prose
	if p := undoing(t, text); len(p.Finds) > 0 || p.Text != text {
		t.Errorf("finds %+v", p.Finds)
	}
}

// TestMasksAndOthers also undoes disguises under a mask, and sorts the finds.
func TestMasksAndOthers(t *testing.T) {
	text := "the plаgiаrism " + everySecond("\u0335")(prose) + " is p l a g i a r i s m here"
	p := undoing(t, text)
	if !strings.HasPrefix(p.Text, "the plagiarism The committee") || !strings.HasSuffix(p.Text, "is plagiarism here") {
		t.Errorf("text %q", p.Text)
	}
	if !slices.IsSortedFunc(p.Finds, func(a, b Find) int { return a.Start - b.Start }) {
		t.Errorf("finds %+v", p.Finds)
	}
}

// TestLookalikesOfRareAlphabets: Lisu and Coptic letters are read as they look.
func TestLookalikesOfRareAlphabets(t *testing.T) {
	for text, want := range map[string]string{"the cⲟmmittee sat": "the committee sat", "the COMMIꓔꓔEE sat": "the COMMITTEE sat"} {
		if p := undoing(t, text); p.Text != want || len(p.Finds) != 1 {
			t.Errorf("Undo(%q) = %q, finds %+v", text, p.Text, p.Finds)
		}
	}
}

// TestMaskedIsInWord: all masked characters can be part of a word, so that words are found around them.
func TestMaskedIsInWord(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if _, masked := maskOf(r); masked && !inWord(r) {
			t.Errorf("%U is masked, and in no word", r)
		}
	}
}

// A character that Unicode has not assigned, among the marks, is looked at once.
func TestUnassignedMark(t *testing.T) {
	const text = "a text with \u20f7 and \u1aff in it"
	if p := undoing(t, text); p.Text != text {
		t.Errorf("undone to %q", p.Text)
	}
}
