package pages

import (
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

func (v *visit) export(e *desk.Export, err error) error {
	if err != nil {
		return err
	}
	api.SendExport(v.w, e, func(err error) { v.s.Log.Error("export", "cause", err) })
	return nil
}

func exportCheck(v *visit) error {
	return v.export(v.s.Desk.ExportCheck(v.Context(), v.actor, v.PathValue("id"), report.Options{Lang: v.lang}))
}

func exportDocument(v *visit) error {
	return v.export(v.s.Desk.ExportDocument(v.Context(), v.actor, v.PathValue("id"), v.FormValue("name")))
}

func exportPerson(v *visit) error {
	return v.export(v.s.Desk.ExportPerson(v.Context(), v.actor, v.FormValue("name"), report.Options{Lang: v.lang}))
}

func exportUser(v *visit) error {
	return v.export(v.s.Desk.ExportUser(v.Context(), v.actor, v.PathValue("id")))
}
