package document

import (
	"archive/zip"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/container"
	"github.com/otisk/otisk/document/djvu"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/layout"
	"github.com/otisk/otisk/document/mail"
	"github.com/otisk/otisk/document/markup"
	"github.com/otisk/otisk/document/office"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/document/tei"
	"github.com/otisk/otisk/document/tex"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/internal/fault"
	"github.com/otisk/otisk/internal/lists"
)

// A row describes one format: how it is detected, and its reader.
type row struct {
	name  string                 // name of the format in reports and settings
	holds func(*zip.File) bool   // detects a zip-based format by one member
	looks func(data []byte) bool // detects other formats by content
	exts  []string               // extensions of text formats that content does not show
	plain bool                   // a text format: never matches a binary file
	read  format.Reader
	ready format.Waiter   // waits for resources of read before its time starts
	split format.Splitter // splits a file that holds many documents
	base  int64           // approximate maximum memory for reading, in bytes
	times int64           // additional bytes of memory per byte of the file
}

// formats lists all formats in the order in which they are tried. A new format needs a reader
// and a row here; TestFormats checks what else.
var formats = []row{
	{name: "docx", holds: office.HoldsDOCX, read: office.DOCX, times: 16},
	{name: "odt", holds: office.HoldsODT, read: office.ODT, times: 16},
	{name: "pptx", holds: office.HoldsPPTX, read: office.PPTX, times: 16},
	{name: "odp", holds: office.HoldsODP, read: office.ODP, times: 16},
	{name: "xlsx", holds: office.HoldsXLSX, read: office.XLSX, times: 16},
	{name: "ods", holds: office.HoldsODS, read: office.ODS, times: 16},
	{name: "epub", holds: web.HoldsEPUB, read: web.EPUB, times: 16},
	{name: "mobi", looks: web.LooksMobi, read: web.Mobi, times: 6},
	{name: "doc", looks: office.LooksDOC, read: office.DOC, times: 8},
	{name: "ppt", looks: office.LooksPPT, read: office.PPT, times: 6},
	{name: "xls", looks: office.LooksXLS, read: office.XLS, times: 6},
	{name: "rtf", looks: office.LooksRTF, read: office.RTF, times: 2},
	{name: "pdf", looks: layout.Looks, ready: layout.Ready, read: layout.PDF, base: 64 << 20, times: 3},
	{name: "djvu", looks: djvu.Looks, read: layout.DjVu, times: 4},
	{name: "mail", looks: container.LooksBox, plain: true, split: container.SplitBox, read: mail.Message, times: 4},
	{name: "mail", looks: mail.Looks, exts: []string{"eml", "mht", "mhtml"}, plain: true, read: mail.Message, times: 4},
	{name: "vertical", looks: plain.LooksVertical, exts: []string{"vert", "vrt"}, plain: true, split: plain.SplitVertical, read: plain.Vertical, times: 2},
	{name: "html", looks: web.LooksHTML, exts: []string{"html", "htm", "xhtml", "xht"}, plain: true, read: web.HTML, times: 3},
	{name: "odt", looks: office.LooksFlatODT, plain: true, read: office.FlatODT, times: 2},
	{name: "docx", looks: office.LooksWord2003, plain: true, read: office.Word2003, times: 4},
	{name: "docbook", looks: tei.LooksDocBook, exts: []string{"dbk", "docbook"}, plain: true, read: tei.DocBook, times: 2},
	{name: "jats", looks: tei.LooksJATS, exts: []string{"nxml", "jats"}, plain: true, read: tei.JATS, times: 2},
	{name: "fb2", looks: tei.LooksFB2, exts: []string{"fb2"}, plain: true, read: tei.FB2, times: 2},
	{name: "notebook", looks: markup.LooksNotebook, exts: []string{"ipynb"}, plain: true, read: markup.Notebook, times: 4},
	{name: "xml", looks: tei.LooksXML, exts: []string{"xml", "tei"}, plain: true, read: tei.XML, times: 2},
	{name: "latex", looks: tex.Looks, exts: []string{"tex", "latex", "ltx"}, plain: true, read: tex.LaTeX, times: 2},
	{name: "markdown", exts: []string{"md", "markdown", "mdown", "qmd", "rmd"}, plain: true, read: web.Markdown, times: 2},
	{name: "subtitles", looks: markup.LooksSubtitles, exts: []string{"srt", "vtt", "ass", "ssa", "lrc"}, plain: true, read: markup.Subtitles, times: 3},
	{name: "asciidoc", exts: []string{"adoc", "asciidoc"}, plain: true, read: markup.AsciiDoc, times: 4},
	{name: "rst", exts: []string{"rst"}, plain: true, read: markup.RST, times: 4},
	{name: "org", exts: []string{"org"}, plain: true, read: markup.Org, times: 4},
	{name: "textile", exts: []string{"textile"}, plain: true, read: markup.Textile, times: 4},
	{name: "typst", exts: []string{"typ"}, plain: true, read: markup.Typst, times: 3},
	{name: "mediawiki", exts: []string{"wiki", "mediawiki", "wikitext"}, plain: true, read: container.Wikitext, times: 4},
	{name: "text", plain: true, read: plain.Text, times: 2},
}

// Formats returns the names of all formats, as in [Document.Format], sorted.
func Formats() []string {
	names := slices.Collect(maps.Values(textFormats))
	names = append(names, lists.Map(formats, func(f row) string { return f.name })...)
	slices.Sort(names)
	return slices.Compact(names)
}

// matches reports whether a file has the row's format, by content or by extension.
func (f *row) matches(data []byte, ext string) bool {
	if f.holds != nil {
		return false
	}
	return f.looks != nil && f.looks(data) || slices.Contains(f.exts, ext) || f.looks == nil && f.exts == nil
}

// find returns the format of data. ext is the extension of the file name.
func find(data []byte, ext string) (_ *row, err error) {
	defer fault.Catch(&err)
	if archive.IsZip(data) {
		z, err := archive.Open(data, "")
		if err != nil {
			return nil, err
		}
		return findZip(z)
	}
	if kind := ownKind(data); kind != "" {
		return nil, notText(kind)
	}
	kind, looked := binaryKind(data), data
	if text, ok := archive.FromUTF16(data[:min(len(data), lookedMost)]); ok {
		looked = text
	}
	for i := range formats {
		if f := &formats[i]; f.matches(looked, ext) && !(f.plain && kind != "") {
			return f, nil
		}
	}
	return nil, refused(data, kind)
}

// lookedMost is how many bytes of XML in UTF-16 are decoded to detect its format.
const lookedMost = 64 << 10

// findZip returns the format of a document that is a zip archive, by the first member that
// identifies one. It returns ErrNested for a plain archive.
func findZip(z *zip.Reader) (*row, error) {
	for _, member := range z.File {
		for i := range formats {
			if f := &formats[i]; f.holds != nil && f.holds(member) {
				return f, nil
			}
		}
		if kind := otherZip(member); kind != "" {
			return nil, notText(kind)
		}
	}
	return nil, ErrNested
}

// fill reads src within its limit of time into doc and returns the attached files. A panic of
// the reader becomes an error about doc.
func (f *row) fill(ctx context.Context, doc *Document, src *format.Source, opts Options) (_ []format.Attached, err error) {
	defer fault.Catch(&err)
	if f.ready != nil {
		done, err := f.ready(ctx, src)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	ctx, cancel := src.Limit(ctx)
	defer cancel()
	t, err := f.read(ctx, src)
	if err != nil && err != ErrEmpty {
		return nil, err
	}
	src.Guessed.Note(t)
	shown, ended := countPictures(ctx, f.name, src.Data)
	if err != nil || ended != nil {
		return nil, cmp.Or(ended, shown.withoutText(err, t))
	}
	t.Text = withCommas(t.Text)
	doc.Format, doc.Text, doc.Parted, doc.Reader = f.name, t.Text, t.Parted, opts.reader(f.name)
	doc.Title, doc.Author, doc.Year, doc.Encoding = format.TitleOf(t.Title), t.Author, t.Year, t.Encoding
	doc.Marks, doc.Flags, doc.Pages, doc.PageLabels, doc.Notes, doc.Messages = t.Marks, t.Flags, t.Pages, t.PageLabels, t.Notes, t.Messages
	if t.Missed {
		doc.Reader = Version
	}
	if !opts.AsIs {
		err = reveal(ctx, doc, src.Guessed != nil)
	}
	shown.addNotes(doc)
	return t.Attached, err
}

// romanian replaces the letters with a cedilla by those with a comma, of the same number of bytes.
var romanian = strings.NewReplacer("ş", "ș", "Ş", "Ș", "ţ", "ț", "Ţ", "Ț")

// withCommas returns text with the letters ș and ț of Romanian for those with a cedilla, which encodings
// before Unicode 3 have in their place. Other languages with ş, such as Turkish, have none of ă, ț and ţ.
func withCommas(text string) string {
	rest, found := text, true
	for found && (rest == "" || strings.IndexByte("\x9E\x9F\xA2\xA3", rest[0]) < 0) {
		_, rest, found = strings.Cut(rest, "\xC5") // the first byte of Ş, ş, Ţ and ţ
	}
	if found && romanianLetters(text) {
		return romanian.Replace(text)
	}
	return text
}

// romanianLetters reports whether a text has letters of Romanian, and more of them than of Turkish, as a text in
// one language may name somebody of the other.
func romanianLetters(text string) bool {
	letters := 0
	for _, r := range text {
		switch r {
		case 'ă', 'Ă', 'ț', 'Ț', 'ţ', 'Ţ':
			letters++
		case 'ı', 'İ', 'ğ', 'Ğ':
			letters--
		}
	}
	return letters > 0
}

// usualTimes is the memory per byte of files without a row.
const usualTimes = 2

// Footprint returns the approximate maximum memory, in bytes, that opening a file of this name
// and size takes. Callers use it to limit their memory.
func Footprint(path string, size int64) int64 {
	ext := extension(path)
	for _, f := range formats {
		if f.name == ext || slices.Contains(f.exts, ext) {
			return f.base + f.times*size
		}
	}
	return usualTimes * size
}
