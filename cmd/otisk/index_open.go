package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/ocr"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// A session is a command line resolved: its settings and the rules from them.
type session struct {
	settings   *config.Settings
	norms      *normalize.Set
	encoding   string          // of text files, "" to find out
	keep       bool            // what is around the text of pages is wanted, in archives of the web too
	field      string          // of JSON Lines, which has the text
	id         string          // of JSON Lines, which has the name
	recognizer *ocr.Recognizer // of text in pictures, nil for none
	bulkLoad   bool            // the cluster is to be filled for the first time
	expect     int64           // bytes of text that an index in a cluster is made for, 0 where nobody says
	warn       func(error)
}

// resolve reads the settings that the flags name.
func (g *globalOptions) resolve() (*session, error) {
	settings, err := config.Find(g.config)
	if err != nil {
		return nil, usageError{err}
	}
	switch g.frames {
	case "":
	case "keep", "strip":
		settings.Strip = g.frames == "strip"
	default:
		return nil, misuse("usage.want", "what", fmt.Sprintf("--boilerplate %q", g.frames), "wanted", lang.Say("usage.keep-or-strip"))
	}
	if g.encoding != "" {
		if err := document.CheckEncoding(g.encoding); err != nil {
			return nil, usagef("--encoding: %w", err)
		}
	}
	recognizer, err := g.recognizer(settings)
	if err != nil {
		return nil, err
	}
	norms, err := settings.Normalizers()
	if err != nil {
		return nil, usageError{err}
	}
	s := &session{settings: settings, norms: norms, encoding: g.encoding, keep: g.frames == "keep", field: g.field, id: g.id, recognizer: recognizer}
	return s.locate(g.index, os.Getenv)
}

// plan takes over how an index in a cluster is to be made and filled; for a folder
// that is refused, since who says so means a cluster.
func (s *session) plan(bulkLoad bool, expect int64) error {
	if s.settings.Embedded() && (bulkLoad || expect > 0) {
		return usagef("--bulk-load and --expect are for an index in a cluster, and %s is a folder: name the cluster by <host>, or the index by --index https://HOST:PORT/NAME", s.settings.Index)
	}
	s.bulkLoad, s.expect = bulkLoad, expect
	return nil
}

// cluster returns how to reach the cluster that the settings name.
func (s *session) cluster() esclient.Config {
	c := s.settings.Cluster
	if s.expect > 0 {
		c.Shards = 0 // which this says
	}
	server := wire.Config{
		Hosts: c.Hosts, CloudID: c.CloudID, Username: c.User, Password: c.Password, APIKey: c.APIKey,
		CAFile: c.CAFile, Fingerprint: c.Fingerprint, Timeout: c.Timeout, Compress: c.Compress, Waiting: s.waiting(),
	}
	return esclient.Config{
		Config: server.WithEnvironment(os.Getenv), Index: s.settings.Index, Memory: s.settings.Memory,
		Shards: c.Shards, Replicas: c.Replicas, BulkLoad: s.bulkLoad, Expect: s.expect,
	}
}

// waiting returns what tells that a cluster is waited for; nil where nothing is told.
func (s *session) waiting() func(error) {
	if s.warn == nil {
		return nil
	}
	return func(err error) { s.warn(fmt.Errorf("the cluster is waited for: %w", err)) }
}

// reader opens the index for reading, and checks that it was made with the
// same normalisation.
func (s *session) reader(ctx context.Context) (store.Reader, error) {
	r, err := s.openReader(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.check(r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// openReader opens the index for reading, whatever it was made with.
func (s *session) openReader(ctx context.Context) (store.Reader, error) {
	if s.settings.Embedded() {
		return segment.Open(s.settings.Index)
	}
	return esclient.Open(ctx, s.cluster())
}

// withReader calls fn with the index that the flags name, whatever it was made
// with.
func (g *globalOptions) withReader(ctx context.Context, fn func(*session, store.Reader) error) (err error) {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	r, err := s.openReader(ctx)
	if err != nil {
		return err
	}
	defer closing.Into(&err, r)
	return fn(s, r)
}

// writer opens the index for writing; create says to make it if it is not
// there.
func (s *session) writer(ctx context.Context, create bool) (store.Store, error) {
	w, err := s.openWriter(ctx, create)
	if err != nil {
		return nil, err
	}
	err = s.check(w)
	if err == nil && create {
		err = s.checkTexts(w)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// patience is how long a command waits for another one that writes to the index:
// otisk watch is done with a batch in that time, mostly.
const patience = 30 * time.Second

// patientWriter is writer, but it waits for another program to be done with the
// index, and says so.
func (s *session) patientWriter(ctx context.Context, cmd *cobra.Command, create bool) (store.Store, error) {
	w, err := s.writer(ctx, create)
	for start, said := time.Now(), false; errors.Is(err, store.ErrLocked) && time.Since(start) < patience; {
		if !said && time.Since(start) > time.Second {
			said = true
			warn(cmd, "%v: waiting for up to %v", err, patience)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
		w, err = s.writer(ctx, create)
	}
	return w, err
}

func (s *session) openWriter(ctx context.Context, create bool) (store.Store, error) {
	embedded := s.settings.Embedded()
	switch {
	case embedded && create:
		return segment.Create(s.settings.Index, s.storeSettings(nil), s.segmentOptions(ctx))
	case embedded:
		return segment.OpenWriter(s.settings.Index, s.segmentOptions(ctx))
	case create:
		return esclient.Create(ctx, s.cluster(), s.storeSettings(nil))
	}
	return esclient.OpenStore(ctx, s.cluster())
}

// segmentOptions returns how an embedded index is written. An interruption does not wait
// for merging.
func (s *session) segmentOptions(ctx context.Context) segment.Options {
	return segment.Options{Memory: s.settings.Memory, Warn: s.warn, Stop: ctx.Done()}
}

// storeSettings are what a new index is made with, in the place of one that was
// made with has; nil where there was none.
func (s *session) storeSettings(has map[string]string) store.Settings {
	return store.Settings{Normalization: s.normalization(has), KeepTexts: s.settings.KeepTexts, Key: rand.Text()}
}

// normalization returns all that the hashes of an index depend on. What the
// settings leave to an index that is there is as in has, its own.
func (s *session) normalization(has map[string]string) map[string]string {
	all := s.settings.Normalization()
	sample := s.settings.Sample
	if sample == config.AsIndexed {
		sample = store.Settings{Normalization: has}.Sample()
	}
	if sample > 0 {
		all[store.SampleSetting] = strconv.Itoa(sample)
	}
	return all
}

// workers returns how many files to index at once, 0 for one a processor. With
// a cluster they are more, because most of them wait for its answer.
func (s *session) workers() int {
	if s.settings.Embedded() {
		return 0
	}
	return 4 * runtime.GOMAXPROCS(0)
}

// check compares the normalisation of the settings with that of the index.
func (s *session) check(r store.Reader) error {
	then := r.Settings().Normalization
	name, now, was, differ := config.Difference(s.normalization(then), then)
	if differ {
		return usageError{settingsError{s.settings.Index, name, was, now}}
	}
	return nil
}

// checkTexts refuses to add to an index that keeps texts where the settings say
// that none is to be kept.
func (s *session) checkTexts(w store.Store) error {
	if s.settings.KeepTexts || !w.Settings().KeepTexts {
		return nil
	}
	return usageError{settingsError{s.settings.Index, "keep_texts", "true", "false"}}
}

// recreate empties the index and gives it the present settings, and its own sample
// where they do not say one.
func (s *session) recreate(ctx context.Context) (err error) {
	w, err := s.openWriter(ctx, false)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	return w.Recreate(ctx, s.storeSettings(w.Settings().Normalization))
}

// A settingsError says that an index was made with other settings.
type settingsError struct{ index, name, then, now string }

func (e settingsError) Error() string {
	return fmt.Sprintf("index %s was made with another %s: %s, the settings now say %s", e.index, e.name, quotedOrNone(e.then), quotedOrNone(e.now))
}

// quotedOrNone quotes the value of a setting. Some that are not there are as good
// as any.
func quotedOrNone(value string) string {
	if value == "" {
		return "none"
	}
	return strconv.Quote(value)
}

func isServerError(err error) bool { return errors.Is(err, wire.ErrServer) }

// hint returns what the user can do about err, "" where there is nothing to
// say.
func hint(err error, p *lang.Printer) string {
	var hinted hintedError
	if errors.As(err, &hinted) {
		return p.Err(hinted.hint)
	}
	return p.Said(advice(err))
}

// advice returns what the user can do about an error of a package, in English.
func advice(err error) string {
	var other settingsError
	var server *wire.Error
	switch {
	case errors.As(err, &other):
		return "give the settings that the index was made with by --config, or make a new index with another name, by --index"
	case errors.As(err, &server):
		return server.Hint()
	case errors.Is(err, esclient.ErrStale):
		return "the same command again searches the index as it is now"
	case errors.Is(err, esclient.ErrForeign):
		return "another program has that name: give the index another one, by --index or <index>"
	case errors.Is(err, segment.ErrOutdated):
		return "index the files again into a new folder: otisk index --index NEW PATH..."
	case errors.Is(err, esclient.ErrOutdated):
		return "delete the indices NAME-* in the cluster and run otisk index PATH... again, or index into another name, by --index"
	case errors.Is(err, syscall.ENOSPC):
		return "make room on the disk, and repeat the command; what was committed to an index is safe, and is not done again"
	case errors.Is(err, search.ErrNoSize):
		return "search by a size that is there, or add this one by the same -n of otisk index PATH..."
	case errors.Is(err, store.ErrNoIndex):
		return "make one with otisk index PATH..., or name another with --index"
	case errors.Is(err, store.ErrLocked):
		return "wait until the other otisk has ended; searching works meanwhile"
	case errors.Is(err, store.ErrReadOnly):
		return "searching works; to change the index, make its folder writable, or name another with --index"
	case errors.Is(err, esclient.ErrGone):
		return "restore it from a snapshot, an alias by _aliases; or make a new index with another name, by --index"
	case errors.Is(err, store.ErrDamaged):
		return "otisk verify says what is damaged; index the files again into a new index"
	case errors.Is(err, store.ErrFormat):
		return "use the otisk that made it, or make a new index with another name, by --index"
	}
	return ""
}
