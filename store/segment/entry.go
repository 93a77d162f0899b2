package segment

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// The value of an entry is a record in binary form:
//
//	present  uvarint  bit i is set if field i has a value other than zero
//	fields            the values of those fields, in the order of record.fields
//
// The values have these forms. A varint is that of encoding/binary: seven bits a byte, the
// lowest first; a signed one is in zigzag form.
//
//	text    length as a uvarint, bytes
//	sum     SHA-256: a zero byte and the 32 bytes; any other text as a text
//	number  signed varint, or uvarint where the field cannot be negative
//	truth   nothing: the bit says all
//	time    seconds since 1970, signed varint
//	labels  count as a uvarint, then name and value as texts, in ascending order of names
//	texts   count as a uvarint, then the texts
//	sizes   count as a uvarint, then n, n-grams and number as uvarints, in ascending order of n
//	place   pack, offset, stored, length as uvarints, checksum u32
//
// The name of the document precedes the value in the table and is not repeated: of it, the
// record has the length of the prefix.
//
// Each record has exactly one encoding. The decoder rejects any other, so that damage which
// happens to decode is an error as well: a zero where a bit says otherwise, a varint with
// superfluous bytes, names of labels out of order, bytes after the last field.
const (
	fieldCount = 33
	sumBytes   = 32 // of a SHA-256
)

// A visitor encodes or decodes one field per call.
type visitor interface {
	text(*string)
	sum(*string)
	number(*int64)
	small(*int)
	count(*uint64)
	truth(*bool)
	time(*time.Time)
	labels(*map[string]string)
	texts(*[]string)
	sizes(*record)
	place(**place)
}

// fields visits all fields of a record. The order is part of the format.
func (r *record) fields(v visitor) {
	v.count(&r.prefixLen)
	v.text(&r.Base)
	v.number(&r.Bytes)
	v.time(&r.ModTime)
	v.sum(&r.Content)
	v.sum(&r.TextSum)
	v.small(&r.Reader)
	v.text(&r.Charset)
	v.text(&r.Format)
	describe(v, &r.Title, &r.Author, &r.Year, &r.Address, &r.Labels)
	v.text(&r.Rules)
	v.text(&r.NewLine)
	v.number(&r.Text)
	v.number(&r.Words)
	v.number(&r.Parts)
	v.truth(&r.NoText)
	v.sizes(r)
	v.truth(&r.Paired)
	v.number(&r.Pairs)
	v.count(&r.PairNumber)
	describe(v, &r.Said.Title, &r.Said.Author, &r.Said.Year, &r.Said.Address, &r.Said.Labels)
	v.small(&r.Scanned)
	v.texts(&r.Copies)
	v.place(&r.Place)
	v.text(&r.Language)
}

// describe visits a description, which the file states or people gave.
func describe(v visitor, title, author *string, year *int, address *string, labels *map[string]string) {
	v.text(title)
	v.text(author)
	v.small(year)
	v.text(address)
	v.labels(labels)
}

// encodeRecord returns the value of a record.
func encodeRecord(r record) []byte {
	e := recordEncoder{body: make([]byte, 0, 256)}
	r.prefixLen = uint64(len(r.Prefix))
	r.fields(&e)
	return append(binary.AppendUvarint(make([]byte, 0, len(e.body)+binary.MaxVarintLen64), e.present), e.body...)
}

// A recordEncoder is a [visitor] that appends the fields that are not zero.
type recordEncoder struct {
	present uint64
	next    uint // number of the next field
	body    []byte
}

// flag counts a field, and records whether it is present.
func (e *recordEncoder) flag(value bool) bool {
	if value {
		e.present |= 1 << e.next
	}
	e.next++
	return value
}

func (e *recordEncoder) put(n uint64) { e.body = binary.AppendUvarint(e.body, n) }

func (e *recordEncoder) putText(s string) {
	e.put(uint64(len(s)))
	e.body = append(e.body, s...)
}

func (e *recordEncoder) text(s *string) {
	if e.flag(*s != "") {
		e.putText(*s)
	}
}

func (e *recordEncoder) sum(s *string) {
	if !e.flag(*s != "") {
		return
	}
	if sum, ok := sumOf(*s); ok {
		e.body = append(append(e.body, 0), sum...)
		return
	}
	e.putText(*s)
}

// sumOf returns the bytes of a SHA-256 in lower-case hexadecimal digits.
func sumOf(s string) (sum []byte, ok bool) {
	if len(s) != 2*sumBytes {
		return nil, false
	}
	sum, err := hex.DecodeString(s)
	return sum, err == nil && hex.EncodeToString(sum) == s
}

func (e *recordEncoder) number(n *int64) {
	if e.flag(*n != 0) {
		e.body = binary.AppendVarint(e.body, *n)
	}
}

func (e *recordEncoder) small(n *int) {
	wide := int64(*n)
	e.number(&wide)
}

func (e *recordEncoder) count(n *uint64) {
	if e.flag(*n != 0) {
		e.put(*n)
	}
}

func (e *recordEncoder) truth(b *bool) { e.flag(*b) }

func (e *recordEncoder) time(t *time.Time) {
	if e.flag(!t.IsZero()) {
		e.body = binary.AppendVarint(e.body, t.Unix())
	}
}

func (e *recordEncoder) labels(labels *map[string]string) {
	if !e.flag(len(*labels) > 0) {
		return
	}
	e.put(uint64(len(*labels)))
	for _, name := range slices.Sorted(maps.Keys(*labels)) {
		e.putText(name)
		e.putText((*labels)[name])
	}
}

func (e *recordEncoder) texts(list *[]string) {
	if !e.flag(len(*list) > 0) {
		return
	}
	e.put(uint64(len(*list)))
	for _, s := range *list {
		e.putText(s)
	}
}

func (e *recordEncoder) sizes(r *record) {
	if !e.flag(len(r.Sizes) > 0) {
		return
	}
	e.put(uint64(len(r.Sizes)))
	for i, s := range r.Sizes {
		e.put(uint64(s.N))
		e.put(uint64(s.Grams))
		e.put(r.Numbers[i])
	}
}

func (e *recordEncoder) place(at **place) {
	p := *at
	if !e.flag(p != nil) {
		return
	}
	for _, n := range []int64{int64(p.Pack), p.Offset, p.Stored, p.Length} {
		e.put(uint64(n))
	}
	e.body = le.AppendUint32(e.body, p.Sum)
}

// decodeRecord decodes the entry of the document with this name. The texts of the record
// share one string. If value is not the encoding of a record, the error wraps
// [store.ErrDamaged].
func decodeRecord(name, value []byte) (*record, error) {
	r := new(record)
	d := recordDecoder{rest: string(value)}
	d.present = d.read()
	r.fields(&d)
	switch {
	case d.err != nil:
	case bits.Len64(d.present) > fieldCount:
		d.err = phrase.Error("damage.new-fields", "it has fields that this version does not know")
	case d.rest != "":
		d.err = phrase.Error("damage.after-fields", "{bytes} bytes follow the last field", "bytes", len(d.rest))
	case r.prefixLen > uint64(len(name)):
		d.err = phrase.Error("damage.prefix", "its prefix has {bytes} bytes, its name {name}", "bytes", r.prefixLen, "name", len(name))
	}
	if d.err != nil {
		return nil, phrase.Error("damage.entry", "entry of {name}: {cause}", "name", strconv.Quote(string(name)), "cause", fmt.Errorf("%w: %w", d.err, store.ErrDamaged))
	}
	whole := string(name)
	r.Prefix, r.Path = whole[:r.prefixLen], whole[r.prefixLen:]
	r.ID = store.IDOf("", whole)
	return r, nil
}

// A recordDecoder is a [visitor] that decodes the fields. After an error it reads nothing
// more, and the values are meaningless.
type recordDecoder struct {
	present uint64
	next    uint // number of the next field
	rest    string
	err     error
}

// flag counts a field, and reports whether it is present.
func (d *recordDecoder) flag() bool {
	d.next++
	return d.present>>(d.next-1)&1 != 0 && d.err == nil
}

// want records an error about the current field unless ok is true.
func (d *recordDecoder) want(ok bool, problem string) {
	if !ok && d.err == nil {
		d.err = phrase.Error("damage.field", "field {field} {problem}", "field", int(d.next)-1, "problem", problem)
		if d.next == 0 {
			d.err = phrase.Error("damage.fields", "the list of its fields {problem}", "problem", problem)
		}
	}
}

// read reads a uvarint. A longer encoding than necessary is an error.
func (d *recordDecoder) read() (n uint64) {
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		c := d.rest[i]
		if c < 0x80 {
			d.want(i == 0 || c > 0 && (i < binary.MaxVarintLen64-1 || c == 1), "is no varint")
			if d.err != nil {
				return 0
			}
			d.rest = d.rest[i+1:]
			return n | uint64(c)<<(7*i)
		}
		n |= uint64(c&0x7f) << (7 * i)
	}
	d.want(false, "is cut off")
	return 0
}

// readSigned reads a varint in zigzag form.
func (d *recordDecoder) readSigned() int64 {
	n := d.read()
	return int64(n>>1) ^ -int64(n&1)
}

// readBytes returns the next count bytes.
func (d *recordDecoder) readBytes(count uint64) string {
	d.want(count <= uint64(len(d.rest)), "is cut off")
	if d.err != nil {
		return ""
	}
	s := d.rest[:count]
	d.rest = d.rest[count:]
	return s
}

func (d *recordDecoder) readText() string { return d.readBytes(d.read()) }

// readCount reads the number of items that follow, each of at least least bytes.
func (d *recordDecoder) readCount(least int) int {
	n := d.read()
	d.want(n > 0 && n <= uint64(len(d.rest)/least), "has an impossible count")
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *recordDecoder) text(s *string) {
	if d.flag() {
		*s = d.readText()
		d.want(*s != "", "is empty")
	}
}

func (d *recordDecoder) sum(s *string) {
	if !d.flag() {
		return
	}
	if n := d.read(); n > 0 {
		*s = d.readBytes(n)
		_, ok := sumOf(*s)
		d.want(!ok, "is a checksum written as a text")
		return
	}
	var text [2 * sumBytes]byte
	hex.Encode(text[:], []byte(d.readBytes(sumBytes)))
	*s = string(text[:])
}

func (d *recordDecoder) number(n *int64) {
	if d.flag() {
		*n = d.readSigned()
		d.want(*n != 0, "is zero")
	}
}

func (d *recordDecoder) small(n *int) {
	if d.flag() {
		*n = int(d.readSigned())
		d.want(*n != 0, "is zero")
	}
}

func (d *recordDecoder) count(n *uint64) {
	if d.flag() {
		*n = d.read()
		d.want(*n != 0, "is zero")
	}
}

func (d *recordDecoder) truth(b *bool) { *b = d.flag() }

func (d *recordDecoder) time(t *time.Time) {
	if d.flag() {
		*t = time.Unix(d.readSigned(), 0).UTC()
		d.want(!t.IsZero(), "is zero")
	}
}

func (d *recordDecoder) labels(labels *map[string]string) {
	if !d.flag() {
		return
	}
	count, last := d.readCount(2), ""
	*labels = make(map[string]string, count)
	for i := range count {
		name := d.readText()
		d.want(i == 0 || name > last, "has names out of order")
		(*labels)[name], last = d.readText(), name
	}
}

func (d *recordDecoder) texts(list *[]string) {
	if !d.flag() {
		return
	}
	*list = make([]string, d.readCount(1))
	for i := range *list {
		(*list)[i] = d.readText()
	}
}

func (d *recordDecoder) sizes(r *record) {
	if !d.flag() {
		return
	}
	count := d.readCount(3)
	r.Sizes, r.Numbers = make([]store.Size, count), make([]uint64, count)
	for i := range r.Sizes {
		n, grams := d.read(), d.read()
		d.want(n <= maxWords && grams <= maxGrams && n > 0 && (i == 0 || int(n) > r.Sizes[i-1].N), "is out of order or too large")
		r.Sizes[i], r.Numbers[i] = store.Size{N: int(n), Grams: int64(grams)}, d.read()
	}
}

func (d *recordDecoder) place(at **place) {
	if !d.flag() {
		return
	}
	p := &place{Pack: d.read(), Offset: int64(d.read()), Stored: int64(d.read()), Length: int64(d.read())}
	if sum := d.readBytes(4); d.err == nil {
		p.Sum = le.Uint32([]byte(sum))
	}
	d.want(p.Offset >= 0 && p.Stored >= 0 && p.Length >= 0, "is out of range")
	*at = p
}
