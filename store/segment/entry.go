package segment

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/store"
)

// quickRecord reads an entry that has the form in which encodeRecord writes
// most of them: fields in their order, no blanks, no escapes but those of & < >. It reports false
// for any other, which may be right all the same. A search in part of an index
// goes through all entries, and that took five times as long as the search itself
// when encoding/json read them.
//
// Where r is had for a moment only, its texts are parts of one string, as long as
// the entry, and its labels and sizes go where it had some.
func quickRecord(value []byte, r *record, moment bool) bool {
	if !plain(value) {
		return false
	}
	q := quick{all: string(value), moment: moment}
	q.begin()
	q.document(&r.Document)
	setNumber(&q, "prefix_length", &r.PrefixLen)
	if q.key("numbers") {
		r.Numbers = items(&q, r.Numbers, func() uint64 { return uint64(q.integer()) })
	}
	if q.key("place") {
		r.Place = q.place()
	}
	setNumber(&q, "pair_number", &r.PairNumber)
	q.end()
	return !q.bad && q.next == len(q.all)
}

// plain reports whether an entry is UTF-8 without control characters.
func plain(value []byte) bool {
	if !utf8.Valid(value) {
		return false
	}
	for ; len(value) >= 8; value = value[8:] {
		if x := le.Uint64(value); (x-0x2020202020202020)&^x&0x8080808080808080 != 0 {
			return false // one of these bytes is less than a blank
		}
	}
	return !slices.ContainsFunc(value, func(c byte) bool { return c < ' ' })
}

// A quick reads JSON from its start on. What it does not know makes it bad, and
// then nothing that it returns counts.
type quick struct {
	all    string
	next   int  // byte of it: a place costs less to move than the start of a string
	moment bool // what it returns may be part of all
	first  bool // the next field is the first of its object
	bad    bool
}

// document reads the fields of a document, as [store.Document] has them.
func (q *quick) document(d *store.Document) {
	q.set("path", &d.Path)
	q.set("base", &d.Base)
	setNumber(q, "bytes", &d.Bytes)
	if q.key("mod_time") {
		q.time(&d.ModTime)
	}
	q.set("content", &d.Content)
	q.set("text_sum", &d.TextSum)
	setNumber(q, "reader", &d.Reader)
	q.set("charset", &d.Charset)
	q.set("format", &d.Format)
	stated := store.Description{Labels: d.Labels}
	q.description(&stated)
	d.Title, d.Author, d.Year, d.Address, d.Labels = stated.Title, stated.Author, stated.Year, stated.Address, stated.Labels
	q.set("rules", &d.Rules)
	q.set("new_line", &d.NewLine)
	setNumber(q, "text", &d.Text)
	setNumber(q, "words", &d.Words)
	setNumber(q, "paragraphs", &d.Parts)
	q.truth("no_text", &d.NoText)
	if q.key("sizes") {
		d.Sizes = items(q, d.Sizes, q.size)
	}
	q.truth("paired", &d.Paired)
	setNumber(q, "pairs", &d.Pairs)
	if q.key("said") {
		q.begin()
		q.description(&d.Said)
		q.end()
	}
	setNumber(q, "scanned", &d.Scanned)
	if q.key("copies") {
		d.Copies = items(q, d.Copies, q.text)
	}
}

// description reads what is said of a document.
func (q *quick) description(d *store.Description) {
	q.set("title", &d.Title)
	q.set("author", &d.Author)
	setNumber(q, "year", &d.Year)
	q.set("address", &d.Address)
	if q.key("labels") {
		d.Labels = q.labels(d.Labels)
	}
}

// labels reads texts by name, and adds them to labels.
func (q *quick) labels(labels map[string]string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	for next := byte('{'); !q.bad && (next == '{' || !q.at('}')); next = ',' {
		q.skip(next)
		name := q.text()
		q.skip(':')
		labels[name] = q.text()
	}
	q.skip('}')
	return labels
}

// place reads where a text is kept.
func (q *quick) place() *place {
	p, sum := &place{}, int64(0)
	q.begin()
	setNumber(q, "pack", &p.Pack)
	setNumber(q, "offset", &p.Offset)
	setNumber(q, "stored", &p.Stored)
	setNumber(q, "crc32c", &sum)
	setNumber(q, "length", &p.Length)
	q.end()
	q.bad = q.bad || sum > 1<<32-1
	p.Sum = uint32(sum)
	return p
}

// size reads a size of n-grams.
func (q *quick) size() (s store.Size) {
	q.begin()
	setNumber(q, "n", &s.N)
	setNumber(q, "grams", &s.Grams)
	q.end()
	return s
}

// begin goes past the start of an object.
func (q *quick) begin() {
	q.skip('{')
	q.first = true
}

// end goes past the end of an object.
func (q *quick) end() {
	q.skip('}')
	q.first = false
}

// key goes past the name of the next field if it is this one. A field that is
// asked for in vain is not there, or it is not in its place: then the object does
// not end where it should.
func (q *quick) key(name string) bool {
	from := q.next
	if !q.first {
		if !q.at(',') {
			return false
		}
		from++
	}
	b, n := q.all[from:], len(name)
	if len(b) < n+3 || b[0] != '"' || b[n+1] != '"' || b[n+2] != ':' || b[1:n+1] != name {
		return false
	}
	q.next, q.first = from+n+3, false
	return true
}

// skip goes past c.
func (q *quick) skip(c byte) {
	if q.at(c) {
		q.next++
	} else {
		q.bad = true
	}
}

// at reports whether c comes next.
func (q *quick) at(c byte) bool { return q.next < len(q.all) && q.all[q.next] == c }

// set reads a field that is a text, if it is there.
func (q *quick) set(name string, to *string) {
	if q.key(name) {
		*to = q.text()
	}
}

// setNumber reads a field that is a number, if it is there.
func setNumber[T int | int64 | uint64](q *quick, name string, to *T) {
	if q.key(name) {
		*to = T(q.integer())
	}
}

// truth reads a field that is true, if it is there.
func (q *quick) truth(name string, to *bool) {
	if !q.key(name) {
		return
	}
	*to = strings.HasPrefix(q.all[q.next:], "true")
	if *to {
		q.next += len("true")
	}
	q.bad = q.bad || !*to
}

// time reads a point of time.
func (q *quick) time(to *time.Time) {
	from := q.next
	q.part()
	if !q.bad {
		q.bad = to.UnmarshalJSON([]byte(q.all[from:q.next])) != nil
	}
}

// text reads a text.
func (q *quick) text() string {
	if q.moment {
		return q.part()
	}
	return strings.Clone(q.part())
}

// part reads a text, and returns it as a part of what it is in.
func (q *quick) part() string {
	q.skip('"')
	if q.bad {
		return ""
	}
	length := strings.IndexByte(q.all[q.next:], '"')
	if length < 0 {
		q.bad = true
		return ""
	}
	text := q.all[q.next : q.next+length]
	q.next += length + 1
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	text = escapes.Replace(text)
	q.bad = strings.IndexByte(text, '\\') >= 0
	return text
}

// escapes are those of encoding/json for characters that addresses have.
var escapes = strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">")

// integer reads a number that is whole, not negative, and of 18 digits at most.
func (q *quick) integer() (n int64) {
	from := q.next
	for ; q.next < len(q.all) && q.all[q.next]-'0' <= 9 && q.next < from+19; q.next++ {
		n = 10*n + int64(q.all[q.next]-'0')
	}
	digits := q.next - from
	q.bad = q.bad || digits == 0 || digits > 18 || digits > 1 && q.all[from] == '0'
	return n
}

// items reads things that item reads, of which there is one at least, and adds
// them to all.
func items[T any](q *quick, all []T, item func() T) []T {
	for next := byte('['); !q.bad && (next == '[' || !q.at(']')); next = ',' {
		q.skip(next)
		all = append(all, item())
	}
	q.skip(']')
	return all
}
