package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

const text = "The quick brown fox jumps over the lazy dog while seven wizards bravely mix new potions at dawn.\n"

// newSession changes to a temporary folder, which has the folders of collections, and returns a session with the
// default settings.
func newSession(t *testing.T) *session.Session {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("ELASTICSEARCH_URL", "")
	s, err := session.New(config.Default(), document.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// execute returns the outcome of a task, which is the last line.
func execute(t *testing.T, s *session.Session, task *work.Task) *work.Outcome {
	t.Helper()
	if task.Collections == nil {
		task.Collections = []indexes.Place{{ID: "theses"}}
	}
	var out bytes.Buffer
	if err := Execute(t.Context(), s, task, &out); err != nil {
		t.Fatal(err)
	}
	var last work.Line
	for d := json.NewDecoder(&out); d.More(); {
		if last.Outcome != nil {
			t.Fatal("a line follows the outcome")
		}
		last = work.Line{}
		if err := d.Decode(&last); err != nil {
			t.Fatal(err)
		}
	}
	if last.Outcome == nil {
		t.Fatal("no outcome")
	}
	return last.Outcome
}

// uploaded writes files outside of the collections, and returns them as a task has them.
func uploaded(t *testing.T, texts map[string]string) (list []work.File) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		list = append(list, work.File{Path: files.Write(t, filepath.Join(dir, name), text), Name: name})
	}
	slices.SortFunc(list, func(a, b work.File) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// names returns the names of the documents of a collection.
func names(t *testing.T, collection string) (list []string) {
	t.Helper()
	r, err := segment.Open(collection)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Documents(t.Context(), "", func(d store.Document) error { list = append(list, d.Name()); return nil }); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(slices.Values(list))
}

// TestAdd: content is added once, under whichever name, and no document is replaced by another one of its name.
func TestAdd(t *testing.T) {
	s := newSession(t)
	o := execute(t, s, &work.Task{Kind: work.Add, Files: uploaded(t, map[string]string{"a.txt": text, "copy.txt": text, "few.txt": "too few words", "empty.txt": ""})})
	if o.Error != "" || o.Added != 1 || o.Unchanged != 1 || o.Documents != 1 || o.Words == 0 || len(o.Unread) != 2 {
		t.Errorf("first files: %+v", o)
	}
	o = execute(t, s, &work.Task{Kind: work.Add, Files: uploaded(t, map[string]string{"a.txt": text + text, "b.txt": text})})
	if o.Error != "" || o.Added != 1 || o.Unchanged != 1 || o.Documents != 2 {
		t.Errorf("another text of the same name: %+v", o)
	}
	if got := names(t, "theses"); len(got) != 2 || !slices.Contains(got, "a.txt~2") {
		t.Errorf("documents %q, want the first name and a.txt~2", got)
	}
}

// TestCheck: a check writes a report for each text, and lists those that it cannot read.
func TestCheck(t *testing.T) {
	s := newSession(t)
	execute(t, s, &work.Task{Kind: work.Add, Files: uploaded(t, map[string]string{"source.txt": text, "other.txt": strings.Repeat("one two three four five six seven ", 9)})})
	task := work.Task{Kind: work.Check, Files: uploaded(t, map[string]string{"copied.txt": "Mine. " + text, "own.txt": strings.Repeat("no word of this text is in any source ", 3), "empty.txt": ""}), Out: t.TempDir()}
	o := execute(t, s, &task)
	if o.Error != "" || len(o.Texts) != 2 || len(o.Unread) != 1 || o.Unread[0].Path != "empty.txt" {
		t.Fatalf("outcome %+v, want two texts and empty.txt unread", o)
	}
	for i, want := range []struct {
		path   string
		copied bool
	}{{"copied.txt", true}, {"own.txt", false}} {
		x := o.Texts[i]
		r, err := check.ReadResult(filepath.Join(task.Out, x.Report))
		if err != nil {
			t.Fatal(err)
		}
		if x.Path != want.path || (r.Score.Percent > 0) != want.copied || r.Suspect.Path != want.path || task.Files[x.File].Name != want.path {
			t.Errorf("text %d: %+v with %v %%, want %+v", i, x, r.Score.Percent, want)
		}
	}
	listed := task
	listed.Kind, listed.Out = work.List, t.TempDir()
	o = execute(t, s, &listed)
	if reports, err := os.ReadDir(listed.Out); err != nil || len(reports) > 0 || len(o.Texts) != 2 {
		t.Errorf("list: %+v, reports %v, %v, want two texts and no report", o, reports, err)
	}
	task.Without, task.Out = []string{"source.txt"}, t.TempDir()
	if o = execute(t, s, &task); len(o.Texts) != 2 || o.Texts[0].Row.Percent != 0 {
		t.Errorf("without the source: %+v, want nothing copied", o.Texts)
	}
	task.Without, task.Out, task.Preset = nil, t.TempDir(), work.Preset{MinPassage: 1000}
	if o = execute(t, s, &task); len(o.Texts) != 2 || o.Texts[0].Row.Percent != 0 {
		t.Errorf("with a preset that excludes short passages: %+v, want a score of 0", o.Texts)
	}
}

// TestPrivate: a report does not name the document of a private collection, and a closed collection is not searched.
func TestPrivate(t *testing.T) {
	s := newSession(t)
	var words []string
	for i := range 900 {
		words = append(words, fmt.Sprint("word", i))
	}
	long := strings.Join(words, " ")
	place := indexes.Place{ID: "private"}
	execute(t, s, &work.Task{Kind: work.Add, Collections: []indexes.Place{place}, Files: uploaded(t, map[string]string{"secret-name.txt": long})})
	task := work.Task{
		Kind: work.Check, Collections: []indexes.Place{{ID: "theses"}, place}, Files: uploaded(t, map[string]string{"copied.txt": long}),
		Private: []work.Private{{Index: 1, Owner: "Law", Secret: "s"}}, Out: t.TempDir(),
	}
	for _, closed := range []bool{false, true} {
		task.Private[0].Closed = closed
		o := execute(t, s, &task)
		if o.Error != "" || len(o.Texts) != 1 {
			t.Fatalf("closed %v: %+v", closed, o)
		}
		data, err := os.ReadFile(filepath.Join(task.Out, o.Texts[0].Report))
		if err != nil || bytes.Contains(data, []byte("secret-name")) || !bytes.Contains(data, []byte("Law")) {
			t.Errorf("closed %v: %v, a report that names the document or not its owner:\n%.2000s", closed, err, data)
		}
		if found := len(o.Texts[0].Private) > 0; found == closed {
			t.Errorf("closed %v: passages of private collections %v", closed, o.Texts[0].Private)
		}
	}
}

// TestRemove: documents are removed, and names that are not in the index are skipped.
func TestRemove(t *testing.T) {
	s := newSession(t)
	execute(t, s, &work.Task{Kind: work.Add, Files: uploaded(t, map[string]string{"a.txt": text, "b.txt": text + text})})
	o := execute(t, s, &work.Task{Kind: work.Remove, Names: []string{"a.txt", "never.txt"}, Collections: []indexes.Place{{ID: "theses", Filled: true}}})
	if got := names(t, "theses"); o.Error != "" || o.Documents != 1 || !slices.Equal(got, []string{"b.txt"}) {
		t.Errorf("outcome %+v, documents %q, want b.txt", o, got)
	}
}

// TestMissing: a collection with documents whose index is gone is a fault of the server, and no empty index takes its
// place.
func TestMissing(t *testing.T) {
	s := newSession(t)
	gone := []indexes.Place{{ID: "theses", Filled: true}}
	for _, task := range []work.Task{
		{Kind: work.Add, Files: uploaded(t, map[string]string{"a.txt": text})},
		{Kind: work.Check, Files: uploaded(t, map[string]string{"a.txt": text}), Out: t.TempDir()},
		{Kind: work.Remove, Names: []string{"a.txt"}},
	} {
		task.Collections = gone
		if o := execute(t, s, &task); o.Later != work.OfIndex || o.Error == "" {
			t.Errorf("%s: %+v, want an error by the missing index", task.Kind, o)
		}
		if _, err := os.Stat("theses"); !os.IsNotExist(err) {
			t.Errorf("%s made the folder of the index: %v", task.Kind, err)
		}
	}
}

// TestRead: the reading of a text has its size, or the code of the fault.
func TestRead(t *testing.T) {
	s := newSession(t)
	for _, tt := range []struct {
		text  string
		words int
		fault tca.Code
	}{
		{text, 18, ""}, {"six words are not enough here", 6, tca.TooLittle}, {"", 0, tca.NoText}, {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 200), 0, tca.Unsupported},
	} {
		o := execute(t, s, &work.Task{Kind: work.Read, Files: uploaded(t, map[string]string{"a.txt": tt.text})})
		if o.Error != "" || o.Read == nil || o.Read.Words != tt.words || o.Read.Fault != tt.fault {
			t.Errorf("%q: %+v of %+v, want %d words and the fault %q", tt.text, o.Read, o, tt.words, tt.fault)
		}
	}
}

// TestGatherFolder: a folder is added and followed, except for deleted documents, hidden files and folders outside of
// the roots.
func TestGatherFolder(t *testing.T) {
	s := newSession(t)
	folder := files.Folder(t, map[string]string{"in/a.txt": text, "in/b.txt": text + text, "in/gone.txt": text + "gone", "in/.hidden.txt": text + "hidden", "out/c.txt": text})
	task := work.Task{
		Kind: work.Gather, Source: &work.Source{Kind: work.FolderSource, Address: filepath.Join(folder, "in"), Roots: []string{filepath.Join(folder, "in")}, Most: time.Minute},
		Gone: work.Marks("theses", "in/gone.txt", ""),
	}
	o := execute(t, s, &task)
	if got := names(t, "theses"); o.Error != "" || o.Added != 2 || len(o.Unread) > 0 || !slices.Equal(got, []string{"in/a.txt", "in/b.txt"}) {
		t.Errorf("first run: %+v, documents %q", o, got)
	}
	files.Write(t, filepath.Join(folder, "in/b.txt"), text+"this one has other words than before")
	if o = execute(t, s, &task); o.Added != 1 || o.Unchanged != 1 || o.Documents != 2 {
		t.Errorf("after one file has changed: %+v", o)
	}
	task.Source.Address = filepath.Join(folder, "out")
	if o = execute(t, s, &task); o.Error == "" || o.Added > 0 {
		t.Errorf("a folder outside of the roots: %+v, want an error", o)
	}
}

// TestDescribe: a table sets metadata of documents by their name or that of their file, unless several have it.
func TestDescribe(t *testing.T) {
	s := newSession(t)
	folder := files.Folder(t, map[string]string{"in/a.txt": text, "in/x/b.txt": text + text, "in/y/b.txt": text + text + text})
	execute(t, s, &work.Task{Kind: work.Gather, Source: &work.Source{Kind: work.FolderSource, Address: filepath.Join(folder, "in"), Roots: []string{folder}, Most: time.Minute}})
	table := uploaded(t, map[string]string{"table.csv": "file,title\na.txt,First\nb.txt,Either\nnever.txt,None\n"})
	task := work.Task{Kind: work.Add, Table: true, Files: table}
	o := execute(t, s, &task)
	if o.Error != "" || o.Added != 1 || len(o.Unread) != 2 || o.Documents != 3 {
		t.Errorf("table: %+v, want one document with a title, and two rows unused", o)
	}
	if o = execute(t, s, &task); o.Added != 0 || o.Unchanged != 1 {
		t.Errorf("the same table again: %+v, want no change", o)
	}
}

// TestCopyFolder: an index is copied with all documents; a collection without an index has no copy.
func TestCopyFolder(t *testing.T) {
	s := newSession(t)
	execute(t, s, &work.Task{Kind: work.Add, Files: uploaded(t, map[string]string{"a.txt": text})})
	copyIndex := CopyFolder(s)
	for from, to := range map[string]string{"theses": "copy", "never": "none"} {
		if err := copyIndex(t.Context(), from, to); err != nil {
			t.Errorf("copy of %s: %v", from, err)
		}
	}
	if got := names(t, "copy"); !slices.Equal(got, []string{"a.txt"}) {
		t.Errorf("the copy has %q, want a.txt", got)
	}
	if _, err := os.Stat("none"); !os.IsNotExist(err) {
		t.Errorf("a copy of no index was made: %v", err)
	}
}
