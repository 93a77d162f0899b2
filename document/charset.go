package document

import (
	"bytes"
	"fmt"
	"mime"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/htmlindex"
)

// decodeHTML returns a page in UTF-8: as its byte order mark says, else as it
// declares.
func decodeHTML(data []byte) ([]byte, error) {
	if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		return rest, checkText(rest)
	}
	label := declaredCharset(data[:min(len(data), headSize)])
	if label == "" {
		return data, checkText(data)
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("%w: declared as %q", ErrEncoding, label)
	}
	if name, _ := htmlindex.Name(enc); name == "utf-8" || strings.HasPrefix(name, "utf-16") {
		// A page that says utf-16 in single bytes is not in UTF-16.
		return data, checkText(data)
	}
	decoded, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return nil, fmt.Errorf("%w: declared as %q: %w", ErrEncoding, label, err)
	}
	return decoded, checkText(decoded)
}

// declaredCharset returns what the head of a page declares, in <meta> or in
// the XML declaration; "" where it declares nothing.
func declaredCharset(head []byte) string {
	if rest, ok := bytes.CutPrefix(head, []byte("<?xml")); ok {
		decl, _, _ := bytes.Cut(rest, []byte("?>"))
		if _, value, ok := strings.Cut(string(decl), "encoding="); ok && len(value) > 1 {
			label, _, _ := strings.Cut(value[1:], value[:1])
			return label
		}
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if tag := atom.Lookup(name); tag == atom.Body {
				return ""
			} else if tag == atom.Meta && more {
				if label := metaCharset(attributes(z)); label != "" {
					return label
				}
			}
		}
	}
}

func metaCharset(attrs map[string]string) string {
	if label := attrs["charset"]; label != "" {
		return label
	}
	if !strings.EqualFold(attrs["http-equiv"], "content-type") {
		return ""
	}
	_, params, err := mime.ParseMediaType(attrs["content"])
	if err != nil {
		return ""
	}
	return params["charset"]
}
