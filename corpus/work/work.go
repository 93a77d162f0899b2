// Package work keeps the temporary files of a long command in a folder, so that a
// stopped run is resumed after its last finished step.
//
// Call [Open] with a key that identifies the computation and its input: a run with
// the same key finds the finished steps of the previous one. Open removes the
// folders of crashed runs, which nobody has locked. [Folder.Remove] removes the
// folder; [Folder.Close] keeps it for the next run.
package work

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

const (
	prefix    = "otisk-corpus-"
	lockName  = "lock"
	stepsName = "steps.json"
)

// errBusy is returned if another process has locked the folder of the key.
var errBusy error = phrase.Error("cause.running-already", "the same command is running already")

// A Folder is the locked folder with the temporary files of one run.
type Folder struct {
	dir   string
	lock  *flock.Flock
	steps map[string]step
}

// A step records a finished step: its result and the size of each of its files. If
// the size of a file differs, as after a power cut, the step does not count.
type step struct {
	Result json.RawMessage  `json:"result"`
	Files  map[string]int64 `json:"files"`
}

// Open opens the folder for key in parent, and makes it if there is none. The
// default of parent is the system's folder for temporary files.
func Open(parent, key string) (*Folder, error) {
	parent = cmp.Or(parent, os.TempDir())
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, phrase.Error("said.temporary", "make the temporary folder {name}: {cause}", "name", parent, "cause", oserror.Cause(err))
	}
	sum := sha256.Sum256([]byte(key))
	f := &Folder{dir: filepath.Join(parent, prefix+hex.EncodeToString(sum[:8]))}
	if err := f.acquire(); err != nil {
		return nil, err
	}
	if err := tidy(parent, f.dir); err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	f.load()
	return f, nil
}

func (f *Folder) acquire() error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return phrase.Error("cause.make-file", "make {name}: {cause}", "name", f.dir, "cause", oserror.Cause(err))
	}
	f.lock = flock.New(filepath.Join(f.dir, lockName))
	got, err := f.lock.TryLock()
	switch {
	case err != nil:
		return phrase.Error("corpus.lock", "lock {name}: {cause}", "name", f.dir, "cause", oserror.Cause(err))
	case !got:
		return fmt.Errorf("%s: %w", f.dir, errBusy)
	}
	return nil
}

// tidy removes the unlocked folders of other runs in parent.
func tidy(parent, own string) error {
	left, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if dir == own {
			continue
		}
		if err := removeUnheld(dir); err != nil {
			return phrase.Error("corpus.left", "remove what an earlier run left in {name}: {cause}", "name", dir, "cause", oserror.Cause(err))
		}
	}
	return nil
}

// removeUnheld removes dir unless its lock is held. A folder without a lock file is
// just being made, or has another purpose; it stays.
func removeUnheld(dir string) error {
	name := filepath.Join(dir, lockName)
	if _, err := os.Stat(name); err != nil {
		return nil
	}
	lock := flock.New(name)
	got, err := lock.TryLock()
	if err != nil || !got {
		return nil // another user's, or in use
	}
	if err := lock.Close(); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// load reads the list of finished steps. If it cannot be read, no step is finished.
func (f *Folder) load() {
	f.steps = map[string]step{}
	data, err := os.ReadFile(f.Path(stepsName))
	if err == nil && json.Unmarshal(data, &f.steps) != nil {
		f.steps = map[string]step{}
	}
}

// Path returns the path of a temporary file.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, name) }

// Size returns the size of all temporary files in bytes.
func (f *Folder) Size() (size int64) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// Done reports whether a step is finished, in this run or an earlier one, and
// decodes into result the value that was passed to [Folder.Finish].
func (f *Folder) Done(name string, result any) bool {
	s, ok := f.steps[name]
	if !ok {
		return false
	}
	for file, size := range s.Files {
		if info, err := os.Stat(f.Path(file)); err != nil || info.Size() != size {
			return false
		}
	}
	return json.Unmarshal(s.Result, result) == nil
}

// Finish records that a step is finished, its result, which must encode as JSON, and
// the files that later steps read.
func (f *Folder) Finish(name string, result any, files ...string) error {
	encoded, err := json.Marshal(result)
	if err != nil {
		return err
	}
	s := step{Result: encoded, Files: map[string]int64{}}
	for _, file := range files {
		info, err := os.Stat(f.Path(file))
		if err != nil {
			return phrase.Error("corpus.finish", "finish {name}: {cause}", "name", name, "cause", oserror.Cause(err))
		}
		s.Files[file] = info.Size()
	}
	f.steps[name] = s
	return f.save()
}

// Undo records that a step is no longer finished. Call it before changing its files.
func (f *Folder) Undo(name string) error {
	delete(f.steps, name)
	return f.save()
}

func (f *Folder) save() error {
	data, err := json.Marshal(f.steps)
	if err != nil {
		return err
	}
	part := f.Path(stepsName + ".part")
	if err := os.WriteFile(part, data, 0o600); err != nil {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", part, "cause", oserror.Cause(err))
	}
	if err := os.Rename(part, f.Path(stepsName)); err != nil {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", f.Path(stepsName), "cause", oserror.Cause(err))
	}
	return nil
}

// Close unlocks the folder if a step is finished, and removes it otherwise.
func (f *Folder) Close() error {
	if len(f.steps) == 0 {
		return f.Remove()
	}
	return f.release()
}

// Remove removes the folder and its content. After Remove or Close it does nothing.
func (f *Folder) Remove() error {
	if f.lock == nil {
		return nil
	}
	if err := f.release(); err != nil {
		return err
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return phrase.Error("cause.remove-file", "remove {name}: {cause}", "name", f.dir, "cause", oserror.Cause(err))
	}
	return nil
}

func (f *Folder) release() error {
	if f.lock == nil {
		return nil
	}
	lock := f.lock
	f.lock = nil
	return lock.Close()
}

// bufferBytes is the buffer of a temporary file that is written or read from its start to its end.
const bufferBytes = 1 << 20

// Write makes a temporary file with what write writes.
func (f *Folder) Write(name string, write func(*bufio.Writer) error) (err error) {
	file, err := os.Create(f.Path(name))
	if err != nil {
		return err
	}
	defer closing.Into(&err, file)
	w := bufio.NewWriterSize(file, bufferBytes)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// Read calls read with the content of a temporary file.
func (f *Folder) Read(name string, read func(*bufio.Reader) error) (err error) {
	file, err := os.Open(f.Path(name))
	if err != nil {
		return err
	}
	defer closing.Into(&err, file)
	return read(bufio.NewReaderSize(file, bufferBytes))
}
