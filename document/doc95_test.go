package document

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// word95 makes a document of Word 95, in the language of that number: a text, and its
// footnotes, which \x02 calls in order. A text of several pieces is saved fast.
func word95(language int, pieces []string, notes ...string) []byte {
	le := binary.LittleEndian
	head := make([]byte, 0x300)
	le.PutUint16(head, 0xA5DC)
	le.PutUint16(head[2:], 104)
	le.PutUint16(head[6:], uint16(language))
	le.PutUint32(head[0x18:], uint32(len(head)))
	text, story := strings.Join(pieces, ""), strings.Join(notes, "")
	le.PutUint32(head[0x34:], uint32(len(text)))
	le.PutUint32(head[0x38:], uint32(len(story)))
	body := append(head, text+story...)
	list := func(at int, data []byte) {
		le.PutUint32(body[at:], uint32(len(body)))
		le.PutUint32(body[at+4:], uint32(len(data)))
		body = append(body, data...)
	}
	var calls, places []byte
	for i, c := range []byte(text) {
		if c == 2 {
			calls = le.AppendUint32(calls, uint32(i))
		}
	}
	list(0x68, append(le.AppendUint32(calls, uint32(len(text))), make([]byte, 2*len(notes))...))
	end := 0
	for _, n := range notes {
		places = le.AppendUint32(places, uint32(end))
		end += len(n)
	}
	list(0x70, le.AppendUint32(le.AppendUint32(places, uint32(end)), uint32(end)))
	if len(pieces) > 1 { // they are in the file from the last to the first
		le.PutUint16(body[10:], 4)
		var at, values []byte
		place, after := 0, ""
		for i, p := range pieces {
			at = le.AppendUint32(at, uint32(place))
			place += len(p)
			values = le.AppendUint16(le.AppendUint32(append(values, 0, 0), uint32(len(head)+len(text)-place)), 0)
			after = pieces[i] + after
		}
		copy(body[len(head):], after)
		if story != "" {
			at = le.AppendUint32(at, uint32(place))
			values = le.AppendUint16(le.AppendUint32(append(values, 0, 0), uint32(len(head)+place)), 0)
			place += len(story)
		}
		at = le.AppendUint32(at, uint32(place))
		clx := le.AppendUint32([]byte{2}, uint32(len(at)+len(values)))
		list(0x160, append(append(clx, at...), values...))
	}
	return compound("WordDocument", string(body))
}

func TestWord95(t *testing.T) {
	const english, czech, french = 0x409, 0x405, 0x40C
	mac := word95(french, []string{"\x8et\x8e\r"})
	const header = 512
	mac[header+0x15] = 1
	for _, tt := range []struct {
		name           string
		data           []byte
		want, encoding string
	}{
		{"the language of Word", word95(czech, []string{"k\xf9\xf2 a v\x9e\rdruh\xfd odstavec\r"}), "kůň a vž\n\ndruhý odstavec", "windows-1250"},
		{"what fits the text", word95(english, []string{strings.Repeat("\xc1\xee\xf0\xe4\xee \xf1\xf3\xf5\xee\xe5 ", 20) + "\r"}), strings.TrimSpace(strings.Repeat("Бордо сухое ", 20)), "windows-1251"},
		{"French", word95(french, []string{"\xe0 la \x93fin\x94\r"}), "à la “fin”", "windows-1252"},
		{"Macintosh", mac, "été", "macintosh"},
		{"a footnote", word95(english, []string{"a\x02 b\rc\r"}, "\x02 note\r"), "a b\n\nnote\n\nc", "windows-1252"},
		{"saved fast", word95(english, []string{"first ", "second ", "third\r"}), "first second third", "windows-1252"},
		{"a field", word95(english, []string{"see \x13 REF x \x14one\x15 b\r"}), "see one b", "windows-1252"},
	} {
		doc := &Document{}
		if err := read(t.Context(), doc, tt.data, Options{}); err != nil || doc.Text != tt.want || doc.Encoding != tt.encoding || doc.Format != "doc" {
			t.Errorf("%s: %s %q in %s, %v, want %q in %s", tt.name, doc.Format, doc.Text, doc.Encoding, err, tt.want, tt.encoding)
		}
		if len(doc.Notes) != 1 || !strings.HasPrefix(doc.Notes[0], "a document of Word 6 or 95: ") {
			t.Errorf("%s: notes %q, want what is not known", tt.name, doc.Notes)
		}
	}
	doc := &Document{}
	if err := read(t.Context(), doc, word95(english, []string{"k\xf9\xf2\r"}), Options{Encoding: "windows-1250"}); err != nil || doc.Text != "kůň" {
		t.Errorf("an encoding that is given: %q, %v", doc.Text, err)
	}
	long := word95(english, []string{"a\r"})
	long[header+0x36] = 1
	if err := read(t.Context(), &Document{}, long, Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a text that is longer than the file: %v, want %v", err, ErrDamaged)
	}
}
