package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/cmd/otisk/internal/openfiles"
	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document/ocr"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/internal/host"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	reportpages "github.com/otisk/otisk/report/pages"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

type doctorOptions struct {
	data, db, cert string
	mail           mailOptions
}

func newDoctorCommand(g *globalOptions) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:     "doctor",
		Example: "  otisk doctor\n  otisk doctor --index theses.index --ocr ces+eng",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd, g, o) },
	}
	cmd.Flags().StringVar(&o.data, "data", "", "`folder` with all data of the server")
	cmd.Flags().StringVar(&o.db, "database", "", "`address` of a PostgreSQL database, such as postgres://otisk@db.example.org/otisk (default: SQLite in --data)")
	cmd.Flags().StringVar(&o.cert, "tls-cert", "", "`file` with the certificate in PEM")
	o.mail.flags(cmd.Flags())
	return cmd
}

// Least amounts below which the doctor warns.
const (
	leastRoom      = 1 << 30 // bytes on a disk
	leastOpenFiles = 1024
	leastWatches   = 8192                // default limit of Linux before 5.11; each folder takes a watch
	doctorTime     = time.Minute         // longest time to open the index
	leastValid     = 14 * 24 * time.Hour // of a certificate
)

type finding struct {
	subject string // the checked part
	state   string // message: doctor.ok, doctor.missing, doctor.low, doctor.warning or doctor.failed
	detail  string
	fix     string // command or advice, "" if none
	err     error  // why the check failed, nil if it did not
}

// runDoctor prints the findings, and returns the error of the first check that failed.
func runDoctor(cmd *cobra.Command, g *globalOptions, o doctorOptions) error {
	d := &doctor{p: printerOf(cmd.ErrOrStderr())}
	s := d.settings(g)
	d.index(cmd.Context(), s)
	if s.Settings.Embedded() {
		d.room("doctor.disk", s.Settings.Index)
	} else {
		d.cluster(cmd.Context(), s)
	}
	d.room("doctor.temporary", os.TempDir())
	d.limits()
	d.browser()
	d.tesseract(g, s)
	d.office()
	if o.data != "" {
		d.server(cmd.Context(), &o)
		d.room("doctor.data", o.data)
	}
	if o.mail.address != "" {
		d.mail(cmd.Context(), &o.mail)
	}
	if o.cert != "" {
		d.certificate(o.cert)
	}
	fmt.Fprintln(cmd.OutOrStdout(), project.Built().String())
	if err := d.print(cmd.OutOrStdout()); err != nil {
		return err
	}
	for _, f := range d.found {
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

type doctor struct {
	p     *lang.Printer
	found []finding
}

func (d *doctor) ok(subject, detail string) {
	d.found = append(d.found, finding{subject: subject, state: "doctor.ok", detail: detail})
}

func (d *doctor) warn(state, subject, detail, fix string) {
	d.found = append(d.found, finding{subject: subject, state: state, detail: detail, fix: fix})
}

func (d *doctor) failed(subject string, err error) {
	d.found = append(d.found, finding{subject: subject, state: "doctor.failed", detail: d.p.Err(err), fix: hint(err, d.p), err: err})
}

// print prints the findings as a table, each fix below its finding.
func (d *doctor) print(w io.Writer) error {
	state, subject := 0, 0
	for _, f := range d.found {
		state = max(state, utf8.RuneCountInString(d.p.Text(f.state)))
		subject = max(subject, utf8.RuneCountInString(f.subject))
	}
	var b strings.Builder
	for _, f := range d.found {
		fmt.Fprintf(&b, "%-*s  %-*s  %s\n", state, d.p.Text(f.state), subject, f.subject, printable(f.detail))
		if f.fix != "" {
			fmt.Fprintf(&b, "%*s    → %s\n", state+subject, "", printable(f.fix))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// settings checks the settings and flags. If they are wrong, it returns a session with the default
// settings, for the other checks.
func (d *doctor) settings(g *globalOptions) *session.Session {
	subject := d.p.Text("doctor.settings")
	s, err := g.resolve()
	if err != nil {
		d.failed(subject, err)
		return &session.Session{Settings: config.Default()}
	}
	if s.Settings.Path == "" {
		d.ok(subject, d.p.Text("doctor.default-settings", "file", config.DefaultFile))
	} else {
		d.ok(subject, s.Settings.Path)
	}
	return s
}

func (d *doctor) index(ctx context.Context, s *session.Session) {
	name, subject := s.Settings.Index, d.p.Text("doctor.index")
	if !s.Settings.Embedded() {
		subject = d.p.Text("doctor.cluster")
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	info, err := s.Info(ctx)
	switch {
	case errors.Is(err, store.ErrNoIndex):
		d.warn("doctor.ok", subject, d.p.Text("doctor.no-index", "name", name), "otisk index "+d.p.Message(placeholder("FOLDER")))
	case err != nil:
		d.failed(subject, err)
	default:
		d.ok(subject, d.p.Text("doctor.documents", "name", name, "n", info.Documents))
	}
}

// cluster examines the cluster. If it cannot be reached, index has found that.
func (d *doctor) cluster(ctx context.Context, s *session.Session) {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	if x, err := esclient.Examine(ctx, s.Cluster()); err == nil {
		d.condition(&x)
	}
}

func (d *doctor) condition(x *esclient.Condition) {
	d.ok(d.p.Text("doctor.server"), strings.TrimSuffix(x.Server+", "+x.Health, ", "))
	if x.Templates != "" {
		d.warn("doctor.warning", d.p.Text("doctor.templates"), d.p.Text("doctor.apply", "names", x.Templates), d.p.Text("hint.template"))
	}
	for _, block := range x.Blocks {
		d.warn("doctor.warning", d.p.Text("doctor.writing"), d.p.Text("doctor.blocked", "setting", block), d.p.Text("doctor.unblock"))
	}
	for _, disk := range x.Disks {
		subject, detail := d.p.Text("doctor.node", "node", disk.Node), d.p.Text("doctor.used", "percent", disk.Percent, "marks", disk.Marks)
		if disk.Low > 0 && disk.Percent >= disk.Low {
			d.warn("doctor.low", subject, detail, d.p.Text("doctor.add-node"))
		} else {
			d.ok(subject, detail)
		}
	}
	subject := d.p.Text("doctor.privileges")
	switch {
	case x.Unlisted:
		d.ok(subject, d.p.Text("doctor.unlisted"))
	case len(x.Missing) > 0:
		d.warn("doctor.missing", subject, strings.Join(x.Missing, ", "), d.p.Text("doctor.grant"))
	}
	for _, err := range x.Unknown {
		d.warn("doctor.warning", d.p.Text("doctor.server"), d.p.Text("doctor.unknown", "cause", err), "")
	}
}

func (d *doctor) room(message, path string) {
	subject := d.p.Text(message)
	free, err := host.Free(path)
	if err != nil {
		d.warn("doctor.missing", subject, d.p.Text("doctor.unknown", "cause", err), "")
		return
	}
	dir, err := filepath.Abs(path)
	if err != nil {
		dir = path
	}
	detail := d.p.Text("doctor.room", "size", d.p.Tenths(float64(free)/1e9)+" GB", "folder", dir)
	if free < leastRoom {
		d.warn("doctor.low", subject, detail, d.p.Text("doctor.make-room"))
		return
	}
	d.ok(subject, detail)
}

func (d *doctor) limits() {
	if n, _ := openfiles.Limit(); n > 0 {
		d.limit(d.p.Text("doctor.open-files"), n, leastOpenFiles, "ulimit -n "+strconv.Itoa(4*leastOpenFiles))
	}
	const watches = "fs.inotify.max_user_watches"
	text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(watches, ".", "/"))
	if err != nil {
		return
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
		d.limit(d.p.Text("doctor.watches"), n, leastWatches, "sysctl "+watches+"="+strconv.Itoa(64*leastWatches))
	}
}

func (d *doctor) limit(subject string, n, least int64, fix string) {
	if n < least {
		d.warn("doctor.low", subject, d.p.Number(n), fix)
		return
	}
	d.ok(subject, d.p.Number(n))
}

func (d *doctor) browser() {
	name, _ := opener()
	if path, err := exec.LookPath(name); err == nil {
		d.ok(d.p.Text("doctor.browser"), path)
		return
	}
	d.warn("doctor.missing", d.p.Text("doctor.browser"), d.p.Text("doctor.needs-browser", "name", name), d.install(host.Browser))
}

// tesseract checks the program that recognizes text in scans, and the languages that are
// configured for it.
func (d *doctor) tesseract(g *globalOptions, s *session.Session) {
	const subject = "Tesseract"
	installed, wanted := ocr.New(nil, ""), languages(cmp.Or(g.ocr, s.Settings.OCR))
	if installed.Check() != nil {
		d.warn("doctor.missing", subject, d.p.Text("doctor.needs-tesseract"), d.install(host.Tesseract, wanted...))
		return
	}
	lacks := slices.DeleteFunc(wanted, func(l string) bool { return slices.Contains(installed.Installed(), l) })
	if len(lacks) > 0 {
		d.warn("doctor.missing", subject, d.p.Text("doctor.needs-language", "names", strings.Join(lacks, ", ")), d.install(host.Tesseract, lacks...))
		return
	}
	d.ok(subject, d.p.Text("doctor.languages", "version", installed.Version(), "names", strings.Join(installed.Installed(), ", ")))
}

func languages(list string) []string {
	if list == "" || list == config.NoOCR {
		return nil
	}
	return strings.Split(list, "+")
}

func (d *doctor) office() {
	const subject = "LibreOffice"
	if path, err := reportpages.Converter(); err == nil {
		d.ok(subject, path)
		return
	}
	d.warn("doctor.missing", subject, d.p.Text("doctor.needs-office"), d.install(host.Office))
}

// install returns the command that installs a program, or advice if it is unknown.
func (d *doctor) install(p host.Program, languages ...string) string {
	if line := host.Install(p, languages...); line != "" {
		return line
	}
	return d.p.Text("doctor.install")
}

func (d *doctor) server(ctx context.Context, o *doctorOptions) {
	database := d.p.Text("doctor.database")
	f, err := storage.Beside(ctx, o.data, o.db)
	if err != nil {
		d.failed(database, err)
		return
	}
	beside := desk.Beside(f)
	empty, err := beside.Empty(ctx)
	jobs, failed := beside.Jobs(ctx)
	if err := errors.Join(err, failed, f.Close()); err != nil {
		d.failed(database, err)
		return
	}
	if d.ok(database, o.data); empty {
		d.warn("doctor.missing", d.p.Text("doctor.administrator"), d.p.Text("doctor.no-user"), "otisk serve admin --data "+o.data)
	}
	d.ok(d.p.Text("doctor.jobs"), d.p.Text("doctor.jobs-now", "queued", jobs[work.Queued], "running", jobs[work.Running], "failed", jobs[work.Failed]))
}

// mail checks whether a mail server answers and accepts the sender. It sends no message.
func (d *doctor) mail(ctx context.Context, o *mailOptions) {
	subject := d.p.Text("doctor.mail")
	s, err := o.server()
	if err == nil {
		err = s.Check(ctx)
	}
	if err != nil {
		d.failed(subject, err)
		return
	}
	d.ok(subject, o.address)
}

func (d *doctor) certificate(file string) {
	subject := d.p.Text("doctor.certificate")
	data, err := os.ReadFile(file)
	if err != nil {
		d.failed(subject, err)
		return
	}
	block, _ := pem.Decode(data)
	if block == nil {
		d.failed(subject, about(file, lang.NewMessage("doctor.no-pem")))
		return
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		d.failed(subject, about(file, err))
		return
	}
	until := d.p.Text("doctor.valid-until", "date", d.p.Date(c.NotAfter))
	switch left := time.Until(c.NotAfter); {
	case left < 0:
		d.failed(subject, lang.NewMessage("doctor.expired", "date", d.p.Date(c.NotAfter)))
	case left < leastValid:
		d.warn("doctor.low", subject, until, d.p.Text("doctor.renew"))
	default:
		d.ok(subject, until)
	}
}
