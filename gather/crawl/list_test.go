package crawl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/gather/fetch"
)

// TestList reads lists of feeds as people write them, and reports each error with its line.
func TestList(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"<crawl><feed>https://a.cz/rss</feed><feed> http://b.cz/ </feed></crawl>", "[https://a.cz/rss http://b.cz/]"},
		{"\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><crawl><feeds><feed>https://a.cz/</feed></feeds></crawl>", "[https://a.cz/]"},
		{`<opml version="2.0"><head><title>x</title></head><body><outline text="news"><outline type="rss" xmlUrl="https://a.cz/rss"/></outline><outline xmlUrl="https://b.cz/"/></body></opml>`, "[https://a.cz/rss https://b.cz/]"},
		{"<?xml version=\"1.0\" encoding=\"windows-1250\"?><crawl><!-- \xe8esk\xe9 --><feed>https://a.cz/</feed></crawl>", "[https://a.cz/]"},
		{"", "not XML"},
		{"hello", "not XML"},
		{"<crawl></crawl>", "line 1: crawl: it lists no feeds"},
		{"<crawl>\n<feed>a.cz</feed></crawl>", `line 2: feed: "a.cz" is not a web address`},
		{"<crawl>\n<feed>file:///etc/passwd</feed></crawl>", "line 2: feed:"},
		{"<crawl>\n\n<fed>https://a.cz/</fed></crawl>", "line 3: fed: unknown element"},
		{"<crawl>\n<feed>https://a.cz/</crawl>", "line 2: broken XML"},
		{"<!DOCTYPE x [<!ENTITY a \"b\">]><crawl/>", "<!DOCTYPE> and entity declarations"},
		{"<rss><channel/></rss>", "pass the address of the feed instead"},
		{strings.Repeat("<a>", 100), "nested more than"},
		{"<crawl>\n<site><text>p</text></site></crawl>", `line 2: site: host "" is not a host name`},
		{"<crawl>\n<site host=\"https://a.cz/\"/></crawl>", "is not a host name"},
		{"<crawl><site host=\"a.cz\">\n<body>p</body></site></crawl>", "line 2: body: unknown element: want title, author, date, text, remove or encoding"},
		{"<crawl><site host=\"a.cz\">\n<text>p[</text></site></crawl>", `line 2: text: selector "p["`},
		{"<crawl><site host=\"a.cz\">\n<encoding>klingon</encoding></site></crawl>", `line 2: encoding: unknown encoding "klingon"`},
		{"<crawl><site host=\"a.cz\"/>\n<site host=\"A.cz\"/></crawl>", "line 2: site: a second rule for a.cz"},
	} {
		path := filepath.Join(t.TempDir(), "feeds.xml")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := ReadList(path)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(list.Feeds)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	if _, err := ReadList(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a list that is not there is read")
	}
}

// TestListSays reads the elements of a list other than feeds.
func TestListSays(t *testing.T) {
	list, err := parseList([]byte(`<crawl><contact>bot@a.cz</contact><allow_host>in.a.cz</allow_host><site host="A.cz"><date>time@datetime</date></site></crawl>`))
	if err != nil || list.Contact != "bot@a.cz" || fmt.Sprint(list.Allow) != "[in.a.cz]" || list.Sites[0].Host != "a.cz" || list.Sites[0].Date.attribute != "datetime" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestLinkKey: addresses of one article are the same, those of two are not.
func TestLinkKey(t *testing.T) {
	for a, b := range map[string]string{
		"https://A.cz/x?utm_source=rss&id=1&utm_medium=feed#top": "https://a.cz/x?id=1",
		"https://a.cz": "https://a.cz/", "HTTPS://a.cz/?fbclid=1": "https://a.cz/", "https://me:pw@a.cz/x": "https://a.cz/x",
	} {
		if linkKey(a) != linkKey(b) {
			t.Errorf("linkKey(%s) = %s, linkKey(%s) = %s", a, linkKey(a), b, linkKey(b))
		}
	}
	for a, b := range map[string]string{"https://a.cz/x?id=1": "https://a.cz/x?id=2", "http://a.cz/": "https://a.cz/", "https://a.cz/X": "https://a.cz/x", "https://a.cz/?utm=1": "https://a.cz/"} {
		if linkKey(a) == linkKey(b) {
			t.Errorf("linkKey(%s) = linkKey(%s)", a, b)
		}
	}
}

func FuzzParseList(f *testing.F) {
	f.Add([]byte(`<crawl><feed>https://a.cz/</feed><site host="a.cz"><text>p</text></site></crawl>`))
	f.Add([]byte(`<opml><outline xmlUrl="https://a.cz/"/></opml>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseList(data)
		if err != nil {
			return
		}
		for _, feed := range list.Feeds {
			if fetch.Check(feed) != nil {
				t.Fatalf("%q is no address", feed)
			}
		}
	})
}
