package watch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
)

// What a look does not find is not always gone: the disk that it is on may not
// be there, above all one on the network. Then the folder that it is mounted on
// is gone too, or there and empty, and nothing says so. So documents stay where
//
//   - a folder that was named is not there, or cannot be read, also those of its files that
//     went shortly before it;
//   - a folder is there and has nothing in it, and no event told of its files;
//   - what was in a folder was on another disk than what the folder is on now;
//   - a look finds less than half of the files that there were.
//
// All but the first give way to Options.RemoveMany. Each is told once, and files
// that are back are simply met again.

// few is how many files may go although they are more than half.
const few = 20

// release takes the files for gone that a look has not met, but for those that
// are held back. before is how many files there were.
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

// hold notes how many files are held back, and tells it the second time: events
// may be on their way that settle it.
func (w *watcher) hold(r *root, count, before int) {
	switch {
	case w.opts.KeepGone:
		count = 0
	case count == 0 && r.told > 0:
		r.told = 0
		w.tell(Event{Path: r.path, Text: "no file is missing any more", Note: true})
	case count > r.told && (r.held > 0 || w.opts.Once || w.events == nil):
		r.told = count
		w.tell(Event{Path: r.path, Text: fmt.Sprintf("%d of the %d files that the index has from it are not there: "+
			"their documents stay, as a disk may not be there; if they are to go, --remove-many", count, before)})
	}
	r.held = count
}

// mounted returns those files whose folders were on the disk that is there.
func (w *watcher) mounted(list []*node) (there []*node) {
	for _, n := range list {
		if w.opts.RemoveMany || !w.unmounted(n) {
			there = append(there, n)
		}
	}
	return there
}

// unmounted reports whether the folder of a file was on another disk than what
// is there now.
func (w *watcher) unmounted(n *node) bool {
	folder := n.up
	at := folder.there()
	was := at.before(w.round)
	if own := folder.before(w.round); own != 0 && was != 0 && own != was {
		return true
	}
	return at.seen == w.round && was != 0 && at.dev != was && !at.knows(w.round)
}

// before returns the file system that a folder was on before this look.
func (n *node) before(round int) uint64 {
	if n.seen == round {
		return n.was
	}
	return cmp.Or(n.next, n.dev)
}

// knows reports whether the look has met a file below that was met before the
// folder was on another disk: then that disk is there again, and only has another
// number. Else the next look is to ask again.
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

// notEmptied returns those files above which no folder is empty.
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

// released takes files for gone.
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
		for other := range w.links[place] { // it may have been called by the way that is gone
			w.waiting[other] = &wait{sign: other.file.sign, since: w.now, first: w.now}
		}
	}
}
