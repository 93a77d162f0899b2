package signature

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/lang/phrase"
)

var errNotListed error = phrase.Error("said.not-listed", "not in the collection, or not in its order")

var errNotStream error = phrase.Error("cause.not-stream", "only documents of vertical files and JSON Lines can be copied")

// Select copies the listed documents to out, byte for byte. The list has one id a line,
// in the form of the results and in the order of the collection: Select reads both once, in
// parallel. It calls missing for each listed id that the collection does not have.
func Select(ctx context.Context, in *corpus.Input, list io.Reader, out io.Writer, missing func(id string, err error)) (written int, sum corpus.Summary, err error) {
	ids := bufio.NewScanner(list)
	ids.Buffer(nil, 1<<20)
	more := ids.Scan()
	sum, err = corpus.Each(ctx, in, func(d *corpus.Doc) error {
		if !more || corpus.Cell(d.ID) != ids.Text() {
			return nil
		}
		if d.Raw == nil {
			return fmt.Errorf("%s: %w", d.Where, errNotStream)
		}
		more = ids.Scan()
		written++
		return writeDocument(out, d.Raw)
	})
	if err != nil {
		return written, sum, err
	}
	for ; more; more = ids.Scan() {
		missing(ids.Text(), errNotListed)
	}
	return written, sum, ids.Err()
}
