package djvu

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/format"
)

// TestUnpack unpacks what bzz -e10 of DjVuLibre 3.5.28 packed, in several blocks.
func TestUnpack(t *testing.T) {
	var want strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&want, "%d žluťoučký kůň %s %d\n", i*i%997, strings.Repeat("ab", i%7), i)
	}
	data := packed(t)
	got, err := unpack(t.Context(), data, 1<<20)
	if err != nil || string(got) != want.String() {
		t.Errorf("unpack: %d bytes, %v, want %d", len(got), err, want.Len())
	}
	if _, err := unpack(t.Context(), data, 30_000); !errors.Is(err, format.ErrTooLarge) {
		t.Errorf("over the limit: error %v, want %v", err, format.ErrTooLarge)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := unpack(ctx, data, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: error %v, want %v", err, context.Canceled)
	}
	for _, cut := range []int{0, 1, 100, len(data) / 2} {
		if got, err := unpack(t.Context(), data[:cut], 1<<20); err == nil && len(got) > 0 {
			t.Errorf("cut at %d: %d bytes and no error", cut, len(got))
		}
	}
}

func packed(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/lines.bzz")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// part makes a chunk.
func part(name string, body ...string) string {
	all := strings.Join(body, "")
	head := string(binary.BigEndian.AppendUint32([]byte(name), uint32(len(all))))
	if len(all)%2 == 1 {
		all += "\x00"
	}
	return head + all
}

// info is a page of 2,000 by 3,000 dots, 300 to an inch.
const info = "\x07\xd0\x0b\xb8\x18\x00\x2c\x01\x16\x01"

// zoned returns a zone with this number of nested zones.
func zoned(kind, x, y, width, height, start, size, inner int) string {
	b := []byte{byte(kind)}
	for _, n := range []int{x, y, width, height, start} {
		b = binary.BigEndian.AppendUint16(b, uint16(n+0x8000))
	}
	return string(append(b, byte(size>>16), byte(size>>8), byte(size), byte(inner>>16), byte(inner>>8), byte(inner)))
}

// texted makes the text of a page.
func texted(text string, zones ...string) string {
	n := len(text)
	return string([]byte{byte(n >> 16), byte(n >> 8), byte(n)}) + text + "\x01" + strings.Join(zones, "")
}

func TestPages(t *testing.T) {
	const text = "prvni radek \ndruhy \n"
	zones := texted(text, zoned(1, 0, 0, 2000, 3000, 0, len(text), 2),
		zoned(5, 250, 100, 1000, 50, 0, 13, 2), zoned(6, 0, 0, 400, 50, 0, 6, 0), zoned(6, 50, 0, 500, 50, 0, 6, 0),
		zoned(5, 0, 25, 500, 50, 0, 7, 0))
	want := []Line{{"prvni radek", 60, 300, 684, 696}, {"druhy", 60, 180, 666, 678}}
	page := func(chunks ...string) string { return "AT&T" + part("FORM", append([]string{"DJVU"}, chunks...)...) }
	for _, tt := range []struct {
		name, data string
		want       []Page
		err        error
	}{
		{"zones", page(part("INFO", info), part("Sjbz", "x"), part("TXTa", zones)), []Page{{Height: 720, Lines: want}}, nil},
		{"no text", page(part("INFO", info)), []Page{{Height: 720}}, nil},
		{"no zones", page(part("TXTa", texted("a b\nc\x1f\nd\n"))), []Page{{Height: 842, Lines: []Line{{"a b", 0, 15, 832, 842}, {"c", 0, 5, 804, 814}, {"d", 0, 5, 790, 800}}}}, nil},
		{"a zone for the page", page(part("INFO", info), part("TXTa", texted("a\nb", zoned(1, 0, 0, 2000, 3000, 0, 3, 0)))), []Page{{Height: 720, Lines: []Line{{"a", 0, 5, 710, 720}, {"b", 0, 5, 696, 706}}}}, nil},
		{"zones that lie", page(part("TXTa", texted("a\n", zoned(1, 0, 0, 9, 9, 0, 2, 1<<24-1)))), []Page{{Height: 842, Lines: []Line{{"a", 0, 5, 832, 842}}}}, nil},
		{"size that lies", page(part("TXTa", "\x00\x00\xffabc")), []Page{{Height: 842, Broken: true}}, nil},
		{"packed text that is none", page(part("TXTz", "what nobody packed")), []Page{{Height: 842, Broken: true}}, nil},
		{"no pages", "AT&T" + part("FORM", "DJVI"), nil, format.ErrDamaged},
		{"cut", "AT&TFORM", nil, format.ErrDamaged},
		{"pages elsewhere", "AT&T" + part("FORM", "DJVM", part("DIRM", "\x01\x00\x02")), nil, errElsewhere},
		{"directory that lies", "AT&T" + part("FORM", "DJVM", part("DIRM", "\x81\xff\xff")), nil, format.ErrDamaged},
		{"too much", page(part("TXTa", texted(strings.Repeat("a", 2000)))), nil, format.ErrTooLarge},
	} {
		got, err := Pages(t.Context(), []byte(tt.data), 1000)
		for i := range got {
			got[i].Blank = false // they have no picture
		}
		if !errors.Is(err, tt.err) || err == nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v, want %+v, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// TestPagesInOrder returns pages in the order of the directory, and skips their shared files.
func TestPagesInOrder(t *testing.T) {
	shared := part("FORM", "DJVI", part("TXTa", texted("shared")))
	first, second := part("FORM", "DJVU", part("TXTa", texted("first"))), part("FORM", "DJVU", part("TXTa", texted("second")))
	const at = 4 + 8 + 4 + 8 + 3 + 3*4 + 1
	list := []byte{0x81, 0, 3}
	for _, offset := range []int{at + len(second), at, at + len(second) + len(first)} {
		list = binary.BigEndian.AppendUint32(list, uint32(offset))
	}
	data := "AT&T" + part("FORM", "DJVM", part("DIRM", string(list)), second, first, shared)
	pages, err := Pages(t.Context(), []byte(data), 1000)
	if err != nil || len(pages) != 2 || pages[0].Lines[0].Text != "first" || pages[1].Lines[0].Text != "second" {
		t.Errorf("pages %+v, %v, want the first and the second", pages, err)
	}
}

func FuzzPages(f *testing.F) {
	f.Add([]byte("AT&T" + part("FORM", "DJVU", part("INFO", info), part("TXTz", string(packed(f))))))
	f.Add([]byte("AT&T" + part("FORM", "DJVU", part("INFO", info), part("TXTa", texted("a b\nc", zoned(1, 0, 0, 9, 9, 0, 5, 1), zoned(5, 0, 0, 9, 9, 0, 4, 0))))))
	f.Add([]byte("AT&T" + part("FORM", "DJVM", part("DIRM", "\x81\x00\x01\x00\x00\x00\x1c"), part("FORM", "DJVU", part("TXTa", texted("a"))))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip("larger than the limit of a test")
		}
		pages, err := Pages(t.Context(), data, 1<<16)
		if err != nil && !errors.Is(err, format.ErrDamaged) && !errors.Is(err, format.ErrTooLarge) && !errors.Is(err, format.ErrBinary) {
			t.Fatalf("error %v, want one that says why", err)
		}
		for _, p := range pages {
			for _, l := range p.Lines {
				if l.Text == "" || !bytes.Equal([]byte(l.Text), bytes.ToValidUTF8([]byte(l.Text), nil)) {
					t.Fatalf("line %q", l.Text)
				}
			}
		}
	})
}
