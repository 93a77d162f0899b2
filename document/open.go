package document

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Check returns the error that [Open] would.
func Check(ctx context.Context, path string, opts Options) error {
	_, err := Open(ctx, path, opts)
	return err
}

// Footprint returns how many bytes of memory opening a file of this name and
// size takes: about the most, so that a caller can bound its own use.
func Footprint(path string, size int64) int64 {
	switch ext := extension(path); {
	case isHTMLName(ext):
		return 3 * size // the file, the file decoded, the text
	case ext == "pdf":
		return 64<<20 + 3*size // the engine
	case ext == "docx" || ext == "odt" || ext == "epub":
		return 16 * size // packed text
	}
	return 2 * size // the file, and the text where something in it is undone
}

func extension(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}

// read fills in what the content of the file says.
func read(ctx context.Context, doc *Document, data []byte, opts Options) error {
	limit := opts.time()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: takes longer than %v to read", ErrTooLarge, limit))
	defer cancel()
	if err := readFormat(ctx, doc, data, opts); err != nil {
		return err
	}
	if !opts.AsIs {
		reveal(doc)
	}
	return nil
}

// readFormat finds out what data is, by its content before its name, and reads
// it.
func readFormat(ctx context.Context, doc *Document, data []byte, opts Options) error {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return readZip(ctx, doc, data, opts)
	}
	if looksLikeRTF(data) {
		return readRTF(doc, data)
	}
	if looksLikePDF(data) {
		return readPDF(ctx, doc, data, opts)
	}
	if kind := binaryKind(data); kind != "" {
		return notText(kind)
	}
	switch ext := doc.Ext; {
	case looksLikeHTML(data) || isHTMLName(ext):
		return readHTML(doc, data, opts)
	case looksLikeXML(data) || ext == "xml" || ext == "tei":
		return readXML(ctx, doc, data, opts)
	case looksLikeLaTeX(data) || isLaTeXName(ext):
		return readLaTeX(ctx, doc, data, opts)
	case isMarkdownName(ext):
		return readMarkdown(doc, data, opts)
	}
	return readText(doc, data, opts)
}

// readZip reads a document that is a zip archive.
func readZip(ctx context.Context, doc *Document, data []byte, opts Options) error {
	z, err := openZip(data)
	if err != nil {
		return err
	}
	switch kind := zipKind(z); kind {
	case "docx":
		return readDOCX(ctx, doc, data, opts)
	case "odt":
		return readODT(ctx, doc, data, opts)
	case "epub":
		return readEPUB(ctx, doc, data, opts)
	case "":
		return ErrNested
	default:
		return notText(kind)
	}
}
