// Package plain reads plain text, and vertical files of corpora.
package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// Text returns plain text decoded to UTF-8. It is unchanged but for divided words in quoted mail and at the ends of
// pages.
func Text(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	t := &format.Text{Text: joined(flow.AsString(data)), Encoding: encoding}
	if count := bytes.Count(data, []byte{0}); count > 0 {
		t.Note(phrase.Counted("said.nul-characters", "{n} NUL character, at byte {byte}, separates words", "{n} NUL characters, the first at byte {byte}, separate words", count, "byte", bytes.IndexByte(data, 0)))
	}
	if !isJSON(data) {
		return t, t.Check()
	}
	if texts, ok := jsonTexts(data); ok {
		t.Text, t.Parted = texts, true
		t.Note(phrase.Error("said.json-texts", "it is JSON: its texts are read one after another, without their names; where each line is a document, name it .jsonl"))
	} else {
		t.Note(phrase.Error("said.json", "it is JSON, read as one text with its names and signs; where each line is a document, name it .jsonl"))
	}
	return t, t.Check()
}

// isJSON reports whether data starts like a JSON object or an array of objects.
func isJSON(data []byte) bool {
	head := bytes.TrimLeft(data[:min(len(data), jsonHead)], " \t\r\n")
	list, _ := bytes.CutPrefix(head, []byte{'['})
	if !bytes.HasPrefix(bytes.TrimLeft(list, " \t\r\n"), []byte{'{'}) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(head))
	for names := 0; ; names++ {
		_, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return names > 1 // a brace and a name
		case err != nil:
			return false
		}
	}
}

// jsonTexts returns the texts of JSON values, each a paragraph. ok is false for other text.
func jsonTexts(data []byte) (texts string, ok bool) {
	var b strings.Builder
	d := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, format.BOM)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return b.String(), errors.Is(err, io.EOF) && b.Len() > 0
		}
		if kind, n := d.StackIndex(d.StackDepth()); token.Kind() != '"' || kind == '{' && n%2 == 1 { // a name
			continue
		}
		if s := strings.TrimSpace(token.String()); s != "" {
			b.WriteString(strings.ReplaceAll(s, "\r\n", "\n") + "\n\n")
		}
	}
}

// jsonHead is how many bytes of a text are examined for JSON.
const jsonHead = 4 << 10
