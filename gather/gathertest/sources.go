package gathertest

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A web is a server with a feed of articles and a repository of theses.
type web struct {
	*httptest.Server

	mu       sync.Mutex
	now      time.Time // of the repository
	articles map[string]string
	theses   map[string]thesis           // by identifier
	fails    func(op, path string) error // decides which requests fail; nil for none
}

// A thesis is a record of the repository.
type thesis struct {
	text    string
	stamp   time.Time
	deleted bool
}

func newWeb(t *testing.T) *web {
	w := &web{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), articles: map[string]string{}, theses: map[string]thesis{}}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// change changes the content of the server.
func (w *web) change(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time.Hour)
	fn()
}

// ServeHTTP implements [http.Handler]. A request that fails gets no answer.
func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fails != nil && w.fails("GET", r.URL.Path) != nil {
		panic(http.ErrAbortHandler)
	}
	switch {
	case r.URL.Path == "/feed":
		w.feed(out)
	case r.URL.Path == "/oai":
		w.repository(out, r)
	case strings.HasPrefix(r.URL.Path, "/thesis/"):
		fmt.Fprint(out, w.theses[ident(strings.TrimSuffix(r.URL.Path[len("/thesis/"):], ".txt"))].text)
	case w.articles[r.URL.Path] != "":
		fmt.Fprintf(out, "<!DOCTYPE html><html><head><meta charset=utf-8><title>Article</title></head><body><article><h1>Article</h1><p>%s</p></article></body></html>", w.articles[r.URL.Path])
	default:
		http.NotFound(out, r)
	}
}

func (w *web) feed(out http.ResponseWriter) {
	out.Header().Set("Content-Type", "application/rss+xml")
	fmt.Fprint(out, `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>`)
	for _, path := range slices.Sorted(maps.Keys(w.articles)) {
		fmt.Fprintf(out, "<item><title>Article</title><link>%s%s</link></item>", w.URL, path)
	}
	fmt.Fprint(out, "</channel></rss>")
}

func ident(n string) string { return "oai:repository:" + n }

// repository answers requests by OAI-PMH; lists have pages of four records.
func (w *web) repository(out http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	out.Header().Set("Content-Type", "text/xml")
	fmt.Fprintf(out, `<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>%s</responseDate>`, w.now.Format(time.RFC3339))
	switch q.Get("verb") {
	case "Identify":
		fmt.Fprintf(out, "<Identify><repositoryName>R</repositoryName><baseURL>%s/oai</baseURL><protocolVersion>2.0</protocolVersion>"+
			"<earliestDatestamp>2026-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>", w.URL)
	case "ListMetadataFormats":
		fmt.Fprint(out, "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat></ListMetadataFormats>")
	case "GetRecord":
		fmt.Fprintf(out, "<GetRecord>%s</GetRecord>", w.record(q.Get("identifier")))
	case "ListRecords":
		from, after, _ := strings.Cut(cmp.Or(q.Get("resumptionToken"), q.Get("from")), "/")
		var list []string
		for _, id := range slices.Sorted(maps.Keys(w.theses)) {
			if id > after && w.theses[id].stamp.Format(time.RFC3339) >= from {
				list = append(list, id)
			}
		}
		if len(list) == 0 {
			fmt.Fprint(out, `<error code="noRecordsMatch">none</error>`)
			break
		}
		fmt.Fprint(out, "<ListRecords>")
		page := list[:min(4, len(list))]
		for _, id := range page {
			fmt.Fprint(out, w.record(id))
		}
		if len(page) < len(list) {
			fmt.Fprintf(out, "<resumptionToken>%s/%s</resumptionToken>", from, page[len(page)-1])
		}
		fmt.Fprint(out, "</ListRecords>")
	}
	fmt.Fprint(out, "</OAI-PMH>")
}

func (w *web) record(id string) string {
	t := w.theses[id]
	status, metadata := "", ""
	if t.deleted {
		status = ` status="deleted"`
	} else {
		metadata = fmt.Sprintf(`<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
			`<dc:title>Thesis</dc:title><dc:identifier>%s/thesis/%s.txt</dc:identifier></oai_dc:dc></metadata>`, w.URL, strings.TrimPrefix(id, ident("")))
	}
	return fmt.Sprintf("<record><header%s><identifier>%s</identifier><datestamp>%s</datestamp></header>%s</record>", status, html.EscapeString(id), t.stamp.Format(time.RFC3339), metadata)
}
