package crawl

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/gather/fetch"
)

// warcOf returns WARC records of the redirects and the last response. Each record is a separate
// gzip member, so that readers can start in the middle of the file. If first is set, a warcinfo
// record precedes them.
func warcOf(res *fetch.Response, first bool, program string) ([]byte, error) {
	var out bytes.Buffer
	if first {
		info := "software: " + program + "\r\nformat: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
		if err := writeRecord(&out, warcHead{kind: "warcinfo", media: "application/warc-fields", at: res.At}, []byte(info), nil); err != nil {
			return nil, err
		}
	}
	for _, hop := range res.Hops {
		if err := writeResponse(&out, hop, nil); err != nil {
			return nil, err
		}
	}
	err := writeResponse(&out, res.Hop, res.Raw)
	return out.Bytes(), err
}

type warcHead struct {
	kind, media, url, ip, proto string
	at                          time.Time
	payload                     bool
}

func writeResponse(out *bytes.Buffer, hop fetch.Hop, raw []byte) error {
	h := warcHead{kind: "response", media: "application/http; msgtype=response", url: hop.URL, ip: hop.IP, at: hop.At, payload: true}
	if hop.Proto == "HTTP/2.0" {
		h.proto = "h2"
	}
	return writeRecord(out, h, httpHead(hop, len(raw)), raw)
}

// httpHead returns the header of a response in the form of HTTP/1.1. As the body is
// stored without chunks, Transfer-Encoding is renamed and Content-Length is length.
func httpHead(hop fetch.Hop, length int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", hop.Status, http.StatusText(hop.Status))
	for _, name := range slices.Sorted(maps.Keys(hop.Header)) {
		for _, value := range hop.Header[name] {
			switch name {
			case "Content-Length":
				continue
			case "Transfer-Encoding":
				name = "X-Crawler-Transfer-Encoding"
			}
			fmt.Fprintf(&b, "%s: %s\r\n", name, strings.NewReplacer("\r", " ", "\n", " ").Replace(value))
		}
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", length)
	return b.Bytes()
}

func writeRecord(out *bytes.Buffer, h warcHead, head, body []byte) error {
	z := gzip.NewWriter(out)
	var b bytes.Buffer
	field := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
	b.WriteString("WARC/1.1\r\n")
	field("WARC-Type", h.kind)
	field("WARC-Record-ID", recordID())
	field("WARC-Date", h.at.UTC().Format(time.RFC3339))
	field("WARC-Target-URI", h.url)
	field("WARC-IP-Address", h.ip)
	field("WARC-Protocol", h.proto)
	field("WARC-Block-Digest", digest(head, body))
	if h.payload {
		field("WARC-Payload-Digest", digest(body))
	}
	field("Content-Type", h.media)
	field("Content-Length", strconv.Itoa(len(head)+len(body)))
	b.WriteString("\r\n")
	b.Write(head)
	b.Write(body)
	b.WriteString("\r\n\r\n")
	if _, err := z.Write(b.Bytes()); err != nil {
		return err
	}
	return z.Close()
}

func digest(parts ...[]byte) string {
	sum := sha1.New()
	for _, p := range parts {
		sum.Write(p)
	}
	return "sha1:" + base32.StdEncoding.EncodeToString(sum.Sum(nil))
}

func recordID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
