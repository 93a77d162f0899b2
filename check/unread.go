package check

import (
	"cmp"
	"slices"
	"sync"

	"github.com/otisk/otisk/search"
)

// unread are the files that could not be used, each with its first reason.
type unread struct {
	mu      sync.Mutex
	reasons map[string]error
}

func (u *unread) add(path string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.reasons == nil {
		u.reasons = map[string]error{}
	}
	if _, known := u.reasons[path]; !known {
		u.reasons[path] = err
	}
}

func (u *unread) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.reasons)
}

func (u *unread) sorted() []search.Unread {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := []search.Unread{}
	for path, reason := range u.reasons {
		list = append(list, search.NewUnread(path, reason))
	}
	slices.SortFunc(list, func(a, b search.Unread) int { return cmp.Compare(a.Path, b.Path) })
	return list
}
