package charset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/otisk/otisk/document/format"
)

// A table is a single-byte encoding: the character of each byte.
type table []rune

// DecodeByte returns the character of a byte.
func (t table) DecodeByte(b byte) rune { return t[b] }

// NewDecoder implements encoding.Encoding.
func (t table) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: tableDecoder{t: t}}
}

// NewEncoder implements encoding.Encoding. Encoding is not supported.
func (t table) NewEncoder() *encoding.Encoder { return encoding.Replacement.NewEncoder() }

type tableDecoder struct {
	transform.NopResetter
	t table
}

func (d tableDecoder) Transform(dst, src []byte, _ bool) (written, read int, err error) {
	for _, b := range src {
		s := string(d.t[b])
		if written+len(s) > len(dst) {
			return written, read, transform.ErrShortDst
		}
		written += copy(dst[written:], s)
		read++
	}
	return written, read, nil
}

// macCentralTable is the encoding Macintosh Central European.
var macCentralTable = extended([]rune("" +
	"ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü" +
	"†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅ" +
	"ņŃ¬√ńŇ∆«»… ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖ" +
	"ŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ"))

// greekTable is the encoding CP 737 of DOS.
var greekTable = extended([]rune("" +
	"ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0"))

// balticTable is the encoding CP 775 of DOS.
var balticTable = extended([]rune("" +
	"ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐" +
	"└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\u00ad±“¾¶§÷„°∙·¹³²■\u00a0"))

// macGreekTable is the encoding Macintosh Greek.
var macGreekTable = extended([]rune("" +
	"Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü†ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩ" +
	"άΝ¬ΟΡ≈Τ«»…\u00a0ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u00ad"))

// Encodings that are another one but for a few characters.
var (
	turkishTable     = patched(charmap.CodePage850, 0x8D, "ı", 0x98, "İ", 0x9E, "Şş", 0xA6, "Ğğ", 0xD0, "ºªÊËÈ\ufffd", 0xE7, "\ufffd×", 0xEC, "ìÿ", 0xF2, "\ufffd") // CP 857 of DOS
	icelandicTable   = patched(charmap.CodePage437, 0x8B, "ÐðÞ", 0x95, "þ", 0x97, "Ýý", 0x9B, "ø", 0x9D, "Ø", 0xA4, "ÁÍÓÚ")                                         // CP 861 of DOS
	ukrainianTable   = patched(charmap.CodePage866, 0xF2, "ҐґЄєІіЇї")                                                                                               // CP 1125 of DOS
	kazakhTable      = patched(charmap.Windows1251, 0x8D, "ҚҺ", 0x9D, "қһ", 0xA1, "ҰұӘ", 0xA5, "Ө", 0xAA, "Ғ", 0xAF, "Ү", 0xB4, "ө", 0xBA, "ғ", 0xBC, "әҢңү")
	macRomanianTable = patched(charmap.Macintosh, 0xAE, "ĂȘ", 0xBE, "ăș", 0xDE, "Țț")
	macTurkishTable  = patched(charmap.Macintosh, 0xDA, "ĞğİıŞş")
	macIcelandTable  = patched(charmap.Macintosh, 0xA0, "Ý", 0xDC, "ÐðÞþý")
)

// patched returns the table of an encoding with other characters: changes has pairs of a byte and the
// characters from that byte on.
func patched(base byteCode, changes ...any) table {
	var t table
	for b := range 256 {
		t = append(t, base.DecodeByte(byte(b)))
	}
	for i := 0; i < len(changes); i += 2 {
		copy(t[changes[i].(int):], []rune(changes[i+1].(string)))
	}
	return t
}

// arabicTable is the encoding CP 720 of DOS.
var arabicTable = extended([]rune("" +
	"\u0080\u0081éâ\u0084à\u0086çêëèïî\u008d\u008e\u008f\u0090\u0651\u0652ô¤\u0640ûù\u0621\u0622\u0623\u0624£\u0625\u0626\u0627" +
	"\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
	"\u0636\u0637\u0638\u0639\u063a\u0641µ\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a≡\u064b\u064c\u064d\u064e\u064f\u0650≈°∙·√ⁿ²■\u00a0"))

// arabicFormsTable is the encoding CP 864 of DOS, with the letters for their positional forms.
var arabicFormsTable = extended([]rune("" +
	"°·∙√▒─│┼┤┬├┴┐┌└┘\u03b2∞\u03c6±½¼≈«»\ufef7\ufef8\ufffd\ufffd\ufefb\ufefc\ufffd" +
	"\u0020\u00ad\u0622£¤\u0623\ufffd\ufffd\u0627\u0628\u062a\u062b\u060c\u062c\u062d\u062e\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669\u0641\u061b\u0633\u0634\u0635\u061f" +
	"¢\u0621\u0622\u0623\u0624\u0639\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a¦¬÷×\u0639" +
	"\u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u0636\u0639\u063a\u063a\u0645\ufe7d\u0651\u0646\u0647\u0647\u0649\u064a\u063a\u0642\ufef5\ufef6\u0644\u0643\u064a■\ufffd"))

// extended returns the table of an encoding by its characters 128 to 255.
func extended(upper []rune) table {
	var t table
	for r := range rune(128) {
		t = append(t, r)
	}
	return append(t, upper...)
}

// ibm420 is the Arabic mainframe code as in glibc, except that each positional form of a
// letter is mapped to the letter.
var ibm420 = table([]rune("" +
	"\u0000\u0001\u0002\u0003\u009c\u0009\u0086\u007f\u0097\u008d\u008e\u000b\u000c\u000d\u000e\u000f" +
	"\u0010\u0011\u0012\u0013\u009d\u0085\u0008\u0087\u0018\u0019\u0092\u008f\u001c\u001d\u001e\u001f" +
	"\u0080\u0081\u0082\u0083\u0084\u000a\u0017\u001b\u0088\u0089\u008a\u008b\u008c\u0005\u0006\u0007" +
	"\u0090\u0091\u0016\u0093\u0094\u0095\u0096\u0004\u0098\u0099\u009a\u009b\u0014\u0015\u009e\u001a" +
	" \u00a0\u0651\ufe7d\u0640\ufffd\u0621\u0622\u0622\u0623¢.<(+|" +
	"&\u0623\u0624\ufffd\ufffd\u0626\u0627\u0627\u0628\u0628!$*);¬" +
	"-/\u0629\u062a\u062a\u062b\u062b\u062c\u062c\u062d¦,%_>?" +
	"\u062d\u062e\u062e\u062f\u0630\u0631\u0632\u0633\u0633\u060c:#@'=\u0022" +
	"\u0634abcdefghi\u0634\u0635\u0635\u0636\u0636\u0637" +
	"\u0638jklmnopqr\u0639\u0639\u0639\u0639\u063a\u063a" +
	"\u063a÷stuvwxyz\u063a\u0641\u0641\u0642\u0642\u0643" +
	"\u0643\u0644\ufef5\ufef6\ufef7\ufef8\ufffd\ufffd\ufefb\ufefc\u0644\u0645\u0645\u0646\u0646\u0647" +
	"\u061bABCDEFGHI\u00ad\u0647\ufffd\u0647\ufffd\u0648" +
	"\u061fJKLMNOPQR\u0649\u0649\u064a\u064a\u064a\u0660" +
	"×\ufffdSTUVWXYZ\u0661\u0662\ufffd\u0663\u0664\u0665" +
	"0123456789\ufffd\u0666\u0667\u0668\u0669\u009f"))

// own are encodings whose labels are defined neither for web pages nor by IANA.
var own = map[string]encoding.Encoding{
	"utf-32le": utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "utf-32be": utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM),
	"x-mac-ce": macCentralTable, "x-mac-centraleurroman": macCentralTable, "x-mac-centraleurope": macCentralTable,
	"cp737": greekTable, "ibm737": greekTable, "cp775": balticTable, "cp861": icelandicTable, "ibm861": icelandicTable, "kz-1048": kazakhTable, "x-mac-romanian": macRomanianTable, "x-mac-turkish": macTurkishTable, "x-mac-iceland": macIcelandTable, "x-mac-greek": macGreekTable, "cp857": turkishTable, "ibm857": turkishTable, "cp720": arabicTable, "cp864": arabicFormsTable, "ibm864": arabicFormsTable, "cp1125": ukrainianTable, "cp866u": ukrainianTable, "hz-gb-2312": simplifiedchinese.HZGB2312,
	"utf-7": utf7{}, "unicode-1-1-utf-7": utf7{}, "ibm420": ibm420, "cp420": ibm420, "ibm037": charmap.CodePage037, "cp037": charmap.CodePage037,
}

// guessUTF32 returns the form of UTF-32 of data in which every unit is a text character.
func guessUTF32(data []byte) string {
	head := data[:min(len(data), format.HeadSize)&^3]
	if len(data)%4 != 0 || len(head) < 8 {
		return ""
	}
	little, big := true, true
	for i := 0; i < len(head); i += 4 {
		little = little && inText(binary.LittleEndian.Uint32(head[i:]))
		big = big && inText(binary.BigEndian.Uint32(head[i:]))
	}
	switch {
	case little && !big:
		return "utf-32le"
	case big && !little:
		return "utf-32be"
	}
	return ""
}

func inText(c uint32) bool {
	return c >= ' ' && c <= unicode.MaxRune || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0xFEFF
}

// Shares of bytes that identify mainframe encodings: their space is 0x40, and bytes that are
// spaces in other encodings are rare.
const (
	leastSpaces  = 0.05
	mostSpaces   = 0.6
	mostOthers   = 0.005
	leastLetters = 0.3
	leastArabic  = 0.2
)

// guessMainframe returns the mainframe encoding of data, "" if it has another encoding.
func guessMainframe(data []byte) string {
	head := format.Head(data)
	share := func(bs ...byte) float64 {
		n := 0
		for _, b := range bs {
			n += bytes.Count(head, []byte{b})
		}
		return float64(n) / float64(max(len(head), 1))
	}
	if spaces := share(0x40); spaces < leastSpaces || spaces > mostSpaces || share(' ', '\n') > mostOthers || bytes.HasPrefix(head, format.BOM) {
		return ""
	}
	arabic, letters := 0, 0
	for _, b := range head {
		if unicode.Is(unicode.Arabic, ibm420[b]) {
			arabic++
		}
		if r := charmap.CodePage037.DecodeByte(b); r < 0x80 && unicode.IsLetter(r) || strings.ContainsRune(".,", r) {
			letters++
		}
	}
	switch size := float64(len(head)); {
	case float64(letters) >= leastLetters*size:
		return "ibm037"
	case float64(arabic) >= leastArabic*size:
		return "ibm420"
	}
	return ""
}
