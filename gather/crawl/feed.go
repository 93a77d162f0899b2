package crawl

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"mime"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/otisk/otisk/document/article"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/lang/phrase"
)

type feed struct {
	URL      string   `json:"url"`
	ETag     string   `json:"etag,omitempty"`
	Modified string   `json:"modified,omitempty"`
	Failed   bool     `json:"failed,omitempty"` // the last request failed
	Items    []*item  `json:"items"`
	Maps     []string `json:"maps,omitempty"` // sitemaps that it lists

	// Busy is set if the server has asked to be requested later.
	Busy *fetch.BusyError `json:"busy,omitempty"`

	left error // as in reading
}

type item struct {
	Link   string    `json:"link"`
	Title  string    `json:"title,omitempty"`
	Author string    `json:"author,omitempty"`
	Date   time.Time `json:"date,omitzero"`
	Hash   string    `json:"hash"`           // of all texts and dates in the item
	Done   string    `json:"done,omitempty"` // Hash when the article was last fetched
	Failed bool      `json:"failed,omitempty"`
	Text   string    `json:"text,omitempty"` // of the article, if the feed has all of it
	Seen   time.Time `json:"seen"`           // for the first time

	// Busy is set if the server has asked for a later request for the article.
	Busy *fetch.BusyError `json:"busy,omitempty"`
}

type reading struct {
	items  []*item
	maps   []string // sitemaps that it lists
	left   error    // the number of entries that could not be read, as an error; nil for none
	broken bool     // the entries after a syntax error are missing, or some of them
}

const maxItems = 10_000

// carried is how long after its first appearance an article that could not be
// fetched is retried if its feed no longer lists it.
const carried = 7 * 24 * time.Hour

// madeOfEntities matches declarations of entities that contain other entities. A
// few of them can expand to gigabytes.
var madeOfEntities = format.Pattern(`(?i)<!ENTITY\s+[^%\s>]+\s+("[^"]*&[^#"][^"]*"|'[^']*&[^#'][^']*')`)

var errBomb error = phrase.Error("cause.entity-bomb", "broken feed: it declares entities that contain other entities (an entity bomb)")

// errMisplaced is the cause if entries of a feed are not where a feed has them.
var errMisplaced error = phrase.Error("cause.entry-misplaced", "an article has no end tag, or is in the wrong element")

var errNoFeed error = phrase.Error("cause.not-feed", "not a feed: neither RSS nor Atom nor JSON Feed nor a sitemap")

// read updates f by a response. Items that the feed no longer lists are dropped,
// except new ones whose articles have never been fetched.
func (f *feed) read(ctx context.Context, res *fetch.Response, now time.Time, hasEntry func(link string) bool) error {
	got, err := parseFeed(ctx, res)
	if err != nil {
		return err
	}
	items := got.items
	old := map[string]*item{}
	for _, it := range f.Items {
		old[it.Link] = it
	}
	for _, it := range items {
		it.Seen = now.UTC()
		if before := old[it.Link]; before != nil {
			it.Done, it.Seen, it.Failed = before.Done, before.Seen, before.Failed
			it.Busy = before.Busy
			delete(old, it.Link)
		}
	}
	for _, it := range f.Items {
		if old[it.Link] != nil && it.Done == "" && now.Sub(it.Seen) < carried && !hasEntry(it.Link) {
			items = append(items, it)
		}
	}
	f.Items, f.Maps, f.left, f.ETag, f.Modified = items, got.maps, got.left, "", ""
	if !got.broken { // a broken feed is requested without conditions
		f.ETag, f.Modified = res.Header.Get("ETag"), res.Header.Get("Last-Modified")
	}
	return nil
}

// parseFeed returns the content of a feed or a sitemap, its items without duplicates.
func parseFeed(ctx context.Context, res *fetch.Response) (*reading, error) {
	if res.Gone() {
		return nil, phrase.Error("gather.no-feed", "{cause} {status}: there is no such feed", "cause", fetch.ErrStatus, "status", res.Status)
	}
	base, err := url.Parse(res.URL)
	if err != nil {
		return nil, err
	}
	text, err := feedText(ctx, res)
	if err != nil {
		return nil, err
	}
	if madeOfEntities().Match(text) {
		return nil, errBomb
	}
	if got, err := parseSitemap(text, base); got != nil || err != nil {
		return got, err
	}
	parsed, got, err := parsedFeed(text, base)
	if err != nil {
		return nil, err
	}
	return got, got.add(parsed, base)
}

// parsedFeed parses a feed. If its syntax is broken, it returns the entries that can be read.
func parsedFeed(text []byte, base *url.URL) ([]*gofeed.Item, *reading, error) {
	got := new(reading)
	parsed, err := gofeed.NewParser().Parse(bytes.NewReader(text))
	var list []*gofeed.Item
	switch {
	case errors.Is(err, gofeed.ErrFeedTypeNotDetected):
		return nil, nil, notFeed(text, base)
	case err != nil:
		if list = salvage(text); len(list) == 0 {
			return nil, nil, phrase.Error("gather.feed-broken", "broken feed: {cause}", "cause", err)
		}
	default:
		list = parsed.Items
	}
	if all := len(entryStart().FindAllIndex(notMarkup().ReplaceAll(text, nil), -1)); err != nil || parsed.FeedType != "json" && all > len(list) {
		got.broken = true
		got.left = phrase.Error("cause.feed-broken", "broken feed, of whose {all} articles {n} were read: {cause}", "all", all, "n", len(list), "cause", cmp.Or(err, errMisplaced))
	}
	if len(list) > maxItems {
		return nil, nil, phrase.Error("gather.feed-long", "broken feed: it lists {articles} articles, the limit is {most}", "articles", len(list), "most", maxItems)
	}
	return list, got, nil
}

func (r *reading) add(list []*gofeed.Item, base *url.URL) error {
	skipped, seen := 0, map[string]bool{}
	for _, from := range list {
		switch it := itemOf(from, base); {
		case it == nil:
			skipped++
		case !seen[it.Link]:
			seen[it.Link] = true
			r.items = append(r.items, it)
		}
	}
	if len(r.items) == 0 && skipped > 0 {
		return phrase.Error("gather.feed-addresses", "broken feed: none of its {articles} articles has a web address", "articles", skipped)
	}
	if skipped > 0 && r.left == nil {
		r.left = noAddresses(skipped)
	}
	return nil
}

func noAddresses(n int) error {
	return phrase.Error("cause.no-addresses", "articles without a web address: {n}", "n", n)
}

var xmlEncoding = format.Pattern(`^(<\?xml[^>]*?)\s+encoding\s*=\s*("[^"]*"|'[^']*')`)

// feedText returns a feed in UTF-8, without the encoding in its XML declaration.
func feedText(ctx context.Context, res *fetch.Response) ([]byte, error) {
	body, err := unzipped(res.Body)
	if err != nil {
		return nil, err
	}
	body = bytes.TrimLeft(bytes.TrimPrefix(body, format.BOM), " \t\r\n")
	if len(body) == 0 {
		return nil, format.ErrEmpty
	}
	declared := cmp.Or(charsetOf(res.Header.Get("Content-Type")), charset.XMLDeclared(body))
	text, _, err := charset.Decode(ctx, &format.Source{Data: body, Budget: budget}, declared)
	if err != nil {
		return nil, err
	}
	return xmlEncoding().ReplaceAll(text, []byte("$1")), nil
}

// charsetOf returns the charset parameter of a media type; "" if it has none.
func charsetOf(media string) string {
	_, params, err := mime.ParseMediaType(media)
	if err != nil {
		return ""
	}
	return params["charset"]
}

// itemOf converts an item of a parsed feed. It returns nil if the item has no address.
func itemOf(from *gofeed.Item, base *url.URL) *item {
	link := addressOf(from, base)
	if link == "" {
		return nil
	}
	it := &item{Link: link, Title: titleOf(from.Title)}
	for _, p := range from.Authors {
		if it.Author = oneLine(p.Name); it.Author != "" {
			break
		}
	}
	if at := cmp.Or(from.PublishedParsed, from.UpdatedParsed); at != nil {
		it.Date = at.UTC()
	}
	it.Text = feedArticle(from)
	sum := sha256.New()
	for _, s := range []string{from.Title, from.Description, from.Content, from.Published, from.Updated} {
		fmt.Fprintf(sum, "%d %s\n", len(s), s)
	}
	it.Hash = hex.EncodeToString(sum.Sum(nil)[:8])
	return it
}

// Limits of a text in a feed, in words and bytes: a shorter one is a summary; a longer one
// is not kept in the state.
const (
	leastFeedWords = 50
	mostFeedBytes  = 200_000
)

// feedArticle returns the text of the article that an item has in content:encoded or a similar
// element, "" if it has none.
func feedArticle(from *gofeed.Item) string {
	content := from.Content
	if len(content) > mostFeedBytes || len(strings.Fields(content)) < leastFeedWords {
		return ""
	}
	text, err := article.PageText(context.Background(), []byte("<!DOCTYPE html><body>"+content), budget, false)
	if err != nil || len(strings.Fields(text)) < leastFeedWords {
		return ""
	}
	return text
}

// inline matches inline HTML tags, which many feeds have in titles.
var inline = format.Pattern(`(?i)</?(?:a|abbr|b|big|br|cite|code|em|font|i|mark|q|small|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>`)

// titleOf returns a title as plain text: without tags and with entities decoded. No
// feed reliably states whether its titles are HTML or escaped twice.
func titleOf(s string) string { return oneLine(html.UnescapeString(inline().ReplaceAllString(s, ""))) }

// longestAddress is the maximum length of an address in bytes, since foreign ones
// are stored and displayed.
const longestAddress = 4096

// addressOf returns the address of an article; "" if it has none.
func addressOf(from *gofeed.Item, base *url.URL) string {
	for _, link := range slices.Concat([]string{from.Link}, from.Links, []string{from.GUID}) {
		if link = strings.TrimSpace(link); link == "" || len(link) > longestAddress {
			continue
		}
		if link == from.GUID && !strings.Contains(link, "://") {
			continue // an id, not an address
		}
		if address := webAddress(link, base); address != "" {
			return address
		}
	}
	return ""
}

// webAddress returns the web address of a link without fragment and user name; "" if it has none.
func webAddress(link string, base *url.URL) string {
	u, err := base.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u.String()
}

// oneLine replaces each run of white space in a text by one space.
func oneLine(s string) string { return flow.OneLine(strings.ToValidUTF8(s, "\ufffd")) }

// tracking matches query parameters that track how readers arrive.
var tracking = format.Pattern(`^(utm_[a-z]+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|at_medium|at_campaign)$`)

// linkKey normalizes an address for comparison. Addresses that differ only in
// tracking parameters, fragment or user name have the same key.
func linkKey(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	u.Path = cmp.Or(u.Path, "/")
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); part != "" && !tracking().MatchString(strings.ToLower(name)) {
			kept = append(kept, part)
		}
	}
	u.RawQuery = strings.Join(kept, "&")
	return u.String()
}
