package container

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/document/archive/sevenzip/seventest"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/testing/need"
)

// read returns the names and texts of all records of a file, one a line, and why there
// are none.
func read(t testing.TB, name, data string, opts Options) []string {
	t.Helper()
	if opts.MaxBytes == 0 {
		opts.MaxBytes = 1 << 20
	}
	s, err := Open(t.Context(), strings.NewReader(data), name, opts)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if s == nil {
		t.Fatalf("%.20q is no container", data)
	}
	defer s.Close()
	var list []string
	err = s.Each(t.Context(), func(rec Record, err error) error {
		text := string(rec.Data)
		if err == nil && rec.Text != nil {
			var made *format.Text
			if made, err = rec.Text(t.Context(), rec.Data); err == nil {
				text = strings.TrimSpace(made.Text)
			}
		}
		if err != nil {
			text = "! " + err.Error()
		}
		if rec.Note != nil {
			text += " (" + rec.Note.Error() + ")"
		}
		list = append(list, rec.Name+": "+text)
		return nil
	})
	if err != nil {
		list = append(list, "!! "+err.Error())
	}
	return list
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range got {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("record %d is\n%s\nwant\n%s", i+1, got[i], want[i])
		}
	}
}

// record makes a record of an archive of the web.
func record(kind, uri, media, content string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2019-06-19T16:16:43Z\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, uri, media, len(content), content)
}

func page(uri, head, body string) string {
	return record("response", uri, "application/http; msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+head+"\r\n"+body)
}

func gzipped(parts ...string) string {
	var b bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(p)) // a buffer takes everything
		_ = z.Close()
	}
	return b.String()
}

func brotlied(text string) string {
	var b bytes.Buffer
	z := brotli.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes everything
	_ = z.Close()
	return b.String()
}

func TestWARC(t *testing.T) {
	all := []string{
		record("warcinfo", "", "application/warc-fields", "software: x"),
		record("request", "https://example.org/", "application/http", "GET / HTTP/1.1\r\n\r\n"),
		page("https://example.org/", "", "<p>one"),
		page("https://example.org/chunked", "Transfer-Encoding: chunked\r\n", "3\r\n<p>\r\n3\r\ntwo\r\n0\r\n\r\n"),
		page("https://example.org/undone", "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", "<p>three"),
		page("https://example.org/gzip", "Content-Encoding: gzip\r\n", gzipped("<p>four")),
		record("response", "https://example.org/gone", "application/http", "HTTP/1.1 404 Not Found\r\n\r\n<p>gone"),
		record("response", "https://example.org/p.png", "application/http", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nPNG"),
		page("https://example.org/br", "Content-Encoding: br\r\n", brotlied("<p>packed by brotli")),
		page("https://example.org/made-up", "Content-Encoding: made-up\r\n", "x"),
		record("conversion", "https://example.org/wet", "text/plain", "five"),
		record("resource", "https://example.org/own", "text/html", "<p>six"),
		record("revisit", "https://example.org/", "application/http", "HTTP/1.1 200 OK\r\n\r\n"),
		record("resource", "metadata://x", "text/plain", "a log"),
	}
	want := []string{"https://example.org/: <p>one", "https://example.org/chunked: <p>two", "https://example.org/undone: <p>three", "https://example.org/gzip: <p>four",
		"https://example.org/br: <p>packed by brotli", `https://example.org/made-up: ! not text: its content encoding "made-up" is not supported`, "https://example.org/wet: five", "https://example.org/own: <p>six"}
	expect(t, read(t, "a.warc", strings.Join(all, ""), Options{}), want...)
	expect(t, read(t, "a.warc.gz", gzipped(all...), Options{}), want...)
	expect(t, read(t, "a", gzipped(strings.Join(all, "")), Options{}), want...) // in one member, without a name
}

// TestWARCSegmented reads the first segment of a segmented record, and reports that the rest
// is missing.
func TestWARCSegmented(t *testing.T) {
	first := strings.Replace(page("http://a/1", "", "<p>one"), "\r\n", "\r\nWARC-Segment-Number: 1\r\n", 1)
	next := strings.Replace(strings.Replace(page("http://a/1", "", " and two"), "\r\n", "\r\nWARC-Segment-Number: 2\r\n", 1), "WARC-Type: response", "WARC-Type: continuation", 1)
	expect(t, read(t, "a.warc", first+next+page("http://a/2", "", "<p>two"), Options{}), "http://a/1: <p>one (the archive has only the beginning of its content: WARC-Segment-Number: 1)", "http://a/2: <p>two")
}

// TestWARCChunksCut: of a response with truncated chunks, the rest is read, and an error is reported.
func TestWARCChunksCut(t *testing.T) {
	const note = " (the archive has only the beginning of its content: a chunk of the HTTP response is incomplete)"
	for body, want := range map[string]string{
		"6\r\n<p>one\r\n4\r\n two\r\n0\r\n\r\n": "<p>one two",
		"6\r\n<p>one\r\n9\r\n and":              "<p>one and" + note,
		"6\r\n<p>one\r\nx\r\n and\r\n":          "<p>one" + note,
		"<p>not in chunks any more":             "<p>not in chunks any more",
	} {
		got := read(t, "a.warc", page("http://a/1", "Transfer-Encoding: chunked\r\n", body)+page("http://a/2", "", "<p>two"), Options{})
		expect(t, got, "http://a/1: "+want, "http://a/2: <p>two")
	}
}

// TestWARCShort: of a response that is shorter than its length, the existing part is read, and an
// error is reported; if there is no such part, the response is reported as missing.
func TestWARCShort(t *testing.T) {
	const note = " (the archive has only the beginning of its content: the HTTP response has 6 of 9 bytes)"
	for head, want := range map[string]string{
		"Content-Length: 9\r\n":                                 "<p>one" + note,
		"Content-Length: 6\r\n":                                 "<p>one",
		"Content-Length: 5\r\n":                                 "<p>one",
		"Content-Length: many\r\n":                              "<p>one",
		"Content-Length: 9\r\nContent-Encoding: identity\r\n":   "<p>one" + note,
		"Content-Length: 9\r\nContent-Encoding: gzip\r\n":       "<p>one", // it was packed when it was sent
		"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n":   "<p>one",
		"Content-Length: 9\r\nX-Transfer-Encoding: chunked\r\n": "<p>one" + note,
	} {
		if got := read(t, "a.warc", page("http://a/1", head, "<p>one"), Options{}); !slices.Equal(got, []string{"http://a/1: " + want}) {
			t.Errorf("%q: %q", head, got)
		}
	}
	none, two := page("http://a/1", "Content-Length: 9\r\n", ""), page("http://a/2", "", "<p>two")
	expect(t, read(t, "a.warc", none+two, Options{}), "http://a/1: ! damaged or not whole: the archive does not have its content: the HTTP response has 0 of 9 bytes", "http://a/2: <p>two")
	cut := strings.Replace(page("http://a/1", "", ""), "\r\n", "\r\nWARC-Truncated: time\r\n", 1)
	expect(t, read(t, "a.warc", cut+two, Options{}), "http://a/1: ! damaged or not whole: the archive does not have its content: WARC-Truncated: time", "http://a/2: <p>two")
	ask := func(method string) string {
		return record("request", "http://a/1", "application/http", method+" /1 HTTP/1.1\r\n\r\n")
	}
	expect(t, read(t, "a.warc", ask("HEAD")+none+two, Options{}), "http://a/2: <p>two")
	expect(t, read(t, "a.warc", ask("HEAD")+none+ask("GET")+none+two, Options{}), "http://a/1: ! damaged", "http://a/2: <p>two")
	expect(t, read(t, "a.warc", page("http://a/1", "", "")+two, Options{}), "http://a/2: <p>two")
}

// TestWARCTruncated reads the part of a record that the crawler kept, and reports the
// truncation.
func TestWARCTruncated(t *testing.T) {
	cut := strings.Replace(page("http://a/1", "Transfer-Encoding: chunked\r\n", "6\r\n<p>one\r\n9\r\n and"), "\r\n", "\r\nWARC-Truncated: length\r\n", 1)
	got := read(t, "a.warc", cut+page("http://a/2", "", "<p>two"), Options{})
	expect(t, got, "http://a/1: <p>one and (the archive has only the beginning of its content: WARC-Truncated: length)", "http://a/2: <p>two")
}

// TestWARCDamaged: reading continues after damage, and lost records are reported.
func TestWARCDamaged(t *testing.T) {
	one, two, three := page("http://a/1", "", "<p>one"), page("http://a/2", "", "<p>two and more of it"), page("http://a/3", "", "<p>three")
	length := len(two) - strings.Index(two, "\r\n\r\n") - 8
	short := strings.Replace(two, fmt.Sprint("Content-Length: ", length), fmt.Sprint("Content-Length: ", length-5), 1)
	expect(t, read(t, "a.warc", one+short+three, Options{}), "http://a/1: <p>one", "http://a/2: <p>two and more ", "record 3: ! damaged or not whole: the bytes before", "http://a/3: <p>three")
	long := strings.Replace(two, "Content-Length: ", "Content-Length: 1", 1)
	expect(t, read(t, "a.warc", one+long+three+one, Options{}), "http://a/1: <p>one", "http://a/2: ! damaged or not whole: Content-Length is 1", "http://a/3: <p>three", "http://a/1: <p>one")
	huge := strings.Replace(two, "Content-Length: ", "Content-Length: 999999999", 1)
	expect(t, read(t, "a.warc", one+huge+three+one, Options{}), "http://a/1: <p>one", "http://a/2: ! too large", "http://a/3: <p>three", "http://a/1: <p>one")
	request := strings.Replace(long, "WARC-Type: response", "WARC-Type: request", 1)
	expect(t, read(t, "a.warc.gz", gzipped(one, request, three), Options{}), "http://a/1: <p>one", "http://a/2: ! damaged or not whole: Content-Length is", "http://a/3: <p>three")
	expect(t, read(t, "a.warc", one+two[:len(two)-9], Options{}), "http://a/1: <p>one", "http://a/2: ! damaged or not whole: unexpected EOF")
	expect(t, read(t, "a.warc", one+strings.Replace(two, "Content-Length: ", "Content-Length: -", 1)+three, Options{}),
		"http://a/1: <p>one", "http://a/2: ! damaged or not whole: the header of the record", "record 3: ! damaged or not whole: the bytes before", "http://a/3: <p>three")
	expect(t, read(t, "a.warc", one+two+three, Options{MaxBytes: 60}), "http://a/1: <p>one", "http://a/2: ! too large", "http://a/3: <p>three")

	cut := gzipped(two)
	expect(t, read(t, "a.warc.gz", gzipped(one)+cut[:len(cut)/2]+gzipped(three), Options{}), "http://a/1: <p>one", "record 2: ! damaged", "http://a/3: <p>three")
}

func TestJSONLines(t *testing.T) {
	data := "\ufeff" + `{"id":"a","text":"one","title":"T","date":"2019-05-01","author":"A","url":"https://example.org/a"}` + "\r\n\n" +
		`{"url":"https://example.org/b","text":"two"}` + "\n" + `{"text":"three\n"}` + "\nnonsense\n" + `{"id":7,"body":"x"}` + "\n" + `{"id":"n","text":7}` + "\n{\"id\":\"\xff\"}\n" + `{"id":"last","text":"four"}`
	want := []string{"a: one", "https://example.org/b: two", "line 4: three", "line 5: ! damaged or not whole: not a JSON object", `7: ! no text in it: it has no field or column "text": body, id`,
		`n: ! damaged or not whole: field "text" is not a string`, "line 8: ! encoding unknown", "last: four"}
	expect(t, read(t, "a.jsonl", data, Options{}), want...)
	expect(t, read(t, "a.ndjson.gz", gzipped(data), Options{}), want...)
	z, _ := zstd.NewWriter(nil)
	expect(t, read(t, "a.jsonl.zst", string(z.EncodeAll([]byte(data), nil)), Options{}), want...)
	expect(t, read(t, "a.jsonl", `{"id":"a","body":"x","nr":1}`, Options{Field: "body", ID: "nr"}), "1: x")
	expect(t, read(t, "a.jsonl", `{"id":"a","x":NaN,"y":[-Infinity],"text":"x is \"NaN\", y: NaN,"}`, Options{}), `a: x is "NaN", y: NaN,`)
	expect(t, read(t, "a.jsonl", `{"text":"`+strings.Repeat("x", 1000)+"\"}\n"+`{"text":"y"}`, Options{MaxBytes: 100}), "line 1: ! too large", "line 2: y")
}

// TestFieldsOf takes an object apart as the decoder of the standard library does, but for names
// that occur twice.
func TestFieldsOf(t *testing.T) {
	for _, line := range []string{
		`{"a":"x","b":2,"c":null,"d":[1,{"a":"y","a":2}],"e":{"f":"}"},"g":true,"h":-1.5e3}`,
		` { "a" : "\u017elu\u0165 \ud83d\ude00 \"\\\/\b\f\n\r\t" , "\u0062" : "" } `, `{}`, `{"":"x"}`,
		`{"a":"\ud800","b":"\udc00x","c":"\ud800\ud83d\ude00","d":"\ud800\n","e":"\ud800\u0041"}`,
		`{"a":"x"`, `{"a":}`, `{"a" "x"}`, `{"a":"x",}`, `{"a":"x"} y`, `{"a":"x"}{"b":"y"}`, `["a"]`, `"a"`, `7`, ``, `{a:1}`, `{"a":01}`, `{"a":"\x"}`, "{\"a\":\"\t\"}", `{"a":"x}`,
		`{"a":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`, `{"a":"ž","ž":"\u00e1"}`, "{\"a\":\"\u2028\x7f\"}",
	} {
		var want map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		failed := d.Decode(&want)
		if _, err := d.Token(); failed == nil && err != io.EOF {
			failed = errors.New("more behind it")
		}
		got, err := fieldsOf([]byte(line))
		if (err != nil) != (failed != nil) || len(got) != len(want) && failed == nil {
			t.Errorf("%s: %v, %v, want %v, %v", line, got, err, want, failed)
			continue
		}
		for name, raw := range got {
			text := ""
			switch v := want[name].(type) {
			case string:
				text = v
			case json.Number:
				text = v.String()
			}
			if s := stringOf(raw); s != text {
				t.Errorf("%s: %s is %q, want %q", line, name, s, text)
			}
		}
	}
	expect(t, read(t, "a.jsonl", `{"id":"a","text":"one","text":"two"}`+"\n"+`{"id":"b","text":"three","x":{"y":1,"y":2}}`+"\n"+`{"id":"c","text":null}`, Options{}),
		`line 1: ! damaged or not whole: duplicate field "text"`, "b: three", "c: ! no text")
}

// TestManyBad reports a few of the malformed lines, and counts the others.
func TestManyBad(t *testing.T) {
	for name, data := range map[string]string{"a.jsonl": strings.Repeat("nonsense\n", 5000) + `{"text":"x"}` + "\nnonsense", "a.csv": "id,text\n" + strings.Repeat("nonsense\n", 4999) + "line 5001,x\nnonsense"} {
		got := read(t, name, data, Options{})
		want := mostBad + 3
		if len(got) != want || !strings.Contains(got[want-3], "more lines before this one") || got[want-2] != "line 5001: x" || !strings.HasPrefix(got[want-1], "line 5002: ! ") {
			t.Errorf("%s: %d records: %q", name, len(got), got[max(0, len(got)-4):])
		}
	}
	if got := read(t, "a.jsonl", strings.Repeat("nonsense\n", 5000), Options{}); len(got) != mostBad+1 || !strings.HasPrefix(got[mostBad], "line 5000: ! damaged or not whole: 4900 more lines") {
		t.Errorf("%d records: %q", len(got), got[len(got)-1])
	}
}

func TestJSONLinesDescribed(t *testing.T) {
	s, err := Open(t.Context(), strings.NewReader(`{"text":"x","title":"T","author":"A","date":"2019-05-01","url":"https://example.org"}`), "a.jsonl", Options{MaxBytes: 10000})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Each(t.Context(), func(r Record, err error) error {
		if err != nil || r.Title != "T" || r.Author != "A" || r.Year != 2019 || r.Address != "https://example.org" {
			t.Errorf("the record is %+v, %v", r, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

const dumpHead = `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="cs">
  <siteinfo><base>https://cs.wikipedia.org/wiki/Hlavn%C3%AD_strana</base>
    <namespaces><namespace key="6" case="first-letter">Soubor</namespace><namespace key="14" case="first-letter">Kategorie</namespace></namespaces>
  </siteinfo>
`

func wikiPage(title, ns, text string) string {
	return "  <page>\n    <title>" + title + "</title>\n    <ns>" + ns + "</ns>\n    <id>1</id>\n    <revision>\n      <timestamp>2020-01-02T03:04:05Z</timestamp>\n" +
		"      <text bytes=\"1\" xml:space=\"preserve\">" + text + "</text>\n    </revision>\n  </page>\n"
}

func TestMediaWiki(t *testing.T) {
	dump := dumpHead + wikiPage("Praha", "0", "'''Praha''' je [[město|hlavní město]].") + wikiPage("Diskuse:Praha", "1", "x") +
		strings.Replace(wikiPage("Prag", "0", "#REDIRECT [[Praha]]"), "<ns>", "<redirect title=\"Praha\" /><ns>", 1) +
		wikiPage("Brno &amp; okolí", "0", "Brno &amp;ndash; &lt;b&gt;město&lt;/b&gt;") + "</mediawiki>"
	want := []string{"Praha: Praha je hlavní město.", "Brno & okolí: Brno – město"}
	expect(t, read(t, "dump.xml", dump, Options{}), want...)
	expect(t, read(t, "dump.xml.gz", gzipped(dump), Options{}), want...)
	s, _ := Open(t.Context(), strings.NewReader(dump), "dump.xml", Options{MaxBytes: 10000})
	_ = s.Each(t.Context(), func(r Record, err error) error {
		if r.Name == "Brno & okolí" && (r.Address != "https://cs.wikipedia.org/wiki/Brno_&_okol%C3%AD" || r.ModTime.Year() != 2020 || r.Title != r.Name) {
			t.Errorf("the page is %+v", r)
		}
		return nil
	})
}

func TestMediaWikiDamaged(t *testing.T) {
	good := wikiPage("Good", "0", "good")
	endless := strings.TrimSuffix(wikiPage("Endless", "0", strings.Repeat("x", 300)), "  </page>\n")
	expect(t, read(t, "d.xml", dumpHead+endless+good, Options{}), "Endless: ! damaged or not whole: the page does not end", "Good: good")
	expect(t, read(t, "d.xml", dumpHead+endless+strings.Repeat("<br/>", 300)+good, Options{MaxBytes: 1000}), "Endless: ! too large", "Good: good")
	expect(t, read(t, "d.xml", dumpHead+good+endless, Options{}), "Good: good", "Endless: ! damaged or not whole: unexpected EOF")
	open := strings.Replace(wikiPage("Open", "0", "open"), "</text>", "", 1)
	expect(t, read(t, "d.xml", dumpHead+open+good, Options{}), "Open: ! damaged or not whole: the text of the page does not end", "Good: good")
	deleted := strings.Replace(wikiPage("Deleted", "0", ""), "></text>", " deleted=\"deleted\" />", 1)
	expect(t, read(t, "d.xml", dumpHead+deleted+good, Options{}), "Good: good")
}

// TestMediaWikiUntitled gives a page without a title neither a title nor an address.
func TestMediaWikiUntitled(t *testing.T) {
	for _, title := range []string{"", " ", "\n"} {
		s, err := Open(t.Context(), strings.NewReader(dumpHead+wikiPage(title, "0", "one")), "dump.xml", Options{MaxBytes: 10000})
		if err != nil {
			t.Fatal(err)
		}
		var got []Record
		err = s.Each(t.Context(), func(r Record, err error) error {
			got = append(got, r)
			return err
		})
		if err != nil || len(got) != 1 || got[0].Name != "page 1" || got[0].Title != "" || got[0].Address != "" {
			t.Errorf("%q: %+v, %v", title, got, err)
		}
	}
}

// TestMediaWikiCut joins no two pages if the data between them are lost.
func TestMediaWikiCut(t *testing.T) {
	one, two := wikiPage("One", "0", "one"), wikiPage("Two", "0", strings.Repeat("<br/>", 2000)+"two")
	first, second, third := gzipped(dumpHead+one+two[:200]), gzipped(two[200:]+one), gzipped(strings.Repeat("x", 50)+"</text></page>"+wikiPage("Three", "0", "three"))
	expect(t, read(t, "d.xml.gz", first+second[:len(second)/2]+third, Options{}), "One: one", "Two: ! damaged or not whole: a compressed part", "Three: three")
}

func TestWikitext(t *testing.T) {
	s := siteOf(dumpHead)
	for _, tt := range []struct{ name, from, want string }{
		{"quotes", "'''a''' and ''b''", "a and b"},
		{"links", "[[a]], [[b|c]], [[:d]], [[e]]s", "a, c, d, es"},
		{"files", "x [[Soubor:p.jpg|thumb|a [[picture]] of it]] y [[File:q.jpg]]z", "x  y z\n\na picture of it"},
		{"categories and languages", "x\n[[Kategorie:Města]]\n[[en:Prague]]", "x"},
		{"templates", "a {{x|y={{z|1}}|2}} b {{lang|cs|text}}", "a  b text"},
		{"quotations in templates", "{{quote|Words of one.|An Author|A Book}} {{quote|author=B|text=Words}} {{abbr|HT|Hyper Text}}", "Words of one. Words HT"},
		{"programs and markup that is shown", "a <nowiki>''b'' &lt;</nowiki> c\n<source lang=\"c\">\nd[1] = {{e}};\n* f\n</source>\n<syntaxhighlight inline>g</syntaxhighlight>", "a ''b'' < c\n\nd[1] = {{e}};\n* f\n\ng"},
		{"short forms of links", "[[Help:Link (page)|]] -{zh-hans:简体; zh-hant:繁體}- -{x}-", "Help:Link 简体 x"},
		{"HTML blocks", "a<p>b<table><tr><td>c</td><td>d</td></tr></table>", "a\nb\n\nc\n\nd"},
		{"references", `a<ref name="x">b</ref> c<ref name="x" /> d<!-- e -->`, "a c d\n\nb"},
		{"raised numbers", "word<sup>1</sup> x<sup>2</sup>", "word x2"},
		{"tables", "{| class=\"x\"\n|+ Names\n! A !! B\n|-\n| style=\"y\" | c || d\n|}", "Names\n\nA B\n\nc d"},
		{"headings", "== A ==\nb\n=== C ===\nd", "A\n\nb\n\nC\n\nd"},
		{"lists", "* a\n** b\n# c\n: d", "a\n\nb\n\nc\n\nd"},
		{"addresses", "[https://example.org a b] [https://example.org] x", "a b  x"},
		{"tags", "a<br />b <small>c</small> d__NOTOC__", "a\nb c d"},
		{"entities", "a&nbsp;b &lt;x&gt;", "a\u00a0b <x>"},
		{"one line ends no paragraph", "a\nb\n\nc", "a\nb\n\nc"},
		{"what is never closed", "a {{b [[c ''d <ref>e", "a {{b [[c d e"},
	} {
		got, err := s.text(t.Context(), []byte(tt.from))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if strings.TrimSpace(got.Text) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, strings.TrimSpace(got.Text), tt.want)
		}
	}
}

// TestWikitextHostile takes little time for what repeats marks without end.
func TestWikitextHostile(t *testing.T) {
	s := siteOf(dumpHead)
	for _, mark := range []string{"{{", "[[", "<ref>", "<!--", "{|\n", "=", "''", "[https://x ", "<", "{{{{}}", "[[a|"} {
		if _, err := s.text(t.Context(), []byte(strings.Repeat(mark, need.Rounds(200_000)))); err != nil && !errors.Is(err, format.ErrEmpty) {
			t.Errorf("%q: %v", mark, err)
		}
	}
}

func TestNoContainer(t *testing.T) {
	for name, data := range map[string]string{"a.xml": "<TEI><text/></TEI>", "a.txt": "WARC is a format", "a.gz": gzipped("text"), "a.json": `{"text":"x"}`, "empty.xml": ""} {
		if s, err := Open(t.Context(), strings.NewReader(data), name, Options{MaxBytes: 10000}); s != nil || err != nil {
			t.Errorf("%s is taken for a container: %v", name, err)
		}
	}
}

// TestInterrupted ends soon after the context does.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	s, _ := Open(t.Context(), strings.NewReader(strings.Repeat(page("http://a/1", "", "<p>one"), 1000)), "a.warc", Options{MaxBytes: 10000})
	count := 0
	err := s.Each(ctx, func(Record, error) error {
		if count++; count == 3 {
			cancel(why)
		}
		return nil
	})
	if !errors.Is(err, why) || count > 4 {
		t.Errorf("%d records after the end, error %v", count-3, err)
	}
}

// FuzzEach reads anything to its end, without a panic, and gives no record that is
// larger than it may be.
func FuzzEach(f *testing.F) {
	for _, seed := range []string{page("http://a/1", "Content-Encoding: gzip\r\n", gzipped("x")), gzipped(page("http://a/1", "", "<p>one")), `{"text":"x"}` + "\n{", dumpHead + wikiPage("A", "0", "[[b|{{c}}]]"),
		"id\ttext\na\t\"x\n", "From a\nSubject: x\n\n>From b\n\nFrom c\n"} {
		for _, name := range []string{"a.warc", "a.jsonl", "a.xml", "a.csv", "a.tsv", "a.mbox", "a.tar", "a.7z"} {
			f.Add(name, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		s, err := Open(t.Context(), bytes.NewReader(data), name, Options{MaxBytes: 4096})
		if s == nil || err != nil {
			return
		}
		defer s.Close()
		_ = s.Each(t.Context(), func(rec Record, err error) error {
			if err == nil && len(rec.Data) > 4096*8 {
				t.Errorf("a record of %d bytes", len(rec.Data))
			}
			if err == nil && rec.Text != nil {
				made, err := rec.Text(t.Context(), slices.Clone(rec.Data))
				if err == nil && strings.ToValidUTF8(made.Text, "") != made.Text {
					t.Errorf("the text %.40q is not UTF-8", made.Text)
				}
			}
			return nil
		})
	})
}

// TestTar reads archives of files as streams, however they are packed.
func TestTar(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range []string{"a/one.txt", ".hidden", "../out.txt", "two.html"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 5, ModTime: time.Unix(1e9, 0)}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "<p>%s", name[:2])
	}
	_ = w.Close()
	want := []string{"a/one.txt: <p>a/", "../out.txt: ! damaged or not whole: its path leads out", "two.html: <p>tw"}
	z, _ := zstd.NewWriter(nil)
	expect(t, read(t, "a.tar", b.String(), Options{}), want...)
	expect(t, read(t, "a.tgz", gzipped(b.String()), Options{}), want...)
	expect(t, read(t, "a.tar.zst", string(z.EncodeAll(b.Bytes(), nil)), Options{}), want...)
	got := read(t, "a.tar", b.String()[:512*6+100], Options{})
	expect(t, got, want[0], want[1], "!! damaged or not whole: unexpected EOF")
}

// TestTarEnd tells an archive that ends without the mark of its end, and what follows that mark.
func TestTarEnd(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, kind := range []byte{tar.TypeReg, tar.TypeCont} {
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprint(i, ".txt"), Mode: 0o600, Size: 5, Typeflag: kind, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, "words")
	}
	_ = w.Close()
	all := b.String()
	first, both := "0.txt: words", "1.txt: words"
	expect(t, read(t, "a.tar", all, Options{}), first, both)
	expect(t, read(t, "a.tar", all+strings.Repeat("\x00", 10<<10), Options{}), first, both)
	expect(t, read(t, "a.tar", all[:len(all)-512], Options{}), first, both)
	for _, cut := range []int{512 + 5, 1024 - 1, 1024} {
		expect(t, read(t, "a.tar", all[:cut], Options{}), first, "!! damaged or not whole: the end marker of the archive is missing: it may be truncated")
	}
	for _, more := range []string{all, strings.Repeat("\x00", 10<<10) + all, "x"} {
		expect(t, read(t, "a.tar", all+more, Options{}), first, both, "!! damaged or not whole: data follow the end marker of the archive")
	}
}

// TestManyMembers: an archive that is read as a stream may unpack to any size.
func TestManyMembers(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for range 100 {
		if err := w.WriteHeader(&tar.Header{Name: "a.txt", Mode: 0o600, Size: 10}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, "ten bytes ")
	}
	_ = w.Close()
	got := read(t, "a.tar", b.String(), Options{MaxBytes: 10})
	if len(got) != 100 || got[99] != "a.txt: ten bytes " {
		t.Errorf("%d members, the last %q", len(got), got[len(got)-1])
	}
}

// TestSevenZip reads archives of 7-Zip, whatever they are called.
func TestSevenZip(t *testing.T) {
	a := seventest.Archive{Method: "lzma2", Packed: true, Files: []seventest.File{{Name: "a/one.txt", Content: "one"}, {Name: ".hidden", Content: "no"}, {Name: "../out.txt", Content: "out"}, {Name: "/abs.txt", Content: "abs"},
		{Name: "long.txt", Content: strings.Repeat("long ", 5000)}, {Name: "two.html", Content: "<p>two"}}}
	want := []string{"a/one.txt: one", "../out.txt: ! damaged or not whole: its path leads out", "/abs.txt: ! damaged or not whole: its path leads out", "long.txt: ! too large", "two.html: <p>two"}
	for _, name := range []string{"a.7z", "a.bin"} {
		expect(t, read(t, name, string(a.Bytes()), Options{MaxBytes: 20_000}), want...)
	}
	a.Method = "\x06\xf1\x07\x01"
	expect(t, read(t, "a.7z", string(a.Bytes()), Options{MaxBytes: 20_000}), "a/one.txt: ! encrypted with a password", want[1], want[2], "long.txt: ! too large", "two.html: ! encrypted with a password")
}

// TestXz reads what xz packed, and refuses what asks for more memory than there is.
func TestXz(t *testing.T) {
	packed, err := base64.StdEncoding.DecodeString("/Td6WFoAAATm1rRGAgAhARwAAAAQz1jMAQAXeyJ0ZXh0IjoicGFja2VkIGJ5IHh6In0KABNKWI1OlBMdAAEwGI4brOwftvN9AQAAAAAEWVo=")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, read(t, "a.jsonl.xz", string(packed), Options{}), "line 1: packed by xz")
	greedy := bytes.Clone(packed)
	greedy[12+4] = 40 // 4 GB of what is before
	binary.LittleEndian.PutUint32(greedy[12+8:], crc32.ChecksumIEEE(greedy[12:12+8]))
	if s, err := Open(t.Context(), bytes.NewReader(greedy), "a.jsonl.xz", Options{}); s != nil || !errors.Is(err, format.ErrDamaged) {
		t.Errorf("it is opened: %v", err)
	}
}

func TestMbox(t *testing.T) {
	mail := func(n, text string) string {
		return "From a@b Mon Jan  1 00:00:00 2024\nFrom: a@b\nSubject: " + n + "\nMessage-ID: <" + n + ">\nArchived-At: <https://example.org/" + n + ">\n\n" + text + "\n\n"
	}
	box := mail("1", "one\n>From here\nFrom there") + mail("2", strings.Repeat("long ", 100)) + mail("3", "three")
	want := []string{": From: a@b\nSubject: 1\nMessage-ID: <1>\nArchived-At: <https://example.org/1>\n\none\nFrom here\nFrom there\n\n", ": ! too large", ": From: a@b\nSubject: 3"}
	expect(t, read(t, "a.mbox", box, Options{MaxBytes: 400}), want...)
	expect(t, read(t, "a.mbox.gz", gzipped(box), Options{MaxBytes: 400}), want...)
	s, err := Open(t.Context(), strings.NewReader(box), "a.mbox", Options{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	err = s.Each(t.Context(), func(r Record, err error) error {
		if count++; err != nil || r.Address != fmt.Sprintf("https://example.org/%d", count) {
			t.Errorf("message %d: %q, %v", count, r.Address, err)
		}
		return nil
	})
	if err != nil || count != 3 {
		t.Errorf("%d messages, %v", count, err)
	}
	cut := gzipped(mail("2", strings.Repeat("lost ", 3000)))
	expect(t, read(t, "a.mbox.gz", gzipped(mail("1", "one"))+cut[:len(cut)-9]+gzipped(mail("3", "three")), Options{}), ": From: a@b\nSubject: 1", ": ! damaged", ": From: a@b\nSubject: 3")
}
