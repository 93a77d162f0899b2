package article

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/web"
)

// first and second are paragraphs as articles have them.
const (
	first  = "Starý mlýn u řeky byl prodán za korunu muži, který v něm nechtěl mlít nic jiného než čas, a tak v něm od té doby stojí kolo i kameny a voda teče kolem."
	second = "Město s tím podle starosty nemá žádný problém, protože žádnou smlouvu o tom neviděl, a kdyby ji viděl, řekl, nerozuměl by jí o nic víc než úředníci na radnici."
)

var budget = format.Budget{Bytes: 64 << 20}

// parsed returns the tree of a page with this body.
func parsed(t *testing.T, body string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader("<!DOCTYPE html><body>" + body + "</body>"))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestLooks replaces a short text by that of the element with the name of an article's text, if
// that is much longer.
func TestLooks(t *testing.T) {
	long := strings.Repeat("<p>"+first+"</p>", 5)
	for _, tt := range []struct {
		name, page string
		longer     bool
	}{
		{"a class", `<div id=wrap><div class="entry-content clear">` + long + `</div></div>`, true},
		{"an attribute", `<section itemprop="articleBody">` + long + `</section>`, true},
		{"the inner one", `<main class="page-content"><p>Úvod.</p><div class="article__body">` + long + `</div></main>`, true},
		{"no name", `<div class="entry">` + long + `</div>`, false},
		{"links", `<div class="entry-content">` + strings.ReplaceAll(long, "<p>", "<p><a href=x>") + `</div>`, false},
		{"comments", `<div class="comments article-body">` + long + `</div>`, false},
		{"hardly longer", `<div class="post-content"><p>` + first + `</p></div>`, false},
	} {
		const short = "O autorovi: píše o mlýnech a o řekách už dvacet let a také o tom, co se v nich mele, kdo to platí a proč."
		root, other := parsed(t, tt.page), parsed(t, "<div><p>"+short+"</p></div>")
		got := page{t.Context(), budget}.looks(Found{root: root, element: other}, blocksOf(root), "")
		if longer := got != short; longer != tt.longer || longer && strings.Count(got, first) != 5 {
			t.Errorf("%s: got %q, want a longer text: %v", tt.name, got, tt.longer)
		}
	}
}

// TestAroundTable: a list of names in a table is no article, but a part of one; a table with
// sentences may be one.
func TestAroundTable(t *testing.T) {
	names := strings.Repeat("<tr><td>Mlynář Novák<td>mlýn u řeky</tr>", 40)
	sentences := strings.Repeat("<tr><td>"+first+"</tr>", 4)
	paragraphs := "<p>" + first + "</p><p>" + second + "</p><p>" + first + "</p>"
	for _, tt := range []struct {
		name, page string
		around     bool
	}{
		{"names", "<div id=a>" + paragraphs + "<div><table>" + names + "</table></div></div><p>" + second + "</p>", true},
		{"sentences", "<div id=a>" + paragraphs + "<div><table>" + sentences + "</table></div></div>", false},
		{"no paragraphs", "<div id=a><p>Mlýny</p><table>" + names + "</table></div>", false},
		{"paragraphs of the page only", paragraphs + "<div><table>" + names + "</table></div>", false},
	} {
		root := parsed(t, tt.page)
		var table *html.Node
		for n := range root.Descendants() {
			if n.DataAtom == atom.Table {
				table = n
			}
		}
		got := aroundTable(root, Element(t.Context(), table, budget))
		if (got != nil) != tt.around || got != nil && namesOf(got) != " a" {
			t.Errorf("%s: got %v, want an element: %v", tt.name, got, tt.around)
		}
	}
}

// TestReadAdds adds the article of a page that hides it until a script runs, also if nothing else
// is shown.
func TestReadAdds(t *testing.T) {
	article := "<article class=late><h1>Mlýn</h1>" + strings.Repeat("<p>"+first+"</p><p>"+second+"</p>", 4) + "</article>"
	for _, rest := range []string{"", "<p>Jiný text stránky, který je vidět i bez skriptu, má také několik slov.</p>"} {
		page := "<!DOCTYPE html><title>Mlýn</title><style>.late{display:none}</style><body>" + rest + article + "</body>"
		got, err := Read(t.Context(), &format.Source{Data: []byte(page), Ext: "html", Budget: budget})
		if err != nil || strings.Count(got.Text, first) != 4 || rest != "" && !strings.Contains(got.Text, "Jiný text stránky") || !strings.Contains(strings.Join(got.Notes, " "), "words of the article") {
			t.Errorf("with %q: %v, %+v", rest, err, got)
		}
	}
	if _, err := Read(t.Context(), &format.Source{Data: []byte("<!DOCTYPE html><body><p hidden>" + first), Ext: "html", Budget: budget}); err == nil {
		t.Error("a page without a text: no error")
	}
}

// TestAuthor: the words before the name of an author are no part of it.
func TestAuthor(t *testing.T) {
	for line, want := range map[string]string{"By A. Mill": "A. Mill", "Autorka: Jana Nová": "Jana Nová", "Von Anna": "Anna", "Byron": "Byron", "Vondra Jan": "Vondra Jan"} {
		page := "<h1>Mlýn</h1><p class=byline>" + line + "</p>" + strings.Repeat("<p>"+first+"</p>", 4)
		if got := Look(parsed(t, page), "").Author; got != want {
			t.Errorf("%s: author %q, want %q", line, got, want)
		}
	}
}

// TestReadings: the readings of characters are no part of the text.
func TestReadings(t *testing.T) {
	root := parsed(t, "<div><p>"+strings.Repeat("<ruby>子<rp>(</rp><rt>こ</rt><rp>)</rp></ruby>どもを", 3)+"</p></div>")
	if got := (page{t.Context(), budget}).element(root); got != "子どもを子どもを子どもを" {
		t.Errorf("got %q", got)
	}
}

// TestMisses: what looks like the article is a note about cookies.
func TestMisses(t *testing.T) {
	whole := strings.Join([]string{"Mlýn", first, second, first + " A ještě něco."}, "\n\n")
	if !misses("Tato stránka používá soubory cookie.", whole) {
		t.Error("a note about cookies is taken for the article")
	}
	if misses(second, whole) {
		t.Error("an article among others is not taken for one")
	}
	if misses("Krátce.", "Mlýn\n\n"+first) {
		t.Error("a page with one long paragraph decides")
	}
}

// TestLead finds the lead of an article between its title and its text.
func TestLead(t *testing.T) {
	const lead = "Mlýn u řeky má nového majitele, který ho koupil za jedinou korunu."
	article := "<div class=text><p>" + first + "</p><p>" + second + "</p></div>"
	for _, tt := range []struct {
		name, page string
		want       bool
	}{
		{"in the header", "<header><h1>Mlýn</h1><p>" + lead + "</p></header>" + article, true},
		{"without a paragraph", "<h1>Mlýn</h1><div><div>" + lead + "</div></div>" + article, true},
		{"in the text already", "<h1>Mlýn</h1><p>" + lead + "</p><div><p>" + lead + " A dál.</p><p>" + first + "</p></div>", false},
		{"a caption", "<h1>Mlýn</h1><figure><figcaption>" + lead + "</figcaption></figure>" + article, false},
		{"in a note", "<h1>Mlýn</h1><div class=newsletter><p>" + lead + "</p></div>" + article, false},
		{"a link", "<h1>Mlýn</h1><p><a href=b>" + lead + "</a></p>" + article, false},
		{"before the title", "<p>" + lead + "</p><h1>Mlýn</h1>" + article, false},
		{"no title", "<p>" + lead + "</p>" + article, false},
		{"after the text", "<h1>Mlýn</h1>" + article + "<p>" + lead + "</p>", false},
		{"too long", "<h1>Mlýn</h1><p>" + strings.Repeat(lead+" ", 15) + "</p>" + article, false},
	} {
		text := first + "\n\n" + second
		if tt.name == "in the text already" {
			text = lead + " A dál.\n\n" + first
		}
		got := withLead(text, blocksOf(parsed(t, tt.page)))
		if tt.want && got != lead+"\n\n"+text || !tt.want && got != text {
			t.Errorf("%s: got %q, want the lead: %v", tt.name, got, tt.want)
		}
	}
}

// TestIsLine distinguishes the paragraphs of an article from lines between them.
func TestIsLine(t *testing.T) {
	for _, line := range []string{
		"Lea también: Un molino se vende por una corona", "Lesen Sie auch: Die Mühle am Fluss", ">> Lesen Sie auch: Die Mühle", "Das könnte dich auch interessieren", "Čtěte také: Mlýn na prodej", "Přečtěte si také",
		"Read more: A mill is sold", "Zobacz również", "Foto: Petr Dvořák", "(Credit: A. Mill)", "Quelle: Landesregierung", "© 2020 The Mill", "3:59 PM", "23.10.2018", "16 marca 2021", "March 1, 2026", "1. 3. 2026 v 8:30", "am 14. Mai 2014, 15:40 Uhr",
		"Kommentare", "Kommentare (3)", "Aktualisiert: 3. April 2020", "Inhaltsverzeichnis", "Tags: Mühle, Fluss",
	} {
		if !isLine(line) {
			t.Errorf("%q is taken for a paragraph", line)
		}
	}
	for _, par := range []string{
		"Mlýn stojí.", "Lesen ist schön.", "Auch auf dem Land wird gebaut.", "»Ich mahle nicht«, sagte er.", "Foto Dvořák se zavírá.", "Die Quelle versiegte.", "Published in 2019, the book was a success that nobody had expected.", "V roce 2021 mlýn vyhořel.", "1. 3. 2026 vyhořel mlýn.",
		"Werbung ist teuer.", "Copyright law is complex.", "More mills were sold.", "Noch mehr Menschen ziehen in die Städte, als es vor zehn Jahren waren.", "", first, "Lea también: " + first,
	} {
		if isLine(par) {
			t.Errorf("%q is no paragraph", par)
		}
	}
}

// TestIsBeside: a note on the author is no article, but a page inside a form may be one.
func TestIsBeside(t *testing.T) {
	rest := "<p>" + strings.Repeat(first+" ", 3) + "</p>"
	for page, want := range map[string]bool{
		rest + "<div class=author-bio><p>" + second + "</p></div>": true,
		rest + "<p>" + second + "</p>":                             false,
		"<form>" + rest + "<p>" + second + "</p></form>":           false,
		rest + strings.Repeat("<div class=comment><p>"+first+"</p></div>", 5) + "<div class=author-bio><p>" + second + "</p></div>": true, // more of the page is beside, too
		"<div class=elementor-widget-wrap>" + rest + "</div><div class='elementor-widget author-bio'><p>" + second + "</p></div>":   true,
	} {
		if got := isBeside(second, blocksOf(parsed(t, page))); got != want {
			t.Errorf("%s: beside is %v", page, got)
		}
	}
}

// TestRead reduces a page of a web archive to its article, and no other page.
func TestRead(t *testing.T) {
	teaser := "<div class=teaser><h2><a href=b>Jiný mlýn</a></h2><p>Jiný mlýn se neprodal, protože o něj nikdo nestál ani za jedinou korunu, a tak chátrá dál u cesty.</p></div>"
	text := "<h1>Mlýn</h1>" + strings.Repeat("<p>"+first+"</p><p>"+second+"</p>", 3) // the library takes more than a shorter article
	article := "<article>" + text + "</article>"
	const states = `<meta property="og:type" content="article">`
	for _, tt := range []struct {
		name, head, body string
		reduced          bool
	}{
		{"an article", "", article + "<div class=related>" + teaser + "</div>", true},
		{"an article among many teasers", states, article + "<div class=related>" + strings.Repeat(teaser, 20) + "</div>", true},
		{"an article among far more", states, article + "<div class=related>" + strings.Repeat(teaser, 80) + "</div>", false},
		{"the same, stated twice", states + `<script type="application/ld+json">{"@type":"NewsArticle"}</script>`, article + "<div class=related>" + strings.Repeat(teaser, 80) + "</div>", true},
		{"a page with many teasers", "", article + "<div class=related>" + strings.Repeat(teaser, 20) + "</div>", false},
		{"a list", "", "<main>" + strings.Repeat(teaser, 6) + "</main>", false},
		{"a list that states each of its articles", "", "<main>" + strings.Repeat(strings.Replace(teaser, "<div", `<div itemscope itemtype="https://schema.org/NewsArticle"`, 1), 6) + "</main>", false},
		{"a record", "", "<table><tr><td>Název<td>" + first + "</table><h2>Abstrakt</h2><p>" + second + "</p><h2>Abstract</h2><p>" + first + " " + second + "</p>", false},
	} {
		page := "<!DOCTYPE html><html><head><meta charset=utf-8>" + tt.head + "</head><body><nav>Domů</nav>" + tt.body + "</body></html>"
		src := &format.Source{Data: []byte(page), Ext: "html", Budget: budget, Strip: true}
		whole, err := web.HTML(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(t.Context(), src)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		switch {
		case !tt.reduced && sentences(got.Text) != sentences(whole.Text):
			t.Errorf("%s: got %q, want the sentences of %q", tt.name, got.Text, whole.Text)
		case tt.reduced && (strings.Contains(got.Text, "neprodal") || !strings.Contains(got.Text, first+"\n\n"+second)):
			t.Errorf("%s: got %q, want the article", tt.name, got.Text)
		case tt.reduced && !strings.Contains(strings.Join(got.Notes, ""), "outside the article"):
			t.Errorf("%s: notes %q", tt.name, got.Notes)
		}
	}
}

// TestReadHidden: hidden text in an article is left out and flagged, and marks stay at their text.
func TestReadHidden(t *testing.T) {
	page := "<!DOCTYPE html><html><head><meta charset=utf-8></head><body><div class=related><p>Jiný mlýn se neprodal, protože o něj nikdo nestál ani za korunu.</p></div><article><h1>Mlýn</h1><p>" + first + "</p><h2>Radnice</h2><p>" +
		strings.Replace(second, "problém", `problém <span style="display:none">skrytá slova</span>`, 1) + "</p></article></body></html>"
	got, err := Read(t.Context(), &format.Source{Data: []byte(page), Ext: "html", Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.Text, "skrytá") || strings.Contains(got.Text, "neprodal") || !strings.Contains(got.Text, second[:20]) {
		t.Errorf("got %q", got.Text)
	}
	at := strings.Index(got.Text, "problém")
	if len(got.Flags) != 1 || got.Flags[0].Start < at || got.Flags[0].Start > at+len("problém  ") {
		t.Errorf("flags %+v, want one after %d", got.Flags, at)
	}
	found := false
	for _, m := range got.Marks {
		found = found || m.Kind == format.Heading && got.Text[m.Start:m.End] == "Radnice"
	}
	if !found {
		t.Errorf("marks %+v: want the heading", got.Marks)
	}
}
