package document

import (
	"bytes"

	"github.com/otisk/otisk/document/format"
)

// ownKind returns the kind of a file that this program wrote, "" for other files. Reports
// contain the words of the text that they are about: in a collection they would be reported as
// sources of it.
func ownKind(data []byte) string {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	start := data[:min(len(data), ownStart)]
	switch {
	case ownXML().Match(start), ownJSON().Match(start):
	case bytes.HasPrefix(start, []byte("<!doctype html>")) && ownHTML().Match(start):
	case isTextHead(start):
	case bytes.Contains(data, []byte("\n      | ")) && ownText().Match(data):
	default:
		return ""
	}
	return "a report of Otisk, which quotes the text that it is about"
}

// ownStart is how many bytes are searched for the marks of a report; its title may be long.
const ownStart = 64 << 10

var (
	ownXML  = format.Pattern(`^<\?xml[^>]*>\s*<otisk-report\s`)
	ownJSON = format.Pattern(`^\{\s*"format":\s*\d+,\s*"version":\s*"(?:[^"\\]|\\.)*",\s*(?:"checked":\s*"[^"]*",\s*)?"index":\s*\{`)
	ownHTML = format.Pattern(`^<!doctype html>\s<html lang="\w+">\s<head>(?s:.*) – Otisk</title>`)
	// The score of a report in text, and the n-grams.
	ownScore = format.Pattern(`^(?:Score|Míra shody|Miera zhody|Übereinstimmung): [^\n]*%\n` +
		`(?:[^\n]*\n)*?(?:n|\d+)-(?:grams|gramy|Gramme): [^\n]*%, \d[^\n]*; [^\n]*: \d`)
	ownText = format.Pattern(`(?m)^ +\d+  \S.*\n(?: {7}.*\n)+ {6}\| `) // a passage: its grade and source, the equal words, the text
)

// isTextHead reports whether start is the head of a text report, which is the same with and without
// passages: three or more lines about the compared texts, an empty line, and the score.
func isTextHead(start []byte) bool {
	checked, rest, _ := bytes.Cut(start, []byte("\n\n"))
	return bytes.Count(checked, []byte("\n")) >= 2 && checked[0] != '\n' && ownScore().Match(rest)
}
