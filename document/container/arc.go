package container

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// arcStart is the start of a file in the format ARC.
const arcStart = "filedesc://"

// The numbers of fields in the header line of a record, after its address: IP address,
// date, media type, length; and in version 2 also status, checksum, location, offset and
// file name, before the length.
const (
	arcFields1 = 4
	arcFields2 = 9
)

// arc reads a web archive of the format ARC (Internet Archive, 1996), the predecessor of
// WARC. A record is a line with its address, date, media type and length, and that many
// bytes; blank lines follow. The first record describes the file. If the line after a
// record is not a header, a damaged record is reported, and reading continues at the next
// line that is one.
func (r *reader) arc() error {
	fields := arcFields1
	for bad := false; ; {
		if err := r.ended(); err != nil {
			return err
		}
		line, err := r.from.ReadSlice('\n')
		long := errors.Is(err, errFull)
		head, ok := arcHeader(line, fields)
		if !ok && bytes.HasPrefix(line, []byte(arcStart)) {
			head, ok = arcHeader(line, arcFields2)
		}
		if blank := len(bytes.TrimSpace(line)) == 0; err == nil && blank {
			continue
		} else if (ok || err == io.EOF && blank) && bad {
			bad = false
			if err := r.give(Record{Name: r.numbered()}, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.arc-between", "the lines before the next record are not an ARC record"))); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case err != nil && !long && !errors.Is(err, packed.ErrPart) && err != io.EOF:
			return lost(err)
		case long || !ok:
			bad = true
			continue
		}
		if err := r.arcRecord(head, &fields); err != nil {
			return err
		}
	}
}

// An arcHead is the header line of a record.
type arcHead struct {
	address, kind string
	date          time.Time
	length        int64
}

// arcHeader parses the header line of a record with this number of fields after the
// address, which may contain spaces.
func arcHeader(line []byte, fields int) (h arcHead, ok bool) {
	all := strings.Split(strings.TrimRight(string(line), "\r\n"), " ")
	n := len(all) - fields
	if n < 1 || !strings.Contains(all[0], ":") {
		return h, false
	}
	date, err := time.Parse("20060102150405", all[n+1])
	length, bad := strconv.ParseInt(all[len(all)-1], 10, 64)
	if err != nil || bad != nil || length < 0 {
		return h, false
	}
	return arcHead{strings.Join(all[:n], " "), all[n+2], date, length}, true
}

// arcRecord reads the content of a record. fields is set by the first record, which
// describes the file: its first line has the version of the format.
func (r *reader) arcRecord(head arcHead, fields *int) error {
	r.count++
	rec := Record{Name: head.address, ModTime: head.date}
	if head.length > r.opts.MaxBytes {
		r.unended = true
		err := r.give(rec, r.tooLarge())
		r.unended = false
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, r.from, head.length); err != nil {
			return r.give(Record{Name: r.numbered()}, lost(err))
		}
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r.from, head.length))
	if err == nil && int64(len(data)) < head.length {
		err = io.EOF
	}
	if err != nil {
		return r.give(rec, lost(err))
	}
	if strings.HasPrefix(head.address, arcStart) {
		if version := bytes.Fields(data); len(version) > 0 && slices.Equal(version[0], []byte("2")) {
			*fields = arcFields2
		}
		return nil
	}
	return r.webPage(rec, head.kind, true, data, nil)
}
