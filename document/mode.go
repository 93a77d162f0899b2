package document

import "otisk/normalize"

// Mode returns what parts the paragraphs of the text: the rules' own word for
// it; where they leave it to the text, the format's paragraphs if it states
// them.
func (d *Document) Mode(norm *normalize.Normalizer) normalize.Mode {
	if d.Parted && norm.Rules().NewLine == normalize.Auto {
		return normalize.Blank
	}
	return norm.Mode(d.Text)
}
