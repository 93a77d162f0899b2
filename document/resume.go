package document

import (
	"cmp"
	"sync"

	"github.com/otisk/otisk/document/container"
)

// A Checkpoint is where reading a container of many documents was: some of its
// records are done, and all before them.
type Checkpoint struct {
	Records int `json:"records"`
	// Place is where the next one is; nil where a container is gone through from its
	// start, and what is done passed over.
	Place *container.Place `json:"place,omitempty"`
}

// A Resume says where reading a container begins, and is told how far it is. It is
// called by several goroutines.
type Resume struct {
	From Checkpoint // the zero value for the start
	// Taken reports whether one of the records before From has a name. It is asked
	// where From has a place, since their names are not known then.
	Taken func(path string) bool
	// Begin is called before a record is worked on, with its number from 1 on and its
	// name; and what it returns after that, with where reading is then, nil where that
	// cannot be said, and whether the record is done.
	Begin func(number int, path string) (end func(at *Checkpoint, done bool) error)
}

// goOn has s begin where r says, and returns how many records are before that.
func (r *Resume) goOn(s *container.Stream, taken *names) (records int, err error) {
	if r == nil || r.From.Place == nil || !s.HasPlaces() {
		return 0, nil
	}
	taken.before = r.Taken
	return r.From.Records, s.GoOn(*r.From.Place)
}

// A progress knows which records of a container are done.
type progress struct {
	mu     sync.Mutex
	all    int // done, and all before them
	done   map[int]bool
	places map[int]*container.Place
	placed bool // the container has places
}

func newProgress(r *Resume, placed bool) *progress {
	p := &progress{done: map[int]bool{}, places: map[int]*container.Place{}, placed: placed}
	if r != nil {
		p.all = r.From.Records
		p.places[p.all] = cmp.Or(r.From.Place, &container.Place{})
	}
	return p
}

// around calls work for a record between the two calls of r.
func (p *progress) around(r *Resume, number int, rec *container.Record, work func() error) error {
	if r == nil {
		return work()
	}
	end := r.Begin(number, rec.Name)
	if err := work(); err != nil {
		_ = end(nil, false) // the first error counts
		return err
	}
	return end(p.finish(number, rec.After), true)
}

// finish notes that a record is done, after which reading can go on at a place, and returns the
// checkpoint; nil where that has no place.
func (p *progress) finish(number int, after *container.Place) *Checkpoint {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done[number], p.places[number] = true, after
	for p.done[p.all+1] {
		delete(p.done, p.all)
		delete(p.places, p.all)
		p.all++
	}
	at := p.places[p.all]
	if p.placed && at == nil {
		return nil
	}
	return &Checkpoint{Records: p.all, Place: at}
}
