// Package mail reads e-mail messages, web pages saved as a message (MHTML), and mailboxes.
//
// Its readers are rows of the table in package document. The text of a message is what a
// mail program shows: the last of several alternatives, and forwarded messages in it.
// Attachments are returned separately, to be read as files.
package mail

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/lang/phrase"
)

// maxDepth is the largest depth of nested parts and messages.
const maxDepth = 30

// mostSaid limits the length of the error of a damaged message, in characters.
const mostSaid = 100

// technical are headers that only programs write.
var technical = format.Names("message-id", "mime-version", "received", "return-path", "content-transfer-encoding", "delivered-to", "x-mailer")

// Looks reports whether data is a message: headers up to an empty line, some of them
// technical.
func Looks(data []byte) bool {
	names := map[string]bool{}
	lines := 0
	for line := range bytes.Lines(bytes.TrimPrefix(format.Head(data), format.BOM)) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if lines++; line[0] == ' ' || line[0] == '\t' {
			if lines == 1 {
				return false
			}
			continue
		}
		name, _, ok := bytes.Cut(line, []byte(":"))
		if !ok || len(name) == 0 || bytes.ContainsAny(name, " \t<>()@,\"") {
			if lines > 1 && len(data) > format.HeadSize && bytes.HasSuffix(format.Head(data), line) {
				break // the end of the examined bytes
			}
			return false
		}
		names[strings.ToLower(string(name))] = true
	}
	for n := range names {
		if technical[n] {
			return names["from"] || names["subject"] || names["date"] || names["content-type"]
		}
	}
	return false
}

// A reader parses a message.
type reader struct {
	ctx      context.Context
	src      *format.Source
	attached []format.Attached
	media    int // pictures, sounds and films that were skipped
	unread   format.Unread
	early    bool // the message is truncated
}

// Message reads one message.
func Message(ctx context.Context, src *format.Source) (*format.Text, error) {
	r := &reader{ctx: ctx, src: src}
	data := bytes.TrimPrefix(src.Data, format.BOM)
	if text, ok := archive.FromUTF16(data); ok {
		data = text
	}
	t, err := r.message(data, 0)
	if errors.Is(err, format.ErrDamaged) {
		*r = reader{ctx: ctx, src: src}
		t, err = r.message(wellParted(data), 0)
	}
	if err != nil {
		return nil, err
	}
	if t.Attached = r.attached; r.media > 0 {
		t.Note(phrase.Counted("said.media", "{n} picture, sound or film in the message is not read", "{n} pictures, sounds or films in the message are not read", r.media))
	}
	r.unread.NoteMany(t)
	if r.early {
		t.Note(phrase.Error("said.message-early", "the message ends early: its last part may not be whole"))
	}
	if err := t.Check(); err != nil && len(t.Attached) == 0 {
		for _, n := range r.unread.Notes() {
			err = fmt.Errorf("%w: %w", err, n)
		}
		return nil, err
	}
	return t, nil
}

// message reads a message at this depth of nesting.
func (r *reader) message(data []byte, depth int) (*format.Text, error) {
	m, err := mail.ReadMessage(format.NewReader(r.ctx, data))
	if err != nil && format.Ended(r.ctx) == nil {
		m, err = mail.ReadMessage(format.NewReader(r.ctx, wellFormed(data)))
	}
	if err != nil {
		return nil, r.damaged(err)
	}
	head := textproto.MIMEHeader(m.Header)
	t, err := r.part(head, m.Body, depth)
	if err != nil {
		return nil, err
	}
	if title := r.words(head.Get("Subject")); title != "" {
		t.Title = title
	}
	if t.Author == "" {
		t.Author = r.sender(head.Get("From"))
	}
	if date, err := m.Header.Date(); err == nil {
		t.Year = date.Year()
	}
	return t, nil
}

// damaged wraps errors that wrap no error of package format in [format.ErrDamaged].
func (r *reader) damaged(err error) error {
	if ended := format.Ended(r.ctx); ended != nil {
		return ended
	}
	for _, known := range []error{format.ErrTooLarge, format.ErrDamaged, format.ErrEncoding, format.ErrBinary, format.ErrEncrypted} {
		if errors.Is(err, known) {
			return err
		}
	}
	said := []rune(err.Error()) // some errors quote the whole damaged line
	if len(said) > mostSaid {
		said = append(said[:mostSaid], '…')
	}
	return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.message", "message: {cause}", "cause", string(said)))
}

// words decodes the encoded words of a header.
func (r *reader) words(s string) string {
	d := mime.WordDecoder{CharsetReader: func(label string, in io.Reader) (io.Reader, error) {
		enc, err := charset.Lookup(label)
		if err != nil {
			return nil, err
		}
		return enc.NewDecoder().Reader(in), nil
	}}
	if plain, err := d.DecodeHeader(s); err == nil {
		s = plain
	}
	return flow.OneLine(s)
}

// sender returns the name in an address, or the address if it has no name. It returns "" for
// the placeholder of a page saved by a browser.
func (r *reader) sender(from string) string {
	from = r.words(from)
	if strings.HasPrefix(from, "<Saved by") {
		return ""
	}
	name, address, _ := strings.Cut(from, "<")
	return cmp.Or(strings.Trim(name, ` "`), strings.Trim(address, ` <>`))
}

// part reads a part of a message and its nested parts.
func (r *reader) part(head textproto.MIMEHeader, body io.Reader, depth int) (*format.Text, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.mail-deep", "parts of the message are nested more than {depth} deep", "depth", maxDepth))
	}
	kind, params, err := mime.ParseMediaType(head.Get("Content-Type"))
	if err != nil && kind == "" {
		kind = "text/plain"
	}
	if kind == "multipart/encrypted" {
		r.unread.Part(kind)
	}
	if boundary := params["boundary"]; strings.HasPrefix(kind, "multipart/") && boundary != "" {
		return r.parts(kind, params, body, depth)
	}
	data, err := io.ReadAll(decoded(head.Get("Content-Transfer-Encoding"), body))
	if r.cut(err) {
		err = nil
	}
	if err != nil {
		return nil, r.damaged(err)
	}
	if encoding := strings.ToLower(strings.TrimSpace(head.Get("Content-Transfer-Encoding"))); !encodings[encoding] {
		r.unread.Part("Content-Transfer-Encoding: " + encoding)
	}
	encrypted := bytes.HasPrefix(bytes.TrimSpace(data), []byte(pgpStart))
	if bytes.Contains(data, []byte(pgpStart)) {
		r.unread.Part("PGP MESSAGE")
	}
	name := r.fileName(head, params)
	family, _, _ := strings.Cut(kind, "/")
	switch {
	case kind == "message/rfc822" || strings.EqualFold(path.Ext(name), ".eml"):
		return r.message(data, depth+1)
	case name == "" && kind == "text/html":
		return r.text(web.HTML, data, params["charset"])
	case name == "" && kind == "text/plain" && params["delsp"] == "yes":
		return r.text(plain.Text, softBreak().ReplaceAll(data, nil), params["charset"])
	case name == "" && (kind == "text/plain" || kind == "text/enriched" || kind == "message/delivery-status"):
		return r.text(plain.Text, data, params["charset"])
	case family == "image" || family == "audio" || family == "video":
		r.media++
	case name == "" && kind == "text/calendar":
		r.unread.Words(kind, len(bytes.Fields(data)))
	case encrypted, kind == "application/pgp-encrypted", strings.HasSuffix(kind, "-signature"), name == "" && (kind == "text/css" || kind == "text/rfc822-headers"), len(data) == 0:
	default:
		r.attached = append(r.attached, format.Attached{Name: cmp.Or(name, fmt.Sprintf("attachment%d", len(r.attached)+1)), Data: data})
	}
	return &format.Text{}, nil
}

// pgpStart is the first line of an encrypted text.
const pgpStart = "-----BEGIN PGP MESSAGE-----"

// softBreak matches the end of a line that continues in the next one, where a space only marks that.
var softBreak = format.Pattern(` \r?\n>*`)

// wellFormed returns a message without the lines of its header that are not valid, which mail programs ignore.
func wellFormed(data []byte) []byte {
	var head []byte
	rest, valid := data, false
	for line := range bytes.Lines(data) {
		blank := len(bytes.TrimRight(line, "\r\n")) == 0
		if valid = IsField(line) || valid && isFolded(line); valid || blank {
			head = append(head, line...)
		}
		if rest = rest[len(line):]; blank && len(head) > len(line) {
			break
		}
	}
	if !bytes.Contains(head, []byte(":")) {
		return data
	}
	return append(head, rest...)
}

// IsField reports whether text starts with a valid line of a header, which does not continue another one.
func IsField(text []byte) bool {
	line, _, _ := bytes.Cut(text[:min(len(text), maxField)], []byte("\n"))
	name, _, ok := bytes.Cut(line, []byte(":"))
	return ok && len(name) > 0 && !bytes.ContainsAny(name, " \t<>()@,;\"/[]?={}\\")
}

// maxField limits how many bytes of a line are searched for the end of the name.
const maxField = 200

// isFolded reports whether a line of a header continues the one before it.
func isFolded(line []byte) bool { return line[0] == ' ' || line[0] == '\t' }

// boundaries matches the lines between the parts of a message that its headers state.
var boundaries = format.Pattern(`(?i)boundary="?([^"\s;]+)`)

// wellParted returns a message with an empty line before the first line in the header of a part that is not
// valid, with which mail programs start its content.
func wellParted(data []byte) []byte {
	starts := map[string]bool{}
	for _, m := range boundaries().FindAllSubmatch(data, -1) {
		starts["--"+string(m[1])] = true
	}
	var parted []byte
	valid := false
	for line := range bytes.Lines(data) {
		if blank := len(bytes.TrimRight(line, "\r\n")) == 0; valid && !IsField(line) && !isFolded(line) {
			if valid = false; !blank {
				parted = append(parted, '\n')
			}
		}
		parted = append(parted, line...)
		valid = valid || starts[string(bytes.TrimRight(line, "\r\n"))]
	}
	return parted
}

// fileName returns the file name of an attachment, "" if the part is not an attachment.
func (r *reader) fileName(head textproto.MIMEHeader, params map[string]string) string {
	disposition, more, _ := mime.ParseMediaType(head.Get("Content-Disposition"))
	name := r.words(cmp.Or(more["filename"], params["name"]))
	if name == "" && disposition == "attachment" {
		return "attachment"
	}
	if name = path.Base(strings.ReplaceAll(name, `\`, "/")); name == "." || name == "/" {
		return ""
	}
	return name
}

// encodings are the values of Content-Transfer-Encoding that are decoded.
var encodings = format.Names("", "7bit", "7-bit", "8bit", "8-bit", "binary", "base64", "quoted-printable")

// decoded decodes the Content-Transfer-Encoding of a part.
func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, &alphabet{lines: bufio.NewReader(body)})
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	}
	return body
}

// An alphabet is a reader that drops characters outside the alphabet of base64, as RFC 2045
// requires. It ends before a line of words, such as the footer of a mailing list.
type alphabet struct {
	lines *bufio.Reader
	rest  []byte
}

func (a *alphabet) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		line, err := a.lines.ReadSlice('\n')
		text := bytes.TrimSpace(line)
		if bytes.ContainsAny(text, " \t") || bytes.HasPrefix(text, []byte("_")) || bytes.HasPrefix(text, []byte("-")) {
			return 0, base64.CorruptInputError(0)
		}
		a.rest = a.rest[:0]
		for _, b := range text {
			if b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '+' || b == '/' || b == '=' {
				a.rest = append(a.rest, b)
			}
		}
		if len(a.rest) == 0 && err != nil && err != bufio.ErrBufferFull {
			return 0, err
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// cut reports whether err only means that the message is truncated, and records that.
func (r *reader) cut(err error) bool {
	var after base64.CorruptInputError // other text follows the data
	if err == nil || !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) && !errors.As(err, &after) {
		return false
	}
	r.early = true
	return true
}

// text reads the content of a part by the reader of its format.
func (r *reader) text(read format.Reader, data []byte, label string) (*format.Text, error) {
	src := *r.src
	src.Data, src.Stated = data, label
	t, err := read(r.ctx, &src)
	if errors.Is(err, format.ErrEmpty) {
		return &format.Text{}, nil
	}
	return t, err
}

// A preamble is what precedes the first part of a message.
type preamble struct {
	text bytes.Buffer
	done bool
}

func (p *preamble) Write(b []byte) (int, error) {
	if !p.done {
		p.text.Write(b)
	}
	return len(b), nil
}

// parts reads the parts of a multipart part of this kind. A body without any is text.
func (r *reader) parts(kind string, params map[string]string, body io.Reader, depth int) (*format.Text, error) {
	var texts []*format.Text
	root := 0 // of related parts, the one that is shown
	var before preamble
	m := multipart.NewReader(io.TeeReader(body, &before), params["boundary"])
	for {
		p, err := m.NextRawPart()
		if err == io.EOF || r.cut(err) {
			break
		}
		before.done = true
		if err != nil {
			return nil, r.damaged(err)
		}
		if kind == "multipart/digest" && p.Header.Get("Content-Type") == "" {
			p.Header.Set("Content-Type", "message/rfc822")
		}
		t, err := r.part(p.Header, p, depth+1)
		if err != nil {
			return nil, err
		}
		if t.Check() == nil {
			texts = append(texts, t)
			if id := p.Header.Get("Content-Id"); id != "" && id == params["start"] {
				root = len(texts) - 1
			}
		}
	}
	switch {
	case !before.done:
		return r.text(plain.Text, before.text.Bytes(), "")
	case len(texts) == 0:
		return &format.Text{}, nil
	case kind == "multipart/alternative":
		last := texts[len(texts)-1]
		for _, t := range texts[:len(texts)-1] {
			r.unread.Words(kind, wordsBeyond(t.Text, last.Text))
		}
		return last, nil
	case kind == "multipart/related":
		for i, t := range texts {
			if i != root {
				r.unread.Words(kind, len(strings.Fields(t.Text)))
			}
		}
		return texts[root], nil
	}
	return join(texts), nil
}

// wordsBeyond counts the words of a text that another version of it lacks, 0 if they are few.
func wordsBeyond(text, other string) (n int) {
	const few = 4 // one word in so many
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !unicode.IsLetter(c) })
	}
	known, list := format.Names(words(other)...), words(text)
	for _, w := range list {
		if !known[w] {
			n++
		}
	}
	if n*few < len(list) {
		return 0
	}
	return n
}

// join concatenates texts.
func join(texts []*format.Text) *format.Text {
	all := *texts[0]
	all.Notes, all.Marks, all.Flags = slices.Clip(all.Notes), slices.Clip(all.Marks), slices.Clip(all.Flags)
	var text strings.Builder
	text.WriteString(all.Text)
	for _, t := range texts[1:] {
		text.WriteString("\n\n")
		at := text.Len()
		text.WriteString(t.Text)
		all.Parted = all.Parted && t.Parted
		all.Notes = append(all.Notes, t.Notes...)
		all.Messages.Merge(t.Messages)
		for _, m := range t.Marks {
			m.Start, m.End = m.Start+at, m.End+at
			all.Marks = append(all.Marks, m)
		}
		for _, f := range t.Flags {
			f.Start, f.End = f.Start+at, f.End+at
			all.Flags = append(all.Flags, f)
		}
	}
	all.Text = text.String()
	return &all
}
