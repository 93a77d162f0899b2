// Package crawl gathers articles from the feeds of news sites and journals, and
// keeps what is new and what has changed.
//
// [Run] reads feeds (RSS, Atom, JSON Feed) and fetches the articles that they name.
// All goes into one folder, into files of one day each:
//
//	warc/2026-03-01.warc.gz         what was received
//	text/2026-03-01.jsonl           text, title, author, date: an object a line
//	vertical/2026-03-01.vert        the same, a word a line
//	fingerprints/2026-03-01.tsv     a line for each paragraph
//	crawl.log                       what was new, changed, gone, failed
//	state.db                        what is known of feeds and articles
//
// A run may be stopped at any moment: files only grow, and the state says how
// far they are good. What is after that is cut off by the next run, which fetches it
// again. So nothing is in them twice, and nothing is missing.
//
// What may surprise: a feed that has not changed is not sent again, but its
// articles are asked for again after [Options.Recheck], since sites correct articles
// and withdraw them. An article that is gone stays in the files: a text that
// was copied from it was copied all the same.
package crawl

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/normalize"
)

// Options say what to gather and how.
type Options struct {
	Dir     string // of what is kept; it is made if it is not there
	Feeds   []string
	Sites   []Site
	Client  *fetch.Client
	Program string                // that writes the files, with its version
	Norm    *normalize.Normalizer // by which fingerprints are made

	Hosts    int           // asked at once; 0 for 16
	Recheck  time.Duration // after which an article is asked for again; 0 for always
	MaxFeed  int64         // bytes of a feed; 0 for 16 MB
	MaxPage  int64         // bytes of an article; 0 for 16 MB
	Encoding string        // of all pages, in place of what is found out
	Clock    fetch.Clock   // nil for the system's

	// Progress is called for every step, by one goroutine at once; nil for none.
	Progress func(Event)
}

// What became of an article or a feed.
const (
	New     = "new"
	Changed = "changed"
	Gone    = "gone"
	Failed  = "failed"
	Skipped = "skipped" // articles of a feed that have no address
)

// An Event is one step.
type Event struct {
	Summary        // so far
	What    string // "" for what is as it was
	URL     string
	Err     error // why it failed
	Left    int   // feeds and articles that are known to be left
}

// A Summary counts what was done.
type Summary struct {
	Feeds     int // read
	Fresh     int // of them, that had not changed
	New       int // articles
	Changed   int
	Unchanged int // that were asked for, and are as they were
	Known     int // in the feeds, and not asked for: their time has not come
	Gone      int
	Failed    int // feeds and articles
	BadFeeds  int // of Failed
	Bytes     int64
}

// errDead says that a host is not asked any more.
var errDead = errors.New("not asked, since its host did not answer several times")

// deadAfter is how often in a row a host may fail to answer.
const deadAfter = 3

// Run gathers once. Feeds and articles that fail are in the events and in the
// log; the error is for what stops all: the folder, or ctx. Even then, what was done
// before is kept.
func Run(ctx context.Context, opts Options) (sum Summary, err error) {
	opts.defaults()
	b, err := openBook(&opts)
	if err != nil {
		return Summary{}, err
	}
	defer func() {
		err = errors.Join(err, b.close())
		sum = b.sum
	}()
	r := &run{opts: &opts, book: b, queue: newQueue(), seen: map[string][]*item{}}
	b.left = r.queue.left
	for _, address := range unique(opts.Feeds) {
		f, err := b.feed(fetch.Bare(address))
		if err != nil {
			return b.sum, err
		}
		r.queue.add(hostOf(address), func(ctx context.Context) error { return r.feed(ctx, f, address) }, f.Failed)
	}
	return b.sum, r.work(ctx)
}

func (o *Options) defaults() {
	set := func(at *int64, to int64) {
		if *at <= 0 {
			*at = to
		}
	}
	set(&o.MaxFeed, 16<<20)
	set(&o.MaxPage, 16<<20)
	if o.Hosts <= 0 {
		o.Hosts = 16
	}
	if o.Clock == nil {
		o.Clock = fetch.SystemClock
	}
}

// A run is one call of Run.
type run struct {
	opts  *Options
	book  *book
	queue *queue

	mu   sync.Mutex
	seen map[string][]*item // that are fetched in this run, by what links are compared by
}

// work does all that is in the queue.
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

// feed reads a feed at its address, in which can be what is for logging in, and puts what it names into
// the queue. An error ends the run.
func (r *run) feed(ctx context.Context, f *feed, address string) error {
	res, err := r.get(ctx, fetch.Request{URL: address, ETag: f.ETag, Modified: f.Modified, Accept: feedTypes, MaxBytes: r.opts.MaxFeed})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && !res.Fresh() {
		err = f.read(ctx, res, r.opts.Clock.Now(), r.book.has)
	}
	if err := r.book.fed(f, res, err); err != nil {
		return err
	}
	for _, it := range f.Items {
		r.name(f, it)
	}
	return nil
}

// feedTypes are those of feeds, the best first.
const feedTypes = "application/atom+xml, application/rss+xml, application/feed+json;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1"

// name puts an article into the queue that a feed names, if its time has come:
// if it is not known, the feed says something else of it, or it was asked for long ago.
func (r *run) name(f *feed, it *item) {
	key := linkKey(it.Link)
	if r.book.asItIs(f, it, key) {
		return
	}
	r.mu.Lock()
	again := r.seen[key]
	r.seen[key] = append(again, it)
	r.mu.Unlock()
	if len(again) == 0 {
		r.queue.add(hostOf(it.Link), func(ctx context.Context) error { return r.article(ctx, f, it) }, it.Failed)
	}
}

// get fetches, unless the host has been found dead, and makes errors of answers
// without what was asked for. A page that is gone is none.
func (r *run) get(ctx context.Context, req fetch.Request) (*fetch.Response, error) {
	host := hostOf(req.URL)
	if r.queue.isDead(host) {
		return nil, errDead
	}
	res, err := r.opts.Client.Get(ctx, req)
	r.answered(host, err)
	var e *fetch.Error
	if errors.As(err, &e) {
		return nil, e.Err // the address is told beside it
	}
	if err == nil && !res.Gone() {
		if err := res.Err(); errors.As(err, &e) {
			return nil, e.Err
		}
	}
	return res, err
}

// answered notes whether a host has answered, or another one that it has led to. What
// is wrong with an answer is nothing against its host.
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
	return r.book.take(got)
}

// pageTypes are those of articles, the best first.
const pageTypes = "text/html, application/xhtml+xml, application/pdf;q=0.9, */*;q=0.1"

// extract makes an article of an answer. What the feed says of title, author and
// date counts where no rule for the site says it.
func (r *run) extract(ctx context.Context, res *fetch.Response, it *item) (*Article, error) {
	a, err := Extract(ctx, PageOf(res, r.opts.Encoding), r.opts.Sites)
	if err != nil {
		return nil, err
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

// unique returns list without what is in it again.
func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s], out = true, append(out, s)
		}
	}
	return out
}

// budget is what reading one page may take.
var budget = format.Budget{Time: 30 * time.Second, Bytes: 64 << 20, Memory: 512 << 20}

// errNoText says that there is nothing to keep of a page.
var errNoText = errors.New("no text was found in it")
