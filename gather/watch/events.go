package watch

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// events collects what the system says has changed. Each is a hint only: what is
// there now, a look at it says.
type events struct {
	from *fsnotify.Watcher
	add  func(folder string) error // asks for the events of a folder
	done chan struct{}

	mu      sync.Mutex
	hints   map[string]bool // paths; true where something was removed or renamed there
	lost    bool            // there were too many: everything must be looked at
	limited bool            // no more folders can be watched; it was told
}

// mostHints is how many are kept; with more, a look at everything is as quick.
const mostHints = 200_000

// listen begins to collect events; it returns nil where there are none.
func (w *watcher) listen() *events {
	if w.opts.NoEvents || w.opts.Once {
		return nil
	}
	from, err := fsnotify.NewWatcher()
	if err != nil {
		w.tell(Event{Text: fmt.Sprintf("the system tells no changes of files (%v): a look every %v finds them", cause(err), w.opts.Every)})
		return nil
	}
	e := &events{from: from, add: from.Add, done: make(chan struct{}), hints: map[string]bool{}}
	go e.collect()
	return e
}

func (e *events) close() {
	_ = e.from.Close() // nothing is lost by it
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
		case _, ok := <-e.from.Errors: // too many events, or something worse
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

// take returns what was collected since the last call.
func (e *events) take() (hints map[string]bool, lost bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	hints, lost = e.hints, e.lost
	e.hints, e.lost = map[string]bool{}, false
	return hints, lost
}

// follow asks for the events of a folder. It is asked again at each look, since the
// system forgets a folder whose disk went away.
func (w *watcher) follow(folder string) {
	if w.events == nil || w.events.limited {
		return
	}
	err := w.events.add(folder)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENOMEM) {
		w.events.limited = true
		w.tell(Event{Text: fmt.Sprintf("the system tells changes of no more than %d folders (%s): those in the others are found by a look every %v",
			len(w.events.from.WatchList()), limitName, w.opts.Every)})
	}
}
