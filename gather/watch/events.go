package watch

import (
	"errors"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"github.com/otisk/otisk/lang/phrase"
)

// events collects the change notifications of the system. They are hints only; the watcher scans
// the paths to learn the present state.
type events struct {
	from *fsnotify.Watcher
	add  func(folder string) error // subscribes to the events of a folder
	done chan struct{}

	mu      sync.Mutex
	hints   map[string]bool // by path: whether something was removed or renamed there
	lost    bool            // events were lost, so everything must be scanned
	limited bool            // the limit of watched folders is reached, and was reported
}

// mostHints limits the number of hints; with more, a full scan takes no longer.
const mostHints = 200_000

// listen starts to collect events; it returns nil if the system has none.
func (w *watcher) listen() *events {
	if w.opts.NoEvents || w.opts.Once {
		return nil
	}
	from, err := fsnotify.NewWatcher()
	if err != nil {
		w.report(Event{Err: phrase.Error("watch.no-events", "the system reports no changes of files ({cause}): a scan every {time} finds them", "cause", cause(err), "time", w.opts.Every)})
		return nil
	}
	e := &events{from: from, add: from.Add, done: make(chan struct{}), hints: map[string]bool{}}
	go e.collect()
	return e
}

func (e *events) close() {
	_ = e.from.Close() // its error has no consequences
	<-e.done
}

func (e *events) collect() {
	defer close(e.done)
	for {
		select {
		case ev, ok := <-e.from.Events:
			if !ok {
				return
			}
			e.note(ev)
		case _, ok := <-e.from.Errors: // too many events, or a worse error
			if !ok {
				return
			}
			e.mu.Lock()
			e.lost = true
			e.mu.Unlock()
		}
	}
}

func (e *events) note(ev fsnotify.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lost {
		return
	}
	e.hints[ev.Name] = e.hints[ev.Name] || ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)
	if len(e.hints) > mostHints {
		e.lost = true
	}
}

// drain returns the hints since the last call.
func (e *events) drain() (hints map[string]bool, lost bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	hints, lost = e.hints, e.lost
	e.hints, e.lost = map[string]bool{}, false
	return hints, lost
}

// follow subscribes to the events of a folder. Each scan calls it again, since the system drops the
// subscription when a disk is unmounted.
func (w *watcher) follow(folder string) {
	if w.events == nil || w.events.limited {
		return
	}
	err := w.events.add(folder)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENOMEM) {
		w.events.limited = true
		w.report(Event{Err: phrase.Error("watch.few-events", "the system reports changes of no more than {n} folders ({name}): a scan every {time} finds those in the others",
			"n", len(w.events.from.WatchList()), "name", limitName, "time", w.opts.Every)})
	}
}
