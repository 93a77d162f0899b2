package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/ocr"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/union"
)

// A session has the settings of a command line, resolved from flags, file and environment.
type session struct {
	settings   *config.Settings
	norms      *normalize.Set
	encoding   string               // encoding of text files, "" to detect it
	archived   document.Boilerplate // parts of pages in web archives to read
	projects   document.Projects
	field      string          // field of JSON Lines with the text
	id         string          // field of JSON Lines with the name
	recognizer *ocr.Recognizer // nil if OCR is off
	bulkLoad   bool            // first load of the cluster: no refresh and no replicas until the end
	expect     int64           // bytes of text that an index in a cluster gets shards for, 0 if unknown
	warn       func(error)
	otherWords bool   // the index may have another version of the rules for words
	name       string // that reports call an index in the cluster, "" for its own
}

// resolve reads the settings and applies the global flags to them.
func (g *globalOptions) resolve() (*session, error) {
	settings, err := g.findSettings()
	if err != nil {
		return nil, err
	}
	switch g.frames {
	case "":
	case "keep", "strip":
		settings.Strip = g.frames == "strip"
	default:
		return nil, misuse("usage.want", "what", fmt.Sprintf("--boilerplate %q", g.frames), "wanted", lang.Say("usage.keep-or-strip"))
	}
	projects, err := g.projectMode()
	if err != nil {
		return nil, err
	}
	if g.encoding != "" {
		if err := document.CheckEncoding(g.encoding); err != nil {
			return nil, about("--encoding", err)
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
	s := &session{settings: settings, norms: norms, encoding: g.encoding, archived: document.Boilerplate(g.frames), projects: projects, field: g.field, id: g.id, recognizer: recognizer}
	return s.locate(g.index, os.Getenv)
}

func (g *globalOptions) projectMode() (document.Projects, error) {
	switch mode := document.Projects(g.projects); mode {
	case document.InArchives, "archives":
		return document.InArchives, nil
	case document.InFolders, document.Nowhere:
		return mode, nil
	}
	return "", misuse("usage.want", "what", fmt.Sprintf("--projects %q", g.projects), "wanted", lang.Say("usage.projects"))
}

func (g *globalOptions) findSettings() (*config.Settings, error) {
	if g.settings != nil {
		return g.settings, nil
	}
	settings, err := config.Find(g.config)
	if err != nil {
		return nil, usageError{err}
	}
	return settings, nil
}

// plan sets how an index in a cluster is created and filled. It returns an error for an index in
// a folder, since these flags apply to a cluster only.
func (s *session) plan(bulkLoad bool, expect int64) error {
	if s.settings.Embedded() && (bulkLoad || expect > 0) {
		return misuse("usage.for-cluster", "index", s.settings.Index)
	}
	s.bulkLoad, s.expect = bulkLoad, expect
	return nil
}

// cluster returns the configuration of the cluster in the settings and the environment.
func (s *session) cluster() esclient.Config {
	c := s.settings.Cluster
	if s.expect > 0 {
		c.Shards = 0 // computed from expect
	}
	server := wire.Config{
		Hosts: c.Hosts, CloudID: c.CloudID, Username: c.User, Password: c.Password, APIKey: c.APIKey,
		CAFile: c.CAFile, Fingerprint: c.Fingerprint, Timeout: c.Timeout, Compress: c.Compress, Waiting: s.waiting(),
	}
	return esclient.Config{
		Config: server.WithEnvironment(os.Getenv), Index: s.settings.Index, Name: s.name, Memory: s.settings.Memory,
		Shards: c.Shards, Replicas: c.Replicas, BulkLoad: s.bulkLoad, Expect: s.expect, Templates: s.templates(),
	}
}

// waiting returns a function that warns when the client waits for the cluster; nil if the session
// has no warn.
func (s *session) waiting() func(error) {
	if s.warn == nil {
		return nil
	}
	return func(err error) { s.warn(lang.Say("error.wait-cluster", "cause", err)) }
}

// templates returns a function that warns of templates of the cluster; nil if the session has no warn.
func (s *session) templates() func(string) {
	if s.warn == nil {
		return nil
	}
	return func(names string) { s.warn(lang.Say("error.templates", "templates", names)) }
}

// reader opens the index for reading and returns an error if its normalisation differs from the
// settings.
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

// joined opens the index of the session and further indexes as join does.
func (s *session) joined(ctx context.Context, also []string) (all store.Reader, of []map[store.DocID]bool, end func() error, err error) {
	openings := []opening{s.reader}
	for _, typed := range also {
		other, err := s.at(typed)
		if err != nil {
			return nil, nil, nil, err
		}
		openings = append(openings, other.reader)
	}
	return join(ctx, openings)
}

// An opening opens an index for reading.
type opening func(ctx context.Context) (store.Reader, error)

// join opens indexes, and returns a reader of all, the ids of the documents of each, and a function
// that closes them.
func join(ctx context.Context, openings []opening) (all store.Reader, of []map[store.DocID]bool, end func() error, err error) {
	var open []store.Reader
	closeAll := func() error {
		var errs []error
		for _, r := range open {
			errs = append(errs, r.Close())
		}
		return errors.Join(errs...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll())
		}
	}()
	for _, one := range openings {
		r, err := one(ctx)
		if err != nil {
			return nil, nil, nil, err
		}
		open = append(open, r)
	}
	if len(open) == 1 {
		return open[0], nil, closeAll, nil
	}
	all, of, err = union.Join(ctx, open...)
	return all, of, closeAll, err
}

// collection returns the session with a collection of a server: a folder in the working directory, or
// an index in the cluster of s.
func (s *session) collection(p indexes.Place) *session {
	if !p.InCluster() {
		return s.with(p.ID, nil, "")
	}
	other := s.with(p.Index, s.settings.Cluster.Hosts, s.settings.Cluster.CloudID)
	other.name = p.ID
	return other
}

// openReader opens the index for reading, without comparing its settings.
func (s *session) openReader(ctx context.Context) (store.Reader, error) {
	if s.settings.Embedded() {
		return segment.Open(s.settings.Index)
	}
	return esclient.Open(ctx, s.cluster())
}

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

// writer opens the index for writing. If create is set and the index does not exist, it is
// created.
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

// patience is how long a command waits while another program writes to the index. Most batches
// of otisk watch take less.
const patience = 30 * time.Second

// patientWriter is like writer, but if another program is writing to the index, it warns and
// waits for up to patience.
func (s *session) patientWriter(ctx context.Context, cmd *cobra.Command, create bool) (store.Store, error) {
	w, err := s.writer(ctx, create)
	for start, said := time.Now(), false; errors.Is(err, store.ErrLocked) && time.Since(start) < patience; {
		if !said && time.Since(start) > time.Second {
			said = true
			warn(cmd, lang.Say("error.wait-index", "cause", err, "time", patience))
		}
		if err := pause.For(ctx, 100*time.Millisecond); err != nil {
			return nil, err
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

// segmentOptions returns the options for writing an embedded index. If ctx ends, merging stops.
func (s *session) segmentOptions(ctx context.Context) segment.Options {
	return segment.Options{Memory: s.settings.Memory, Warn: s.warn, Stop: ctx.Done()}
}

// storeSettings returns the settings for a new index. has is the normalisation of the index that
// it replaces, nil if there is none.
func (s *session) storeSettings(has map[string]string) store.Settings {
	return store.Settings{Normalization: s.normalization(has), KeepTexts: s.settings.KeepTexts, Key: rand.Text()}
}

// normalization returns all settings that the hashes of an index depend on. If the settings leave
// the sample to the existing index, it is taken from has, the normalisation of that index.
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

// workers returns how many files to index concurrently; 0 means one per processor. For a cluster
// it returns more, because most workers wait for responses.
func (s *session) workers() int {
	if s.settings.Embedded() {
		return 0
	}
	return 4 * runtime.GOMAXPROCS(0)
}

// check returns an error if the normalisation of the settings differs from that of the index.
func (s *session) check(r store.Reader) error {
	then := r.Settings().Normalization
	name, now, was, differ := config.Difference(s.normalization(then), then)
	switch {
	case !differ:
		return nil
	case name == config.WordsSetting && s.otherWords:
		return nil
	case name == config.WordsSetting:
		index := s.settings.Index
		return hintedError{misuse("usage.words", "index", index, "was", cmp.Or(was, "0"), "now", now), lang.Say("usage.copy-words", "index", index)}
	}
	return usageError{settingsError{s.settings.Index, name, was, now}}
}

// checkTexts returns an error if the index keeps texts but the settings forbid keeping them.
func (s *session) checkTexts(w store.Store) error {
	if s.settings.KeepTexts || !w.Settings().KeepTexts {
		return nil
	}
	return usageError{settingsError{s.settings.Index, "keep_texts", "true", "false"}}
}

// recreate empties the index and applies the current settings to it. If they set no sample, the
// index keeps its own.
func (s *session) recreate(ctx context.Context) (err error) {
	w, err := s.openWriter(ctx, false)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	return w.Recreate(ctx, s.storeSettings(w.Settings().Normalization))
}

type settingsError struct{ index, name, then, now string }

// Message returns the error as a message of package lang.
func (e settingsError) Message() (string, []any) {
	return "usage.settings", []any{"index", e.index, "name", e.name, "then", quotedOrNone(e.then), "now", quotedOrNone(e.now)}
}

func (e settingsError) Error() string { return lang.English(e) }

// quotedOrNone returns the value of a setting in quotes, or the word none if it is empty.
func quotedOrNone(value string) any {
	if value == "" {
		return lang.Say("usage.none")
	}
	return strconv.Quote(value)
}
