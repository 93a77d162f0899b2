package main

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/bench/novels"
)

// Documents have from leastWords to mostWords words.
const (
	leastWords = 200
	mostWords  = 6000
)

// A maker makes documents out of novels: words that follow one another, of which
// every ninth is another one of the same novel. The same novels give the same documents.
type maker struct {
	novels [][]string // words, some with an empty line after them
	r      *rand.Rand
	made   int
}

// A document is one to write.
type document struct {
	number int
	title  string
	text   string
}

// newMaker reads the novels of some folders.
func newMaker(dirs []string) (*maker, error) {
	m := &maker{r: rand.New(rand.NewPCG(3, 4))}
	for _, dir := range dirs {
		read, err := novels.Read(dir)
		if err != nil {
			return nil, err
		}
		for _, n := range read {
			var words []string
			for par := range strings.SplitSeq(n.Body, "\n\n") {
				words = append(words, strings.Fields(par)...)
				if len(words) > 0 {
					words[len(words)-1] += "\n\n"
				}
			}
			if len(words) > mostWords {
				m.novels = append(m.novels, words)
			}
		}
	}
	return m, nil
}

// next makes the next document.
func (m *maker) next() document {
	novel := m.novels[m.r.IntN(len(m.novels))]
	count := leastWords + m.r.IntN(mostWords-leastWords)
	from := m.r.IntN(len(novel) - count)
	var b strings.Builder
	for i, word := range novel[from : from+count] {
		if i%9 == 8 {
			word = novel[m.r.IntN(len(novel))]
		}
		b.WriteString(word)
		if !strings.HasSuffix(word, "\n") {
			b.WriteByte(' ')
		}
	}
	m.made++
	text := strings.TrimSpace(b.String())
	title := strings.Join(strings.Fields(text)[:3], " ")
	return document{m.made, fmt.Sprintf("%s %d", strings.Trim(title, " .,;:!?"), m.made), text}
}

// make writes a container of so many bytes before packing; the name of the file says
// of which kind, and how it is packed.
func makeFile(path string, size int64, dirs []string) (err error) {
	m, err := newMaker(dirs)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<20)
	name := filepath.Base(path)
	switch {
	case strings.Contains(name, ".xml"):
		err = m.wiki(&streams{to: buffered}, size)
	case strings.Contains(name, ".warc"):
		err = m.warc(&members{to: buffered}, size)
	case strings.HasSuffix(name, ".zst"):
		err = m.packed(buffered, size)
	default:
		err = m.lines(buffered, size)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d documents\n", path, m.made)
	return buffered.Flush()
}

// Streams packs pieces by bzip2, each as a stream of its own.
type streams struct {
	to   io.Writer
	size int64 // before
}

func (s *streams) put(piece []byte) error {
	s.size += int64(len(piece))
	cmd := exec.Command("bzip2", "-c")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(piece), s.to, os.Stderr
	return cmd.Run()
}

// pagesTogether is how many pages are in one stream of a dump.
const pagesTogether = 100

// wiki writes a dump of MediaWiki as the pages-articles-multistream of Wikipedia are.
func (m *maker) wiki(to *streams, size int64) error {
	head := `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11"><siteinfo><sitename>Wiki</sitename><base>https://wiki.example.org/wiki/Main</base></siteinfo>` + "\n"
	if err := to.put([]byte(head)); err != nil {
		return err
	}
	for to.size < size {
		var b bytes.Buffer
		for range pagesTogether {
			d := m.next()
			fmt.Fprintf(&b, "  <page>\n    <title>%s</title>\n    <ns>0</ns>\n    <id>%d</id>\n    <revision>\n      <timestamp>2024-05-01T10:00:00Z</timestamp>\n      <text bytes=\"%d\" xml:space=\"preserve\">%s</text>\n    </revision>\n  </page>\n",
				html.EscapeString(d.title), d.number, len(d.text), html.EscapeString(wikitext(d)))
		}
		if err := to.put(b.Bytes()); err != nil {
			return err
		}
	}
	return to.put([]byte("</mediawiki>\n"))
}

// wikitext gives a text headings, links, references and a template.
func wikitext(d document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{{Infobox book|name=%s|pages=%d}}\n'''%s''' ", d.title, d.number%900, d.title)
	for i, par := range strings.Split(d.text, "\n\n") {
		if i%8 == 7 {
			fmt.Fprintf(&b, "== Part %d ==\n", i/8+1)
		}
		first, rest, _ := strings.Cut(par, " ")
		fmt.Fprintf(&b, "[[%s]] %s<ref>{{cite book|title=%s|page=%d}}</ref>\n\n", first, rest, d.title, i)
	}
	return b.String() + "[[Category:Novels]]\n"
}

// Members packs pieces by gzip, each by itself.
type members struct {
	to   io.Writer
	size int64
}

func (s *members) put(piece []byte) error {
	s.size += int64(len(piece))
	z := gzip.NewWriter(s.to)
	if _, err := z.Write(piece); err != nil {
		return err
	}
	return z.Close()
}

// warc writes an archive of the web as crawlers do: a request and a response for each page.
func (m *maker) warc(to *members, size int64) error {
	for to.size < size {
		d := m.next()
		address := fmt.Sprintf("https://site%d.example.org/a/%d.html", d.number%50, d.number)
		ask := "GET / HTTP/1.1\r\nHost: example.org\r\nUser-Agent: bench\r\n\r\n"
		if err := to.put(record("request", address, "application/http; msgtype=request", ask)); err != nil {
			return err
		}
		answer := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + webPage(d)
		if err := to.put(record("response", address, "application/http; msgtype=response", answer)); err != nil {
			return err
		}
	}
	return nil
}

func record(kind, address, media, content string) []byte {
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2024-05-01T10:00:00Z\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, address, media, len(content), content)
}

// webPage makes a page with what is around its text.
func webPage(d document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>%s</title></head><body>\n<nav><ul>", html.EscapeString(d.title))
	for i := range 20 {
		fmt.Fprintf(&b, `<li><a class="nav-link" href="/section/%d">Section %d</a></li>`, i, i)
	}
	b.WriteString("</ul></nav><main><article>\n")
	for par := range strings.SplitSeq(d.text, "\n\n") {
		fmt.Fprintf(&b, "<p class=\"text\">%s</p>\n", html.EscapeString(par))
	}
	return b.String() + "</article></main><footer><p>All rights reserved</p></footer></body></html>\n"
}

// packed writes JSON Lines, packed by zstd.
func (m *maker) packed(to io.Writer, size int64) error {
	z, err := zstd.NewWriter(to)
	if err != nil {
		return err
	}
	if err := m.lines(z, size); err != nil {
		return err
	}
	return z.Close()
}

// lines writes JSON Lines in ASCII, as many programs do.
func (m *maker) lines(to io.Writer, size int64) error {
	for written := int64(0); written < size; {
		d := m.next()
		n, err := fmt.Fprintf(to, "{\"id\": \"doc-%d\", \"url\": \"https://example.org/%d\", \"title\": %s, \"author\": \"A. Author\", \"year\": %d, \"lang\": \"%s\", \"text\": %s}\n",
			d.number, d.number, quoted(d.title), 1900+d.number%120, [...]string{"cs", "en"}[d.number%2], quoted(d.text))
		if err != nil {
			return err
		}
		written += int64(n)
	}
	return nil
}

// quoted returns a text as JSON of ASCII.
func quoted(text string) string {
	b := []byte{'"'}
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		case r < ' ' || r > '~':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, byte(r))
		}
	}
	return string(append(b, '"'))
}
