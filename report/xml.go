package report

import (
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/otisk/otisk/search"
)

// writeXML writes the elements that schema/otisk-report.xsd describes.
func writeXML(w io.Writer, r *Report, _ Options) error {
	m := &markup{w: w}
	m.open("otisk-report", number("format", Version), required("version", r.Version), moment("checked", r.Checked))
	xmlUnsearched(m, r.Unsearched)
	xmlRun(m, r)
	xmlSuspect(m, &r.Suspect)
	xmlScore(m, "score", r.Score)
	if r.WithItself != nil {
		xmlScore(m, "score-with-itself", *r.WithItself)
	}
	if groups := GroupsOf(r); groups != nil {
		m.open("groups")
		for _, g := range groups {
			m.leaf("group", "", required("name", g.Group), number("words", g.Words), number("places", g.Places))
		}
		m.close()
	}
	xmlExclusions(m, r.Exclusions)
	if r.Review != nil {
		xmlReview(m, r)
	}
	xmlDocument(m, r)
	xmlParagraphs(m, r)
	xmlPassages(m, r)
	xmlHints(m, r)
	xmlSimilar(m, r)
	m.open("unread")
	for _, u := range r.Unread {
		m.leaf("file", u.Reason, required("path", u.Path))
	}
	m.close()
	m.open("notes")
	for _, n := range r.Notes {
		m.leaf("note", n)
	}
	m.close()
	m.close()
	return m.err
}

// xmlUnsearched writes the omissions of the search.
func xmlUnsearched(m *markup, list []search.Unsearched) {
	m.open("unsearched")
	for _, u := range list {
		m.open("omission", required("kind", u.Kind), number("count", u.Count), optional("limit", u.Limit), optional("words", u.Words))
		m.leaf("detail", u.Detail)
		for _, name := range u.Names {
			m.leaf("name", name)
		}
		m.close()
	}
	m.close()
}

// xmlRun writes the index and the settings.
func xmlRun(m *markup, r *Report) {
	x, s := r.Index, r.Settings
	m.open("index", required("kind", x.Kind), required("name", x.Name), number("documents", x.Documents), number("searched", x.Searched), number("grams", x.Grams), number("paired", x.Paired), optional("among", x.Among), moment("changed", x.Changed))
	for _, size := range x.Sizes {
		m.leaf("size", "", number("n", size.N), number("documents", size.Documents))
	}
	m.close()
	attrs := []attr{number("n", s.N), number("common", s.Common), truth("exact", s.Exact), truth("detail", s.Detail)}
	if s.MinPercent != nil {
		attrs = append(attrs, decimal("min-percent", *s.MinPercent))
	}
	if s.MinRun != nil {
		attrs = append(attrs, number("min-run", *s.MinRun))
	}
	m.open("settings", attrs...)
	for _, name := range slices.Sorted(maps.Keys(s.Normalization)) {
		m.leaf("normalization", s.Normalization[name], required("name", name))
	}
	m.close()
}

func xmlSuspect(m *markup, s *search.Suspect) {
	m.open("suspect", text("id", s.ID), required("path", s.Path), required("format", s.Format), text("encoding", s.Encoding), text("title", s.Title), text("author", s.Author),
		required("new-line", s.NewLine), number("bytes", s.Bytes), number("runes", s.Runes),
		number("words", s.Words), number("paragraphs", s.Paragraphs), optional("pages", s.Pages), text("content", s.Content))
	for _, f := range s.Flags {
		m.leaf("flag", f.Detail, append(span("", f.Place), required("kind", f.Kind), optional("page", f.Page), number("count", f.Count))...)
	}
	for _, g := range s.Recognized {
		m.open("recognized", append(span("", g.Place), number("page", g.Page), number("words", g.Words))...)
		for _, d := range g.Doubtful {
			m.leaf("doubtful", "", span("", d)...)
		}
		m.close()
	}
	if s.Text != "" {
		m.leaf("text", s.Text)
	}
	m.close()
}

func xmlScore(m *markup, element string, s search.Score) {
	m.open(element, number("words", s.Words), number("covered", s.Covered), decimal("percent", s.Percent), optional("longest-run", s.Run), ifTrue("reworded-only", s.Reworded))
	for _, name := range grades {
		m.leaf("grade", "", required("name", name), number("words", s.Grades[name]), decimal("percent", s.Percents[name]))
	}
	m.close()
}

func xmlExclusions(m *markup, list []search.Exclusion) {
	m.open("exclusions")
	for _, e := range list {
		m.leaf("exclusion", "", append(span("", e.Place), required("kind", e.Kind), number("word", e.Word), number("words", e.Words))...)
	}
	m.close()
}

func xmlReview(m *markup, r *Report) {
	v := r.Review
	m.open("review", number("passage-words", v.Filter.PassageWords),
		number("source-words", v.Filter.SourceWords), decimal("source-percent", v.Filter.SourcePercent),
		text("by", v.By), moment("at", v.At))
	for _, k := range v.Filter.Kinds {
		m.leaf("without-kind", k)
	}
	for _, g := range v.Filter.Grades {
		m.leaf("without-grade", g)
	}
	for _, d := range v.Sources {
		m.leaf("without-source", d.Note, required("source", r.Sources[d.Index].ID), required("reason", d.Reason), text("by", d.By), moment("at", d.At))
	}
	for _, d := range v.Passages {
		m.leaf("without-passage", d.Note, number("passage", r.Passages[d.Index].Number), required("reason", d.Reason), text("by", d.By), moment("at", d.At))
	}
	for _, d := range v.Places {
		m.leaf("without-place", d.Note, number("start", d.Suspect[0]), number("end", d.Suspect[1]), number("word", d.Word), number("words", d.Words),
			required("reason", d.Reason), text("by", d.By), moment("at", d.At))
	}
	noHints, _ := hintsOf(r)
	for _, i := range noHints {
		m.leaf("without-hint", "", number("hint", r.Hints[i].Number))
	}
	for _, d := range v.Hints {
		m.leaf("with-hint", d.Note, number("hint", r.Hints[d.Index].Number), text("by", d.By), moment("at", d.At))
	}
	for _, x := range v.Verdicts {
		on := []attr{required("of", x.Of)}
		switch x.Of {
		case OfSource:
			on = append(on, required("source", r.Sources[x.Index].ID))
		case OfPassage:
			on = append(on, number("passage", r.Passages[x.Index].Number))
		}
		m.leaf("verdict", x.Note, append(on, required("verdict", x.Verdict), text("by", x.By), moment("at", x.At))...)
	}
	xmlScore(m, "score", v.Score)
	for i, s := range v.Remains {
		m.leaf("remains", "", required("source", r.Sources[i].ID), number("passages", s.Passages),
			number("covered", s.Covered), decimal("covered-percent", s.Percent), number("counted", s.Counted))
	}
	m.close()
}

// xmlDocument writes the table of the whole suspect: its match with each source.
func xmlDocument(m *markup, r *Report) {
	m.open("document", append(match(r.Match), optional("unlisted", r.Unlisted))...)
	for i, s := range r.Sources {
		var pairScore, like attr
		if s.Pairs > 0 {
			pairScore = decimal("pair-score", s.PairScore)
		}
		if s.LikeSource != nil {
			like = required("like-source", r.Sources[*s.LikeSource].ID)
		}
		attrs := []attr{number("number", i+1), required("id", s.ID), required("name", s.Name), text("prefix", s.Prefix), text("path", s.Path),
			text("title", s.Title), text("author", s.Author), text("year", year(s.Year)), text("address", s.Address), number("words", s.Words), number("bytes", s.Bytes),
			number("covered", s.Covered), decimal("covered-percent", s.Percent), number("counted", s.Counted),
			optional("pairs", s.Pairs), pairScore, like, optional("alike", s.Alike), optional("scanned", s.Scanned), text("language", s.Language),
			ifTrue("no-text", s.NoText), ifTrue("among", s.Among), ifTrue("hinted", s.Hinted), optional("share", s.Share), text("own", s.Own)}
		m.open("source", append(attrs, match(s.Match)...)...)
		xmlLabels(m, s.Labels)
		for _, e := range s.Excerpts {
			m.leaf("excerpt", e.Text, span("", e.Span)...)
		}
		m.close()
	}
	m.close()
}

// xmlLabels writes the labels of a document, by name.
func xmlLabels(m *markup, labels map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		m.leaf("label", labels[name], required("name", name))
	}
}

// xmlParagraphs writes the table of paragraphs: their match with each source.
func xmlParagraphs(m *markup, r *Report) {
	m.open("paragraphs")
	for _, p := range r.Paragraphs {
		attrs := append([]attr{number("number", p.Number), number("words", p.Words)}, span("", p.Place)...)
		m.open("paragraph", append(attrs, match(p.Match)...)...)
		if p.Text != "" {
			m.leaf("text", p.Text)
		}
		for _, s := range p.Sources {
			m.open("paragraph-source", append([]attr{required("source", r.Sources[s.Source].ID)}, match(s.Match)...)...)
			for _, at := range s.Places {
				m.leaf("place", "", append(append([]attr{number("words", at.Words)},
					span("suspect-", at.Suspect)...), span("source-", at.Source)...)...)
			}
			m.close()
		}
		m.close()
	}
	m.close()
}

func xmlPassages(m *markup, r *Report) {
	m.open("passages")
	for _, p := range r.Passages {
		m.open("passage", number("number", p.Number), required("source", r.Sources[p.Source].ID),
			required("kind", p.Kind), required("grade", p.Grade), text("group", p.Group), optional("page", p.Page), optional("last-page", p.LastPage), number("word", p.Word), number("words", p.Words),
			number("origin-words", p.OriginWords), number("matched", p.Matched), number("run", p.Run),
			number("gaps", p.Gaps), decimal("common", p.Common), number("counted", p.Counted), optional("witnesses", p.Witnesses))
		m.leaf("place", "", span("", p.Suspect)...)
		m.leaf("origin", "", span("", p.Origin)...)
		for _, e := range p.Equal {
			m.leaf("equal", "", number("words", e.Words),
				number("start", e.Suspect[0]), number("end", e.Suspect[1]),
				number("origin-start", e.Origin[0]), number("origin-end", e.Origin[1]))
		}
		m.close()
	}
	for _, j := range r.Joined {
		m.open("joined", required("source", r.Sources[j.Source].ID), number("words", j.Words), number("origin-words", j.OriginWords), number("between", j.Between),
			number("matched", j.Matched), number("run", j.Run), number("counted", j.Counted))
		m.leaf("place", "", span("", j.Suspect)...)
		m.leaf("origin", "", span("", j.Origin)...)
		for _, part := range j.Parts {
			m.leaf("part", "", number("passage", part))
		}
		m.close()
	}
	m.close()
}

func match(v search.Match) []attr {
	return []attr{optional("n", v.N), number("grams", v.Grams), number("matched", v.Matched), number("common", v.Common),
		decimal("percent", v.Percent), number("run", v.Run)}
}

// span returns the attributes of a place, with a prefix before their names.
func span(prefix string, s search.Span) []attr {
	return []attr{number(prefix+"start", s.Start), number(prefix+"end", s.End),
		number(prefix+"rune-start", s.RuneStart), number(prefix+"rune-end", s.RuneEnd)}
}

// year returns a year in digits, "" for 0.
func year(y int) string {
	if y == 0 {
		return ""
	}
	return strconv.Itoa(y)
}
