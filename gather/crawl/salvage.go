package crawl

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// Parts of a feed that cannot be parsed as a whole.
var (
	feedRoot   = format.Pattern(`<(rss|rdf:RDF|feed)(?:\s[^>]*)?>`)
	entryStart = format.Pattern(`<(item|entry)[\s>]`)
	notMarkup  = format.Pattern(`(?s)<!\[CDATA\[.*?\]\]>|<!--.*?-->`)
	bareAnd    = format.Pattern(`&([^#A-Za-z]|#[^0-9x]|[A-Za-z0-9]+[^A-Za-z0-9;]|$)`)
)

// salvage returns the entries of a feed with broken syntax that can be parsed alone.
func salvage(text []byte) (list []*gofeed.Item) {
	root := feedRoot().FindSubmatch(text)
	if root == nil {
		return nil
	}
	before, after := string(root[0]), "</"+string(root[1])+">"
	if string(root[1]) == "rss" {
		before, after = before+"<channel>", "</channel>"+after
	}
	for _, entry := range entriesOf(text) {
		for _, source := range [][]byte{entry, bareAnd().ReplaceAll(entry, []byte("&amp;$1"))} {
			parsed, err := gofeed.NewParser().ParseString(before + string(source) + after)
			if err == nil && len(parsed.Items) == 1 {
				list = append(list, parsed.Items[0])
				break
			}
		}
	}
	return list
}

func entriesOf(text []byte) (list [][]byte) {
	starts := entryStart().FindAllSubmatchIndex(text, maxItems+1)
	for i, at := range starts {
		entry := text[at[0]:]
		if i+1 < len(starts) {
			entry = text[at[0]:starts[i+1][0]]
		}
		end := fmt.Sprintf("</%s>", text[at[2]:at[3]])
		if to := bytes.Index(entry, []byte(end)); to >= 0 {
			list = append(list, entry[:to+len(end)])
		}
	}
	return list
}

// feedMedia are the media types by which pages link to their feeds.
var feedMedia = map[string]bool{"application/rss+xml": true, "application/atom+xml": true, "application/feed+json": true}

// notFeed returns the error for a text that is not a feed. If it is a page, the error has the
// addresses of the feeds that the page names.
func notFeed(text []byte, base *url.URL) error {
	var named []string
	z := html.NewTokenizer(bytes.NewReader(text[:min(len(text), 256<<10)]))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		tok := z.Token()
		attr := map[string]string{}
		for _, a := range tok.Attr {
			attr[a.Key] = strings.TrimSpace(a.Val)
		}
		if tok.Data == "link" && strings.EqualFold(attr["rel"], "alternate") && feedMedia[strings.ToLower(attr["type"])] {
			if address := webAddress(attr["href"], base); address != "" && len(address) <= longestAddress && len(named) < 5 {
				named = append(named, address)
			}
		}
	}
	if len(named) == 0 {
		return errNoFeed
	}
	return phrase.Error("cause.page-of-feeds", "not a feed, but a page that names {feeds}", "feeds", strings.Join(unique(named), ", "))
}
