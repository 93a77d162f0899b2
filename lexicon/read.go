package lexicon

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	isocodes "golang.org/x/text/language"

	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/language"
)

// A format reads the dictionary at path and passes its entries to add.
type format func(ctx context.Context, path string, add func(heads, translations []string) error) error

// formats has the reader of each extension, after the extension of a compression is removed.
var formats = map[string]format{
	".index": readDictd, ".dict": readDictd,
	".ifo": readStarDict, ".idx": readStarDict,
	".tei": readTEI, ".xml": readTEI,
	".tsv": readTSV, ".tab": readTSV, ".txt": readTSV,
}

// Read reads the dictionary at path from one language to another. If from is empty, both
// languages are those in the name of the file, as in freedict-eng-ces.index. The files that
// belong to a dictionary, such as .index and .dict.dz, are in one folder; path names any of
// them.
func Read(ctx context.Context, path, from, to string) (*Lexicon, error) {
	name, ext := split(path)
	read := formats[ext]
	if read == nil {
		return nil, about(path, ErrFormat)
	}
	if from == "" {
		var ok bool
		if from, to, ok = PairOf(name); !ok {
			return nil, about(path, ErrLanguages)
		}
	}
	l := &Lexicon{Name: name, From: canonical(from), To: canonical(to)}
	c := &collector{from: reducer{language.Of(from)}, to: reducer{language.Of(to)}}
	err := read(ctx, path, c.add)
	if err == nil {
		l.Pairs, err = c.finish()
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) { // names its file
		return nil, err
	}
	if err != nil {
		return nil, about(path, err)
	}
	return l, nil
}

func about(path string, cause error) error {
	return phrase.Error("lexicon.file", "{file}: {cause}", "file", path, "cause", cause)
}

// split returns the name of a file without folder and extensions, and its extension before
// that of a compression.
func split(path string) (name, ext string) {
	base := packed.Unpacked(filepath.Base(path))
	base = strings.TrimSuffix(base, ".dz")
	ext = strings.ToLower(filepath.Ext(base))
	name = strings.TrimLeft(strings.TrimSuffix(base, filepath.Ext(base)), ".")
	return cmp.Or(name, "lexicon"), ext
}

var pairName = regexp.MustCompile(`(?i)(?:^|[^a-z])([a-z]{2,3})[-_]([a-z]{2,3})(?:$|[^a-z])`)

// PairOf returns the two languages in a name such as freedict-eng-ces or en-cs.
func PairOf(name string) (from, to string, ok bool) {
	for at := 0; at < len(name); at++ { // matches may overlap: my-eng-ces
		m := pairName.FindStringSubmatch(name[at:])
		if m == nil {
			return "", "", false
		}
		if language.Of(m[1]) != nil && exists(m[2]) || exists(m[1]) && language.Of(m[2]) != nil {
			return canonical(m[1]), canonical(m[2]), true
		}
	}
	return "", "", false
}

func exists(code string) bool {
	_, err := isocodes.ParseBase(code)
	return err == nil
}

// canonical returns the code of ISO 639-1 of a language, or the code in lower case if there is
// none.
func canonical(code string) string {
	if l := language.Of(code); l != nil {
		return l.Code
	}
	if base, err := isocodes.ParseBase(code); err == nil {
		return base.String()
	}
	return strings.ToLower(code)
}

// open opens the first of the paths that exists, and decompresses it. Reading more than
// mostBytes returns ErrTooLarge.
func open(paths ...string) (io.ReadCloser, error) {
	var first error
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		p, err := packed.Open(f, 1)
		if err != nil {
			return nil, errors.Join(damaged(err), f.Close())
		}
		return &file{packed: p, file: f, left: mostBytes}, nil
	}
	return nil, first
}

// A file is a decompressed file of limited size.
type file struct {
	packed *packed.Reader
	file   *os.File
	left   int64
	err    error // the first one, which ends reading
}

func (f *file) Read(b []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.left <= 0 {
		f.err = ErrTooLarge
		return 0, f.err
	}
	n, err := f.packed.Read(b[:min(int64(len(b)), f.left)])
	f.left -= int64(n)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	f.err = err
	return n, err
}

func (f *file) Close() error {
	f.packed.Close()
	return f.file.Close()
}
