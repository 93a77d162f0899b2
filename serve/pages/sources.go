package pages

import (
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/otisk/otisk/serve/desk"
)

// Every returns how often a source is read.
func (v *view) Every(hours int) string {
	if message := map[int]string{0: "web.once", 1: "web.hourly", 24: "web.daily", 168: "web.weekly"}[hours]; message != "" {
		return v.lang.Text(message)
	}
	return v.lang.Text("web.every-hours", "hours", hours)
}

func addSource(v *visit) error {
	hours, err := strconv.Atoi(v.PostFormValue("hours"))
	if err != nil {
		return desk.NotNumber("hours")
	}
	s := desk.Source{Kind: v.PostFormValue("kind"), Address: v.PostFormValue("address"), Part: v.PostFormValue("part"), Hours: hours}
	_, err = v.s.Desk.AddSource(v.Context(), v.actor, v.PathValue("id"), s)
	return v.after(err, "/collections/{id}")
}

func runSource(v *visit) error {
	return v.after(v.s.Desk.RunSource(v.Context(), v.actor, v.PathValue("source")), "/collections/{id}")
}

func deleteSource(v *visit) error {
	return v.after(v.s.Desk.DeleteSource(v.Context(), v.actor, v.PathValue("source")), "/collections/{id}")
}

// A documentPage is the data of the page of a document.
type documentPage struct {
	*desk.Document
	Collection *desk.Collection
	Text       string // its beginning
	Cut        bool   // there is more
	Looked     bool   // the checks that found it were looked for
	Findings   []desk.Finding
}

// textShown is the number of characters of a text on the page of a document.
const textShown = 10_000

// DocumentPath returns the address of the page of a document.
func (p collectionPage) DocumentPath(name string) string {
	return "/collections/" + p.ID + "/document?name=" + url.QueryEscape(name)
}

func showDocument(v *visit) (err error) {
	var p documentPage
	if p.Collection, err = v.s.Desk.Collection(v.Context(), v.actor, v.PathValue("id")); err != nil {
		return err
	}
	if p.Document, err = v.s.Desk.Document(v.Context(), v.actor, v.PathValue("id"), v.FormValue("name")); err != nil {
		return err
	}
	if p.Text, err = v.s.Desk.DocumentText(v.Context(), v.actor, p.Collection.ID, p.Name); err != nil {
		return err
	}
	if text := []rune(p.Text); len(text) > textShown {
		p.Text, p.Cut = string(text[:textShown]), true
	}
	if p.Looked = v.URL.Query().Has("checks"); p.Looked {
		if p.Findings, err = v.s.Desk.Findings(v.Context(), v.actor, p.Collection.ID, p.Name); err != nil {
			return err
		}
	}
	return v.show("document", p.Name, p)
}

// sendText sends the whole text of a document.
func sendText(v *visit) error {
	text, err := v.s.Desk.DocumentText(v.Context(), v.actor, v.PathValue("id"), v.FormValue("name"))
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="document.txt"`)
	_, _ = io.WriteString(v.w, text) // the client has gone
	return nil
}

func describeDocument(v *visit) error {
	m := desk.Metadata{Name: v.PostFormValue("name"), Title: v.PostFormValue("title"), Author: v.PostFormValue("author"), Address: v.PostFormValue("address"), Labels: map[string]string{}}
	if text := v.PostFormValue("year"); text != "" {
		year, err := strconv.Atoi(text)
		if err != nil {
			return desk.NotNumber("year")
		}
		m.Year = year
	}
	for line := range strings.Lines(v.PostFormValue("labels")) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name != "" {
			m.Labels[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	_, err := v.s.Desk.DescribeOne(v.Context(), v.actor, v.PathValue("id"), m, true)
	return v.after(err, "/collections/{id}")
}
