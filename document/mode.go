package document

import "github.com/otisk/otisk/normalize"

// Types returns what the rules for the document may be called, the surest first:
// by its content, as in text/html and text/plain, then by its name.
func (d *Document) Types() []string {
	content := d.Format
	if content == "text" {
		content = "plain"
	}
	return []string{"text/" + content, d.Ext}
}

// Mode returns what parts the paragraphs of the text: the rules' own word for
// it; where they leave it to the text, the format's paragraphs if it states
// them.
func (d *Document) Mode(norm *normalize.Normalizer) normalize.Mode {
	if d.Parted && norm.Rules().NewLine == normalize.Auto {
		return normalize.Blank
	}
	return norm.Mode(d.Text)
}
