package files

import (
	"path/filepath"
	"sync"
)

// Steps follows the steps of writing to a disk and makes one of them fail. Method Step is called
// before each step. Steps is safe for concurrent use.
type Steps struct {
	At  int   // number of the step that fails, from 1
	Err error // its error

	mu       sync.Mutex
	count    int
	seen     map[string]bool
	unsynced map[string]bool // new folders whose name is not synced
}

// Step counts a step and returns its error.
func (s *Steps) Step(op, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen, s.unsynced = map[string]bool{}, map[string]bool{}
	}
	s.seen[op] = true
	if s.count++; s.count == s.At {
		return s.Err
	}
	switch op {
	case "mkdir":
		s.unsynced[path] = true
	case "syncdir":
		for made := range s.unsynced {
			if filepath.Dir(made) == path {
				delete(s.unsynced, made)
			}
		}
	}
	return nil
}

// Count returns the number of steps so far.
func (s *Steps) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Seen reports whether there was a step of this kind.
func (s *Steps) Seen(op string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[op]
}

// Unsynced returns the number of new folders whose names are not synced.
func (s *Steps) Unsynced() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.unsynced)
}
