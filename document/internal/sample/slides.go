package sample

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// PPTRecord returns a record of PowerPoint 97. A record that contains others has version 15.
func PPTRecord(version, instance, kind int, body ...string) string {
	all := strings.Join(body, "")
	var head []byte
	head = binary.LittleEndian.AppendUint16(head, uint16(instance<<4|version))
	head = binary.LittleEndian.AppendUint16(head, uint16(kind))
	return string(binary.LittleEndian.AppendUint32(head, uint32(len(all)))) + all
}

// PPTText returns the records of a text of a kind.
func PPTText(kind int, text string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return PPTRecord(0, 0, 0x0F9F, Numbers(kind)) + PPTRecord(0, 0, 0x0FA0, string(b))
}

// OldSlides returns a presentation of PowerPoint 97 with two slides, the second hidden. The first
// has a title in the list of slides, a text in a box, and notes. The document ends with the first of
// more; the others are further records, which have the numbers from 5.
func OldSlides(title, text, notes string, encrypted bool, more ...string) []byte {
	more = append(more, "")
	box := func(content string) string { return PPTRecord(15, 0, 0xF00D, content) }
	slides := []string{
		PPTRecord(15, 0, 0x03E8,
			PPTRecord(15, 0, 0x0FF0, PPTRecord(0, 0, 0x03F3, Numbers(2, 0, 1, 256, 0)), PPTText(0, title), PPTRecord(0, 0, 0x03F3, Numbers(3, 0, 0, 257, 0))),
			PPTRecord(15, 2, 0x0FF0, PPTRecord(0, 0, 0x03F3, Numbers(4, 0, 0, 256, 0))), more[0]),
		PPTRecord(15, 0, 0x03EE, PPTRecord(15, 0, 0x040C, box(PPTText(4, text)), box(PPTRecord(0, 0, 0x0F9E, Numbers(0))))),
		PPTRecord(15, 0, 0x03EE, PPTRecord(0, 0, 0x03F9, Numbers(0, 0, 4<<16)), box(PPTRecord(0, 0, 0x0FA8, "na\xefve"))),
		PPTRecord(15, 0, 0x03F0, PPTRecord(0, 0, 0x03F1, Numbers(256)), box(PPTText(2, notes)), box(PPTText(4, "7"))),
	}
	slides = append(slides, more[1:]...)
	stream, places := "", []int{len(slides)<<20 | 1}
	for _, s := range slides {
		places = append(places, len(stream))
		stream += s
	}
	list := len(stream)
	stream += PPTRecord(0, 0, 0x1772, Numbers(places...))
	edit := len(stream)
	body := []int{0, 0, 0, list, 1, 5, 0}
	if encrypted {
		body = append(body, 5)
	}
	stream += PPTRecord(0, 0, 0x0FF5, Numbers(body...))
	return Compound("PowerPoint Document", stream, "Current User", Numbers(0, 0, 20, 0, edit))
}
