package harvest

import (
	"bytes"
	"html"
	"strings"

	"github.com/otisk/otisk/document/format"
)

// Records contain text that people typed into forms. A record with a character that breaks the
// XML must not affect the other records of its page.

// Patterns of the parts of a page that is not well-formed.
var (
	recordStart = format.Pattern(`<(?:[\w.-]+:)?record(?:\s[^<>]*)?>\s*<(?:[\w.-]+:)?header[\s/>]`)
	recordEnd   = format.Pattern(`</(?:[\w.-]+:)?record\s*>`)
	identifier  = format.Pattern(`<(?:[\w.-]+:)?identifier>([^<>]*)</`)
	tokenOf     = format.Pattern(`<(?:[\w.-]+:)?resumptionToken(?:\s[^<>]*)?(?:/>|>([^<>]*)</)`)
	listEnd     = format.Pattern(`</(?:[\w.-]+:)?(?:ListRecords|GetRecord)\s*>`)
	dateOf      = format.Pattern(`<(?:[\w.-]+:)?responseDate>([^<>]*)</`)
)

// salvage returns the records of a page that are well-formed by themselves. It returns nil for a
// truncated page, whose end is unknown.
func salvage(data []byte) *page {
	starts := recordStart().FindAllIndex(data, -1)
	if len(starts) == 0 {
		return nil
	}
	p := new(page)
	rest := data // page after the last record
	for i, at := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		} else if last := listEnd().FindAllIndex(data, -1); last != nil {
			end = max(last[len(last)-1][0], at[0])
		}
		rest = data[at[0]:end]
		if ends := recordEnd().FindAllIndex(rest, -1); ends != nil {
			rest = rest[:ends[len(ends)-1][1]]
		}
		p.one(rest)
		rest = data[at[0]+len(rest):]
	}
	if token := tokenOf().FindSubmatch(rest); token != nil {
		p.token = strings.TrimSpace(html.UnescapeString(string(token[1])))
	} else if !listEnd().Match(rest) {
		return nil
	}
	if date := dateOf().FindSubmatch(data); date != nil {
		p.Date = string(date[1])
	}
	return p
}

// one parses a record by itself or lists it as damaged.
func (p *page) one(data []byte) {
	top, err := readXML(data)
	if err == nil {
		if r, ok := recordOf(top); ok {
			p.records = append(p.records, r)
			return
		}
	}
	ident := ""
	if m := identifier().FindSubmatch(data); m != nil {
		ident = strings.TrimSpace(html.UnescapeString(string(m[1])))
	}
	p.broken = append(p.broken, ident)
}

// escapeStray replaces each "<" that starts no markup, as in "p < 0.05", by "&lt;" and returns their
// number.
func escapeStray(data []byte) (good []byte, count int) {
	for {
		at := bytes.IndexByte(data, '<')
		if at < 0 {
			return append(good, data...), count
		}
		good, data = append(good, data[:at]...), data[at:]
		switch {
		case bytes.HasPrefix(data, []byte("<![CDATA[")):
			end := max(bytes.Index(data, []byte("]]>")), 0)
			good, data = append(good, data[:end+1]...), data[end+1:]
		case len(data) > 1 && (data[1] >= 'A' && data[1] <= 'Z' || data[1] >= 'a' && data[1] <= 'z' || data[1] >= 0x80 || bytes.IndexByte([]byte("_:/!?"), data[1]) >= 0):
			good, data = append(good, '<'), data[1:]
		default:
			good, data, count = append(good, "&lt;"...), data[1:], count+1
		}
	}
}
