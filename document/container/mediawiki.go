package container

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// A site describes the wiki of a dump.
type site struct {
	address string   // prefix of the URLs of pages, before the title
	dropped []string // namespaces, in lower case, to which links show no text: files and categories
}

// mediawiki reads a MediaWiki dump. It finds pages by their tags and parses them one
// by one, so that damage in a page affects no other page.
func (r *reader) mediawiki() error {
	head, page, inside := []byte{}, []byte{}, false
	for {
		if err := r.ended(); err != nil {
			return err
		}
		part, err := r.from.ReadSlice('>')
		if err != nil && !errors.Is(err, errFull) && !errors.Is(err, packed.ErrPart) {
			return r.lastPage(page, inside, err)
		}
		switch {
		case errors.Is(err, packed.ErrPart):
			// The rest may belong to another page.
			err = r.give(r.pageRecord(page), lost(err))
			inside, page, head = false, page[:0], head[:0]
		case !inside:
			if head = append(head, part...); bytes.HasSuffix(head, []byte("<page>")) {
				if r.wiki == nil {
					r.wiki = siteOf(string(head))
				}
				inside, page, head = true, page[:0], nil
			} else if len(head) > maxHeader {
				head = bytes.Clone(head[len(head)-len("<page>"):])
			}
			continue
		case int64(len(page)+len(part)) > r.opts.MaxBytes:
			err = r.give(r.pageRecord(page), r.tooLarge())
			inside = false
		case bytes.HasSuffix(part, []byte("<page>")):
			r.unended = true
			err = r.give(r.pageRecord(page), fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.page-end", "the page does not end")))
			r.unended, page = false, page[:0]
		default:
			if page, err = append(page, part...), nil; bytes.HasSuffix(page, []byte("</page>")) {
				err = r.page(page)
				inside = false
			}
		}
		if err != nil {
			return err
		}
	}
}

// wikiHead reads the header of a dump.
func wikiHead(from *bufio.Reader) (*site, error) {
	var head []byte
	for !bytes.HasSuffix(head, []byte("<page>")) && len(head) <= maxHeader {
		part, err := from.ReadSlice('>')
		if err != nil && !errors.Is(err, errFull) {
			return nil, err
		}
		head = append(head, part...)
	}
	return siteOf(string(head)), nil
}

// lastPage reports a page that was cut off by err, or err itself if it is not io.EOF.
func (r *reader) lastPage(page []byte, inside bool, err error) error {
	if inside {
		return r.give(r.pageRecord(page), lost(err))
	}
	if err == io.EOF {
		return nil
	}
	return lost(err)
}

// pageRecord returns a record with the title of the page, or with its number if it has
// no title.
func (r *reader) pageRecord(page []byte) Record {
	r.count++
	if title := strings.TrimSpace(element(page, "title")); title != "" {
		return Record{Name: title, Title: title}
	}
	return Record{Name: "page " + strconv.Itoa(r.count)}
}

// page reports a page if it is an article and no redirect.
func (r *reader) page(page []byte) error {
	if ns := element(page, "ns"); ns != "" && ns != "0" || bytes.Contains(page, []byte("<redirect")) {
		return nil
	}
	rec := r.pageRecord(page)
	if at := bytes.LastIndex(page, []byte("<revision>")); at >= 0 {
		page = page[at:] // the latest one in a dump with history
	}
	if at, err := time.Parse(time.RFC3339, element(page, "timestamp")); err == nil {
		rec.ModTime = at.UTC().Truncate(time.Second)
	}
	text, ok, err := textOf(page)
	if err != nil {
		return r.give(rec, err)
	}
	if !ok {
		return nil // deleted, or omitted from the dump
	}
	rec.Data, rec.Text = []byte(text), r.wiki.text
	if rec.Title != "" && r.wiki.address != "" {
		rec.Address = r.wiki.address + strings.ReplaceAll(url.PathEscape(strings.ReplaceAll(rec.Title, " ", "_")), "%2F", "/")
	}
	return r.give(rec, nil)
}

// element returns the text of the first element with this name and no attributes, "" if
// there is none or it exceeds 4 KiB.
func element(page []byte, name string) string {
	_, rest, ok := bytes.Cut(page, []byte("<"+name+">"))
	inner, _, closed := bytes.Cut(rest, []byte("</"+name+">"))
	if !ok || !closed || len(inner) > 4<<10 {
		return ""
	}
	return html.UnescapeString(strings.ToValidUTF8(string(inner), "\ufffd"))
}

var errTextOpen = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.page-text-end", "the text of the page does not end"))

// textOf returns the wikitext of a revision; ok is false if it has none.
func textOf(page []byte) (text string, ok bool, err error) {
	at := bytes.Index(page, []byte("<text"))
	if at < 0 {
		return "", false, nil
	}
	open := bytes.IndexByte(page[at:], '>')
	if open < 0 {
		return "", false, errTextOpen
	}
	if page[at+open-1] == '/' {
		return "", false, nil
	}
	inner, _, ok := bytes.Cut(page[at+open+1:], []byte("</text>"))
	if !ok {
		return "", false, errTextOpen
	}
	return html.UnescapeString(strings.ToValidUTF8(string(inner), "\ufffd")), true, nil
}

var namespace = format.Pattern(`<namespace key="(-?\d+)"[^>]*>([^<]*)</namespace>`)

// siteOf parses the header of a dump.
func siteOf(head string) *site {
	s := &site{dropped: []string{"file", "image", "category", "media"}}
	for _, m := range namespace().FindAllStringSubmatch(head, -1) {
		if m[1] == "6" || m[1] == "14" || m[1] == "-2" {
			s.dropped = append(s.dropped, strings.ToLower(html.UnescapeString(m[2])))
		}
	}
	if base := element([]byte(head), "base"); strings.Contains(base, "/") {
		s.address = base[:strings.LastIndexByte(base, '/')+1]
	}
	return s
}
