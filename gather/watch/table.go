package watch

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/lang/phrase"
)

func (w *watcher) readTable(ctx context.Context) error {
	if w.opts.Metadata == "" {
		return nil
	}
	info, err := os.Stat(w.opts.Metadata)
	if err != nil {
		return err
	}
	w.table = signatureOf(info)
	said, err := indexer.ReadDescriptions(ctx, w.opts.Metadata)
	if err != nil {
		return err
	}
	w.opts.Index.Descriptions = said
	return nil
}

// tableAgain reads the table again if it has changed, and schedules all files for comparison with
// it. If it cannot be read, its last content is used.
func (w *watcher) tableAgain(ctx context.Context) {
	path := w.opts.Metadata
	if path == "" {
		return
	}
	info, err := os.Stat(path)
	if err == nil {
		age := time.Since(info.ModTime()) // may be negative if another machine wrote it
		if signatureOf(info) == w.table || age >= 0 && age < w.opts.Settle {
			return // unchanged, or incomplete
		}
	}
	if err == nil {
		err = w.readTable(ctx)
	}
	if err != nil {
		w.reportOnce(path, phrase.Error("watch.table", "{cause}: its earlier content applies", "cause", cause(err)))
		return
	}
	delete(w.told, path)
	for _, r := range w.roots {
		r.top.each(func(n *node) { n.file.retry = true })
	}
}

func (w *watcher) unused() {
	if w.opts.Index.Descriptions == nil {
		return
	}
	const shown = 3
	list := w.opts.Index.Descriptions.Unused()
	if len(list) == 0 {
		return
	}
	names := strings.Join(list[:min(shown, len(list))], ", ")
	if len(list) > shown {
		names += ", ..."
	}
	w.report(Event{Path: w.opts.Metadata, Err: phrase.Error("watch.rows", "{n} of {all} rows match no document here: {names}", "n", len(list), "all", w.opts.Index.Descriptions.Len(), "names", names)})
}
