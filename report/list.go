package report

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// ListFormats returns the formats of the lists of documents, sizes and
// settings.
func ListFormats() []string { return []string{"xml", "json", "text"} }

// ListOptions are the format of a list, one of [ListFormats], and the language of its text.
type ListOptions struct {
	Format string
	Lang   *lang.Printer // English if nil
}

// terminal returns a terminal that writes to w.
func (o ListOptions) terminal(w io.Writer) *terminal { return newTerminal(w, Options{Lang: o.Lang}) }

// A listing writes a list of any length, one entry at a time.
type listing struct {
	begin func()
	entry func(d store.Document) error
	end   func()
}

// WriteDocuments writes the documents that each yields. It keeps one in memory at a time:
// an index may have more documents than fit.
func WriteDocuments(w io.Writer, o ListOptions, bases []store.Base, each func(func(store.Document) error) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	l, err := newListing(b, o, bases)
	if err != nil {
		return err
	}
	l.begin()
	if err := each(l.entry); err != nil {
		return err
	}
	l.end()
	return b.Flush()
}

func newListing(b *bufio.Writer, o ListOptions, bases []store.Base) (listing, error) {
	switch o.Format {
	case "xml":
		return xmlListing(b, bases), nil
	case "json":
		return jsonListing(b, bases), nil
	case "text":
		return textListing(o.terminal(b)), nil
	}
	return listing{}, unknownList(o.Format)
}

func unknownList(format string) error {
	return phrase.Error("read.unknown-format", "unknown format {name}: want {known}", "name", strconv.Quote(format), "known", strings.Join(ListFormats(), ", "))
}

func xmlListing(b *bufio.Writer, bases []store.Base) listing {
	m := &markup{w: b}
	return listing{
		begin: func() { xmlStart(m, "otisk-documents") },
		entry: func(d store.Document) error {
			says := d.Description()
			m.open("document", required("id", d.ID.String()), required("name", d.Name()), text("prefix", d.Prefix), text("path", store.File(bases, d.Base, d.Path)),
				text("base", d.Base), required("format", d.Format), text("language", d.Language), text("title", says.Title), text("author", says.Author), text("year", year(says.Year)),
				text("address", says.Address), ifTrue("said", !d.Said.IsZero()), number("bytes", d.Bytes), required("modified", d.ModTime.UTC().Format(time.RFC3339)), required("content", d.Content),
				text("text-sum", d.TextSum), optional("reader", d.Reader), text("charset", d.Charset), optional("scanned", d.Scanned),
				text("rules", d.Rules), required("new-line", d.NewLine), number("text-bytes", d.Text),
				number("words", d.Words), number("paragraphs", d.Parts), truth("text-kept", !d.NoText), ifTrue("paired", d.Paired), optional("pairs", d.Pairs), ifTrue("keyed", d.Keyed()))
			xmlLabels(m, says.Labels)
			for _, s := range d.NGrams() {
				m.leaf("size", "", number("n", s.N), number("grams", s.Grams))
			}
			for _, name := range d.Copies {
				m.leaf("copy", "", required("name", name))
			}
			m.close()
			return m.err
		},
		end: m.close,
	}
}

// xmlStart opens the root element of a list.
func xmlStart(m *markup, name string) {
	m.open(name, number("format", Version))
}

// A jsonDocument adds the id, the path of the file, the description by people and the
// names that the XML uses to a document.
type jsonDocument struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Path string `json:"path,omitempty"` // whole
	store.Document
	Modified  time.Time         `json:"modified"`   // also mod_time
	TextBytes int64             `json:"text_bytes"` // also text
	TextKept  bool              `json:"text_kept"`  // the opposite of no_text
	Labels    map[string]string `json:"labels,omitempty"`
	Said      bool              `json:"said,omitempty"`  // users set part of the description
	Keyed     bool              `json:"keyed,omitempty"` // it is indexed by keys for translations
}

// jsonOf returns a document for a list. A description by people replaces what the file
// states.
func jsonOf(d store.Document, bases []store.Base) jsonDocument {
	says, said := d.Description(), !d.Said.IsZero()
	d.Title, d.Author, d.Year, d.Address = says.Title, says.Author, says.Year, says.Address
	keyed := d.Keyed()
	d.Sizes = list(d.NGrams())
	return jsonDocument{
		ID: d.ID.String(), Name: d.Name(), Path: store.File(bases, d.Base, d.Path), Document: d,
		Modified: d.ModTime, TextBytes: d.Text, TextKept: !d.NoText,
		Labels: says.Labels, Said: said, Keyed: keyed,
	}
}

// jsonListing writes one document per line, so that a list can be read line by line or
// whole.
func jsonListing(b *bufio.Writer, bases []store.Base) listing {
	sep := "\n    "
	return listing{
		begin: func() { fmt.Fprintf(b, "{\n  \"format\": %d,\n  \"documents\": [", Version) },
		entry: func(d store.Document) error {
			line, err := jsonLine(jsonOf(d, bases))
			if err != nil {
				return phrase.Error("cause.write-file", "write {name}: {cause}", "name", d.Name(), "cause", err)
			}
			_, err = b.WriteString(sep + line)
			sep = ",\n    "
			return err
		},
		end: func() { fmt.Fprintf(b, "\n  ]\n}\n") },
	}
}

func jsonLine(v any) (string, error) {
	var s strings.Builder
	e := json.NewEncoder(&s)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(s.String(), "\n"), nil
}

func textListing(t *terminal) listing {
	say := t.lang
	documents, copies := 0, 0
	return listing{
		begin: func() {
			t.print("%16s %12s %-8s %s\n", "id", say.Text("text.list-words"), say.Text("text.list-grams"), say.Text("text.list-document"))
		},
		entry: func(d store.Document) error {
			documents++
			sizes := lists.Map(d.NGrams(), func(s store.Size) string { return fmt.Sprint(s.N) })
			t.print("%s %12s %-8s %s\n", d.ID, say.Number(int64(d.Words)), strings.Join(sizes, ","), safe(d.Name()+saying(d.Description())))
			copies += len(d.Copies)
			for _, name := range d.Copies {
				t.print("%39s %s\n", "", say.Text("text.list-copy", "name", safe(name)))
			}
			return t.err
		},
		end: func() {
			t.print("%s", say.Text("common.documents", "n", documents))
			if copies > 0 {
				t.print(", %s", say.Text("text.list-copies", "n", copies))
			}
			t.print("\n")
		},
	}
}

// saying returns the description of a document, to follow its name; "" if there is none.
func saying(d store.Description) string {
	var parts []string
	if by := cited(d.Title, d.Author, d.Year); by != "" {
		parts = append(parts, by)
	}
	if d.Address != "" {
		parts = append(parts, d.Address)
	}
	if labels := labelled(d.Labels); labels != "" {
		parts = append(parts, labels)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// labelled returns labels by name, in the form in which they are typed.
func labelled(labels map[string]string) string {
	list := lists.Map(slices.Sorted(maps.Keys(labels)), func(name string) string { return name + "=" + labels[name] })
	return strings.Join(list, ", ")
}

// WriteSizes writes the sizes of n-grams that an index has, and the number of each.
func WriteSizes(w io.Writer, o ListOptions, sizes []store.SizeInfo) error {
	switch o.Format {
	case "xml":
		m := &markup{w: w}
		xmlStart(m, "otisk-sizes")
		xmlSizes(m, sizes)
		m.close()
		return m.err
	case "json":
		return writeIndented(w, struct {
			Format int              `json:"format"`
			Sizes  []store.SizeInfo `json:"sizes"`
		}{Version, list(sizes)})
	case "text":
		t := o.terminal(w)
		textSizes(t, sizes)
		return t.err
	}
	return unknownList(o.Format)
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func xmlSizes(m *markup, sizes []store.SizeInfo) {
	for _, s := range sizes {
		m.leaf("size", "", number("n", s.N), number("documents", s.Documents), number("grams", s.Grams), number("bytes", s.Bytes))
	}
}

func textSizes(t *terminal, sizes []store.SizeInfo) {
	say := t.lang
	t.print("%4s %12s %16s %16s\n", "n", say.Text("text.list-documents"), say.Text("text.list-grams"), say.Text("text.list-bytes"))
	for _, s := range sizes {
		t.print("%4d %12s %16s %16s\n", s.N, say.Number(s.Documents), say.Number(s.Grams), say.Number(s.Bytes))
	}
}

// WriteInfo writes the settings and the contents of an index.
func WriteInfo(w io.Writer, o ListOptions, info store.Info, settings store.Settings) error {
	settings.Key = "" // a secret
	// A base without a key holds the documents that have no base.
	info.Bases = slices.DeleteFunc(slices.Clone(list(info.Bases)), func(b store.Base) bool { return b.Key == "" })
	switch o.Format {
	case "xml":
		return xmlInfo(&markup{w: w}, info, settings)
	case "json":
		return writeIndented(w, struct {
			Format   int            `json:"format"`
			Index    jsonInfo       `json:"index"`
			Settings store.Settings `json:"settings"`
		}{Version, jsonInfoOf(info), settings})
	case "text":
		return textInfo(o.terminal(w), info, settings)
	}
	return unknownList(o.Format)
}

// A jsonInfo adds the keys for translations to the summary of an index, whose sizes are those of
// n-grams.
type jsonInfo struct {
	store.Info
	Keys *jsonKeys `json:"keys,omitempty"`
}

// A jsonKeys summarises the keys for translations.
type jsonKeys struct {
	Documents int64 `json:"documents"`
	Keys      int64 `json:"keys"`
	Bytes     int64 `json:"bytes"`
}

func jsonInfoOf(info store.Info) jsonInfo {
	out := jsonInfo{Info: info}
	if k := info.Keys(); k.Documents > 0 {
		out.Keys = &jsonKeys{k.Documents, k.Grams, k.Bytes}
	}
	out.Sizes = list(info.NGrams())
	return out
}

func xmlInfo(m *markup, info store.Info, settings store.Settings) error {
	xmlStart(m, "otisk-info")
	m.open("index", required("kind", info.Kind), required("name", info.Name), required("where", info.Where), number("format", info.Format), moment("changed", info.Changed),
		number("documents", info.Documents), optional("left-out", info.LeftOut), number("text-bytes", info.TextBytes), number("kept-bytes", info.KeptBytes))
	for _, name := range slices.Sorted(maps.Keys(info.Details)) {
		m.leaf("detail", info.Details[name], required("name", name))
	}
	xmlSizes(m, info.NGrams())
	m.leaf("pairs", "", number("documents", info.Pairs.Documents), number("pairs", info.Pairs.Pairs), number("bytes", info.Pairs.Bytes))
	if k := info.Keys(); k.Documents > 0 {
		m.leaf("keys", "", number("documents", k.Documents), number("keys", k.Grams), number("bytes", k.Bytes))
	}
	for _, b := range info.Bases {
		m.leaf("base", "", required("key", b.Key), required("name", b.Name), required("folder", b.Folder), ifTrue("flat", b.Flat),
			text("name-bytes", base64Of(b.Name)), text("folder-bytes", base64Of(b.Folder)))
	}
	m.close()
	m.open("settings", truth("keep-texts", settings.KeepTexts))
	for _, name := range slices.Sorted(maps.Keys(settings.Normalization)) {
		m.leaf("normalization", settings.Normalization[name], required("name", name))
	}
	m.close()
	m.close()
	return m.err
}

// base64Of returns s in Base64 if it is not UTF-8, which XML cannot express, and otherwise "".
func base64Of(s string) string {
	if utf8.ValidString(s) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(s))
}

func textInfo(t *terminal, info store.Info, settings store.Settings) error {
	say := t.lang
	documents := func(n int64) string { return say.Text("common.documents", "n", n) }
	t.print("%s\n", safe(strings.TrimSpace(say.Fixed(info.Kind)+" "+info.Where)))
	if settings.KeepTexts {
		t.print("%s\n", say.Text("text.info-kept", "documents", documents(info.Documents), "bytes", info.TextBytes, "kept", info.KeptBytes))
	} else {
		t.print("%s\n", say.Text("text.info-not-kept", "documents", documents(info.Documents), "bytes", info.TextBytes))
	}
	if info.LeftOut > 0 {
		t.print("%s\n", say.Text("text.info-copies", "n", info.LeftOut))
	}
	t.print("\n")
	textSizes(t, info.NGrams())
	t.print("\n%s\n", say.Text("text.info-pairs", "documents", documents(info.Pairs.Documents), "pairs", info.Pairs.Pairs, "bytes", info.Pairs.Bytes))
	if k := info.Keys(); k.Documents > 0 {
		t.print("%s\n", say.Text("text.info-keys", "documents", documents(k.Documents), "keys", k.Grams, "bytes", k.Bytes))
	}
	if len(info.Bases) > 0 {
		t.print("\n%s\n", say.Text("text.info-bases"))
	}
	for _, b := range info.Bases {
		t.print("  %-16s %s\n", safe(cmp.Or(b.Name, ".")), safe(b.Folder))
	}
	t.print("\n%s\n", say.Text("text.info-rules"))
	for _, name := range slices.Sorted(maps.Keys(settings.Normalization)) {
		t.print("  %s = %q\n", safe(name), settings.Normalization[name])
	}
	for _, name := range slices.Sorted(maps.Keys(info.Details)) {
		t.print("%s: %s\n", safe(say.Fixed(name)), safe(info.Details[name]))
	}
	return t.err
}
