package document

import (
	"slices"

	"github.com/otisk/otisk/normalize"
)

// Types returns what the rules for the document may be called, the surest first:
// by its content, as in text/html and text/plain, then by its name.
func (d *Document) Types() []string {
	return []string{contentType(d.Format), d.Ext}
}

// contentType is what rules call a format.
func contentType(format string) string {
	if format == "text" {
		format = "plain"
	}
	return "text/" + format
}

// ContentTypes returns what rules may call a document by its content, in order:
// the first of [Document.Types] of every format.
func ContentTypes() []string {
	var types []string
	for _, f := range Formats() {
		types = append(types, contentType(f))
	}
	slices.Sort(types)
	return types
}

// Mode returns what separates the paragraphs of the text: the rules' own word for
// it; where they leave it to the text, the format's paragraphs if it states
// them.
func (d *Document) Mode(norm *normalize.Normalizer) normalize.Mode {
	if d.Parted && norm.Rules().NewLine == normalize.Auto {
		return normalize.Blank
	}
	return norm.Mode(d.Text)
}
