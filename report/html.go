package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"github.com/otisk/otisk/lang/phrase"
)

// files are the parts of the HTML pages; each page contains them whole.
//
//go:embed templates
var files embed.FS

// A page is the part that both HTML pages share: style, script, and a policy that makes
// browsers run that script only, and load nothing.
type page struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

// StyleSheet returns the style sheet of the HTML pages.
func StyleSheet() ([]byte, error) { return files.ReadFile("templates/style.css") }

// HomePolicy is the Content-Security-Policy with which a server sends an HTML report, beside that of
// the page itself: browsers apply both, and the page cannot say the first of these.
const HomePolicy = "frame-ancestors 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"

// newPage returns a page of these scripts. words defines their messages.
func newPage(words string, scripts ...string) (page, error) {
	style, err := files.ReadFile("templates/style.css")
	if err != nil {
		return page{}, err
	}
	var script strings.Builder
	script.WriteString("(() => {\n\"use strict\";\n" + words)
	for _, name := range scripts {
		part, err := files.ReadFile("templates/" + name)
		if err != nil {
			return page{}, err
		}
		script.Write(part)
	}
	script.WriteString("})();\n")
	return page{
		Style: template.CSS(style), Script: template.JS(script.String()),
		Policy: fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; style-src %s; script-src %s",
			hashSource(style), hashSource([]byte(script.String()))),
	}, nil
}

func hashSource(content []byte) string {
	sum := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// execute writes a template with data. Bytes that are not UTF-8, as in names of files,
// become U+FFFD, as in JSON and XML.
func execute(w io.Writer, name string, data any) error {
	t, err := template.ParseFS(files, "templates/"+name)
	if err != nil {
		return err
	}
	utf8 := transform.NewWriter(w, runes.ReplaceIllFormed())
	if err := t.Execute(utf8, data); err != nil {
		return err
	}
	return utf8.Close()
}

// embedded returns v as JSON for a script element. It contains no "<", which could end
// the element.
func embedded(v any) (template.JS, error) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return "", err
	}
	return template.JS(bytes.TrimSpace(b.Bytes())), nil
}

// writePDF prints the HTML report.
func writePDF(w io.Writer, r *Report, o Options) error {
	if o.Print == nil {
		return ErrNoPrinter
	}
	o.Overview, o.Home = "", nil
	var page bytes.Buffer
	if err := writeHTML(&page, r, o); err != nil {
		return err
	}
	return o.Print(w, page.Bytes())
}

// ErrNoPrinter is the error for a PDF where no program prints one.
var ErrNoPrinter error = phrase.Error("cause.no-printer", "no Chromium prints PDFs here: install it, or print the HTML report in a browser")

// writeHTML writes a report as one file, which opens offline.
func writeHTML(w io.Writer, r *Report, o Options) error {
	say := o.printer()
	words, err := say.Script("page.", "common.")
	if err != nil {
		return err
	}
	p, err := newPage(words, "score.js", "places.js", "groups.js", "text.js", "sheets.js", "map.js", "review.js", "keep.js", "home.js", "remarks.js", "earlier.js", "sources.js", "hints.js", "report.js")
	if err != nil {
		return err
	}
	shown := inLanguage(say, r)
	if r.WithItself != nil && r.Review == nil {
		shown.Review = NewReview(r)
		Apply(shown)
	}
	page := htmlData(say, shown)
	if page.ID, err = contentID(r); err != nil {
		return err
	}
	if page.Home = o.Home; o.Home != nil {
		PlaceRemarks(shown.Suspect.Text, o.Home.Remarks)
	}
	data, err := embedded(page)
	if err != nil {
		return err
	}
	result, err := packed(r)
	if err != nil {
		return err
	}
	h := htmlHead(say, shown)
	h.Compared = htmlCompared(say, o.Before, r)
	h.page, h.Data, h.Result, h.Overview, h.Home = p, data, template.JS(result), relative(o.Overview), o.Home
	if h.Comments() {
		h.Keys = append(h.Keys, htmlKey{[]string{"c"}, say.Text("page.remark-means")})
	}
	if o.Home != nil {
		h.Policy += "; connect-src 'self'"
	}
	if r.Pages != nil {
		h.Policy += "; img-src data:"
		h.SheetsNote = pagesNote(say, r)
		if h.Sheets, err = embedded(r.Pages); err != nil {
			return err
		}
	}
	return execute(w, "report.html", h)
}
