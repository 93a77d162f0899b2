package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
)

// isTerminal reports whether a person is at the other end.
func isTerminal(stream any) bool {
	switch s := stream.(type) {
	case *results:
		stream = s.Writer
	case *voice:
		stream = s.Writer
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A progress line is drawn on a terminal, for work longer than a second.
type progress struct {
	err     io.Writer
	draws   bool
	verbose bool
	start   time.Time

	mu     sync.Mutex
	drawn  time.Time       // last time
	shown  bool            // a line is on the terminal
	warned map[string]bool // reasons that were given
	again  []search.Unread // files of a reason that was given before
	noted  map[string]*noted
	kinds  []string // of notes, in the order in which they came
}

// A noted is what is known of the files that had a note of one kind.
type noted struct {
	count int      // after the first, which was named at once
	names []string // of these, the first few
}

func newProgress(cmd *cobra.Command, quiet, verbose bool) *progress {
	err := cmd.ErrOrStderr()
	return &progress{err: err, draws: !quiet && isTerminal(err), verbose: verbose, start: time.Now()}
}

// event takes one step of indexing.
func (p *progress) event(e indexer.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Err != nil {
		p.warn(e.Path, e.Err.Error())
	}
	if e.Note != "" {
		p.note(e.Path, e.Note)
	}
	if e.Commit && p.verbose {
		p.clear()
		fmt.Fprintln(p.err, printerOf(p.err).Text("terminal.committed", "n", e.Committed))
	}
	p.draw(func() string { return describe(e, time.Since(p.start)) })
}

// warn names a file and what is wrong with it: the first of each kind at once,
// the others of it together at the end. The caller holds p.mu.
func (p *progress) warn(path, reason string) {
	if p.warned[reason] {
		p.again = append(p.again, search.Unread{Path: path, Reason: reason})
		if len(p.again) == mostWaiting {
			p.others()
		}
		return
	}
	if p.warned == nil {
		p.warned = map[string]bool{}
	}
	p.warned[reason] = true
	p.clear()
	warnTo(p.err, "%s: %s", path, reason)
}

// numbers are what notes of one kind differ in.
var numbers = regexp.MustCompile(`[0-9]+`)

// mostNoted is how many files with a note of one kind are named at the end: each page
// of an archive of the web may have one.
const mostNoted = 20

// note tells what is odd about a file: of the first of each kind at once, of the
// others together at the end. The caller holds p.mu.
func (p *progress) note(path, text string) {
	kind := numbers.ReplaceAllLiteralString(text, "…")
	if n := p.noted[kind]; n != nil {
		if n.count++; len(n.names) < mostNoted {
			n.names = append(n.names, printable(path))
		}
		return
	}
	if p.noted == nil {
		p.noted = map[string]*noted{}
	}
	p.noted[kind], p.kinds = &noted{}, append(p.kinds, kind)
	p.clear()
	warnTo(p.err, "%s: %s", path, text)
}

// notes tells what notes the other files had. The caller holds p.mu.
func (p *progress) notes() {
	for _, kind := range p.kinds {
		n := p.noted[kind]
		if n.count == 0 {
			continue
		}
		names := strings.Join(n.names, ", ")
		if n.count > len(n.names) {
			names += ", …"
		}
		out := printerOf(p.err)
		tell(p.err, out.Text("terminal.warning"), out.Text("terminal.more-files", "n", n.count)+": "+kind+": "+names)
	}
	p.noted, p.kinds = nil, nil
}

// mostWaiting is how many warnings wait for the end.
const mostWaiting = 10_000

// others gives the warnings that waited. The caller holds p.mu.
func (p *progress) others() {
	p.clear()
	slices.SortFunc(p.again, func(a, b search.Unread) int { return strings.Compare(a.Path, b.Path) })
	warnUnread(p.err, p.again, "terminal.more-files")
	p.again = p.again[:0]
}

// draw shows a line, a few times a second. The caller holds p.mu.
func (p *progress) draw(line func() string) {
	now := time.Now()
	if !p.draws || now.Sub(p.start) < time.Second || now.Sub(p.drawn) < 200*time.Millisecond {
		return
	}
	p.clear()
	fmt.Fprint(p.err, line())
	p.drawn, p.shown = now, true
}

// step shows by a message that done of total are done.
func (p *progress) step(done, total int, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(func() string {
		left := time.Since(p.start) * time.Duration(total-done) / time.Duration(max(done, 1))
		return printerOf(p.err).Text(message, "done", done, "total", total, "left", round(left))
	})
}

// checking takes one step of a check of many texts.
func (p *progress) checking(s check.Progress) {
	switch s.Stage {
	case check.Reading:
		p.step(s.Done, s.Total, "terminal.read")
	case check.Comparing:
		p.say("terminal.comparing")
	case check.Searching:
		p.step(s.Done, s.Total, "terminal.checked")
	}
}

// say shows by a message what goes on now.
func (p *progress) say(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawn = time.Time{}
	p.draw(func() string { return printerOf(p.err).Text(message) })
}

// end removes the line, and gives the warnings that waited.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.others()
	p.notes()
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.err, "\r\x1b[K")
		p.shown = false
	}
}

// describe returns how far indexing is.
func describe(e indexer.Event, elapsed time.Duration) string {
	files := fmt.Sprint(e.Files)
	if e.Expected.Files > 0 {
		files += fmt.Sprintf(" of %d", e.Expected.Files)
	}
	line := fmt.Sprintf("%s documents, %s, %.1f M n-grams, %s/s", files, megabytes(e.Bytes),
		float64(e.Grams)/1e6, megabytes(int64(float64(e.Bytes)/elapsed.Seconds())))
	if left := e.Expected.Bytes - e.Bytes; left > 0 && e.Bytes > 0 {
		line += ", " + round(time.Duration(float64(elapsed)*float64(left)/float64(e.Bytes))) + " left"
	}
	return line
}

func round(d time.Duration) string { return d.Round(time.Second).String() }

// megabytes returns a number of bytes for people.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// A question is asked on the terminal about each changed document, until the
// answer is for all, or there is none.
type question struct {
	err     io.Writer
	p       *progress
	answers *answers
	always  *indexer.Decision
	failed  error
}

func newQuestion(cmd *cobra.Command, p *progress) *question {
	return &question{err: cmd.ErrOrStderr(), p: p, answers: newAnswers(cmd)}
}

func (q *question) ask(ctx context.Context, doc store.Document) (indexer.Decision, error) {
	switch {
	case q.failed != nil:
		return indexer.Skip, q.failed
	case q.always != nil:
		return *q.always, nil
	}
	q.p.end()
	for {
		fmt.Fprintf(q.err, "%s is in the index and has changed. Overwrite? [y]es, [n]o, yes to [a]ll, no to all [s]: ", printable(doc.Name()))
		answer, err := q.answers.next(ctx)
		if err != nil {
			q.failed = err
			return indexer.Skip, err
		}
		decision := indexer.Overwrite
		switch answer {
		case "y", "yes":
			return indexer.Overwrite, nil
		case "n", "no":
			return indexer.Skip, nil
		case "s":
			decision = indexer.Skip
			fallthrough
		case "a", "all":
			q.always = &decision
			return decision, nil
		}
	}
}

// confirm asks a yes-or-no question on the terminal.
func confirm(cmd *cobra.Command, text string) (bool, error) {
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N]: ", text)
	answer, err := newAnswers(cmd).next(cmd.Context())
	return answer == "y" || answer == "yes", err
}

// answers are the lines that a person types.
type answers struct {
	lines chan string
	err   error // why there are no more, once lines is closed
}

// newAnswers reads them from the standard input. Reading goes on in the background, since
// an interrupt does not end a read.
func newAnswers(cmd *cobra.Command) *answers {
	a := &answers{lines: make(chan string)}
	go func() {
		in := bufio.NewScanner(cmd.InOrStdin())
		for in.Scan() {
			a.lines <- strings.ToLower(strings.TrimSpace(in.Text()))
		}
		if a.err = in.Err(); a.err == nil {
			a.err = io.EOF
		}
		close(a.lines)
	}()
	return a
}

// next waits for an answer.
func (a *answers) next(ctx context.Context) (string, error) {
	select {
	case answer, ok := <-a.lines:
		if !ok {
			return "", fmt.Errorf("read the answer: %w", a.err)
		}
		return answer, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// printable returns a name without what would act on a terminal, or break the
// line: such characters are written as in Go.
func printable(name string) string {
	plain := func(r rune) bool { return r != utf8.RuneError && (r == ' ' || unicode.IsGraphic(r)) }
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	quoted := strconv.QuoteToGraphic(name)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
