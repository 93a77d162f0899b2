package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/dedup"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
)

type dedupOptions struct {
	corpusOptions
	dedup.Options
	rule, unit, hash string
	strip, rough     bool
	words            bool
}

func newDedupCommand(g *globalOptions) *cobra.Command {
	o := dedupOptions{Options: dedup.Defaults(), rule: "onion", unit: "paragraph", hash: "city"}
	cmd := &cobra.Command{
		Use:     "dedup [flags] PATH...",
		Example: "  otisk corpus dedup crawl.vert -o clean.vert\n  otisk corpus dedup --mark --hash onion crawl.vert | head",
		RunE:    func(cmd *cobra.Command, args []string) error { return runDedup(cmd, g, &o, args) },
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.IntVarP(&o.N, "words", "n", o.N, "`tokens` in one n-gram")
	f.Float64Var(&o.Threshold, "threshold", o.Threshold, "`share` of a paragraph that may be repeated, 0 to 1")
	f.IntVar(&o.Stub, "stub", o.Stub, "maximum `tokens` of a stretch between dropped paragraphs that is dropped, too")
	f.BoolVar(&o.rough, "no-smoothing", false, "keep short stretches between dropped paragraphs")
	f.BoolVar(&o.Mark, "mark", false, "drop nothing: put 1 and a tab before each line that would be dropped, 0 before others; JSON gets a field duplicate")
	f.BoolVar(&o.strip, "strip", false, "drop repeated text (the default)")
	f.StringVar(&o.rule, "rule", o.rule, "`rule`: onion or tuples")
	f.StringVar(&o.unit, "unit", o.unit, "keep or drop each paragraph, or each whole document: paragraph or document")
	f.StringVar(&o.hash, "hash", o.hash, "`hash` of tokens: city, or onion, for the same output as onion 1.2")
	f.IntVar(&o.Column, "column", 0, "compare this `column` of a vertical file, counted from 1 (default: whole lines)")
	f.BoolVar(&o.words, "normalise", false, "compare the tokens of a vertical file as normalized words")
	f.BoolVar(&o.Approximate, "approximate", false, "read the collection once, with a filter in memory instead of temporary files")
	cmd.MarkFlagsMutuallyExclusive("mark", "strip")
	return cmd
}

// check validates the flags and resolves them into the options. given reports whether a flag
// was given.
func (o *dedupOptions) check(given func(flag string) bool) error {
	switch {
	case o.rule == "tuples" && (given("stub") || given("no-smoothing")):
		return misuse("usage.only-with", "flags", "--stub, --no-smoothing", "other", "--rule onion")
	case o.N < 1 || o.N > 1000:
		return misuse("usage.tokens", "typed", strconv.Itoa(o.N), "most", 1000)
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return misuse("usage.want", "what", fmt.Sprintf("--threshold %v", o.Threshold), "wanted", lang.NewMessage("usage.share"))
	case o.Stub < 0:
		return misuse("usage.want", "what", fmt.Sprintf("--stub %d", o.Stub), "wanted", lang.NewMessage("usage.or-more", "n", 0))
	case o.Column < 0:
		return misuse("usage.want", "what", fmt.Sprintf("--column %d", o.Column), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	case o.rule != "onion" && o.rule != "tuples":
		return oneOf(fmt.Sprintf("--rule %q", o.rule), "onion", "tuples")
	case o.unit != "paragraph" && o.unit != "document":
		return oneOf(fmt.Sprintf("--unit %q", o.unit), "paragraph", "document")
	case o.hash != "city" && o.hash != "onion":
		return oneOf(fmt.Sprintf("--hash %q", o.hash), "city", "onion")
	}
	if o.rule == "tuples" {
		o.Rule = dedup.Tuples
	}
	o.Documents, o.OnionHash, o.Smooth = o.unit == "document", o.hash == "onion", !o.rough
	return nil
}

func runDedup(cmd *cobra.Command, g *globalOptions, o *dedupOptions, paths []string) (err error) {
	if err := o.check(cmd.Flags().Changed); err != nil {
		return err
	}
	if g.encoding != "" {
		return misuse("usage.dedup-encoding")
	}
	r, err := o.start(cmd, g, paths)
	if err != nil {
		return err
	}
	if o.words {
		o.Words, _ = r.s.Norms.For("text/vertical", "vert")
	}
	o.Norms, o.Field, o.Memory, o.MaxDoc = r.s.Norms, cmp.Or(r.s.Read.Field, "text"), r.memory, int(min(r.s.Settings.MaxFile, corpus.MostBytes))
	dir, err := r.folder(o.N, o.rule, o.unit, o.hash, o.Column, o.words, o.Approximate, o.MaxDoc)
	if err != nil {
		return err
	}
	sum, err := r.dedup(o, dir)
	if err := r.ended(err, dir); err != nil {
		return err
	}
	if !g.quiet {
		printDropped(cmd, o, sum)
	}
	r.printSeparators(sum.Separators)
	return r.finish()
}

func printDropped(cmd *cobra.Command, o *dedupOptions, sum dedup.Summary) {
	p := printerOf(cmd.ErrOrStderr())
	message := "terminal.dropped"
	if o.Mark {
		message = "terminal.marked"
	}
	share := p.Percent(100 * float64(sum.DroppedTokens) / float64(max(sum.Tokens, 1)))
	fmt.Fprintln(cmd.ErrOrStderr(), p.Text(message, "paragraphs", sum.DroppedParagraphs, "all", sum.Paragraphs,
		"percent", share, "tokens", sum.Tokens, "documents", sum.DroppedDocuments, "total", sum.Documents))
	if o.Approximate {
		fmt.Fprintln(cmd.ErrOrStderr(), p.Text("terminal.false-rate", "share", fmt.Sprintf("%.2g", sum.FalseRate)))
	}
}

func (r *corpusRun) dedup(o *dedupOptions, dir *work.Folder) (sum dedup.Summary, err error) {
	ctx := r.cmd.Context()
	files, total, err := r.dedupFiles(ctx, dir, o.Approximate, o.OnionHash)
	if err != nil {
		return sum, err
	}
	o.Problem = r.problem
	o.Progress = func(pass int, done int64) {
		switch pass {
		case 1:
			r.read, r.total = done, total
			r.p.bytes("terminal.first-pass", done, total)
		case 2:
			r.p.drawMessage("terminal.sorting")
		default:
			r.p.bytes("terminal.second-pass", done, total)
		}
	}
	out, err := r.dedupOutput(files)
	if err != nil {
		return sum, err
	}
	written := 0
	sum, err = dedup.Run(ctx, files, o.Options, dir, func(file int, b []byte) error {
		written += len(b)
		return out.write(file, b)
	})
	switch {
	case err != nil:
	case sum.Documents == 0:
		err = errNoDocuments
	case sum.Tokens > 0 && written == 0:
		err = hintedError{errNothingLeft, lang.NewMessage("hint.stub", "n", o.Stub)}
	}
	if err == nil {
		err = out.commit()
	}
	return sum, errors.Join(err, out.close())
}

// errNothingLeft ends a command that would drop everything. No output file is written.
var errNothingLeft = phrase.Error("error.nothing-left", "nothing would be left of the collection; no output is written")

// dedupFiles opens the files of the collection once, to detect their forms. Input that cannot
// be read twice is copied to dir, except for the standard input if once is true.
func (r *corpusRun) dedupFiles(ctx context.Context, dir *work.Folder, once, onion bool) (files []dedup.File, total int64, err error) {
	list, err := corpus.Files(ctx, r.paths, r.problem)
	if err != nil {
		return nil, 0, err
	}
	for i, f := range list {
		path := f.Path
		if !f.Again() && (path != corpus.Stdin || !once) {
			if path, err = r.copyInput(path, dir.Path(fmt.Sprint("input", i, filepath.Ext(path)))); err != nil {
				return nil, 0, err
			}
		}
		form, tags, err := r.dedupForm(path, onion)
		if err != nil {
			r.problem(f.Path, err)
			continue
		}
		if form == corpus.Vertical {
			r.tag(f.Path, tags)
		}
		total += f.Size
		open := func() (io.ReadCloser, error) { return corpus.OpenStream(path, r.cmd.InOrStdin(), tags) }
		files = append(files, dedup.File{Path: f.Path, Form: form, Tags: tags, Open: open})
	}
	return files, total, nil
}

var errNotText = lang.NewMessage("error.not-text-form")

// dedupForm returns the form of a file, and the tags of a vertical file. It rejects files that
// are not text, since they cannot be written in their own form. If onion is true, documents
// called doc have paragraphs called p, as in onion, unless the flags name others.
func (r *corpusRun) dedupForm(path string, onion bool) (corpus.Form, plain.Tags, error) {
	if path == corpus.Stdin {
		return r.stdinForm(onion)
	}
	s, err := openDedup(path, nil, r.o.tags, onion)
	if err != nil {
		return 0, plain.Tags{}, err
	}
	defer s.Close()
	if s.Form != corpus.Whole {
		return s.Form, s.Tags, nil
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(s, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, plain.Tags{}, err
	}
	if !isPlainText(head[:n]) {
		return 0, plain.Tags{}, errNotText
	}
	return corpus.Whole, plain.Tags{}, nil
}

// openDedup opens a file with the tags of onion if they fit and onion is true.
func openDedup(path string, stdin io.Reader, tags plain.Tags, onion bool) (*corpus.Stream, error) {
	if onion && tags.Par == "" && path != corpus.Stdin {
		s, err := corpus.OpenStream(path, stdin, plain.Tags{Doc: tags.Doc, Par: plain.DefaultTags.Par})
		if err != nil || s.Form != corpus.Vertical || s.Tags.Doc == plain.DefaultTags.Doc {
			return s, err
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	return corpus.OpenStream(path, stdin, tags)
}

// stdinForm returns the form of a standard input that is read once. If it is not JSON Lines,
// it is a vertical file, whose first document may have no tag.
func (r *corpusRun) stdinForm(onion bool) (corpus.Form, plain.Tags, error) {
	const enough = 1 << 16
	in := bufio.NewReaderSize(r.cmd.InOrStdin(), enough)
	r.cmd.SetIn(in)
	head, _ := in.Peek(enough) // a read error is reported when the whole input is read
	s, err := corpus.OpenStream(corpus.Stdin, bytes.NewReader(head), r.o.tags)
	if err != nil {
		return 0, plain.Tags{}, err
	}
	if s.Form == corpus.JSONLines {
		return s.Form, s.Tags, s.Close()
	}
	head, err = io.ReadAll(s)
	if err != nil && !errors.Is(err, document.ErrDamaged) { // the part of a compressed file ends early
		return 0, plain.Tags{}, err
	}
	given := r.o.tags
	tags, err := plain.FindTags(head, given)
	if onion && given.Par == "" && tags.Doc == plain.DefaultTags.Doc {
		tags.Par, err = plain.DefaultTags.Par, nil
	}
	return corpus.Vertical, tags, err
}

// isPlainText reports whether head, the start of a file, is text without markup.
func isPlainText(head []byte) bool {
	for _, b := range head {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' {
			return false
		}
	}
	return len(head) == 0 || head[0] != '<' && head[0] != '{'
}

// copyInput copies the standard input or a pipe to the file to, and returns that path.
func (r *corpusRun) copyInput(path, to string) (_ string, err error) {
	in := r.cmd.InOrStdin()
	if path != corpus.Stdin {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	f, err := os.Create(to)
	if err != nil {
		return "", err
	}
	defer closing.Into(&err, f)
	if _, err = io.Copy(f, in); err != nil {
		return "", lang.NewMessage("error.copy", "file", path, "to", to, "cause", err)
	}
	return to, nil
}

type dedupOutput struct {
	one   *packedOutput
	names []string // paths of the output files in the folder, one for each of files
	files []dedup.File
	at    int // index of the file that is being written
	now   *replace.Output
}

// dedupOutput opens the output. Several text files need a folder.
func (r *corpusRun) dedupOutput(files []dedup.File) (*dedupOutput, error) {
	texts := lists.Count(files, func(f dedup.File) bool { return f.Form == corpus.Whole })
	info, err := os.Stat(r.o.out)
	folder := err == nil && info.IsDir() || r.o.out != "" && os.IsPathSeparator(r.o.out[len(r.o.out)-1])
	switch {
	case folder:
		names, err := outputNames(r.o.out, files)
		return &dedupOutput{names: names, files: files, at: -1}, err
	case texts > 1:
		return nil, misuse("usage.texts-folder", "n", texts)
	}
	one, err := packedTo(r.o.out, r.cmd.OutOrStdout())
	return &dedupOutput{one: one}, err
}

// outputNames returns the paths of the output files in dir. A file below the working directory
// keeps its relative path; any other file keeps its base name only. Extensions of compression
// are removed, since the output is not compressed.
func outputNames(dir string, files []dedup.File) (names []string, err error) {
	of := map[string]string{}
	for _, f := range files {
		path := packed.Unpacked(f.Path)
		if !filepath.IsLocal(path) {
			path = filepath.Base(path)
		}
		name := filepath.Join(dir, path)
		if other, ok := of[name]; ok {
			return nil, misuse("usage.one-output", "first", other, "last", f.Path, "file", name)
		}
		of[name] = f.Path
		names = append(names, name)
	}
	return names, nil
}

func (d *dedupOutput) write(file int, b []byte) error {
	if d.one != nil {
		_, err := d.one.Write(b)
		return err
	}
	for d.at < file {
		if err := d.next(); err != nil {
			return err
		}
	}
	_, err := d.now.Write(b)
	return err
}

// next commits the current output file and creates the next one.
func (d *dedupOutput) next() error {
	if d.now != nil {
		if err := d.now.Commit(); err != nil {
			return err
		}
	}
	d.at++
	path := d.names[d.at]
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil && same(path, d.files[d.at].Path) {
		return lang.NewMessage("usage.written-over", "file", path)
	}
	var err error
	d.now, err = replace.Create(path)
	return err
}

// same reports whether two paths name the same regular file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y) && x.Mode().IsRegular()
}

func (d *dedupOutput) commit() error {
	if d.one != nil {
		return d.one.Commit()
	}
	for d.at+1 < len(d.files) {
		if err := d.next(); err != nil {
			return err
		}
	}
	if d.now == nil {
		return nil
	}
	return d.now.Commit()
}

func (d *dedupOutput) close() error {
	switch {
	case d.one != nil:
		return d.one.Close()
	case d.now != nil:
		return d.now.Close()
	}
	return nil
}
