package charset_test

import (
	"errors"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"golang.org/x/text/encoding/unicode"
)

// samples are sentences as people write them, by the encoding that they were
// kept in before UTF-8.
var samples = []struct{ text, encoding string }{
	{"Příliš žluťoučký kůň úpěl ďábelské ódy. „Však ti řeknu,“ děla — šťastně žila dál.", "windows-1250"},
	{"Příliš žluťoučký kůň úpěl ďábelské ódy. Však ti řeknu, děla, šťastně žila dál.", "windows-1250"},
	{"Příliš žluťoučký kůň úpěl ďábelské ódy. Však ti řeknu, děla, šťastně žila dál.", "iso-8859-2"},
	{"Škoda, že to Žižka nevěděl; Šárka ano. Ťuhýk, ještě že tě máme!", "iso-8859-2"},
	{"Škoda, že to Žižka nevěděl; Šárka ano. Ťuhýk, ještě že tě máme!", "windows-1250"},
	{"Kŕdeľ šťastných ďatľov učí pri ústí Váhu mĺkveho koňa obhrýzať kôru.", "iso-8859-2"},
	{"Kŕdeľ šťastných ďatľov učí pri ústí Váhu mĺkveho koňa obhrýzať kôru.", "windows-1250"},
	{"Pchnąć w tę łódź jeża lub ośm skrzyń fig. Zażółć gęślą jaźń.", "iso-8859-2"},
	{"Pchnąć w tę łódź jeża lub ośm skrzyń fig. Zażółć gęślą jaźń.", "windows-1250"},
	{"Příliš žluťoučký kůň úpěl ďábelské ódy.", "ibm852"},
	{"Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes de kiwis; où ça ? à l’étranger.", "windows-1252"},
	{"Perché è così? Città, virtù, libertà: è già più di là.", "windows-1252"},
	{"Съешь же ещё этих мягких французских булок, да выпей чаю.", "windows-1251"},
	{"Съешь же ещё этих мягких французских булок, да выпей чаю.", "koi8-r"},
}

func TestGuessEncoding(t *testing.T) {
	for _, s := range samples {
		data := sample.Encode(t, s.text, s.encoding)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != s.text || doc.Encoding != s.encoding {
			t.Errorf("%s: read as %s: %q, %v, want %q", s.encoding, doc.Encoding, doc.Text, err, s.text)
		}
	}
}

func TestUTF16(t *testing.T) {
	const text = "Příliš žluťoučký kůň\r\n𝔸 konec"
	tests := []struct {
		name string
		enc  interface{ Bytes([]byte) ([]byte, error) }
		want string
	}{
		{"little, marked", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder(), "utf-16le"},
		{"big, marked", unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder(), "utf-16be"},
		{"little", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder(), "utf-16le"},
		{"big", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder(), "utf-16be"},
	}
	for _, tt := range tests {
		data, err := tt.enc.Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != text || doc.Encoding != tt.want {
			t.Errorf("%s: read as %s: %q, %v, want %s: %q", tt.name, doc.Encoding, doc.Text, err, tt.want, text)
		}
	}
}

// TestUTF16Alphabets reads UTF-16 without a mark that has few zeros.
func TestUTF16Alphabets(t *testing.T) {
	for _, text := range []string{"Съешь же ещё этих мягких французских булок, да выпей чаю. «Так», — сказал он.\n", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία."} {
		for name, order := range map[string]unicode.Endianness{"utf-16le": unicode.LittleEndian, "utf-16be": unicode.BigEndian} {
			data, err := unicode.UTF16(order, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			doc := &document.Document{}
			if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != text || doc.Encoding != name {
				t.Errorf("%s: read as %s: %q, %v, want %q", name, doc.Encoding, doc.Text, err, text)
			}
		}
	}
}

func TestEncodingOption(t *testing.T) {
	const text = "Škoda žluťoučkého"
	for _, label := range []string{"windows-1250", "latin2", "IBM852", "utf-8", "utf-16le"} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.Encode(t, text, label), document.Options{Encoding: label}); err != nil || doc.Text != text {
			t.Errorf("%s: text %q, %v, want %q", label, doc.Text, err, text)
		}
	}
	err := readtest.Read(t.Context(), &document.Document{}, []byte(text), document.Options{Encoding: "klingon"})
	if want := `encoding unknown: "klingon"`; !errors.Is(err, document.ErrEncoding) || err.Error() != want {
		t.Errorf("klingon: error %v, want %s", err, want)
	}
}
