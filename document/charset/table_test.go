package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"

	"github.com/otisk/otisk/document/format"
)

// encodeBy encodes text by a table of the character of each byte.
func encodeBy(code byteCode, text string) []byte {
	bytes := map[rune]byte{}
	for b := 255; b >= 0; b-- {
		bytes[code.DecodeByte(byte(b))] = byte(b)
	}
	var out []byte
	for _, r := range text {
		out = append(out, bytes[r])
	}
	return out
}

// TestGuessOthers checks that texts in rarer encodings are known by their letters.
func TestGuessOthers(t *testing.T) {
	const (
		czech   = "Příliš žluťoučký kůň úpěl ďábelské ódy. Šel městem, řekl někomu dvě věty a zmizel. Žádná řeč nebyla třeba. "
		arab    = "في قرية من القرى كان هناك رجل حكيم يعرف كل شيء عن الحياة وكان يعلم الناس كيف يعيشون بسلام وانسجام. "
		english = "Everyone has the right to freedom of thought, conscience and religion. "
		hellas  = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση. "
		turk    = "İnsanlık topluluğunun bütün fertleriyle uzuvlarının bu beyannameyi daima gözönünde tutarak, son derece önemli bulunmasına göre. "
		lietuva = "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis kaip broliai. "
		kazakh  = "Барлық адамдар тумысынан азат және қасиеті мен кұқықтары тең болып дүниеге келеді. Адамдарға ақыл берілген. "
		romania = "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință. "
		iceland = "Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir vitsmunum og samvizku, og ber þeim að breyta. "
		vietnam = "Tâ\u0301t ca\u0309 mo\u0323i ngươ\u0300i sinh ra đê\u0300u đươ\u0323c tư\u0323 do va\u0300 bi\u0300nh đă\u0309ng vê\u0300 nhân phâ\u0309m va\u0300 quyê\u0300n. "
		russian = "Однажды, в студеную зимнюю пору, я из лесу вышел; был сильный мороз. "
	)
	mustEncode := func(label, text string) []byte {
		enc, err := Lookup(label)
		if err != nil {
			t.Fatal(err)
		}
		data, err := encoding.ReplaceUnsupported(enc.NewEncoder()).Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	known420 := strings.Map(func(r rune) rune {
		for _, k := range ibm420 {
			if k == r {
				return r
			}
		}
		return -1
	}, arab)
	own037, _ := own["ibm037"].(byteCode)
	tests := []struct {
		label, text string
		data        []byte
	}{
		{"x-mac-ce", czech, encodeBy(macCentralTable, czech)},
		{"cp737", hellas, encodeBy(greekTable, hellas)},
		{"x-mac-greek", hellas, encodeBy(macGreekTable, hellas)},
		{"cp857", turk, encodeBy(turkishTable, turk)},
		{"x-mac-turkish", turk, encodeBy(macTurkishTable, turk)},
		{"cp775", lietuva, encodeBy(balticTable, lietuva)},
		{"kz-1048", kazakh, encodeBy(kazakhTable, kazakh)},
		{"x-mac-romanian", romania, encodeBy(macRomanianTable, romania)},
		{"x-mac-iceland", iceland, encodeBy(macIcelandTable, iceland)},
		{"cp861", iceland, encodeBy(icelandicTable, iceland)},
		{"windows-1258", vietnam, mustEncode("windows-1258", vietnam)},
		{"iso-8859-6", arab, mustEncode("iso-8859-6", arab)},
		{"windows-1256", arab, mustEncode("windows-1256", arab)},
		{"ibm866", russian, mustEncode("ibm866", russian)},
		{"ibm037", english, encodeBy(own037, english)},
		{"ibm420", known420, encodeBy(ibm420, known420)},
		{"utf-32le", czech, mustEncode("utf-32le", czech)},
		{"utf-32be", czech, mustEncode("utf-32be", czech)},
		{"utf-32le", czech, append([]byte("\xff\xfe\x00\x00"), mustEncode("utf-32le", czech)...)},
		{"utf-32be", czech, append([]byte("\x00\x00\xfe\xff"), mustEncode("utf-32be", czech)...)},
	}
	for _, tt := range tests {
		for _, declared := range []string{"", "utf-8"} {
			got, label, err := Decode(t.Context(), &format.Source{Data: tt.data}, declared)
			if err != nil || label != tt.label || string(got) != tt.text {
				t.Errorf("%s, declared as %q: read as %s, %.60q, %v", tt.label, declared, label, got, err)
			}
		}
		got, label, err := Decode(t.Context(), &format.Source{Data: tt.data, Encoding: tt.label}, "")
		if want := strings.TrimPrefix(string(got), "\ufeff"); err != nil || label != tt.label || want != tt.text {
			t.Errorf("%s, given: read as %s, %.60q, %v", tt.label, label, got, err)
		}
	}
}
