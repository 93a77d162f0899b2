package container

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// errFull is the error of reading a line longer than the buffer.
var errFull = bufio.ErrBufferFull

// version is the start of a record in all versions of the format so far.
const version = "WARC/1."

// maxHeader is the size limit for the header of a record, in bytes.
const maxHeader = 256 << 10

// warc reads a web archive (WARC, ISO 28500). A record with a wrong length is detected
// by the bytes that follow it; reading continues with the next line that starts a
// record.
func (r *reader) warc() error {
	for {
		if err := r.ended(); err != nil {
			return err
		}
		skipped, err := r.version()
		if err == io.EOF {
			return nil
		}
		if skipped || errors.Is(err, packed.ErrPart) {
			if err := r.give(Record{Name: r.numbered()}, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.warc-between", "the bytes before the next record are not a WARC record"))); err != nil {
				return err
			}
		}
		if err != nil {
			if errors.Is(err, packed.ErrPart) {
				continue
			}
			return lost(err)
		}
		if err := r.record(); err != nil {
			return err
		}
	}
}

// numbered returns the name for the next record, to be used if the record states no name.
func (r *reader) numbered() string { return "record " + strconv.Itoa(r.count+1) }

// version skips the first line of the next record and reports whether anything but blank
// lines precedes it.
func (r *reader) version() (skipped bool, err error) {
	for start := true; ; {
		line, err := r.from.ReadSlice('\n')
		if start && bytes.HasPrefix(line, []byte(version)) {
			return skipped, nil
		}
		skipped = skipped || len(bytes.TrimSpace(line)) > 0
		start = err == nil
		if err != nil && !errors.Is(err, errFull) {
			if err == io.EOF && skipped {
				// The caller reports the rest, which is no record; the next call returns io.EOF.
				return true, packed.ErrPart
			}
			return skipped, err
		}
		if err := r.ended(); err != nil {
			return skipped, err
		}
	}
}

// record reads a record after its first line and reports it if it is a document.
func (r *reader) record() error {
	r.count++
	head, err := r.header()
	length, bad := strconv.ParseInt(head.Get("Content-Length"), 10, 64)
	rec := Record{Name: cmp.Or(strings.Trim(head.Get("Warc-Target-Uri"), "<>"), "record "+strconv.Itoa(r.count))}
	switch {
	case err != nil || bad != nil || length < 0:
		return r.give(rec, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.warc-header", "the header of the record is not valid")))
	case length > r.opts.MaxBytes:
		r.unended = true
		err := r.give(rec, r.tooLarge())
		r.unended = false
		if err != nil {
			return err
		}
		return r.pass(length)
	}
	data := new(bytes.Buffer)
	_, err = io.CopyN(data, r.from, length)
	if next := r.within(data.Bytes(), err); next >= 0 {
		return r.give(rec, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.warc-length", "Content-Length is {length}, but the next record starts after {bytes} bytes", "length", length, "bytes", next)))
	}
	if err != nil {
		return r.give(rec, lost(err))
	}
	switch head.Get("Warc-Type") {
	case "response", "resource", "conversion":
		return r.document(rec, head, data.Bytes())
	case "request":
		if r.headOnly = ""; bytes.HasPrefix(data.Bytes(), []byte("HEAD ")) {
			r.headOnly = rec.Name
		}
	}
	return nil
}

// mostLies limits for how many records with too large a length the content is read
// again.
const mostLies = 100

// within looks for another record within data, the content of a record, if the length of
// that record seems wrong: reading data ended with err, or the bytes after data do not
// follow a record. It makes r continue at the other record and returns its offset, or -1.
func (r *reader) within(data []byte, err error) int {
	if err == nil {
		if after, _ := r.from.Peek(4); len(bytes.Trim(after, "\r\n")) == 0 || bytes.HasPrefix([]byte(version), after) {
			return -1
		}
	}
	at := bytes.Index(data, []byte("\r\n\r\n"+version))
	if at < 0 || r.lies == mostLies {
		return -1
	}
	r.lies++
	rest := []io.Reader{bytes.NewReader(data[at:]), r.from}
	if err != nil && err != io.EOF {
		rest = []io.Reader{bytes.NewReader(data[at:]), &failing{err}, r.from}
	}
	r.from = bufio.NewReaderSize(io.MultiReader(rest...), 1<<20)
	return at
}

// A failing reader returns err once, then io.EOF.
type failing struct{ err error }

func (f *failing) Read([]byte) (n int, err error) {
	if err, f.err = f.err, io.EOF; err == nil {
		err = io.EOF
	}
	return 0, err
}

// pass skips the content of a record above the size limit, up to its end or the next line
// that starts a record: such a length is usually wrong.
func (r *reader) pass(length int64) error {
	for start := false; length > 0; {
		if next, _ := r.from.Peek(len(version)); start && string(next) == version {
			return nil
		}
		line, err := r.from.ReadSlice('\n')
		length -= int64(len(line))
		start = err == nil
		if err != nil && !errors.Is(err, errFull) {
			return r.give(Record{Name: r.numbered()}, lost(err))
		}
		if err := r.ended(); err != nil {
			return err
		}
	}
	return nil
}

// header reads the header fields of a record and the empty line after them.
func (r *reader) header() (textproto.MIMEHeader, error) {
	var b bytes.Buffer
	for b.Len() < maxHeader {
		if next, _ := r.from.Peek(len(version)); string(next) == version {
			return nil, format.ErrDamaged // the next record starts within the header
		}
		line, err := r.from.ReadSlice('\n')
		b.Write(line)
		if err != nil && !errors.Is(err, errFull) {
			return nil, err
		}
		if err == nil && len(bytes.TrimRight(line, "\r\n")) == 0 {
			return textproto.NewReader(bufio.NewReader(&b)).ReadMIMEHeader()
		}
	}
	return nil, format.ErrTooLarge
}

// document reports the document in a record, if there is one.
func (r *reader) document(rec Record, head textproto.MIMEHeader, data []byte) error {
	if at, err := time.Parse(time.RFC3339, head.Get("Warc-Date")); err == nil {
		rec.ModTime = at.UTC().Truncate(time.Second)
	}
	var cut error
	switch why, segment := head.Get("Warc-Truncated"), head.Get("Warc-Segment-Number"); {
	case why != "":
		cut = errors.New("WARC-Truncated: " + why)
	case segment != "":
		cut = errors.New("WARC-Segment-Number: " + segment) // the others are continuations
	}
	return r.webPage(rec, head.Get("Content-Type"), head.Get("Warc-Type") == "response", data, cut)
}

// webPage reports the document in a record of a web archive. data is an HTTP response if
// response is true and the record is named by an address of HTTP, else content of the
// media type kind. cut is the reason for which the archive has only a part of it, nil if
// none is stated.
func (r *reader) webPage(rec Record, kind string, isResponse bool, data []byte, cut error) error {
	if strings.HasPrefix(rec.Name, "metadata:") {
		return nil // log or settings of the crawler
	}
	if strings.Contains(rec.Name, "://") {
		rec.Address = rec.Name
	}
	if isResponse && strings.HasPrefix(rec.Name, "http") {
		answer, body, err := response(data, r.opts.MaxBytes)
		switch {
		case err != nil:
			return r.give(rec, err)
		case answer.status != 200:
			return nil
		}
		kind, data, cut = answer.head.Get("Content-Type"), body, cmp.Or(cut, answer.cut)
	}
	ext, text := typeOf(kind)
	switch empty := len(bytes.TrimSpace(data)) == 0; {
	case !text || empty && (cut == nil || rec.Name == r.headOnly):
		return nil
	case empty:
		return r.give(rec, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.warc-absent", "the archive does not have its content: {cause}", "cause", cut)))
	case cut != nil:
		rec.Note = phrase.Error("cause.warc-part", "the archive has only the beginning of its content: {cause}", "cause", cut)
	}
	rec.Ext, rec.Data = ext, data
	return r.give(rec, nil)
}

// An answer is the header of an HTTP response.
type answer struct {
	status int
	head   textproto.MIMEHeader
	cut    error // why the body is incomplete; nil if it seems complete
}

// response parses an HTTP response and decodes its body. Some archives have stored the
// decoded body with the original header; such a body stays as it is.
func response(data []byte, max int64) (*answer, []byte, error) {
	at, gap := bytes.Index(data, []byte("\r\n\r\n")), 4
	if other := bytes.Index(data, []byte("\n\n")); at < 0 || other >= 0 && other < at {
		at, gap = other, 2
	}
	if at < 0 {
		return nil, nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.http-header", "the HTTP response has no header"))
	}
	first, rest, _ := bytes.Cut(data[:at+gap], []byte("\n"))
	fields := strings.Fields(string(first))
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/") {
		return nil, nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.http-status", "the HTTP response has no status"))
	}
	status, _ := strconv.Atoi(fields[1]) // 0 counts as an error status
	head, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(rest))).ReadMIMEHeader()
	answer, body := &answer{status: status, head: head}, data[at+gap:]
	length, bad := strconv.Atoi(head.Get("Content-Length"))
	encoding := strings.ToLower(strings.TrimSpace(head.Get("Content-Encoding")))
	switch {
	case strings.EqualFold(head.Get("Transfer-Encoding"), "chunked"):
		// A truncated body keeps its chunks up to the end.
		if plain, err := io.ReadAll(io.LimitReader(httputil.NewChunkedReader(bytes.NewReader(body)), max+1)); err == nil || len(plain) > 0 {
			if body = plain; err != nil {
				answer.cut = phrase.Error("cause.http-chunk", "a chunk of the HTTP response is incomplete")
			}
		}
	case bad == nil && len(body) < length && (encoding == "" || encoding == "identity"):
		// With a content encoding, Content-Length no longer applies: the body may be decoded already.
		answer.cut = phrase.Error("cause.http-length", "the HTTP response has {n} of {all} bytes", "n", len(body), "all", length)
	}
	body, err := decoded(body, encoding, max)
	return answer, body, err
}

// decoded decodes a body by its content encoding, whose name is in lower case. A body that
// is already decoded is returned unchanged.
func decoded(body []byte, encoding string, max int64) ([]byte, error) {
	var z io.Reader
	var err error
	switch encoding {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		z, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		z = flate.NewReader(bytes.NewReader(body))
		if len(body) > 2 && body[0]&0x0f == 8 && (int(body[0])<<8|int(body[1]))%31 == 0 {
			z = flate.NewReader(bytes.NewReader(body[2:])) // with the header of zlib
		}
	case "br":
		z = brotli.NewReader(bytes.NewReader(body))
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max)))
		if err == nil {
			defer d.Close()
		}
		z = d
	default:
		return nil, fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("cause.http-encoding", "its content encoding {name} is not supported", "name", fmt.Sprintf("%q", encoding)))
	}
	if err != nil {
		return body, nil
	}
	plain, err := io.ReadAll(io.LimitReader(z, max+1))
	switch {
	case err != nil && len(plain) == 0:
		return body, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	case int64(len(plain)) > max:
		return nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("said.unpacks-more", "unpacks to more than {bytes} bytes", "bytes", max))
	}
	return plain, nil
}

// typeOf returns the file type for a media type; text is false if content of that type is
// no document, such as pictures and scripts.
func typeOf(media string) (ext string, text bool) {
	kind, _, err := mime.ParseMediaType(media)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(media), ";")
	}
	kind = strings.TrimSpace(kind)
	major, _, _ := strings.Cut(kind, "/")
	switch kind {
	case "text/html", "application/xhtml+xml":
		return "html", true
	case "text/plain", "":
		return "", true
	case "text/css", "text/javascript", "application/javascript", "application/x-javascript", "application/json", "application/ld+json", "application/manifest+json",
		"application/rss+xml", "application/atom+xml", "application/octet-stream", "application/wasm", "application/font-woff", "application/x-font-ttf", "text/dns":
		return "", false
	}
	return "", major == "text" || major == "application"
}
