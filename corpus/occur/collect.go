package occur

import (
	"bufio"
	"context"
	"io"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
)

// Collect reads a collection and calls add with the worker's result for each
// document, in order. add adds the occurrences, which go to files of dir whose names
// begin with grams, and writes other data of the document to the file beside. names
// lists all these files, for [work.Folder.Finish].
func Collect[T any](ctx context.Context, in *corpus.Input, dir *work.Folder, grams, beside string,
	newWorker func() func(*corpus.Doc) (T, error), add func(d *corpus.Doc, made T, to *Writer, w io.Writer) error,
) (sum corpus.Summary, names []string, err error) {
	files, err := spill.Create(dir.Path(grams), Parts)
	if err != nil {
		return sum, nil, err
	}
	defer closing.Into(&err, files)
	to := NewWriter(files)
	err = dir.Write(beside, func(w *bufio.Writer) error {
		sum, err = corpus.Map(ctx, in, newWorker, func(d *corpus.Doc, made T) error { return add(d, made, to, w) })
		return err
	})
	if err == nil {
		err = to.Flush()
	}
	return sum, append(files.Names(), beside), err
}
