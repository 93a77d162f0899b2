package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
)

// A tally counts the documents of honest files.
type tally struct {
	documents, words int // with a text, and its words
	unread           int // files that cannot be read
	flagged          int // documents with a flag
	flags            map[string]int
}

// honest reads all files of the folders and prints a line for each file that cannot be read and for each flag
// of a document, with the text around its first place.
func honest(ctx context.Context, out io.Writer, folders []string) error {
	t := tally{flags: map[string]int{}}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			group.Go(func() error {
				err := document.Each(ctx, path, document.Options{}, func(doc *document.Document, err error) error {
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						t.skip(out, path, err)
					} else {
						t.add(out, doc)
					}
					return ctx.Err()
				})
				if err != nil && ctx.Err() == nil {
					mu.Lock()
					t.skip(out, path, err)
					mu.Unlock()
				}
				return ctx.Err()
			})
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d documents of %d words, %d flagged; %d files not read\n", t.documents, t.words, t.flagged, t.unread)
	for reason, n := range t.flags {
		fmt.Fprintf(out, "%5d %s\n", n, reason)
	}
	return nil
}

// skip counts a file that cannot be read and prints the reason.
func (t *tally) skip(out io.Writer, path string, err error) {
	t.unread++
	fmt.Fprintf(out, "%s\tnot read\t%v\n", path, err)
}

func (t *tally) add(out io.Writer, doc *document.Document) {
	t.documents++
	t.words += len(strings.Fields(doc.Text))
	places, first := map[string]int{}, map[string]document.Flag{}
	var order []string
	for _, f := range doc.Flags {
		if f.Kind == document.NoTextLayer || f.Kind == document.OnlyPictures {
			continue // results say that these pages were not compared, and accuse nobody
		}
		reason := string(f.Kind) + ", " + f.Detail
		if f.Kind == document.MixedScript || f.Kind == document.InvisibleChars || f.Kind == document.UnknownFont {
			reason = string(f.Kind)
		}
		if places[reason]++; places[reason] == 1 {
			order, first[reason] = append(order, reason), f
		}
	}
	if len(order) > 0 {
		t.flagged++
	}
	for _, reason := range order {
		t.flags[reason]++
		f := first[reason]
		from, to := max(f.Start-40, 0), min(f.End+40, len(doc.Text))
		fmt.Fprintf(out, "%s\t%s\t%d places\t%s\t%q\n", doc.Path, reason, places[reason], f.Detail, strings.ToValidUTF8(doc.Text[from:to], ""))
	}
}
