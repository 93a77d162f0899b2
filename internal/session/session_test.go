package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
)

// open returns a session with the default settings and an index in the working directory, a temporary folder.
func open(t *testing.T) *Session {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("ELASTICSEARCH_URL", "")
	s, err := New(config.Default(), document.Options{}, "./idx")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const text = "The quick brown fox jumps over the lazy dog while seven wizards bravely mix new potions at dawn.\n"

// index indexes a file or folder in the index of s.
func index(t *testing.T, s *Session, path string) {
	t.Helper()
	w, err := s.Writer(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := indexer.Run(t.Context(), w, []string{path}, s.IndexOptions(DefaultSize))
	if err = errors.Join(err, w.Close()); err != nil || sum.Added != 1 {
		t.Fatalf("added %d documents of %s, %v", sum.Added, path, err)
	}
}

// TestLocate: an index is a folder or in a cluster, as its name and the settings say; what may be either is rejected.
func TestLocate(t *testing.T) {
	s := open(t)
	index(t, s, files.Write(t, "a.txt", text))
	const cluster = "https://es.example.org:9200"
	for _, tt := range []struct {
		typed string
		hosts string // of the settings
		want  string // index and hosts, or a part of the error
	}{
		{"", "", "otisk.index"},
		{"theses", "", "theses"},
		{"theses", cluster, "theses " + cluster},
		{"./theses", cluster, "./theses"},
		{`C:\theses`, cluster, `C:\theses`},
		{cluster + "/news", "", "news " + cluster},
		{"HTTP://localhost:9200/news/", "", "news http://localhost:9200"},
		{"idx", cluster, "idx"}, // a folder with an index
		{"localhost:9200/news", "", "localhost:9200/news"},
		{"ftp://localhost/news", "", "ftp://localhost/news"},
		{cluster, "", cluster},
		{"https://me:secret@es.example.org/news", "", "--index"},
	} {
		settings := config.Default()
		if tt.hosts != "" {
			settings.Cluster.Hosts = []string{tt.hosts}
		}
		got := ""
		s, err := New(settings, document.Options{}, tt.typed)
		if err == nil {
			got = strings.TrimSpace(s.Settings.Index + " " + strings.Join(s.Settings.Cluster.Hosts, " "))
		}
		fails := slices.Contains([]string{"idx", "localhost:9200/news", "ftp://localhost/news", cluster}, tt.typed) || strings.Contains(tt.typed, "@")
		if fails && (!errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q with the cluster %q: %v, want a UsageError with %q", tt.typed, tt.hosts, err, tt.want)
		}
		if !fails && got != tt.want {
			t.Errorf("%q with the cluster %q: %q, %v, want %q", tt.typed, tt.hosts, got, err, tt.want)
		}
	}
	settings := config.Default()
	settings.Cluster.Hosts = []string{cluster}
	s, err := New(settings, document.Options{}, "theses")
	if err != nil {
		t.Fatal(err)
	}
	if folder, err := s.FolderOr("idx"); err != nil || !folder.Settings.Embedded() {
		t.Errorf("FolderOr(idx) = %+v, %v, want the folder", folder, err)
	}
	if other, err := s.FolderOr("news"); err == nil {
		t.Errorf("FolderOr(news) = %+v, want an error: it may be a folder or in the cluster", other.Settings)
	}
}

// TestCheck: an index with other rules is refused with the setting that differs, and is opened unchecked.
func TestCheck(t *testing.T) {
	s := open(t)
	index(t, s, files.Write(t, "a.txt", text))
	other := config.Default()
	other.Rules.StopWords = []string{"the"}
	differing, err := New(other, document.Options{}, "./idx")
	if err != nil {
		t.Fatal(err)
	}
	r, err := differing.Reader(t.Context())
	if d := new(DifferenceError); !errors.As(err, d) || d.Index != "./idx" || d.Setting == "" || !errors.As(err, new(UsageError)) {
		t.Errorf("Reader() = %v, %v, want a UsageError with the setting that differs", r, err)
	}
	r, err = differing.UncheckedReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	words := DifferenceError{Index: "idx", Setting: config.WordsSetting, Now: "3"}
	if got := words.Error(); !strings.Contains(got, "0") || !strings.Contains(got, "3") {
		t.Errorf("an index without a version of the rules for words: %q, want the versions 0 and 3", got)
	}
}

// TestPatientWriter: a second writer waits for the first, and warns once.
func TestPatientWriter(t *testing.T) {
	s := open(t)
	first, err := s.Writer(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	warnings := make(chan error, 9)
	s.Warn = func(err error) {
		warnings <- err
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	}
	second, err := s.PatientWriter(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil || len(warnings) != 1 || !errors.Is(<-warnings, store.ErrLocked) {
		t.Errorf("Close = %v, %d further warnings, want one that the index is locked", err, len(warnings))
	}
	first, err = s.Writer(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	s.Warn = nil
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if w, err := s.PatientWriter(ctx, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("PatientWriter = %v, %v, want the end of its context", w, err)
	}
}

// TestRehearse: changes are reported, and none is made, also if there is no index.
func TestRehearse(t *testing.T) {
	s := open(t)
	rehearse := func() (list []string) {
		t.Helper()
		w, err := s.Rehearse(t.Context(), func(sign, name string) error { list = append(list, sign+" "+name); return nil })
		if err != nil {
			t.Fatal(err)
		}
		opts := s.IndexOptions(DefaultSize)
		opts.Sync = true
		if _, err := indexer.Run(t.Context(), w, []string{"texts"}, opts); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return list
	}
	files.Write(t, "texts/a.txt", text)
	if got, want := rehearse(), []string{"+ texts/a.txt"}; !slices.Equal(got, want) {
		t.Errorf("without an index: %q, want %q", got, want)
	}
	if r, err := s.Reader(t.Context()); !errors.Is(err, store.ErrNoIndex) {
		t.Fatalf("Reader() = %v, %v after a rehearsal, want ErrNoIndex", r, err)
	}
	index(t, s, "texts")
	files.Write(t, "texts/a.txt", text+text+"One more sentence makes this another text than before.\n")
	files.Write(t, "texts/b.txt", text)
	if got, want := rehearse(), []string{"~ texts/a.txt", "+ texts/b.txt"}; !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("with an index: %q, want %q", got, want)
	}
	if info, err := s.Info(t.Context()); err != nil || info.Documents != 1 {
		t.Errorf("the index has %d documents, %v, want 1", info.Documents, err)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// TestJoined: several indexes are one reader; if one of them is missing, the others are closed.
func TestJoined(t *testing.T) {
	s := open(t)
	index(t, s, files.Write(t, "a.txt", text))
	index(t, s.InFolder("other"), files.Write(t, "b.txt", text+"And more.\n"))
	all, end, err := s.Joined(t.Context(), []string{"other"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := all.Info(t.Context()); err != nil || info.Documents != 2 {
		t.Errorf("%d documents, %v, want 2", info.Documents, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	closed := 0
	_, _, _, err = Join(t.Context(), []string{"./idx", "other", "missing"}, func(ctx context.Context, path string) (store.Reader, error) {
		r, err := s.InFolder(path).Reader(ctx)
		return counted{r, &closed}, err
	})
	if !errors.Is(err, store.ErrNoIndex) || closed != 2 {
		t.Errorf("Join = %v, %d closed, want ErrNoIndex and 2", err, closed)
	}
}

type counted struct {
	store.Reader
	count *int
}

func (c counted) Close() error { *c.count++; return c.Reader.Close() }

// TestReread: the text of a document whose text is not kept is that of its file, unless the file has changed.
func TestReread(t *testing.T) {
	s := open(t)
	s.Settings.KeepTexts = false
	index(t, s, files.Write(t, "a.txt", text))
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var d store.Document
	if err := r.Documents(t.Context(), "", func(found store.Document) error { d = found; return nil }); err != nil {
		t.Fatal(err)
	}
	opts, err := s.SearchOptions(search.Options{Common: FromSettings}, info, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	if opts.Common != s.Settings.Common || opts.MaxTime != s.Settings.MaxCheck || len(opts.Hints) != 1 {
		t.Errorf("SearchOptions = %+v, want the limits of the settings and one finder of hints", opts)
	}
	if got, err := opts.Reread(t.Context(), d); err != nil || got != text {
		t.Errorf("Reread = %q, %v, want %q", got, err, text)
	}
	files.Write(t, "a.txt", "another text")
	if got, err := opts.Reread(t.Context(), d); !errors.Is(err, errChanged) {
		t.Errorf("Reread of a changed file = %q, %v, want errChanged", got, err)
	}
}

// TestCopyTo: an index is copied into a new one, and a missing one leaves none behind.
func TestCopyTo(t *testing.T) {
	s := open(t)
	target := s.InFolder("copy")
	err := s.InFolder("missing").CopyTo(t.Context(), target, func(store.Reader, store.Store) error { return nil })
	if matches, _ := filepath.Glob("copy*"); !errors.Is(err, store.ErrNoIndex) || len(matches) > 0 {
		t.Errorf("CopyTo of a missing index = %v, files %v, want ErrNoIndex and none", err, matches)
	}
	index(t, s, files.Write(t, "a.txt", text))
	called := false
	err = s.InFolder("./idx").CopyTo(t.Context(), target, func(r store.Reader, w store.Store) error {
		info, err := r.Info(t.Context())
		called = info.Documents == 1
		return err
	})
	if err != nil || !called || s.Settings.Sample != config.Default().Sample {
		t.Errorf("CopyTo = %v, called with the index: %v, sample of the session %d", err, called, s.Settings.Sample)
	}
}
