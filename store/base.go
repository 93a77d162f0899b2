package store

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// A Base is a folder that the names of documents are relative to. Only it
// knows where the files are: when they move, it changes, and no document does.
type Base struct {
	Key    string // what documents refer to it by; never changes
	Name   string // what their names start with, before a slash; "" for nothing
	Folder string // where it is: absolute, without links
	Flat   bool   // it is one for the files in it, and not for what is in its folders
}

// A jsonBase is a base as it is stored. A folder may have bytes that JSON
// cannot hold.
type jsonBase struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Flat   bool   `json:"flat,omitempty"`
	Bytes  []byte `json:"folder_bytes,omitempty"` // where it is not UTF-8
	Named  []byte `json:"name_bytes,omitempty"`   // likewise
}

// MarshalJSON keeps every byte of name and folder.
func (b Base) MarshalJSON() ([]byte, error) {
	j := jsonBase{Key: b.Key, Name: b.Name, Folder: b.Folder, Flat: b.Flat}
	if !utf8.ValidString(b.Folder) {
		j.Bytes = []byte(b.Folder)
	}
	if !utf8.ValidString(b.Name) {
		j.Named = []byte(b.Name)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (b *Base) UnmarshalJSON(data []byte) error {
	var j jsonBase
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*b = Base{Key: j.Key, Name: j.Name, Folder: j.Folder, Flat: j.Flat}
	if j.Bytes != nil {
		b.Folder = string(j.Bytes)
	}
	if j.Named != nil {
		b.Name = string(j.Named)
	}
	return nil
}

// File returns where the file of a document with this path is, by the base of
// that key: its whole path, with what follows it in an archive. It is ""
// where there is no such base, and path itself for a document without one,
// which was indexed by its whole path.
func File(bases []Base, key, path string) string {
	if key == "" {
		return path
	}
	for _, b := range bases {
		if b.Key == key {
			return b.File(path)
		}
	}
	return ""
}

// File returns where the file of a document of b is.
func (b *Base) File(path string) string {
	if b.Name != "" {
		path = strings.TrimPrefix(path, b.Name+"/")
	}
	// The path in an archive is not one of the system.
	file, member, ok := strings.Cut(path, "!/")
	if !ok || file == "" || strings.HasSuffix(file, "/") {
		return filepath.Join(b.Folder, filepath.FromSlash(path))
	}
	return filepath.Join(b.Folder, filepath.FromSlash(file)) + "!/" + member
}
