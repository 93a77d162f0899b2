package report

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/otisk/otisk/internal/testing/golden"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
)

var listBases = []store.Base{{Key: "1", Name: "texty", Folder: "/srv/knihy/texty"}}

// fullDocument is a catalogue entry in which every field has a value.
func fullDocument() store.Document {
	return store.Document{ID: 0xc3, Prefix: "sken:", Path: "texty/kniha.pdf", Base: "1", Bytes: 9, ModTime: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC),
		Content: "0a1b", TextSum: "2c3d", Reader: 19, Charset: "windows-1250", Format: "pdf", Title: "Kniha", Author: "J. Novák", Year: 2001,
		Rules: "pdf", NewLine: "false", Text: 8, Words: 2, Parts: 1, NoText: true, Sizes: []store.Size{{N: store.TranslationKeys, Grams: 3}, {N: 7, Grams: 1}},
		Paired: true, Pairs: 1, Scanned: 2, Language: "cs", Copies: []string{"sken:texty/kopie.pdf"},
		Said: store.Description{Address: "https://example.org/2", Labels: map[string]string{"fakulta": "práv"}}}
}

// documents are catalogue entries: an ordinary one, one with all fields, and a hostile one.
func documents() []store.Document {
	return []store.Document{
		{ID: 0xa1, Prefix: "knihy:", Path: "texty/vesnice.txt", Base: "1", Year: 1867, Bytes: 1183, ModTime: time.Date(2026, 5, 1, 10, 30, 0, 0, time.UTC),
			Content: "9f86d081884c7d65", Format: "html", Title: "Vesnice <b>", Author: "K. Světlá", Rules: "html", NewLine: "blank",
			Text: 1000, Words: 1232, Parts: 4, NoText: true, Sizes: []store.Size{{N: 5, Grams: 1216}, {N: 7, Grams: 1208}},
			Said: store.Description{Title: "Vesnice pod lesem", Address: "https://example.org/1", Labels: map[string]string{"fakulta": "práv"}}},
		fullDocument(),
		{ID: 0xb2, Path: hostileName, Format: "text", NewLine: "true"},
	}
}

func eachDocument(fn func(store.Document) error) error {
	for _, d := range documents() {
		if err := fn(d); err != nil {
			return err
		}
	}
	return nil
}

func TestWriteDocuments(t *testing.T) {
	for _, format := range ListFormats() {
		var b strings.Builder
		if err := WriteDocuments(&b, ListOptions{Format: format}, listBases, eachDocument); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "documents"+Extension(format), b.String())
		wellFormed(t, format, b.String())
	}
	var none strings.Builder
	if err := WriteDocuments(&none, ListOptions{Format: "json"}, nil, func(func(store.Document) error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "json", none.String())
}

func wellFormed(t *testing.T, format, text string) {
	t.Helper()
	var err error
	switch format {
	case "xml":
		err = xml.Unmarshal([]byte(text), new(struct{}))
	case "json":
		err = json.Unmarshal([]byte(text), new(any))
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", format, err, text)
	}
}

func TestWriteDocumentsPassesErrorsOn(t *testing.T) {
	want := errors.New("index is damaged")
	for _, format := range ListFormats() {
		err := WriteDocuments(new(strings.Builder), ListOptions{Format: format}, nil, func(func(store.Document) error) error { return want })
		if err != want {
			t.Errorf("WriteDocuments(%s) = %v, want %v", format, err, want)
		}
	}
	if err := WriteDocuments(new(strings.Builder), ListOptions{Format: "html"}, nil, eachDocument); err == nil {
		t.Error("WriteDocuments knows html")
	}
}

func TestWriteSizes(t *testing.T) {
	sizes := []store.SizeInfo{{N: 5, Documents: 3230, Grams: 5123456, Bytes: 32123456}, {N: 7, Documents: 3230, Grams: 5100000}}
	for _, format := range ListFormats() {
		var b strings.Builder
		if err := WriteSizes(&b, ListOptions{Format: format}, sizes); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "sizes"+Extension(format), b.String())
		wellFormed(t, format, b.String())
	}
	if err := WriteSizes(new(strings.Builder), ListOptions{Format: "html"}, sizes); err == nil {
		t.Error("WriteSizes knows html")
	}
}

// fullInfo is a summary in which every field has a value.
func fullInfo() store.Info {
	return store.Info{Kind: "embedded", Name: "otisk.index", Where: "otisk.index", Format: 1, Changed: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC),
		Bases:   []store.Base{{Key: "1", Name: "texty", Folder: "/srv/knihy/texty"}, {Key: "2", Folder: "/home/x", Flat: true}, {Key: "3", Name: "\xe9", Folder: "/home/\xe9"}},
		Details: map[string]string{"segments": "3", "deleted": "0"}, Documents: 3230, LeftOut: 2, TextBytes: 31457280, KeptBytes: 12582912,
		Sizes: []store.SizeInfo{{N: store.TranslationKeys, Documents: 2, Grams: 3, Bytes: 9}, {N: 7, Documents: 3230, Grams: 5100000, Bytes: 32123456}},
		Pairs: store.PairInfo{Documents: 3230, Pairs: 1000000, Bytes: 12000000}}
}

func TestWriteInfo(t *testing.T) {
	info := fullInfo()
	settings := store.Settings{Normalization: map[string]string{"new_line": "auto", "delete_chars": "-'`´"}, KeepTexts: true}
	for _, format := range ListFormats() {
		var b strings.Builder
		if err := WriteInfo(&b, ListOptions{Format: format}, info, settings); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "info"+Extension(format), b.String())
		wellFormed(t, format, b.String())
		if w := fullAfter(10); !errors.Is(WriteInfo(&w, ListOptions{Format: format}, info, settings), errFull) {
			t.Errorf("WriteInfo(%s) to a full disk returned no such error", format)
		}
	}
	if err := WriteInfo(new(strings.Builder), ListOptions{Format: "html"}, info, settings); err == nil {
		t.Error("WriteInfo knows html")
	}
}

// TestXMLListsFollowSchema: xmllint accepts the lists, and rejects one without a required attribute.
func TestXMLListsFollowSchema(t *testing.T) {
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		need.Skip(t, "no xmllint to check the XML lists with (package libxml2-utils)")
	}
	check := func(text string) ([]byte, error) {
		cmd := exec.Command(xmllint, "--nonet", "--noout", "--schema", "schema/otisk-lists.xsd", "-")
		cmd.Stdin = strings.NewReader(text)
		return cmd.CombinedOutput()
	}
	lists := []string{`<otisk-documents format="1"/>`, `<otisk-sizes format="1"/>`}
	for _, name := range []string{"documents", "sizes", "info"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".xml"))
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, string(text))
	}
	for _, text := range lists {
		if out, err := check(text); err != nil {
			t.Errorf("%.30s: %v\n%s", text, err, out)
		}
	}
	if _, err := check(`<otisk-documents format="1"><document id="00000000000000a1"/></otisk-documents>`); err == nil {
		t.Error("the schema accepts a document without a name")
	}
}

// TestListsHaveTheSameNames compares the names in XML and JSON of values with all fields.
func TestListsHaveTheSameNames(t *testing.T) {
	var documents struct{ Documents []map[string]any }
	parseJSON(t, "documents", &documents)
	var info map[string]any
	parseJSON(t, "info", &info)
	index, settings := info["index"].(map[string]any), info["settings"].(map[string]any)
	root := xmlRoot(t, "info")
	tests := []struct {
		name    string
		json    map[string]any
		xml     *etree.Element
		jsonToo []string // names of 1.0, each beside one that the XML has, too
	}{
		{"document", documents.Documents[1], xmlRoot(t, "documents").ChildElements()[1], []string{"mod_time", "no_text", "text"}},
		{"index", index, root.SelectElement("index"), nil},
		{"base", index["bases"].([]any)[2].(map[string]any), root.FindElement("index/base[3]"), nil},
		{"keys", index["keys"].(map[string]any), root.FindElement("index/keys"), nil},
		{"pairs", index["pairs"].(map[string]any), root.FindElement("index/pairs"), nil},
		{"settings", settings, root.SelectElement("settings"), nil},
	}
	plural := map[string]string{"base": "bases", "copy": "copies", "detail": "details", "label": "labels", "size": "sizes"}
	for _, tt := range tests {
		want := map[string]bool{}
		for _, a := range tt.xml.Attr {
			want[strings.ReplaceAll(a.Key, "-", "_")] = true
		}
		for _, e := range tt.xml.ChildElements() {
			want[cmp.Or(plural[e.Tag], e.Tag)] = true
		}
		for _, name := range tt.jsonToo {
			want[name] = true
		}
		got := slices.Sorted(maps.Keys(tt.json))
		if want := slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
			t.Errorf("%s: the JSON has the names %q, the XML %q", tt.name, got, want)
		}
	}
}

func parseJSON(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func xmlRoot(t *testing.T, name string) *etree.Element {
	t.Helper()
	doc := etree.NewDocument()
	if err := doc.ReadFromFile(filepath.Join("testdata", name+".xml")); err != nil {
		t.Fatal(err)
	}
	return doc.Root()
}

// TestListsFollowTheirSchema: and the schema knows every field.
func TestListsFollowTheirSchema(t *testing.T) {
	schema := jsonSchema(t, "otisk-lists.schema.json")
	for _, name := range []string{"documents", "sizes", "info"} {
		file, err := os.Open(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(file)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := schema.Validate(map[string]any{"format": 1}); err == nil {
		t.Error("the schema accepts a list of nothing")
	}
	checkSchemaHas(t, "otisk-lists.schema.json", reflect.TypeFor[store.Document](), reflect.TypeFor[store.Info](), reflect.TypeFor[store.Settings]())
}
