package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/front"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/outgoing"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// metricsToken is the environment variable with the token of programs that read /metrics.
const metricsToken = "OTISK_METRICS_TOKEN"

type serveOptions struct {
	data    string
	db      string // address of a PostgreSQL database, "" for the one in the data folder
	cluster string // address of a cluster and start of the names of indexes in it, "" for folders
	bucket  string // address of a bucket for uploads and reports, "" for the data folder
	listen  string
	baseURL string
	names   []string // of the server, beside that in baseURL
	cert    string
	key     string
	proxies []string
	workers int
	memory  bytesFlag
	stall   time.Duration
	upload  bytesFlag
	group   bytesFlag // quota of the files of a group
	user    bytesFlag // and of a user
	factor  string    // least role that needs a second factor
	roots   []string
	allow   []string
	oidc    oidcOptions
	mail    mailOptions
	hooks   []string // hosts of webhooks in the network of the server
}

func newServeCommand(g *globalOptions) *cobra.Command {
	o := serveOptions{
		listen: "localhost:8080", workers: runtime.GOMAXPROCS(0), memory: 4 << 30, stall: 15 * time.Minute, upload: 256 << 20,
	}
	cmd := &cobra.Command{
		Use:     "serve [flags] --data DIR",
		Example: "  otisk serve --data /srv/otisk\n  otisk serve --data /srv/otisk --listen :443 --tls-cert cert.pem --tls-key key.pem",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runServe(cmd, g, o) },
	}
	cmd.AddCommand(newServeBackupCommand(g), newServeMoveCommand(g), newServeAdminCommand(), newServeTokenCommand(), newServeIntegrationCommand())
	f := cmd.Flags()
	o.placeFlags(f)
	f.StringVar(&o.listen, "listen", o.listen, "`address` and port to listen on")
	f.StringVar(&o.baseURL, "base-url", "", "`address` that users type, such as https://otisk.example.org (default: that of --listen)")
	f.StringSliceVar(&o.names, "server-name", nil, "further `name` by which users reach the server, beside that in --base-url; may be repeated")
	f.StringVar(&o.cert, "tls-cert", "", "`file` with the certificate in PEM")
	f.StringVar(&o.key, "tls-key", "", "`file` with the key of the certificate in PEM")
	f.StringSliceVar(&o.proxies, "trusted-proxy", nil, "`address` or network of a proxy whose X-Forwarded-For is accepted; may be repeated")
	f.IntVar(&o.workers, "workers", o.workers, "`number` of jobs that run in parallel")
	f.Lookup("workers").DefValue = "0"
	f.Var(&o.memory, "max-memory", "`size` of memory that a job may use, such as 4GB")
	f.DurationVar(&o.stall, "max-stall", o.stall, "`time` without progress after which a job is ended")
	f.Var(&o.upload, "max-upload", "`size` that an uploaded file may have, such as 256MB")
	f.Var(&o.group, "group-quota", "`size` of the files of checks that a group may keep, such as 50GB (default: no limit)")
	f.Var(&o.user, "user-quota", "`size` of the files of checks that a user may keep (default: no limit)")
	f.StringVar(&o.factor, "second-factor", "", "least `role` that needs a second factor: reader, checker, librarian or administrator (default: none)")
	f.StringArrayVar(&o.roots, "folder-root", nil, "`folder` on this machine below which librarians may name folders to add to collections; may be repeated")
	f.StringArrayVar(&o.allow, "allow-host", nil, "`host` in your own network that may be harvested, as NAME or NAME:PORT; may be repeated")
	o.oidc.flags(f)
	o.mail.flags(f)
	f.StringSliceVar(&o.hooks, "allow-webhook", nil, "`host` or host:port in the network of this server that webhooks and requests to learning platforms may reach, also without TLS; may be repeated")
	return cmd
}

func (o *serveOptions) placeFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", "", "`folder` with all data of the server")
	f.StringVar(&o.db, "database", "", "`address` of a PostgreSQL database, such as postgres://otisk@db.example.org/otisk (default: SQLite in --data)")
	f.StringVar(&o.cluster, "cluster", "", "`address` of an Elasticsearch cluster for new collections, with the start of their names, such as https://es.example.org:9200/otisk (default: folders in --data)")
	bucketFlag(f, &o.bucket)
}

func (o *serveOptions) check() error {
	switch {
	case o.data == "":
		return misuse("usage.serve-data")
	case (o.cert == "") != (o.key == ""):
		return misuse("usage.goes-with", "flag", "--tls-cert", "other", "--tls-key")
	case o.workers < 1:
		return misuse("usage.want", "what", fmt.Sprintf("--workers %d", o.workers), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	case o.memory < 256<<20:
		return misuse("usage.want", "what", "--max-memory", "wanted", lang.NewMessage("usage.or-more", "n", "256MB"))
	case o.factor != "" && !slices.Contains(accounts.Roles(), accounts.Role(o.factor)):
		return misuse("usage.want", "what", "--second-factor "+o.factor, "wanted", "reader, checker, librarian, administrator")
	case o.stall < time.Second:
		return misuse("usage.want", "what", "--max-stall", "wanted", lang.NewMessage("usage.or-more", "n", "1s"))
	case o.upload < 1:
		return misuse("usage.want", "what", "--max-upload", "wanted", lang.NewMessage("usage.or-more", "n", "1B"))
	}
	if err := o.oidc.check(); err != nil {
		return err
	}
	if u, err := url.Parse(o.baseURL); o.baseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "") {
		return misuse("usage.base-url", "typed", o.baseURL)
	}
	return nil
}

// A pace sets how long a server waits and how costly its hashes of passwords are. Tests put one into the context; a zero
// field stands for the default.
type pace struct {
	passwords accounts.Cost
	wait      time.Duration // work.Program.Wait
}

type paceKey struct{}

func runServe(cmd *cobra.Command, g *globalOptions, o serveOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	trusted, err := newProxies(o.proxies)
	if err != nil {
		return err
	}
	_, cluster, err := o.session(g)
	if err != nil {
		return err
	}
	roots, err := o.folderRoots()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	folder, err := o.open(cmd)
	if err != nil {
		return err
	}
	defer closing.Into(&err, folder)
	mailer, err := o.mail.server()
	if err != nil {
		return err
	}
	network, err := outgoing.New(o.hooks)
	if err != nil {
		return misuse("usage.want", "what", "--allow-webhook", "wanted", "HOST, HOST:PORT")
	}
	speed, _ := ctx.Value(paceKey{}).(pace)
	program := work.Program{Args: g.forWorker(), Stall: o.stall, Memory: int64(o.memory), Wait: speed.wait}
	d, queue, err := desk.New(ctx, folder, program, desk.Options{Passwords: speed.passwords, MaxFile: int64(o.upload), GroupQuota: int64(o.group), UserQuota: int64(o.user), SecondFactor: accounts.Role(o.factor), Hooks: hooks.NewSender(network), Services: lti.NewServices(network), Mail: mailer, Log: log, Roots: roots, Allow: o.allow, Cluster: cluster})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	address := o.address(listener)
	var server *http.Server
	if err = announce(cmd, d, address); err == nil {
		server, err = o.server(folder, d, queue, trusted, log, address)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	deliver := func(ctx context.Context) error {
		if d.ReadOnly() != nil {
			<-ctx.Done()
			return nil
		}
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return d.Deliver(ctx, address) })
		group.Go(func() error { return d.ServeAssets(ctx) })
		group.Go(func() error { return d.SendMails(ctx, address) })
		return group.Wait()
	}
	return serveUntil(ctx, server, listener, queue, deliver, &o)
}

func (o *serveOptions) open(cmd *cobra.Command) (*storage.Folder, error) {
	b, err := openBucket(o.bucket)
	if err != nil {
		return nil, err
	}
	f, err := storage.Open(cmd.Context(), o.data, storage.Options{Database: o.db, Bucket: b, Alone: o.cluster != ""})
	if err != nil || b == nil {
		return f, err
	}
	versioned, err := b.Versioned(cmd.Context())
	if versioned {
		warn(cmd, lang.NewMessage("error.bucket-versions"))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// session returns the session of the jobs, and the cluster of --cluster, nil if there is none. A password in
// its address would be in the list of processes.
func (o *serveOptions) session(g *globalOptions) (*session.Session, *esclient.Config, error) {
	if u, err := url.Parse(o.cluster); err == nil && u.User != nil {
		return nil, nil, misuse("usage.cluster-password", "flag", "--cluster")
	}
	g.index = o.cluster
	s, err := g.resolve()
	if err != nil || o.cluster == "" {
		return s, nil, err
	}
	if s.Settings.Embedded() {
		return nil, nil, misuse("usage.want", "what", "--cluster "+o.cluster, "wanted", "https://HOST:PORT/NAME")
	}
	return s, new(s.Cluster()), nil
}

func (o *serveOptions) folderRoots() (list []string, err error) {
	for _, typed := range o.roots {
		path, err := walk.Canonical(typed)
		if err == nil && !walk.IsFolder(path) {
			err = lang.NewMessage("usage.check-root")
		}
		if err != nil {
			return nil, about("--folder-root "+typed, err)
		}
		list = append(list, path)
	}
	return list, nil
}

func (g *globalOptions) forWorker() (args []string) {
	for _, flag := range []struct{ name, value string }{
		{"config", g.config}, {"index", g.index}, {"encoding", g.encoding}, {"boilerplate", g.frames}, {"projects", g.projects}, {"ocr", g.ocr},
	} {
		if flag.name == "config" && flag.value != "" {
			flag.value = walk.Absolute(flag.value)
		}
		if flag.value != "" {
			args = append(args, "--"+flag.name+"="+flag.value)
		}
	}
	return args
}

// address returns the address that users type, without a slash at the end.
func (o *serveOptions) address(l net.Listener) string {
	if o.baseURL != "" {
		return strings.TrimSuffix(o.baseURL, "/")
	}
	scheme, host := "http", l.Addr().String()
	if o.cert != "" {
		scheme = "https"
	}
	if name, port, err := net.SplitHostPort(host); err == nil {
		if ip, err := netip.ParseAddr(name); err == nil && (ip.IsUnspecified() || ip.IsLoopback()) {
			host = net.JoinHostPort("localhost", port)
		}
	}
	return scheme + "://" + host
}

func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// announce prints the address of the server, with a one-time link if there is no user yet. It also prints a warning if
// the data have entries of the future, if the disk is full, or if nothing can be written.
func announce(cmd *cobra.Command, d *desk.Desk, address string) error {
	link, err := d.FirstLink(cmd.Context())
	newest, failed := d.ClockBack(cmd.Context())
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	p := printerOf(cmd.ErrOrStderr())
	lines := []string{p.Text("terminal.serving", "address", address+"/")}
	if link != "" {
		lines[0] = p.Text("terminal.serving-first", "address", address+"/link?secret="+link)
	}
	if !newest.IsZero() {
		lines = append(lines, p.Text("terminal.clock-back", "now", time.Now().Format(time.DateTime), "newest", newest.Local().Format(time.DateTime)))
	}
	switch cause := d.ReadOnly(); {
	case cause != nil:
		lines = append(lines, p.Text("terminal.read-only", "cause", oserror.Cause(cause)))
	case d.Full():
		lines = append(lines, p.Text("terminal.disk-full"))
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(lines, "\n"))
	return err
}

// server returns the server with its limits. An upload extends the time for reading.
func (o *serveOptions) server(f *storage.Folder, d *desk.Desk, q *work.Queue, trusted front.Proxies, log *slog.Logger, address string) (*http.Server, error) {
	network, err := outgoing.New(o.hooks)
	if err != nil {
		return nil, err
	}
	provider, err := o.oidc.provider(address, o.hooks)
	if err != nil {
		return nil, err
	}
	h, err := front.New(front.Options{
		Desk: d, Queue: q, Log: log, Version: project.Version(), Address: address, Names: o.names, MaxFile: int64(o.upload), Client: trusted.Client, Ready: f.Ready,
		Provider: provider, LTI: lti.New(address, network), Metrics: os.Getenv(metricsToken),
	})
	if err != nil {
		return nil, err
	}
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}, nil
}

// serveUntil serves until ctx ends; then it finishes the requests, ends the jobs and returns.
func serveUntil(ctx context.Context, server *http.Server, l net.Listener, q *work.Queue, deliver func(context.Context) error, o *serveOptions) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 3)
	go func() { ended <- q.Run(running, o.workers) }()
	go func() { ended <- deliver(running) }()
	go func() {
		if o.cert != "" {
			ended <- server.ServeTLS(l, o.cert, o.key)
		} else {
			ended <- server.Serve(l)
		}
	}()
	var first error
	waiting := 3
	select {
	case <-ctx.Done():
	case first = <-ended: // none ends by itself, except for an error
		waiting--
	}
	stop()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := errors.Join(first, server.Shutdown(last))
	for range waiting {
		if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// newProxies returns the networks of --trusted-proxy: addresses, or networks such as 10.0.0.0/8.
func newProxies(typed []string) (list front.Proxies, err error) {
	for _, text := range typed {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			ip, e := netip.ParseAddr(text)
			if e != nil {
				return nil, misuse("usage.proxy", "typed", text)
			}
			prefix = netip.PrefixFrom(ip, ip.BitLen())
		}
		list = append(list, prefix)
	}
	return list, nil
}
