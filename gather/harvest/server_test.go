package harvest

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A thesis is a record of the test's repository.
type thesis struct {
	ident   string
	stamp   time.Time
	sets    []string
	deleted bool
	title   string
	creator string
	dates   []string
	links   []string // dc:identifier and dc:relation
	raw     string   // metadata, in place of all these
}

// An oaiServer is a repository that follows OAI-PMH 2.0, and the server of its
// full texts. Requests that the protocol forbids are answered as it says.
type oaiServer struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	records  []thesis
	seconds  bool
	deletes  string // deletedRecord
	formats  []string
	perPage  int
	now      time.Time
	expire   map[int]bool // requests with a token, counted, that find it expired
	tokens   int
	requests []string
	files    map[string]string // path: content
	heads    map[string]string // headers of files
	asked    map[string]int    // path: times
	change   func(body []byte) []byte
	answer   func(w http.ResponseWriter, r *http.Request) bool // in place of the repository, if it says so
}

func newServer(t *testing.T) *oaiServer {
	s := &oaiServer{t: t, seconds: true, deletes: "persistent", formats: []string{"oai_dc"}, perPage: 3, now: day(30),
		expire: map[int]bool{}, files: map[string]string{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func day(n int) time.Time { return time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

// add adds a thesis with a full text.
func (s *oaiServer) add(n int, change func(*thesis)) {
	path := fmt.Sprintf("/bitstream/%d/thesis.txt", n)
	r := thesis{
		ident: fmt.Sprintf("oai:repo.example.org:%d", n), stamp: day(n), title: fmt.Sprintf("Thesis & number %d", n), creator: "Nováková, Jana",
		dates: []string{"2021-05-04T10:00:00Z", "2019"}, links: []string{s.URL + fmt.Sprintf("/handle/%d", n), s.URL + path},
	}
	s.files[path] = words(n, 0)
	if change != nil {
		change(&r)
	}
	s.records = slices.DeleteFunc(s.records, func(o thesis) bool { return o.ident == r.ident })
	s.records = append(s.records, r)
}

// words is the text of a thesis.
func words(n, version int) string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "word%dx%dx%d ", n, version, i)
	}
	return b.String()
}

func (s *oaiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.URL.RequestURI())
	if s.answer != nil && s.answer(w, r) {
		return
	}
	if r.URL.Path != "/oai" {
		s.file(w, r)
		return
	}
	body := s.oai(r)
	if s.change != nil {
		body = s.change(body)
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = w.Write(body)
}

func (s *oaiServer) file(w http.ResponseWriter, r *http.Request) {
	s.asked[r.URL.Path]++
	content, ok := s.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	tag := strconv.Quote(sumOf([]byte(content))[:8])
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	for name, value := range s.heads {
		w.Header().Set(name, value)
	}
	if strings.HasPrefix(content, "<html") {
		w.Header().Set("Content-Type", "text/html")
	}
	_, _ = w.Write([]byte(content))
}

func (s *oaiServer) date(t time.Time) string {
	if s.seconds {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format(time.DateOnly)
}

func (s *oaiServer) oai(r *http.Request) []byte {
	q := r.URL.Query()
	inner := ""
	fault := func(code, text string) { inner = fmt.Sprintf("<error code=%q>%s</error>", code, text) }
	for name, values := range q {
		if len(values) > 1 {
			s.t.Errorf("argument %s is repeated", name)
		}
	}
	switch q.Get("verb") {
	case "Identify":
		granularity := "YYYY-MM-DD"
		if s.seconds {
			granularity = "YYYY-MM-DDThh:mm:ssZ"
		}
		inner = fmt.Sprintf(`<Identify><repositoryName>Theses &#x26; more</repositoryName><baseURL>%s/oai</baseURL><protocolVersion>2.0</protocolVersion>
<adminEmail>a@example.org</adminEmail><earliestDatestamp>%s</earliestDatestamp><deletedRecord>%s</deletedRecord><granularity>%s</granularity></Identify>`,
			s.URL, s.date(day(0)), s.deletes, granularity)
	case "ListMetadataFormats":
		for _, f := range s.formats {
			inner += "<metadataFormat><metadataPrefix>" + f + "</metadataPrefix></metadataFormat>"
		}
		inner = "<ListMetadataFormats>" + inner + "</ListMetadataFormats>"
	case "ListSets":
		if token := q.Get("resumptionToken"); token != "" {
			inner = "<ListSets><set><setSpec>other</setSpec></set><resumptionToken/></ListSets>"
		} else {
			inner = "<ListSets><set><setSpec>law</setSpec></set><set><setSpec>arts</setSpec></set><resumptionToken>more</resumptionToken></ListSets>"
		}
	case "GetRecord":
		at := slices.IndexFunc(s.records, func(o thesis) bool { return o.ident == q.Get("identifier") })
		if at < 0 {
			fault("idDoesNotExist", "no such record")
		} else {
			inner = "<GetRecord>" + s.record(s.records[at]) + "</GetRecord>"
		}
	case "ListRecords":
		inner = s.list(q.Get("resumptionToken"), q.Get("metadataPrefix"), q.Get("from"), q.Get("until"), q.Get("set"), len(q), fault)
	default:
		fault("badVerb", "no such verb")
	}
	if strings.HasPrefix(inner, "<error") {
		return []byte(s.head() + inner + "</OAI-PMH>")
	}
	return []byte(s.head() + inner + "</OAI-PMH>")
}

func (s *oaiServer) head() string {
	return `<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>` +
		s.now.Format(time.RFC3339) + `</responseDate><request>` + s.URL + `/oai</request>`
}

// list answers ListRecords. A token says all that the list needs, as it must.
func (s *oaiServer) list(token, format, from, until, set string, args int, fault func(code, text string)) string {
	at := 0
	if token != "" {
		s.tokens++
		parts := strings.Split(token, "|")
		if args != 2 || len(parts) != 5 || s.expire[s.tokens] {
			code := "badResumptionToken"
			if args != 2 {
				code = "badArgument"
			}
			return fmt.Sprintf("<error code=%q>expired</error>", code)
		}
		at, _ = strconv.Atoi(parts[0])
		format, from, until, set = parts[1], parts[2], parts[3], parts[4]
	}
	if !slices.Contains(s.formats, format) {
		return `<error code="cannotDisseminateFormat">no</error>`
	}
	for _, date := range []string{from, until} {
		if len(date) > len(time.DateOnly) && !s.seconds {
			return `<error code="badArgument">dates have no time of day here</error>`
		}
	}
	var list []thesis
	for _, r := range s.records {
		stamp := s.date(r.stamp)
		if len(from) == len(time.DateOnly) {
			stamp = stamp[:len(time.DateOnly)]
		}
		if (from == "" || stamp >= from) && (until == "" || stamp <= until) && (set == "" || slices.Contains(r.sets, set)) {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return `<error code="noRecordsMatch">none</error>`
	}
	var b strings.Builder
	b.WriteString("<ListRecords>")
	end := min(at+s.perPage, len(list))
	for _, r := range list[at:end] {
		b.WriteString(s.record(r))
	}
	if end < len(list) {
		fmt.Fprintf(&b, `<resumptionToken completeListSize="%d">%s</resumptionToken>`, len(list), html.EscapeString(fmt.Sprintf("%d|%s|%s|%s|%s", end, format, from, until, set)))
	} else if at > 0 {
		b.WriteString("<resumptionToken/>")
	}
	return b.String() + "</ListRecords>"
}

func (s *oaiServer) record(r thesis) string {
	var b strings.Builder
	status := ""
	if r.deleted {
		status = ` status="deleted"`
	}
	fmt.Fprintf(&b, "<record><header%s><identifier>%s</identifier><datestamp>%s</datestamp></header>", status, html.EscapeString(r.ident), s.date(r.stamp))
	switch {
	case r.deleted:
	case r.raw != "":
		b.WriteString("<metadata>" + r.raw + "</metadata>")
	default:
		b.WriteString(`<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`)
		fmt.Fprintf(&b, "<dc:title>%s</dc:title><dc:creator>%s</dc:creator>", html.EscapeString(r.title), html.EscapeString(r.creator))
		for _, date := range r.dates {
			fmt.Fprintf(&b, "<dc:date>%s</dc:date>", date)
		}
		for _, link := range r.links {
			fmt.Fprintf(&b, "<dc:identifier>%s</dc:identifier>", html.EscapeString(link))
		}
		b.WriteString("<dc:type>masterThesis</dc:type></oai_dc:dc></metadata>")
	}
	return b.String() + "</record>"
}
