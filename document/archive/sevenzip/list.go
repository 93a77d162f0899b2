package sevenzip

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"
	"unicode/utf16"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

var le = binary.LittleEndian

// Property ids of the header, as 7zFormat.txt of the LZMA SDK lists them. Comments here call
// the header the list: it lists the files.
const (
	partEnd = iota
	partList
	partProperties
	partOther
	partStreams
	partFiles
	partPacked
	partFolders
	partContents
	partSizes
	partSums
	partFolder
	partUnpacked
	partCounts
	partNoContent
	partNoFolder
	partRemoved
	partNames
	partCreated
	partRead
	partChanged
	partAttributes
	partComment
	partPackedList
)

// mostList is the size limit for a list, compressed or not, in bytes.
const mostList = 64 << 20

// maxList returns the size limit for a list with this compressed size in bytes. 7-Zip
// itself compresses lists by a factor of 20 at most.
func maxList(packed int64) int64 { return min(mostList, 64<<10+256*packed) }

// maxThings returns the largest number of files, and of folders, in a list of so many
// bytes in the file. Each takes bytes in the list that cannot be compressed further than that.
func maxThings(packed int64) uint64 { return 1000 + 16*uint64(packed) }

type list struct {
	folders []folder
	count   int    // number of files
	empty   []bool // by file: it has no content
	folder  []bool // by file without content: it is a directory
	removed []bool // by file without content: it is an anti-item, which deletes a file on extraction
	names   []byte // UTF-16, each terminated by a zero
	changed times
	attrs   attributes
}

type folder struct {
	coders  []coder // after order: the first one reads the compressed bytes
	links   []int   // by input of a coder: the coder whose output it reads; -1 for the compressed bytes
	last    int     // the coder whose output is the content
	at      int64   // offset in the file
	packed  int64   // compressed size in bytes
	size    uint64  // decompressed size in bytes
	streams []stream
	sum     uint32 // CRC-32 of the whole content
	summed  bool
	reason  error // why it cannot be decompressed; nil if it can
}

type stream struct {
	size   uint64
	sum    uint32
	summed bool
}

type coder struct {
	method     uint64
	properties []byte
	size       uint64 // bytes of its output
}

// readList parses the list, after decompressing it if necessary.
func (r *Reader) readList(ctx context.Context, data []byte) (l list, err error) {
	if len(data) == 0 {
		return l, nil
	}
	packed := int64(len(data))
	for range 4 { // 7-Zip compresses it once
		p := &parser{rest: data, most: maxThings(packed)}
		switch kind := p.number(); {
		case p.bad:
			return l, errList
		case kind == partList:
			return l, p.list(r, &l)
		case kind != partPackedList:
			return l, errList
		}
		folders := p.streams(r)
		if p.bad || len(folders) != 1 {
			return l, errList
		}
		packed = folders[0].packed
		if data, err = r.unpackList(ctx, &folders[0]); err != nil {
			return l, err
		}
	}
	return l, errList
}

var errList = damaged(phrase.Error("cause.7z-list", "its list of files is inconsistent"))

func (r *Reader) unpackList(ctx context.Context, f *folder) ([]byte, error) {
	if f.size > uint64(maxList(f.packed)) {
		return nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.7z-unpacked", "the decompressed size of its list of files is {bytes} bytes", "bytes", f.size))
	}
	content, err := r.unpack(ctx, f)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	m := &member{ctx: ctx, from: content, left: int64(f.size), want: f.sum, checked: f.summed}
	var data bytes.Buffer
	_, err = data.ReadFrom(m)
	return data.Bytes(), err
}

// A parser parses a list. After an error, bad is set and the results of all methods are
// meaningless.
type parser struct {
	rest []byte
	most uint64 // limit for counts of files and of folders
	bad  bool
}

// list parses a list after its first id.
func (p *parser) list(r *Reader, l *list) error {
	for !p.bad {
		switch p.number() {
		case partEnd:
			return p.check(l)
		case partProperties:
			for p.number() != partEnd && !p.bad {
				p.readBytes(p.number())
			}
		case partStreams:
			l.folders = p.streams(r)
		case partFiles:
			p.files(l)
		default:
			p.bad = true
		}
	}
	return errList
}

// check compares the number of files with content with the number of streams.
func (p *parser) check(l *list) error {
	streams := 0
	for i := range l.folders {
		streams += len(l.folders[i].streams)
	}
	filled := l.count
	for _, empty := range l.empty {
		if empty {
			filled--
		}
	}
	if p.bad || streams != filled {
		return errList
	}
	return nil
}

// streams parses how content is compressed and where in the file it is.
func (p *parser) streams(r *Reader) (folders []folder) {
	var at uint64
	var packed []uint64
	counted := false
	for !p.bad {
		switch p.number() {
		case partEnd:
			p.place(r, folders, at, packed)
			if !counted {
				p.counts(folders, false)
			}
			return folders
		case partPacked:
			at, packed = p.packed()
		case partFolders:
			folders = p.folders()
		case partContents:
			p.counts(folders, true)
			counted = true
		default:
			p.bad = true
		}
	}
	return nil
}

// place sets the offset and the compressed size of each folder.
func (p *parser) place(r *Reader, folders []folder, at uint64, packed []uint64) {
	end := uint64(r.size - startSize)
	for i := range folders {
		if p.bad = p.bad || i >= len(packed) || at > end || packed[i] > end-at; p.bad {
			return
		}
		folders[i].at, folders[i].packed = startSize+int64(at), int64(packed[i])
		at += packed[i]
	}
	p.bad = p.bad || len(packed) != len(folders) && !anyReason(folders)
}

func anyReason(folders []folder) bool {
	for i := range folders {
		if folders[i].reason != nil {
			return true
		}
	}
	return false
}

// packed parses the offset of the first compressed stream and the size of each.
func (p *parser) packed() (at uint64, sizes []uint64) {
	at = p.number()
	count := p.count()
	for !p.bad {
		switch p.number() {
		case partEnd:
			p.bad = p.bad || len(sizes) != count
			return at, sizes
		case partSizes:
			sizes = make([]uint64, count)
			for i := range sizes {
				sizes[i] = p.number()
			}
		case partSums:
			p.sums(count)
		default:
			p.bad = true
		}
	}
	return 0, nil
}

func (p *parser) folders() []folder {
	if p.number() != partFolder {
		p.bad = true
	}
	list := make([]folder, p.count())
	p.bad = p.bad || p.byte() != 0 // stored elsewhere
	for i := range list {
		if p.bad {
			return nil
		}
		p.folder(&list[i])
	}
	for !p.bad {
		switch p.number() {
		case partEnd:
			return list
		case partUnpacked:
			p.sizes(list)
		case partSums:
			sums, known := p.sums(len(list))
			for i := range sums {
				list[i].sum, list[i].summed = sums[i], known[i]
			}
		default:
			p.bad = true
		}
	}
	return nil
}

func (p *parser) sizes(list []folder) {
	for i := range list {
		f := &list[i]
		for j := range f.coders {
			f.coders[j].size = p.number()
		}
		p.bad = p.bad || !f.order()
	}
}

// counts parses the number of files in each folder, and the size and checksum of each. If
// said is false, the list has no such part, and each folder is one file.
func (p *parser) counts(folders []folder, said bool) {
	for i := range folders {
		folders[i].streams = make([]stream, 1)
	}
	kind := uint64(partEnd)
	if said {
		kind = p.number()
	}
	if kind == partCounts {
		left := p.most
		for i := range folders {
			count := p.number()
			if p.bad = p.bad || count > left; p.bad {
				return
			}
			left -= count
			folders[i].streams = make([]stream, count)
		}
		kind = p.number()
	}
	for i := range folders {
		p.divide(&folders[i], kind == partSizes)
	}
	if kind == partSizes {
		kind = p.number()
	}
	if kind == partSums {
		p.contentSums(folders)
		kind = p.number()
	}
	p.bad = p.bad || kind != partEnd
}

// divide parses the sizes of all files in a folder except the last one, which has the rest.
func (p *parser) divide(f *folder, said bool) {
	left := f.size
	for i := range f.streams {
		s := &f.streams[i]
		if s.size = left; i < len(f.streams)-1 {
			s.size = p.number()
			p.bad = p.bad || !said
		}
		if p.bad = p.bad || s.size > left || s.size > math.MaxInt64; p.bad {
			return
		}
		left -= s.size
	}
	if len(f.streams) == 1 {
		f.streams[0].sum, f.streams[0].summed = f.sum, f.summed
	}
}

// contentSums parses the checksums of files that are not known from their folder.
func (p *parser) contentSums(folders []folder) {
	var without []*stream
	for i := range folders {
		for j := range folders[i].streams {
			if s := &folders[i].streams[j]; !s.summed {
				without = append(without, s)
			}
		}
	}
	sums, known := p.sums(len(without))
	for i := range sums {
		without[i].sum, without[i].summed = sums[i], known[i]
	}
}

func (p *parser) files(l *list) {
	l.count = p.count()
	without := 0
	for {
		kind := p.number()
		if kind == partEnd || p.bad {
			return
		}
		q := &parser{rest: p.readBytes(p.number()), most: p.most}
		switch kind {
		case partNoContent:
			l.empty = q.bits(l.count)
			for _, empty := range l.empty {
				if empty {
					without++
				}
			}
		case partNoFolder:
			l.folder = q.bits(without)
			for i := range l.folder {
				l.folder[i] = !l.folder[i]
			}
		case partRemoved:
			l.removed = q.bits(without)
		case partNames:
			q.inside()
			l.names = q.rest
		case partChanged:
			l.changed.known = q.known(l.count)
			q.inside()
			l.changed.data = q.rest
		case partAttributes:
			l.attrs.known = q.known(l.count)
			q.inside()
			l.attrs.data = q.rest
		}
		p.bad = p.bad || q.bad
	}
}

// inside checks that the data follow and are not stored elsewhere.
func (p *parser) inside() { p.bad = p.bad || p.byte() != 0 }

// sums parses count checksums; known is false for those that are not stored.
func (p *parser) sums(count int) (sums []uint32, known []bool) {
	known = p.known(count)
	sums = make([]uint32, len(known))
	for i := range sums {
		if known[i] {
			if b := p.readBytes(4); !p.bad {
				sums[i] = le.Uint32(b)
			}
		}
	}
	return sums, known
}

// known parses which of count properties are stored: all, or those in a bit vector.
func (p *parser) known(count int) []bool {
	if p.byte() == 0 {
		return p.bits(count)
	}
	all := make([]bool, count)
	for i := range all {
		all[i] = true
	}
	return all
}

func (p *parser) bits(count int) []bool {
	data := p.readBytes(uint64(count+7) / 8)
	if p.bad {
		return nil
	}
	list := make([]bool, count)
	for i := range list {
		list[i] = data[i/8]>>(7-i%8)&1 == 1
	}
	return list
}

// count parses a number of files or folders and checks its limit.
func (p *parser) count() int {
	count := p.number()
	if p.bad = p.bad || count > p.most; p.bad {
		return 0
	}
	return int(count)
}

// number parses a variable-length number: the count of leading ones in the first byte is
// the count of bytes that follow it.
func (p *parser) number() (n uint64) {
	first := p.byte()
	for i, mask := 0, byte(0x80); i < 8; i, mask = i+1, mask>>1 {
		if first&mask == 0 {
			return n + uint64(first&(mask-1))<<(8*i)
		}
		n += uint64(p.byte()) << (8 * i)
	}
	return n
}

func (p *parser) byte() byte {
	if b := p.readBytes(1); !p.bad {
		return b[0]
	}
	return 0
}

func (p *parser) readBytes(count uint64) []byte {
	if p.bad = p.bad || count > uint64(len(p.rest)); p.bad {
		return nil
	}
	taken := p.rest[:count]
	p.rest = p.rest[count:]
	return taken
}

type times struct {
	known []bool
	data  []byte
}

// next returns the time of file i. It must be called for all files in order.
func (t *times) next(i int) time.Time {
	if i >= len(t.known) || !t.known[i] || len(t.data) < 8 {
		return time.Time{}
	}
	ticks := int64(le.Uint64(t.data) - 116_444_736_000_000_000) // units of 100 ns since 1970
	t.data = t.data[8:]
	return time.Unix(ticks/10_000_000, ticks%10_000_000*100)
}

// attributes are the attributes of files: those of Windows, with those of Unix in the upper
// 16 bits.
type attributes struct {
	known []bool
	data  []byte
}

// next reports whether file i is a regular file, neither a directory nor a link. It must be
// called for all files in order.
func (a *attributes) next(i int) bool {
	if i >= len(a.known) || !a.known[i] || len(a.data) < 4 {
		return true
	}
	bits := le.Uint32(a.data)
	a.data = a.data[4:]
	const unix, kind, regular, isFolder, isLink = 0x8000, 0xf000, 0x8000, 0x10, 0x400
	if bits&unix != 0 {
		return bits>>16&kind == regular
	}
	return bits&(isFolder|isLink) == 0
}

type file struct {
	Member
	none bool // it is a directory, a link, or an anti-item
}

// give calls fn for the entry if it is a regular file.
func (f *file) give(fn func(Member, io.Reader) error, content io.Reader) error {
	if f.none {
		return nil
	}
	return fn(f.Member, content)
}

// files iterates over a list twice: over files with content and over files without.
type files struct {
	list   list
	passes [2]pass
}

// A pass is the position of one iteration.
type pass struct {
	at      int // index of the next file
	without int // files without content so far
	names   []byte
	changed times
	attrs   attributes
}

func (l *list) files() *files {
	p := pass{names: l.names, changed: l.changed, attrs: l.attrs}
	return &files{list: *l, passes: [2]pass{p, p}}
}

// next returns the next file with content, or without content if content is false.
func (fs *files) next(content bool) (f file, ok bool, err error) {
	p := &fs.passes[0]
	if !content {
		p = &fs.passes[1]
	}
	for p.at < fs.list.count {
		i, l := p.at, &fs.list
		p.at++
		empty := i < len(l.empty) && l.empty[i]
		if f.Name, ok = p.name(); !ok {
			return f, false, errList
		}
		f.ModTime, f.none = p.changed.next(i), !p.attrs.next(i)
		if empty {
			n := p.without
			p.without++
			f.none = f.none || n >= len(l.folder) || l.folder[n] || n < len(l.removed) && l.removed[n]
		}
		if empty != content {
			return f, true, nil
		}
	}
	return f, false, nil
}

func (p *pass) name() (name string, ok bool) {
	var units []uint16
	for len(p.names) >= 2 {
		unit := le.Uint16(p.names)
		p.names = p.names[2:]
		if unit == 0 {
			return string(utf16.Decode(units)), true
		}
		units = append(units, unit)
	}
	return "", false
}
