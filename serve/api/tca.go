package api

import (
	"bytes"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/report/paper"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/tca"
)

// Answers to clients of package tca.
type (
	// Features are the features of this server.
	Features struct {
		Similarity struct {
			Modes      map[string]bool `json:"viewer_modes"`
			Generation struct {
				Repositories []string `json:"search_repositories"`
				AutoExcludes bool     `json:"submission_auto_excludes"`
			} `json:"generation_settings"`
			View map[string]bool `json:"view_settings"`
		} `json:"similarity"`
		Tenant struct {
			RequireTerms bool `json:"require_eula"`
		} `json:"tenant"`
	}
	// TermsVersion is a version of the terms of use.
	TermsVersion struct {
		Version   string     `json:"version"`
		From      time.Time  `json:"valid_from"`
		Until     *time.Time `json:"valid_until"`
		URL       string     `json:"url"`
		Languages []string   `json:"available_languages"`
	}
	// Message is the answer to a request that was accepted.
	Message struct {
		Message string `json:"message"`
	}
	// Viewer is the address of a report.
	Viewer struct {
		URL string `json:"viewer_url"`
	}
	// PDF names the report on a text as PDF, which is printed when it is downloaded.
	PDF struct {
		ID string `json:"id" doc:"its language"`
	}
	// PDFState is the state of a PDF.
	PDFState struct {
		Status string `json:"status"`
	}
	// Refused is the answer to a request that failed.
	Refused struct {
		Status  int    `json:"status"`
		Message string `json:"message"`
	}
)

// mostSettings is the limit of a request for a report or of a new text, in bytes.
const mostSettings = 128 << 10

// tcaRoutes is the table of the protocol of package tca. Paths with a slash at the end are those of one
// client.
var tcaRoutes = []route{
	{method: "GET", path: "/features-enabled", summary: "The features of this server", out: Features{}, do: features},
	{method: "GET", path: "/eula/{version}", summary: "A version of the terms of use; latest for the present one", out: TermsVersion{}, do: terms},
	{method: "POST", path: "/eula/{version}/accept", summary: "A user accepts the terms of use", in: tca.Terms{}, out: tca.Terms{}, do: body(acceptTerms)},
	{method: "GET", path: "/eula/{version}/accept/{user}", summary: "When a user has accepted the terms of use", out: tca.Terms{}, do: acceptedTerms},
	{method: "POST", path: "/submissions", summary: "Create a text, whose file is uploaded next", in: tca.NewSubmission{}, out: tca.Submission{}, most: mostSettings, code: 201, fails: []int{http.StatusUnavailableForLegalReasons}, do: body(createText)},
	{method: "GET", path: "/submissions/{id}", summary: "The state of a text", out: tca.Submission{}, do: one((*desk.Desk).Integrated)},
	{method: "DELETE", path: "/submissions/{id}", summary: "Delete a text with all that is kept about it", code: 204, do: act((*desk.Desk).DeleteIntegrated)},
	{method: "DELETE", path: "/submissions/{id}/{$}", summary: "Delete a text with all that is kept about it", code: 204, do: act((*desk.Desk).DeleteIntegrated)},
	{method: "PUT", path: "/submissions/{id}/original", summary: "Upload the file of a text", file: true, out: Message{}, known: knownText, code: 202, do: uploadText},
	{method: "PUT", path: "/submissions/{id}/similarity", summary: "Ask for the report on a text", in: tca.Settings{}, out: tca.Scheduled{}, most: mostSettings, code: 202, do: body(requestReport)},
	{method: "GET", path: "/submissions/{id}/similarity", summary: "The state of the report on a text", out: tca.Similarity{}, do: one((*desk.Desk).Similarity)},
	{method: "POST", path: "/submissions/{id}/similarity/pdf", summary: "Ask for the report as PDF", in: tca.View{}, out: PDF{}, most: mostSettings, code: 202, fails: []int{http.StatusNotImplemented}, do: requestPDF},
	{method: "GET", path: "/submissions/{id}/similarity/pdf/{pdf}", summary: "The report as PDF", types: []string{pdfType}, fails: []int{http.StatusConflict}, do: printReport},
	{method: "GET", path: "/submissions/{id}/similarity/pdf/{pdf}/status", summary: "The state of a PDF", out: PDFState{}, fails: []int{http.StatusConflict, http.StatusNotImplemented}, do: pdfState},
	{method: "POST", path: "/submissions/{id}/viewer-url", summary: "A link that opens the report to a user for an hour", in: tca.View{}, out: Viewer{}, do: body(viewText)},
	{method: "POST", path: "/webhooks", summary: "Create a webhook", in: tca.NewWebhook{}, out: tca.Webhook{}, code: 201, do: body(newTCAHook)},
	{method: "GET", path: "/webhooks", summary: "The webhooks of the integration", out: []tca.Webhook{}, do: all((*desk.Desk).IntegrationHooks)},
	{method: "GET", path: "/webhooks/{id}", summary: "A webhook", out: tca.Webhook{}, do: tcaHook},
	{method: "DELETE", path: "/webhooks/{id}", summary: "Delete a webhook", code: 204, do: act((*desk.Desk).DeleteIntegrationHook)},
}

// TermsPath is the path of the pages with terms of use, which everybody may read.
const TermsPath = tca.Root + "/terms/"

// core is the protocol of package tca. All its routes need the key of an integration.
func core() *protocol {
	p := &protocol{prefix: tca.Prefix, title: "Otisk for clients of the Turnitin Core API", about: "Check the texts of a journal or a learning platform.", schemes: object{"key": object{"type": "http", "scheme": "bearer"}}}
	for _, r := range tcaRoutes {
		r.tca, r.action = true, accounts.Integrate
		p.routes = append(p.routes, r)
	}
	return p
}

// TCAPatterns returns the methods and paths of package tca.
func TCAPatterns() (list []string) {
	return lists.Map(tcaRoutes, func(r route) string { return r.method + " " + tca.Prefix + r.path })
}

// integration returns who acts by the key of a request, or errSignIn.
func (s *server) integration(r *http.Request) (a accounts.Actor, err error) {
	err = desk.ErrNotFound
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		a, err = s.Desk.IntegrationActor(r.Context(), strings.TrimSpace(key))
	}
	if errors.Is(err, desk.ErrNotFound) {
		err = errSignIn
	}
	return a, err
}

// failTCA writes an error in the form that clients of package tca know.
func (s *server) failTCA(w http.ResponseWriter, r *http.Request, err error) {
	p := s.problem(w, r, err)
	if p.Status == http.StatusUnprocessableEntity { // which these clients do not know
		p.Status = http.StatusBadRequest
	}
	answer(w, p.Status, Refused{p.Status, p.Detail})
}

func features(c *call) (any, error) {
	terms, _, _, err := c.s.Desk.TermsOf(c.Context(), c.actor.Token, "latest")
	var f Features
	f.Similarity.Modes = map[string]bool{"match_overview": true, "all_sources": true}
	f.Similarity.Generation.Repositories, f.Similarity.Generation.AutoExcludes = []string{"SUBMITTED_WORK", "PUBLICATION"}, false
	f.Similarity.View = map[string]bool{
		"exclude_bibliography": true, "exclude_quotes": true, "exclude_abstract": true, "exclude_small_matches": true, "exclude_citations": false, "exclude_methods": false, "exclude_small_sources": false,
		"exclude_internet": false, "exclude_publications": false, "exclude_submitted_works": false,
	}
	f.Tenant.RequireTerms = terms != ""
	return f, err
}

// locales are the languages of the pages, as clients write them.
var locales = []string{"en-US", "cs-CZ", "de-DE", "sk-SK"}

func terms(c *call) (any, error) {
	_, exact, since, err := c.s.Desk.TermsOf(c.Context(), c.actor.Token, c.PathValue("version"))
	return TermsVersion{Version: exact, From: since, URL: c.s.BaseURL + TermsPath + c.actor.Token + "/" + exact + "?lang=en-US", Languages: locales}, err
}

func acceptTerms(c *call, in tca.Terms) (any, error) {
	in.Version = c.PathValue("version")
	return in, c.s.Desk.AcceptTerms(c.Context(), c.actor, &in)
}

func acceptedTerms(c *call) (any, error) {
	return c.s.Desk.AcceptedTerms(c.Context(), c.actor, c.PathValue("version"), c.PathValue("user"))
}

// termsPage is the page with the terms of use, as the administrator has written them.
var termsPage = template.Must(template.New("terms").Parse(`<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Version}}</title>
<link rel="stylesheet" href="/static/pages.css"></head><body class="desk"><main>{{range .Paragraphs}}<p>{{.}}</p>
{{end}}</main></body></html>
`))

func showTerms(c *call) (any, error) {
	text, exact, _, err := c.s.Desk.TermsOf(c.Context(), c.PathValue("integration"), c.PathValue("version"))
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := termsPage.Execute(&page, struct {
		Version    string
		Paragraphs []string
	}{exact, strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")}); err != nil {
		return nil, err
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = c.w.Write(page.Bytes()) // the client has gone
	return written, nil
}

func createText(c *call, in tca.NewSubmission) (any, error) {
	if err := in.Check(); err != nil {
		return nil, badRequest{err}
	}
	return c.s.Desk.CreateIntegrated(c.Context(), c.actor, &in)
}

// knownText refuses an upload for a text that does not exist, before its body is read.
func knownText(c *call) error {
	_, err := c.s.Desk.Integrated(c.Context(), c.actor, c.id())
	return err
}

func uploadText(c *call) (any, error) {
	most := c.s.MaxFile
	if c.ContentLength > most {
		return nil, desk.ErrTooLarge
	}
	body := &marked{r: &patient{http.MaxBytesReader(c.w, c.Body, most+1), http.NewResponseController(c.w)}}
	err := c.s.Desk.UploadIntegrated(c.Context(), c.actor, c.id(), tca.FileName(c.Header.Get("Content-Disposition")), body)
	if err != nil && body.err != nil {
		err = readError(body.err)
	}
	return Message{"Successfully uploaded file for submission " + c.id()}, err
}

func requestReport(c *call, in tca.Settings) (any, error) {
	r, err := in.Request()
	if err != nil {
		return nil, badRequest{err}
	}
	return tca.Scheduled{Message: "Successfully scheduled similarity report generation", Ignored: r.Ignored}, c.s.Desk.RequestReport(c.Context(), c.actor, c.id(), r, in.Indexing.Add)
}

// requestPDF returns the name of a PDF. Clients may send no settings.
func requestPDF(c *call) (any, error) {
	in := tca.View{Locale: "en"}
	if err := c.decode(&in); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	language := languageOf(in.Locale)
	if !slices.Contains(lang.Tags(), language) {
		language = "en"
	}
	_, err := c.printer()
	return PDF{language}, err
}

// printer returns the function that prints the report on a text, if there is a report.
func (c *call) printer() (func(io.Writer, []byte) error, error) {
	if _, err := c.s.Desk.IntegratedCheck(c.Context(), c.actor, c.id()); err != nil {
		return nil, err
	}
	if language := c.PathValue("pdf"); language != "" && !slices.Contains(lang.Tags(), language) {
		return nil, desk.ErrNotFound
	}
	if print := paper.Printer(c.Context()); print != nil {
		return print, nil
	}
	return nil, report.ErrNoPrinter
}

func printReport(c *call) (any, error) {
	print, err := c.printer()
	if err != nil {
		return nil, err
	}
	r, err := c.s.Desk.IntegratedReport(c.Context(), c.actor, c.id())
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.Write(&b, report.PDF, r, report.Options{Lang: lang.Of(c.PathValue("pdf")), Print: print})
	return c.send(pdfType, b.Bytes(), err)
}

func pdfState(c *call) (any, error) {
	_, err := c.printer()
	return PDFState{"SUCCESS"}, err
}

// languageOf returns the language of a locale, such as cs-CZ or cs_CZ.
func languageOf(locale string) string {
	language, _, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	return language
}

func viewText(c *call, in tca.View) (any, error) {
	secret, err := c.s.Desk.ViewIntegrated(c.Context(), c.actor, c.id(), &in)
	return Viewer{c.s.BaseURL + "/shared/" + url.PathEscape(secret) + "/report?lang=" + url.QueryEscape(languageOf(in.Locale))}, err
}

func newTCAHook(c *call, in tca.NewWebhook) (any, error) {
	return c.s.Desk.NewIntegrationHook(c.Context(), c.actor, &in)
}

func tcaHook(c *call) (any, error) {
	all, err := c.s.Desk.IntegrationHooks(c.Context(), c.actor)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(w tca.Webhook) bool { return w.ID == c.id() })
	if i < 0 {
		return nil, desk.ErrNotFound
	}
	return all[i], nil
}
