package api

import (
	"net/http"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
)

// zipType is the media type of exports.
const zipType = "application/zip"

// SendExport writes an export as a download. An answer that has begun is cut off on an error, so that
// an incomplete archive does not look complete.
func SendExport(w http.ResponseWriter, e *desk.Export, failed func(error)) {
	w.Header().Set("Content-Type", zipType)
	w.Header().Set("Content-Disposition", `attachment; filename="`+e.Name+`"`)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := e.Write(&patientWriter{w, http.NewResponseController(w)}); err != nil {
		failed(err)
		panic(http.ErrAbortHandler)
	}
}

// A patientWriter extends the deadline of its connection with each write, so that a large export has
// time and an idle client does not.
type patientWriter struct {
	w http.ResponseWriter
	c *http.ResponseController
}

// Write implements [io.Writer].
func (p *patientWriter) Write(b []byte) (int, error) {
	_ = p.c.SetWriteDeadline(time.Now().Add(patience)) // a recorder of tests has none
	return p.w.Write(b)
}

func (c *call) export(e *desk.Export, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	SendExport(c.w, e, func(err error) { c.s.Log.Error("export", "cause", err) })
	return written, nil
}

func exportCheck(c *call) (any, error) {
	return c.export(c.s.Desk.ExportCheck(c.Context(), c.actor, c.id(), report.Options{}))
}

func exportDocument(c *call) (any, error) {
	return c.export(c.s.Desk.ExportDocument(c.Context(), c.actor, c.id(), c.FormValue("name")))
}

func exportPerson(c *call) (any, error) {
	return c.export(c.s.Desk.ExportPerson(c.Context(), c.actor, c.FormValue("name"), report.Options{}))
}

func exportUser(c *call) (any, error) {
	return c.export(c.s.Desk.ExportUser(c.Context(), c.actor, c.id()))
}
