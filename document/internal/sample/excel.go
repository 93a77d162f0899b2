package sample

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf16"
)

// XLSRecord returns a record of a workbook of Excel until 2003.
func XLSRecord(kind int, body ...string) string {
	all := strings.Join(body, "")
	head := binary.LittleEndian.AppendUint16(nil, uint16(kind))
	return string(binary.LittleEndian.AppendUint16(head, uint16(len(all)))) + all
}

// Float encodes a number in eight bytes, little-endian.
func Float(v float64) string {
	return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
}

// XLSBegin and XLSEnd are the records before and after a sheet or the list of sheets.
const XLSBegin, XLSEnd = 0x0809, 0x000A

// OldBook returns a workbook of Excel 97 with these shared strings. It has a hidden sheet, then
// one of these records.
func OldBook(shared []string, records ...string) []byte {
	begin := func(kind int) string { return XLSRecord(XLSBegin, Shorts(0x0600, kind, 0, 0)) }
	hidden := begin(0x10) + XLSRecord(0x0204, Shorts(0, 0, 0, 6), "\x00", "spare!") + XLSRecord(XLSEnd)
	sheet := begin(0x10) + strings.Join(records, "") + XLSRecord(XLSEnd)
	texts := Numbers(len(shared), len(shared))
	for _, s := range shared {
		texts += Shorts(len(utf16.Encode([]rune(s)))) + "\x01" + Wide(s)
	}
	book := func(at int) string {
		return begin(5) + XLSRecord(0x0085, Numbers(at), "\x01\x00", "\x06\x00Hidden") +
			XLSRecord(0x0085, Numbers(at+len(hidden)), "\x00\x00", "\x05\x01", Wide("Žlutý")) +
			XLSRecord(0x0085, Numbers(0), "\x00\x02", "\x05\x00Chart") + XLSRecord(0x00FC, texts) + XLSRecord(XLSEnd)
	}
	stream := book(len(book(0))) + hidden + sheet
	return Compound("Workbook", stream)
}
