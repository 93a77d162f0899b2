package document

import (
	"cmp"
	"sync"

	"github.com/otisk/otisk/document/container"
)

// A Checkpoint is the progress in a container of many documents: the first Records records are
// done.
type Checkpoint struct {
	Records int `json:"records"`
	// Place is the start of the next record. If nil, the container is read from its start and
	// done records are skipped.
	Place *container.Place `json:"place,omitempty"`
}

// A Resume sets where reading a container starts and reports progress. Several goroutines call
// it.
type Resume struct {
	From Checkpoint // the zero value for the start
	// Taken reports whether a record before From has this name. It is called if From has a
	// place, as the names before it are not known then.
	Taken func(path string) bool
	// Begin is called before a record is processed, with its number, starting at 1, and its
	// name. The function that it returns is called afterwards, with the checkpoint reached, or
	// nil if there is none, and whether the record is done.
	Begin func(number int, path string) (end func(at *Checkpoint, done bool) error)
}

// goOn moves s to the checkpoint of r and returns the number of records before it.
func (r *Resume) goOn(s *container.Stream, taken *names) (records int, err error) {
	if r == nil || r.From.Place == nil || !s.HasPlaces() {
		return 0, nil
	}
	taken.before = r.Taken
	return r.From.Records, s.GoOn(*r.From.Place)
}

// A progress records which records of a container are done.
type progress struct {
	mu     sync.Mutex
	all    int // number of records done without a gap
	done   map[int]bool
	places map[int]*container.Place
	placed bool // the container supports places
}

func newProgress(r *Resume, placed bool) *progress {
	p := &progress{done: map[int]bool{}, places: map[int]*container.Place{}, placed: placed}
	if r != nil {
		p.all = r.From.Records
		p.places[p.all] = cmp.Or(r.From.Place, &container.Place{})
	}
	return p
}

// around calls work for a record between the two callbacks of r.
func (p *progress) around(r *Resume, number int, rec *container.Record, work func() error) error {
	if r == nil {
		return work()
	}
	end := r.Begin(number, rec.Name)
	if err := work(); err != nil {
		_ = end(nil, false) // the first error is returned
		return err
	}
	return end(p.finish(number, rec.After), true)
}

// finish marks a record as done, after which reading can resume at a place. It returns the
// checkpoint, or nil if there is no place.
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
