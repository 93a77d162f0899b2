package crawl

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/statefile"
	"github.com/otisk/otisk/lang/phrase"
)

type book struct {
	opts    *Options
	state   *state
	archive *archive
	left    func() int

	mu       sync.Mutex // guards the following fields, and the files
	sum      Summary
	saved    Summary          // as of the last commit
	feeds    map[string]*feed // changed since the last commit, as in the next three maps
	articles map[string]*entry
	links    map[string]string
	versions map[uint64]*version
	last     uint64 // number of the last version
	changes  int
	commited time.Time
	failed   error // first error of a write: nothing is committed after it
}

// A commit is due after this many articles or this much time.
const (
	commitEvery = 64
	commitAfter = 2 * time.Second
)

func openBook(opts *Options) (*book, error) {
	if err := opts.Step.MkdirAll(opts.Dir, 0o755); err != nil {
		return nil, err
	}
	s, err := openState(opts.Dir, opts.Step)
	if err != nil {
		return nil, err
	}
	b := &book{opts: opts, state: s, commited: time.Now()}
	b.clear()
	if err := b.open(); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return b, nil
}

func (b *book) open() error {
	good, err := b.state.files()
	if err != nil {
		return err
	}
	if b.archive, err = openArchive(b.opts.Dir, good, b.opts.Step); err != nil {
		return err
	}
	b.last, err = b.state.lastVersion()
	return err
}

func (b *book) clear() {
	b.feeds, b.articles, b.links, b.versions = map[string]*feed{}, map[string]*entry{}, map[string]string{}, map[uint64]*version{}
	b.changes = 0
}

func (b *book) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(b.commit(), b.archive.close(), b.state.db.Close())
}

// commit makes all changes durable: first the files, then the state, which has
// their sizes.
func (b *book) commit() error {
	if b.failed != nil {
		return b.failed
	}
	sizes, err := b.archive.sync()
	if err == nil {
		err = b.state.db.Update(func(tx *bbolt.Tx) error { return b.write(tx, sizes) })
	}
	if b.failed = err; err != nil {
		return err
	}
	b.archive.committed(sizes)
	b.saved = b.sum
	b.clear()
	b.commited = time.Now()
	return nil
}

func (b *book) write(tx *bbolt.Tx, sizes map[string]int64) error {
	var errs []error
	add := func(bucket []byte, key string, v any) {
		errs = append(errs, statefile.Put(tx.Bucket(bucket), []byte(key), v))
	}
	for key, v := range b.feeds {
		add(feedsBucket, key, v)
	}
	for key, v := range b.articles {
		add(articlesBucket, key, v)
	}
	for key, v := range b.links {
		add(linksBucket, key, v)
	}
	for key, v := range b.versions {
		add(versionsBucket, number(key), v)
	}
	for key, v := range sizes {
		add(filesBucket, key, v)
	}
	return errors.Join(errs...)
}

func (b *book) fail(err error) error {
	if b.failed == nil {
		b.failed = err
	}
	return b.failed
}

func (b *book) changed() error {
	if b.changes++; b.changes < commitEvery && time.Since(b.commited) < commitAfter {
		return b.failed
	}
	return b.commit()
}

// feed returns the stored state of a feed, or a new one.
func (b *book) feed(url string) (*feed, error) {
	f := &feed{}
	_, err := b.state.get(feedsBucket, url, f)
	f.URL = url
	return f, err
}

// article returns the entry of the article that a link leads to; the zero value if
// there is none.
func (b *book) article(link string) (entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, err := b.entry(b.keyOf(linkKey(link)))
	if e == nil || err != nil {
		return entry{}, err
	}
	return *e, nil
}

// keyOf returns the key of the article that a link leads to; link itself if it
// does not lead to another address.
func (b *book) keyOf(link string) string {
	if key, ok := b.links[link]; ok {
		return key
	}
	key := ""
	if ok, err := b.state.get(linksBucket, link, &key); ok && err == nil {
		return key
	}
	return link
}

// entry returns the entry of an article; nil if there is none.
func (b *book) entry(key string) (*entry, error) {
	if e := b.articles[key]; e != nil {
		return e, nil
	}
	e := new(entry)
	ok, err := b.state.get(articlesBucket, key, e)
	if !ok || err != nil {
		return nil, err
	}
	return e, nil
}

func (b *book) hasEntry(link string) bool {
	e, err := b.article(link)
	return err == nil && e.URL != ""
}

// isCurrent reports whether an article need not be requested now: it has an entry,
// its item in the feed has not changed, and its recheck is not due. If so, it marks
// the item as done.
func (b *book) isCurrent(f *feed, it *item, key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, err := b.entry(b.keyOf(key))
	if err != nil || e == nil || it.Done != "" && it.Done != it.Hash || !b.opts.Clock.Now().Before(e.Checked.Add(b.opts.Recheck)) {
		return false
	}
	b.sum.Known++
	if it.Done == "" {
		it.Done = it.Hash
		b.feeds[f.URL] = f
	}
	return true
}

// fed records the result of a request for a feed.
func (b *book) fed(f *feed, res *fetch.Response, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.Feeds++
	what := ""
	switch {
	case err != nil:
		b.sum.Failed++
		b.sum.BadFeeds++
		what = Failed
		if wasSent(err) {
			f.Failed, f.Busy = true, busyOf(err)
			b.feeds[f.URL] = f
		}
	case res.Fresh():
		b.sum.Fresh++
	default:
		b.sum.Bytes += int64(len(res.Raw))
		b.feeds[f.URL] = f
	}
	if err == nil && f.Failed {
		f.Failed, f.Busy = false, nil
		b.feeds[f.URL] = f
	}
	if f.left != nil {
		what, err = Skipped, f.left
	}
	if err := b.logEvent(what, f.URL, "feed", err); err != nil {
		return b.fail(err)
	}
	return b.changed()
}

type got struct {
	link    string
	feed    *feed
	named   []*item // items of all feeds that link to the article
	res     *fetch.Response
	err     error
	unread  bool // the page was received but could not be read: a retry would not help
	article *Article
}

// record records the result of a request for an article, and stores its text if that
// is new.
func (b *book) record(g *got) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	link := linkKey(g.link)
	key := link
	if g.res != nil {
		key = linkKey(g.res.URL)
		b.sum.Bytes += int64(len(g.res.Raw))
	}
	known := b.keyOf(link)
	if g.res == nil || g.res.Fresh() || g.res.Gone() {
		key = known // the address of a response without a page is not that of the article
	}
	e, err := b.entry(key)
	if err != nil {
		return err
	}
	if err := b.weigh(g, key, e); err != nil {
		return b.fail(err)
	}
	if key != link && b.articles[key] != nil {
		b.links[link] = key
	}
	return b.changed()
}

// weigh updates e, the entry of the article, by the result of the request; e is
// nil if there is none.
func (b *book) weigh(g *got, key string, e *entry) error {
	now := b.opts.Clock.Now().UTC().Truncate(time.Second)
	switch {
	case g.err != nil && !g.unread:
		b.sum.Failed++
		if wasSent(g.err) {
			b.done(g, func(it *item) { it.Failed, it.Busy = true, busyOf(g.err) })
		}
		return b.logEvent(Failed, g.link, "", g.err)
	case g.res.Gone() && e == nil:
		b.sum.Failed++
		return b.logEvent(Failed, g.link, "", phrase.Error("gather.no-page", "{cause} {status}: there is no such page", "cause", fetch.ErrStatus, "status", g.res.Status))
	case g.res.Gone():
		return b.gone(g, key, e, now)
	}
	b.done(g, markCurrent)
	if e == nil {
		e = &entry{URL: key}
	}
	e.Checked, e.Link, e.Gone = now, g.link, false
	b.articles[key] = e
	if g.res.Fresh() {
		b.sum.Unchanged++
		return b.logEvent("", g.link, "", nil)
	}
	e.ETag, e.Modified, e.URL = g.res.Header.Get("ETag"), g.res.Header.Get("Last-Modified"), key
	if g.err != nil {
		b.sum.Failed++
		return b.logEvent(Failed, g.link, "", g.err)
	}
	return b.text(g, e, now)
}

func (b *book) gone(g *got, key string, e *entry, now time.Time) error {
	b.done(g, markCurrent)
	before := e.Gone
	e.Gone, e.Checked = true, now
	b.articles[key] = e
	if before {
		b.sum.Unchanged++
		return b.logEvent("", g.link, "", nil)
	}
	b.sum.Gone++
	return b.logEvent(Gone, e.URL, "", nil)
}

// text stores the text of an article as a new version, unless it has not changed.
func (b *book) text(g *got, e *entry, now time.Time) error {
	sum := sha256.Sum256([]byte(g.article.Title + "\x00" + g.article.Text))
	hash := hex.EncodeToString(sum[:])
	if hash == e.Hash {
		b.sum.Unchanged++
		return b.logEvent("", g.link, "", nil)
	}
	e.Hash = hash
	e.Versions++
	v, err := b.appendArticle(g, e, now)
	if err != nil {
		return err
	}
	v.Prev = e.Last
	b.last++
	b.versions[b.last], e.Last = v, b.last
	if e.Versions > 1 {
		b.sum.Changed++
		return b.logEvent(Changed, e.URL, g.article.logged(), nil)
	}
	b.sum.New++
	return b.logEvent(New, e.URL, g.article.logged(), nil)
}

func (b *book) appendArticle(g *got, e *entry, now time.Time) (*version, error) {
	g.article.URL = e.URL
	rec := newRecord(g.article, g.feed.URL, e.Versions, now)
	day := now.Format(time.DateOnly)
	line, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	warc := "warc/" + day + ".warc.gz"
	received, err := warcOf(g.res, b.archive.size(warc) == 0, b.opts.Program)
	if err != nil {
		return nil, err
	}
	if _, err := b.archive.append(warc, received); err != nil {
		return nil, err
	}
	if _, err := b.archive.append("vertical/"+day+".vert", vertical(rec)); err != nil {
		return nil, err
	}
	if _, err := b.archive.append("fingerprints/"+day+".tsv", fingerprints(b.opts.Norm, rec)); err != nil {
		return nil, err
	}
	at, err := b.archive.append(textFile(day), line)
	return &version{URL: e.URL, At: now, Day: day, At0: at, Size: int64(len(line))}, err
}

func textFile(day string) string { return "text/" + day + ".jsonl" }

func markCurrent(it *item) { it.Done, it.Failed, it.Busy = it.Hash, false, nil }

func wasSent(err error) bool {
	var busy *fetch.BusyError
	return !errors.Is(err, errDead) && !errors.Is(err, errFull) && !(errors.As(err, &busy) && !busy.Asked)
}

// busyOf returns the error of a server that asks for a later request; nil for another error.
func busyOf(err error) *fetch.BusyError {
	var busy *fetch.BusyError
	errors.As(err, &busy)
	return busy
}

func (b *book) postpone(it *item) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.Failed++
	if err := b.logEvent(Failed, it.Link, "", it.Busy); err != nil {
		return b.fail(err)
	}
	return b.changed()
}

func (b *book) done(g *got, note func(*item)) {
	for _, it := range g.named {
		note(it)
	}
	b.feeds[g.feed.URL] = g.feed
}

// logEvent appends a line to the log, unless what is "", and calls Options.Progress.
func (b *book) logEvent(what, url, said string, cause error) error {
	var err error
	if what != "" {
		if cause != nil {
			said = cause.Error()
		}
		line := strings.Join([]string{b.opts.Clock.Now().UTC().Format(time.RFC3339), what, inLog(url), inLog(said)}, "\t") + "\n"
		_, err = b.archive.append("crawl.log", []byte(line))
	}
	if b.opts.Progress != nil {
		b.opts.Progress(Event{Summary: b.sum, What: what, URL: url, Err: cause, Left: b.left()})
	}
	return err
}

func inLog(s string) string { return strings.Join(strings.Fields(s), " ") }

// lastVersion returns the number of the last version; 0 if there is none.
func (s *state) lastVersion() (n uint64, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		if key, _ := tx.Bucket(versionsBucket).Cursor().Last(); key != nil {
			n = binary.BigEndian.Uint64(key)
		}
		return nil
	})
	return n, err
}
