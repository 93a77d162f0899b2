package lexicon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/otisk/otisk/lang/phrase"
)

// A Shelf has the lexica of a user, as files in a folder, and those that are installed on the
// system for other programs.
type Shelf struct {
	Folder    string   // folder of added lexica; created with the first one
	Cache     string   // cache for installed dictionaries, or "" to read them each time
	Installed []string // folders of dictionaries of other programs
}

// Default returns the shelf of the user. Its folder is otisk/lexica in the user's data folder:
// $XDG_DATA_HOME, or else ~/.local/share; on macOS and Windows that of the system. Installed
// dictionaries are looked for in the folders dictd and stardict/dic of $XDG_DATA_DIRS, or else
// of /usr/local/share and /usr/share.
func Default() (*Shelf, error) {
	data := os.Getenv("XDG_DATA_HOME")
	if data == "" {
		home, err := os.UserHomeDir()
		if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
			home, err = os.UserConfigDir()
		}
		if err != nil {
			return nil, err
		}
		if data = home; runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
			data = filepath.Join(home, ".local", "share")
		}
	}
	s := &Shelf{Folder: filepath.Join(data, "otisk", "lexica")}
	if cache, err := os.UserCacheDir(); err == nil {
		s.Cache = filepath.Join(cache, "otisk", "lexica")
	}
	dirs := cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share")
	for _, dir := range strings.Split(dirs, string(os.PathListSeparator)) {
		if filepath.IsAbs(dir) {
			s.Installed = append(s.Installed, filepath.Join(dir, "dictd"), filepath.Join(dir, "stardict", "dic"))
		}
	}
	return s, nil
}

// An Item is a lexicon of a shelf, which may not have been read.
type Item struct {
	Name, From, To string
	Path           string
	Added          bool // by the user
}

// Items returns the lexica of the shelf: those that were added by name, then the installed
// ones by folder and name. An installed dictionary with the name of an added one is left out.
func (s *Shelf) Items() ([]Item, error) {
	entries, err := os.ReadDir(s.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var items []Item
	for _, e := range entries {
		if item, ok := stored(filepath.Join(s.Folder, e.Name())); ok {
			items = append(items, item)
		}
	}
	for _, folder := range s.Installed {
		items = append(items, installed(folder, items)...)
	}
	return items, nil
}

func stored(path string) (Item, bool) {
	name, ok := strings.CutSuffix(filepath.Base(path), ".tsv")
	dot := strings.LastIndexByte(name, '.')
	if !ok || dot <= 0 || name[0] == '.' {
		return Item{}, false
	}
	from, to, ok := strings.Cut(name[dot+1:], "-")
	return Item{Name: name[:dot], From: from, To: to, Path: path, Added: true}, ok
}

// installed returns the dictionaries in a folder and its subfolders whose names state two
// languages, without those of which an item is on the list. A folder that cannot be read has
// none.
func installed(folder string, have []Item) []Item {
	var items []Item
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		name, ext := split(path)
		from, to, ok := PairOf(name)
		if ext != ".index" && ext != ".ifo" || !ok {
			return nil
		}
		if !slices.ContainsFunc(have, func(i Item) bool { return i.Name == name && i.From == from && i.To == to }) {
			items = append(items, Item{Name: name, From: from, To: to, Path: path})
		}
		return nil
	})
	return items
}

// Open reads a lexicon of the shelf.
func (s *Shelf) Open(ctx context.Context, item Item) (*Lexicon, error) {
	if item.Added {
		return readStored(item, "")
	}
	if s.Cache == "" {
		return Read(ctx, item.Path, item.From, item.To)
	}
	stamp := stampOf(item.Path)
	copied := item
	copied.Path = s.file(s.Cache, item.Name, item.From, item.To)
	if l, err := readStored(copied, stamp); err == nil {
		return l, nil
	}
	l, err := Read(ctx, item.Path, item.From, item.To)
	if err != nil {
		return nil, err
	}
	_ = write(copied.Path, l, stamp) // without the copy, the next search reads the dictionary again
	return l, nil
}

// Between returns the lexica of the shelf from one language to another and in the opposite
// direction. It reports each one that cannot be read to broken, and continues.
func (s *Shelf) Between(ctx context.Context, from, to string, broken func(error)) (forward, backward []*Lexicon, err error) {
	items, err := s.Items()
	if err != nil {
		return nil, nil, err
	}
	for _, item := range items {
		back := item.From == to && item.To == from
		if !back && (item.From != from || item.To != to) {
			continue
		}
		l, err := s.Open(ctx, item)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			broken(err)
		case back:
			backward = append(backward, l)
		default:
			forward = append(forward, l)
		}
	}
	return forward, backward, nil
}

// Kept returns the file in which a dictionary made of all lexica between these pairs of languages may be kept, in
// either direction, a stamp that changes with them, and their number. The file is "" without a cache.
func (s *Shelf) Kept(languages [][2]string) (file, stamp string, lexica int) {
	items, err := s.Items()
	if s.Cache == "" || err != nil || len(languages) == 0 {
		return "", "", 0
	}
	var b strings.Builder
	for _, l := range languages {
		for _, item := range items {
			if item.From == l[0] && item.To == l[1] || item.From == l[1] && item.To == l[0] {
				lexica++
				fmt.Fprintf(&b, "%s-%s %s %s\n", item.From, item.To, item.Path, stampOf(item.Path))
			}
		}
	}
	return filepath.Join(s.Cache, languages[0][0]+"-"+languages[0][1]+".dictionary"), b.String(), lexica
}

// Add stores a lexicon, and replaces one of the same name and languages.
func (s *Shelf) Add(l *Lexicon) error {
	return write(s.file(s.Folder, l.Name, l.From, l.To), l, "")
}

// Remove removes an added lexicon.
func (s *Shelf) Remove(item Item) error {
	if !item.Added {
		return phrase.Error("lexicon.not-added", "{file} was installed by another program: remove it with that", "file", item.Path)
	}
	return os.Remove(item.Path)
}

func (s *Shelf) file(folder, name, from, to string) string {
	return filepath.Join(folder, name+"."+from+"-"+to+".tsv")
}
