package gathertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/gather/crawl"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/gather/harvest"
	"github.com/otisk/otisk/gather/watch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A gatherer crawls and harvests a [web] for a model.
type gatherer struct {
	web     *web
	client  *fetch.Client
	norm    *normalize.Normalizer
	folder  string            // of the crawl and of the state of the harvest
	made    int               // articles and theses
	crawled map[string]string // text of each article at the last crawl that had it
	emptied bool              // the index has nothing of the last crawl
	// harvested has the text of each record at the last harvest, "" for a deleted one.
	harvested map[string]string
}

func newGatherer(t *testing.T) *gatherer {
	g := &gatherer{web: newWeb(t), folder: t.TempDir(), crawled: map[string]string{}, harvested: map[string]string{}}
	host, err := url.Parse(g.web.URL)
	if err == nil {
		g.client, err = fetch.New(fetch.Options{UserAgent: "otisk-test/1", Allow: []string{host.Host}, Delay: -1, Retries: -1})
	}
	if err == nil {
		g.norm, err = normalize.New(normalize.Rules{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.client.Close)
	return g
}

// publish adds, changes or withdraws an article or a thesis.
func (m *model) publish() {
	m.counts["publish"]++
	g := m.gatherer
	text := m.text() + " " + m.text() + " " + m.text() // long enough to be found on a page
	g.web.change(func() {
		switch n := m.rng.IntN(6); {
		case n == 0 && len(g.web.articles) > 1:
			g.web.articles[m.key(g.web.articles)] = text
		case n == 1 && len(g.web.articles) > 2:
			delete(g.web.articles, m.key(g.web.articles))
		case n < 3:
			g.made++
			g.web.articles[fmt.Sprintf("/article/%04d.html", g.made)] = text
		default:
			g.made++
			id := ident(fmt.Sprintf("%04d", g.made))
			if n < 5 && len(g.web.theses) > 1 {
				id = m.key(g.web.theses)
			}
			g.web.theses[id] = thesis{text: text, stamp: g.web.now, deleted: n == 3 && g.web.theses[id].text != ""}
		}
	})
}

// key returns a random key of a map.
func (m *model) key(of any) string {
	var keys []string
	switch of := of.(type) {
	case map[string]string:
		keys = slices.Sorted(maps.Keys(of))
	case map[string]thesis:
		keys = slices.Sorted(maps.Keys(of))
	}
	return keys[m.rng.IntN(len(keys))]
}

// gathered reports whether a document is an article or a thesis.
func gathered(name string) bool {
	return strings.HasPrefix(name, "http") || strings.HasPrefix(name, "oai:")
}

// crawl gathers articles and indexes them. A version is indexed once; an article that has
// vanished stays.
func (m *model) crawl() {
	g := m.gatherer
	dir := filepath.Join(g.folder, "crawl")
	want := maps.Clone(m.has)
	now := map[string]string{}
	for path, text := range g.web.articles {
		url := g.web.URL + path
		if now[url] = text; g.crawled[url] != text {
			want[url] = entry{text, m.has[url].label}
		}
	}
	if g.emptied {
		for url, text := range g.crawled {
			want[url] = entry{text, ""}
		}
		for url, text := range now {
			want[url] = entry{text, ""}
		}
	}
	m.tries("crawl", func(ctx context.Context) error {
		failed := []error(nil)
		_, err := crawl.Run(ctx, crawl.Options{
			Dir: dir, Feeds: []string{g.web.URL + "/feed"}, Client: g.client, Program: "test", Norm: g.norm, Step: m.step,
			Progress: func(e crawl.Event) {
				if e.What == crawl.Failed {
					failed = append(failed, e.Err)
				}
			},
		})
		if err := errors.Join(append(failed, err)...); err != nil {
			return err
		}
		r := rig{t: m.t}
		return r.with(m.index, command{"crawl", func(ctx context.Context, s store.Store) error {
			opts := crawl.IndexOptions{Dir: dir, Step: m.step, Options: m.options(indexer.Options{})}
			opts.Pairs = false // a bookmark is for one kind of documents
			_, err := crawl.Index(ctx, s, opts)
			return err
		}})
	}, func() { m.partly("crawl", want) })
	if m.t.Failed() {
		return
	}
	m.wantGathered("crawl", want)
	maps.Copy(g.crawled, now)
	g.emptied = false
}

// harvest gathers the theses. A deleted record loses its document; labels that are lost by
// that are reported.
func (m *model) harvest() {
	g := m.gatherer
	if len(g.web.theses) == 0 {
		return
	}
	want := maps.Clone(m.has)
	now := map[string]string{}
	for id, t := range g.web.theses {
		if t.deleted {
			now[id] = ""
			delete(want, id)
		} else if now[id] = t.text; g.harvested[id] != t.text {
			want[id] = entry{t.text, m.has[id].label}
		}
	}
	var told []string
	m.tries("harvest", func(ctx context.Context) error {
		opts := m.options(indexer.Options{})
		sum, err := harvest.Run(ctx, harvest.Options{
			URL: g.web.URL + "/oai", State: filepath.Join(g.folder, "harvest.state"), Client: g.client, Overlap: time.Second, Step: m.step,
			Target:  &harvest.Index{Where: "index", Opts: opts, Open: func(context.Context) (store.Store, error) { return m.index.Open() }},
			OnEvent: func(e harvest.Event) { told = append(told, e.Record+": "+cmp.Or(e.Err, e.Note).Error()) },
		})
		if err == nil && sum.Failed > 0 {
			err = fmt.Errorf("%d records failed: %q", sum.Failed, told)
		}
		return err
	}, func() { m.partly("harvest", want) })
	if m.t.Failed() {
		return
	}
	before := m.has
	m.wantGathered("harvest", want)
	for doc, e := range before {
		_, stays := m.has[doc]
		if e.label != "" && !stays && !slices.ContainsFunc(told, func(note string) bool { return strings.Contains(note, e.label) }) {
			m.t.Errorf("operation %d: after harvest, label %q of %s is gone and nothing says so: %q", m.done, e.label, doc, told)
		}
	}
	maps.Copy(g.harvested, now)
}

// partly checks an index after a command that failed: each document is as it was before or as
// the command makes it.
func (m *model) partly(name string, want map[string]entry) {
	state := m.state()
	for doc := range union(state, m.has) {
		now, is := state[doc]
		before, was := m.has[doc]
		after, will := want[doc]
		if (is != was || !sameEntry(now, before)) && (is != will || !sameEntry(now, after)) {
			m.t.Errorf("operation %d: after a failed %s, %s is in the index: %v, with %.40q; before %v %.40q, wanted %v %.40q", m.done, name, doc, is, now, was, before, will, after)
		}
	}
}

// wantGathered compares the index with the documents that it must have.
func (m *model) wantGathered(name string, want map[string]entry) {
	after := m.state()
	for doc := range union(after, want) {
		e, ok := want[doc]
		if now, is := after[doc]; is != ok || !sameEntry(now, e) {
			m.t.Errorf("operation %d: after %s, %s is in the index: %v, with %.60q, want %v %.60q", m.done, name, doc, is, now, ok, e)
		}
	}
	m.has = after
}

// sameEntry compares two documents. The text of an article follows its title in the index.
func sameEntry(now, want entry) bool {
	return now.label == want.label && (now.text == want.text || strings.HasSuffix(strings.TrimSpace(now.text), "\n"+want.text))
}

// watch brings the index in step with the folder, as otisk watch --once does.
func (m *model) watch() {
	m.indexing("watch", true, func(ctx context.Context, opts indexer.Options) error {
		var failed []error
		note := opts.Progress
		opts.Progress = nil
		err := watch.Run(ctx, watch.Options{
			Folders: []string{m.folder}, Open: func(context.Context) (store.Store, error) { return m.index.Open() },
			Index: opts, Settle: time.Millisecond, Once: true, RemoveMany: true, NoEvents: true,
			OnEvent: func(e watch.Event) {
				if err := cmp.Or(e.Err, e.Note); err != nil {
					note(ledger.Event{Path: e.Path, Note: err})
				}
				if e.Summary != nil && len(e.Summary.Failures) > 0 {
					failed = append(failed, e.Summary.Failures[0].Err)
				}
			},
		})
		if err == nil && len(failed) > 0 {
			err = failed[0]
		}
		return err
	})
}

// clean empties the index, so that it gets all articles and theses again.
func (m *model) clean() {
	m.exactly("clean", map[string]entry{}, func(ctx context.Context, s store.Store) error { return s.Recreate(ctx, s.Settings()) })
	m.gatherer.emptied = true
	clear(m.gatherer.harvested)
}
