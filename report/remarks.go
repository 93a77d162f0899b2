package report

import "github.com/otisk/otisk/internal/offset"

// A Remark is a comment on a place of the text, which a server stores.
type Remark struct {
	Start, End int    `json:"-"`    // of its words in the text, in bytes; both 0 if the text does not have them
	From       int    `json:"from"` // the same in UTF-16 units, as [PlaceRemarks] sets them
	To         int    `json:"to"`
	Quote      string `json:"quote"`
	About      string `json:"about"` // who wrote it, when, and for whom
	Text       string `json:"text"`
}

// PlaceRemarks sets the places of comments on a text as the page of a report counts them.
func PlaceRemarks(text string, list []Remark) {
	if len(list) == 0 {
		return
	}
	units := offset.UTF16(text)
	for i := range list {
		list[i].From, list[i].To = units.At(list[i].Start), units.At(list[i].End)
	}
}
