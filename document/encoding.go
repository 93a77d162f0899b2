package document

import "github.com/otisk/otisk/document/charset"

// CheckEncoding returns an error wrapping ErrEncoding for a label that names no
// encoding which a file could be read in.
func CheckEncoding(label string) error {
	_, err := charset.Lookup(label)
	return err
}
