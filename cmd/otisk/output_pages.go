package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	reportpages "github.com/otisk/otisk/report/pages"
)

const (
	pagesWithPassages = "passages"
	pagesAll          = "all"
)

func pagesFlag(f *pflag.FlagSet, value *string) {
	f.StringVar(value, "pages", "", "show pictures of the pages that have passages in the HTML report, or with =`all` of all pages: of PDF and, with LibreOffice installed, of DOCX, ODT, RTF, DOC and slides; at most 32 MB a report")
	f.Lookup("pages").NoOptDefVal = pagesWithPassages
}

// drawPages adds pictures of the suspect's pages to r if --pages is set. It warns about pages with
// passages that are left out.
func (o *output) drawPages(ctx context.Context, r *report.Report) error {
	if o.review.pages == "" {
		return nil
	}
	path := r.Suspect.Path
	err := reportpages.ErrNoPages
	if archive, _, member := document.CutMember(path); member {
		err = lang.NewMessage("error.packed-pages", "cause", err, "archive", archive)
	} else {
		err = reportpages.Draw(ctx, r, path, reportpages.Options{All: o.review.pages == pagesAll, Memory: o.memory})
	}
	if errors.Is(err, reportpages.ErrNoPlaces) {
		err = lang.NewMessage("error.pages-unplaced", "cause", err)
	}
	if err != nil {
		return lang.NewMessage("error.pages", "cause", err)
	}
	if n := len(r.Pages.LeftOut); n > 0 {
		printLine(o.stderr, o.look.Lang.Text("terminal.warning"), path+": "+o.look.Lang.Text("terminal.pages-left-out", "n", n, "limit", r.Pages.Limit>>20))
	}
	if n := len(r.Pages.Broken); n > 0 {
		printLine(o.stderr, o.look.Lang.Text("terminal.warning"), path+": "+o.look.Lang.Text("terminal.pages-broken", "n", n))
	}
	return nil
}
