package charset

import (
	"math"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// guessSample is the number of non-ASCII bytes examined to guess an encoding.
const guessSample = 64 << 10

// minFit is the least share of non-ASCII letters that must belong to one language: texts quote
// other languages.
const minFit = 0.85

// leastLead is how much likelier than another encoding a guessed one must be, as the logarithm of the ratio,
// or the guess is unsure.
const leastLead = 4

// Logarithms of probabilities.
const (
	firstWeight   = -2.25    // the most frequent letter
	rankWeight    = -1.0 / 9 // added for each letter that is more frequent
	markWeight    = -5       // typographic marks
	missWeight    = -9       // letters of other languages, symbols, letters at places where texts have none
	foreignWeight = -3       // added to each letter of another language in an English text
	capitalWeight = -1       // added to each capital after a capital
	orderWeight   = -0.1     // added for each likelier encoding
)

// candidates are the encodings that are distinguished, the likelier first: each is less likely than
// the one before it by orderWeight.
var candidates = []struct {
	name      string
	chars     byteCode
	languages []string // letters of each language, in lower case, by their frequency
}{
	{"windows-1250", charmap.Windows1250, central},
	{"iso-8859-2", charmap.ISO8859_2, central},
	{"windows-1252", charmap.Windows1252, western},
	{"windows-1251", charmap.Windows1251, cyrillic},
	{"koi8-r", charmap.KOI8R, cyrillic},
	{"koi8-u", charmap.KOI8U, cyrillic},
	{"ibm852", charmap.CodePage852, central},
	{"ibm866", charmap.CodePage866, cyrillic},
	{"cp1125", ukrainianTable, cyrillic},
	{"cp720", arabicTable, arabic},
	{"ibm862", charmap.CodePage862, hebrew},
	{"windows-1256", charmap.Windows1256, arabic},
	{"x-mac-ce", macCentralTable, central},
	{"windows-1257", charmap.Windows1257, baltic},
	{"iso-8859-13", charmap.ISO8859_13, baltic},
	{"windows-1254", charmap.Windows1254, turkish}, // and ISO 8859-9
	{"windows-1253", charmap.Windows1253, greek},
	{"iso-8859-7", charmap.ISO8859_7, greek},
	{"windows-1255", charmap.Windows1255, hebrew}, // and ISO 8859-8
	{"iso-8859-5", charmap.ISO8859_5, cyrillic},
	{"x-mac-cyrillic", charmap.MacintoshCyrillic, cyrillic},
	{"iso-8859-15", charmap.ISO8859_15, western},
	{"macintosh", charmap.Macintosh, western},
	{"ibm850", charmap.CodePage850, western},
	{"ibm437", charmap.CodePage437, western},
	{"ibm860", charmap.CodePage860, western},
	{"ibm863", charmap.CodePage863, western},
	{"ibm865", charmap.CodePage865, western},
	{"cp737", greekTable, greek},
	{"cp775", balticTable, baltic},
	{"cp857", turkishTable, turkish},
	{"ibm855", charmap.CodePage855, cyrillic},
	{"iso-8859-4", charmap.ISO8859_4, baltic},
	{"iso-8859-6", charmap.ISO8859_6, arabic},
	{"x-mac-romanian", macRomanianTable, romanian},
	{"x-mac-turkish", macTurkishTable, turkish},
	{"x-mac-iceland", macIcelandTable, western},
	{"kz-1048", kazakhTable, kazakh},
	{"x-mac-greek", macGreekTable, greek},
	{"cp861", icelandicTable, western},
	{"windows-874", charmap.Windows874, thai},
	{"windows-1258", charmap.Windows1258, vietnamese},
}

// A byteCode is a single-byte encoding.
type byteCode interface {
	DecodeByte(b byte) rune
}

const english = "etnoairshldcfumygpbvwkqjxz"

var (
	central = []string{
		"oneavtsáidrlkpmíubzhcjyéěýžčřšůúťgňfďówqx",   // Czech
		"oaneivrstkdálmpubhzcjýyžčéúťšíľôňgďfäĺóŕwqx", // Slovak
		"aoienwzrcysdpktujlmłbgżhąóśęćńźfqxv",         // Polish
		"eastnlkziémgoáryvbdjhőöcüófpíuűúwqx",         // Hungarian
		"aoinejvrustdlmkpbzčgšžćchđwqxyf",             // Croatian, Slovene
		"eiartnluocspădmţşvbîfgâzjxhkwqy",             // Romanian
		"enritdashulgcfombkzwväüpjößyxq",              // German
	}
	western = []string{
		"enritdashulgcfombkzwväüpjößyxq",            // German
		"etinsaroludcépmvgqfbàhxêyjèùâôûæçëîïœüÿkw", // French
		"eaoinsrdlctupmbyhógvfíqájzúéxñükw",         // Spanish
		"ieaontrldsucpmgzvbhfàqèùéòìîkjwxy",         // Italian
		"eaosidrtnumclpgvçãfbqhíéºàõázjêóxúâôükwy",  // Portuguese
		"eaitslnrocdupmvgbóqféhàèíjxúçòyzïükw",      // Catalan
		"erntlidasgofkhmvubæpåøyjcéòôèwqxz",         // Danish, Norwegian
		"aternlisdgoäkmhvföucåpbyjxéüwqz",           // Swedish
		"aitensklouämjvhyrpdögåwqxzfbc",             // Finnish
		"arniesltgumðfkvohþdjáíéóöybæpúýzwqxc",      // Icelandic
		"eniartdoglhvskjmcbzpwfuyëéïèöüóáêqx",       // Dutch
		"aihnertcsodgluámíbfúéópqkjwxyzv",           // Irish
	}
	baltic = []string{
		"iastreonkmuvlpgjdybėųąžšįęūcčzfhwqx",     // Lithuanian
		"iasteunrīābvkpmoldzjcēšgņūļģķfžčhōŗwqxy", // Latvian
		"aeistlunkdmorvgõjhpbäüöfšžwqxyzc",        // Estonian
	}
	turkish    = []string{"eairlnkmıtdshyuvbşüozçgcğöfpâjîûwqx"}
	vietnamese = []string{"nhaic\u0323\u0300\u0301tugưêođôơ\u0309vymâpbql\u0303krdăsxefjwz"}
	romanian   = []string{"eiartnluocspădmțșvbîfgâzjxhkwqy"}

	cyrillic = []string{
		"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", // Russian
		"оаниівтерслкудмпзяьбгйчхцїжєюшфщґ", // Ukrainian
		"аоиетнрсвлкдпмзяъугбчйжщцхшюьф",    // Bulgarian
		"аоиенрсјтудквмплзгбљњчцћшхжџђф",    // Serbian
		"аоиентврсдлпкумјбзчгцшњжќѓхфѕѐѝ",   // Macedonian
		"аныірвеосдялкпцумтбзўгчьхжюйэшёф",  // Belarusian
	}
	greek  = []string{"αοιετσνηυρπκμλςωίόάγέδχήθφβύώξζψϊϋΐΰ"}
	kazakh = []string{"аеынтрілқдмсбкуоғжәұпзңйгишүөяцхюъэвьһфщчё"}
	thai   = []string{"ารนกอ่มิงทะัด้สลเคยีวตแหจปบใุขชธืไพ็ำศโูถภึษ์ญผๆฏฐณซฎฒฉฤฝฟฬฆ"}
	hebrew = []string{"יוהלארתבשמנדעחקפכטזגסםצןףךץ"}
)

// arabic has the vowel marks, which few texts use, and the letters of Persian and Urdu.
var arabic = []string{"اليمنوترهبعدسفكقةحجأىشصطخءضذزثغئإظآؤـًٌٍَُِّْ،؛؟پچژگکہھ\u200c\u200d\u200e\u200f"}

// logarithms returns the logarithm of the probability of each letter of a language: about the same for the same rank
// in all languages, so that languages with many letters are not less likely.
func logarithms(letters string) map[rune]float64 {
	logs := map[rune]float64{}
	for _, r := range letters {
		logs[r] = firstWeight + rankWeight*float64(len(logs))
	}
	return logs
}

// likelihoods has the logarithms of all languages of candidates.
var likelihoods = sync.OnceValue(func() map[string]map[rune]float64 {
	all := map[string]map[rune]float64{english: logarithms(english)}
	for _, c := range candidates {
		for _, letters := range c.languages {
			if all[letters] == nil {
				all[letters] = logarithms(letters)
			}
		}
	}
	return all
})

// guessLegacy returns the single-byte encoding of data, "" if none fits, and another one that fits
// about as well and decodes data differently, "" if there is none. Each candidate is rated by the
// probability of its letters in the language that they fit best: Windows-1250 and ISO
// 8859-2 differ in few letters, among them š, ť and ž.
func guessLegacy(data []byte) (name, other string) {
	if damagedUTF8(data) {
		return "", ""
	}
	scores := make([]float64, len(candidates))
	best := -1
	for i, c := range candidates {
		scores[i] = fit(data, c.chars, c.languages) + orderWeight*float64(i)
		if !math.IsInf(scores[i], -1) && (best < 0 || scores[i] > scores[best]) {
			best = i
		}
	}
	if best < 0 {
		return "", ""
	}
	used := [256]bool{}
	for _, b := range data[:min(len(data), guessSample)] {
		used[b] = true
	}
	for i, c := range candidates {
		if i != best && scores[i] > scores[best]-leastLead && differ(&used, c.chars, candidates[best].chars) {
			return candidates[best].name, c.name
		}
	}
	return candidates[best].name, ""
}

// differ reports whether two encodings decode one of the used bytes differently.
func differ(used *[256]bool, a, b byteCode) bool {
	for i, ok := range used {
		if ok && a.DecodeByte(byte(i)) != b.DecodeByte(byte(i)) {
			return true
		}
	}
	return false
}

// fit returns the logarithm of the probability of data as a text in the likeliest of languages, minus
// infinity if fewer than minFit of its non-ASCII letters belong to that language. Control characters, symbols and capital letters inside words, which
// texts do not have, count against it, and so do letters of other alphabets beside Latin ones.
func fit(data []byte, chars byteCode, languages []string) float64 {
	var counts [256]int // letters at plausible places
	alphabetic, _ := utf8.DecodeRuneInString(languages[0])
	latin := unicode.Is(unicode.Latin, alphabetic)
	seen, letters, marks, capitals := 0, 0, 0, 0
	word, foreign := 0, false // end of the current word, and whether most of its letters are ASCII
	for i, b := range data {
		if b < utf8.RuneSelf {
			if unicode.IsLetter(rune(b)) {
				counts[b|' ']++
			}
			continue
		}
		if seen == guessSample {
			break
		}
		seen++
		r, before, after := chars.DecodeByte(b), ' ', ' '
		if i > 0 {
			before = chars.DecodeByte(data[i-1])
		}
		if i+1 < len(data) {
			after = chars.DecodeByte(data[i+1])
		}
		if typographic(r, before, after) {
			marks++
			continue
		}
		letters++
		if i >= word && !latin {
			word, foreign = wordAt(data, i, chars)
		}
		if unicode.IsUpper(r) && unicode.IsUpper(before) {
			capitals++
		}
		if !foreign && !(unicode.IsUpper(r) && unicode.IsLower(before)) {
			counts[b]++
		}
	}
	best := math.Inf(-1)
	for _, alphabet := range languages {
		if score, hits := likelihood(&counts, chars, alphabet, latin, letters); float64(hits) >= minFit*float64(letters) {
			best = max(best, score+missWeight*float64(letters-hits))
		}
	}
	return best + markWeight*float64(marks) + capitalWeight*float64(capitals)
}

// likelihood returns the logarithm of the probability of letters in a language, and how many of the non-ASCII ones
// belong to it. The ASCII letters may be those of an English text that quotes the language.
func likelihood(counts *[256]int, chars byteCode, alphabet string, latin bool, letters int) (score float64, hits int) {
	logs, inEnglish := likelihoods()[alphabet], likelihoods()[english]
	own, quoted, ascii := 0.0, 0.0, 0 // of the ASCII letters
	for b, n := range counts {
		if n == 0 {
			continue
		}
		if r := rune(b); b < utf8.RuneSelf {
			own, quoted, ascii = own+float64(n)*logs[r], quoted+float64(n)*inEnglish[r], ascii+n
		} else if log, ok := logs[unicode.ToLower(chars.DecodeByte(byte(b)))]; ok {
			score, hits = score+float64(n)*log, hits+n
		}
	}
	switch {
	case latin:
		return score + max(own, quoted+foreignWeight*float64(hits)), hits
	case ascii > hits: // by all letters, or a miss would cost less than a hit
		return score + quoted + 2*foreignWeight*float64(letters), hits
	}
	return score + quoted, hits
}

// wordAt returns the end of the word around data[i], and whether most of its letters are ASCII.
func wordAt(data []byte, i int, chars byteCode) (end int, foreign bool) {
	isPart := func(b byte) bool { return unicode.IsLetter(chars.DecodeByte(b)) }
	start := i
	for start > 0 && i-start < longestWord && isPart(data[start-1]) {
		start--
	}
	for end = i; end < len(data) && end-i < longestWord && isPart(data[end]); end++ {
	}
	ascii := 0
	for _, b := range data[start:end] {
		if b < 0x80 {
			ascii++
		}
	}
	return max(end, i+1), 2*ascii > end-start
}

const longestWord = 40 // bytes examined on each side

// typographic reports whether r is a punctuation mark of any language at a plausible place:
// inside a word it is a misread letter.
func typographic(r, before, after rune) bool {
	switch r {
	case '’', '‘', '\u00a0', '\u00ad', '–', '—', '…':
		return true
	case '“', '”', '»', '›':
		return !unicode.IsLower(before) || !unicode.IsLower(after)
	case '„', '‚', '•', '«', '§', '°', '©', '®', '™', '€', '×', '†', '‹', '¿', '¡':
		return !unicode.IsLower(before)
	}
	return false
}
