package crawl

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
)

type record struct {
	ID      string `json:"id"` // address; for later versions, with the time of the download
	URL     string `json:"url"`
	Title   string `json:"title,omitempty"`
	Author  string `json:"author,omitempty"`
	Date    string `json:"date,omitempty"` // of publication
	Fetched string `json:"fetched"`
	Feed    string `json:"feed"`
	Version int    `json:"version"`
	Text    string `json:"text"`
}

func newRecord(a *Article, feed string, versions int, now time.Time) *record {
	rec := &record{ID: a.URL, URL: a.URL, Title: a.Title, Author: a.Author, Fetched: now.Format(time.RFC3339), Feed: feed, Version: versions, Text: a.Text}
	if versions > 1 {
		rec.ID = dated(a.URL, now)
	}
	if !a.Date.IsZero() {
		rec.Date = a.Date.Format(time.RFC3339)
	}
	return rec
}

// dated returns the name of a version that a newer one has replaced: its address
// with the time of the download.
func dated(url string, at time.Time) string { return url + "#" + at.UTC().Format(time.RFC3339) }

// vertical returns an article as a vertical, one token per line.
func vertical(rec *record) []byte {
	var b bytes.Buffer
	b.WriteString("<doc")
	for _, a := range [][2]string{{"id", rec.ID}, {"url", rec.URL}, {"title", rec.Title}, {"author", rec.Author}, {"date", rec.Date}, {"fetched", rec.Fetched}, {"feed", rec.Feed}} {
		if a[1] != "" {
			fmt.Fprintf(&b, " %s=\"%s\"", a[0], html.EscapeString(a[1]))
		}
	}
	b.WriteString(">\n")
	for par := range strings.SplitSeq(rec.Text, "\n\n") {
		if par = strings.TrimSpace(par); par != "" {
			b.WriteString("<p>\n")
			writeTokens(&b, par)
			b.WriteString("</p>\n")
		}
	}
	b.WriteString("</doc>\n")
	return b.Bytes()
}

// writeTokens writes words and punctuation marks, one per line, with <g/> between
// two that no space separates.
func writeTokens(b *bytes.Buffer, text string) {
	glued := false
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(r) {
			text, glued = text[size:], false
			continue
		}
		end := size
		if isWord(r) {
			end = wordEnd(text)
		}
		if glued {
			b.WriteString("<g/>\n")
		}
		b.WriteString(html.EscapeString(text[:end]) + "\n")
		text, glued = text[end:], true
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func wordEnd(text string) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) }); end >= 0 {
		return end
	}
	return len(text)
}

// fingerprints returns a line for each paragraph of an article: its fingerprint, d
// if it is long or k if it is short, its number of words, and the ID of the article.
// When the lines are sorted, equal paragraphs are adjacent.
func fingerprints(norm *normalize.Normalizer, rec *record) []byte {
	words := func(add func([]byte, int)) {
		for s := norm.Scan(rec.Text, normalize.Blank); s.Next(); {
			add(s.Word(), s.Paragraph())
		}
	}
	var b bytes.Buffer
	for _, p := range fingerprint.Paragraphs(words) {
		fmt.Fprintf(&b, "%v\t%s\t%d\t%s\n", p, p.Kind(), p.Words, rec.ID)
	}
	return b.Bytes()
}
