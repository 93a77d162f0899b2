package gathertest

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// A decided is the decision of a reader to leave a source out of the score of a text.
type decided struct {
	path, text string
	source     string // id
}

// check checks a text of the folder against the index.
func (m *model) check() {
	paths := m.paths()
	if len(paths) == 0 || len(m.has) == 0 {
		return
	}
	path := paths[m.rng.IntN(len(paths))]
	if len(m.decided) > 0 && m.rng.IntN(2) == 0 {
		path = m.decided[m.rng.IntN(len(m.decided))].path
	}
	if filepath.Ext(path) != ".txt" {
		return
	}
	doc, err := document.Open(m.t.Context(), path, document.Options{})
	if err != nil {
		return // removed meanwhile
	}
	m.counts["check"]++
	r := m.search(doc)
	m.checkOwn(path, doc.Text, r)
	m.checkDecisions(path, doc.Text, r)
	for _, s := range r.Sources {
		if s.Own != search.OwnFile && len(m.decided) < 50 {
			m.decided = append(m.decided, decided{path, doc.Text, s.ID})
			break
		}
	}
}

func (m *model) search(doc *document.Document) *search.Result {
	s, err := m.index.Open()
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	canonical := func(path string) string {
		path, err := walk.Canonical(path)
		if err != nil {
			m.t.Fatal(err)
		}
		return path
	}
	searcher, err := search.New(m.t.Context(), s, m.norms, search.Options{N: 3, Canonical: canonical})
	if err != nil {
		m.t.Fatal(err)
	}
	r, err := searcher.Search(m.t.Context(), doc)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// checkOwn compares how each source is the suspect's own with what the model knows.
func (m *model) checkOwn(path, text string, r *search.Result) {
	name, listed := m.nameOf(path), map[string]bool{}
	for _, s := range r.Sources {
		listed[s.Name] = true
		want := ""
		switch same := m.has[s.Name].text == text; {
		case s.Name == name && same:
			want = search.OwnFile
		case same:
			want = search.OwnText
		case s.Name == name:
			want = search.OwnVersion
		}
		if s.Own != want {
			m.t.Errorf("operation %d: of %s, source %s is %q, want %q", m.done, name, s.Name, s.Own, want)
		}
	}
	for doc, e := range m.has {
		if e.text == text && !listed[doc] {
			m.t.Errorf("operation %d: of %s, %s has the same text and is no source", m.done, name, doc)
		}
	}
}

// checkDecisions applies earlier decisions to a new result: they apply if the text is the
// same, and are refused if it differs.
func (m *model) checkDecisions(path, text string, r *search.Result) {
	for _, old := range m.decided {
		if old.path != path {
			continue
		}
		sum := sha256.Sum256([]byte(old.text))
		d := &report.Decisions{Kind: "decisions", Format: report.Version, Sources: []report.SourceDecision{{ID: old.source, Reason: report.Reasons[0]}}}
		d.Suspect.Path, d.Suspect.Sum, d.Suspect.Bytes = path, hex.EncodeToString(sum[:]), len(old.text)
		result := *r
		result.Suspect.Text = text
		rep := &report.Report{Result: result}
		err := report.Decide(rep, d)
		if (err == nil) != (old.text == text) {
			m.t.Errorf("operation %d: decisions on a text of which this is the same: %v; Decide = %v", m.done, old.text == text, err)
		}
		if err != nil {
			continue
		}
		present := false
		for _, s := range r.Sources {
			present = present || s.ID == old.source
		}
		if applied := len(rep.Review.Sources) == 1; applied != present {
			m.t.Errorf("operation %d: source %s of a decision is in the result: %v; the decision applies: %v", m.done, old.source, present, applied)
		}
		m.counts["decisions applied"]++
	}
}
