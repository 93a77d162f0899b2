package harvest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

type page struct {
	Date     string // responseDate, the time of the repository
	fault    *Fault
	records  []record
	broken   []string // identifiers of damaged records; "" if unknown
	token    string   // resumption token; "" at the end of the list
	expires  string   // date at which the token expires; "" if not stated
	size     int      // stated size of the whole list; 0 if not stated
	repaired int      // number of replaced characters
	top      *element
	raw      []byte // the answer
}

type record struct {
	ident    string
	stamp    string
	deleted  bool
	metadata *element // nil if there is none
}

// A Fault is an OAI-PMH error in an answer.
type Fault struct{ Code, Text string }

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("the repository answers %s: %s", f.Code, f.Text)
}

func isFault(err error, code string) bool {
	var f *Fault
	return errors.As(err, &f) && f.Code == code
}

// errNoRepository means that an address does not answer in OAI-PMH.
var errNoRepository error = phrase.Error("cause.not-oai", "the answer is not OAI-PMH")

// parsePage parses an answer. If it is not well-formed XML, parsePage returns an error and the page
// up to it, nil if there is none.
func parsePage(ctx context.Context, data []byte) (*page, error) {
	data = toUTF8(ctx, data)
	if head := bytes.ToLower(data[:min(len(data), 2000)]); bytes.Contains(head, []byte("<html")) && !bytes.Contains(head, []byte("<oai-pmh")) {
		return nil, phrase.Error("gather.web-page", "{cause}: it is a web page", "cause", errNoRepository)
	}
	good, repaired := repair(data)
	top, err := readXML(good)
	if err != nil {
		var stray int
		good, stray = escapeStray(good)
		if top, err = readXML(good); err != nil {
			return salvage(good), err
		}
		repaired += stray
	}
	if top.name != "OAI-PMH" {
		return nil, phrase.Error("gather.root", "{cause}: it is {element}", "cause", errNoRepository, "element", "<"+top.name+">")
	}
	p := &page{repaired: repaired, top: top}
	p.read()
	return p, nil
}

// toUTF8 returns data in UTF-8, which the standard requires; some repositories use and declare
// another encoding.
func toUTF8(ctx context.Context, data []byte) []byte {
	data = bytes.TrimPrefix(data, format.BOM)
	declared := charset.XMLDeclared(data[:min(len(data), 200)])
	if declared == "" || strings.EqualFold(declared, "utf-8") || utf8.Valid(data) {
		return data
	}
	src := &format.Source{Data: data, Encoding: declared, Budget: format.Budget{Time: time.Minute, Bytes: int64(len(data)) * 4}}
	if text, _, err := charset.Decode(ctx, src, declared); err == nil {
		return text
	}
	return data
}

func (p *page) read() {
	if date := p.top.kid("responseDate"); date != nil {
		p.Date = date.text
	}
	for _, k := range p.top.kids {
		switch k.name {
		case "error":
			if p.fault == nil {
				p.fault = &Fault{k.attrs["code"], k.text}
			}
		case "ListRecords", "GetRecord":
			p.list(k)
		}
	}
}

func (p *page) list(list *element) {
	for _, k := range list.kids {
		switch k.name {
		case "record":
			if r, ok := recordOf(k); ok {
				p.records = append(p.records, r)
			} else {
				p.broken = append(p.broken, "")
			}
		case "resumptionToken":
			p.token, p.expires = k.text, k.attrs["expirationDate"]
			p.size, _ = strconv.Atoi(k.attrs["completeListSize"]) // optional
		}
	}
}

// recordOf returns the record in an element; ok is false if it has no header.
func recordOf(e *element) (r record, ok bool) {
	header := e.kid("header")
	if header == nil {
		return record{}, false
	}
	r = record{ident: header.kid("identifier").value(), stamp: header.kid("datestamp").value(), deleted: header.attrs["status"] == "deleted"}
	if metadata := e.kid("metadata"); metadata != nil && len(metadata.kids) > 0 {
		r.metadata = metadata.kids[0]
	}
	return r, true
}
