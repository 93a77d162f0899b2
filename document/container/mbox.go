package container

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/mail"
	"github.com/otisk/otisk/document/packed"
)

// boxLine starts each message of a mailbox.
var boxLine = []byte("From ")

// LooksBox reports whether data is a mailbox of several messages (mbox).
func LooksBox(data []byte) bool {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	return bytes.HasPrefix(line, boxLine) && mail.Looks(rest)
}

// SplitBox calls give for each message of a mailbox in memory.
func SplitBox(ctx context.Context, src *format.Source, give func(name string, part *format.Source) error) error {
	r := &reader{ctx: ctx, from: bufio.NewReader(bytes.NewReader(src.Data)), opts: Options{MaxBytes: int64(len(src.Data))}}
	r.give = func(rec Record, _ error) error { // a message is neither too large nor lost
		part := *src
		part.Data = rec.Data
		return give("", &part)
	}
	return r.mbox()
}

// A box is the state of reading a mailbox.
type box struct {
	message []byte // current message so far
	begun   bool   // a message has started
	from    []byte // the last line, if it may start a message
	err     error  // of the current message
}

// mbox reads a mailbox. A message starts with a line that begins with "From ",
// follows an empty line and precedes a header. Lines of the text that begin like that are escaped by ">",
// which is removed.
func (r *reader) mbox() error {
	var b box
	for blank, start := true, true; ; {
		if err := r.ended(); err != nil {
			return err
		}
		part, err := r.from.ReadSlice('\n')
		lostPart := errors.Is(err, packed.ErrPart)
		if start && b.from != nil {
			if !mail.IsField(part) {
				b.add(b.from, start, r)
			} else if err := r.message(&b); err != nil {
				return err
			} else {
				b.begun = true
			}
			b.from = nil
		}
		switch {
		case start && blank && bytes.HasPrefix(part, boxLine):
			b.from = bytes.Clone(part)
		case b.from != nil && int64(len(b.from)) < r.opts.MaxBytes: // the line is longer than the buffer
			b.from = append(b.from, part...)
		default:
			b.add(b.from, true, r)
			b.from = nil
			b.add(part, start, r)
		}
		if start || len(part) > 0 {
			blank = start && len(bytes.TrimRight(part, "\r\n")) == 0
		}
		start = err == nil || lostPart
		switch {
		case lostPart:
			b.err, blank = lost(err), true
		case err == io.EOF:
			b.add(b.from, true, r)
			return r.message(&b)
		case err != nil && !errors.Is(err, errFull):
			b.err = lost(err)
			return r.message(&b)
		}
	}
}

// add appends a line, or a part of one, to the message.
func (b *box) add(part []byte, start bool, r *reader) {
	if start && len(part) > 0 && part[0] == '>' && bytes.HasPrefix(bytes.TrimLeft(part, ">"), boxLine) {
		part = part[1:]
	}
	if b.begun && b.err == nil && int64(len(b.message)+len(part)) > r.opts.MaxBytes {
		b.err = r.tooLarge()
	}
	if b.begun && b.err == nil {
		b.message = append(b.message, part...)
	}
}

// archivedAt matches the address of a message in the archive of a mailing list
// (RFC 5064).
var archivedAt = format.Pattern(`(?mi)^Archived-At:\s*<(https?://[^>\s]+)>`)

// message reports the current message, if there is one, and starts a new one.
func (r *reader) message(b *box) error {
	done := *b
	*b = box{}
	if !done.begun && done.err == nil {
		return nil
	}
	rec := Record{Ext: "mbox", Data: done.message}
	head, _, _ := bytes.Cut(done.message[:min(len(done.message), maxHeader)], []byte("\n\n"))
	if m := archivedAt().FindSubmatch(head); m != nil {
		rec.Address = string(m[1])
	}
	if done.err != nil {
		rec.Data = nil
	}
	return r.give(rec, done.err)
}
