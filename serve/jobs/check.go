package jobs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// findPrivate searches the private collections, alone, and keeps what the reports may say about them.
func (w *worker) findPrivate(ctx context.Context) (err error) {
	var places []indexes.Place
	var open []work.Private
	for _, p := range w.task.Private {
		if !p.Closed {
			open, places = append(open, p), append(places, w.task.Collections[p.Index])
		}
	}
	if len(open) == 0 {
		return nil
	}
	index, of, end, err := session.Join(ctx, places, w.reader)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	collections := map[string]*report.PrivateCollection{} // by ids of documents
	err = index.Documents(ctx, "", func(d store.Document) error {
		for i, p := range open {
			if of == nil || of[i][d.ID] {
				collections[d.ID.String()] = &report.PrivateCollection{Number: p.Index, Owner: p.Owner, Secret: p.Secret}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	batch, err := w.batch(ctx, index, check.Options{Search: search.Options{Exact: true}})
	if err != nil {
		return err
	}
	defer closing.Into(&err, batch)
	w.private = map[string][]report.PrivateShare{}
	return batch.Search(ctx, func(t check.Text, found *search.Result) error {
		words, err := batch.Words(t)
		if err != nil {
			return err
		}
		list := report.PrivateShares(found, words, func(id string) *report.PrivateCollection { return collections[id] })
		w.mu.Lock()
		defer w.mu.Unlock()
		w.private[t.Path] = list
		return nil
	})
}

// mostTexts is the limit of texts in one uploaded file: each is a check of its own.
const mostTexts = 5000

// check checks the files as otisk search does, and writes the reports in JSON. A task that lists the texts ends
// when all are read.
func (w *worker) check(ctx context.Context, o *work.Outcome) (err error) {
	if w.task.Kind == work.Check {
		if err := w.findPrivate(ctx); err != nil {
			return err
		}
	}
	index, end, err := w.public(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	batch, err := w.batch(ctx, index, check.Options{Search: search.Options{Exact: w.task.Preset.Exact}, Among: w.task.Among})
	if err != nil {
		return err
	}
	defer closing.Into(&err, batch)
	places := map[string]int{}
	o.Texts, o.Unread = make([]work.Text, len(batch.Texts())), batch.Unread()
	for i, t := range batch.Texts() {
		places[t.Path] = i
		o.Texts[i] = work.Text{File: w.fileOf(t.Path), Path: t.Path}
	}
	if w.task.Kind == work.List {
		return nil
	}
	return batch.Search(ctx, func(t check.Text, found *search.Result) error {
		i := places[t.Path]
		text, err := w.write(i, t, found)
		o.Texts[i] = text
		return err
	})
}

// batch reads the files of the task as a batch against index. It adds to opts what all searches of a task share.
func (w *worker) batch(ctx context.Context, index store.Reader, opts check.Options) (*check.Batch, error) {
	info, err := index.Info(ctx)
	if err != nil {
		return nil, err
	}
	opts.Norms, opts.Read, opts.Exclude = w.s.Norms, w.s.Read, w.s.OwnFolders()
	opts.Skip, opts.Most, opts.Progress = w.task.Skip, mostTexts, w.progress
	o := &opts.Search
	o.N, o.Common, o.Summary, o.Texts, o.NoHints = session.DefaultSize, session.FromSettings, true, true, w.task.Preset.Exclude
	if *o, err = w.s.SearchOptions(*o, info, func(error) {}); err != nil {
		return nil, err
	}
	if len(w.task.Without) > 0 {
		without := map[store.DocID]bool{}
		for _, name := range w.task.Without {
			without[store.IDOf("", name)] = true
		}
		o.Skip = func(id store.DocID) bool { return without[id] }
	}
	if o.Templates, err = w.given(ctx); err != nil {
		return nil, err
	}
	batch, err := check.New(ctx, index, opts)
	if err != nil {
		return nil, err
	}
	for _, f := range w.task.Files {
		batch.FindAs(f.Path, f.Name)
	}
	if err := batch.Read(ctx); err != nil {
		return nil, errors.Join(err, batch.Close())
	}
	return batch, nil
}

// faults are the codes of errors of reading, the most specific first.
var faults = []struct {
	err  error
	code tca.Code
}{
	{document.ErrEncrypted, tca.Locked}, {document.ErrTooLarge, tca.TooMuch}, {document.ErrEmpty, tca.NoText}, {document.ErrNoLayer, tca.NoText}, {document.ErrDamaged, tca.Corrupt},
	{document.ErrBinary, tca.Unsupported}, {document.ErrEncoding, tca.Unsupported}, {document.ErrMany, tca.Unsupported}, {document.ErrNested, tca.Unsupported},
}

// read reads one text, and sets its size or why it cannot be checked.
func (w *worker) read(ctx context.Context, o *work.Outcome) error {
	doc, err := document.Open(ctx, w.task.Files[0].Path, w.s.Read)
	o.Read = new(work.Reading)
	if err == nil {
		norm, _ := w.s.Norms.For(doc.Types()...)
		paragraph, words, longest := -1, 0, 0
		for s := norm.Scan(doc.Text, doc.Mode(norm)); s.Next(); o.Read.Words++ {
			if s.Paragraph() != paragraph {
				paragraph, words = s.Paragraph(), 0
			}
			words++
			longest = max(longest, words)
		}
		o.Read.Characters = utf8.RuneCountInString(doc.Text)
		if longest < session.DefaultSize { // as the check would find
			o.Read.Fault, o.Unread = tca.TooLittle, []search.Unread{search.NewUnread(w.task.Files[0].Name, search.TooShort(session.DefaultSize))}
		}
		return nil
	}
	for _, f := range faults {
		if errors.Is(err, f.err) {
			o.Read.Fault, o.Unread = f.code, []search.Unread{search.NewUnread(w.task.Files[0].Name, err)}
			return nil
		}
	}
	return err
}

// given returns the given texts, which otisk search reads by --template.
func (w *worker) given(ctx context.Context) (texts []string, err error) {
	for _, f := range w.task.Given {
		doc, err := document.Open(ctx, f.Path, w.s.Read)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", lang.NewMessage("said.given-text", "name", f.Name), err)
		}
		texts = append(texts, doc.Text)
	}
	return texts, nil
}

func (w *worker) write(i int, t check.Text, found *search.Result) (work.Text, error) {
	r := &report.Report{Result: *found}
	private := w.private[t.Path]
	if len(w.task.Private) > 0 {
		report.AddPrivate(r, private)
	}
	for _, p := range w.task.Private {
		if p.Closed {
			r.Note(phrase.Error("said.private-closed", "the private collection of {owner} was not searched: the group has checked too many texts with passages of it", "owner", p.Owner))
		}
	}
	p := w.task.Preset
	report.Exclude(r, report.Filter{Kinds: p.Exclude, PassageWords: p.MinPassage, SourceWords: p.MinSource, SourcePercent: p.MinSourcePercent}, nil)
	text := work.Text{Path: t.Path, Report: fmt.Sprintf("%d.json", i), Row: report.RowOf(r, ""), Flags: len(r.Suspect.Flags)}
	text.Private = append(text.Private, lists.Map(private, func(p report.PrivateShare) int { return p.Collection })...)
	text.File = w.fileOf(t.Path)
	return text, check.WriteFile(filepath.Join(w.task.Out, text.Report), "json", r, report.Options{})
}

func (w *worker) fileOf(path string) int {
	return max(0, slices.IndexFunc(w.task.Files, func(f work.File) bool { return path == f.Name || strings.HasPrefix(path, f.Name+document.MemberMark) }))
}
