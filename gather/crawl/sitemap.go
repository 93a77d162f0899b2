package crawl

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/lang/phrase"
)

// maxInMap is the maximum number of entries in a sitemap, by its protocol (sitemaps.org).
const maxInMap = 50_000

// maxUnzipped is the maximum size of a sitemap that is compressed as a file, in bytes.
const maxUnzipped = 64 << 20

// unzipped returns the content of a body that is a gzip file, and other bodies unchanged.
func unzipped(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxUnzipped+1))
	switch {
	case len(text) > maxUnzipped:
		return nil, phrase.Error("gather.map-large", "{cause}: more than {bytes} bytes", "cause", fetch.ErrTooLarge, "bytes", maxUnzipped)
	case errors.Is(err, io.ErrUnexpectedEOF) && len(text) > 0:
		return text, nil // the syntax error at its end is reported
	}
	return text, err
}

// A mapEntry is an entry of a sitemap, or of an index of sitemaps.
type mapEntry struct {
	Address  string `xml:"loc"`
	Modified string `xml:"lastmod"`
	News     struct {
		Title string `xml:"title"`
		Date  string `xml:"publication_date"`
	} `xml:"news"`
}

// parseSitemap returns the addresses in a sitemap, or of the sitemaps in an index of sitemaps.
// It returns nil if text is neither. If its syntax is broken, it returns the entries before
// the error.
func parseSitemap(text []byte, base *url.URL) (*reading, error) {
	dec := xml.NewDecoder(bytes.NewReader(text))
	dec.Strict, dec.Entity = false, xml.HTMLEntity
	root, err := firstElement(dec)
	if err != nil || root != "urlset" && root != "sitemapindex" {
		return nil, nil
	}
	entries, err := mapEntries(dec)
	got := mapReading(entries, root == "sitemapindex", base)
	switch {
	case len(entries) > maxInMap:
		return nil, phrase.Error("gather.map-entries", "broken sitemap: it has more than {most} entries", "most", maxInMap)
	case err != nil && len(entries) == 0:
		return nil, phrase.Error("gather.map-broken", "broken sitemap: {cause}", "cause", err)
	case err != nil:
		got.broken = true
		got.left = phrase.Error("cause.sitemap-broken", "broken sitemap, of which {n} entries were read: {cause}", "n", len(entries), "cause", err)
	}
	return got, nil
}

// mapEntries returns the entries of a sitemap before the first syntax error, at most one more
// than maxInMap.
func mapEntries(dec *xml.Decoder) (list []mapEntry, err error) {
	for len(list) <= maxInMap {
		tok, err := dec.Token()
		switch tok := tok.(type) {
		case xml.StartElement:
			var e mapEntry
			if err := dec.DecodeElement(&e, &tok); err != nil {
				return list, err
			}
			list = append(list, e)
		case xml.EndElement: // of the root
			return list, nil
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

func mapReading(entries []mapEntry, index bool, base *url.URL) *reading {
	got, seen, skipped := new(reading), map[string]bool{}, 0
	for _, e := range entries {
		address := ""
		if link := strings.TrimSpace(e.Address); link != "" && len(link) <= longestAddress {
			address = webAddress(link, base)
		}
		switch {
		case address == "":
			skipped++
		case seen[address]:
		case index:
			got.maps = append(got.maps, address)
		default:
			got.items = append(got.items, e.item(address))
		}
		seen[address] = true
	}
	if skipped > 0 {
		got.left = noAddresses(skipped)
	}
	return got
}

func firstElement(dec *xml.Decoder) (string, error) {
	for {
		tok, err := dec.Token()
		if err != nil {
			return "", err
		}
		if start, ok := tok.(xml.StartElement); ok {
			return start.Name.Local, nil
		}
	}
}

// item returns an entry of a sitemap as an item of a feed. Only news have a date of
// publication; the date of the last change shows whether the page must be requested.
func (e *mapEntry) item(address string) *item {
	it := &item{Link: address, Title: titleOf(e.News.Title)}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if at, err := time.Parse(form, strings.TrimSpace(e.News.Date)); err == nil {
			it.Date = at.UTC()
			break
		}
	}
	sum := sha256.Sum256([]byte(e.Modified + "\x00" + e.News.Title + "\x00" + e.News.Date))
	it.Hash = hex.EncodeToString(sum[:8])
	return it
}
