package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/document/article"
	"github.com/otisk/otisk/gather/crawl"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
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

func (o *fetchOptions) flags(cmd *cobra.Command) {
	o.delay, o.timeout, o.begin = time.Second, 2*time.Minute, 30*time.Second
	f := cmd.Flags()
	f.StringArrayVar(&o.allow, "allow-host", nil, "`host` in your own network that may be contacted, as NAME or NAME:PORT; may be repeated")
	f.StringVar(&o.contact, "contact", "", "`address` of a page or mailbox for server operators, sent as part of User-Agent (default: "+project.Home+")")
	f.DurationVar(&o.delay, "delay", o.delay, "`pause` between two requests to a host")
	f.DurationVar(&o.timeout, "timeout", o.timeout, "longest `time` of one request and its response")
	f.BoolVar(&o.proxy, "proxy", false, "connect through the proxy in HTTPS_PROXY or HTTP_PROXY, which then decides about the targets of connections")
}

func (o *fetchOptions) client() (*fetch.Client, error) {
	contact := o.contact
	switch {
	case contact == "":
		contact = project.Home
	case strings.ContainsAny(contact, "()\r\n"):
		return nil, misuse("usage.want", "what", fmt.Sprintf("--contact %q", contact), "wanted", lang.NewMessage("usage.contact"))
	case strings.Contains(contact, "@") && !strings.Contains(contact, ":"):
		contact = "mailto:" + contact
	}
	if o.delay < 0 || o.timeout <= 0 {
		return nil, misuse("usage.want", "what", "--delay, --timeout", "wanted", lang.NewMessage("usage.time"))
	}
	c, err := fetch.New(fetch.Options{
		UserAgent: "otisk/" + project.Version() + " (+" + contact + ")", Allow: o.allow,
		Delay: cmp.Or(o.delay, -1), Whole: o.timeout, Connect: min(o.timeout, 15*time.Second), Header: min(o.timeout, o.begin), Proxy: o.proxy,
	})
	if err != nil {
		return nil, session.UsageError{Err: err}
	}
	return c, nil
}

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
	o := crawlOptions{dir: "crawl", recheck: 24 * time.Hour, hosts: 16, most: 16 << 20, n: session.DefaultSize}
	cmd := &cobra.Command{
		Use:     "crawl [flags] FEEDS...",
		Example: "  otisk crawl feeds.xml\n  otisk crawl -o news --index news.index feeds.xml\n  otisk crawl --try https://www.example.cz/article.html feeds.xml",
		RunE:    func(cmd *cobra.Command, args []string) error { return runCrawl(cmd, g, &o, args) },
	}
	o.flags(cmd)
	o.crawlFlags(cmd)
	return cmd
}

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
	p := &crawlVoice{newProgress(cmd, g.quiet, false), filepath.Join(o.dir, "crawl.log"), map[string]int{}, map[string]error{}}
	norm, _ := s.Norms.For() // for texts without a file type
	sum, err := crawl.Run(cmd.Context(), crawl.Options{
		Dir: o.dir, Feeds: list.Feeds, Sites: list.Sites, Client: client, Program: "otisk/" + project.Version(), Norm: norm,
		Hosts: o.hosts, Recheck: o.recheck, MaxFeed: int64(o.most), MaxPage: int64(o.most), Encoding: s.Read.Encoding, Progress: p.event,
	})
	p.end()
	fmt.Fprintln(cmd.OutOrStdout(), crawledLine(printerOf(cmd.ErrOrStderr()), sum))
	if err == nil && cmd.Flags().Changed("index") {
		err = o.index(cmd, s, p.progress)
	}
	return o.finish(cmd, sum, err)
}

// resolve returns the feeds and site rules of the arguments: addresses of feeds, and files that
// list feeds.
func (o *crawlOptions) resolve(args []string) (*crawl.List, error) {
	all := new(crawl.List)
	for _, arg := range args {
		if strings.Contains(arg, "://") {
			if fetch.Check(arg) != nil {
				return nil, misuse("usage.want", "what", strconv.Quote(arg), "wanted", lang.NewMessage("usage.feed-address"))
			}
			all.Feeds = append(all.Feeds, arg)
			continue
		}
		list, err := crawl.ReadList(arg)
		if err != nil {
			return nil, about(arg, err)
		}
		all.Feeds, all.Sites = append(all.Feeds, list.Feeds...), append(all.Sites, list.Sites...)
		o.allow = append(o.allow, list.Allow...)
		o.contact = cmp.Or(o.contact, list.Contact)
	}
	switch {
	case len(all.Feeds) == 0 && o.try == "":
		return nil, misuse("usage.no-feed")
	case o.hosts < 1:
		return nil, misuse("usage.want", "what", fmt.Sprintf("--hosts %d", o.hosts), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	case o.most < 1:
		return nil, misuse("usage.want", "what", "--max-size", "wanted", lang.NewMessage("usage.size"))
	case o.recheck < 0:
		return nil, misuse("usage.want", "what", fmt.Sprintf("--recheck %v", o.recheck), "wanted", lang.NewMessage("usage.time"))
	}
	return all, checkSize(o.n)
}

func (o *crawlOptions) show(cmd *cobra.Command, s *session.Session, client *fetch.Client, sites []crawl.Site) error {
	if fetch.Check(o.try) != nil {
		return misuse("usage.want", "what", fmt.Sprintf("--try %q", o.try), "wanted", lang.NewMessage("usage.page-address"))
	}
	res, err := crawl.Follow(cmd.Context(), fetch.Request{URL: o.try, MaxBytes: int64(o.most)}, client.Get)
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return err
	}
	a, err := crawl.Extract(cmd.Context(), crawl.PageOf(res, s.Read.Encoding), sites)
	if err != nil {
		return fmt.Errorf("%s: %w", o.try, err)
	}
	return printArticle(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()), a)
}

var ways = map[string]string{
	crawl.ByRule:        "terminal.by-rule",
	article.ByStatement: "terminal.by-statement",
	article.ByArticle:   "terminal.by-article",
	article.ByPage:      "terminal.by-page",
	crawl.ByFile:        "terminal.by-file",
}

func printArticle(w io.Writer, p *lang.Printer, a *crawl.Article) error {
	date := ""
	if !a.Date.IsZero() {
		date = a.Date.Format(time.RFC3339)
	}
	for _, line := range [][2]string{
		{"terminal.article-address", a.URL}, {"terminal.article-title", a.Title}, {"terminal.article-author", a.Author}, {"terminal.article-date", date},
		{"terminal.article-text", p.Text(ways[a.Way])}, {"terminal.article-words", fmt.Sprint(len(strings.Fields(a.Text)))},
	} {
		if _, err := fmt.Fprintf(w, "%-8s %s\n", p.Text(line[0]), cmp.Or(printable(line[1]), "-")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", a.Text)
	return err
}

func (o *crawlOptions) index(cmd *cobra.Command, s *session.Session, p *progress) (err error) {
	s.Warn = func(err error) { warn(cmd, err) }
	w, err := s.PatientWriter(cmd.Context(), true)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	sum, err := crawl.Index(cmd.Context(), w, crawl.IndexOptions{
		Dir: o.dir, Keep: o.keep, Options: s.IndexOptions(o.n),
		Progress: func(done, all int) { p.count("articles", int64(done), int64(all)) },
	})
	p.end()
	say := printerOf(cmd.ErrOrStderr())
	line := say.Text("terminal.articles-indexed", "n", sum.Added, "size", o.n)
	if sum.TooFew > 0 {
		line += ", " + say.Text("terminal.too-few-words", "n", sum.TooFew)
	}
	if sum.Missing > 0 {
		line += ", " + say.Text("terminal.files-gone", "n", sum.Missing, "folder", o.dir)
	}
	fmt.Fprintln(cmd.OutOrStdout(), line)
	return err
}

// A crawlVoice prints the progress and the failures of a crawl. Thousands of addresses can fail
// for the same reason; it names the first of them and counts the others.
type crawlVoice struct {
	*progress
	log    string           // path of the log, which has all failures
	told   map[string]int   // number of failures, by reason
	causes map[string]error // the first failure with each reason
}

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
			warnAbout(v.err, at, e.Err)
			v.causes[reason] = e.Err
		}
	}
	v.draw(func() string {
		return printerOf(v.err).Text("terminal.crawling", "feeds", e.Feeds, "new", e.New, "changed", e.Changed, "failed", e.Failed, "left", e.Left, "size", megabytes(e.Bytes))
	})
}

// end clears the progress line, and prints for each reason how many failures were not named.
func (v *crawlVoice) end() {
	v.progress.end()
	for _, reason := range slices.Sorted(maps.Keys(v.told)) {
		if n := v.told[reason]; n > 1 {
			warnTo(v.err, lang.NewMessage("error.more-failed", "n", n-1, "log", v.log, "cause", v.causes[reason]))
		}
	}
}

func crawledLine(p *lang.Printer, s crawl.Summary) string {
	line := p.Text("terminal.crawled", "feeds", p.Text("terminal.feeds", "n", s.Feeds), "fresh", s.Fresh, "articles", p.Text("terminal.new-articles", "n", s.New))
	line += besides(p, tally{s.Changed, "terminal.changed"}, tally{s.Unchanged, "terminal.unchanged"}, tally{s.Known, "terminal.known"}, tally{s.Gone, "terminal.gone"}, tally{s.Failed, "terminal.failed"})
	return line + ", " + p.Text("terminal.received", "size", megabytes(s.Bytes))
}

type tally struct {
	count   int
	message string
}

// besides returns the counts that are not 0, each after a comma.
func besides(p *lang.Printer, list ...tally) (line string) {
	for _, t := range list {
		if t.count > 0 {
			line += ", " + p.Text(t.message, "n", t.count)
		}
	}
	return line
}

func (o *crawlOptions) finish(cmd *cobra.Command, sum crawl.Summary, err error) error {
	switch {
	case err != nil && context.Cause(cmd.Context()) != nil:
		return lang.NewMessage("error.gathered", "folder", o.dir)
	case err != nil:
		return err
	case sum.Failed > 0:
		failed := lang.NewMessage("error.crawl-failed", "n", sum.Failed, "log", filepath.Join(o.dir, "crawl.log"))
		if sum.BadFeeds == sum.Feeds {
			return failed
		}
		return partlyError{failed}
	}
	return nil
}
