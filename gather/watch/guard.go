package watch

import (
	"cmp"
	"errors"
	"io"
	"os"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// A file that a scan does not find is not always removed: its disk, such as a network drive, may
// not be mounted. Then the mount point is missing or empty, without any notification. So documents
// stay in the index if
//
//   - a watched folder is missing or cannot be read; this also applies to files that vanished
//     shortly before it;
//   - a folder is empty, and no event has reported the removal of its files;
//   - the files of a folder were on a different file system than the present one;
//   - a scan finds less than half of the known files.
//
// Options.RemoveMany overrides all rules but the first. Each case is reported once; files that
// reappear are simply found again.

// ErrMissing means that files of a folder are missing and their documents are kept.
var ErrMissing = errors.New("files are missing")

// few is the number of files that may be removed even if they are more than half.
const few = 20

// release marks the files in list, which a scan has not found, as gone unless a rule holds them
// back. before is the number of known files.
func (w *watcher) release(r *root, list []*node, s *scan, before int) {
	gone := w.mounted(list)
	if !w.opts.RemoveMany {
		gone = w.notEmptied(gone)
		if len(gone) > few && 2*(before-len(list)) < before && 2*s.found < before {
			gone = nil
		}
	}
	w.released(gone)
	w.hold(r, len(list)-len(gone), before)
}

// hold records how many files are held back, and reports them the second time: events that explain
// it may be delayed.
func (w *watcher) hold(r *root, count, before int) {
	switch {
	case w.opts.KeepGone:
		count = 0
	case count == 0 && r.told > 0:
		r.told = 0
		w.report(Event{Path: r.path, Note: phrase.Error("said.none-missing", "no file is missing now")})
	case count > r.told && (r.held > 0 || w.opts.Once || w.events == nil):
		r.told = count
		w.report(Event{Path: r.path, Err: phrase.Error("watch.missing", "{n} of its {all} files in the index are missing: "+
			"their documents are kept, since a disk may be missing", "n", count, "all", before).Of(ErrMissing)})
	}
	r.held = count
}

func (w *watcher) mounted(list []*node) (there []*node) {
	return lists.Filter(list, func(n *node) bool { return w.opts.RemoveMany || !w.unmounted(n) })
}

// unmounted reports whether the folder of a file was on another file system than the present one.
func (w *watcher) unmounted(n *node) bool {
	folder := n.up
	at := folder.there()
	was := at.before(w.round)
	if own := folder.before(w.round); own != 0 && was != 0 && own != was {
		return true
	}
	return at.seen == w.round && was != 0 && at.dev != was && !at.knows(w.round)
}

// before returns the file system that a folder was on before this scan.
func (n *node) before(round int) uint64 {
	if n.seen == round {
		return n.was
	}
	return cmp.Or(n.next, n.dev)
}

// knows reports whether the scan has found a file below n that was known before the file system
// changed: then it is the same file system with another device number. Otherwise the next scan
// checks again.
func (n *node) knows(round int) bool {
	if n.asked == round {
		return n.same
	}
	n.asked, n.same = round, false
	n.each(func(f *node) { n.same = n.same || f.round == round && f.file.dev == n.was })
	if n.same {
		n.each(func(f *node) { f.file.dev = n.dev })
	} else {
		n.next = n.was
	}
	return n.same
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (w *watcher) notEmptied(list []*node) (rest []*node) {
	empty := map[*node]bool{}
	for _, n := range list {
		at := n.up.there()
		is, known := empty[at]
		if !known {
			is = isEmpty(at.path())
			empty[at] = is
		}
		if !is {
			rest = append(rest, n)
		}
	}
	return rest
}

func isEmpty(folder string) bool {
	f, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

func (w *watcher) released(list []*node) {
	for _, n := range list {
		place := n.place()
		if !w.opts.KeepGone {
			w.gone[n.canonical()], w.gone[place] = w.now, w.now
		}
		delete(w.told, n.path())
		delete(w.waiting, n)
		w.link(n, n.canonical())
		n.file = nil
		n.drop()
		for other := range w.links[place] { // the removed path may have determined its name
			w.waiting[other] = &wait{sign: other.file.sign, since: w.now, first: w.now}
		}
	}
}
