package document

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif" // registers the decoder for sizes of pictures
	_ "image/jpeg"
	_ "image/png"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// An office document may consist of pictures of pages with hardly any text; its score would be
// 0 without a warning. So this file counts its pictures by their stated sizes, reading only
// their headers.

// Limits for pictures.
const (
	largeSide   = 400     // least width and height of a picture of text, in pixels
	largeDots   = 300_000 // least number of pixels
	largeBytes  = 30_000  // least bytes, if the header is not supported
	pageDots    = 500_000 // A4 at 72 pixels an inch
	pageLow     = 1.2     // least height by width of a page: A4 has 1.41, US Letter 1.29
	pageHigh    = 1.65
	textLetters = 60     // most letters beside a picture of a page, such as a stamp
	showLetters = 15     // the same in slides, where pictures are common
	mostSeen    = 10_000 // most pictures that are examined
	headBytes   = 256 << 10
	largeTwips  = 5670 // 10 cm, for pictures in RTF
)

// pictures counts the pictures of a document that may show text.
type pictures struct {
	large int // at least as large as a picture of text
	pages int // of these, those with the proportions of a page
}

func (p *pictures) add(width, height int) {
	if width < largeSide || height < largeSide || width*height < largeDots {
		return
	}
	p.large++
	if ratio := float64(height) / float64(width); width*height >= pageDots && ratio >= pageLow && ratio <= pageHigh {
		p.pages++
	}
}

// countPictures counts the pictures of a file whose format can embed any.
func countPictures(ctx context.Context, name string, data []byte) (p pictures, err error) {
	switch {
	case archive.IsZip(data):
		err = p.packed(ctx, data)
	case slices.Contains([]string{"doc", "ppt", "mobi"}, name):
		p.within(data)
	case name == "rtf":
		p.ofRTF(data)
	}
	return p, err
}

// packed counts the pictures that are members of a zip archive.
func (p *pictures) packed(ctx context.Context, data []byte) error {
	z, err := archive.Open(data, "")
	if err != nil {
		return err
	}
	seen := 0
	for _, f := range z.File {
		name := strings.ToLower(path.Base(f.Name))
		if !pictureTypes[path.Ext(name)] || strings.Contains(name, "cover") || strings.Contains(name, "thumbnail") {
			continue
		}
		if seen++; seen > mostSeen {
			break
		}
		if err := format.Ended(ctx); err != nil {
			return err
		}
		p.member(f)
	}
	return nil
}

// pictureTypes are the extensions of pictures.
var pictureTypes = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".jpe": true, ".gif": true, ".tif": true, ".tiff": true, ".bmp": true, ".jp2": true, ".webp": true}

func (p *pictures) member(f *zip.File) {
	r, err := f.Open()
	if err != nil {
		return // a damaged picture does not make the text unreadable
	}
	defer r.Close()
	c, _, err := image.DecodeConfig(io.LimitReader(r, headBytes))
	switch {
	case err == nil:
		p.add(c.Width, c.Height)
	case f.UncompressedSize64 >= largeBytes:
		p.large++
	}
}

// pictureHeads are the signatures of picture files.
var pictureHeads = [][]byte{[]byte("\x89PNG\r\n\x1a\n"), []byte("\xff\xd8\xff")}

// within counts the picture files embedded in data.
func (p *pictures) within(data []byte) {
	for _, head := range pictureHeads {
		rest := data
		for range mostSeen {
			i := bytes.Index(rest, head)
			if i < 0 {
				break
			}
			rest = rest[i:]
			if c, _, err := image.DecodeConfig(bytes.NewReader(rest[:min(len(rest), headBytes)])); err == nil {
				p.add(c.Width, c.Height)
			}
			rest = rest[len(head):]
		}
	}
}

// rtfPicture matches the header of a picture in RTF; its properties have no fixed order.
var rtfPicture = format.Pattern(`\\pict[^{}]{0,400}`)

// rtfSize matches the display size of a picture in RTF.
var rtfSize = format.Pattern(`\\pic([wh])goal(\d{1,6})`)

// ofRTF counts the pictures of RTF by their display size. It skips drawings and the
// alternative form of a picture for old readers.
func (p *pictures) ofRTF(data []byte) {
	for _, head := range rtfPicture().FindAll(data, mostSeen) {
		if !bytes.Contains(head, []byte("blip")) {
			continue
		}
		side := map[string]int{}
		for _, m := range rtfSize().FindAllSubmatch(head, 2) {
			side[string(m[1])], _ = strconv.Atoi(string(m[2])) // digits
		}
		if width, height := side["w"], side["h"]; width >= largeTwips && height >= largeTwips {
			p.add(width, height)
		}
	}
}

// addNotes adds notes about pictures that may show unread text. If hardly any text is beside them,
// it adds a flag.
func (p pictures) addNotes(doc *Document) {
	if p.large == 0 {
		return
	}
	letters, least := 0, textLetters
	if slices.Contains([]string{"pptx", "ppt", "odp"}, doc.Format) {
		least = showLetters
	}
	for _, r := range doc.Text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	switch {
	case letters < least*p.large:
		doc.Note(phrase.Counted("said.large-pictures", "{n} large picture with hardly any text", "{n} large pictures with hardly any text", p.large).With(picturesUnread))
		doc.Flags = append([]Flag{{Kind: OnlyPictures, Count: p.large, Detail: "with hardly any text beside them"}}, doc.Flags...)
	case p.pages > 0:
		doc.Note(phrase.Counted("said.shape-of-page", "{n} picture has the shape of a page: text in pictures is not read", "{n} pictures have the shape of a page: text in pictures is not read", p.pages))
	}
}

// withoutText returns the error for a file whose reader returned err and t without text. It states what was not read.
func (p pictures) withoutText(err error, t *format.Text) error {
	if p.large == 0 && t != nil {
		for _, note := range t.Notes {
			err = fmt.Errorf("%w: %w", err, t.Messages.Of(note))
		}
	}
	if p.large == 0 {
		return err
	}
	return fmt.Errorf("%w: %w: %w", ErrNoLayer, phrase.Counted("said.pictures-no-text", "{n} large picture and no text", "{n} large pictures and no text", p.large), picturesUnread)
}

// PicturesUnread is the part of a note or an error that says why text in pictures is missing.
const PicturesUnread = "text in pictures is recognised only in PDF files"

var picturesUnread = phrase.Error("said.text-only-pdf", PicturesUnread)
