package project

import (
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/office"
	"github.com/otisk/otisk/internal/fault"
	"github.com/otisk/otisk/internal/lists"
)

// A master document has links in place of its chapters, which are documents of their own. LibreOffice
// writes addresses relative to the inside of the package, so that "../a.odt" is in the folder of
// the master document; Word writes them relative to that folder.

// masterExts are the types of files that may be master documents.
var masterExts = format.Names("odm", "docx", "docm")

// mostWord is the number of Word documents up to which each is searched for links. More of them are a
// collection.
const mostWord = 100

// A link is an address in a file.
type link struct{ in, address string }

// masters returns the master documents with a linked file in the tree. If reading a file fails, also
// because of its size, the documents are not joined; the reader of a master document then notes
// the links.
func (f *files) masters() (found []*Project, err error) {
	word := 0
	for _, name := range f.names {
		if ext := extension(name); masterExts[ext] && ext != "odm" {
			word++
		}
	}
	for _, name := range f.names {
		ext := extension(name)
		if !masterExts[ext] || ext != "odm" && word > mostWord {
			continue
		}
		p := &Project{Main: name, Ext: ext, Master: true, files: map[string][]byte{}, links: map[link]string{}}
		err := (&master{files: f, p: p}).join()
		if ended := format.Ended(f.ctx); ended != nil {
			return nil, ended
		}
		if err == nil && len(p.Joined) > 0 {
			found = append(found, p)
		}
	}
	return found, nil
}

// A master joins one master document.
type master struct {
	*files
	p    *Project
	open []string // files whose links are being followed
}

// join reads the master document and joins the files that it links to. A panic of a reader becomes
// an error.
func (m *master) join() (err error) {
	defer fault.Catch(&err)
	if m.p.Source, err = m.tree.Read(m.p.Main); err != nil {
		return err
	}
	return m.follow(m.p.Main, m.p.Source)
}

// follow joins the files that a file links to.
func (m *master) follow(name string, data []byte) error {
	m.open = append(m.open, name)
	defer func() { m.open = m.open[:len(m.open)-1] }()
	addresses, err := office.Links(m.ctx, &format.Source{Data: data, Ext: extension(name), Budget: m.budget})
	for _, address := range addresses {
		if err == nil {
			err = m.link(link{name, address})
		}
	}
	return err
}

// link joins a linked file. A file that is linked again is not read again.
func (m *master) link(l link) error {
	name, found := m.target(l)
	switch {
	case !found:
		m.p.Missing = add(m.p.Missing, unescaped(l.address))
		return nil
	case slices.Contains(m.open, name) || len(m.open) >= maxDepth:
		m.p.Circular = add(m.p.Circular, name)
		return nil
	case m.p.files[name] != nil:
		return nil
	}
	data, err := m.tree.Read(name)
	if err != nil {
		return err
	}
	m.p.Joined = append(m.p.Joined, name)
	m.p.files[name], m.p.links[l] = data, name
	return m.follow(name, data)
}

// target returns the file in the tree that a link leads to. It rejects absolute addresses.
func (m *master) target(l link) (string, bool) {
	address := strings.ReplaceAll(unescaped(l.address), `\`, "/")
	if path.IsAbs(address) || strings.Contains(address, ":") {
		return "", false
	}
	folder := path.Dir(l.in)
	if rest, inside := strings.CutPrefix(address, "../"); inside && !isWord(l.in) {
		address = rest
	}
	return m.fileNamed(path.Join(folder, address))
}

func isWord(name string) bool { return strings.HasPrefix(extension(name), "doc") }

// unescaped returns an address without its fragment and without escapes.
func unescaped(address string) string {
	address, _, _ = strings.Cut(address, "#")
	if plain, err := url.PathUnescape(address); err == nil {
		return plain
	}
	return address
}

// Linked returns the name and the content of the file that another file of a master document
// links to at an address. Of several links to one file, only the first has one.
func (p *Project) Linked(in, address string) (name string, data []byte) {
	name = p.links[link{in, address}]
	return name, p.files[name]
}

// WriteTo writes the content of the files that are the project.
func (p *Project) WriteTo(w io.Writer) (n int64, err error) {
	parts := [][]byte{p.Source}
	parts = append(parts, lists.Map(p.Joined, func(name string) []byte { return p.files[name] })...)
	for _, part := range parts {
		written, err := w.Write(part)
		if n += int64(written); err != nil {
			return n, err
		}
	}
	return n, nil
}
