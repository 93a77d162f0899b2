package segment

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
)

// entrySamples returns records that have different fields.
func entrySamples() []record {
	full := record{Numbers: []uint64{4, 1 << 63}, Place: &place{1, 2, 3, 1<<32 - 1, 5}, PairNumber: 9}
	full.Document = store.Document{
		Prefix: "p--", Path: "na\xffme", Base: "b1", Bytes: 12, ModTime: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC),
		Content: strings.Repeat("0f", 32), TextSum: strings.Repeat("A0", 32), Reader: 7, Charset: "cp1250",
		Format: "html", Title: "Kůň", Author: "J. \x00 Novák", Year: -1999, Address: "https://example.org/a?b&c=<d>", Labels: map[string]string{"faculty": "law", "druh": "", "": "x"}, Rules: "tex",
		NewLine: "blank", Text: 10, Words: 9, Parts: 1<<63 - 1, NoText: true, Sizes: []store.Size{{N: 5, Grams: maxGrams}, {N: maxWords, Grams: 1}}, Paired: true, Pairs: 8,
		Said: store.Description{Title: "Jiný", Author: "X", Year: 1, Address: "y", Labels: map[string]string{"faculty": "arts"}}, Scanned: 3, Copies: []string{"a", "", "\xfe"}, Language: "cs",
	}
	bare := record{Numbers: []uint64{1}}
	bare.Path, bare.Sizes = "p--name", []store.Size{{N: 7, Grams: 3}}
	early := record{}
	early.Path, early.ModTime, early.Content = "x", time.Unix(-1, 0).UTC(), "short"
	return []record{full, bare, early}
}

// TestRecord: decoding returns the encoded record.
func TestRecord(t *testing.T) {
	for _, want := range entrySamples() {
		name := []byte(want.Name())
		got, err := decodeRecord(name, encodeRecord(want))
		if err != nil {
			t.Errorf("decodeRecord of %q = %v", name, err)
			continue
		}
		want.ID, want.prefixLen = store.IDOf(want.Prefix, want.Path), uint64(len(want.Prefix))
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("decoding returns\n%+v, want\n%+v", *got, want)
		}
	}
}

// TestRecordHasAllFields: each field of a document but those that the name gives, and the
// marks, is in the entry. A field that is added to store.Document must be added to the format.
func TestRecordHasAllFields(t *testing.T) {
	full := entrySamples()[0]
	e := recordEncoder{}
	full.prefixLen = 3
	full.fields(&e)
	if e.next != fieldCount || e.present != 1<<fieldCount-1 {
		t.Errorf("%d fields are visited, bits %b; want %d, all of them", e.next, e.present, fieldCount)
	}
	for v, i := reflect.ValueOf(full.Document), 0; i < v.NumField(); i++ {
		name := v.Type().Field(i).Name
		if name != "ID" && name != "Marks" && v.Field(i).IsZero() {
			t.Errorf("the sample has no %s: whether it is in the entry is not tested", name)
		}
	}
}

// TestRecordDamage: each byte of a record that is changed, cut off or added is an error, or
// gives another record that is encoded so.
func TestRecordDamage(t *testing.T) {
	for _, r := range entrySamples() {
		name, value := []byte(r.Name()), encodeRecord(r)
		for i := range value {
			if _, err := decodeRecord(name, value[:i]); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("decodeRecord of the first %d of %d bytes = %v, want ErrDamaged", i, len(value), err)
			}
			for bit := range 8 {
				changed := append([]byte(nil), value...)
				changed[i] ^= 1 << bit
				wantCanonical(t, name, changed)
			}
		}
		if _, err := decodeRecord(name, append(value, 0)); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("decodeRecord with a byte more = %v, want ErrDamaged", err)
		}
	}
}

// TestRecordRefused: values that encodeRecord does not write are damage.
func TestRecordRefused(t *testing.T) {
	for problem, value := range map[string]string{
		"empty":                            "",
		"unknown field":                    "\x80\x80\x80\x80\x10",
		"superfluous byte of a varint":     "\x81\x00",
		"varint of more than 64 bits":      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"varint of eleven bytes":           "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"prefix of no bytes":               "\x01\x00",
		"prefix longer than the name":      "\x01\x7f",
		"empty text":                       "\x02\x00",
		"text that is cut off":             "\x02\x05abc",
		"number that is zero":              "\x04\x00",
		"checksum in hexadecimal":          "\x10\x40" + strings.Repeat("0", 64),
		"labels out of order":              "\x80\x40\x02\x01b\x00\x01a\x00",
		"label that is there twice":        "\x80\x40\x02\x01a\x00\x01a\x00",
		"more labels than there are":       "\x80\x40\x7f\x01a\x00",
		"no labels":                        "\x80\x40\x00",
		"sizes out of order":               "\x80\x80\x40\x02\x07\x00\x01\x05\x00\x02",
		"n-grams of no words":              "\x80\x80\x40\x01\x00\x00\x01",
		"more n-grams than a document has": "\x80\x80\x40\x01\x07\x80\x80\x80\x80\x10\x01",
	} {
		if r, err := decodeRecord([]byte("name"), []byte(value)); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: decodeRecord(%q) = %+v, %v, want ErrDamaged", problem, value, r, err)
		}
	}
}

// wantCanonical fails the test if value decodes and is not how the record is encoded.
func wantCanonical(t *testing.T, name, value []byte) {
	t.Helper()
	r, err := decodeRecord(name, value)
	if err != nil {
		if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("decodeRecord(%q) = %v, which does not wrap ErrDamaged", value, err)
		}
		return
	}
	if again := encodeRecord(*r); string(again) != string(value) {
		t.Errorf("decodeRecord(%q) returns a record that is encoded as %q", value, again)
	}
	if fmt.Sprint(r.Name()) != string(name) {
		t.Errorf("decodeRecord of an entry of %q returns %q", name, r.Name())
	}
}

// FuzzRecord: a value is damage, or the one encoding of the record that it decodes to.
func FuzzRecord(f *testing.F) {
	for _, r := range entrySamples() {
		f.Add([]byte(r.Name()), encodeRecord(r))
	}
	f.Fuzz(wantCanonical)
}
