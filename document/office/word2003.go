package office

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
)

// LooksWord2003 reports whether data is a document of Word in a single XML file: of Word 2003, or a
// later one with its members (flat OPC).
func LooksWord2003(data []byte) bool {
	return bytes.Contains(format.Head(data), []byte("http://schemas.microsoft.com/office/word/2003/wordml")) || isFlat(data)
}

// isFlat reports whether data is a flat OPC file of Word.
func isFlat(data []byte) bool {
	return bytes.Contains(format.Head(data), []byte("http://schemas.microsoft.com/office/2006/xmlPackage")) && bytes.Contains(data[:min(len(data), 16*format.HeadSize)], []byte(`pkg:name="/word/`))
}

var (
	flatName    = format.Pattern(`<pkg:part\b[^<>]*\bpkg:name="/([^"]+)"`)
	flatContent = format.Pattern(`(?s)<pkg:xmlData[^<>]*>(.*)</pkg:xmlData>`)
)

// flat reads a flat OPC file as the archive of its members. Members that are not XML have no text.
func flat(ctx context.Context, src *format.Source, data []byte, encoding string) (*format.Text, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for part := range bytes.SplitSeq(data, []byte("</pkg:part>")) {
		if err := format.Ended(ctx); err != nil {
			return nil, err
		}
		name, content := flatName().FindSubmatch(part), flatContent().FindSubmatch(part)
		if name == nil || content == nil {
			continue
		}
		member, err := w.CreateHeader(&zip.FileHeader{Name: string(name[1])})
		if err != nil {
			return nil, err
		}
		if _, err := member.Write(content[1]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	whole := *src
	whole.Data = packed.Bytes()
	t, err := DOCX(ctx, &whole)
	if t != nil {
		t.Encoding = encoding
	}
	return t, err
}

// Word2003 reads a document of Word in a single XML file. The elements of Word 2003 are those of DOCX, with
// notes at their places.
func Word2003(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, charset.XMLDeclared(src.Data))
	if err != nil {
		return nil, err
	}
	if isFlat(data) {
		return flat(ctx, src, data, encoding)
	}
	styles := newDOCXStyles()
	if err := xmlwalk.WalkText(ctx, data, &partOfXML{Handler: styles, name: "styles"}); err != nil {
		return nil, err
	}
	props := xmlwalk.NewFields("Title", "Author")
	if err := xmlwalk.WalkText(ctx, data, &partOfXML{Handler: props, name: "DocumentProperties"}); err != nil {
		return nil, err
	}
	r := &docxReader{Body: flow.NewBody(), notes: map[string]*flow.Builder{}, bound: map[string]bool{}, look: styles.look, unread: &format.Unread{}}
	if err := xmlwalk.WalkText(ctx, data, &partOfXML{Handler: notesInPlace{r}, name: "body"}); err != nil {
		return nil, err
	}
	t, err := r.Done()
	r.unread.Note(t)
	t.Title, t.Author, t.Encoding = props.Get("Title"), props.Get("Author"), encoding
	return t, err
}

// A partOfXML passes on what is inside the elements with a name.
type partOfXML struct {
	xmlwalk.Handler
	name string
	open int
}

func (p *partOfXML) Start(name string, attrs []xml.Attr) {
	if p.open > 0 {
		p.Handler.Start(name, attrs)
	}
	if name == p.name {
		p.open++
	}
}

func (p *partOfXML) End(name string) {
	if name == p.name {
		p.open--
	}
	if p.open > 0 {
		p.Handler.End(name)
	}
}

func (p *partOfXML) Text(s []byte) {
	if p.open > 0 {
		p.Handler.Text(s)
	}
}

// A notesInPlace reads a body whose notes are at their references.
type notesInPlace struct{ *docxReader }

func (n notesInPlace) Start(name string, attrs []xml.Attr) {
	if (name == "footnote" || name == "endnote") && n.skip == 0 {
		n.BeginSide(format.Footnote)
		return
	}
	n.docxReader.Start(name, attrs)
}

func (n notesInPlace) End(name string) {
	if (name == "footnote" || name == "endnote") && n.skip == 0 {
		n.EndSide()
		return
	}
	n.docxReader.End(name)
}
