package sample

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	"github.com/otisk/otisk/document/charset"
)

// Encode returns a text in the character encoding with this label.
func Encode(t testing.TB, text, label string) []byte {
	t.Helper()
	enc, err := charset.Lookup(label)
	if err != nil {
		t.Fatal(err)
	}
	data, err := enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", label, err)
	}
	return data
}

// Gzipped compresses data; name is the file name in the header.
func Gzipped(t testing.TB, data []byte, name string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	w.Name = name
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Tarred returns a tar archive of pairs of name and content.
func Tarred(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: pairs[i], Mode: 0o600, Size: int64(len(pairs[i+1])), ModTime: time.Unix(1e9, 0), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
