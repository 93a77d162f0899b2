package charset

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/otisk/otisk/document/format"
)

// TestShifted reads text whose letters are in ASCII bytes, stated or not; an encoding that is not supported is named.
func TestShifted(t *testing.T) {
	encoded := func(e encoding.Encoding, s string) string {
		data, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const chinese = "剽窃\n是\n发表\n别人\n的\n结果"
	for _, tt := range []struct{ data, stated, want, name string }{
		{encoded(japanese.ISO2022JP, "盗用とは何か。"), "", "盗用とは何か。", "iso-2022-jp"},
		{encoded(simplifiedchinese.HZGB2312, chinese), "", chinese, "hz-gb-2312"},
		{encoded(simplifiedchinese.HZGB2312, "It is 我们的文化在现代社会中的发展与变化 here."), "", "It is 我们的文化在现代社会中的发展与变化 here.", "hz-gb-2312"},
		{encoded(simplifiedchinese.HZGB2312, "剽窃"), "hz-gb-2312", "剽窃", "hz-gb-2312"},
		{"\x1b$)C\x0e1[\x0f", "", "", `encoding unknown: "iso-2022-kr"`},
		{"\x1b$)C\x0e1[\x0f", "iso-2022-kr", "", `encoding unknown: "iso-2022-kr"`},
		{strings.Repeat("p+AVk-li+AWE- ", 5), "", strings.Repeat("přliš ", 5), "utf-7"},
		{"+BBIEPgRC +BEEEQgQwBEAEMARP +BDwENQQ7BEwEPQQ4BEYEMA, +BEEEQgQ+BE8EOwQw +BEM +BEAENQQ6BDg.", "", "Вот старая мельница, стояла у реки.", "utf-7"},
		{"A +AKM-5, 1 +- 1, +ZeVnLIqe and +2D3eAA-, +x", "UTF-7", "A £5, 1 + 1, 日本語 and 😀, +x", "utf-7"},
		{"call +420 123, +421-5 and a+document, foo+bar+baz", "", "call +420 123, +421-5 and a+document, foo+bar+baz", "utf-8"},
		{strings.Repeat("f(x)=foo+bar+baz; a+document+And+Beta; ", 9), "", strings.Repeat("f(x)=foo+bar+baz; a+document+And+Beta; ", 9), "utf-8"},
		{strings.Repeat("c = a+b-d, x+abc-y ", 9), "", strings.Repeat("c = a+b-d, x+abc-y ", 9), "utf-8"},
		{"awk '~{print}~{x}~}'", "", "awk '~{print}~{x}~}'", "utf-8"},
	} {
		got, name, err := Decode(t.Context(), &format.Source{Data: []byte(tt.data)}, tt.stated)
		if err != nil {
			name = err.Error()
		}
		if string(got) != tt.want || name != tt.name || err != nil && !errors.Is(err, format.ErrEncoding) {
			t.Errorf("%q: %q, %s, %v, want %q, %s", tt.data, got, name, err, tt.want, tt.name)
		}
	}
}

// TestGuessDOS recognises the Ukrainian, the Arabic and the Hebrew code page of DOS.
func TestGuessDOS(t *testing.T) {
	const ukrainian = "Академічний плагіат це оприлюднення частково або повністю наукових результатів, отриманих іншими особами, як результатів власного дослідження. Її ґанок був біля річки, і є на ньому їжак."
	const hebrew = "גניבה ספרותית היא פרסום של תוצאות מדעיות של אחרים כאילו הן תוצאות של המחקר העצמי ללא ציון שם המחבר שלהן"
	const arabic = "الانتحال هو نشر نتائج علمية حصل عليها اشخاص اخرون كليا او جزئيا على انها نتائج البحث الخاص من غير ذكر صاحبها"
	ofArabic, ofUkrainian := map[rune]byte{}, map[rune]byte{}
	for i, r := range arabicTable {
		ofArabic[r] = byte(i)
	}
	for i, r := range ukrainianTable {
		ofUkrainian[r] = byte(i)
	}
	var dos []byte
	for _, r := range ukrainian {
		dos = append(dos, ofUkrainian[r])
	}
	var arabicDOS []byte
	for _, r := range arabic {
		arabicDOS = append(arabicDOS, ofArabic[r])
	}
	h, err := charmap.CodePage862.NewEncoder().Bytes([]byte(hebrew))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cp864", "ibm864"} { // only by name
		got, _, err := Decode(t.Context(), &format.Source{Data: []byte("\xc1\xe4\xd9\xf1\xc8\xbf")}, name)
		if want := "ءلعّب؟"; string(got) != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	for _, tt := range []struct {
		data       []byte
		want, name string
	}{
		{dos, ukrainian, "cp1125"},
		{h, hebrew, "ibm862"},
		{arabicDOS, arabic, "cp720"},
	} {
		src := &format.Source{Data: tt.data}
		got, name, err := Decode(t.Context(), src, "")
		if string(got) != tt.want || name != tt.name || err != nil {
			t.Errorf("%s: %q, %s, %v, guess %s, want %q", tt.name, got, name, err, fmt.Sprint(src.Guessed), tt.want)
		}
	}
}
