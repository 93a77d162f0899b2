package xmlwalk

import (
	"encoding/xml"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// maxField is the size limit for the text of a field, in bytes.
const maxField = 4096

// Fields is a [Handler] that collects the text of the first element with each of some names.
type Fields struct {
	want map[string]bool
	got  map[string]string
	open string
	buf  strings.Builder
}

// NewFields returns a handler for the elements of these names.
func NewFields(names ...string) *Fields {
	return &Fields{want: format.Names(names...), got: map[string]string{}}
}

// Get returns the text of the element called name, "" if it has none.
func (f *Fields) Get(name string) string { return f.got[name] }

// Start implements Handler.
func (f *Fields) Start(name string, _ []xml.Attr) {
	if f.open == "" && f.want[name] {
		f.open = name
		f.buf.Reset()
	}
}

// End implements Handler.
func (f *Fields) End(name string) {
	if name != f.open {
		return
	}
	if f.got[name] == "" {
		f.got[name] = flow.OneLine(f.buf.String())
	}
	f.open = ""
}

// Text implements Handler.
func (f *Fields) Text(s []byte) {
	if f.open != "" && f.buf.Len() < maxField {
		f.buf.Write(s)
	}
}
