package document

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif" // kinds of pictures that say how large they are
	_ "image/jpeg"
	_ "image/png"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
)

// A document of an office program can be pictures of pages, with hardly any text: its score
// would be 0 and nothing said. So the pictures in it are counted, by the sizes that they
// state: nothing is unpacked but their heads.

// Bounds of what is said of pictures.
const (
	largeSide   = 400     // dots that a picture of text has at least, each way
	largeDots   = 300_000 // and altogether
	largeBytes  = 30_000  // or bytes, of one whose head is not known
	pageDots    = 500_000 // A4 at 72 dots an inch
	pageLow     = 1.2     // height by width of a page: A4 has 1.41, US Letter 1.29
	pageHigh    = 1.65
	textLetters = 60     // beside a picture of a page: no more than a stamp
	showLetters = 15     // beside one in slides, where pictures are usual
	mostSeen    = 10_000 // pictures that are looked at
	headBytes   = 256 << 10
	largeTwips  = 5670 // 10 cm, of a picture in RTF
)

// pictures are those of a document that may show text.
type pictures struct {
	large int // as large as a picture of text has to be
	pages int // of these, as high as a page is for its width
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

// countPictures looks at those of a file, if its format holds any in itself.
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
	z, err := archive.Open(data)
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

// pictureTypes are the endings of names of pictures.
var pictureTypes = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".jpe": true, ".gif": true, ".tif": true, ".tiff": true, ".bmp": true, ".jp2": true, ".webp": true}

func (p *pictures) member(f *zip.File) {
	r, err := f.Open()
	if err != nil {
		return // a damaged picture is no reason to refuse the text
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

// pictureHeads are the first bytes of pictures as files of their own have them.
var pictureHeads = [][]byte{[]byte("\x89PNG\r\n\x1a\n"), []byte("\xff\xd8\xff")}

// within counts the pictures that are in data as files of their own have them.
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

// rtfPicture is what RTF says of a picture before its dots: in which order is left open.
var rtfPicture = regexp.MustCompile(`\\pict[^{}]{0,400}`)

// rtfSize is as how large RTF says that a picture is.
var rtfSize = regexp.MustCompile(`\\pic([wh])goal(\d{1,6})`)

// ofRTF counts the pictures of RTF by the size that they are shown in. Drawings, and the
// second form of a picture that is there for old readers, are none.
func (p *pictures) ofRTF(data []byte) {
	for _, head := range rtfPicture.FindAll(data, mostSeen) {
		if !bytes.Contains(head, []byte("blip")) {
			continue
		}
		side := map[string]int{}
		for _, m := range rtfSize.FindAllSubmatch(head, 2) {
			side[string(m[1])], _ = strconv.Atoi(string(m[2])) // digits
		}
		if width, height := side["w"], side["h"]; width >= largeTwips && height >= largeTwips {
			p.add(width, height)
		}
	}
}

// say tells what pictures of a document may show that was not read. Where hardly any text
// is beside them it is a flag.
func (p pictures) say(doc *Document) {
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
		doc.Notes = append(doc.Notes, format.Counted(p.large, "%d large picture with hardly any text", "%d large pictures with hardly any text")+": "+savePDF)
		doc.Flags = append([]Flag{{Kind: OnlyPictures, Count: p.large, Detail: "with hardly any text beside them"}}, doc.Flags...)
	case p.pages > 0:
		doc.Notes = append(doc.Notes, format.Counted(p.pages, "%d picture has the shape of a page", "%d pictures have the shape of a page")+": text in pictures is not read")
	}
}

// withoutText says why a file that has no text has none.
func (p pictures) withoutText(err error) error {
	if p.large == 0 {
		return err
	}
	return fmt.Errorf("%w: %s: %s", ErrNoLayer, format.Counted(p.large, "%d large picture and no text", "%d large pictures and no text"), savePDF)
}

const savePDF = "text in pictures is not read: save it as PDF, and use --ocr"
