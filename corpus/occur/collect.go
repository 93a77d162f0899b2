package occur

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
)

// Collect reads a collection: take gets what a worker returned of each document, in
// order, adds its occurrences and writes what else is to be known of it. They are in
// files of dir then, whose names begin with grams, and in the file beside. names has
// all of them, for [work.Folder.Finish].
func Collect[T any](ctx context.Context, in *corpus.Input, dir *work.Folder, grams, beside string,
	newWorker func() func(*corpus.Doc) (T, error), take func(d *corpus.Doc, made T, to *Writer, w io.Writer) error,
) (sum corpus.Summary, names []string, err error) {
	f, err := os.Create(dir.Path(beside))
	if err != nil {
		return sum, nil, err
	}
	defer closing.Into(&err, f)
	files, err := spill.Create(dir.Path(grams), Parts)
	if err != nil {
		return sum, nil, err
	}
	defer closing.Into(&err, files)
	to, w := NewWriter(files), bufio.NewWriterSize(f, 1<<20)
	sum, err = corpus.Map(ctx, in, newWorker, func(d *corpus.Doc, made T) error { return take(d, made, to, w) })
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = to.Flush()
	}
	return sum, append(files.Names(), beside), err
}
