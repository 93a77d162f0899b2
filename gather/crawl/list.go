package crawl

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// A List is the content of a list of feeds.
type List struct {
	Feeds   []string
	Sites   []Site
	Allow   []string // hosts that may be in the user's own network
	Contact string   // address at which operators of servers can reach the user
}

var errList error = phrase.Error("said.no-feed-list", "not a list of feeds")

// ReadList reads a list of feeds: settings in XML, or OPML as feed readers export
// it. Errors name the line.
//
//	<crawl>
//	  <contact>https://www.example.org/bot</contact>
//	  <feed>https://www.example.cz/rss.xml</feed>
//	  <site host="example.cz">
//	    <title>h1</title> <date>time@datetime</date> <author>.author</author>
//	    <text>div.article</text> <remove>.related, figure</remove>
//	  </site>
//	</crawl>
func ReadList(path string) (*List, error) {
	const most = 64 << 20
	file, err := os.Open(path)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, oserror.Cause(err)
	case len(data) > most:
		return nil, phrase.Error("gather.list-large", "{cause}: larger than {bytes} bytes", "cause", errList, "bytes", most)
	}
	list, err := parseList(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errList, err)
	}
	return list, nil
}

// A node is an XML element of a list, with its line number.
type node struct {
	name     string
	line     int
	attrs    map[string]string
	text     string
	children []*node
}

func (n *node) fault(err error) error {
	return phrase.Error("settings.element", "line {line}: {element}: {cause}", "line", n.line, "element", n.name, "cause", err)
}

// maxDepth is the maximum depth of nested elements; OPML has nested folders.
const maxDepth = 32

// parseTree parses XML. It rejects a DOCTYPE, which no list needs, and with it
// declarations of entities.
func parseTree(data []byte) (*node, error) {
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, format.BOM)))
	dec.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		enc, err := charset.Lookup(label)
		if err != nil {
			return nil, phrase.Error("settings.encoding", "unknown encoding {name}", "name", strconv.Quote(label))
		}
		return enc.NewDecoder().Reader(r), nil
	}
	root := new(node)
	for open := []*node{root}; ; {
		line, _ := dec.InputPos()
		tok, err := dec.Token()
		top := open[len(open)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &node{name: tok.Name.Local, line: line, attrs: map[string]string{}}
			for _, a := range tok.Attr {
				n.attrs[strings.ToLower(a.Name.Local)] = a.Value
			}
			top.children = append(top.children, n)
			if open = append(open, n); len(open) > maxDepth {
				return nil, n.fault(phrase.Error("settings.nested", "elements are nested more than {most} deep", "most", maxDepth))
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += string(tok)
		case xml.Directive:
			return nil, atLine(line, phrase.Error("settings.doctype", "<!DOCTYPE> and entity declarations are not allowed"))
		}
		if err == io.EOF {
			return root, nil
		}
		if err != nil {
			return nil, syntax(err, line)
		}
	}
}

func syntax(err error, line int) error {
	var se *xml.SyntaxError
	if errors.As(err, &se) {
		line = se.Line
	}
	return atLine(line, phrase.Error("settings.broken", "broken XML: {cause}", "cause", phrase.XML(err)))
}

func atLine(line int, err error) error {
	return phrase.Error("settings.line", "line {line}: {cause}", "line", line, "cause", err)
}

func parseList(data []byte) (*List, error) {
	tree, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	if len(tree.children) != 1 {
		return nil, phrase.Error("said.not-xml", "not XML: want <crawl> with <feed> in it, or OPML")
	}
	list, root := new(List), tree.children[0]
	switch root.name {
	case "opml":
		err = list.opml(root)
	case "rss", "feed", "RDF":
		return nil, root.fault(phrase.Error("gather.list-feed", "the file is a feed, not a list of feeds: pass the address of the feed instead"))
	default:
		err = list.settings(root)
	}
	if err == nil && len(list.Feeds)+len(list.Sites) == 0 {
		err = root.fault(phrase.Error("gather.list-empty", "it lists no feeds"))
	}
	return list, err
}

func (l *List) opml(n *node) error {
	for _, c := range n.children {
		if at := strings.TrimSpace(c.attrs["xmlurl"]); c.name == "outline" && at != "" {
			if err := l.add(c, at); err != nil {
				return err
			}
		}
		if err := l.opml(c); err != nil {
			return err
		}
	}
	return nil
}

func (l *List) settings(root *node) error {
	for _, n := range root.children {
		var err error
		text := strings.TrimSpace(n.text)
		switch n.name {
		case "feed":
			err = l.add(n, text)
		case "feeds":
			err = l.settings(n)
		case "site":
			err = l.site(n)
		case "allow_host":
			l.Allow = append(l.Allow, text)
		case "contact":
			l.Contact = text
		default:
			err = n.fault(phrase.Error("gather.list-element", "unknown element: want feed, site, contact or allow_host"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *List) add(n *node, at string) error {
	if fetch.Check(at) != nil {
		return n.fault(phrase.Error("gather.list-address", "{address} is not a web address, such as https://www.example.org/rss.xml", "address", strconv.Quote(at)))
	}
	l.Feeds = append(l.Feeds, at)
	return nil
}

func (l *List) site(n *node) error {
	s := Site{Host: strings.ToLower(strings.TrimSpace(n.attrs["host"]))}
	if s.Host == "" || strings.ContainsAny(s.Host, "/:*@ ") {
		return n.fault(phrase.Error("gather.list-host", "host {host} is not a host name, such as www.example.org", "host", strconv.Quote(n.attrs["host"])))
	}
	for _, old := range l.Sites {
		if old.Host == s.Host {
			return n.fault(phrase.Error("gather.list-rule", "a second rule for {host}", "host", s.Host))
		}
	}
	parts := map[string]*Selector{"title": &s.Title, "author": &s.Author, "date": &s.Date, "text": &s.Text, "remove": &s.Remove}
	for _, c := range n.children {
		text := strings.TrimSpace(c.text)
		if c.name == "encoding" {
			if _, err := htmlindex.Get(text); err != nil {
				return c.fault(phrase.Error("settings.encoding", "unknown encoding {name}", "name", strconv.Quote(text)))
			}
			s.Encoding = text
			continue
		}
		part := parts[c.name]
		if part == nil {
			return c.fault(phrase.Error("gather.site-element", "unknown element: want title, author, date, text, remove or encoding"))
		}
		sel, err := ParseSelector(text)
		if err != nil {
			return c.fault(err)
		}
		*part = sel
	}
	l.Sites = append(l.Sites, s)
	return nil
}
