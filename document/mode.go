package document

import (
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
)

// Types returns the names under which rules may refer to the document's format, the most
// reliable first: by content, such as text/html and text/plain, then by file name.
func (d *Document) Types() []string {
	return []string{contentType(d.Format), d.Ext}
}

// contentType returns the name of a format in rules.
func contentType(format string) string {
	if format == "text" {
		format = "plain"
	}
	return "text/" + format
}

// ContentTypes returns the names of all formats in rules, sorted: the first of
// [Document.Types] of every format.
func ContentTypes() []string {
	types := lists.Map(Formats(), contentType)
	slices.Sort(types)
	return types
}

// Mode returns how paragraphs of the text are separated: as the rules set it or, if they leave
// it to the text, by the format's paragraphs if it states them.
func (d *Document) Mode(norm *normalize.Normalizer) normalize.Mode {
	if d.Parted && norm.Rules().NewLine == normalize.Auto {
		return normalize.Blank
	}
	return norm.Mode(d.Text)
}
