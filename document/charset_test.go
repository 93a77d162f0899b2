package document_test

import (
	"bytes"
	"errors"
	"strings"
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
	{"Съешь же ещё этих мягких французских булок, да выпей чаю.", "iso-8859-5"},
	{"Съешь же ещё этих мягких французских булок, да выпей чаю.", "x-mac-cyrillic"},
	{"Усі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.", "koi8-u"},
	{"Усі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.", "windows-1251"},
	{"Сва људска бића рађају се слободна и једнака у достојанству и правима. Она су обдарена разумом и свешћу.", "windows-1251"},
	{"Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė, ir jie turi elgtis vienas kito atžvilgiu kaip broliai.", "windows-1257"},
	{"Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis, „broliai“ gyvena šalia.", "iso-8859-13"},
	{"Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir apveltīti ar saprātu un sirdsapziņu.", "windows-1257"},
	{"Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler, birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.", "windows-1254"},
	{"Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση.", "windows-1253"},
	{"Όλοι οι Άνθρωποι γεννιούνται ελεύθεροι· Άλλοι είναι ίσοι στην αξιοπρέπεια.", "iso-8859-7"},
	{"כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.", "windows-1255"},
	{"Voix ambiguë d'un cœur qui, au zéphyr, préfère les jattes de kiwis.", "iso-8859-15"},
	{"Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes de kiwis; où ça ? à l’étranger.", "macintosh"},
	{"Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.", "windows-1250"},
	{"Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de raó i de consciència.", "windows-1252"},
	{"Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Nessuna distinzione sarà inoltre stabilita.", "windows-1252"},
	{"Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.", "ibm850"},
	{"Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.", "ibm850"},
	{"Сва људска бића рађају се слободна и једнака у достојанству и правима.", "ibm855"},
	{"Сите човечки суштества се раѓаат слободни и еднакви по достоинство и права.", "windows-1251"},
	{"Усе людзі нараджаюцца свабоднымі і роўнымі ў сваёй годнасці і правах.", "windows-1251"},
	{"มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ", "windows-874"},
	{"すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。", "shift_jis"},
	{"すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。", "euc-jp"},
	{"모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 서로 형제애의 정신으로 행동하여야 한다.", "euc-kr"},
	{"法律之前人人平等,并有权享受法律的平等保护,不受任何歧视。这是在一个自由的国家里人人应有的权利。", "gb18030"},
	{"人人有思想、良心和宗教由的權利；此項權利包括改變他的宗教或信仰的自由，以及單獨或集體的自由。", "big5"},
	{"Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Þeir eru gæddir vitsmunum.", "windows-1252"},
}

// TestGuessEncoding reads texts in the encodings of samples. No guess leads to a flag.
func TestGuessEncoding(t *testing.T) {
	for _, s := range samples {
		data, doc := sample.Encode(t, s.text, s.encoding), &document.Document{}
		if err := readtest.Read(t.Context(), doc, bytes.Repeat(append(data, '\n'), 20), document.Options{}); err != nil || len(doc.Flags) > 0 {
			t.Errorf("%s, 20 times: flags %v, %v", s.encoding, doc.Flags, err)
		}
		doc = &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != s.text || doc.Encoding != s.encoding {
			t.Errorf("%s: read as %s: %q, %v, want %q", s.encoding, doc.Encoding, doc.Text, err, s.text)
		}
	}
}

// TestGuessAfterASCII reads texts of East Asia after English and within markup, which are longer.
func TestGuessAfterASCII(t *testing.T) {
	for _, s := range samples {
		switch s.encoding {
		case "shift_jis", "euc-jp", "euc-kr", "gb18030", "big5":
			before := strings.Repeat("An abstract in English precedes the text. ", 300)
			data, doc := sample.Encode(t, s.text, s.encoding), &document.Document{}
			if err := readtest.Read(t.Context(), doc, append([]byte(before), data...), document.Options{}); err != nil || doc.Text != before+s.text || doc.Encoding != s.encoding {
				t.Errorf("%s after English: read as %s: %q, %v", s.encoding, doc.Encoding, doc.Text, err)
			}
			doc = &document.Document{Ext: "tex"}
			data = append([]byte("\\documentclass[12pt]{article}\\usepackage[top=2cm,bottom=2cm]{geometry}\\hypersetup{colorlinks=true,linkcolor=blue}\\begin{document}\\section{"), data...)
			if err := readtest.Read(t.Context(), doc, append(data, '}'), document.Options{}); err != nil || doc.Text != s.text {
				t.Errorf("%s in LaTeX: read as %s: %q, %v, want %q", s.encoding, doc.Encoding, doc.Text, err, s.text)
			}
		}
	}
}

// TestUnsureEncoding: if another encoding fits a text as well, a note names it.
func TestUnsureEncoding(t *testing.T) {
	const note = "fits about as well"
	for _, s := range append(samples, struct{ text, encoding string }{"No, è più là.", "macintosh"}) {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.Encode(t, s.text, s.encoding), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if unsure := strings.Contains(strings.Join(doc.Notes, "\n"), note); unsure != (doc.Text != s.text) {
			t.Errorf("%s %q: read as %s: %q, notes %q", s.encoding, s.text, doc.Encoding, doc.Text, doc.Notes)
		}
	}
}

// TestGuessDoesNotAccuse: letters of another script are flagged if the file is in UTF-8, or its
// encoding is stated, and only noted if the encoding is a guess.
func TestGuessDoesNotAccuse(t *testing.T) {
	text := strings.Repeat("Вcе люди рoждаются свoбодными и рaвными в cвоем дoстоинстве и прaвах, они нaделены рaзумом и совecтью. ", 9)
	data := sample.Encode(t, text, "windows-1251")
	for _, tt := range []struct {
		data  []byte
		opts  document.Options
		flags bool
	}{{[]byte(text), document.Options{}, true}, {data, document.Options{Encoding: "windows-1251"}, true}, {data, document.Options{}, false}} {
		doc := &document.Document{}
		err := readtest.Read(t.Context(), doc, tt.data, tt.opts)
		if err != nil || doc.Encoding == "" || len(doc.Flags) > 0 != tt.flags || !tt.flags && len(doc.Notes) == 0 {
			t.Errorf("%s: %v, flags %v, notes %q", doc.Encoding, err, doc.Flags, doc.Notes)
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
