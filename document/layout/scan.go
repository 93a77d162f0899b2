package layout

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document/djvu"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// A recognition is the outcome of recognising the pictures of pages.
type recognition struct {
	read   []int // recognised pages
	words  int   // words on them
	doubts int   // words the program is not sure of

	mu     sync.Mutex
	failed map[string]failure // pages that were not recognised, by reason
}

// recognize recognises the pages of f without text and puts their lines into f. The time limit of
// the file is suspended meanwhile, since each page has a separate limit.
func recognize(ctx context.Context, src *format.Source, f *pdf.File) (*recognition, error) {
	r := &recognition{failed: map[string]failure{}}
	pages := unread(f.Pages)
	if src.OCR == nil || len(pages) == 0 {
		return r, nil
	}
	defer format.Pause(ctx)()
	if err := src.OCR.Check(); err != nil {
		r.failed[err.Error()] = failure{err, pages}
		return r, nil
	}
	src.OCR.Expect(len(pages))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(src.OCR.Workers())
	err := pdf.Draw(ctx, src.Data, options(src), pages, func(page int) bool { return isPartly(f.Pages[page]) }, func(page int, s *pdf.Scan, err error) error {
		if err != nil {
			r.fail(page, err)
			return nil
		}
		group.Go(func() error { return r.page(ctx, src, &f.Pages[page], page, s) })
		return ctx.Err()
	})
	if waited := group.Wait(); waited != nil {
		err = waited
	}
	r.count(f.Pages)
	return r, err
}

// isPartly reports whether a page shows text outside its text layer and is not a picture.
func isPartly(p pdf.Page) bool {
	return p.Unread.Lines > 0 && len(p.Lines) > 0 && !isPicture(p) && !isUnsaid(p)
}

// isUnsaid reports whether most characters on a page have no meaning.
func isUnsaid(p pdf.Page) bool {
	var text strings.Builder
	for _, l := range p.Lines {
		text.WriteString(l.Text)
	}
	return isMeaningless(text.String())
}

// unread returns the pages that show text outside their text layer, or may do so without stating
// any.
func unread(pages []pdf.Page) []int {
	var list []int
	for i, p := range pages {
		if len(p.Fields) == 0 && (len(p.Lines) == 0 || isPicture(p) || isUnsaid(p)) || isPartly(p) {
			list = append(list, i)
		}
	}
	return list
}

// A failure has the pages that were not recognised for one reason.
type failure struct {
	err   error
	pages []int
}

// fail records why a page was not recognised.
func (r *recognition) fail(page int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.failed[err.Error()]
	r.failed[err.Error()] = failure{err, append(f.pages, page)}
}

// page recognises one page. It returns an error only if ctx has ended.
func (r *recognition) page(ctx context.Context, src *format.Source, p *pdf.Page, index int, s *pdf.Scan) error {
	if s.Blank() {
		src.OCR.Skip()
		p.Images, p.Covered = 0, false // nothing recognised
		return nil
	}
	found, err := src.OCR.Read(ctx, &format.Picture{Dots: s.Dots, Width: s.Width, Height: s.Height, DPI: s.DPI()}, src.Limit)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.fail(index, err)
		return nil
	}
	switch lines := linesOf(found, s); {
	case len(found) == 0:
	case isPartly(*p):
		p.Recovered = lines
	default:
		for i := range p.Hidden {
			p.Hidden[i].Line, p.Hidden[i].At = 0, 0
		}
		p.Lines, p.Height, p.Recognized = lines, s.Points, true
	}
	return nil
}

// count counts the recognised pages and words.
func (r *recognition) count(pages []pdf.Page) {
	for i, p := range pages {
		lines := p.Recovered
		if p.Recognized {
			lines = p.Lines
		}
		if len(lines) == 0 {
			continue
		}
		r.read = append(r.read, i)
		for _, l := range lines {
			r.words += strings.Count(l.Text, " ") + 1
			r.doubts += len(l.Doubts)
		}
	}
	for _, f := range r.failed {
		slices.Sort(f.pages)
	}
}

// Bounds of the font size relative to the usual one: some lines have no ascender or no
// descender.
const (
	lowLine  = 0.7
	highLine = 1.3
)

// linesOf converts recognised lines to the measures of a page.
func linesOf(found []format.Line, s *pdf.Scan) []pdf.Line {
	var lines []pdf.Line
	for _, l := range found {
		line := pdf.Line{
			Text: l.Text, Left: float64(l.Left) / s.Scale, Right: float64(l.Right) / s.Scale,
			Base: s.Points - float64(l.Base)/s.Scale, Size: float64(l.Bottom-l.Top) / s.Scale,
		}
		line.Doubts = append(line.Doubts, lists.Map(l.Doubts, func(d format.Span) pdf.Span { return pdf.Span(d) })...)
		lines = append(lines, line)
	}
	evenSizes(lines)
	return lines
}

// evenSizes sets the usual font size for lines whose size follows from their ink, if
// plausible.
func evenSizes(lines []pdf.Line) {
	sizes := lists.Map(lines, func(l pdf.Line) float64 { return l.Size })
	slices.Sort(sizes)
	for i := range lines {
		usual := sizes[len(sizes)/2]
		if size := &lines[i].Size; *size > usual*lowLine && *size < usual*highLine {
			*size = usual
		}
	}
}

// addNotes notes which pages were recognised and which were not.
func (r *recognition) addNotes(t *format.Text, src *format.Source, pages int) {
	if n := len(r.read); n > 0 {
		t.Note(phrase.Error("said.recognised-in-pictures", "the text of {pages} of {all} pages was recognised in pictures by {program} ({languages}), which is not sure of {doubts} of its {words} words: {list}",
			"pages", n, "all", pages, "program", src.OCR.Version(), "languages", fmt.Sprint(src.OCR), "doubts", r.doubts, "words", r.words, "list", numbers(r.read)))
	}
	for _, reason := range r.reasons() {
		failed := r.failed[reason]
		t.Note(phrase.Error("said.pages-not-recognised", "{pages} of {all} pages were not recognised: {list}: {cause}", "pages", len(failed.pages), "all", pages, "list", numbers(failed.pages), "cause", failed.err))
		t.Missed = true
	}
}

// reasons returns why pages were not recognised, sorted.
func (r *recognition) reasons() []string {
	return slices.Sorted(maps.Keys(r.failed))
}

// missing returns why a scan has no text although its pictures were to be recognised.
func (r *recognition) missing() error {
	if list := r.reasons(); len(list) > 0 {
		return r.failed[list[0]].err
	}
	return nil
}

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
