package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/internal/testing/golden"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/hint"
)

// parts that are the same in every page: goldens leave them out.
var repeated = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|content="default-src[^"]*"`)

func bare(page string) string { return repeated.ReplaceAllString(page, "<!-- same in all pages -->") }

func TestHTMLGolden(t *testing.T) {
	for name, r := range samples() {
		golden.Compare(t, name+".html", bare(render(t, "html", r, Options{})))
	}
	golden.Compare(t, "sample-linked.html", bare(render(t, "html", sample(), Options{Overview: "všechny práce.html"})))
}

// checkHTML parses a page and fails the test for anything in it that is not
// ours or that leads elsewhere.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	if !utf8.ValidString(page) {
		t.Error("the page is not UTF-8")
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, anchors, scripts := map[string]bool{}, []string{}, 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			scripts++
		case "img", "iframe", "object", "embed", "link", "base", "b-alert":
			t.Errorf("the page has an element %s", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				if ids[a.Val] {
					t.Errorf("two elements have the id %q", a.Val)
				}
				ids[a.Val] = true
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"), a.Key == "aria-labelledby":
				anchors = append(anchors, strings.TrimPrefix(a.Val, "#"))
			case a.Key == "href" && a.Val == sample().Sources[0].Address && n.Data == "a": // what people say is where to read it
			case a.Key == "href" && !strings.HasPrefix(a.Val, "./"), a.Key == "src", strings.HasPrefix(a.Key, "on"), a.Key == "style":
				t.Errorf("the page has %s=%q", a.Key, a.Val)
			}
		}
	}
	for _, a := range anchors {
		if !ids[a] {
			t.Errorf("nothing has the id %q that the page refers to", a)
		}
	}
	if scripts > 4 { // the data, the packed result, decisions that a browser saves, and the script
		t.Errorf("the page has %d scripts", scripts)
	}
}

func TestHTMLIsOurs(t *testing.T) {
	for _, r := range samples() {
		checkHTML(t, render(t, "html", r, Options{Overview: "index.html"}))
		checkHTML(t, render(t, "html", Anonymous(r, Pseudonyms{}), Options{}))
	}
}

// pageDataOf returns the data that the script of a page works on.
func pageDataOf(t *testing.T, page string) pageData {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	if !ok {
		t.Fatal("the page has no data")
	}
	text, _, _ := strings.Cut(rest, "</script>")
	var d pageData
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestHTMLOffsets(t *testing.T) {
	r := sample()
	r.Suspect.Text = "😀𝄞 " + r.Suspect.Text
	shift := len("😀𝄞 ")
	for i := range r.Passages {
		p := &r.Passages[i]
		p.Suspect.Start, p.Suspect.End = p.Suspect.Start+shift, p.Suspect.End+shift
		for k := range p.Equal {
			p.Equal[k].Suspect[0] += shift
			p.Equal[k].Suspect[1] += shift
		}
	}
	d := pageDataOf(t, render(t, "html", r, Options{}))
	text := utf16.Encode([]rune(d.Text))
	for i, p := range d.Passages {
		if got, want := string(utf16.Decode(text[p.From:p.To])), suspectText(r, r.Passages[i].Suspect); got != want {
			t.Errorf("passage %d in the page = %q, want %q", i+1, got, want)
		}
		source := utf16.Encode([]rune(d.Sources[p.Source].Excerpts[p.Excerpt].Text))
		for _, e := range p.Equal {
			a, b := string(utf16.Decode(text[e[0]:e[1]])), string(utf16.Decode(source[e[2]:e[3]]))
			if a != b {
				t.Errorf("passage %d: equal words %q and %q", i+1, a, b)
			}
		}
	}
}

// TestSameNumbers checks that all formats state the same score.
func TestSameNumbers(t *testing.T) {
	r := reviewed()
	for format, want := range map[string]string{
		"html": "<b data-percent>30.8%</b>", "text": "Score with exclusions: at least 30.8%", "json": `"percent": 30.76923076923077`, "xml": `percent="30.76923076923077"`,
	} {
		if !strings.Contains(render(t, format, r, Options{}), want) {
			t.Errorf("%s does not state %s", format, want)
		}
	}
}

func TestAnonymous(t *testing.T) {
	r := reviewed()
	r.Suspect.Text = strings.Repeat("x", len(r.Suspect.Text)) // the text may say anything
	r.Hints = []search.Hint{{Number: 1, Kind: hint.KindRewritten, Strength: hint.Weak, Source: 0}}
	r.Review.By = "Doubtful"
	r.Review.Verdicts = []Verdict{{Of: OfReport, Verdict: "minor", Note: "of Doubtful", By: "Doubtful"}}
	r.Review.Places = []LeftOut{{Suspect: [2]int{0, 9}, Words: 1, Reason: "own", Note: "of Doubtful", By: "Doubtful"}}
	r.Review.Hints = []Accepted{{Note: "of Doubtful", By: "Doubtful"}}
	before := render(t, "json", r, Options{})
	names := []string{"Doubtful", "vyprávění", "Novák", "vesnice", "Světlá", "zahrada", "knihy:", "/srv", "theses", "obrázek", "own article", "00000000000000a1", "example.org", "lesnická", "draft"}
	titles := []string{"Vyprávění", "Vesnice", "1867"}
	for _, tt := range []struct {
		pseudonyms      Pseudonyms
		without, titles []string
	}{
		{Pseudonyms{Key: "secret"}, names, titles},
		{Pseudonyms{Key: "secret", Titles: true}, append(titles, names...), nil},
	} {
		a := Anonymous(r, tt.pseudonyms)
		for _, format := range lone() {
			out := render(t, format, a, Options{})
			for _, name := range tt.without {
				if strings.Contains(out, name) && !strings.Contains(vesnice+zahrada, name) {
					t.Errorf("the anonymous %s report names %q", format, name)
				}
			}
			for _, title := range tt.titles {
				if format != "sarif" && !strings.Contains(out, title) { // which names only sources that count
					t.Errorf("the anonymous %s report lacks %q, though titles stay", format, title)
				}
			}
		}
		if len(a.Unread) != 1 || len(a.Notes) != 1 {
			t.Errorf("Anonymous hides that there are %d unread files, %d notes", len(a.Unread), len(a.Notes))
		}
	}
	if after := render(t, "json", r, Options{}); after != before {
		t.Errorf("Anonymous changed the result it was given to\n%s", after)
	}
}

// TestPseudonyms: the id of a document is the same in all reports of one key,
// and says nothing to who has no key.
func TestPseudonyms(t *testing.T) {
	id := func(key string) string { return Anonymous(sample(), Pseudonyms{Key: key}).Sources[0].ID }
	first, again := id("one"), id("one")
	if first != again || id("one") == id("other") || id("one") == sample().Sources[0].ID {
		t.Errorf("ids %s and %s with one key, %s with another, of %s", first, again, id("other"), sample().Sources[0].ID)
	}
}

func TestHTMLWithoutTexts(t *testing.T) {
	r := sample()
	r.Suspect.Text = ""
	for i := range r.Sources {
		r.Sources[i].Excerpts = nil
	}
	out := render(t, "html", r, Options{})
	if !strings.Contains(out, "made without the text") {
		t.Error("a report without texts does not say so")
	}
	if d := pageDataOf(t, out); d.Passages[0].Excerpt != -1 {
		t.Errorf("excerpt %d of a source without any", d.Passages[0].Excerpt)
	}
}

// TestHTMLNothingToAttendTo: that nothing was left out is said only where that is
// so.
func TestHTMLNothingToAttendTo(t *testing.T) {
	const says = "nothing was left out of the search"
	sound := empty()
	sound.Index.Documents = 8
	if !strings.Contains(bare(render(t, "html", sound, Options{})), says) {
		t.Errorf("the page of a sound check does not say that %s", says)
	}
	for name, change := range map[string]func(r *Report){
		"no documents":      func(r *Report) { r.Index.Documents = 0 },
		"not searched":      func(r *Report) { r.Unsearched = sample().Unsearched },
		"pages of a scan":   func(r *Report) { r.Suspect.Flags = []search.Flag{{Kind: "no text layer", Count: 3}} },
		"hidden text":       func(r *Report) { r.Suspect.Flags = sample().Suspect.Flags },
		"files not read":    func(r *Report) { r.Unread = sample().Unread },
		"something to note": func(r *Report) { r.Notes = []string{"a note"} },
	} {
		r := empty()
		r.Index.Documents = 8
		change(r)
		if strings.Contains(bare(render(t, "html", r, Options{})), says) {
			t.Errorf("%s: the page says that %s", name, says)
		}
	}
}
