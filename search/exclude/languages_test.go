package exclude

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestHeadingsOfLanguages puts each heading before two entries and a heading of an appendix, as it is, in upper case
// and with combining characters.
func TestHeadingsOfLanguages(t *testing.T) {
	tests := []struct{ language, headings, after string }{
		{"Arabic", "المراجع, قائمة المصادر والمراجع, أولا: المراجع العربية", "الملاحق"},
		{"Belarusian", "Спіс выкарыстаных крыніц, Літаратура", "Дадатак А"},
		{"Bulgarian", "Използвана литература, Библиография, Списък на използваните източници", "Приложение 1"},
		{"Catalan", "Bibliografia, Referències bibliogràfiques", "Annexos"},
		{"Croatian", "Popis literature, Literatura i izvori, Bibliografija", "Prilozi"},
		{"Danish", "Litteraturliste, Kilder, Referencer", "Bilag 1"},
		{"Dutch", "Literatuurlijst, Geraadpleegde bronnen, Bibliografie", "Bijlage A"},
		{"Estonian", "Kasutatud kirjandus, Viited", "Lisa 1"},
		{"Finnish", "Lähteet, Lähdeluettelo, 8 Kirjallisuutta", "Liitteet"},
		{"French", "Bibliographie, Références bibliographiques, Liste des ouvrages cités, Bibliographie et webographie", "Annexe A"},
		{"Greek", "Βιβλιογραφία, Βιβλιογραφικές αναφορές, Ελληνική βιβλιογραφία", "Παράρτημα Α"},
		{"Hebrew", "ביבליוגרפיה, רשימת מקורות", "נספחים"},
		{"Hindi", "संदर्भ ग्रंथ सूची, सन्दर्भ", "परिशिष्ट"},
		{"Hungarian", "Irodalomjegyzék, Felhasznált irodalom, Hivatkozások", "Mellékletek"},
		{"Indonesian", "DAFTAR PUSTAKA, Daftar Referensi", "LAMPIRAN A"},
		{"Italian", "Bibliografia, Riferimenti bibliografici, Bibliografia e sitografia", "Appendice A"},
		{"Japanese", "参考文献, 引用文献, 参 考 文 献", "付録A プログラム"},
		{"Korean", "참고문헌, 참고 문헌", "부록"},
		{"Latvian", "Izmantotās literatūras saraksts, Bibliogrāfija", "Pielikumi"},
		{"Lithuanian", "Literatūros sąrašas, Literatūra", "Priedai"},
		{"Mongolian", "Ашигласан ном зүй, Ном зүй", "Хавсралт"},
		{"Norwegian", "Referanser, Litteraturliste", "Vedlegg 1"},
		{"Persian", "منابع و مآخذ, فهرست منابع, مراجع", "پیوست\u200cها"},
		{"Portuguese", "Referências Bibliográficas, Bibliografia, Obras consultadas", "Apêndice A"},
		{"Romanian", "Bibliografie, Referințe bibliografice, Bibliografie selectivă", "Anexa 1"},
		{"Russian", "Список литературы, Список использованных источников, Библиографический список", "Приложение А"},
		{"Serbian", "Литература, Списак литературе, Spisak literature", "Прилози"},
		{"Slovene", "Viri in literatura, Seznam uporabljenih virov", "Priloge"},
		{"Spanish", "Bibliografía, Referencias bibliográficas, Obras citadas, Fuentes consultadas", "Anexo 1"},
		{"Swedish", "Källförteckning, Referenser, Käll- och litteraturförteckning", "Bilaga 1"},
		{"Thai", "บรรณานุกรม, เอกสารอ้างอิง", "ภาคผนวก ก"},
		{"Turkish", "KAYNAKÇA, Kaynaklar, Yararlanılan Kaynaklar", "EKLER"},
		{"Ukrainian", "Список використаних джерел, Література, Перелік посилань", "Додаток А"},
		{"Vietnamese", "Tài liệu tham khảo, Danh mục tài liệu tham khảo", "Phụ lục"},
		{"Chinese", "参考文献, 參考文獻, 七、参考文献, 第六章 参考文献", "附录A 代码"},
	}
	const two = "[1] Broder, A. On the resemblance of documents. 1997.\n[2] Manber, U. Finding similar files. 1994."
	for _, tt := range tests {
		for heading := range strings.SplitSeq(tt.headings, ", ") {
			for _, h := range []string{heading, strings.ToUpper(heading), norm.NFD.String(heading)} {
				want := h + "\n\n" + two
				text := "It ends.\n\n" + want + "\n\n" + tt.after + "\n\nThe tables of 2001."
				if got := parts(text, bibliographies(text, nil)); !slices.Equal(got, []string{want}) {
					t.Errorf("%s: bibliographies = %q, want %q", tt.language, got, want)
				}
			}
		}
	}
}

// TestLegalLists finds lists of laws and decisions, and no chapter about them.
func TestLegalLists(t *testing.T) {
	lists := map[string]string{
		"Judikatura": "Rozsudek Nejvyššího soudu ze dne 12. 5. 2011, sp. zn. 21 Cdo 2570/2010.\nNález Ústavního soudu, sp. zn. II. ÚS 164/15.",
		"Seznam použitých právních předpisů": "Zákon č. 89/2012 Sb., občanský zákoník, ve znění pozdějších předpisů.\nZákon č. 40/2009 Sb., trestní zákoník.",
		"5.2 Právní předpisy":                "Zákon č. 89/2012 Sb., občanský zákoník\nNařízení EU č. 2016/679",
		"Rechtsprechungsverzeichnis":         "BGH, Urteil vom 3. März, VI ZR 12/98\nBVerfG, Beschluss vom 4. Mai, 1 BvR 5/01",
		"Table of Cases":                     "Donoghue v Stevenson [1932] UKHL 100\nR v Brown [1993] UKHL 19",
		"Wykaz aktów prawnych":               "Ustawa z dnia 23 kwietnia 1964 r. Kodeks cywilny, Dz. U. Nr 16\nUstawa o prawie autorskim, Dz.U. poz. 1062",
		"Нормативные правовые акты":          "Федеральный закон от 27.07 № 149-ФЗ\nФедеральный закон № 44-ФЗ",
	}
	for heading, entries := range lists {
		want := heading + "\n" + entries
		if got := parts("It ends.\n\n"+want+"\n", bibliographies("It ends.\n\n"+want+"\n", nil)); len(got) != 1 || strings.TrimSpace(got[0]) != want {
			t.Errorf("bibliographies = %q, want %q", got, want)
		}
		prose := strings.Repeat("and the court has held in its decision of that year that the law must be read so that nobody loses what was given ", 4)
		chapter := "It begins.\n\n" + heading + "\n\nIt" + prose + ".\n\nIt" + prose + ".\n\nThe end."
		if got := parts(chapter, bibliographies(chapter, nil)); len(got) != 0 {
			t.Errorf("bibliographies of a chapter about laws = %q", got)
		}
	}
}

func TestEntriesOfLanguages(t *testing.T) {
	for _, entries := range []string{
		"احمدی، علی. متن و تکرار. تهران: نشر نو، ۱۳۹۵\nرضایی، مریم. زبان و خط. تهران، ۱۴۰۱",
		"سامي عبد الله، تحليل النصوص، القاهرة، (٢٠١٥)\nليلى حسن، اللغة والخط، بيروت، (٢٠١٨)",
		"สมชาย ใจดี. การคัดลอกข้อความ. กรุงเทพฯ, 2558\nสมหญิง ดีใจ. ภาษาและอักษร. เชียงใหม่, 2561",
		"山田太郎『文章の一致』東京出版、２０１５年\n鈴木花子『言語と文字』大阪出版、２０１８年",
		"김철수. 문장의 일치. 서울출판, 2015년\n이영희. 언어와 문자. 부산출판, 2018년",
	} {
		text := "ー\n\n参考文献\n" + entries
		if got := bibliographies(text, nil); len(got) != 1 || got[0].End != len(text) {
			t.Errorf("bibliographies of %q = %v, want one range to the end", entries, got)
		}
	}
}

func TestJoinedHeadings(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"before a number", "The end.\n\nReferences [1] Maisel, B. Texts. 2001.\n\n[2] Broder, A. Files. 1997.", "References [1] Maisel, B. Texts. 2001.\n\n[2] Broder, A. Files. 1997."},
		{"the whole list in one line", "The end.\n\nReferences [1] Maisel, B. Texts. 2001. [2] Broder, A. Files. 1997.", "References [1] Maisel, B. Texts. 2001. [2] Broder, A. Files. 1997."},
		{"before a name", "The end.\n\n9 Bibliography Maisel, Bert, and A. Broder. Texts. 2001.\n\nManber, U. Files. 1994.", "9 Bibliography Maisel, Bert, and A. Broder. Texts. 2001.\n\nManber, U. Files. 1994."},
		{"after a listing", "} } 13 Bibliografie\n\n[1] Maisel, B. Texts. 2001.\n\n[2] Broder, A. Files. 1997.", "13 Bibliografie\n\n[1] Maisel, B. Texts. 2001.\n\n[2] Broder, A. Files. 1997."},
		{"letter by letter", "The end.\n\nB ibl iograf ia\n\n[1] Maisel, B. Texts. 2001.\n\n[2] Broder, A. Files. 1997.", "B ibl iograf ia\n\n[1] Maisel, B. Texts. 2001.\n\n[2] Broder, A. Files. 1997."},
		{"in a sentence", "He gave references [1] to it in 2001.\n\nAnd [2] Broder, A. Files. 1997.", ""},
		{"at the end of a sentence", "It lists its references\n\n[1] Maisel, B. Texts. 2001.\n\n[2] Broder, A. Files. 1997.", ""},
		{"a sentence of that word", "References [1] and [2] say the opposite of what was seen here.\n\nThe next chapter goes on.", ""},
	}
	for _, tt := range tests {
		want := []string{tt.want}
		if tt.want == "" {
			want = []string{}
		}
		if got := parts(tt.text, bibliographies(tt.text, nil)); !slices.Equal(got, want) {
			t.Errorf("%s: bibliographies = %q, want %q", tt.name, got, want)
		}
	}
}

// TestProseIsNoBibliography puts discussion with years and addresses among entries.
func TestProseIsNoBibliography(t *testing.T) {
	discussion := strings.Repeat("The results of the survey (Novak 2009, p. 12) show that most of the people who were asked had never before heard of the method, and that those who had were mostly against its use in schools. ", 3)
	list := strings.Repeat(czechList+"\n", 4)
	for _, text := range []string{
		"Literatura\n" + list + "\n" + discussion + "\n\n" + list,
		"Literatura\n" + list + strings.ReplaceAll(discussion, ", and", ",\nand") + "\n" + list,
		"Literatura\n" + list + "\n" + discussion + "\n\n" + discussion + "\n\nTable 3 (2010)\n",
	} {
		found := bibliographies(text, nil)
		if len(found) == 0 || found[0].Start != 0 {
			t.Fatalf("bibliographies of %q = %v, want the list", text, found)
		}
		for _, r := range found {
			if got := text[r.Start:r.End]; strings.Contains(got, "the survey") || strings.Contains(got, "those who had") {
				t.Errorf("a bibliography has prose: %q", got)
			}
		}
	}
}

func TestQuotationsOfLanguages(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"他说“我们明天一起去北京”，然后走了。", []string{"“我们明天一起去北京”"}},
		{"彼は「明日一緒に東京へ行こう」と言った。", []string{"「明日一緒に東京へ行こう」"}},
		{"彼は「明日」と言った。", []string{}},
		{"彼女は『言葉と文字の歴史を語る』を読んだ。", []string{"『言葉と文字の歴史を語る』"}},
		{"그는 “내일 같이 서울에 가자”라고 말했다.", []string{"“내일 같이 서울에 가자”"}},
		{"그는 \"내일 같이 서울에 가자\"라고 말했다.", []string{"\"내일 같이 서울에 가자\""}},
	}
	for _, tt := range tests {
		if got := parts(tt.text, quotations(tt.text, false)); !slices.Equal(got, tt.want) {
			t.Errorf("quotations(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestTitlesInBibliographyAreNoQuotations(t *testing.T) {
	text := "He wrote “it was so then” twice.\n\nReferences\n[1] Maisel, B. “Texts and their forms.” 2001.\n[2] Broder, A. “On the files.” 1997."
	for _, r := range Find(text, Options{}) {
		if got := text[r.Start:r.End]; r.Kind == Quotation && got != "“it was so then”" {
			t.Errorf("Find returns the quotation %q", got)
		}
	}
}

func TestFrontMatter(t *testing.T) {
	contents := "Obsah\n\n1 Úvod 4 1.1 Korpusy . . . . . . . 5\n\n2 Texty 12\n\nLiteratura 40"
	tests := []struct {
		name, text string
		want       []string // kind, then the text
	}{
		{"declaration", "Práce\n\nProhlášení\n\nProhlašuji, že jsem práci napsal sám.\n\nV Praze dne 1. 5. 2020\n\nAbstrakt\n\nPráce je o textech.\n\nKlíčová slova: text", []string{
			Declaration, "Prohlášení\n\nProhlašuji, že jsem práci napsal sám.\n\nV Praze dne 1. 5. 2020", Abstract, "Abstrakt\n\nPráce je o textech."}},
		{"without a sure end", "Abstract\n\nThis thesis is about texts.\n\nIntroduction\n\nIt began long ago.", nil},
		{"abstract before contents", "Abstract\n\nThis thesis is about texts.\n\n" + contents + "\n\n1 Úvod\n\nTak to začalo.", []string{
			Abstract, "Abstract\n\nThis thesis is about texts.", Contents, contents}},
		{"a chapter of that title", "2.3 Abstract\n\nThis chapter is about texts.\n\nKeywords: text", nil},
		{"contents without numbers", "Obsah\n\nKniha je o textech.\n\nA o lidech.\n\nA o psaní.", nil},
		{"declares nothing", "Erklärung\n\nDer Begriff wird zuerst von Kant gebraucht.\n\nAnhang\n\nA", nil},
		{"contents without a heading", "Práce\n\n1 Úvod ........ 4\n1.1 Korpusy . . . . . . 5\n2 Texty ……… 12\n3 Slova ........ 20\n\nLiteratura ........ xii\n\nProse.", []string{Contents, "1 Úvod ........ 4\n1.1 Korpusy . . . . . . 5\n2 Texty ……… 12\n3 Slova ........ 20\n\nLiteratura ........ xii"}},
		{"the same in one line", "1 A ..... 4 1.1 B ..... 5 2 C ..... 6 3 D ..... 7 4 E ..... 8\n\nProse.", []string{Contents, "1 A ..... 4 1.1 B ..... 5 2 C ..... 6 3 D ..... 7 4 E ..... 8"}},
		{"a form", "Name ............ 1\nDate ............ 2\n\nProse.", nil},
		{"an ellipsis", "He said .... 5 and then 6.", nil},
		{"declaration without a heading", "Thesis\n\nI hereby confirm that this thesis is my own\nwork and that all sources are named.\n\nPrague, 2020", []string{Declaration, "I hereby confirm that this thesis is my own\nwork and that all sources are named."}},
		{"another wording", "Práca\n\nČestne vyhlasujem, že prácu som vypracoval samostatne.\n\nÚvod", []string{Declaration, "Čestne vyhlasujem, že prácu som vypracoval samostatne."}},
		{"Russian without a heading", "Я, Иванов, подтверждаю, что работа выполнена мною самостоятельно.\n\nВведение", []string{Declaration, "Я, Иванов, подтверждаю, что работа выполнена мною самостоятельно."}},
		{"only one of them", "I certify that this is my own work.\n\nI certify that it is my own work, too.\n\nSo it was.", []string{Declaration, "I certify that this is my own work."}},
		{"a state that declares", "The states declare that they are free.\n\nSo it was.", nil},
		{"Belarusian", "Рэферат\n\nПраца пра тэксты.\n\nКлючавыя словы: тэкст", []string{Abstract, "Рэферат\n\nПраца пра тэксты."}},
		{"Chinese", "摘 要\n\n本文研究文本。\n\n关键词：文本", []string{Abstract, "摘 要\n\n本文研究文本。"}},
	}
	for _, tt := range tests {
		got := []string{}
		for _, r := range sections(tt.text+strings.Repeat("\n\nProse goes on and on, line after line.", 40), Options{}, nil) {
			got = append(got, r.Kind, tt.text[r.Start:min(r.End, len(tt.text))])
		}
		if len(got) != len(tt.want) || !slices.Equal(got, append([]string{}, tt.want...)) {
			t.Errorf("%s: sections = %q, want %q", tt.name, got, tt.want)
		}
	}
}
