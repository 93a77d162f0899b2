package harvest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

// A bench is a harvest with its index and its events.
type bench struct {
	*oaiServer
	t     *testing.T
	index string
	opts  Options
	told  []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{oaiServer: newServer(t), t: t, index: filepath.Join(t.TempDir(), "index")}
	u, err := url.Parse(b.URL)
	if err != nil {
		t.Fatal(err)
	}
	client, err := fetch.New(fetch.Options{UserAgent: "otisk-test/1", Allow: []string{u.Host}, Delay: -1, Retries: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	norms, err := normalize.NewSet(normalize.Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.opts = Options{
		URL: b.URL + "/oai", State: filepath.Join(t.TempDir(), "state"), Client: client,
		Target:  &Index{Where: b.index, Opts: indexer.Options{N: 3, Norms: norms}, Open: func(context.Context) (store.Store, error) { return b.open() }},
		OnEvent: func(e Event) { b.told = append(b.told, e.Record+": "+cmp.Or(e.Err, e.Note).Error()) },
	}
	return b
}

func (b *bench) open() (store.Store, error) {
	return segment.Create(b.index, store.Settings{KeepTexts: true}, segment.Options{})
}

// run harvests; an error fails the test.
func (b *bench) run() Summary {
	b.t.Helper()
	b.told = nil
	sum, err := Run(b.t.Context(), b.opts)
	if err != nil {
		b.t.Fatalf("Run = %v; told %q", err, b.told)
	}
	return sum
}

// documents returns the documents of the index, by number of the thesis.
func (b *bench) documents() (list []store.Document) {
	b.t.Helper()
	s, err := b.open()
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	err = s.Documents(b.t.Context(), "", func(d store.Document) error {
		list = append(list, d)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

func (b *bench) want(names ...string) {
	b.t.Helper()
	var got []string
	for _, d := range b.documents() {
		got = append(got, strings.TrimPrefix(d.Name(), "oai:repo.example.org:"))
	}
	slices.Sort(names)
	if !slices.Equal(got, names) {
		b.t.Errorf("the index has %q, want %q; told %q", got, names, b.told)
	}
}

func (b *bench) wantTold(part string) {
	b.t.Helper()
	if !slices.ContainsFunc(b.told, func(s string) bool { return strings.Contains(s, part) }) {
		b.t.Errorf("%q was not told: %q", part, b.told)
	}
}

// TestHarvest: the first run gets all documents with their metadata; the next ones get new,
// changed and deleted ones, by both kinds of dates.
func TestHarvest(t *testing.T) {
	for _, seconds := range []bool{true, false} {
		b := newBench(t)
		b.seconds = seconds
		for n := 1; n <= 8; n++ {
			b.add(n, nil)
		}
		if sum := b.run(); sum.New != 8 || sum.Documents != 8 || sum.Records != 8 {
			t.Errorf("first run: %+v, want 8 new", sum)
		}
		b.want("1", "2", "3", "4", "5", "6", "7", "8")
		d := b.documents()[0]
		if d.Title != "Thesis & number 1" || d.Author != "Nováková, Jana" || d.Year != 2019 || d.Address != b.URL+"/handle/1" || d.Said.Labels["type"] != "masterThesis" {
			t.Errorf("of the first document is known %+v", d)
		}
		b.now = day(40)
		b.requests = nil
		if sum := b.run(); sum.Documents != 0 || sum.Removed != 0 {
			t.Errorf("a run after nothing changed: %+v", sum)
		}
		for _, r := range b.requests {
			if strings.Contains(r, "bitstream") {
				t.Errorf("what has not changed is fetched again: %s", r)
			}
		}
		b.now = day(60)
		b.add(9, func(r *thesis) { r.stamp = day(45) })
		b.add(3, func(r *thesis) { r.stamp, r.title = day(46), "Another title" })
		b.add(4, func(r *thesis) { r.stamp, r.deleted = day(47), true })
		b.files["/bitstream/5/thesis.txt"] = words(5, 1)
		b.records[slices.IndexFunc(b.records, func(r thesis) bool { return strings.HasSuffix(r.ident, ":5") })].stamp = day(48)
		if sum := b.run(); sum.New != 1 || sum.Changed != 2 || sum.Deleted != 1 || sum.Removed != 1 || sum.Documents != 3 {
			t.Errorf("run after changes: %+v, want 1 new, 2 changed, 1 deleted; requests %q", sum, b.requests)
		}
		b.want("1", "2", "3", "5", "6", "7", "8", "9")
		if d := b.documents()[2]; d.Title != "Another title" {
			t.Errorf("the title is %q, want the new one", d.Title)
		}
	}
}

// TestSaid: metadata set by users is kept when a document changes.
func TestSaid(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.run()
	s, err := b.open()
	if err != nil {
		t.Fatal(err)
	}
	d := b.documentsOf(s)[0]
	says := d.Said
	_ = says.Set("title", "What a person said")
	_ = says.Set("faculty", "law")
	if err := indexer.Describe(t.Context(), s, d, says); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	b.add(1, func(r *thesis) { r.stamp = day(29) })
	b.files["/bitstream/1/thesis.txt"] = words(1, 1)
	b.run()
	if d := b.documents()[0]; d.Said.Title != "What a person said" || d.Said.Labels["faculty"] != "law" || d.Said.Labels["type"] != "masterThesis" {
		t.Errorf("what was said is %+v now", d.Said)
	}
}

func (b *bench) documentsOf(r store.Reader) (list []store.Document) {
	b.t.Helper()
	if err := r.Documents(b.t.Context(), "", func(d store.Document) error { list = append(list, d); return nil }); err != nil {
		b.t.Fatal(err)
	}
	return list
}

// TestExpired: an expired token starts the list over, and nothing is doubled or
// fetched twice.
func TestExpired(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 20; n++ {
		b.add(n, nil)
	}
	b.expire[3], b.expire[9] = true, true
	if sum := b.run(); sum.New != 20 {
		t.Errorf("%+v, want 20 new", sum)
	}
	b.wantTold("starting the list again")
	if n := len(b.documents()); n != 20 {
		t.Errorf("%d documents, want 20", n)
	}
	for path, times := range b.asked {
		if times != 1 && strings.HasPrefix(path, "/bitstream") {
			t.Errorf("%s was fetched %d times", path, times)
		}
	}
}

// TestAlwaysExpired: a repository that forgets each list at once is given up.
func TestAlwaysExpired(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 9; n++ {
		b.add(n, nil)
	}
	for i := range 100 {
		b.expire[i] = true
	}
	if _, err := Run(t.Context(), b.opts); !isFault(err, "badResumptionToken") {
		t.Errorf("Run = %v, want what the repository answers", err)
	}
	b.want("1", "2", "3")
}

// TestEndless: an endless list stops the harvest, and its documents are kept.
func TestEndless(t *testing.T) {
	for name, token := range map[string]func(i int) string{
		"the same token again": func(int) string { return "0|oai_dc|||" },
		"another token":        func(i int) string { return fmt.Sprintf("0|oai_dc|||%d", i) },
	} {
		b := newBench(t)
		b.add(1, nil)
		i := 0
		b.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("verb") != "ListRecords" {
				return false
			}
			i++
			fmt.Fprintf(w, "%s<ListRecords>%s<resumptionToken>%s</resumptionToken></ListRecords></OAI-PMH>", b.head(), b.record(b.records[0]), token(i))
			return true
		}
		if _, err := Run(t.Context(), b.opts); !errors.Is(err, ErrEndless) {
			t.Errorf("%s: Run = %v, want %v", name, err, ErrEndless)
		}
		b.want("1")
	}
}

// TestBroken: records with invalid UTF-8, characters that XML does not allow, and undeclared
// entities are read, with a note.
func TestBroken(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 4; n++ {
		b.add(n, nil)
	}
	b.change = func(body []byte) []byte {
		body = bytes.ReplaceAll(body, []byte("Thesis &amp; number"), []byte("Th\xe8se \x01 &#x0; &nbsp; AT&T &#11; \xed\xa0\x80 number"))
		return bytes.ReplaceAll(body, []byte("Nováková"), []byte("Nov\xe1kov\xe1"))
	}
	if sum := b.run(); sum.New != 4 {
		t.Errorf("%+v, want 4 new", sum)
	}
	b.wantTold("characters that XML forbids were replaced")
	if d := b.documents()[0]; !strings.Contains(d.Title, "AT&T") || !strings.HasSuffix(d.Title, "number 1") || !strings.HasPrefix(d.Author, "Nov") {
		t.Errorf("title %q, author %q", d.Title, d.Author)
	}
}

// TestOtherEncoding: a repository that declares another encoding, and means it.
func TestOtherEncoding(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.change = func(body []byte) []byte {
		body = bytes.Replace(body, []byte(`encoding="UTF-8"`), []byte(`encoding="windows-1250"`), 1)
		return bytes.ReplaceAll(body, []byte("Nováková"), []byte("Nov\xe1kov\xe1"))
	}
	b.run()
	if d := b.documents()[0]; d.Author != "Nováková, Jana" {
		t.Errorf("author %q, want Nováková, Jana", d.Author)
	}
}

// TestHostile: answers that are made to harm end the harvest with a reason.
func TestHostile(t *testing.T) {
	bomb := `<!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>`
	for name, tt := range map[string]struct {
		body func(b *bench) string
		want string
	}{
		"a web page":     {func(*bench) string { return "<!DOCTYPE html><html><body>Log in</body></html>" }, "it is a web page"},
		"nothing":        {func(*bench) string { return "" }, "broken XML"},
		"cut off":        {func(b *bench) string { return b.head() + "<ListRecords>" + b.record(b.records[0])[:300] }, "broken XML"},
		"deep":           {func(b *bench) string { return b.head() + strings.Repeat("<a>", need.Rounds(200_000)) }, "in each other"},
		"a gigabyte":     {func(b *bench) string { return b.head() + strings.Repeat("x", 1<<20) }, "too large"},
		"no list":        {func(b *bench) string { return b.head() + "</OAI-PMH>" }, "it has no <ListRecords>"},
		"another root":   {func(*bench) string { return "<rss></rss>" }, "it is <rss>"},
		"a bad argument": {func(b *bench) string { return b.head() + `<error code="badArgument">no</error></OAI-PMH>` }, "badArgument: no"},
		"many comments":  {func(b *bench) string { return b.head() + strings.Repeat("x<!---->", need.Rounds(100_000)) }, "broken XML"},
		"a bomb": {func(b *bench) string {
			return `<?xml version="1.0"?>` + bomb + strings.SplitN(b.head(), "?>", 2)[1] + "<ListRecords>" + strings.Replace(b.record(b.records[0]), "number", "&c;", 1) + "</ListRecords></OAI-PMH>"
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.opts.MaxPage = 1 << 20
			b.add(1, nil)
			b.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Get("verb") == "ListRecords" {
					fmt.Fprint(w, tt.body(b))
					return true
				}
				return false
			}
			start := time.Now()
			_, err := Run(t.Context(), b.opts)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Run = %v, want %q", err, tt.want)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it takes %v", took)
			}
			if tt.want == "" {
				b.want("1")
			}
		})
	}
}

// TestGigabyte: an answer of a gigabyte is refused long before it ends; and so is
// one that unpacks to more than it may have.
func TestGigabyte(t *testing.T) {
	zeros := make([]byte, 1<<20)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 40 {
		_, _ = z.Write(zeros)
	}
	z.Close()
	sent := 0
	for name, answer := range map[string]func(http.ResponseWriter){
		"packed": func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		},
		"plain": func(w http.ResponseWriter) {
			for sent = 0; sent < 1024; sent++ {
				if _, err := w.Write(zeros); err != nil {
					return
				}
			}
		},
	} {
		b := newBench(t)
		b.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			answer(w)
			return true
		}
		if _, err := Run(t.Context(), b.opts); !errors.Is(err, fetch.ErrTooLarge) {
			t.Errorf("%s: Run = %v, want %v", name, err, fetch.ErrTooLarge)
		}
		b.Close() // and so the answer has ended
	}
	if sent > 200 {
		t.Errorf("%d MB were sent of what is refused", sent)
	}
}

// TestOwnNetwork: a record, a redirect and a page that lead into the own network
// are refused, and the other records harvested.
func TestOwnNetwork(t *testing.T) {
	b := newBench(t)
	inner := newServer(t) // not allowed: it has another port
	inner.files["/secret.txt"] = words(1, 1)
	b.add(1, func(r *thesis) { r.links = []string{inner.URL + "/secret.txt"} })
	b.add(2, func(r *thesis) { r.links = []string{b.URL + "/redirect.txt"} })
	b.add(3, func(r *thesis) { r.links = []string{b.URL + "/page"} })
	b.add(4, nil)
	b.files["/page"] = `<html><meta name="citation_pdf_url" content="` + inner.URL + `/secret.txt"></html>`
	b.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/redirect.txt" {
			http.Redirect(w, r, inner.URL+"/secret.txt", http.StatusFound)
		}
		return r.URL.Path == "/redirect.txt"
	}
	if sum := b.run(); sum.Failed != 3 || sum.New != 1 {
		t.Errorf("%+v, want 3 failed and 1 new", sum)
	}
	b.want("4")
	b.wantTold("refused: the address is in your own network")
	if len(inner.requests) > 0 {
		t.Errorf("the own network was asked: %q", inner.requests)
	}
}

// TestLanding: full texts that only the page of a work names, or that its address
// leads to; and records without any.
func TestLanding(t *testing.T) {
	b := newBench(t)
	link := func(path string) func(*thesis) { return func(r *thesis) { r.links = []string{b.URL + path} } }
	b.add(1, link("/meta"))
	b.files["/meta"] = `<html><head><meta name="Citation_PDF_URL" content="/bitstream/1/thesis.txt"/></head></html>`
	b.add(2, link("/link"))
	b.files["/link"] = `<html><head><link rel="alternate" type="application/pdf" href="bitstream/2/thesis.txt"></head></html>`
	b.add(3, link("/direct"))
	b.files["/direct"] = words(3, 0)
	b.add(4, link("/nothing"))
	b.files["/nothing"] = "<html><body>only an abstract</body></html>"
	b.add(5, func(r *thesis) { r.links = []string{"urn:nbn:cz:1"} })
	b.add(6, link("/bitstream/6/login.pdf"))
	b.files["/bitstream/6/login.pdf"] = "<html><body>Please log in</body></html>"
	if sum := b.run(); sum.New != 3 || sum.NoText != 2 || sum.Failed != 1 {
		t.Errorf("%+v, want 3 new, 2 without text, 1 failed", sum)
	}
	b.want("1", "2", "3")
	b.wantTold("a web page where a file was named")
}

// TestFormats: XOAI and METS name the files, and only those of the work count.
func TestFormats(t *testing.T) {
	b := newBench(t)
	b.formats = []string{"oai_dc", "xoai"}
	b.files["/b/1"], b.files["/b/2"], b.files["/b/3"] = words(1, 1), words(1, 2), words(1, 3)
	field := func(name, value string) string { return fmt.Sprintf("<field name=%q>%s</field>", name, value) }
	in := func(name, inner string) string { return fmt.Sprintf("<element name=%q>%s</element>", name, inner) }
	stream := func(path string) string { return in("bitstream", field("name", "x.txt")+field("url", b.URL+path)) }
	b.add(1, func(r *thesis) {
		r.raw = `<metadata xmlns="http://www.lyncode.com/xoai">` + in("dc",
			in("title", in("cs", field("value", "Název")))+in("contributor", in("author", in("none", field("value", "Novák, Jan")))+in("advisor", in("none", field("value", "Někdo Jiný"))))+
				in("date", in("accessioned", in("none", field("value", "2010-01-01")))+in("issued", in("none", field("value", "2015"))))+
				in("identifier", in("uri", in("none", field("value", "http://hdl.handle.net/1"))))) +
			in("bundles", in("bundle", field("name", "TEXT")+in("bitstreams", stream("/b/3")))+in("bundle", field("name", "ORIGINAL")+in("bitstreams", stream("/b/1")+stream("/b/2")))) + `</metadata>`
	})
	b.run()
	b.want("1!/1.txt", "1!/2.txt")
	d := b.documents()[0]
	if d.Title != "Název" || d.Author != "Novák, Jan" || d.Year != 2015 || d.Address != "http://hdl.handle.net/1" {
		t.Errorf("XOAI says %+v", d)
	}
	b = newBench(t)
	b.formats, b.opts.Format = []string{"mets"}, "mets"
	b.files["/b/1"], b.files["/b/3"] = words(1, 1), words(1, 3)
	b.add(1, func(r *thesis) {
		r.raw = `<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"><dmdSec><mods><titleInfo><title>A title</title></titleInfo>
<name><role><roleTerm>author</roleTerm></role><namePart>Jane Doe</namePart></name><name><role><roleTerm>advisor</roleTerm></role><namePart>No One</namePart></name>
<originInfo><dateIssued>2016-02</dateIssued></originInfo></mods></dmdSec><fileSec><fileGrp USE="TEXT"><file><FLocat xlink:href="` + b.URL + `/b/3"/></file></fileGrp>
<fileGrp USE="ORIGINAL"><file><FLocat xlink:href="` + b.URL + `/b/1"/></file></fileGrp></fileSec></mets>`
	})
	b.run()
	b.want("1")
	if d := b.documents()[0]; d.Title != "A title" || d.Author != "Jane Doe" || d.Year != 2016 {
		t.Errorf("METS says %+v", d)
	}
}

// TestETDMS: what theses repositories say besides.
func TestETDMS(t *testing.T) {
	b := newBench(t)
	b.formats, b.opts.Format = []string{"etdms"}, "etdms"
	b.add(1, func(r *thesis) {
		r.raw = `<thesis xmlns="http://www.ndltd.org/standards/metadata/etdms/1.0/"><title>Thesis</title><creator>A</creator><creator>B</creator><date>2011-06-01</date>
<identifier>` + b.URL + `/bitstream/1/thesis.txt</identifier><degree><name>PhD</name><level>Doctoral</level><grantor>A University</grantor></degree></thesis>`
	})
	b.run()
	if d := b.documents()[0]; d.Author != "A; B" || d.Year != 2011 || d.Said.Labels["level"] != "Doctoral" || d.Said.Labels["grantor"] != "A University" {
		t.Errorf("ETDMS says %+v", d)
	}
}

// TestFailedText: a text that could not be fetched is retried although its record has not
// changed, and the previous one is kept until then.
func TestFailedText(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.add(2, nil)
	b.run()
	down := true
	b.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if down && strings.HasPrefix(r.URL.Path, "/bitstream/") {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
		return false
	}
	b.add(2, func(r *thesis) { r.stamp, r.title = day(29), "changed" })
	b.add(3, func(r *thesis) { r.stamp = day(29) })
	if sum := b.run(); sum.Failed != 2 {
		t.Errorf("%+v, want 2 failed", sum)
	}
	b.want("1", "2")
	down, b.now = false, day(200)
	b.run()
	b.now = day(300)
	if sum := b.run(); sum.Failed != 0 {
		t.Errorf("%+v, want none failed", sum)
	}
	b.want("1", "2", "3")
	if d := b.documents()[1]; d.Title != "changed" {
		t.Errorf("title %q, want the new one", d.Title)
	}
}

// A leapingClock advances at once when Sleep is called.
type leapingClock struct {
	mu   sync.Mutex
	gone time.Duration
}

func (c *leapingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.gone)
}

func (c *leapingClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone += max(d, 0)
	return ctx.Err()
}

// TestBusy: 503 with Retry-After is waited for, for longer than for a full text where it is
// the repository that asks for it.
func TestBusy(t *testing.T) {
	b, clock := newBench(t), new(leapingClock)
	b.opts.Clock = clock
	client, err := fetch.New(fetch.Options{UserAgent: "otisk-test/1", Allow: []string{"127.0.0.1"}, Delay: -1, Retries: 3, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	b.opts.Client = client
	b.add(1, nil)
	busy := 0
	b.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if busy++; busy%2 == 1 {
			w.Header().Set("Retry-After", map[bool]string{true: "300", false: "20"}[r.URL.Path == "/oai"])
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	}
	b.run()
	b.want("1")
	if clock.gone < 15*time.Minute {
		t.Errorf("only %v were waited", clock.gone)
	}
}

// TestSalvage: a record that is broken XML does not affect the others of its page. It is reported,
// requested again by itself, and never treated as deleted.
func TestSalvage(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 8; n++ {
		b.add(n, nil)
	}
	b.run()
	spoil := func(body []byte) []byte {
		body = bytes.ReplaceAll(body, []byte("number 2<"), []byte("number 2, p < 0.05 & so on<"))
		return bytes.ReplaceAll(body, []byte("number 5<"), []byte("number <5<<![CDATA["))
	}
	b.change = spoil
	b.opts.Full = true
	if sum := b.run(); sum.Records != 8 || sum.Failed != 1 || sum.Changed != 1 || sum.Removed != 0 {
		t.Errorf("%+v, want 1 failed and 1 changed of 8", sum)
	}
	b.wantTold("oai:repo.example.org:5: a record that is broken XML")
	b.want("1", "2", "3", "4", "5", "6", "7", "8")
	if d := b.documents()[1]; d.Title != "Thesis & number 2, p < 0.05 & so on" {
		t.Errorf("title %q", d.Title)
	}
	b.opts.Full, b.now = false, day(40)
	if sum := b.run(); sum.Removed != 0 {
		t.Errorf("still broken: %+v", sum)
	}
	b.wantTold("oai:repo.example.org:5: ")
	b.change = func(body []byte) []byte { return bytes.ReplaceAll(body, []byte("number 5<"), []byte("number five<")) }
	b.run()
	if d := b.documents()[4]; d.Title != "Thesis & number five" {
		t.Errorf("mended: title %q", d.Title)
	}
}

// TestSalvagedPage: if a page is not well-formed XML, its records are found one by one, including MARC
// records whose element has the same name. A record without an identifier prevents the removal of
// documents that are not listed.
func TestSalvagedPage(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 5; n++ {
		b.add(n, nil)
	}
	b.run()
	page := func(inner, end string) []byte {
		return []byte(b.head() + "<ListRecords>" + inner + end)
	}
	marc := `<oai:record x="1"><oai:header><oai:identifier>a&amp;b</oai:identifier><oai:datestamp>2024-01-01</oai:datestamp></oai:header><oai:metadata><record xmlns="http://www.loc.gov/MARC21/slim"><leader>1</leader></record></oai:metadata></oai:record>`
	bad := `<record><header><identifier>bad</identifier></header><metadata><x <y></metadata></record>`
	nameless := `<record><header><ident <y></header></record>`
	for _, tt := range []struct{ inner, end, want string }{
		{marc + bad + marc, "<resumptionToken cursor='0'>a&amp;b</resumptionToken></ListRecords></OAI-PMH>", `2 records, broken ["bad"], token "a&b"`},
		{bad + marc, "</ListRecords></OAI-PMH>", `1 records, broken ["bad"], token ""`},
		{marc + bad, "<resumptionToken/></ListRecords>", `1 records, broken ["bad"], token ""`},
		{marc + nameless, "</ListRecords>", `1 records, broken [""], token ""`},
		{marc + bad, "", "nothing"},
		{marc + marc[:150], "", "nothing"},
		{"<x <y>", "</ListRecords>", "nothing"},
	} {
		got := "nothing"
		if p, err := parsePage(t.Context(), page(tt.inner, tt.end)); err == nil {
			t.Errorf("%s: no error", tt.inner)
		} else if p != nil {
			got = fmt.Sprintf("%d records, broken %q, token %q", len(p.records), p.broken, p.token)
			if p.records[0].ident != "a&b" || p.records[0].metadata.name != "record" || p.Date != b.now.Format(time.RFC3339) {
				t.Errorf("%s: %+v", tt.inner, p)
			}
		}
		if got != tt.want {
			t.Errorf("%s%s: %s, want %s", tt.inner, tt.end, got, tt.want)
		}
	}
	b.opts.Full = true
	b.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("verb") == "ListRecords" {
			_, _ = w.Write(page(b.record(b.records[0])+b.record(b.records[1])+b.record(b.records[2])+nameless, "</ListRecords></OAI-PMH>"))
			return true
		}
		return false
	}
	if sum := b.run(); sum.Removed != 0 || sum.Failed != 1 {
		t.Errorf("%+v, want nothing removed", sum)
	}
	b.wantTold("2 known records are not in the list; they are kept")
}

// TestTokenAsError: servers that have forgotten a token, and do not say so as the protocol does; of this run
// or of one before.
func TestTokenAsError(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter){
		"400":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) },
		"500":      func(w http.ResponseWriter) { http.Error(w, "<html>java.lang.NullPointerException</html>", 500) },
		"a page":   func(w http.ResponseWriter) { fmt.Fprint(w, "<html><body>Your session has ended") },
		"badThing": func(w http.ResponseWriter) { fmt.Fprint(w, `<OAI-PMH><error code="badArgument">?</error></OAI-PMH>`) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for n := 1; n <= 9; n++ {
				b.add(n, nil)
			}
			b.opts.Limit = 3
			b.run()
			b.opts.Limit = 0
			times := 0
			b.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Get("resumptionToken") == "" {
					return false
				}
				if times++; times == 1 || times == 3 {
					answer(w)
					return true
				}
				return false
			}
			b.run()
			b.wantTold("starting the list again")
			b.want("1", "2", "3", "4", "5", "6", "7", "8", "9")
		})
	}
}

// TestShortList: a list that is shorter than it states is reported, and nothing is treated as deleted.
func TestShortList(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 9; n++ {
		b.add(n, nil)
	}
	b.run()
	b.opts.Full = true
	b.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("resumptionToken") == "" || !strings.HasPrefix(r.URL.Query().Get("resumptionToken"), "6|") {
			return false
		}
		fmt.Fprint(w, b.head()+`<error code="noRecordsMatch">none</error></OAI-PMH>`)
		return true
	}
	if sum := b.run(); sum.Removed != 0 {
		t.Errorf("%+v", sum)
	}
	b.wantTold("the list ended after 6 of 9 records")
	b.want("1", "2", "3", "4", "5", "6", "7", "8", "9")
}

// TestPassword: the credentials of a repository are in no file and no message.
func TestPassword(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.opts.URL = strings.Replace(b.opts.URL, "//", "//me:secret@", 1)
	b.run()
	data, err := os.ReadFile(b.opts.State)
	if err != nil || bytes.Contains(data, []byte("secret")) {
		t.Errorf("the password is in the state (%v)", err)
	}
	b.answer = func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "<html>"); return true }
	if _, err := Run(t.Context(), b.opts); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("Run = %v", err)
	}
}

// TestSetsAndLimit: sets are harvested separately, and the next run continues after --limit.
func TestSetsAndLimit(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 9; n++ {
		b.add(n, func(r *thesis) { r.sets = []string{[]string{"law", "arts", "other"}[n%3]} })
	}
	b.opts.Sets = []string{"law", "arts"}
	b.run()
	b.want("1", "3", "4", "6", "7", "9")
	b.opts.Sets, b.opts.Limit = nil, 4
	b.run()
	b.requests = nil
	b.opts.Limit = 0
	b.run()
	if !strings.Contains(strings.Join(b.requests, " "), "resumptionToken") {
		t.Errorf("a run that ended early did not go on: %q", b.requests)
	}
	b.want("1", "2", "3", "4", "5", "6", "7", "8", "9")
}

// TestLimit takes exactly this number of records in each run, also in the middle of a page, and
// harvests all in the end.
func TestLimit(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 9; n++ {
		b.add(n, nil)
	}
	b.perPage = 5
	b.opts.Limit = 2
	for run, want := range []int{2, 2, 2, 2, 1} {
		if sum := b.run(); sum.Records != want || sum.New != want {
			t.Errorf("run %d: %d records, %d new, want %d", run+1, sum.Records, sum.New, want)
		}
		if run == 1 {
			b.add(9, func(r *thesis) { r.title = "Changed meanwhile" })
		}
	}
	b.want("1", "2", "3", "4", "5", "6", "7", "8", "9")
}

// TestUnknownSet: an unknown set is an error, a set without records is not.
func TestUnknownSet(t *testing.T) {
	b := newBench(t)
	b.add(1, func(r *thesis) { r.sets = []string{"law"} })
	b.opts.Sets = []string{"other"}
	b.run()
	b.opts.Sets = []string{"lew"}
	if sum, err := Run(t.Context(), b.opts); !errors.Is(err, ErrSet) || !strings.Contains(err.Error(), "lew; it has law, arts, other") || sum.Records != 0 {
		t.Errorf("Run with an unknown set = %v, %v", sum, err)
	}
}

// TestFull: if a repository does not report deleted records, a full list finds them.
func TestFull(t *testing.T) {
	b := newBench(t)
	b.deletes = "no"
	for n := 1; n <= 9; n++ {
		b.add(n, nil)
	}
	b.run()
	b.wantTold("only a full harvest")
	b.records = b.records[2:]
	b.opts.Full = true
	if sum := b.run(); sum.Deleted != 2 {
		t.Errorf("%+v, want 2 deleted", sum)
	}
	b.want("3", "4", "5", "6", "7", "8", "9")
	b.records = b.records[:1]
	b.run()
	b.wantTold("more than half")
	b.want("3", "4", "5", "6", "7", "8", "9")
}

// TestKeepGone: deleted records stay in the index on request.
func TestKeepGone(t *testing.T) {
	b := newBench(t)
	b.opts.KeepGone = true
	b.add(1, nil)
	b.run()
	b.add(1, func(r *thesis) { r.deleted, r.stamp = true, day(29) })
	b.run()
	b.want("1")
}

// TestAnotherIndex: the state of a recreated index is ignored.
func TestAnotherIndex(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.run()
	if err := os.RemoveAll(b.index); err != nil {
		t.Fatal(err)
	}
	b.now = day(100)
	b.run()
	b.want("1")
}

// TestOlderIndex: an index restored from an older copy gets the records harvested since.
func TestOlderIndex(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.run()
	older := filepath.Join(t.TempDir(), "older")
	if err := os.CopyFS(older, os.DirFS(b.index)); err != nil {
		t.Fatal(err)
	}
	b.now = day(50)
	b.add(2, func(r *thesis) { r.stamp = day(49) })
	b.run()
	b.want("1", "2")
	if err := errors.Join(os.RemoveAll(b.index), os.Rename(older, b.index)); err != nil {
		t.Fatal(err)
	}
	b.now = day(100)
	b.run()
	b.wantTold("documents that were harvested are missing")
	b.want("1", "2")
	b.run()
	if slices.ContainsFunc(b.told, func(s string) bool { return strings.Contains(s, "again from the start") }) {
		t.Errorf("a whole index is taken for an older one: %q", b.told)
	}
}

// TestCommitThatFailsOnce lets one commit of a harvest after another fail, once. The harvest
// ends with the failure, or puts the batch in again; the next one completes it.
func TestCommitThatFailsOnce(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 12; n++ {
		b.add(n, nil)
	}
	b.run()
	want := fmt.Sprint(b.documents())
	x := b.opts.Target.(*Index)
	sound := x.Open
	for at := 1; ; at++ {
		if err := errors.Join(os.RemoveAll(b.index), os.Remove(b.opts.State)); err != nil {
			t.Fatal(err)
		}
		commits := 0
		x.Open = func(ctx context.Context) (store.Store, error) {
			s, err := sound(ctx)
			return &countedStore{s, &commits, at}, err
		}
		_, err := Run(t.Context(), b.opts)
		if x.Open = sound; commits < at {
			if at == 1 || err != nil {
				t.Fatalf("%d commits, %v", commits, err)
			}
			return
		}
		if err != nil && !errors.Is(err, storetest.ErrInjected) {
			t.Errorf("commit %d failed: Run = %v", at, err)
		}
		b.run()
		if got := fmt.Sprint(b.documents()); got != want {
			t.Errorf("commit %d failed, and after the next harvest the index is another", at)
		}
	}
}

// A countedStore counts commits among several stores, and lets one of them fail.
type countedStore struct {
	store.Store
	commits *int
	fails   int
}

func (c *countedStore) Commit(ctx context.Context) error {
	if *c.commits++; *c.commits == c.fails {
		return storetest.FailOnce(c.Store, 1).Commit(ctx)
	}
	return c.Store.Commit(ctx)
}

// TestFolder: texts as files, with the table that otisk index takes.
func TestFolder(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	b.opts.Target = &Folder{Dir: dir}
	b.add(1, func(r *thesis) { r.ident = "oai:repo.example.org:../../1" })
	b.add(2, nil)
	b.run()
	files, err := filepath.Glob(filepath.Join(dir, "texts", "*", "thesis.txt"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, %v, want 2", files, err)
	}
	table, err := indexer.ReadDescriptions(t.Context(), filepath.Join(dir, "metadata.csv"))
	if err != nil || table.Len() != 2 {
		t.Errorf("the table has %v rows, %v, want 2", table, err)
	}
	b.add(2, func(r *thesis) { r.deleted, r.stamp = true, day(29) })
	b.run()
	if files, _ := filepath.Glob(filepath.Join(dir, "texts", "*")); len(files) != 1 {
		t.Errorf("after one was deleted there are %q", files)
	}
	if table, err := indexer.ReadDescriptions(t.Context(), filepath.Join(dir, "metadata.csv")); err != nil || table.Len() != 1 {
		t.Errorf("the table has %v rows, %v, want 1", table, err)
	}
}

// TestInterrupted: a run is stopped anywhere, loses its unsaved state, and is repeated: the
// index is the same as after one run.
func TestInterrupted(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 30; n++ {
		b.add(n, nil)
	}
	b.run()
	want := fmt.Sprint(b.documents())
	for after := 1; after < 45; after += 4 {
		if err := errors.Join(os.RemoveAll(b.index), os.Remove(b.opts.State)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		count := 0
		b.answer = func(http.ResponseWriter, *http.Request) bool {
			if count++; count == after {
				cancel()
			}
			return false
		}
		_, err := Run(ctx, b.opts)
		cancel()
		if err == nil {
			t.Errorf("stopped at request %d, Run returns no error", after)
		}
		b.answer = nil
		b.run()
		if got := fmt.Sprint(b.documents()); got != want {
			t.Errorf("stopped at request %d, the index is another", after)
		}
	}
}

// TestUntil: a harvest up to a date is continued from that date, not from the time of the run,
// and an earlier start date takes effect.
func TestUntil(t *testing.T) {
	for _, seconds := range []bool{true, false} {
		b := newBench(t)
		b.seconds = seconds
		for n := 1; n <= 9; n++ {
			b.add(n, nil)
		}
		b.opts.From, b.opts.Until = "2024-03-04", "2024-03-06"
		b.run()
		b.want("3", "4", "5")
		b.opts.Until = ""
		b.run()
		b.want("3", "4", "5", "6", "7", "8", "9")
		b.opts.From = "2024-03-03"
		b.run()
		b.want("2", "3", "4", "5", "6", "7", "8", "9")
		b.requests = nil
		b.now = day(90)
		b.run()
		b.run()
		if last := b.requests[len(b.requests)-1]; !strings.Contains(last, "from=2024-05-28") {
			t.Errorf("the last request is %s, want one from two days before the last", last)
		}
	}
}

// TestForgotten: if the state is lost, records deleted meanwhile, and files that a record no
// longer has, do not stay in the index.
func TestForgotten(t *testing.T) {
	b := newBench(t)
	for n := 1; n <= 3; n++ {
		b.add(n, nil)
	}
	b.add(4, func(r *thesis) { r.links = append(r.links, b.URL+"/bitstream/3/thesis.txt") })
	b.run()
	b.want("1", "2", "3", "4!/thesis.txt", "4!/thesis.txt~2")
	if err := os.Remove(b.opts.State); err != nil {
		t.Fatal(err)
	}
	b.add(2, func(r *thesis) { r.deleted = true })
	b.add(4, nil)
	b.run()
	b.want("1", "3", "4")
}

// TestClock: a repository whose clock is wrong by years does not end all later
// harvests.
func TestClock(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.now = time.Now().AddDate(500, 0, 0)
	b.run()
	b.add(2, func(r *thesis) { r.stamp = time.Now() })
	b.run()
	b.want("1", "2")
}

// TestLargeRecord: the files of a record have a limit together.
func TestLargeRecord(t *testing.T) {
	b := newBench(t)
	b.opts.MaxFile = 2500
	b.add(1, func(r *thesis) {
		for n := 2; n < 9; n++ {
			b.files[fmt.Sprintf("/bitstream/%d/t.txt", n)] = words(n, 0)
			r.links = append(r.links, b.URL+fmt.Sprintf("/bitstream/%d/t.txt", n))
		}
	})
	b.run()
	if got := len(b.documents()); got < 2 || got > 4 {
		t.Errorf("%d documents of a record whose files are too large together", got)
	}
	b.wantTold("too large")
}
