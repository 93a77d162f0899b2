package members

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"slices"
	"testing"
)

// TestCopyFolders: programs in Java compress the nothing of a folder to two bytes, which Go does not write.
func TestCopyFolders(t *testing.T) {
	var in, out bytes.Buffer
	w := zip.NewWriter(&in)
	for _, name := range []string{"class/", "class/novak.txt", "class/", "class/novak.txt"} {
		var data bytes.Buffer
		c, _ := flate.NewWriter(&data, flate.DefaultCompression)
		_ = c.Close()
		raw := name[:len(name)-1] + "?" // Go refuses content of a folder
		if name[len(name)-1] != '/' {
			raw = name
		}
		to, err := w.CreateRaw(&zip.FileHeader{Name: raw, Method: zip.Deflate, CompressedSize64: uint64(data.Len())})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(data.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := bytes.ReplaceAll(in.Bytes(), []byte("class?"), []byte("class/"))
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if err := Copy(t.Context(), &out, z.File, UniqueNames(z.File)); err != nil {
		t.Fatal(err)
	}
	z, err = zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range z.File {
		r, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		got = append(got, f.Name)
	}
	if len(got) != 2 || got[0] != "class/novak.txt" || got[1] != "class/novak (2).txt" {
		t.Errorf("members %q, want the files and no folder", got)
	}
}

// TestPlainNames: members are listed under names that a reader sees.
func TestPlainNames(t *testing.T) {
	var all []*zip.File
	for _, name := range []string{"   ", "\u202etxt.exe", "a\nb.txt", "d/ ", "d/", "c.txt"} {
		all = append(all, &zip.File{FileHeader: zip.FileHeader{Name: name}})
	}
	if got, want := UniqueNames(all), []string{"_", "_txt.exe", "a_b.txt", "d/_", "d/", "c.txt"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}

// TestCopyDamaged: a member without its header is zip.ErrFormat, by which an upload is left as it is.
func TestCopyDamaged(t *testing.T) {
	var in bytes.Buffer
	w := zip.NewWriter(&in)
	if _, err := w.Create("a.txt"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := bytes.Replace(in.Bytes(), []byte("PK\x03\x04"), []byte("XXXX"), 1)
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if err := Copy(t.Context(), io.Discard, z.File, nil); !errors.Is(err, zip.ErrFormat) {
		t.Errorf("Copy = %v, want zip.ErrFormat", err)
	}
}
