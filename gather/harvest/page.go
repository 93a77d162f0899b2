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
)

// A page is one answer of a repository.
type page struct {
	Date     string // responseDate: what its clock says
	fault    *Fault
	records  []record
	broken   []string // identifiers of records that cannot be read; "" where not even that can
	token    string   // "" at the end of the list
	size     int      // of the whole list, as the repository says it; 0 where it does not
	repaired int      // characters
	top      *element
}

// A record is one of a page.
type record struct {
	ident    string
	stamp    string
	deleted  bool
	metadata *element // nil where there is none
}

// A Fault is an error that a repository answers.
type Fault struct{ Code, Text string }

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("the repository answers %s: %s", f.Code, f.Text)
}

// isFault reports whether err is the answer of that code.
func isFault(err error, code string) bool {
	var f *Fault
	return errors.As(err, &f) && f.Code == code
}

// errNoRepository says that an address is not one of OAI-PMH.
var errNoRepository = errors.New("the answer is not OAI-PMH")

// parsePage reads an answer. Of one that is broken XML it returns what there is beside the
// error, nil for nothing.
func parsePage(ctx context.Context, data []byte) (*page, error) {
	data = toUTF8(ctx, data)
	if head := bytes.ToLower(data[:min(len(data), 2000)]); bytes.Contains(head, []byte("<html")) && !bytes.Contains(head, []byte("<oai-pmh")) {
		return nil, fmt.Errorf("%w: it is a web page", errNoRepository)
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
		return nil, fmt.Errorf("%w: it is <%s>", errNoRepository, top.name)
	}
	p := &page{repaired: repaired, top: top}
	p.read()
	return p, nil
}

// toUTF8 returns data in UTF-8, as the standard wants it; some repositories
// declare another encoding, and mean it.
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

// read takes what is known of a page out of its elements.
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
			p.token = k.text
			p.size, _ = strconv.Atoi(k.attrs["completeListSize"]) // it need not be there
		}
	}
}

// recordOf returns the record that an element is; ok is false for one without a header.
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
