package layout

import (
	"context"

	"github.com/otisk/otisk/document/djvu"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/lang/phrase"
)

// DjVu reads the text layer of a DjVu file. Its pages are scans: their lines are joined as
// those of a PDF.
func DjVu(ctx context.Context, src *format.Source) (*format.Text, error) {
	pages, err := djvu.Pages(ctx, src.Data, src.Bytes)
	if err != nil {
		return nil, err
	}
	f := &pdf.File{}
	var unread format.Unread
	for _, p := range pages {
		unread.Merge(p.Unread)
		page := pdf.Page{Height: p.Height, Images: 1, Spread: 1, Covered: len(p.Lines) == 0, Blank: p.Blank}
		for _, l := range p.Lines {
			page.Lines = append(page.Lines, pdf.Line{Text: l.Text, Left: l.Left, Right: l.Right, Base: l.Bottom, Size: l.Top - l.Bottom})
		}
		evenSizes(page.Lines)
		if p.Broken {
			f.Broken++
		}
		f.Pages = append(f.Pages, page)
	}
	t := text(f)
	only := pictures(f.Pages)
	noteTextless(t, f, only)
	unread.NoteMany(t)
	if src.OCR != nil && len(only) > 0 {
		t.Note(phrase.Error("said.pages-not-recognised", "{pages} of {all} pages were not recognised: {list}: {cause}", "pages", len(only), "all", len(pages), "list", numbers(only),
			"cause", phrase.Error("said.djvu-pictures", "pictures of DjVu are not read: convert it to PDF")))
	}
	return t, check(t, f, len(only), &recognition{})
}
