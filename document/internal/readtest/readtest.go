// Package readtest reads files that tests make, as documents. Tests of a reader use it in a
// package of their own (office_test), since package document imports the reader.
package readtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
)

// Write makes a file in a temporary folder and returns its path.
func Write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Read sets doc to the one document of a file with this content and the extension doc.Ext. If
// the file cannot be read, Read returns the error of [document.Open] and leaves doc unchanged.
func Read(ctx context.Context, doc *document.Document, data []byte, opts document.Options) error {
	dir, err := os.MkdirTemp("", "read")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "document")
	if doc.Ext != "" {
		path += "." + doc.Ext
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	read, err := document.Open(ctx, path, opts)
	if err == nil {
		*doc = *read
	}
	return err
}

// All returns a line for each document of a file: its path in the file, format, extension and
// text, or the error.
func All(t testing.TB, name string, data []byte, opts document.Options) ([]string, error) {
	t.Helper()
	path := Write(t, name, string(data))
	var got []string
	err := document.Each(t.Context(), path, opts, func(doc *document.Document, err error) error {
		member := strings.TrimPrefix(doc.Path, path)
		if err != nil {
			got = append(got, fmt.Sprintf("%s: %v", member, err))
		} else {
			got = append(got, fmt.Sprintf("%s %s %s: %q", member, doc.Format, doc.Ext, doc.Text))
		}
		return nil
	})
	return got, err
}

// Marks compares the marks of a document, each as "heading: its text", with want.
func Marks(t *testing.T, doc *document.Document, want ...string) {
	t.Helper()
	var got []string
	for _, m := range doc.Marks {
		got = append(got, string(m.Kind)+": "+doc.Text[m.Start:m.End])
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("marks %q, want %q", got, want)
	}
}

// Flagged returns kind, number of characters and detail of each flag of a document.
func Flagged(doc *document.Document) string {
	var flags []string
	for _, f := range doc.Flags {
		flags = append(flags, fmt.Sprintf("%s %d %s", f.Kind, f.Count, f.Detail))
	}
	return strings.Join(flags, ", ")
}
