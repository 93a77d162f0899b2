package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
)

// A page contains the whole result, so that a report can be made from the page alone. The
// texts are in the data of its script, the rest is packed.
const (
	dataStart   = `<script type="application/json" id="data">`
	packedStart = `<script type="application/octet-stream" id="result">`
	sheetsStart = `<script type="application/json" id="sheets-data">`
	elementEnd  = `</script>`
)

// maxPage bounds the size of an HTML report that is read.
const maxPage = 1 << 30

// packed returns the JSON report of r without texts, compressed by gzip, in URL-safe
// base64, which html/template does not escape.
func packed(r *Report) (string, error) {
	c := *r
	c.Suspect.Text = ""
	c.Sources = make([]search.Source, len(r.Sources))
	for i, s := range r.Sources {
		s.Excerpts = append([]search.Excerpt(nil), s.Excerpts...)
		for k := range s.Excerpts {
			s.Excerpts[k].Text = ""
		}
		c.Sources[i] = s
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if err := errors.Join(json.NewEncoder(z).Encode(jsonReport{Version, listed(&c), nil}), z.Close()); err != nil {
		return "", fmt.Errorf("pack result: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

// contentID returns an id of the findings of a report, independent of its review. A
// browser keeps decisions under it.
func contentID(r *Report) (string, error) {
	c := *r
	c.Review, c.Unread = nil, nil
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode(listed(&c)); err != nil {
		return "", fmt.Errorf("identify result: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// ReadHTML reads a report from HTML that [Write] wrote, with its pictures of pages. Like
// [ReadJSON], it checks all that writers rely on.
func ReadHTML(r io.Reader) (*Report, error) {
	in := &io.LimitedReader{R: r, N: maxPage + 1}
	page, err := io.ReadAll(in)
	if err != nil {
		return nil, phrase.Error("read.page", "read page: {cause}", "cause", err)
	}
	if in.N <= 0 {
		return nil, phrase.Error("read.page", "read page: {cause}", "cause", phrase.Error("read.longer", "longer than {most} bytes", "most", maxPage))
	}
	data, ok1 := between(string(page), dataStart)
	pack, ok2 := between(string(page), packedStart)
	if !ok1 || !ok2 {
		return nil, phrase.Error("read.page", "read page: {cause}", "cause", phrase.Error("read.no-result", "not an HTML report that contains its result: use its JSON report"))
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.RawURLEncoding, strings.NewReader(pack)))
	if err != nil {
		return nil, phrase.Error("read.page", "read page: {cause}", "cause", err)
	}
	result, err := readUnchecked(z, maxJSON)
	if err != nil {
		return nil, err
	}
	if err := putTexts(result, data); err != nil {
		return nil, phrase.Error("read.page", "read page: {cause}", "cause", err)
	}
	err = errors.Join(check(result), putPages(result, string(page)))
	if err != nil {
		return nil, phrase.Error("read.page", "read page: {cause}", "cause", err)
	}
	upgrade(result)
	return listed(result), nil
}

// putPages puts the pictures of the page, if it has any, back into the result.
func putPages(r *Report, page string) error {
	data, ok := between(page, sheetsStart)
	if !ok {
		return nil
	}
	if err := json.Unmarshal([]byte(data), &r.Pages); err != nil {
		return err
	}
	return r.Pages.check()
}

// between returns the content of the element that starts with start.
func between(page, start string) (string, bool) {
	_, rest, ok := strings.Cut(page, start)
	content, _, ended := strings.Cut(rest, elementEnd)
	return content, ok && ended
}

// putTexts puts the texts of the page's data back into the result.
func putTexts(r *Report, data string) error {
	var d pageData
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		return err
	}
	if len(d.Sources) != len(r.Sources) {
		return fmt.Errorf("len(sources)=%d, %d", len(d.Sources), len(r.Sources))
	}
	r.Suspect.Text = d.Text
	for i, s := range d.Sources {
		if len(s.Excerpts) != len(r.Sources[i].Excerpts) {
			return fmt.Errorf("sources[%d]: len(excerpts)=%d, %d", i, len(s.Excerpts), len(r.Sources[i].Excerpts))
		}
		for k, x := range s.Excerpts {
			r.Sources[i].Excerpts[k].Text = x.Text
		}
	}
	return nil
}
