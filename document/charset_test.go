package document

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func encode(t testing.TB, text, label string) []byte {
	t.Helper()
	enc, err := lookup(label)
	if err != nil {
		t.Fatal(err)
	}
	data, err := enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", label, err)
	}
	return data
}

func TestGuessEncoding(t *testing.T) {
	for _, s := range samples {
		data := encode(t, s.text, s.encoding)
		doc := &Document{}
		if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Text != s.text || doc.Encoding != s.encoding {
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
		doc := &Document{}
		if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Text != text || doc.Encoding != tt.want {
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
			doc := &Document{}
			if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Text != text || doc.Encoding != name {
				t.Errorf("%s: read as %s: %q, %v, want %q", name, doc.Encoding, doc.Text, err, text)
			}
		}
	}
}

func TestEncodingOption(t *testing.T) {
	const text = "Škoda žluťoučkého"
	for _, label := range []string{"windows-1250", "latin2", "IBM852", "utf-8", "utf-16le"} {
		doc := &Document{}
		if err := read(t.Context(), doc, encode(t, text, label), Options{Encoding: label}); err != nil || doc.Text != text {
			t.Errorf("%s: text %q, %v, want %q", label, doc.Text, err, text)
		}
	}
	err := read(t.Context(), &Document{}, []byte(text), Options{Encoding: "klingon"})
	if want := `encoding unknown: "klingon"`; !errors.Is(err, ErrEncoding) || err.Error() != want {
		t.Errorf("klingon: error %v, want %s", err, want)
	}
}

// TestGuessNovels checks the guess on real texts, whole and on their first 4 KB:
// those of the samples, or those in the folder that OTISK_NOVELS names.
func TestGuessNovels(t *testing.T) {
	dir := cmp.Or(os.Getenv("OTISK_NOVELS"), filepath.Join("..", "samples", "collection", "czech"))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts in %s: %v", dir, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"windows-1250", "iso-8859-2"} {
			checkGuess(t, path, string(data), label)
		}
		checkUTF16(t, path, string(data))
	}
}

// checkUTF16 checks that a text in UTF-16, whole and by its first 4 KB, is read as
// it was, with and without a byte order mark.
func checkUTF16(t *testing.T, path, text string) {
	text = strings.TrimPrefix(text, "\ufeff")
	for name, order := range map[string]unicode.Endianness{"utf-16le": unicode.LittleEndian, "utf-16be": unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			data, err := unicode.UTF16(order, mark).NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{len(data), min(len(data), headSize)} {
				got, label, err := decode(data[:n], "", Options{})
				if err != nil || label != name || !strings.HasPrefix(text, string(got)) || n == len(data) && string(got) != text {
					t.Errorf("%s, %d bytes of %s: read as %s, %v", path, n, name, label, err)
				}
			}
		}
	}
}

// checkGuess checks the guess of a text without the characters that the
// encoding lacks.
func checkGuess(t *testing.T, path, text, label string) {
	enc, err := lookup(label)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range text {
		if c, err := enc.NewEncoder().String(string(r)); r < 0x80 || err == nil && len(c) == 1 {
			b.WriteString(c)
		}
	}
	data := []byte(b.String())
	for _, n := range []int{len(data), min(len(data), headSize)} {
		got, gotLabel, err := decode(data[:n], "", Options{})
		want, _, _ := decodeAs(data[:n], label)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, %d bytes of %s: read as %s, %v", path, n, label, gotLabel, err)
		}
	}
}
