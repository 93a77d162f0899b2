package harvest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/gather/fetch"
)

// A system answers OAI-PMH requests in the manner of a program for repositories.
type system struct {
	*bench
	path    string                                             // of the interface
	about   string                                             // element Identify, without its name and address
	formats []string                                           // prefixes
	list    func(q url.Values, token string) (string, int)     // inner elements of an answer, and its HTTP status
	page    func(w http.ResponseWriter, r *http.Request) bool  // other addresses; false for files of the bench
	odd     func(w http.ResponseWriter, verb, arg string) bool // answers in place of the system
	asked   []string                                           // queries of lists
	clock   *leapingClock
}

// newSystem starts a system. Its files are those of the bench.
func newSystem(t *testing.T, path, about string, formats ...string) *system {
	t.Helper()
	s := &system{bench: newBench(t), path: path, about: about, formats: formats, clock: new(leapingClock)}
	s.now = s.clock.Now().UTC()
	client, err := fetch.New(fetch.Options{UserAgent: "otisk-test/1", Allow: []string{"127.0.0.1", "localhost"}, Delay: -1, Retries: 3, Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	s.opts.URL, s.opts.Client, s.opts.Clock = s.URL+path, client, s.clock
	s.answer = s.serve
	return s
}

func (s *system) serve(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != s.path {
		return s.page != nil && s.page(w, r)
	}
	if !strings.HasPrefix(r.Header.Get("Accept"), "text/xml") {
		s.t.Errorf("Accept is %q: DSpace would answer with a web page", r.Header.Get("Accept"))
	}
	q := r.URL.Query()
	if s.odd != nil && s.odd(w, q.Get("verb"), r.URL.RawQuery) {
		return true
	}
	inner, status := "", http.StatusOK
	switch q.Get("verb") {
	case "Identify":
		inner = "<Identify><repositoryName>R</repositoryName><baseURL>" + s.URL + s.path + "</baseURL><protocolVersion>2.0</protocolVersion>" + s.about + "</Identify>"
	case "ListMetadataFormats":
		for _, f := range s.formats {
			inner += "<metadataFormat><metadataPrefix>" + f + "</metadataPrefix><schema>http://example.org/s.xsd</schema></metadataFormat>"
		}
		inner = "<ListMetadataFormats>" + inner + "</ListMetadataFormats>"
	case "ListRecords":
		s.bench.requests = append(s.bench.requests, r.URL.RawQuery)
		s.asked = append(s.asked, r.URL.RawQuery)
		inner, status = s.list(q, q.Get("resumptionToken"))
	default:
		s.t.Errorf("an unexpected request: %s", r.URL.RawQuery)
	}
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><?xml-stylesheet type=\"text/xsl\" href=\"static/style.xsl\"?>\n"+
		"<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">\n"+
		"<responseDate>%s</responseDate><request verb=\"%s\">%s</request>%s</OAI-PMH>", s.stamp(), q.Get("verb"), s.URL+s.path, inner)
	return true
}

// stamp is the time of the server.
func (s *system) stamp() string { return s.clock.Now().UTC().Format("2006-01-02T15:04:05Z") }

// item returns a record. The metadata is that of a deleted record if it is "".
func item(ident, stamp, set, metadata string) string {
	if metadata == "" {
		return "<record><header status=\"deleted\"><identifier>" + ident + "</identifier><datestamp>" + stamp + "</datestamp><setSpec>" + set + "</setSpec></header></record>"
	}
	return "<record><header><identifier>" + ident + "</identifier><datestamp>" + stamp + "</datestamp><setSpec>" + set + "</setSpec></header><metadata>" + metadata + "</metadata></record>"
}

// dc returns metadata in Dublin Core: pairs of names and values in XML.
func dc(pairs ...string) string {
	var b strings.Builder
	b.WriteString("<oai_dc:dc\n\txmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\"\n\txmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n")
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "\t<dc:%s xml:lang=\"en\">%s</dc:%s>\n", pairs[i], pairs[i+1], pairs[i])
	}
	return b.String() + "</oai_dc:dc>"
}

const noMatch = `<error code="noRecordsMatch">No matches for the query</error>`

// wantDocuments compares the names of all documents, which start with the prefix.
func (s *system) wantDocuments(prefix string, names ...string) {
	s.t.Helper()
	var got []string
	for _, d := range s.documents() {
		got = append(got, strings.TrimPrefix(d.Name(), prefix))
	}
	if !slices.Equal(got, names) {
		s.t.Errorf("the index has %q, want %q; told %q; requests %q", got, names, s.told, s.asked)
	}
}

// TestDSpace: XOAI as DSpace 7 and later write it. The addresses of files are those of pages that scripts
// make, so the REST interface is asked; a file may need a login; tokens have slashes; an item is deleted;
// and the server is busy, or answers with a page, once.
func TestDSpace(t *testing.T) {
	const uuid = "6d9e1b2a-0000-4000-8000-00000000000%d"
	s := newSystem(t, "/server/oai/request", `<adminEmail>a@example.org</adminEmail><earliestDatestamp>2019-01-01T00:00:00Z</earliestDatestamp>
<deletedRecord>transient</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity><compression>gzip</compression>
<description><toolkit xmlns="http://oai.dlib.vt.edu/OAI/metadata/toolkit"><title>XOAI</title></toolkit></description>`, "oai_dc", "xoai", "mets", "uketd_dc")
	element := func(name, inner string) string { return `<element name="` + name + `">` + inner + `</element>` }
	field := func(name, value string) string { return `<field name="` + name + `">` + value + `</field>` }
	value := func(name, text string) string {
		return element(name, element("none", field("value", text)+field("authority", "a1")+field("confidence", "600")))
	}
	bundle := func(name string, n int) string {
		id := fmt.Sprintf(uuid, n)
		return element("bundle", field("name", name)+element("bitstreams", element("bitstream", field("name", "t.txt")+field("originalName", "t.txt")+
			field("format", "text/plain")+field("size", "99")+field("url", s.URL+"/bitstreams/"+id+"/download")+field("checksum", "0")+field("sid", "1")+
			element("resourcePolicies", element("resourcePolicy", field("action", "READ"))))))
	}
	xoai := func(title string, bundles ...string) string {
		return `<metadata xmlns="http://www.lyncode.com/xoai" xsi:schemaLocation="http://www.lyncode.com/xoai http://www.lyncode.com/xsd/xoai.xsd">` +
			element("dc", element("contributor", value("advisor", "Advisor, An")+value("author", "Dvořák, Eva"))+
				element("date", value("accessioned", "2011-01-01T00:00:00Z")+value("issued", "2018-05"))+
				element("title", value("alternative", "Jiný název")+element("cs", field("value", title)))+
				element("publisher", value("place", "Praha")+element("none", field("value", "Univerzita")))+
				element("relation", value("uri", "https://elsewhere.example.net/data.pdf"))+
				element("identifier", value("uri", s.URL+"/handle/123456789/1")+value("other", "42"))+element("language", value("iso", "cs"))) +
			element("thesis", element("degree", value("level", "Master"))) +
			element("bundles", strings.Join(bundles, "")) + element("others", field("handle", "123456789/1")+field("lastModifyDate", "2020-01-01 00:00:00.0")) +
			element("repository", field("url", s.URL)) + element("license", field("bin", "bGljZW5jZQ==")) + `</metadata>`
	}
	s.list = func(q url.Values, token string) (string, int) {
		const last = `<resumptionToken completeListSize="5" cursor="3"></resumptionToken>`
		switch {
		case q.Get("from") != "":
			return noMatch, http.StatusOK
		case token == "":
			return "<ListRecords>" + item("oai:repo:123456789/1", "2020-01-01T00:00:00Z", "com_1", xoai("Název &lt;i&gt;", bundle("TEXT", 8), bundle("ORIGINAL", 1), bundle("LICENSE", 7))) +
				item("oai:repo:123456789/2", "2020-01-02T00:00:00Z", "com_1", xoai("Two", bundle("ORIGINAL", 2), bundle("ORIGINAL", 3))) +
				item("oai:repo:123456789/3", "2020-01-03T00:00:00Z", "com_1", "") + `<resumptionToken completeListSize="5" cursor="0">xoai////3</resumptionToken></ListRecords>`, http.StatusOK
		case token == "xoai////3":
			return "<ListRecords>" + item("oai:repo:123456789/4", "2020-01-04T00:00:00Z", "com_1", xoai("Embargoed", bundle("ORIGINAL", 4))) +
				item("oai:repo:123456789/5", "2020-01-05T00:00:00Z", "com_1", xoai("Without files", bundle("LICENSE", 7))) + last + "</ListRecords>", http.StatusOK
		}
		return `<error code="badResumptionToken">The value of the resumptionToken argument is invalid or expired</error>`, http.StatusOK
	}
	for n := 1; n <= 3; n++ {
		s.files["/server/api/core/bitstreams/"+fmt.Sprintf(uuid, n)+"/content"] = words(n, 0)
	}
	s.heads = map[string]string{"Content-Disposition": "attachment;filename=\"thesis č.txt\"; filename*=UTF-8''thesis%20%C4%8D.txt"}
	s.page = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "/download"), strings.HasPrefix(r.URL.Path, "/handle/"):
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!DOCTYPE html><html><body><ds-app></ds-app><script src=main.js></script></body></html>")
			return true
		case strings.HasSuffix(r.URL.Path, fmt.Sprintf(uuid, 4)+"/content"):
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	}
	busy := map[string]bool{}
	s.odd = func(w http.ResponseWriter, verb, query string) bool {
		if busy[query] {
			return false
		}
		busy[query] = true
		w.Header().Set("Retry-After", "240")
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	sum := s.run()
	if sum.Records != 5 || sum.New != 2 || sum.Failed != 1 || sum.NoText != 1 {
		t.Errorf("%+v, want 2 new, 1 failed and 1 without text of 5; told %q", sum, s.told)
	}
	s.wantDocuments("oai:repo:123456789/", "1", "2!/thesis č.txt", "2!/thesis č.txt~2")
	s.wantTold("the server answered 401")
	d := s.documents()[0]
	if d.Title != "Název <i>" || d.Author != "Dvořák, Eva" || d.Year != 2018 || d.Address != s.URL+"/handle/123456789/1" || d.Said.Labels["publisher"] != "Univerzita" || d.Said.Labels["language"] != "cs" || d.Said.Labels["level"] != "Master" {
		t.Errorf("of the first document is known %+v", d)
	}
	s.list = func(url.Values, string) (string, int) { return noMatch, http.StatusOK }
	if sum := s.run(); sum.Records != 0 || sum.Removed != 0 {
		t.Errorf("without changes: %+v", sum)
	}
	s.odd = func(w http.ResponseWriter, verb, _ string) bool {
		if verb == "ListRecords" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!DOCTYPE html><html><body>Service in maintenance</body></html>")
		}
		return verb == "ListRecords"
	}
	if _, err := Run(t.Context(), s.opts); err == nil || !strings.Contains(err.Error(), "web page") {
		t.Errorf("a page instead of a list: %v", err)
	}
	s.wantDocuments("oai:repo:123456789/", "1", "2!/thesis č.txt", "2!/thesis č.txt~2")
}

// TestEPrints: Dublin Core as EPrints 3.4 writes it: an identifier is a citation, a relation is a work at a
// publisher, and tokens are escaped twice.
func TestEPrints(t *testing.T) {
	s := newSystem(t, "/cgi/oai2", `<adminEmail>a@example.org</adminEmail><earliestDatestamp>2010-01-01T00:00:00Z</earliestDatestamp>
<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>`, "didl", "oai_dc", "rdf", "uketd_dc")
	publisher := newServer(t)
	publisher.files["/article.pdf"] = words(99, 0)
	article := strings.Replace(publisher.URL, "127.0.0.1", "localhost", 1) + "/article.pdf"
	const token = "metadataPrefix%3Doai_dc%26offset%3D3%26set%3Dtypes%253Dthesis"
	work := func(n int, file string) string {
		abstract := fmt.Sprintf("%s/%d/", s.URL, n)
		pairs := []string{"relation", abstract, "title", fmt.Sprintf("Work %d", n), "creator", "Doe, Jane", "date", "2012-03", "type", "Thesis", "type", "NonPeerReviewed"}
		if file != "" {
			pairs = append(pairs, "format", "text", "language", "en", "identifier", abstract+file)
		}
		return dc(append(pairs, "identifier", fmt.Sprintf("Doe, Jane (2012) Work %d. Masters thesis, see http://example.org/a.pdf", n), "relation", article, "relation", "10.1234/"+fmt.Sprint(n))...)
	}
	s.list = func(q url.Values, given string) (string, int) {
		switch given {
		case "":
			return "<ListRecords>" + item("oai:e.example.org:1", "2012-01-01T00:00:00Z", "types=thesis", work(1, "1/my%20thesis.txt")) + item("oai:e.example.org:2", "2012-01-01T00:00:00Z", "types=thesis", "") +
				`<resumptionToken cursor="0" expirationDate="` + s.clock.Now().Add(24*time.Hour).UTC().Format(time.RFC3339) + `">` + token + "</resumptionToken></ListRecords>", http.StatusOK
		case token:
			return "<ListRecords>" + item("oai:e.example.org:3", "2012-01-01T00:00:00Z", "types=thesis", work(3, "")) + item("oai:e.example.org:4", "2012-01-01T00:00:00Z", "types=thesis", work(4, "1/four.txt")) + "</ListRecords>", http.StatusOK
		}
		return `<error code="badResumptionToken">The value of the resumptionToken argument is invalid or expired.</error>`, http.StatusOK
	}
	s.files["/1/1/my thesis.txt"], s.files["/4/1/four.txt"], s.files["/3/"] = words(1, 0), words(4, 0), "<html><body>Full text not available</body></html>"
	if sum := s.run(); sum.Records != 4 || sum.New != 2 || sum.NoText != 1 || sum.Failed != 0 {
		t.Errorf("%+v, want 2 new and 1 without text of 4; told %q", sum, s.told)
	}
	s.wantDocuments("oai:e.example.org:", "1", "4")
	if len(publisher.requests) > 0 {
		t.Errorf("a work that a relation names was fetched: %q", publisher.requests)
	}
	if d := s.documents()[0]; d.Title != "Work 1" || d.Year != 2012 || d.Address != s.URL+"/1/" {
		t.Errorf("of the first document is known %+v", d)
	}
}

// TestZenodo: Invenio as Zenodo runs it. It forgets a list after two minutes, which the texts of a page
// exceed; errors have the status 422; the DOI of a record may be a publisher's, and relations are other
// works. The list is read once.
func TestZenodo(t *testing.T) {
	for name, stated := range map[string]bool{"expiry is stated": true, "expiry is not stated": false} {
		t.Run(name, func(t *testing.T) { testZenodo(t, stated) })
	}
}

func testZenodo(t *testing.T, stated bool) {
	s := newSystem(t, "/oai2d", `<adminEmail>a@example.org</adminEmail><earliestDatestamp>2014-02-03T14:41:33Z</earliestDatestamp>
<deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>`, "oai_dc", "oai_datacite", "marcxml")
	const pages, perPage = 6, 3
	issued := map[string]time.Time{}
	s.list = func(q url.Values, token string) (string, int) {
		at := 0
		if token != "" {
			if s.clock.Now().Sub(issued[token]) > 2*time.Minute {
				return `<error code="badResumptionToken">The value of the resumptionToken argument is invalid or expired.</error>`, http.StatusUnprocessableEntity
			}
			_, _ = fmt.Sscanf(token, ".eJx_%d.", &at)
		}
		if q.Get("from") != "" {
			return `<error code="noRecordsMatch"/>`, http.StatusUnprocessableEntity
		}
		var b strings.Builder
		b.WriteString("<ListRecords>")
		for n := at * perPage; n < (at+1)*perPage; n++ {
			b.WriteString(item(fmt.Sprintf("oai:zenodo.org:%d", 100+n), "2024-01-01T00:00:00Z", "user-theses", dc("creator", "Doe, Jane", "date", "2024-01-01", "description", "&lt;p&gt;An abstract&lt;/p&gt;",
				"identifier", fmt.Sprintf("https://doi.org/10.1016/j.x.%d", n), "identifier", fmt.Sprintf("oai:zenodo.org:%d", 100+n), "relation", "https://arxiv.org/pdf/0000.0000.pdf",
				"relation", s.URL+"/communities/theses", "relation", "https://doi.org/10.5281/zenodo.99", "rights", "info:eu-repo/semantics/openAccess", "title", fmt.Sprintf("Record %d", n), "type", "info:eu-repo/semantics/other")))
		}
		if at+1 < pages {
			next := fmt.Sprintf(".eJx_%d.Zx-%d.aB_c", at+1, len(s.asked))
			issued[next] = s.clock.Now()
			expiry := ""
			if stated {
				expiry = ` expirationDate="` + s.clock.Now().Add(2*time.Minute).UTC().Format("2006-01-02T15:04:05Z") + `"`
			}
			fmt.Fprintf(&b, `<resumptionToken%s cursor="%d" completeListSize="%d">%s</resumptionToken>`, expiry, at*perPage, pages*perPage, next)
		} else {
			fmt.Fprintf(&b, `<resumptionToken cursor="%d" completeListSize="%d"/>`, at*perPage, pages*perPage)
		}
		return b.String() + "</ListRecords>", http.StatusOK
	}
	s.page = func(w http.ResponseWriter, r *http.Request) bool {
		_ = s.clock.Sleep(r.Context(), time.Minute)
		if id, ok := strings.CutPrefix(r.URL.Path, "/records/"); ok && !strings.Contains(id, "/") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!DOCTYPE html><html><head><meta name="citation_pdf_url" content="%s/records/%s/files/thesis.pdf"/></head></html>`, s.URL, id)
			return true
		}
		return false
	}
	for n := range pages * perPage {
		s.files[fmt.Sprintf("/records/%d/files/thesis.pdf", 100+n)] = words(n, 0)
	}
	if sum := s.run(); sum.New != pages*perPage || sum.Failed != 0 {
		t.Errorf("%+v, want %d new; told %q", sum, pages*perPage, s.told)
	}
	if lost := map[bool]int{true: 0, false: 2}[stated]; len(s.asked) > pages+lost {
		t.Errorf("the list of %d pages took %d requests: %q", pages, len(s.asked), s.asked)
	}
	s.wantTold("reading it before the texts")
	if d := s.documents()[0]; d.Name() != "oai:zenodo.org:100" || d.Address != "https://doi.org/10.1016/j.x.0" || d.Title != "Record 0" {
		t.Errorf("of the first document is known %+v", d)
	}
	if s.bench.asked["/communities/theses"] > 0 {
		t.Error("the page of a community was requested")
	}
	if sum := s.run(); sum.Records != 0 || sum.Removed != 0 {
		t.Errorf("without changes: %+v", sum)
	}
}

// TestAheadLimit: of a list that is read ahead, a run with a limit reads no more than it needs, and the
// next run continues.
func TestAheadLimit(t *testing.T) {
	s := newSystem(t, "/oai2d", `<deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>`, "oai_dc")
	s.list = func(q url.Values, token string) (string, int) {
		at := 0
		_, _ = fmt.Sscanf(token, "t%d", &at)
		s.files[fmt.Sprintf("/f/%d.txt", at)] = words(at, 0)
		return "<ListRecords>" + item(fmt.Sprintf("oai:x:%d", at), "2024-01-01T00:00:00Z", "a", dc("title", "T", "identifier", fmt.Sprintf("%s/f/%d.txt", s.URL, at))) +
			fmt.Sprintf(`<resumptionToken expirationDate="%s">t%d</resumptionToken></ListRecords>`, s.stamp(), at+1), http.StatusOK
	}
	s.opts.Limit = 3
	for _, want := range []int{3, 6} {
		s.run()
		if n := len(s.documents()); n != want || len(s.asked) > want+1 {
			t.Errorf("%d documents after %d requests, want %d", n, len(s.asked), want)
		}
	}
}

// TestOJS: several journals behind one address of OJS, whose sets are journals. The page of an article names
// its file; a list is forgotten; an article has been withdrawn.
func TestOJS(t *testing.T) {
	s := newSystem(t, "/index.php/index/oai", `<adminEmail>a@example.org</adminEmail><earliestDatestamp>2001-01-01T00:00:00Z</earliestDatestamp>
<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>`, "oai_dc", "oai_marc", "marcxml", "rfc1807")
	s.opts.Sets = []string{"law"}
	article := func(n int) string {
		at := fmt.Sprintf("%s/index.php/law/article/view/%d", s.URL, n)
		return dc("title", fmt.Sprintf("Article %d", n), "title", "Artikel", "creator", "Doe, Jane; A University", "publisher", "A Press", "date", "2010-11-05", "type", "info:eu-repo/semantics/article", "type", "Articles",
			"format", "text/plain", "identifier", at, "identifier", "10.1234/law.v1i1."+fmt.Sprint(n), "source", "Journal of Law; Vol. 1 No. 1 (2010)", "source", "1234-5678", "language", "eng", "relation", at+"/98")
	}
	lost := false
	s.list = func(q url.Values, token string) (string, int) {
		if token == "" && q.Get("set") != "law" {
			return `<error code="noSetHierarchy">This repository does not support sets</error>`, http.StatusOK
		}
		switch {
		case q.Get("from") != "":
			return noMatch, http.StatusOK
		case token == "":
			return "<ListRecords>" + item("oai:ojs.h:article/1", "2010-11-06T00:00:00Z", "law:ART", article(1)) + item("oai:ojs.h:article/2", "2010-11-06T00:00:00Z", "law:ART", "") +
				"<resumptionToken expirationDate=\"" + s.clock.Now().Add(24*time.Hour).UTC().Format("2006-01-02T15:04:05Z") + "\"\n\t\t\tcompleteListSize=\"3\"\n\t\t\tcursor=\"0\">9f3c0a5b7e</resumptionToken></ListRecords>", http.StatusOK
		case !lost:
			lost = true
			return `<error code="badResumptionToken">The requested resumptionToken is invalid or has expired</error>`, http.StatusOK
		}
		return "<ListRecords>" + item("oai:ojs.h:article/3", "2010-11-06T00:00:00Z", "law:ART", article(3)) + "<resumptionToken completeListSize=\"3\" cursor=\"2\" /></ListRecords>", http.StatusOK
	}
	for _, n := range []int{1, 3} {
		s.files[fmt.Sprintf("/index.php/law/article/view/%d", n)] = fmt.Sprintf(`<html><head><meta name="citation_pdf_url" content="%s/index.php/law/article/download/%d/98"/></head><body></body></html>`, s.URL, n)
		s.files[fmt.Sprintf("/index.php/law/article/download/%d/98", n)] = words(n, 0)
	}
	if sum := s.run(); sum.New != 2 || sum.Failed != 0 {
		t.Errorf("%+v, want 2 new; told %q", sum, s.told)
	}
	s.wantTold("starting the list again")
	s.wantDocuments("oai:ojs.h:article/", "1", "3")
	if d := s.documents()[0]; d.Title != "Article 1" || d.Year != 2010 || d.Address != s.URL+"/index.php/law/article/view/1" {
		t.Errorf("of the first document is known %+v", d)
	}
	if sum := s.run(); sum.Records != 0 || sum.Removed != 0 {
		t.Errorf("without changes: %+v", sum)
	}
}
