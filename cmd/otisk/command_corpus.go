package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// corpusOptions hold the flags that all corpus commands share.
type corpusOptions struct {
	out       string
	format    string
	tmp       string
	memory    string
	fromIndex bool
	noHeading bool

	tags       plain.Tags // of vertical files; "" to detect them
	languages  []string   // of the documents that are read; empty for all
	paragraphs string     // how paragraphs of texts are separated: auto, line or blank
}

// defaultCorpusMemory is the memory that a corpus command uses, in bytes, unless --memory or
// the settings set another size.
const defaultCorpusMemory = 512 << 20

func newCorpusCommand(g *globalOptions) *cobra.Command {
	cmd := &cobra.Command{Use: "corpus COMMAND", Args: cobra.ArbitraryArgs, RunE: helpOnly}
	cmd.AddCommand(newDedupCommand(g), newNearCommand(g), newSignaturesCommand(g), newFingerprintsCommand(g), newCorpusNgramsCommand(g), newScatteredCommand(g), newStatsCommand(g))
	return cmd
}

func (o *corpusOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "`file` for the results (default: standard output)")
	f.StringVar(&o.tmp, "tmp", "", "`folder` for temporary files (default: that of the system)")
	f.StringVar(&o.tags.Doc, "doc-tag", "", "`name` of the tag that starts a document of a vertical file (default: detected, such as doc or text)")
	f.StringVar(&o.tags.Par, "par-tag", "", "`name` of the tag that starts a paragraph of a vertical file (default: detected, such as p)")
	f.StringVar(&o.paragraphs, "paragraphs", "auto", "`separator` of paragraphs in texts: line (each line is one), blank (blank lines), or auto (by the text)")
	f.StringVar(&o.memory, "memory", "", "`size` of memory to use, such as 1GB (default: from the settings, else 512MB)")
}

func (o *corpusOptions) listFlags(cmd *cobra.Command) {
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "tsv", "`format` of the results: tsv or jsonl")
	f.StringSliceVar(&o.languages, "language", nil, languageUsage)
	f.BoolVar(&o.fromIndex, "from-index", false, "read the texts kept in the index instead of PATH")
}

type corpusRun struct {
	cmd    *cobra.Command
	o      *corpusOptions
	s      *session.Session
	p      *progress
	memory int64
	quiet  bool
	index  store.Reader // nil unless the collection is an index
	paths  []string

	tagged      map[plain.Tags]*taggedFiles
	problems    int
	read, total int64 // bytes of the collection: read so far, and all; both 0 if unknown
}

func (o *corpusOptions) start(cmd *cobra.Command, g *globalOptions, paths []string) (*corpusRun, error) {
	s, err := g.resolve()
	if err != nil {
		return nil, err
	}
	r := &corpusRun{cmd: cmd, o: o, s: s, p: sessionProgress(cmd, s, g.quiet, false), quiet: g.quiet, paths: paths}
	if r.memory, err = o.bytes(s.Settings.Memory); err != nil {
		return nil, err
	}
	if err := spareIndex("-o", o.out); err != nil {
		return nil, err
	}
	if err := o.checkParagraphs(s); err != nil {
		return nil, err
	}
	if o.languages, err = languagesOf(o.languages); err != nil {
		return nil, err
	}
	switch {
	case o.format != "" && o.format != "tsv" && o.format != "jsonl":
		return nil, oneOf(fmt.Sprintf("--format %q", o.format), "tsv", "jsonl")
	case o.fromIndex && len(paths) > 0:
		return nil, misuse("usage.exclude-pair", "flags", lang.NewMessage("usage.and", "first", "--from-index", "last", placeholder("PATH")))
	case !o.fromIndex && len(paths) == 0:
		return nil, misuse("usage.at-least", "command", cmd.Name(), "n", 1, "what", placeholder("PATH"))
	case o.fromIndex:
		r.index, err = s.Reader(cmd.Context())
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(r.memory)
	}
	return r, err
}

// checkParagraphs validates the flags on paragraphs and documents, and applies --paragraphs to
// the rules of the session.
func (o *corpusOptions) checkParagraphs(s *session.Session) error {
	for flag, name := range map[string]string{"--doc-tag": o.tags.Doc, "--par-tag": o.tags.Par} {
		if strings.ContainsAny(name, "<>/ \t\"'=") {
			return misuse("usage.want", "what", fmt.Sprintf("%s %q", flag, name), "wanted", lang.NewMessage("usage.tag"))
		}
	}
	switch o.paragraphs {
	case "auto":
	case "line":
		s.Norms = s.Norms.Separated(normalize.Line)
	case "blank":
		s.Norms = s.Norms.Separated(normalize.Blank)
	default:
		return oneOf(fmt.Sprintf("--paragraphs %q", o.paragraphs), "auto", "line", "blank")
	}
	return nil
}

// bytes returns the memory to use, in bytes. settings is the size in the settings, 0 if they
// set none.
func (o *corpusOptions) bytes(settings int64) (int64, error) {
	const least = 64 << 20
	switch {
	case o.memory == "" && settings == 0:
		return defaultCorpusMemory, nil
	case o.memory == "":
		return max(settings, least), nil
	}
	size, err := config.ParseSize(o.memory)
	if err != nil {
		size, err = config.ParseSize(o.memory + "B") // such as 1G
	}
	if err != nil {
		return 0, misuse("usage.want", "what", fmt.Sprintf("--memory %q", o.memory), "wanted", lang.NewMessage("usage.size"))
	}
	if size < least {
		return 0, misuse("usage.want", "what", "--memory "+o.memory, "wanted", lang.NewMessage("usage.memory"))
	}
	return size, nil
}

// Close closes the index, if one was opened.
func (r *corpusRun) Close() error {
	if r.index == nil {
		return nil
	}
	return r.index.Close()
}

// input returns the collection for commands that compare words.
func (r *corpusRun) input() *corpus.Input {
	return &corpus.Input{
		Paths: r.paths, Index: r.index, Stdin: r.cmd.InOrStdin(), Field: r.s.Read.Field, ID: r.s.Read.ID,
		Tags: r.o.tags, Tagged: r.tag, Read: r.s.Read, Norms: r.s.Norms, Languages: r.o.languages, Most: corpus.Room(r.memory, corpus.DocBytes), Problem: r.problem,
		Progress: func(done, total int64) {
			r.read, r.total = done, total
			r.p.bytes("terminal.bytes-read", done, total)
		},
	}
}

func (r *corpusRun) problem(where string, err error) {
	r.problems++
	if errors.Is(err, plain.ErrNoDocTag) {
		err = lang.NewMessage("error.no-doc-tag", "cause", err)
	}
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.p.note(where, printerOf(r.p.err).Err(err))
}

type taggedFiles struct {
	first string // path
	count int
}

// tag records the tags of a vertical file if they are not the default and were detected.
func (r *corpusRun) tag(path string, tags plain.Tags) {
	if tags.Doc == plain.DefaultTags.Doc && tags.Par == plain.DefaultTags.Par || r.o.tags.Doc != "" && r.o.tags.Par != "" {
		return
	}
	if r.tagged == nil {
		r.tagged = map[plain.Tags]*taggedFiles{}
	}
	if r.tagged[tags] == nil {
		r.tagged[tags] = &taggedFiles{first: path}
	}
	r.tagged[tags].count++
}

func (r *corpusRun) printTags() {
	p, lines := printerOf(r.cmd.ErrOrStderr()), []string{}
	for tags, files := range r.tagged {
		where := files.first
		if files.count > 1 {
			where = p.Text("terminal.and-more", "name", where, "n", files.count-1)
		}
		lines = append(lines, p.Text("terminal.tags", "files", printable(where), "doc", printable(tags.Doc), "par", printable(tags.Par)))
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(r.cmd.ErrOrStderr(), line)
	}
}

// printSeparators prints how the paragraphs of texts were separated, unless it was given.
func (r *corpusRun) printSeparators(s corpus.Separators) {
	if r.quiet || r.o.paragraphs != "auto" || s.Lines+s.Blanks == 0 {
		return
	}
	fmt.Fprintln(r.cmd.ErrOrStderr(), printerOf(r.cmd.ErrOrStderr()).Text("terminal.paragraphs", "lines", s.Lines, "blanks", s.Blanks))
	if s.Single > 0 {
		warn(r.cmd, lang.NewMessage("error.one-paragraph", "n", s.Single))
	}
}

func (r *corpusRun) printLeftOut(left corpus.LeftOut) {
	if !r.quiet && left.Foreign+left.Unknown > 0 {
		r.p.end()
		fmt.Fprintln(r.cmd.ErrOrStderr(), printerOf(r.cmd.ErrOrStderr()).Text("terminal.other-language", "n", left.Foreign, "unknown", left.Unknown))
	}
}

// folder opens the temporary folder of this command. The result of the command must depend on
// nothing but the settings, the files and the values in what.
func (r *corpusRun) folder(what ...any) (*work.Folder, error) {
	var key bytes.Buffer
	fmt.Fprintf(&key, "%s %s %d %+v %v %v\n", r.cmd.CommandPath(), project.Version(), r.memory, r.s.Read, r.s.Settings.Normalization(), append([]any{r.o.tags, r.o.paragraphs, r.o.languages}, what...))
	if r.index != nil {
		info, err := r.index.Info(r.cmd.Context())
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(&key, info.Where, info.Changed, info.Documents, info.TextBytes)
	}
	files, err := corpus.Files(r.cmd.Context(), r.paths, func(path string, err error) { fmt.Fprintln(&key, path, err) })
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(&key, path, f.Size, f.Time.UnixNano())
		if !f.Again() {
			fmt.Fprintln(&key, os.Getpid()) // the content of a pipe is unknown
		}
		if same(f.Path, r.o.out) {
			return nil, misuse("usage.written-over", "file", r.o.out)
		}
	}
	return work.Open(r.o.tmp, key.String())
}

// runList runs a command that writes a list. fn receives a temporary folder and the output, and
// returns a summary of its input. key has the flags on which the result depends.
func (o *corpusOptions) runList(cmd *cobra.Command, g *globalOptions, paths []string, key []any, fn func(ctx context.Context, r *corpusRun, dir *work.Folder, out io.Writer) (corpus.Summary, error)) (err error) {
	r, err := o.start(cmd, g, paths)
	if err != nil {
		return err
	}
	defer closing.Into(&err, r)
	err = r.within(key, func(ctx context.Context, dir *work.Folder, out io.Writer) error {
		sum, err := fn(ctx, r, dir, out)
		if err == nil && sum.Documents == 0 {
			if err = errNoDocuments; sum.Foreign+sum.Unknown > 0 {
				err = lang.NewMessage("error.no-language", "languages", strings.Join(o.languages, ", "))
			}
		}
		r.printLeftOut(sum.LeftOut)
		r.problems = sum.Problems
		return err
	})
	if err != nil {
		return err
	}
	return r.finish()
}

// within runs fn with a temporary folder and an output. The output file is written
// atomically: it is left unchanged if fn fails.
func (r *corpusRun) within(what []any, fn func(ctx context.Context, dir *work.Folder, out io.Writer) error) error {
	dir, err := r.folder(what...)
	if err != nil {
		return err
	}
	out, err := packedTo(r.o.out, r.cmd.OutOrStdout())
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	err = fn(r.cmd.Context(), dir, out)
	if err == nil {
		err = out.Commit()
	}
	err = errors.Join(err, out.Close())
	return r.ended(err, dir)
}

// ended removes the temporary folder if the command succeeded. Otherwise it keeps the folder
// with its finished steps for the next run, and adds a hint to err.
func (r *corpusRun) ended(err error, dir *work.Folder) error {
	r.p.end()
	if err == nil || errors.Is(err, errNoDocuments) {
		return errors.Join(err, dir.Remove())
	}
	used, size := dir.Path(""), dir.Size()
	err = errors.Join(err, dir.Close())
	switch {
	case errors.Is(err, corpus.ErrTooMany):
		return hintedError{err, lang.NewMessage("hint.memory", "n", r.memory>>20)}
	case !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT):
		return err
	case strings.Contains(err.Error(), used):
		return hintedError{err, r.needed(filepath.Dir(used), size)}
	}
	return hintedError{err, lang.NewMessage("hint.room-again")}
}

// needed returns a hint on how much disk space temporary files need: they had size bytes when the
// disk was full. The estimate covers reading only; later steps need less space than reading.
func (r *corpusRun) needed(folder string, size int64) lang.Message {
	if r.read > 0 && r.read < r.total {
		return lang.NewMessage("hint.temporary-of", "size", megabytes(size), "folder", folder, "percent", fmt.Sprintf("%d%%", 100*r.read/r.total),
			"least", megabytes(int64(float64(size)*float64(r.total)/float64(r.read))))
	}
	return lang.NewMessage("hint.temporary", "size", megabytes(size), "folder", folder)
}

// errNoDocuments ends a command that found no documents. No output file is written.
var errNoDocuments = phrase.Error("error.no-collection", "the input contains no documents")

// finish prints the tags that were detected, and returns an error if some input could not be
// used.
func (r *corpusRun) finish() error {
	if !r.quiet {
		r.printTags()
	}
	if r.problems > 0 {
		return partlyError{lang.NewMessage("error.corpus-problems", "n", r.problems)}
	}
	return nil
}

// bytes draws progress in bytes, as a message with their number; a total of 0 means that the total
// is unknown.
func (p *progress) bytes(message string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(func() string {
		say := printerOf(p.err)
		if total == 0 {
			return say.Text(message, "size", megabytes(done))
		}
		left := time.Duration(float64(total-done) / float64(max(done, 1)) * float64(time.Since(p.start)))
		size := say.Text("terminal.of", "done", megabytes(done), "total", megabytes(total))
		return say.Text(message, "size", size) + ", " + say.Text("terminal.left-time", "left", round(left))
	})
}

var stepMessages = map[string]string{
	"count": "terminal.step-count", "look up": "terminal.step-look", "compare": "terminal.step-compare", "order": "terminal.step-order",
	"articles": "terminal.step-articles",
}

func (p *progress) count(step string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(func() string {
		say := printerOf(p.err)
		return say.Text("terminal.step", "step", say.Text(stepMessages[step]), "done", done, "total", total)
	})
}
