package exclude

import (
	"strings"
	"testing"
	"time"
)

// TestCitations finds each citation, as a whole.
func TestCitations(t *testing.T) {
	for _, text := range []string{
		"so it was «(Novák 2015, s. 12)».",
		"so it was «(Novák, 2015)».",
		"so it was «(Smith & Jones, 2010, p. 4; Brown 2011)».",
		"so it was «(Smith, Jones, and Brown, 2010)».",
		"so it was «(Smith et al., 2010a, 2012b)».",
		"so it was «(Smith 2010: 44–46)».",
		"so it was «(see also Smith 2010)».",
		"so it was «(e.g., Smith, 2010)».",
		"so it was «(cf. J. R. R. Tolkien 1937, ch. 2)».",
		"so it was «(van der Berg 2010)».",
		"so it was «(O’Connor 2012; Kmett 2012)».",
		"so it was «(WHO, 2020)».",
		"so it was «(Smith, in press)».",
		"so it was «(Smith, n.d.)».",
		"so it was «(Smith, p. 4)».",
		"so it was «(Smith (ed.) 2010)».",
		"so it was «[Smith 2010]».",
		"so it was «[Georges et al., 2007; Cheney et al., 2013]».",
		"jak píše «(Novák a kol. 2015)».",
		"jak píše «(srov. Nováková, Dvořák a Malý 2015, s. 12–14)».",
		"jak píše «(viz Šťastný, 2015, kap. 3)».",
		"jak píše «(tamtéž, s. 12)».",
		"jak píše «(tamtiež)».",
		"jak píše «(§ 5 zákona č. 89/2012 Sb.)».",
		"jak píše «(rozsudek sp. zn. 21 Cdo 1234/2010)».",
		"wie «(Müller u. a. 2015, S. 12)» schreibt.",
		"wie «(vgl. Müller/Maier 2015, S. 12 f.)» schreibt.",
		"wie «(ebd., S. 4)» schreibt.",
		"jak «(zob. Kowalski i in. 2015, s. 4)».",
		"comme «(voir Lefèvre et Dupont, 2015, p. 4)».",
		"как «(Иванов и др., 2015, с. 12)».",
		"как «(см. Иванов, Петрова 2015)».",
		"как «(там же, с. 4)».",
		"як «(Шевченко та ін., 2015)».",
		"όπως «(Παπαδόπουλος κ.ά., 2015, σ. 12)».",
		"όπως «(βλ. Παπαδόπουλος 2015)».",
		"Smith «(2010)» shows this.",
		"As Smith and Jones «(2010, p. 4)» show.",
		"As Smith et al. «(2010)» show.",
		"Smith’s «(2010)» work.",
		"Gluche et al. «[1997]» say so.",
		"Podle Nováka «(2015, s. 12)» je to tak.",
		"Podle Nováka a kol. «(2015)» je to tak.",
		"По мнению Иванова «(2015)», это так.",
		"as shown «[12]».",
		"as shown «[3, p. 14]».",
		"as shown «[1–3]».",
		"as shown «[1, 5, 12]» and «[4; 7]».",
		"как показано «[12, с. 45]».",
		"as shown «[Knu84]» and «[ABC+10, p. 4]».",
		"wiki«[12]» and wiki.«[13]»",
		"«[12]» shows that it is so.",
		"«(Smith 2010)» shows that it is so.",
		"as shown «(https://example.org/page)».",
		"Its end «[4]»\nand a further line.",
		"A line of a paragraph that goes on\n«[4]» and on.",
	} {
		checkCitations(t, text)
	}
}

// TestNoCitations finds none in years, dates, intervals, indices, formulas, labels and references to figures.
func TestNoCitations(t *testing.T) {
	for _, text := range []string{
		"the war (1990–1995) was long",
		"the report (see 2015 report) is long",
		"the year (2015) was good",
		"in the spring (May 2015) it was",
		"Bylo to (leden 2015).", "es war (März 2015).", "это было (май 2015).", "ήταν (Μάιος 2015).",
		"the writer (Kafka, 1883–1924) was",
		"Mozart (1756–1791) was",
		"on the day (12. 5. 2015) it was", "on the day (Praha, 12. 5. 2015) it was", "on the day (12 May 2015) it was",
		"as in (Figure 3), (Table 2010), (Obr. 3, s. 4) and (Chapter 4, p. 12)",
		"by the norm (ISO 9001:2015), (RFC 2045) and (Windows 2000)",
		"with (τ = 0.1956, p = 0.0311)", "with (Kendall’s τ = 0.19, p = 3)",
		"she (aged 45) and he (Jan Novák, 45)",
		"the interval [0,1]", "the interval [1, 2]", "x ∈ [1, 2]", "let x = [1]", "z intervalu [1, 5]",
		"take a[1] and b[12]", "take argv[1] = 2;", "take rows[12](x)",
		"the year [2015]", "the word [sic] and [...]", "add [0] and [007]",
		"[1] Knuth, D. The Art of Computer Programming.",
		"The list.\n[2] Another entry.",
		"1. The first (of three).\n2. The second.",
		"see section 2.3 (2.4) and 4.5 [a]",
		"a date of (2015)", "(2015)", "[]", "()", "(", "[1", "(Smith 2010",
		"in 1989. (2015) was", "„Slovo“ (2015) je",
		"(Smith\n\n2010)",
		"the novel (of 2015) is",
		"when it was (Bitva na Bílé hoře 1620)",
	} {
		checkCitations(t, text)
	}
}

// checkCitations checks that the citations of text, in which « and » enclose each, are found and no others.
func checkCitations(t *testing.T, text string) {
	t.Helper()
	plain := strings.NewReplacer("«", "", "»", "").Replace(text)
	var got strings.Builder
	at := 0
	for _, r := range newCitationFinder(plain, nil).citations() {
		got.WriteString(plain[at:r.Start] + "«" + plain[r.Start:r.End] + "»")
		at = r.End
	}
	if got.WriteString(plain[at:]); got.String() != text {
		t.Errorf("citations: %q, want %q", got.String(), text)
	}
}

// TestCitedAuthors finds only authors of the bibliography, if there is one, in another case too.
func TestCitedAuthors(t *testing.T) {
	const list = "\n\nLiteratura\n\nNOVÁK, Jan. Knihy a lidé. Praha: Academia, 2015.\nČeský statistický úřad. Ročenka. Praha: ČSÚ, 2014.\n"
	for text, want := range map[string]int{
		"Podle Nováka (2015) je to tak.":                1,
		"Je to tak (Novák 2015).":                       1,
		"Je to tak (Český statistický úřad, 2014).":     1,
		"Olympiáda (Londýn 2012) byla.":                 0,
		"Film Titanic (1997) je dlouhý.":                0,
		"Je to tak (Novák 2015), ne tak (Brno, 2012).":  1,
		"Je to tak [1] a [2, s. 4], viz Novák (2015a).": 3,
	} {
		text += list
		lists := bibliographies(text, nil)
		if len(lists) != 1 {
			t.Fatalf("bibliographies of %q: %v, want one", text, lists)
		}
		if got := newCitationFinder(text, lists).citations(); len(got) != want {
			t.Errorf("citations of %q: %v, want %d", text, got, want)
		}
	}
}

// TestCited finds the sentences with citations.
func TestCited(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"No citation. None.", ""},
		{"(Smith 2010)", "(Smith 2010)"},
		{"One sentence [1]", "One sentence [1]"},
		{"One [1]. Two.", "One [1]."},
		{"One. Two [1].", " Two [1]."},
		{"One. [1] Two.", "One. [1]"},
		{"One. (Smith 2010). Two.", "One. (Smith 2010). "},
		{"One.[1] Two.", "One.[1] "},
		{"One. [1] shows two.", " [1] shows two."},
		{"(Smith 2010) One. Two.", "(Smith 2010) One."},
		{"One by prof. Novák and p. 4 of vol. 3, e.g. this [1]. Two.", "One by prof. Novák and p. 4 of vol. 3, e.g. this [1]."},
		{"As Smith et al. (2010) show, it is. Two.", "As Smith et al. (2010) show, it is."},
		{"Novák a kol. (2015) píší toto. Další.", "Novák a kol. (2015) píší toto."},
		{"Zero. As Smith (2010) says: “One is. Two is. Three is.” Four.", " As Smith (2010) says: “One is. Two is. Three is.”"},
		{"Zero. „Jedna je. Dvě jsou.“ (Novák 2015) Tři.", " „Jedna je. Dvě jsou.“ (Novák 2015) "},
		{"Zero.\n\n“One is. Two is.”\n\n(Smith 2010)\n\nThree.", "\n\n“One is. Two is.”\n\n(Smith 2010)\n\n"},
		{"One\n\nTwo [1]", "\nTwo [1]"},
		{"Zero.\n\nSmith (2010) says:\n\n> One is.\n> Two is.\n\nThree.", "\nSmith (2010) says:\n\n> One is.\n> Two is.\n"},
		{"Он пишет так (Иванов и др., 2015). Два.", "Он пишет так (Иванов и др., 2015)."},
		{"Γράφει έτσι (Παπαδόπουλος κ.ά., 2015). Δύο.", "Γράφει έτσι (Παπαδόπουλος κ.ά., 2015)."},
	} {
		var got strings.Builder
		for _, r := range Cited(tt.text, Options{}, Find(tt.text, Options{})) {
			got.WriteString(tt.text[r.Start:r.End])
		}
		if strings.TrimSpace(got.String()) != strings.TrimSpace(tt.want) {
			t.Errorf("Cited(%q) = %q, want %q", tt.text, got.String(), tt.want)
		}
	}
}

// TestCitedNotes finds sentences with references to notes that name a source: at the foot of a page, by number, or by the format.
func TestCitedNotes(t *testing.T) {
	const page = "It is so. It is not so.\n\n12 Smith, J. Books. London: Academic Press, 2010, p. 4.\n\n13 I thank them for it.\n"
	for text, want := range map[string]string{
		page: "It is so.",
		strings.Replace(page, "12 Smith, J. Books. London: Academic Press, 2010, p. 4.", "12) Tamtéž, s. 4.", 1): "It is so.",
		strings.Replace(page, "12 ", "11 ", 1): "",
		strings.Replace(page, "12 Smith, J. Books. London: Academic Press, 2010, p. 4.", "12 Rozsudek sp. zn. 21 Cdo 12/2010.", 1): "It is so.",
	} {
		notes := []Note{{At: len("It is so."), Number: "12"}, {At: len("It is so. It is not so."), Number: "13"}}
		if got := citedText(text, notes); got != want {
			t.Errorf("Cited(%q) = %q, want %q", text, got, want)
		}
	}
	const stated = "It is so. It is not so.\n\nSmith 2010.\n\nI thank them for it."
	source, thanks := strings.Index(stated, "Smith"), strings.Index(stated, "I thank")
	notes := []Note{{At: len("It is so."), Text: Range{Start: source, End: source + len("Smith 2010.")}}, {At: source - 2, Text: Range{Start: thanks, End: len(stated)}}}
	if got, want := citedText(stated, notes), "It is so."; got != want {
		t.Errorf("Cited = %q, want %q", got, want)
	}
	if got := citedText("", []Note{{Number: "1"}}); got != "" {
		t.Errorf("Cited of an empty text = %q", got)
	}
}

func citedText(text string, notes []Note) string {
	var got strings.Builder
	for _, r := range Cited(text, Options{Notes: notes}, nil) {
		got.WriteString(text[r.Start:r.End])
	}
	return strings.TrimSpace(got.String())
}

// TestCitedAppended finds the same in a text that is a part of another.
func TestCitedAppended(t *testing.T) {
	parts := []string{
		"One is so. Two is so [1]. Three is so.\n\n",
		"As Smith (2010) says: “One is. Two is.” Four.\n\n",
		"Zero. „Jedna je. Dvě jsou.“ (Novák 2015) Tři.\n\n",
		"Nothing is here. Nothing at all.\n\n",
	}
	for _, a := range parts {
		for _, b := range parts {
			if got, want := citedText(a+b, nil), strings.TrimSpace(citedText(a, nil)+" "+citedText(b, nil)); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
				t.Errorf("Cited(%q) = %q, want %q", a+b, got, want)
			}
		}
	}
}

// TestCitedLinear returns soon for long texts of one sign.
func TestCitedLinear(t *testing.T) {
	for _, part := range []string{"[1] ", "(", "[", "(Smith 2010) ", "(Smith ", "[1", "\n", ". ", "!", "„", "a", "Smith et al. ", "(2010) ", "1. ", "\n[1]\n\n"} {
		text := strings.Repeat(part, 1_000_000/len(part))
		start := time.Now()
		notes := []Note{{At: 9, Number: "1"}, {At: len(text), Number: "2"}}
		Cited(text, Options{Notes: notes}, nil)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("Cited of %q, repeated: %v", part, took)
		} else {
			t.Logf("%q: %v", part, took)
		}
	}
}
