package crawl

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/xmltree"
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

// listLimits has the depth of OPML, which has nested folders.
var listLimits = xmltree.Limits{Depth: 32, Text: true}

func parseList(data []byte) (*List, error) {
	elements, err := listLimits.Parse(data)
	if err != nil {
		return nil, err
	}
	if len(elements) != 1 {
		return nil, phrase.Error("said.not-xml", "not XML: want <crawl> with <feed> in it, or OPML")
	}
	list, root := new(List), elements[0]
	switch root.Name {
	case "opml":
		err = list.opml(root)
	case "rss", "feed", "RDF":
		return nil, root.Wrong(phrase.Error("gather.list-feed", "the file is a feed, not a list of feeds: pass the address of the feed instead"))
	default:
		err = list.settings(root)
	}
	if err == nil && len(list.Feeds)+len(list.Sites) == 0 {
		err = root.Wrong(phrase.Error("gather.list-empty", "it lists no feeds"))
	}
	return list, err
}

func (l *List) opml(n *xmltree.Element) error {
	for _, c := range n.Children {
		if at := strings.TrimSpace(c.Attr("xmlUrl")); c.Name == "outline" && at != "" {
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

func (l *List) settings(root *xmltree.Element) error {
	for _, n := range root.Children {
		var err error
		text := n.Value()
		switch n.Name {
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
			err = n.Wrong(phrase.Error("gather.list-element", "unknown element: want feed, site, contact or allow_host"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *List) add(n *xmltree.Element, at string) error {
	if fetch.Check(at) != nil {
		return n.Wrong(phrase.Error("gather.list-address", "{address} is not a web address, such as https://www.example.org/rss.xml", "address", strconv.Quote(at)))
	}
	l.Feeds = append(l.Feeds, at)
	return nil
}

func (l *List) site(n *xmltree.Element) error {
	s := Site{Host: strings.ToLower(strings.TrimSpace(n.Attr("host")))}
	if s.Host == "" || strings.ContainsAny(s.Host, "/:*@ ") {
		return n.Wrong(phrase.Error("gather.list-host", "host {host} is not a host name, such as www.example.org", "host", strconv.Quote(n.Attr("host"))))
	}
	for _, old := range l.Sites {
		if old.Host == s.Host {
			return n.Wrong(phrase.Error("gather.list-rule", "a second rule for {host}", "host", s.Host))
		}
	}
	parts := map[string]*Selector{"title": &s.Title, "author": &s.Author, "date": &s.Date, "text": &s.Text, "remove": &s.Remove}
	for _, c := range n.Children {
		text := c.Value()
		if c.Name == "encoding" {
			if _, err := htmlindex.Get(text); err != nil {
				return c.Wrong(phrase.Error("settings.encoding", "unknown encoding {name}", "name", strconv.Quote(text)))
			}
			s.Encoding = text
			continue
		}
		part := parts[c.Name]
		if part == nil {
			return c.Wrong(phrase.Error("gather.site-element", "unknown element: want title, author, date, text, remove or encoding"))
		}
		sel, err := ParseSelector(text)
		if err != nil {
			return c.Wrong(err)
		}
		*part = sel
	}
	l.Sites = append(l.Sites, s)
	return nil
}
