package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
)

// zipOf returns an archive of empty members with these names, which it does not declare as UTF-8.
func zipOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		if _, err := z.CreateHeader(&zip.FileHeader{Name: name, NonUTF8: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// namesOf returns the names of the members of an archive.
func namesOf(t *testing.T, data []byte, encoding string) (names []string) {
	t.Helper()
	z, err := Open(data, encoding)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	return names
}

// TestNamesOfWindows: names in the code pages of Windows are read as the words that they were.
func TestNamesOfWindows(t *testing.T) {
	for _, tt := range []struct {
		page  encoding.Encoding
		names []string
	}{
		{charmap.CodePage852, []string{"Čapek.txt", "Řapek.txt", "Žapek.txt"}},
		{charmap.CodePage852, []string{"seminární práce/Žluťoučký kůň.docx", "příloha č. 1.txt"}},
		{charmap.CodePage852, []string{"Łódź.txt", "pięść.txt"}},
		{charmap.ISO8859_2, []string{"Žluťoučký kůň.txt", "Šťáva.txt"}},
		{japanese.ShiftJIS, []string{"港湾委員会の報告書.txt", "新しい灯台.txt"}},
		{simplifiedchinese.GBK, []string{"港口委员会的报告.txt", "新灯塔.txt"}},
		{korean.EUCKR, []string{"항만 위원회 보고서.txt", "새로운 등대.txt"}},
		{charmap.CodePage852, []string{"Petőfi Sándor.txt", "tükörfúrógép.txt"}},
		{charmap.Windows1250, []string{"Žluťoučký kůň.txt", "Čapek.txt", "šťáva.txt"}},
		{charmap.CodePage850, []string{"redação final.txt", "funções.txt"}},
		{charmap.CodePage850, []string{"español.txt", "mañana.txt"}},
		{charmap.CodePage437, []string{"español.txt", "Übung größer.txt"}},
		{charmap.Windows1252, []string{"Übung größer.txt", "Ärger.txt"}},
		{charmap.CodePage866, []string{"Реферат по истории.txt", "ёлка.txt"}},
		{charmap.KOI8R, []string{"Реферат по истории.txt", "Чехов.txt"}},
		{charmap.KOI8R, []string{"курсовая работа.txt"}},
		{charmap.Windows1251, []string{"курсовая работа.txt"}},
		{charmap.Windows1251, []string{"ДИПЛОМНАЯ РАБОТА.txt"}},
		{japanese.ShiftJIS, []string{"卒業論文/第1章 はじめに.txt", "テスト.docx"}},
		{simplifiedchinese.GBK, []string{"毕业论文/第一章.docx", "参考资料.txt", "剽窃检测.txt"}},
		{traditionalchinese.Big5, []string{"畢業論文/第一章.docx", "參考資料.txt", "抄襲檢測.txt"}},
		{korean.EUCKR, []string{"졸업 논문.hwp", "참고 자료/표절.txt"}},
		{charmap.Windows1251, []string{"Реферат по истории.txt", "Чехов.txt"}},
	} {
		var raw []string
		for _, name := range tt.names {
			s, err := tt.page.NewEncoder().String(name)
			if err != nil {
				t.Fatal(err)
			}
			raw = append(raw, s)
		}
		if got := namesOf(t, zipOf(t, raw...), ""); !reflect.DeepEqual(got, tt.names) {
			t.Errorf("%v: names %q, want %q", tt.page, got, tt.names)
		}
	}
}

// TestNamesOfTar: names in old tar archives are read as the words that they were.
func TestNamesOfTar(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "V\xfdzkum \xe8e\xb9tiny.txt", Format: tar.FormatGNU, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	err := Tar(t.Context(), &b, format.Budget{Bytes: 1 << 20, Time: time.Minute}, nil, func(m Member, err error) error {
		if err != nil || m.Name != "Výzkum češtiny.txt" {
			t.Errorf("name %q, %v", m.Name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNamesOfPages reads names in the code pages that only this program's tables have.
func TestNamesOfPages(t *testing.T) {
	for _, tt := range []struct {
		page  int
		names []string
	}{
		{737, []string{"Πτυχιακή εργασία.docx", "Εισαγωγή.txt"}},
		{1253, []string{"Πτυχιακή εργασία.docx", "Εισαγωγή.txt"}},
		{857, []string{"Yüksek lisans/Giriş.txt", "Işığın ölçümü.txt"}},
		{1254, []string{"Yüksek lisans/Giriş.txt", "Işığın ölçümü.txt"}},
		{775, []string{"Magistro darbas/Įvadas.txt", "šaltinių sąrašas.txt"}},
		{1257, []string{"Magistro darbas/Įvadas.txt", "šaltinių sąrašas.txt"}},
		{850, []string{"Kærlighed på dansk.txt", "Årsrapport for købmænd.txt"}},
		{866, []string{"Дипломная работа/Введение.doc", "Список литературы.txt"}},
		{1251, []string{"Дипломна робота/Вступ.doc", "Список літератури.txt"}},
	} {
		bytes := map[rune]byte{}
		for b := 255; b > 0; b-- {
			if r, ok := charset.FromPage(tt.page, []byte{byte(b)}); ok {
				bytes[r] = byte(b)
			}
		}
		var raw []string
		for _, name := range tt.names {
			var s []byte
			for _, r := range name {
				s = append(s, bytes[r])
			}
			raw = append(raw, string(s))
		}
		if got := namesOf(t, zipOf(t, raw...), ""); !reflect.DeepEqual(got, tt.names) {
			t.Errorf("%d: names %q, want %q", tt.page, got, tt.names)
		}
	}
}

// TestNamesOfEncoding: a stated encoding overrides the detected one, and UTF-8 needs neither.
func TestNamesOfEncoding(t *testing.T) {
	for _, tt := range []struct{ name, encoding, want string }{
		{"\xfcapek.txt", "cp852", "Řapek.txt"},
		{"\xfcapek.txt", "windows-1250", "üapek.txt"},
		{"\xfcapek.txt", "utf-8", "Řapek.txt"},
		{"\xfcapek.txt", "nonsense", "Řapek.txt"},
		{"Řapek.txt", "windows-1250", "Řapek.txt"},
		{`essays\novak.txt`, "", "essays/novak.txt"},
		{`..\novak.txt`, "", "../novak.txt"},
		{"plain.txt", "cp852", "plain.txt"},
	} {
		if got := namesOf(t, zipOf(t, tt.name), tt.encoding); got[0] != tt.want {
			t.Errorf("%q as %s: name %q, want %q", tt.name, tt.encoding, got[0], tt.want)
		}
	}
}

// TestNamesInExtraData: the name in UTF-8 that the extra data state is used if it belongs to the
// name.
func TestNamesInExtraData(t *testing.T) {
	const raw, want = "\xac.txt", "Č.txt"
	for _, tt := range []struct {
		sum  uint32
		want string
	}{{crc32.ChecksumIEEE([]byte(raw)), "漢.txt"}, {1, want}} {
		field := append(binary.LittleEndian.AppendUint32([]byte{1}, tt.sum), "漢.txt"...)
		extra := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, unicodeNameID), uint16(len(field)))
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		if _, err := z.CreateHeader(&zip.FileHeader{Name: raw, NonUTF8: true, Extra: append(extra, field...)}); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if got := namesOf(t, b.Bytes(), ""); got[0] != tt.want {
			t.Errorf("checksum %d: name %q, want %q", tt.sum, got[0], tt.want)
		}
	}
}
