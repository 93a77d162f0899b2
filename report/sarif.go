package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// object is an object in JSON.
type object = map[string]any

// sarifRules are the rules of the results: those for passages by the index of their grade, and that for the score.
var sarifRules = []string{"verbatim", "edited", "reworded", "limit"}

// writeSARIF writes a report in SARIF 2.1.0, which code hosts show beside the files. A passage is a note, which accuses
// nobody; only a score that the verdict of o refuses is an error. Code hosts require a line: passages in formats other
// than plain text have line 1, and their messages quote them.
func writeSARIF(w io.Writer, r *Report, o Options) error {
	p := o.printer()
	s := sarif{p, r, (&url.URL{Path: filepath.ToSlash(r.Suspect.Path)}).String()}
	if path.IsAbs(s.uri) {
		s.uri = "file://" + s.uri
	}
	results := []object{}
	over, unsure := o.verdict(r)
	if over != nil {
		results = append(results, s.result("limit", "error", p.Err(over), object{"startLine": 1}))
	}
	if unsure != nil {
		results = append(results, s.result("limit", "warning", p.Err(unsure), object{"startLine": 1}))
	}
	counts := remaining(r).Passages
	for i := range r.Passages {
		if counts[i].Counted > 0 {
			results = append(results, s.passage(&r.Passages[i]))
		}
	}
	rules := []object{}
	for i, id := range sarifRules {
		about := "score over the limit"
		if i < len(grades) {
			about = named(p, gradeMessages, grades[i])
		}
		rules = append(rules, object{"id": id, "shortDescription": object{"text": about}, "defaultConfiguration": object{"level": "note"}})
	}
	notes := []object{}
	for i, total := range remaining(r).Sources {
		if src := &r.Sources[i]; src.Share > 0 && total.Covered > 0 {
			notes = append(notes, object{"level": "note", "message": object{"text": fmt.Sprintf("%s: %s, %s", safe(called(src)), p.Percent(src.Percent), p.Text("common.private-share"))}})
		}
	}
	for i := range r.Unsearched {
		notes = append(notes, object{"level": "warning", "message": object{"text": OmissionOf(p, r.Index, &r.Unsearched[i])}})
	}
	run := object{
		"tool":              object{"driver": object{"name": "Otisk", "version": r.Version, "informationUri": project.Home, "rules": rules}},
		"automationDetails": object{"id": "otisk/" + s.uri + "/"},
		"columnKind":        "unicodeCodePoints",
		"invocations":       []object{{"executionSuccessful": true, "toolExecutionNotifications": notes}},
		"results":           results,
		"properties":        object{"score": r.Final().Percent, "words": r.Suspect.Words},
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{run}})
}

// A sarif writes the results of one report.
type sarif struct {
	p   *lang.Printer
	r   *Report
	uri string // of the checked file
}

func (s *sarif) result(rule, level, message string, region object) object {
	return object{
		"ruleId": rule, "level": level, "message": object{"text": message},
		"locations": []object{{"physicalLocation": object{"artifactLocation": object{"uri": s.uri}, "region": region}}},
	}
}

// passage returns the result for a passage. Its fingerprint, by which code hosts recognize it in later versions of the
// file, depends on its words and its source only.
func (s *sarif) passage(x *search.Passage) object {
	src := &s.r.Sources[x.Source]
	text := suspectText(s.r, x.Suspect)
	sum := sha256.Sum256([]byte(strings.ToLower(strings.Join(strings.Fields(text), " ")) + "\x00" + src.Name))
	message := fmt.Sprintf("%s: %s, %s", safe(called(src)), named(s.p, gradeMessages, x.Grade), s.p.Text("common.words", "n", x.Words))
	if pages := pagesOf(s.p, &s.r.Suspect, x); pages != "" {
		message += ", " + pages
	}
	result := s.result(sarifRules[gradeOf(x.Grade)], "note", message+": "+quoteAt(s.p, s.r, x.Suspect), s.region(x.Suspect))
	result["partialFingerprints"] = object{"passage/v1": hex.EncodeToString(sum[:16])}
	if x.Group != "" {
		result["properties"] = object{"group": x.Group}
	}
	return result
}

// region returns the lines and columns of a stretch of a plain text, else the first line.
func (s *sarif) region(at search.Span) object {
	text := s.r.Suspect.Text
	if s.r.Suspect.Format != "text" || at.End > len(text) {
		return object{"startLine": 1}
	}
	place := func(offset int) (line, column int) {
		before := text[:offset]
		return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	}
	line, column := place(at.Start)
	last, end := place(at.End)
	return object{"startLine": line, "startColumn": column, "endLine": last, "endColumn": end}
}
