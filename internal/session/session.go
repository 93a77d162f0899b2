// Package session opens the index that a command line and its settings name, and has the rules and
// limits by which texts are read, indexed and searched.
//
// [New] makes a [Session]; [Session.Reader] and [Session.Writer] open its index, after comparing the
// settings with those of the index. A session prints nothing: it passes warnings to Warn, and
// returns errors without hints.
package session

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/union"
)

// A Session has the settings of a command line, resolved from flags, file and environment.
type Session struct {
	Settings   *config.Settings
	Norms      *normalize.Set
	Read       document.Options // how files are read
	Warn       func(error)      // called with warnings about the index; may be nil
	otherWords bool             // the index may have another version of the rules for words

	bulkLoad bool   // first load of the cluster: no refresh and no replicas until the end
	expect   int64  // bytes of text that an index in a cluster gets shards for, 0 if unknown
	name     string // that reports call an index in the cluster, "" for its own
}

// New returns the session with the index typed, or with that of the settings if typed is empty. It
// adds the rules and limits of the settings to read.
func New(settings *config.Settings, read document.Options, typed string) (*Session, error) {
	norms, err := settings.Normalizers()
	if err != nil {
		return nil, UsageError{err}
	}
	read.MaxBytes, read.Time, read.Memory, read.Strip = settings.MaxFile, settings.MaxTime, settings.MaxMemory, settings.Strip
	s, err := (&Session{Settings: settings, Norms: norms, Read: read}).surrounded(typed)
	if err != nil || typed == "" {
		return s, err
	}
	return s.at(typed)
}

// Plan sets how an index in a cluster is created and filled. It returns an error for an index in
// a folder, since these flags apply to a cluster only.
func (s *Session) Plan(bulkLoad bool, expect int64) error {
	if s.Settings.Embedded() && (bulkLoad || expect > 0) {
		return misuse("usage.for-cluster", "index", s.Settings.Index)
	}
	s.bulkLoad, s.expect = bulkLoad, expect
	return nil
}

// Cluster returns the configuration of the cluster in the settings and the environment.
func (s *Session) Cluster() esclient.Config {
	c := s.Settings.Cluster
	server := wire.Config{
		Hosts: c.Hosts, CloudID: c.CloudID, Username: c.User, Password: c.Password, APIKey: c.APIKey,
		CAFile: c.CAFile, Fingerprint: c.Fingerprint, Timeout: c.Timeout, Compress: c.Compress,
	}
	config := esclient.Config{
		Config: server.WithEnvironment(os.Getenv), Index: s.Settings.Index, Name: s.name, Memory: s.Settings.Memory,
		Shards: c.Shards, Replicas: c.Replicas, BulkLoad: s.bulkLoad, Expect: s.expect,
	}
	if s.expect > 0 {
		config.Shards = 0 // computed from expect
	}
	if s.Warn != nil {
		config.Waiting = func(err error) { s.Warn(lang.NewMessage("error.wait-cluster", "cause", err)) }
		config.Templates = func(names string) { s.Warn(lang.NewMessage("error.templates", "templates", names)) }
	}
	return config
}

// Reader opens the index for reading and returns an error if its normalisation differs from the
// settings.
func (s *Session) Reader(ctx context.Context) (store.Reader, error) {
	r, err := s.UncheckedReader(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Check(r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Info returns the description of the index.
func (s *Session) Info(ctx context.Context) (info store.Info, err error) {
	r, err := s.Reader(ctx)
	if err != nil {
		return info, err
	}
	defer closing.Into(&err, r)
	return r.Info(ctx)
}

// Joined opens the index of the session and further indexes as [Join] does, each once.
func (s *Session) Joined(ctx context.Context, also []string) (all store.Reader, end func() error, err error) {
	sessions := []*Session{s}
	for _, typed := range also {
		other, err := s.at(typed)
		if err != nil {
			return nil, nil, err
		}
		if !slices.ContainsFunc(sessions, other.sameIndex) {
			sessions = append(sessions, other)
		}
	}
	all, _, end, err = Join(ctx, sessions, func(ctx context.Context, s *Session) (store.Reader, error) { return s.Reader(ctx) })
	return all, end, err
}

func (s *Session) sameIndex(other *Session) bool {
	if !s.Settings.Embedded() || !other.Settings.Embedded() {
		return s.Settings.Index == other.Settings.Index && slices.Equal(s.Settings.Cluster.Hosts, other.Settings.Cluster.Hosts)
	}
	one, err := os.Stat(s.Settings.Index)
	if err != nil {
		return false
	}
	two, err := os.Stat(other.Settings.Index)
	return err == nil && os.SameFile(one, two)
}

// Join opens the indexes at places, and returns a reader of all, the ids of the documents of each, and a function that
// closes them. The ids of a single index are nil.
func Join[P any](ctx context.Context, places []P, open func(context.Context, P) (store.Reader, error)) (all store.Reader, of []map[store.DocID]bool, end func() error, err error) {
	var list []store.Reader
	end = func() (err error) {
		for _, r := range list {
			err = errors.Join(err, r.Close())
		}
		return err
	}
	for _, p := range places {
		r, err := open(ctx, p)
		if err != nil {
			return nil, nil, nil, errors.Join(err, end())
		}
		list = append(list, r)
	}
	if len(list) == 1 {
		return list[0], nil, end, nil
	}
	if all, of, err = union.Join(ctx, list...); err != nil {
		return nil, nil, nil, errors.Join(err, end())
	}
	return all, of, end, nil
}

// UncheckedReader opens the index for reading, without comparing its settings.
func (s *Session) UncheckedReader(ctx context.Context) (store.Reader, error) {
	if s.Settings.Embedded() {
		return segment.Open(s.Settings.Index)
	}
	return esclient.Open(ctx, s.Cluster())
}

// Writer opens the index for writing. If create is set and the index does not exist, it is
// created.
func (s *Session) Writer(ctx context.Context, create bool) (store.Store, error) {
	w, err := s.UncheckedWriter(ctx, create)
	if err != nil {
		return nil, err
	}
	err = s.Check(w)
	if err == nil && create {
		err = s.CheckTexts(w)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// patience is how long a command waits while another program writes to the index. Most batches
// of otisk watch take less.
const patience = 30 * time.Second

// PatientWriter is like Writer, but if another program is writing to the index, it warns and
// waits for up to patience.
func (s *Session) PatientWriter(ctx context.Context, create bool) (store.Store, error) {
	w, err := s.Writer(ctx, create)
	for start, said := time.Now(), s.Warn == nil; errors.Is(err, store.ErrLocked) && time.Since(start) < patience; {
		if !said && time.Since(start) > time.Second {
			said = true
			s.Warn(lang.NewMessage("error.wait-index", "cause", err, "time", patience))
		}
		if err := pause.For(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
		w, err = s.Writer(ctx, create)
	}
	return w, err
}

// UncheckedWriter opens the index for writing, without comparing its settings.
func (s *Session) UncheckedWriter(ctx context.Context, create bool) (store.Store, error) {
	embedded := s.Settings.Embedded()
	options := segment.Options{Memory: s.Settings.Memory, Warn: s.Warn, Stop: ctx.Done()} // if ctx ends, merging stops
	switch {
	case embedded && create:
		return segment.Create(s.Settings.Index, s.StoreSettings(nil), options)
	case embedded:
		return segment.OpenWriter(s.Settings.Index, options)
	case create:
		return esclient.Create(ctx, s.Cluster(), s.StoreSettings(nil))
	}
	return esclient.OpenStore(ctx, s.Cluster())
}

// StoreSettings returns the settings for a new index. has is the normalisation of the index that
// it replaces, nil if there is none.
func (s *Session) StoreSettings(has map[string]string) store.Settings {
	return store.Settings{Normalization: s.normalization(has), KeepTexts: s.Settings.KeepTexts, Key: rand.Text()}
}

// normalization returns all settings that the hashes of an index depend on. If the settings leave
// the sample to the existing index, it is taken from has, the normalisation of that index.
func (s *Session) normalization(has map[string]string) map[string]string {
	all := s.Settings.Normalization()
	sample := s.Settings.Sample
	if sample == config.AsIndexed {
		sample = store.Settings{Normalization: has}.Sample()
	}
	if sample > 0 {
		all[store.SampleSetting] = strconv.Itoa(sample)
	}
	return all
}

// IndexOptions returns the options for indexing by n-grams of n words. For a cluster, more files are
// indexed concurrently than there are processors, because most workers wait for responses.
func (s *Session) IndexOptions(n int) indexer.Options {
	o := indexer.Options{N: n, Pairs: s.Settings.Reworded, Norms: s.Norms, Read: s.Read, Exclude: s.OwnFolders()}
	if !s.Settings.Embedded() {
		o.Workers = 4 * runtime.GOMAXPROCS(0)
	}
	return o
}

// LimitMemory sets the soft memory limit of the Go runtime to the most that indexing needs: its
// buffers, the largest file, and 96 MiB for processing them. GOMEMLIMIT, if set, takes
// precedence.
func (s *Session) LimitMemory() {
	const buffers, more = 96 << 20, 96 << 20
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(max(s.Settings.Memory, buffers) + s.Settings.MaxFile + more)
	}
}

// OwnFolders returns the folders that are not indexed: that of the index. An index in a cluster
// has none, even if its name is that of a folder.
func (s *Session) OwnFolders() []string {
	if !s.Settings.Embedded() {
		return nil
	}
	return []string{walk.Absolute(s.Settings.Index)}
}

// IndexName returns a name of the index for state files. It does not depend on the working
// directory, and is the same before and after the index is created.
func (s *Session) IndexName() string {
	if !s.Settings.Embedded() {
		return strings.Join(s.Settings.Cluster.Hosts, ",") + "/" + s.Settings.Index
	}
	return walk.Absolute(s.Settings.Index)
}

// CopyTo opens the index for reading and that of target for writing, and calls fn to copy one to the other. n-grams are
// made again, so the rules for words may differ; the sample of the settings applies to the target.
func (s *Session) CopyTo(ctx context.Context, target *Session, fn func(store.Reader, store.Store) error) (err error) {
	s.otherWords, s.Settings.Sample = true, config.AsIndexed
	r, err := s.Reader(ctx)
	if err != nil {
		return err
	}
	defer closing.Into(&err, r)
	w, err := target.Writer(ctx, true)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	return fn(r, w)
}

// Check returns an error if the normalisation of the settings differs from that of the index.
func (s *Session) Check(r store.Summary) error {
	then := r.Settings().Normalization
	name, now, was, differ := config.Difference(s.normalization(then), then)
	if !differ || name == config.WordsSetting && s.otherWords {
		return nil
	}
	return UsageError{DifferenceError{s.Settings.Index, name, was, now}}
}

// CheckTexts returns an error if the index keeps texts but the settings forbid keeping them.
func (s *Session) CheckTexts(w store.Summary) error {
	if s.Settings.KeepTexts || !w.Settings().KeepTexts {
		return nil
	}
	return UsageError{DifferenceError{s.Settings.Index, "keep_texts", "true", "false"}}
}

// Recreate empties the index and applies the current settings to it. If they set no sample, the
// index keeps its own.
func (s *Session) Recreate(ctx context.Context) (err error) {
	w, err := s.UncheckedWriter(ctx, false)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	return w.Recreate(ctx, s.StoreSettings(w.Settings().Normalization))
}
