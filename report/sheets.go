package report

import (
	"fmt"
	"strings"

	"github.com/otisk/otisk/lang"
)

// Pages are pictures of the suspect's pages, as they were handed in. Package
// report/pages makes them.
type Pages struct {
	Of       int       `json:"of"`       // pages of the document
	Pictures []Picture `json:"pictures"` // in ascending order of numbers
	LeftOut  []int     `json:"left_out"` // pages with passages for which Limit left no room, from 1
	Broken   []int     `json:"broken"`   // pages that could not be drawn, from 1
	Limit    int       `json:"limit"`    // bytes of all pictures
}

// A Picture is the picture of one page.
type Picture struct {
	Number int      `json:"number"` // from 1
	Label  string   `json:"label"`  // page label in the document
	Width  int      `json:"width"`  // dots
	Height int      `json:"height"`
	Data   string   `json:"data"`  // a data URL
	Words  [][6]int `json:"words"` // of passages: first and last UTF-16 unit of the text; left, top, width and height in dots
}

// check returns an error if the pictures are invalid, since the script of the page relies
// on them.
func (p *Pages) check() error {
	for i, x := range p.Pictures {
		if x.Width <= 0 || x.Height <= 0 || x.Width > maxDots || x.Height > maxDots {
			return fmt.Errorf("pictures[%d]: width=%d height=%d", i, x.Width, x.Height)
		}
		if !strings.HasPrefix(x.Data, "data:image/") {
			return fmt.Errorf("pictures[%d].data", i)
		}
	}
	return nil
}

// maxDots is the maximum width and height of a picture.
const maxDots = 1 << 15

// pagesNote names the pages without a picture, "" if there are none.
func pagesNote(say *lang.Printer, r *Report) string {
	name := func(pages []int) string {
		var labels []string
		for _, n := range pages {
			if len(labels) == mostNamed {
				labels = append(labels, "…")
				break
			}
			labels = append(labels, r.Suspect.PageLabel(n))
		}
		return strings.Join(labels, ", ")
	}
	var notes []string
	if p := r.Pages; len(p.LeftOut) > 0 {
		notes = append(notes, say.Text("page.sheets-left-out", "n", len(p.LeftOut), "pages", name(p.LeftOut), "limit", p.Limit>>20))
	}
	if p := r.Pages; len(p.Broken) > 0 {
		notes = append(notes, say.Text("page.sheets-broken", "n", len(p.Broken), "pages", name(p.Broken)))
	}
	return strings.Join(notes, " ")
}

// mostNamed is the maximum number of pages in the note.
const mostNamed = 20
