package watch

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// A bench is a watcher that a test runs step by step, with its folder, its index, and its
// messages.
type bench struct {
	t      *testing.T
	w      *watcher
	folder string
	index  string

	mu   sync.Mutex
	told []string
}

const settle = 10 * time.Millisecond

func newBench(t *testing.T, change func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, folder: filepath.Join(t.TempDir(), "theses"), index: filepath.Join(t.TempDir(), "index")}
	if err := os.MkdirAll(b.folder, 0o777); err != nil {
		t.Fatal(err)
	}
	b.start(change)
	return b
}

// start begins to watch, as a program does that is started again.
func (b *bench) start(change func(*Options)) {
	b.t.Helper()
	opts := b.options()
	if change != nil {
		change(&opts)
	}
	w, err := newWatcher(opts)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := w.load(b.t.Context(), w.roots...); err != nil {
		b.t.Fatal(err)
	}
	b.w = w
}

func (b *bench) options() Options {
	norms, err := normalize.NewSet(normalize.Rules{}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return Options{
		Folders: []string{b.folder}, Settle: settle, Every: 50 * time.Millisecond, NoEvents: true,
		Index: indexer.Options{N: 3, Norms: norms},
		Open:  func(context.Context) (store.Store, error) { return b.open() },
		OnEvent: func(e Event) {
			if e.Summary == nil {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.told = append(b.told, strings.TrimPrefix(e.Path, b.folder)+": "+cmp.Or(e.Err, e.Note).Error())
			}
		},
	}
}

func (b *bench) open() (store.Store, error) {
	return segment.Create(b.index, store.Settings{KeepTexts: true}, segment.Options{})
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) do(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// pass looks, waits until all is whole, and makes a batch.
func (b *bench) pass() {
	b.t.Helper()
	b.w.look(b.t.Context())
	time.Sleep(settle + 2*time.Millisecond)
	b.w.settle()
	b.w.now = time.Now()
	b.do(b.w.batch(b.t.Context()))
}

// want checks which documents are in the index.
func (b *bench) want(names ...string) {
	b.t.Helper()
	s, err := b.open()
	b.do(err)
	defer s.Close()
	var got []string
	b.do(s.Documents(b.t.Context(), "", func(d store.Document) error {
		got = append(got, strings.TrimPrefix(d.Name(), "theses/"))
		return nil
	}))
	slices.Sort(names)
	if !slices.Equal(got, names) {
		b.t.Errorf("the index has %q, want %q", got, names)
	}
}

// wantTold checks that an event with this text was reported this number of times.
func (b *bench) wantTold(times int, part string) {
	b.t.Helper()
	count := 0
	for _, line := range b.told {
		if strings.Contains(line, part) {
			count++
		}
	}
	if count != times {
		b.t.Errorf("%q was told %d times, want %d: %q", part, count, times, b.told)
	}
}

// TestUnmounted: documents of files on another disk are kept when it is unmounted, however few
// they are, and whether or not the mount point still exists.
func TestUnmounted(t *testing.T) {
	for _, left := range []string{"the folder", "a file in it", "nothing"} {
		b := newBench(t, nil)
		for i := range 30 {
			b.write(fmt.Sprintf("%d.txt", i), fmt.Sprintf("a text that has number %d here", i))
		}
		b.write("disk/sub/a.txt", "on the disk of another machine")
		b.write("disk/b.txt", "on the disk of another machine, too")
		b.pass()
		for _, name := range []string{"disk", "disk/sub"} { // as if it had been another disk
			n := b.w.roots[0].at(filepath.Join(b.folder, name), false)
			n.dev = 99_999
			n.each(func(f *node) { f.file.dev = 99_999 })
		}
		b.do(os.RemoveAll(filepath.Join(b.folder, "disk")))
		switch left {
		case "the folder":
			b.do(os.Mkdir(filepath.Join(b.folder, "disk"), 0o777))
		case "a file in it":
			b.write("disk/README", "nothing is mounted here now")
		}
		for range 3 {
			b.pass()
		}
		b.do(os.RemoveAll(filepath.Join(b.folder, "disk"))) // as some systems do then
		b.w.hint(t.Context(), filepath.Join(b.folder, "disk"), true)
		b.pass()
		b.pass()
		if !b.has("disk/sub/a.txt") || !b.has("disk/b.txt") {
			t.Errorf("%s is left: the document on the disk was removed", left)
		}
		times := 1
		if left == "a file in it" { // which is missing then, too
			times = 2
		}
		b.wantTold(times, "a disk may be missing")
		b.write("disk/sub/a.txt", "on the disk of another machine")
		b.write("disk/b.txt", "on the disk of another machine, too")
		b.write("disk/README", "nothing is mounted here now")
		b.pass()
		b.wantTold(1, "no file is missing now")
		b.do(os.RemoveAll(filepath.Join(b.folder, "disk")))
		b.pass()
		if b.has("disk/sub/a.txt") {
			t.Errorf("%s was left: a document that was really removed stays", left)
		}
	}
}

func (b *bench) has(name string) bool {
	s, err := b.open()
	b.do(err)
	defer s.Close()
	_, err = store.Entry(b.t.Context(), s, store.IDOf("", "theses/"+name))
	return err == nil
}

// TestMostGone: less than half of the files are left, so none is removed.
func TestMostGone(t *testing.T) {
	b := newBench(t, nil)
	for i := range 60 {
		b.write(fmt.Sprintf("%d/%d.txt", i%2, i), fmt.Sprintf("a text that has number %d here", i))
	}
	b.write("stays.txt", "one text that stays where it is")
	b.pass()
	b.do(os.RemoveAll(filepath.Join(b.folder, "0")))
	for i := 1; i < 8; i += 2 {
		b.do(os.Remove(filepath.Join(b.folder, "1", fmt.Sprintf("%d.txt", i))))
	}
	b.start(nil) // as if no run was active when they were removed
	b.pass()
	b.pass()
	if !b.has("0/2.txt") || !b.has("1/3.txt") {
		t.Error("documents were removed although most files are not there")
	}
	b.wantTold(1, "34 of its 61 files")
	b.start(func(o *Options) { o.RemoveMany = true })
	b.pass()
	if b.has("0/2.txt") || !b.has("1/9.txt") {
		t.Error("--remove-many does not remove what is gone")
	}
}

// TestMovedFolder: a folder with most of the files has another name now: that is
// no missing disk.
func TestMovedFolder(t *testing.T) {
	b := newBench(t, nil)
	for i := range 60 {
		b.write(fmt.Sprintf("old/%d.txt", i), fmt.Sprintf("a text that has number %d here", i))
	}
	b.pass()
	b.do(os.Rename(filepath.Join(b.folder, "old"), filepath.Join(b.folder, "new")))
	b.pass()
	if b.has("old/3.txt") || !b.has("new/3.txt") {
		t.Error("a folder that was renamed is not renamed in the index")
	}
	b.wantTold(0, "disk")
}

// TestArchive: with a file go all documents that it holds, and those that it does
// not hold any more.
func TestArchive(t *testing.T) {
	b := newBench(t, nil)
	b.write("other.txt", "some other text in the folder")
	b.zip("a.zip", map[string]string{"1.txt": "the first text of it", "2.txt": "the second text of it"})
	b.pass()
	b.want("a.zip!/1.txt", "a.zip!/2.txt", "other.txt")
	b.zip("a.zip", map[string]string{"2.txt": "the second text of it", "3.txt": "the third text of it"})
	b.pass()
	b.want("a.zip!/2.txt", "a.zip!/3.txt", "other.txt")
	b.write("a.zip", "now it is no archive but text")
	b.pass()
	b.want("a.zip", "other.txt")
	b.zip("a.zip", map[string]string{"2.txt": "the second text of it", "3.txt": "short"})
	b.pass()
	b.want("a.zip!/2.txt", "other.txt")
	b.wantTold(1, "too short")
	b.do(os.Remove(filepath.Join(b.folder, "a.zip")))
	b.pass()
	b.want("other.txt")
}

// TestHeldFallsApart: the documents of a container are kept if it becomes unreadable, and removed if
// it becomes another kind of file.
func TestHeldFallsApart(t *testing.T) {
	const lines = `{"id":"a","text":"the first text of it"}` + "\n" + `{"id":"b","text":"the second text of it"}` + "\n"
	const rows = "id,text\na,the first text of it\nb,the second text of it\n"
	page := func(uri, head, body string) string {
		body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + head + "\r\n" + body
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", uri, len(body), body)
	}
	pages := page("http://x/a", "", "the first text of it") + page("http://x/b", "", "the second text of it")
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text)) // a buffer takes everything
		_ = z.Close()
		return b.String()
	}
	for _, tt := range []struct {
		name, file, before, after string
		told                      string
		goes                      bool
	}{
		{"no column text", "f.csv", rows, strings.Replace(rows, "text", "body", 1), "the index has 2 documents of it, and it would be read as one text; the table has no column called text", false},
		{"no field text", "f.jsonl", lines, strings.ReplaceAll(lines, `"text"`, `"body"`), `f.jsonl!/a: no text in it: it has no field or column "text": body, id`, false},
		{"no head of a pack", "f.jsonl.gz", packed(lines), packed(lines)[4:], "", false},
		{"a pack cut in its head", "f.jsonl.gz", packed(lines), packed(lines)[:8], "", false},
		{"a pack cut off", "f.csv.gz", packed(rows), packed(rows)[:30], "", false},
		{"bytes in the place of a pack", "f.jsonl.gz", packed(lines), strings.Repeat("\x00\x01\x02\xff", 99), "encoding unknown", false},
		{"no beginning of an archive", "f.warc", pages, pages[2:], "the index has 2 documents of it, and it would be read as one text", false},
		{"a page cut off", "f.warc", pages, page("http://x/a", "Content-Length: 99\r\n", "the") + page("http://x/b", "", "the second text of it"), "too short", false},
		{"a page not there", "f.warc", pages, page("http://x/a", "Content-Length: 99\r\n", "") + page("http://x/b", "", "the second text of it"), "the HTTP response has 0 of 99 bytes", false},
		{"a zip cut off", "f.zip", zipped(t, "a", "b"), zipped(t, "a", "b")[:150], "", false},
		{"no row any more", "f.csv", rows, "id,text\n", "it has no documents", true},
		{"one row less", "f.csv", rows, rows[:strings.Index(rows, "b,")], "", true},
		{"a text in the place of a zip", "f.zip", zipped(t, "a", "b"), "a text that is no archive", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.write("other.txt", "some other text in the folder")
			b.write(tt.file, tt.before)
			b.pass()
			before := b.held(tt.file)
			b.write(tt.file, tt.after)
			b.pass()
			if after := b.held(tt.file); before != 2 || tt.goes != (after < 2) {
				t.Errorf("of %d documents %d stay: %q", before, after, b.told)
			}
			if tt.told != "" {
				b.wantTold(1, tt.told)
			}
		})
	}
}

// held counts the documents of the index that a file holds.
func (b *bench) held(name string) (count int) {
	b.t.Helper()
	s, err := b.open()
	b.do(err)
	defer s.Close()
	b.do(s.Documents(b.t.Context(), "", func(d store.Document) error {
		if strings.Contains(d.Name(), name+"!/") {
			count++
		}
		return nil
	}))
	return count
}

// zipped returns an archive of some texts.
func zipped(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "the text of it that is called %s", name)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (b *bench) zip(name string, members map[string]string) {
	b.t.Helper()
	f, err := os.Create(filepath.Join(b.folder, name))
	b.do(err)
	z := zip.NewWriter(f)
	for name, text := range members {
		w, err := z.Create(name)
		b.do(err)
		_, err = w.Write([]byte(text))
		b.do(err)
	}
	b.do(z.Close())
	b.do(f.Close())
}

// TestFileAndFolder: one takes the place of the other.
func TestFileAndFolder(t *testing.T) {
	b := newBench(t, nil)
	b.write("a", "a text that has five words")
	b.write("stays.txt", "one text that stays where it is")
	b.pass()
	b.do(os.Remove(filepath.Join(b.folder, "a")))
	b.write("a/b.txt", "another text in a folder of that name")
	b.pass()
	b.want("a/b.txt", "stays.txt")
	b.do(os.RemoveAll(filepath.Join(b.folder, "a")))
	b.write("a", "a text that has five words again")
	b.pass()
	b.want("a", "stays.txt")
}

// TestLinks: a text that is reached by several ways is one document, and stays
// one while any of them exists.
func TestLinks(t *testing.T) {
	b := newBench(t, nil)
	outside := t.TempDir()
	b.do(os.WriteFile(filepath.Join(outside, "far.txt"), []byte("a text that is somewhere else"), 0o666))
	b.write("own.txt", "a text of the folder itself")
	if err := os.Symlink(outside, filepath.Join(b.folder, "one")); err != nil {
		t.Skip(err)
	}
	b.do(os.Symlink(outside, filepath.Join(b.folder, "two")))
	b.do(os.Symlink(filepath.Join(b.folder, "own.txt"), filepath.Join(b.folder, "z.txt")))
	b.do(os.Symlink(b.folder, filepath.Join(b.folder, "loop")))
	b.pass()
	b.pass()
	b.want("one/far.txt", "own.txt")
	b.wantTold(1, "a folder that contains it")
	b.do(os.Remove(filepath.Join(b.folder, "z.txt")))
	b.do(os.Remove(filepath.Join(b.folder, "one")))
	b.pass()
	b.pass()
	b.want("own.txt", "two/far.txt")
	b.do(os.WriteFile(filepath.Join(outside, "far.txt"), []byte("a text that is changed there"), 0o666))
	b.pass()
	b.do(os.Remove(filepath.Join(b.folder, "two")))
	b.pass()
	b.want("own.txt")
}

// TestLinkLeadsNowhere: documents of the target of a link are kept while the link is broken, as
// after a disk was unmounted, and removed with the link.
func TestLinkLeadsNowhere(t *testing.T) {
	b := newBench(t, nil)
	outside := filepath.Join(t.TempDir(), "disk")
	b.do(os.Mkdir(outside, 0o777))
	b.do(os.WriteFile(filepath.Join(outside, "far.txt"), []byte("a text that lies on another disk"), 0o666))
	b.write("near.txt", "a text that lies in the folder itself")
	link := filepath.Join(b.folder, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Skip(err)
	}
	b.pass()
	b.want("link/far.txt", "near.txt")

	b.do(os.Rename(outside, outside+" elsewhere")) // the disk is missing for a while
	b.pass()
	b.want("link/far.txt", "near.txt")

	b.do(os.Remove(link))
	b.pass()
	b.want("near.txt")
}

// TestNotWhole: a file that grows, or that a program has open, waits.
func TestNotWhole(t *testing.T) {
	b := newBench(t, nil)
	b.write("grows.txt", "a text that has just")
	b.w.look(t.Context())
	time.Sleep(settle + time.Millisecond)
	b.write("grows.txt", "a text that has just grown by some words")
	b.w.settle()
	if got := b.w.ready(); got != 0 {
		t.Errorf("%d files that grow are taken for whole", got)
	}
	time.Sleep(settle + time.Millisecond)
	if b.w.settle(); b.w.ready() != 1 {
		t.Error("a file that does not grow any more is not taken for whole")
	}
	f, err := os.OpenFile(filepath.Join(b.folder, "grows.txt"), os.O_WRONLY|os.O_APPEND, 0)
	b.do(err)
	if beingWritten(f.Name()) {
		b.start(nil)
		b.w.look(t.Context())
		time.Sleep(settle + time.Millisecond)
		if b.w.settle(); b.w.ready() != 0 {
			t.Error("a file that is open for writing is taken for whole")
		}
	}
	b.do(f.Close())
	b.pass()
	b.want("grows.txt")
}

// TestNamedOnce: an unusable file is reported once, however often it is examined.
func TestNamedOnce(t *testing.T) {
	b := newBench(t, nil)
	b.write("good.txt", "a text that has five words")
	b.write("short.txt", "short")
	b.do(os.Symlink(filepath.Join(b.folder, "nothing"), filepath.Join(b.folder, "dangling.txt")))
	for range 3 {
		b.pass()
	}
	b.wantTold(1, "short.txt: too short")
	b.wantTold(1, "dangling.txt: no such file")
	b.want("good.txt")
}

// TestLocked: while another program writes to the index, watch waits.
func TestLocked(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.txt", "a text that has five words")
	other, err := b.open()
	b.do(err)
	onEvent := b.w.opts.OnEvent
	b.w.opts.OnEvent = func(e Event) {
		onEvent(e)
		if err := cmp.Or(e.Err, e.Note); err != nil && strings.Contains(err.Error(), "another program") {
			b.do(other.Close())
		}
	}
	b.pass()
	b.wantTold(1, "another program writes to the index")
	b.want("a.txt")
}

// TestFailedCommit: what could not be done is done at the next try, and nothing is
// forgotten.
func TestFailedCommit(t *testing.T) {
	broken := true
	b := newBench(t, nil)
	b.start(func(o *Options) {
		open := o.Open
		o.Open = func(ctx context.Context) (store.Store, error) {
			if s, err := open(ctx); !broken || err != nil {
				return s, err
			} else {
				return failing{s}, nil
			}
		}
	})
	b.write("a.txt", "a text that has five words")
	b.w.look(t.Context())
	time.Sleep(settle + time.Millisecond)
	b.w.settle()
	b.w.batchOrTell(t.Context())
	b.w.batchOrTell(t.Context())
	b.wantTold(1, "no space left on device: trying again every")
	broken = false
	b.w.batchOrTell(t.Context())
	b.want("a.txt")
}

type failing struct{ store.Store }

func (failing) Commit(context.Context) error { return syscall.ENOSPC }

// TestLimit: if the system cannot watch more folders, this is reported, and scans find the
// changes.
func TestLimit(t *testing.T) {
	b := newBench(t, nil)
	b.w.opts.NoEvents = false
	if b.w.events = b.w.listen(); b.w.events == nil {
		t.Skip("no events here")
	}
	defer b.w.events.close()
	b.w.events.add = func(folder string) error {
		if folder != b.folder {
			return syscall.ENOSPC
		}
		return b.w.events.from.Add(folder)
	}
	b.write("sub/a.txt", "a text that has five words")
	b.write("two/b.txt", "a text that has five others")
	b.pass()
	b.wantTold(1, "changes of no more than 1 folders")
	b.write("sub/a.txt", "a text that has other words")
	b.do(os.Remove(filepath.Join(b.folder, "two", "b.txt")))
	b.do(os.Remove(filepath.Join(b.folder, "two")))
	b.pass()
	b.want("sub/a.txt")
}

// TestMissing: a folder that goes and comes again.
func TestMissing(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.txt", "a text that has five words")
	b.pass()
	away := b.folder + "-away"
	b.do(os.Rename(b.folder, away))
	b.pass()
	b.pass()
	b.wantTold(1, "waiting for it")
	b.want("a.txt")
	b.do(os.Rename(away, b.folder))
	b.write("b.txt", "another text that has six words")
	b.pass()
	b.wantTold(1, "is there again")
	b.want("a.txt", "b.txt")
}

// TestInterrupted: a run with Once that is interrupted before the index is in sync returns an
// error, whenever that is; a run without Once succeeds.
func TestInterrupted(t *testing.T) {
	b := newBench(t, nil)
	b.write("a.txt", "a text that has five words")
	b.pass()
	b.write("a.txt", "another text that has six words")
	for opened := range 3 {
		for _, once := range []bool{true, false} {
			ctx, cancel := context.WithCancel(t.Context())
			opts, left := b.options(), opened
			opts.Once = once
			opts.Open = func(ctx context.Context) (store.Store, error) {
				if left--; left == 0 {
					cancel()
				}
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return b.open()
			}
			if opened == 0 {
				cancel()
			}
			if err := Run(ctx, opts); errors.Is(err, context.Canceled) != once || !once && err != nil {
				t.Errorf("interrupted when it opens the index for time %d, once %v: Run = %v", opened, once, err)
			}
			cancel()
		}
	}
}

// TestEvents: changes are found by events alone, including files emptied on purpose.
func TestEvents(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	opts := b.options()
	opts.NoEvents, opts.Every = false, time.Hour
	done := make(chan error)
	go func() { done <- Run(ctx, opts) }()
	b.eventually()
	b.write("sub/deep/a.txt", "a text that has five words")
	b.write("sub/b.txt", "another text that has six words")
	b.eventually("sub/b.txt", "sub/deep/a.txt")
	b.do(os.Rename(filepath.Join(b.folder, "sub", "b.txt"), filepath.Join(b.folder, "c.txt")))
	b.eventually("c.txt", "sub/deep/a.txt")
	b.do(os.RemoveAll(filepath.Join(b.folder, "sub")))
	b.do(os.Remove(filepath.Join(b.folder, "c.txt")))
	b.eventually()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run ends with %v", err)
	}
}

// TestFolderIsRemoved: a folder that is removed with all that is in it keeps its documents,
// also those whose files went first, until it is back; one file that goes does not.
func TestFolderIsRemoved(t *testing.T) {
	b := newBench(t, nil)
	var names []string
	for i := range 21 {
		names = append(names, fmt.Sprintf("%02d.txt", i))
		b.write(names[i], fmt.Sprintf("text %d that has six words", i))
	}
	b.pass()
	b.want(names...)
	remove := func(name string) {
		path := filepath.Join(b.folder, name)
		b.do(os.Remove(path))
		b.w.hint(t.Context(), path, true)
	}
	remove(names[0])
	time.Sleep(settle + 2*time.Millisecond)
	b.w.now = time.Now()
	b.do(b.w.batch(t.Context()))
	b.want(names[1:]...)

	for _, name := range names[1:17] {
		remove(name)
	}
	b.do(os.RemoveAll(b.folder))
	time.Sleep(settle + 2*time.Millisecond)
	b.w.now = time.Now()
	b.do(b.w.batch(t.Context()))
	b.want(names[1:]...)
	b.wantTold(1, "its documents stay in the index")

	for _, name := range names[1:] {
		if name != names[5] {
			b.write(name, "text "+name+" that is another one now")
		}
	}
	b.pass()
	b.pass()
	b.want(slices.Delete(slices.Clone(names), 5, 6)[1:]...)
}

// eventually waits until the index has these documents and no others.
func (b *bench) eventually(names ...string) {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r, err := segment.Open(b.index)
		if errors.Is(err, store.ErrNoIndex) {
			continue
		}
		b.do(err)
		var got []string
		b.do(r.Documents(b.t.Context(), "", func(d store.Document) error {
			got = append(got, strings.TrimPrefix(d.Name(), "theses/"))
			return nil
		}))
		b.do(r.Close())
		if slices.Equal(got, names) {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("the index has %q, want %q; told: %q", got, names, b.told)
		}
	}
}
