package report

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/otisk/otisk/internal/testing/golden"
	"github.com/otisk/otisk/store"
)

var listBases = []store.Base{{Key: "1", Name: "texty", Folder: "/srv/knihy/texty"}}

// documents are two catalogue entries, one with all fields.
func documents() []store.Document {
	return []store.Document{
		{ID: 0xa1, Prefix: "knihy:", Path: "texty/vesnice.txt", Base: "1", Year: 1867, Bytes: 1183, ModTime: time.Date(2026, 5, 1, 10, 30, 0, 0, time.UTC),
			Content: "9f86d081884c7d65", Format: "html", Title: "Vesnice <b>", Author: "K. Světlá", Rules: "html", NewLine: "blank",
			Text: 1000, Words: 1232, Parts: 4, NoText: true, Sizes: []store.Size{{N: 5, Grams: 1216}, {N: 7, Grams: 1208}},
			Said: store.Description{Title: "Vesnice pod lesem", Address: "https://example.org/1", Labels: map[string]string{"fakulta": "práv"}}},
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

func TestWriteInfo(t *testing.T) {
	info := store.Info{Kind: "embedded", Name: "otisk.index", Where: "otisk.index", Format: 1, Bases: []store.Base{{Key: "1", Name: "texty", Folder: "/srv/knihy/texty"}, {Key: "2", Folder: "/home/x"}},
		Details:   map[string]string{"segments": "3", "deleted": "0"},
		Documents: 3230, TextBytes: 31457280, KeptBytes: 12582912,
		Sizes: []store.SizeInfo{{N: 7, Documents: 3230, Grams: 5100000, Bytes: 32123456}}}
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
