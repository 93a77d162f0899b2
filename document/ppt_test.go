package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// pptRecord makes a record of PowerPoint 97; one that holds others has version 15.
func pptRecord(version, instance, kind int, body ...string) string {
	all := strings.Join(body, "")
	var head []byte
	head = binary.LittleEndian.AppendUint16(head, uint16(instance<<4|version))
	head = binary.LittleEndian.AppendUint16(head, uint16(kind))
	return string(binary.LittleEndian.AppendUint32(head, uint32(len(all)))) + all
}

// numbers are numbers of four bytes each.
func numbers(list ...int) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

// pptText makes a text of a kind.
func pptText(kind int, text string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return pptRecord(0, 0, 0x0F9F, numbers(kind)) + pptRecord(0, 0, 0x0FA0, string(b))
}

// oldSlides makes a presentation of two slides, the second of which is hidden: the first has a
// title, which the list of slides has, a text in a box of its own, and notes.
func oldSlides(title, text, notes string, encrypted bool) []byte {
	box := func(content string) string { return pptRecord(15, 0, 0xF00D, content) }
	slides := []string{
		pptRecord(15, 0, 0x03E8,
			pptRecord(15, 0, 0x0FF0, pptRecord(0, 0, 0x03F3, numbers(2, 0, 1, 256, 0)), pptText(0, title), pptRecord(0, 0, 0x03F3, numbers(3, 0, 0, 257, 0))),
			pptRecord(15, 2, 0x0FF0, pptRecord(0, 0, 0x03F3, numbers(4, 0, 0, 256, 0)))),
		pptRecord(15, 0, 0x03EE, pptRecord(15, 0, 0x040C, box(pptText(4, text)), box(pptRecord(0, 0, 0x0F9E, numbers(0))))),
		pptRecord(15, 0, 0x03EE, pptRecord(0, 0, 0x03F9, numbers(0, 0, 4<<16)), box(pptRecord(0, 0, 0x0FA8, "na\xefve"))),
		pptRecord(15, 0, 0x03F0, pptRecord(0, 0, 0x03F1, numbers(256)), box(pptText(2, notes)), box(pptText(4, "7"))),
	}
	stream, places := "", []int{4<<20 | 1}
	for _, s := range slides {
		places = append(places, len(stream))
		stream += s
	}
	list := len(stream)
	stream += pptRecord(0, 0, 0x1772, numbers(places...))
	edit := len(stream)
	body := []int{0, 0, 0, list, 1, 5, 0}
	if encrypted {
		body = append(body, 5)
	}
	stream += pptRecord(0, 0, 0x0FF5, numbers(body...))
	return compound("PowerPoint Document", stream, "Current User", numbers(0, 0, 20, 0, edit))
}

func TestOldSlides(t *testing.T) {
	doc := &Document{}
	if err := read(t.Context(), doc, oldSlides("Kůň", "one\vtwo\rthree", "notes", false), Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "one\ntwo\n\nthree\n\nKůň\n\nnotes\n\nnaïve"; doc.Text != want || doc.Format != "ppt" {
		t.Errorf("%s %q, want %q", doc.Format, doc.Text, want)
	}
	if got := fmt.Sprint(doc.Notes); got != "[hidden slides are read, too: 2]" {
		t.Errorf("notes %s", got)
	}
	if len(doc.Marks) != 1 || doc.Text[doc.Marks[0].Start:doc.Marks[0].End] != "Kůň" {
		t.Errorf("marks %v", doc.Marks)
	}
	if err := read(t.Context(), &Document{}, oldSlides("a", "b", "c", true), Options{}); err != ErrEncrypted {
		t.Errorf("encrypted: error %v, want %v", err, ErrEncrypted)
	}
	damaged := strings.Replace(string(oldSlides("a", "b", "c", false)), "\xee\x03", "\xff\xff", 2)
	if err := read(t.Context(), &Document{}, []byte(damaged), Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("slides that are none: error %v, want %v", err, ErrDamaged)
	}
}
