package document

import (
	"bytes"
	"regexp"
)

// ownKind names what data is where the program wrote it itself, "" for anything
// else. A report has the words of the text that it is on: in a collection it would
// be the source of all of them.
func ownKind(data []byte) string {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	start := data[:min(len(data), ownStart)]
	switch {
	case ownXML.Match(start), ownJSON.Match(start):
	case bytes.Contains(start, []byte(" – Otisk</title>")) && ownHTML.Match(start):
	case isTextHead(start):
	case bytes.Contains(data, []byte("\n      | ")) && ownText.Match(data):
	default:
		return ""
	}
	return "a report of Otisk, which quotes the text that it is on"
}

// ownStart is where the marks of a report are: a title may be long.
const ownStart = 64 << 10

var (
	ownXML  = regexp.MustCompile(`^<\?xml[^>]*>\s*<otisk-report\s`)
	ownJSON = regexp.MustCompile(`^\{\s*"format":\s*\d+,\s*"version":\s*"(?:[^"\\]|\\.)*",\s*(?:"checked":\s*"[^"]*",\s*)?"index":\s*\{`)
	ownHTML = regexp.MustCompile(`^<!doctype html>\s<html lang="\w+">\s<head>(?s:.*) – Otisk</title>`)
	// The score of a report in text, and the n-grams.
	ownScore = regexp.MustCompile(`^(?:Score|Míra shody|Miera zhody|Übereinstimmung): [^\n]*%\n` +
		`(?:[^\n]*\n)*?(?:n|\d+)-(?:grams|gramy|Gramme): [^\n]*%, \d[^\n]*; [^\n]*: \d`)
	ownText = regexp.MustCompile(`(?m)^ +\d+  \S.*\n(?: {7}.*\n)+ {6}\| `) // a passage: its grade and source, what is equal, the text
)

// isTextHead reports whether start is the head of a report in text, which it has
// without a passage, too: three lines and more of what was checked and with what it
// was compared, an empty one, and the score.
func isTextHead(start []byte) bool {
	checked, rest, _ := bytes.Cut(start, []byte("\n\n"))
	return bytes.Count(checked, []byte("\n")) >= 2 && checked[0] != '\n' && ownScore.Match(rest)
}
