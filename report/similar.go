package report

import (
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// calledSimilar returns the title, author and year of a similar document, or else its name.
func calledSimilar(d *search.Similar) string {
	return called(&search.Source{Name: d.Name, Title: d.Title, Author: d.Author, Year: d.Year})
}

// textSimilar lists the most similar documents.
func textSimilar(t *terminal, r *Report) {
	if len(r.Similar) == 0 {
		return
	}
	t.heading("text.similar")
	t.wrap("  ", t.lang.Text("page.similar-means"))
	for i := range r.Similar {
		d := &r.Similar[i]
		t.print("%7s  %s\n", t.lang.Percent(100*d.Cosine), safe(calledSimilar(d)))
	}
}

// xmlSimilar writes the most similar documents, nothing if there are none.
func xmlSimilar(m *markup, r *Report) {
	if len(r.Similar) == 0 {
		return
	}
	m.open("similar")
	for _, d := range r.Similar {
		m.leaf("document", "", required("id", d.ID), required("name", d.Name), text("title", d.Title), text("author", d.Author), optional("year", d.Year), text("address", d.Address), decimal("cosine", d.Cosine))
	}
	m.close()
}

// An htmlSimilar is a similar document for the template.
type htmlSimilar struct{ Name, Cosine, Address string }

// similarOf returns the most similar documents for the template.
func similarOf(say *lang.Printer, r *Report) (list []htmlSimilar) {
	for i := range r.Similar {
		d := &r.Similar[i]
		list = append(list, htmlSimilar{calledSimilar(d), say.Percent(100 * d.Cosine), webAddress(d.Address)})
	}
	return list
}
