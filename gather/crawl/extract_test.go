package crawl

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/otisk/otisk/document/article"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/internal/testing/need"
)

// first and second are paragraphs as articles have them.
const (
	first  = "Starý mlýn u řeky byl prodán za korunu muži, který v něm nechtěl mlít nic jiného než čas, a tak v něm od té doby stojí kolo i kameny a voda teče kolem."
	second = "Město s tím podle starosty nemá žádný problém, protože žádnou smlouvu o tom neviděl, a kdyby ji viděl, řekl, nerozuměl by jí o nic víc než úředníci na radnici."
)

// around is a page with an article in it.
func around(head, article string) string {
	return "<!DOCTYPE html><html><head>" + head + "</head><body><nav><a href=/>Domů</a> <a href=/s>Sport</a></nav>" +
		"<article><h1>Mlýn</h1><p>" + article + "</p></article><footer>Kontakt, reklama</footer></body></html>"
}

// sites returns the rules of a list.
func sites(t *testing.T, rules string) []Site {
	t.Helper()
	list, err := parseList([]byte("<crawl><feed>https://example.cz/rss</feed>" + rules + "</crawl>"))
	if err != nil {
		t.Fatal(err)
	}
	return list.Sites
}

// TestExtract finds texts in all ways.
func TestExtract(t *testing.T) {
	need.OneGoroutine(t)
	text := first + "</p><p>" + second
	want := first + "\n\n" + second
	for _, tt := range []struct{ name, page, rules, way, want string }{
		{"article", around("", text), "", article.ByArticle, want},
		{"stated", around(`<script type="application/ld+json">[{"@type":"NewsArticle","articleBody":"`+first+" "+second+`"}]</script>`, text+"</p><p>Sdílet"), "", article.ByStatement, want},
		{"stated wrongly", around(`<script type="application/ld+json">{"articleBody":"Něco úplně jiného, co na stránce není ani slovem."}</script>`, text), "", article.ByArticle, want},
		{"stated and broken", around(`<script type="application/ld+json">{"articleBody":</script>`, text), "", article.ByArticle, want},
		{"rule", around("", text), `<site host="example.cz"><text>article p</text></site>`, ByRule, want},
		{"rule of a host above", around("", text), `<site host="cz"><text>nav</text></site><site host="example.cz"><text>article p</text></site>`, ByRule, want},
		{"rule of another host", around("", text), `<site host="xample.cz"><text>nav</text></site>`, article.ByArticle, want},
		{"rule for what is within another", around("", text), `<site host="example.cz"><text>article, article p</text><remove>h1</remove></site>`, ByRule, want},
		{"removed", around("", text+"</p><p class=ad>Kupte si mlýn ještě dnes"), `<site host="example.cz"><remove>.ad</remove></site>`, article.ByArticle, want},
		{"captions and links", around("", text+`</p><figure><img src="a.jpg"><figcaption>Mlýn u řeky. Foto: Petr Dvořák</figcaption></figure><ul><li><a href="/b">Jiný mlýn se neprodal</a></li><li><a href="/c">Ještě jiný také ne</a></li></ul><p>`), "", article.ByArticle, want},
		{"hardly anything but captions", around("", "Mlýn v obrazech.</p><figure><figcaption>"+first+"</figcaption></figure><figure><figcaption>"+second+"</figcaption></figure><p>"), "", article.ByArticle, "Mlýn v obrazech.\n\n" + want},
		{"elements that say what they are", around("", text+`</p><div class="post__share-buttons">Sdílet na síti</div><div class="box related-articles"><p>Jiný mlýn se také neprodal.</p></div><p class="lead shared">`+second), "", article.ByArticle, want + "\n\n" + second},
		{"most of it in an element that says so", around("", "Mlýn.</p><div class=tools><p>"+text+"</p></div><p>"), "", article.ByArticle, "Mlýn.\n\n" + want},
		{"hidden until a script runs", strings.Replace(around("", text), "<body>", `<body style="display:none">`, 1), "", article.ByArticle, want},
		{"a consent notice that looks like the article", "<!DOCTYPE html><body><div><p>" + strings.Repeat("Datenschutz und Cookies: Diese Website verwendet Cookies, und wer sie weiter nutzt, stimmt ihrer Verwendung zu. ", 6) + "</p></div><p>" + text + "</p></body>", "", article.ByPage, ""},
		{"too many elements to look for it", around("", strings.Repeat("<i></i>", 60_000)+text), "", article.ByPage, want},
	} {
		a, err := Extract(t.Context(), Page{URL: "https://www.example.cz/a.html", Media: "text/html; charset=utf-8", Body: []byte(tt.page)}, sites(t, tt.rules))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := strings.TrimPrefix(a.Text, "Mlýn\n\n")
		if tt.want == "" && strings.Contains(got, want) {
			got = ""
		}
		if a.Way != tt.way || got != tt.want {
			t.Errorf("%s: %s %q, want %s %q", tt.name, a.Way, got, tt.way, tt.want)
		}
	}
}

// TestExtractSays takes title, author and date by rules and as pages say them.
func TestExtractSays(t *testing.T) {
	head := `<title>Mlýn | Noviny</title><meta name="author" content="Jana Nováková"><meta property="article:published_time" content="2026-03-01T10:00:00+01:00">`
	page := Page{URL: "https://www.example.cz/a.html", Media: "text/html; charset=utf-8", Body: []byte(around(head, first+`</p><time datetime="2. 3. 2026 8:30">včera</time><b class=who> Petr
	 Dvořák</b><p>`+second))}
	for _, tt := range []struct{ rules, want string }{
		{"", "Jana Nováková 2026-03-01T09:00:00Z"},
		{`<site host="example.cz"><title>h1</title><author>.who</author><date>time@datetime</date></site>`, "Mlýn Petr Dvořák 2026-03-02T08:30:00Z"},
		{`<site host="example.cz"><title>.none</title><author>meta[name=author]@content</author></site>`, "Jana Nováková 2026-03-01T09:00:00Z"},
	} {
		a, err := Extract(t.Context(), page, sites(t, tt.rules))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s %s %s", a.Title, a.Author, a.Date.Format(time.RFC3339)); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %q, want %q at its end", tt.rules, got, tt.want)
		}
	}
	_, err := Extract(t.Context(), page, sites(t, `<site host="example.cz"><date>h1</date></site>`))
	if err == nil || !strings.Contains(err.Error(), `the rule for example.cz has matched "Mlýn", which is not a date`) {
		t.Errorf("a date that is none: %v", err)
	}
}

// TestExtractEncodings reads pages whatever they and the server say.
func TestExtractEncodings(t *testing.T) {
	for _, tt := range []struct {
		name, media, meta string
		in                *charmap.Charmap
		rules             string
	}{
		{"UTF-8, nothing said", "text/html", "", nil, ""},
		{"the server says it", "text/html; charset=windows-1250", "", charmap.Windows1250, ""},
		{"the page says it", "text/html", `<meta charset="windows-1250">`, charmap.Windows1250, ""},
		{"the server is right, the page wrong", "text/html; charset=iso-8859-2", `<meta charset="utf-8">`, charmap.ISO8859_2, ""},
		{"nobody says it", "text/html", "", charmap.Windows1250, ""},
		{"both say a wrong one", "text/html; charset=iso-8859-1", `<meta charset="iso-8859-1">`, charmap.Windows1250, `<site host="example.cz"><encoding>windows-1250</encoding></site>`},
	} {
		body := []byte(around(tt.meta, first+"</p><p>"+second))
		if tt.in != nil {
			var err error
			if body, err = tt.in.NewEncoder().Bytes(body); err != nil {
				t.Fatal(err)
			}
		}
		a, err := Extract(t.Context(), Page{URL: "https://example.cz/", Media: tt.media, Body: body}, sites(t, tt.rules))
		if err != nil || !strings.HasSuffix(a.Text, second) {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
	}
}

// TestExtractStray replaces a few bytes that are not UTF-8, and no more.
func TestExtractStray(t *testing.T) {
	page := Page{URL: "https://example.cz/", Media: "text/html; charset=utf-8", Body: []byte(around("", first+" \xe9\xff</p><p>"+second))}
	a, err := Extract(t.Context(), page, nil)
	if err != nil || !strings.Contains(a.Text, "\ufffd\ufffd") || !strings.HasSuffix(a.Text, second) || a.Note != "2 bytes that are not UTF-8 were replaced" {
		t.Errorf("with stray bytes: %+v, %v", a, err)
	}
	page.Body = []byte(around("", first+strings.Repeat("\xe9 ", charset.MostStray+1)))
	if a, err := Extract(t.Context(), page, nil); err == nil && a.Note != "" {
		t.Errorf("of another encoding: %+v, %v", a, err)
	}
}

// TestExtractOther reads responses that are not pages, and reports why there is no text.
func TestExtractOther(t *testing.T) {
	a, err := Extract(t.Context(), Page{URL: "https://example.cz/a", Media: "text/plain", Body: []byte(first)}, nil)
	if err != nil || a.Way != ByFile || a.Text != first {
		t.Errorf("plain text: %+v, %v", a, err)
	}
	for name, page := range map[string]Page{
		"empty page": {Media: "text/html", Body: []byte("<!DOCTYPE html><title>x</title><body></body>")},
		"no bytes":   {Media: "text/html"},
		"a picture":  {Media: "image/png", Body: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")},
		"no rule's":  {Media: "text/html", Body: []byte(around("", first)), URL: "https://example.org/"},
	} {
		if page.URL == "" {
			page.URL = "https://example.cz/"
		}
		if a, err := Extract(t.Context(), page, sites(t, `<site host="example.org"><text>.none</text></site>`)); err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	if _, err := Extract(t.Context(), Page{URL: "https://example.cz/", Media: "text/html"}, nil); err == nil {
		t.Error("nothing at all is an article")
	}
}

// TestExtractHostile: pages made to be slow or deep end soon, in a text or an error.
func TestExtractHostile(t *testing.T) {
	need.OneGoroutine(t)
	for name, body := range map[string]string{
		"deep":    strings.Repeat("<div>", need.Rounds(200_000)) + first,
		"fonts":   strings.Repeat("<font><b><i>", need.Rounds(20_000)) + first,
		"tables":  strings.Repeat("<table><tr><td>", need.Rounds(20_000)) + first,
		"many":    "<article>" + strings.Repeat("<p>a, b, c", need.Rounds(200_000)) + "</article>",
		"attrs":   "<p " + strings.Repeat("a=b ", need.Rounds(200_000)) + ">" + first,
		"json":    `<script type="application/ld+json">` + strings.Repeat(`{"a":[`, need.Rounds(100_000)) + "</script><p>" + first,
		"comment": "<!--" + strings.Repeat("-", 1<<20) + first,
	} {
		start := time.Now()
		_, err := Extract(t.Context(), Page{URL: "https://example.cz/", Media: "text/html", Body: []byte(body)}, nil)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v (%v)", name, took, err)
		}
	}
}

// TestParseDate reads dates as sites write them.
func TestParseDate(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01": "2026-03-01T00:00:00Z", "2026-03-01T10:00:00+01:00": "2026-03-01T09:00:00Z", "2026-03-01 10:05": "2026-03-01T10:05:00Z",
		"1. 3. 2026": "2026-03-01T00:00:00Z", "1.3.2026 7:05": "2026-03-01T07:05:00Z", "Publikováno 12. března 2026, 18:40": "2026-03-12T18:40:00Z",
		"neděle 1. února 2026": "2026-02-01T00:00:00Z", "3. července 2025": "2025-07-03T00:00:00Z", "3. června 2025": "2025-06-03T00:00:00Z", "24. prosince 2025 v 10:00": "2025-12-24T10:00:00Z",
		"1 March 2026": "2026-03-01T00:00:00Z", "March 1, 2026": "2026-03-01T00:00:00Z", "Sept. 3, 2026 5:30": "2026-09-03T05:30:00Z", "1st May 2026": "2026-05-01T00:00:00Z",
		"1. März 2026": "2026-03-01T00:00:00Z", "Sun, 01 Mar 2026 10:00:00 +0100": "2026-03-01T09:00:00Z",
		"": "", "včera": "", "31. 2. 2026": "", "12. 13. 2026": "", "1. kohouta 2026": "", "10:00": "", "1. 3. 2026 25:00": "",
	} {
		at, ok := parseDate(text)
		if got := at.Format(time.RFC3339); ok != (want != "") || ok && got != want {
			t.Errorf("parseDate(%q) = %s, %v; want %q", text, got, ok, want)
		}
	}
}

// TestNoTextIsTold: a page without text is not a network failure.
func TestNoTextIsTold(t *testing.T) {
	_, err := Extract(t.Context(), Page{URL: "https://example.cz/", Media: "image/png", Body: []byte("\x89PNG\r\n\x1a\n\x00")}, nil)
	if !errors.Is(err, errNoText) {
		t.Errorf("a picture: %v, want %v", err, errNoText)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add([]byte(around("", first)))
	f.Add([]byte(`<script type="application/ld+json">{"articleBody":"a b"}</script><p>a b`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := Extract(t.Context(), Page{URL: "https://example.cz/", Media: "text/html", Body: body}, nil)
		if err == nil && strings.TrimSpace(a.Text) == "" {
			t.Fatal("no text, and no error")
		}
	})
}
