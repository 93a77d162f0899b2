package document

import "github.com/otisk/otisk/document/charset"

// CheckEncoding returns an error wrapping ErrEncoding if label is not a supported encoding.
func CheckEncoding(label string) error {
	_, err := charset.Lookup(label)
	return err
}
