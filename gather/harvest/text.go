package harvest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

type source struct {
	URL      string `json:"url"`
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
	Sum      string `json:"sum,omitempty"` // checksum of the response

	name string // readable name
	data []byte // nil where it is as it was
}

// The limits of what is fetched for one record: it is foreign input.
const (
	mostFiles    = 50
	mostLandings = 3
)

// A seeker finds the full texts of records.
type seeker struct {
	client *fetch.Client
	base   string // address of the repository, which names all others
	most   int64  // bytes of the files of a record, together
}

// find fetches the full texts that a record names. failed has an error for each text
// that could not be fetched; list has the others.
func (s *seeker) find(ctx context.Context, d *description, known []source) (list []source, failed []error) {
	links, from := d.files, s.base
	if len(links) == 0 {
		for _, landing := range d.landings[:min(len(d.landings), mostLandings)] {
			file, named, err := s.landing(ctx, landing)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			if file != nil {
				return []source{*file}, nil
			}
			if len(named) > 0 {
				links, from, failed = named, landing, nil
				break
			}
		}
	}
	left := s.most
	for _, link := range links[:min(len(links), mostFiles)] {
		file, err := s.fetch(ctx, link, from, known, left)
		if file != nil {
			left = max(left-int64(len(file.data)), 1)
		}
		switch {
		case err != nil:
			failed = append(failed, err)
		case file != nil:
			list = append(list, *file)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return list, failed
}

// landing fetches the page of a work: the addresses of files that it names, or the
// file itself where the address leads to one.
func (s *seeker) landing(ctx context.Context, address string) (file *source, named []string, err error) {
	res, err := s.client.Get(ctx, fetch.Request{URL: address, From: s.base, MaxBytes: s.most})
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	if !isPage(res) {
		if !isText(res) {
			return nil, nil, nil
		}
		return sourceOf(address, res), nil, nil
	}
	return nil, namedBy(res), nil
}

// fetch fetches a file; nil where it is no text. One that is as it was known is
// returned without data.
func (s *seeker) fetch(ctx context.Context, address, from string, known []source, most int64) (*source, error) {
	req := fetch.Request{URL: address, From: from, MaxBytes: most}
	at := slices.IndexFunc(known, func(k source) bool { return k.URL == address })
	if at >= 0 {
		req.ETag, req.Modified = known[at].ETag, known[at].Modified
	}
	res, err := s.client.Get(ctx, req)
	if err == nil {
		err = res.Err()
	}
	switch {
	case err != nil:
		return nil, err
	case res.Fresh() && at >= 0:
		return &known[at], nil
	case isPage(res) && !mayBePage(address):
		if content := s.content(address); content != "" {
			return s.fetch(ctx, content, from, known, most)
		}
		return nil, &fetch.Error{URL: address, Err: phrase.Error("cause.login-page", "it is a web page where a file was named: a page to log in at, perhaps")}
	case !isText(res):
		return nil, nil
	}
	return sourceOf(address, res), nil
}

// bitstream matches the address at which DSpace shows a file. If its pages are made by scripts, a
// page answers there.
var bitstream = format.Pattern(`/bitstreams/([0-9a-fA-F-]{36})/download$`)

// content returns the address at which the REST interface of DSpace serves the file of another address;
// "" if that is not of DSpace.
func (s *seeker) content(address string) string {
	m := bitstream().FindStringSubmatch(address)
	root, _, ok := strings.Cut(s.base, "/oai/")
	if m == nil || !ok {
		return ""
	}
	return root + "/api/core/bitstreams/" + m[1] + "/content"
}

func sourceOf(address string, res *fetch.Response) *source {
	return &source{URL: address, ETag: res.Header.Get("ETag"), Modified: res.Header.Get("Last-Modified"), Sum: sumOf(res.Body), name: nameOf(res), data: res.Body}
}

func mediaType(res *fetch.Response) string {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(res.Body))
	}
	return kind
}

// isPage reports whether an answer is a web page, whatever it says that it is.
func isPage(res *fetch.Response) bool {
	switch mediaType(res) {
	case "text/html", "application/xhtml+xml":
		return !bytes.HasPrefix(res.Body, []byte("%PDF"))
	}
	return strings.HasPrefix(http.DetectContentType(res.Body), "text/html")
}

// isText reports whether an answer may be a text, and is no picture, sound or film.
func isText(res *fetch.Response) bool {
	kind, _, _ := strings.Cut(mediaType(res), "/")
	return len(res.Body) > 0 && kind != "image" && kind != "audio" && kind != "video"
}

func mayBePage(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ending := strings.ToLower(path.Ext(u.Path))
	return ending == ".html" || ending == ".htm" || ending == ".xhtml"
}

// endings are those of names of files, by the types that servers say.
var endings = map[string]string{
	"application/pdf": ".pdf", "application/msword": ".doc", "application/rtf": ".rtf", "text/rtf": ".rtf", "text/plain": ".txt", "text/html": ".html",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx", "application/vnd.oasis.opendocument.text": ".odt",
	"application/epub+zip": ".epub", "application/xhtml+xml": ".html", "application/zip": ".zip",
}

// nameOf returns what a file is called: by the server, or by its address.
func nameOf(res *fetch.Response) string {
	name := ""
	if _, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil {
		name = params["filename"]
	}
	if u, err := url.Parse(res.URL); err == nil && name == "" {
		name = path.Base(u.Path)
	}
	name = safeName(name)
	kind := mediaType(res)
	if ending := endings[kind]; ending != "" && !texts[strings.ToLower(path.Ext(name))] && !mayBePage(name) {
		name += ending
	}
	return name
}

// safeName returns name as one that a file can have in any system, and that means
// nothing there.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7F || strings.ContainsRune(`/\:*?"<>|`, r) || !inXML(r) {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	const longest = 120
	if len(name) > longest {
		ending := path.Ext(name)
		if len(ending) > 10 {
			ending = ""
		}
		name = strings.ToValidUTF8(name[:longest-len(ending)], "") + ending
	}
	return cmp.Or(name, "file")
}

// The ways in which a page names the file of the work that it is about.
var (
	metaNames = map[string]bool{"citation_pdf_url": true, "bepress_citation_pdf_url": true, "eprints.document_url": true, "wkhealth_pdf_url": true}
	fileTypes = map[string]bool{"application/pdf": true, "application/msword": true,
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document": true, "application/vnd.oasis.opendocument.text": true}
)

func namedBy(res *fetch.Response) (list []string) {
	base, err := url.Parse(res.URL)
	if err != nil {
		return nil
	}
	add := func(link string) {
		if u, err := base.Parse(strings.TrimSpace(link)); err == nil && link != "" && !slices.Contains(list, u.String()) {
			list = append(list, u.String())
		}
	}
	z := html.NewTokenizer(bytes.NewReader(res.Body))
	z.SetMaxBuf(1 << 20)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return list
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		attrs := map[string]string{}
		for _, a := range t.Attr {
			attrs[a.Key] = a.Val
		}
		switch {
		case t.Data == "meta" && metaNames[strings.ToLower(attrs["name"])]:
			add(attrs["content"])
		case t.Data == "link" && fileTypes[strings.ToLower(attrs["type"])]:
			add(attrs["href"])
		}
	}
}

func unfetched(failed []error) string {
	parts := lists.Map(failed, func(err error) string { return err.Error() })
	const most = 3
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(failed)-most))
	}
	return strings.Join(parts, "; ")
}

// permanent reports whether it is of no use to try again: the server has answered,
// and said no.
func permanent(failed []error) bool {
	return !slices.ContainsFunc(failed, func(err error) bool {
		if status, ok := errors.AsType[*fetch.StatusError](err); ok {
			return status.Status >= http.StatusInternalServerError || status.Status == http.StatusRequestTimeout
		}
		return !errors.Is(err, fetch.ErrForbidden) && !errors.Is(err, fetch.ErrRobots) && !errors.Is(err, fetch.ErrAddress) && !errors.Is(err, fetch.ErrTooLarge)
	})
}
