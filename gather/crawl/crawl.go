// Package crawl downloads articles from the feeds of news sites and journals, and
// stores new and changed ones.
//
// [Run] reads feeds (RSS, Atom, JSON Feed) and sitemaps, and fetches the articles that they
// link to. It writes to one folder, with a set of files for each day:
//
//	warc/2026-03-01.warc.gz         responses as received
//	text/2026-03-01.jsonl           text, title, author, date: one object per line
//	vertical/2026-03-01.vert        the same, one word per line
//	fingerprints/2026-03-01.tsv     one line per paragraph
//	crawl.log                       new, changed, gone and failed articles
//	state.db                        state of feeds and articles
//
// A run may be stopped at any time. Files are append-only, and the state has their
// committed sizes. The next run truncates the files to these sizes and fetches the
// rest again, so nothing is stored twice and nothing is lost.
//
// Unchanged feeds are not transferred again, but their articles are requested again
// after [Options.Recheck], since sites correct and withdraw articles. An article
// that no longer exists stays in the files, since texts may have been copied from it.
package crawl

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

// Options configure a run.
type Options struct {
	Dir     string // folder to write to; it is created if it does not exist
	Feeds   []string
	Sites   []Site
	Client  *fetch.Client
	Program string                // name and version of the program, for the WARC files
	Norm    *normalize.Normalizer // for fingerprints

	Hosts    int           // requested from in parallel; 0 for 16
	Recheck  time.Duration // until an article is requested again; 0 for always
	MaxFeed  int64         // limit of a feed in bytes; 0 for 16 MB
	MaxPage  int64         // limit of an article in bytes; 0 for 16 MB
	Encoding string        // of all pages; "" to detect it
	Clock    fetch.Clock   // nil for [fetch.SystemClock]

	// Progress is called after each feed and article, by one goroutine at a time; nil for none.
	Progress func(Event)
	Step     lasting.Step // for tests
}

// Results of a request for an article or a feed.
const (
	New     = "new"
	Changed = "changed"
	Gone    = "gone"
	Failed  = "failed"
	Skipped = "skipped" // articles of a feed have no address, or the feed is broken
)

// An Event is the result of one request.
type Event struct {
	Summary        // so far
	What    string // one of the constants above; "" for no change
	URL     string
	Err     error // set if What is Failed or Skipped; the cause
	Left    int   // feeds and articles in the queue
}

// A Summary counts the results of a run.
type Summary struct {
	Feeds     int // requested
	Fresh     int // feeds that had not changed
	New       int // articles
	Changed   int
	Unchanged int // articles requested that had not changed
	Known     int // articles not requested, since their recheck was not due
	Gone      int
	Failed    int // feeds and articles
	BadFeeds  int // feeds in Failed
	Bytes     int64
}

// errDead is the error for a host that has failed to answer deadAfter times.
var errDead error = phrase.Error("cause.host-silent", "not requested, since its host repeatedly did not answer")

// deadAfter is the number of consecutive requests without an answer after which a
// host is not asked again in this run.
const deadAfter = 3

// Run requests all feeds and the due articles once. Feeds and articles that fail are
// reported as events and in the log. Run returns an error if the folder cannot be
// written or ctx ends; results up to then are stored.
func Run(ctx context.Context, opts Options) (sum Summary, err error) {
	opts.defaults()
	b, err := openBook(&opts)
	if err != nil {
		return Summary{}, err
	}
	defer func() {
		if cerr := b.close(); b.failed != nil {
			err = b.failed // the first of several, if the disk is full
		} else {
			err = errors.Join(err, cerr)
		}
		sum = b.saved
	}()
	r := &run{opts: &opts, book: b, queue: newQueue(), seen: map[string][]*item{}, feeds: map[string]bool{}}
	b.left = r.queue.left
	for _, address := range unique(opts.Feeds) {
		f, err := b.feed(fetch.Bare(address))
		if err != nil {
			return b.sum, err
		}
		r.addFeed(f, fetch.Request{URL: address})
	}
	return b.sum, r.work(ctx)
}

func (o *Options) defaults() {
	o.MaxFeed = cmp.Or(max(o.MaxFeed, 0), 16<<20)
	o.MaxPage = cmp.Or(max(o.MaxPage, 0), 16<<20)
	o.Hosts = cmp.Or(max(o.Hosts, 0), 16)
	o.Clock = cmp.Or(o.Clock, fetch.SystemClock)
}

type run struct {
	opts  *Options
	book  *book
	queue *queue

	mu    sync.Mutex
	seen  map[string][]*item // items fetched in this run, by linkKey
	feeds map[string]bool    // addresses of the feeds of this run
}

func (r *run) work(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, r.queue.end)
	defer stop()
	var wg sync.WaitGroup
	for range r.opts.Hosts {
		wg.Go(func() {
			for job, done := r.queue.next(); job != nil; job, done = r.queue.next() {
				err := job(ctx)
				done()
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (r *run) addFeed(f *feed, req fetch.Request) {
	r.mu.Lock()
	known := r.feeds[f.URL]
	r.feeds[f.URL] = true
	r.mu.Unlock()
	if !known {
		r.queue.add(hostOf(req.URL), func(ctx context.Context) error { return r.feed(ctx, f, req) }, f.Failed)
	}
}

// feed reads a feed and adds its due articles, and the sitemaps that it lists, to the queue.
// The address in req may contain user name and password. An error ends the run.
func (r *run) feed(ctx context.Context, f *feed, req fetch.Request) error {
	req.ETag, req.Modified, req.Accept, req.MaxBytes = f.ETag, f.Modified, feedTypes, r.opts.MaxFeed
	res, err := r.getFeed(ctx, f, req)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && !res.Fresh() {
		err = f.read(ctx, res, r.opts.Clock.Now(), r.book.hasEntry)
	}
	if err == nil && req.From != "" && len(f.Maps) > 0 {
		f.Maps, err = nil, errNested
	}
	if err := r.book.fed(f, res, err); err != nil {
		return err
	}
	for _, it := range f.Items {
		if err := r.name(f, it); err != nil {
			return err
		}
	}
	for _, address := range f.Maps {
		if part, err := r.book.feed(address); err != nil {
			return err
		} else {
			r.addFeed(part, fetch.Request{URL: address, From: f.URL})
		}
	}
	return nil
}

// getFeed fetches a feed, unless its server has asked for a later request. Sitemaps that an
// index lists wait for a later run if too many articles are in the queue.
func (r *run) getFeed(ctx context.Context, f *feed, req fetch.Request) (*fetch.Response, error) {
	switch {
	case r.postponed(f.Busy):
		return nil, f.Busy
	case req.From != "" && r.queue.left() > mostWaiting:
		return nil, errFull
	}
	return r.get(ctx, req)
}

// mostWaiting is the number of articles in the queue above which no further sitemap is read.
const mostWaiting = 200_000

var (
	errFull   error = phrase.Error("cause.queue-full", "not requested in this run, since over {n} articles are waiting", "n", mostWaiting)
	errNested error = phrase.Error("cause.nested-sitemaps", "broken sitemap: an index of sitemaps lists another index")
)

func (r *run) postponed(busy *fetch.BusyError) bool {
	return busy != nil && r.opts.Clock.Now().Before(busy.Until)
}

// feedTypes are the media types of feeds, the preferred first.
const feedTypes = "application/atom+xml, application/rss+xml, application/feed+json;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1"

// name adds an article of a feed to the queue if it is due: if it has no entry, its
// item in the feed has changed, or its recheck is due.
func (r *run) name(f *feed, it *item) error {
	key := linkKey(it.Link)
	if r.book.isCurrent(f, it, key) {
		return nil
	}
	r.mu.Lock()
	again := r.seen[key]
	r.seen[key] = append(again, it)
	r.mu.Unlock()
	switch {
	case len(again) > 0:
	case r.postponed(it.Busy):
		return r.book.postpone(it)
	default:
		r.queue.add(hostOf(it.Link), func(ctx context.Context) error { return r.article(ctx, f, it) }, it.Failed)
	}
	return nil
}

// get fetches a page, unless its host is dead. It returns an error for a response
// without the page, but not for a page that is gone.
func (r *run) get(ctx context.Context, req fetch.Request) (*fetch.Response, error) {
	host := hostOf(req.URL)
	if r.queue.isDead(host) {
		return nil, errDead
	}
	res, err := r.opts.Client.Get(ctx, req)
	r.answered(host, err)
	var e *fetch.Error
	if errors.As(err, &e) {
		return nil, e.Err // the event has the address
	}
	if err == nil && !res.Gone() {
		if err := res.Err(); errors.As(err, &e) {
			return nil, e.Err
		}
	}
	return res, err
}

// answered records whether host, or the host that it has redirected to, has answered.
// A response that is an error still counts as an answer.
func (r *run) answered(host string, err error) {
	var e *fetch.Error
	if !errors.As(err, &e) || !errors.Is(err, fetch.ErrSlow) && !errors.Is(err, fetch.ErrConnect) {
		r.queue.answered(host, true)
		return
	}
	silent := hostOf(e.At)
	r.queue.answered(silent, false)
	if silent != host {
		r.queue.answered(host, true)
	}
}

// article fetches an article. An error ends the run.
func (r *run) article(ctx context.Context, from *feed, it *item) error {
	old, err := r.book.article(it.Link)
	if err != nil {
		return err
	}
	req := fetch.Request{URL: it.Link, From: from.URL, ETag: old.ETag, Modified: old.Modified, Accept: pageTypes, MaxBytes: r.opts.MaxPage}
	res, err := Follow(ctx, req, r.get)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	got := &got{link: it.Link, feed: from, res: res, err: err}
	if err == nil && !res.Fresh() && !res.Gone() {
		got.article, got.err = r.extract(ctx, res, it)
		got.unread = got.err != nil
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	r.mu.Lock()
	got.named = r.seen[linkKey(it.Link)]
	r.mu.Unlock()
	return r.book.record(got)
}

// pageTypes are the media types of articles, the preferred first.
const pageTypes = "text/html, application/xhtml+xml, application/pdf;q=0.9, */*;q=0.1"

// extract extracts the article from a response. If the text in the feed has over 1.5 times
// as many words as that of the page, it is used, unless a rule found the latter. Title, author and date of the feed
// take precedence over those of the page, unless a rule for the site has matched them.
func (r *run) extract(ctx context.Context, res *fetch.Response, it *item) (*Article, error) {
	a, err := Extract(ctx, PageOf(res, r.opts.Encoding), r.opts.Sites)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && it.Text != "" && (errors.Is(err, errNoText) || errors.Is(err, format.ErrEmpty)) && siteOf(r.opts.Sites, res.URL) == nil:
		a = &Article{URL: res.URL}
	case err != nil:
		return nil, err
	}
	if a.Way != ByRule && a.Way != ByFile && 2*len(strings.Fields(it.Text)) > 3*len(strings.Fields(a.Text)) {
		a.Text, a.Way = it.Text, ByFeed
	}
	if it.Title != "" && !a.ruled.title {
		a.Title = it.Title
	}
	if it.Author != "" && !a.ruled.author {
		a.Author = it.Author
	}
	if !it.Date.IsZero() && !a.ruled.date {
		a.Date = it.Date
	}
	return a, nil
}

func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s], out = true, append(out, s)
		}
	}
	return out
}

// budget limits the reading of one page.
var budget = format.Budget{Time: 30 * time.Second, Bytes: 64 << 20, Memory: 512 << 20}

var errNoText error = phrase.Error("cause.page-without-text", "no text found on the page")
