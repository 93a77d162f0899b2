package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/gather/crawl"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/normalize"
)

// fetchOptions hold the flags that crawl and harvest share.
type fetchOptions struct {
	allow   []string // hosts that may have addresses in the local network
	contact string   // page or mailbox of the operator, part of the User-Agent
	delay   time.Duration
	timeout time.Duration
	begin   time.Duration // longest time to the header of a response
	proxy   bool
}

// projectPage is the contact in the User-Agent unless --contact names another.
const projectPage = "https://github.com/otisk/otisk"

func (o *fetchOptions) flags(cmd *cobra.Command) {
	o.delay, o.timeout, o.begin = time.Second, 2*time.Minute, 30*time.Second
	f := cmd.Flags()
	f.StringArrayVar(&o.allow, "allow-host", nil, "`host` in your own network that may be contacted, as NAME or NAME:PORT; may be repeated")
	f.StringVar(&o.contact, "contact", "", "`address` of a page or mailbox for server operators, sent as part of User-Agent (default: "+projectPage+")")
	f.DurationVar(&o.delay, "delay", o.delay, "`pause` between two requests to a host")
	f.DurationVar(&o.timeout, "timeout", o.timeout, "longest `time` of one request and its response")
	f.BoolVar(&o.proxy, "proxy", false, "connect through the proxy in HTTPS_PROXY or HTTP_PROXY, which then decides about the targets of connections")
}

// client returns the HTTP client that the flags configure.
func (o *fetchOptions) client() (*fetch.Client, error) {
	contact := o.contact
	switch {
	case contact == "":
		contact = projectPage
	case strings.ContainsAny(contact, "()\r\n"):
		return nil, usagef("--contact %q: want the address of a page or a mailbox", contact)
	case strings.Contains(contact, "@") && !strings.Contains(contact, ":"):
		contact = "mailto:" + contact
	}
	if o.delay < 0 || o.timeout <= 0 {
		return nil, usagef("--delay and --timeout: want a time such as 2s")
	}
	delay := o.delay
	if delay == 0 {
		delay = -1
	}
	c, err := fetch.New(fetch.Options{
		UserAgent: "otisk/" + version() + " (+" + contact + ")", Allow: o.allow,
		Delay: delay, Whole: o.timeout, Connect: min(o.timeout, 15*time.Second), Header: min(o.timeout, o.begin), Proxy: o.proxy,
	})
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// crawlOptions hold the flags of the crawl command.
type crawlOptions struct {
	fetchOptions
	dir     string
	try     string // address of a page to extract and print
	recheck time.Duration
	keep    bool // keep replaced versions of articles in the index
	hosts   int
	most    bytesFlag
	n       int
}

func newCrawlCommand(g *globalOptions) *cobra.Command {
	o := crawlOptions{dir: "crawl", recheck: 24 * time.Hour, hosts: 16, most: 16 << 20, n: defaultSize}
	cmd := &cobra.Command{
		Use:   "crawl [flags] FEEDS...",
		Short: "Download articles from the feeds of news sites and journals",
		Long: `Download new and changed articles from feeds (RSS, Atom, JSON Feed). FEEDS are
addresses of feeds, or files that list feeds, as below or in OPML.

The articles are stored in a folder, with a set of files for each day:

  warc/2026-03-01.warc.gz         responses as received
  text/2026-03-01.jsonl           text, title, author, date and address
  vertical/2026-03-01.vert        the same, one word per line
  fingerprints/2026-03-01.tsv     one line per paragraph; sort them to find repeats
  crawl.log                       new, changed, gone and failed articles
  state.db                        state of feeds and articles, for the next run

With --index, the articles are added to that index, each under its address, with
title, author and year. A changed article replaces its previous version in the
index; with --keep-versions, that version is kept under the address with its date.
The files keep all versions. An article that is deleted from the web stays in the
files and in the index.

Feeds are requested in each run. Articles are requested if they are new, if their
entry in the feed has changed, and again after --recheck; unchanged ones are not
transferred again. robots.txt and Retry-After are obeyed, and each host gets one
request at a time. Addresses in your own network are refused, whether listed by a
feed or the target of a redirect, unless --allow-host allows the host; a host that
is not allowed can never lead to one that is.

LISTS OF FEEDS
  <crawl>
    <contact>https://www.example.org/bot</contact>
    <feed>https://www.example.cz/rss.xml</feed>
    <site host="example.cz">
      <title>h1</title>
      <date>time@datetime</date>
      <author>.author</author>
      <text>div.article</text>
      <remove>.related, figure</remove>
    </site>
  </crawl>

  On most sites, title, date, author and text are found without a rule. If they are
  not, add <site> with CSS selectors; "@" and a name select an attribute. Fields
  without a selector are found as without a rule. <encoding> is for sites that state
  a wrong one. <allow_host> is the same as --allow-host. --try shows the fields found
  on a page.

EXIT STATUS
  0  all feeds and articles were fetched, or have not changed
  1  no feed could be read, or the folder or index could not be written
  2  wrong flag, setting or list of feeds
  4  the cluster could not be reached or refused the request
  5  some feeds or articles could not be fetched; they are listed, and tried again
  130  interrupted; articles fetched so far are kept`,
		Example: "  otisk crawl feeds.xml\n  otisk crawl -o news --index news.index feeds.xml\n  otisk crawl --try https://www.example.cz/article.html feeds.xml",
		RunE:    func(cmd *cobra.Command, args []string) error { return runCrawl(cmd, g, &o, args) },
	}
	o.flags(cmd)
	o.crawlFlags(cmd)
	return cmd
}

// crawlFlags adds the flags that harvest does not have.
func (o *crawlOptions) crawlFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.dir, "output", "o", o.dir, "`folder` for the articles")
	f.StringVar(&o.try, "try", "", "show the fields found on the page at this `address`, and store nothing")
	f.DurationVar(&o.recheck, "recheck", o.recheck, "`time` after which an article is requested again; 0 for always")
	f.BoolVar(&o.keep, "keep-versions", false, "keep previous versions of articles in the index, under their dates")
	f.IntVar(&o.hosts, "hosts", o.hosts, "`number` of hosts to request from in parallel")
	f.Var(&o.most, "max-size", "maximum `size` of a feed or an article")
	f.IntVarP(&o.n, "words", "n", o.n, "`words` in one n-gram, with --index")
}

func runCrawl(cmd *cobra.Command, g *globalOptions, o *crawlOptions, args []string) error {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	list, err := o.resolve(args)
	if err != nil {
		return err
	}
	client, err := o.client()
	if err != nil {
		return err
	}
	defer client.Close()
	if o.try != "" {
		return o.show(cmd, s, client, list.Sites)
	}
	if err := spareIndex("-o", o.dir); err != nil {
		return err
	}
	p := &crawlVoice{newProgress(cmd, g.quiet, false), filepath.Join(o.dir, "crawl.log"), map[string]int{}}
	sum, err := crawl.Run(cmd.Context(), crawl.Options{
		Dir: o.dir, Feeds: list.Feeds, Sites: list.Sites, Client: client, Program: "otisk/" + version(), Norm: general(s.norms),
		Hosts: o.hosts, Recheck: o.recheck, MaxFeed: int64(o.most), MaxPage: int64(o.most), Encoding: s.encoding, Progress: p.event,
	})
	p.end()
	fmt.Fprintln(cmd.OutOrStdout(), crawledLine(sum))
	if err == nil && cmd.Flags().Changed("index") {
		err = o.index(cmd, s, p.progress)
	}
	return o.finish(cmd, sum, err)
}

// general returns the normalizer for texts without a file type.
func general(norms *normalize.Set) *normalize.Normalizer {
	n, _ := norms.For()
	return n
}

// resolve returns the feeds and site rules of the arguments: addresses of feeds, and files that
// list feeds.
func (o *crawlOptions) resolve(args []string) (*crawl.List, error) {
	all := new(crawl.List)
	for _, arg := range args {
		if strings.Contains(arg, "://") {
			if fetch.Check(arg) != nil {
				return nil, usagef("%q: want the address of a feed, such as https://www.example.org/rss.xml", arg)
			}
			all.Feeds = append(all.Feeds, arg)
			continue
		}
		list, err := crawl.ReadList(arg)
		if err != nil {
			return nil, usagef("%s: %w", arg, err)
		}
		all.Feeds, all.Sites = append(all.Feeds, list.Feeds...), append(all.Sites, list.Sites...)
		o.allow = append(o.allow, list.Allow...)
		if o.contact == "" {
			o.contact = list.Contact
		}
	}
	switch {
	case len(all.Feeds) == 0 && o.try == "":
		return nil, usagef("crawl needs at least 1 feed: a file that lists some, or an address")
	case o.hosts < 1:
		return nil, usagef("--hosts %d: want 1 or more", o.hosts)
	case o.most < 1:
		return nil, usagef("--max-size: want a size such as 16MB")
	case o.recheck < 0:
		return nil, usagef("--recheck %v: want a time such as 12h, or 0", o.recheck)
	}
	return all, checkSize(o.n)
}

// show prints the article that is extracted from the page of --try.
func (o *crawlOptions) show(cmd *cobra.Command, s *session, client *fetch.Client, sites []crawl.Site) error {
	if fetch.Check(o.try) != nil {
		return usagef("--try %q: want the address of a page, such as https://www.example.org/article.html", o.try)
	}
	res, err := crawl.Follow(cmd.Context(), fetch.Request{URL: o.try, MaxBytes: int64(o.most)}, client.Get)
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return err
	}
	a, err := crawl.Extract(cmd.Context(), crawl.PageOf(res, s.encoding), sites)
	if err != nil {
		return fmt.Errorf("%s: %w", o.try, err)
	}
	return printArticle(cmd.OutOrStdout(), a)
}

// ways describes each way of extracting the text of an article.
var ways = map[string]string{
	crawl.ByRule:      "by the rule for its site",
	crawl.ByStatement: "by what the page states for search engines; no rule was needed",
	crawl.ByArticle:   "by how articles look; no rule was needed",
	crawl.ByPage:      "as the page without what is around its text: nothing on it looks enough like an article",
	crawl.ByFile:      "as a document of its own",
}

func printArticle(w io.Writer, a *crawl.Article) error {
	date := ""
	if !a.Date.IsZero() {
		date = a.Date.Format(time.RFC3339)
	}
	for _, line := range [][2]string{{"address", a.URL}, {"title", a.Title}, {"author", a.Author}, {"date", date}, {"text", ways[a.Way]}, {"words", fmt.Sprint(len(strings.Fields(a.Text)))}} {
		value := line[1]
		if value == "" {
			value = "-"
		}
		if _, err := fmt.Fprintf(w, "%-8s %s\n", line[0], printable(value)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", a.Text)
	return err
}

// index adds the gathered articles that the index does not have yet.
func (o *crawlOptions) index(cmd *cobra.Command, s *session, p *progress) (err error) {
	s.warn = func(err error) { warn(cmd, "%v", err) }
	w, err := s.patientWriter(cmd.Context(), cmd, true)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	sum, err := crawl.Index(cmd.Context(), w, crawl.IndexOptions{
		Dir: o.dir, Keep: o.keep,
		Options:  indexer.Options{N: o.n, Pairs: s.settings.Reworded, Norms: s.norms, Workers: s.workers()},
		Progress: func(done, all int) { p.count("articles into the index", int64(done), int64(all)) },
	})
	p.end()
	line := fmt.Sprintf("indexed %s (%d-grams)", counted(sum.Added, "article", "articles"), o.n)
	if sum.TooFew > 0 {
		line += fmt.Sprintf(", %d have too few words", sum.TooFew)
	}
	if sum.Missing > 0 {
		line += fmt.Sprintf(", %d left out, whose files are not in %s any more", sum.Missing, o.dir)
	}
	fmt.Fprintln(cmd.OutOrStdout(), line)
	return err
}

// indexName returns a name of the index for state files. It does not depend on the working
// directory, and is the same before and after the index is created.
func (s *session) indexName() string {
	if !s.settings.Embedded() {
		return strings.Join(s.settings.Cluster.Hosts, ",") + "/" + s.settings.Index
	}
	return canonical(s.settings.Index)
}

// A crawlVoice prints the progress and the failures of a crawl. Thousands of addresses can fail
// for the same reason; it names the first of them and counts the others.
type crawlVoice struct {
	*progress
	log  string         // path of the log, which has all failures
	told map[string]int // number of failures, by reason
}

// event prints a failure and draws the progress of a crawl.
func (v *crawlVoice) event(e crawl.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e.Err != nil {
		reason := e.Err.Error()
		if v.told[reason]++; v.told[reason] == 1 {
			at := e.URL
			if u, err := url.Parse(at); err == nil {
				at = u.Redacted()
			}
			v.clear()
			warnTo(v.err, "%s: %s", at, reason)
		}
	}
	v.draw(func() string {
		return fmt.Sprintf("%d feeds read, %d new, %d changed, %d failed, %d to go, %s", e.Feeds, e.New, e.Changed, e.Failed, e.Left, megabytes(e.Bytes))
	})
}

// end clears the progress line, and prints for each reason how many failures were not named.
func (v *crawlVoice) end() {
	v.progress.end()
	for _, reason := range slices.Sorted(maps.Keys(v.told)) {
		if n := v.told[reason]; n > 1 {
			warnTo(v.err, "%d more, named in %s: %s", n-1, v.log, reason)
		}
	}
}

// crawledLine returns the summary of a crawl.
func crawledLine(s crawl.Summary) string {
	line := fmt.Sprintf("read %s (%d unchanged): %s", counted(s.Feeds, "feed", "feeds"), s.Fresh, counted(s.New, "new article", "new articles"))
	line += besides(tally{s.Changed, "changed"}, tally{s.Unchanged, "unchanged"}, tally{s.Known, "known"}, tally{s.Gone, "gone"}, tally{s.Failed, "failed"})
	return line + ", " + megabytes(s.Bytes) + " received"
}

// A tally is a count with its label.
type tally struct {
	count int
	what  string
}

// besides returns the counts that are not 0, each after a comma.
func besides(list ...tally) (line string) {
	for _, t := range list {
		if t.count > 0 {
			line += fmt.Sprintf(", %d %s", t.count, t.what)
		}
	}
	return line
}

// counted returns n with the noun in the singular or plural.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (o *crawlOptions) finish(cmd *cobra.Command, sum crawl.Summary, err error) error {
	switch {
	case err != nil && context.Cause(cmd.Context()) != nil:
		return errors.New("interrupted: what was gathered is in " + o.dir + ", and the same command goes on from there")
	case err != nil:
		return err
	case sum.Failed > 0:
		failed := fmt.Errorf("%s failed, named above and in %s; the next crawl tries again, and a page without a text once it may have changed", counted(sum.Failed, "feed or article", "feeds or articles"), filepath.Join(o.dir, "crawl.log"))
		if sum.BadFeeds == sum.Feeds {
			return failed
		}
		return partlyError{failed}
	}
	return nil
}
