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
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
)

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

// isColored reports whether text on stream gets colours: it is a terminal that obeys escape
// sequences, and the user has not refused colours.
func isColored(stream any) bool { return moves(stream) && os.Getenv("NO_COLOR") == "" }

// moves reports whether stream is a terminal that obeys escape sequences.
func moves(stream any) bool { return isTerminal(stream) && os.Getenv("TERM") != "dumb" }

// A progress draws a progress line on a terminal, if the work takes more than a second, and
// collects repeated warnings.
type progress struct {
	err     io.Writer
	draws   bool
	verbose bool
	start   time.Time

	mu     sync.Mutex
	drawn  time.Time       // time of the last drawing
	shown  bool            // a line is on the terminal
	warned map[string]bool // reasons that were printed
	again  []search.Unread // further files with these reasons, in the language of the messages
	noted  map[string]*noted
	kinds  []string // kinds of notes, in the order of their first occurrence
}

// A noted counts the files with notes of one kind, except for the first file.
type noted struct {
	count int      // files after the first, whose note was printed at once
	names []string // names of the first mostNoted of these
}

func newProgress(cmd *cobra.Command, quiet, verbose bool) *progress {
	err := cmd.ErrOrStderr()
	return &progress{err: err, draws: !quiet && moves(err), verbose: verbose, start: time.Now()}
}

// event prints the warnings, notes and commits of indexing, and draws its progress.
func (p *progress) event(e ledger.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Err != nil {
		p.warn(e.Path, e.Err)
	}
	if e.Note != nil {
		p.note(e.Path, printerOf(p.err).Err(e.Note))
	}
	if e.Commit && p.verbose {
		p.clear()
		fmt.Fprintln(p.err, printerOf(p.err).Text("terminal.committed", "n", e.Committed))
	}
	p.draw(func() string { return describe(printerOf(p.err), e, time.Since(p.start)) })
}

// warn warns about a file, or about no file if path is empty. The first file with a reason is
// printed at once, further files are printed together at the end. The caller holds p.mu.
func (p *progress) warn(path string, err error) {
	say := printerOf(p.err)
	reason := reasonOf(say, err)
	if p.warned[reason] {
		p.again = append(p.again, search.Unread{Path: path, Reason: reason})
		if len(p.again) == mostWaiting {
			p.others()
		}
		return
	}
	lists.Put(&p.warned, reason, true)
	p.clear()
	if path != "" {
		reason = path + ": " + reason
	}
	printLine(p.err, say.Text("terminal.warning"), reason)
}

// numbers matches the numbers in a note; notes of one kind differ in these only.
var numbers = regexp.MustCompile(`[0-9]+`)

// mostNoted is the most files with notes of one kind that are listed at the end. Each page of a
// web archive may have a note.
const mostNoted = 20

// note prints a note on a file, in the language of the messages. The first note of each kind is printed at once, further files
// are listed together at the end. The caller holds p.mu.
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
	if path != "" {
		text = path + ": " + text
	}
	printLine(p.err, printerOf(p.err).Text("terminal.warning"), text)
}

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
		printLine(p.err, out.Text("terminal.warning"), out.Text("terminal.more-notes", "n", n.count)+": "+kind+": "+names)
	}
	p.noted, p.kinds = nil, nil
}

// mostWaiting is the number of held-back warnings at which they are printed before the end.
const mostWaiting = 10_000

func (p *progress) others() {
	p.clear()
	slices.SortFunc(p.again, func(a, b search.Unread) int { return strings.Compare(a.Path, b.Path) })
	warnTogether(p.err, p.again, "terminal.more-notes")
	p.again = p.again[:0]
}

// draw draws the line at most five times per second. The caller holds p.mu.
func (p *progress) draw(line func() string) {
	now := time.Now()
	if !p.draws || now.Sub(p.start) < time.Second || now.Sub(p.drawn) < 200*time.Millisecond {
		return
	}
	p.clear()
	fmt.Fprint(p.err, line())
	p.drawn, p.shown = now, true
}

func (p *progress) step(done, total int, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(func() string {
		left := time.Since(p.start) * time.Duration(total-done) / time.Duration(max(done, 1))
		return printerOf(p.err).Text(message, "done", done, "total", total, "left", round(left))
	})
}

func (p *progress) checking(s check.Progress) {
	switch s.Stage {
	case check.Reading:
		p.step(s.Done, s.Total, "terminal.read")
	case check.Comparing:
		p.drawMessage("terminal.comparing")
	case check.Searching:
		p.step(s.Done, s.Total, "terminal.checked")
	}
}

func (p *progress) drawMessage(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawn = time.Time{}
	p.draw(func() string { return printerOf(p.err).Text(message) })
}

// end clears the line, and prints the warnings and notes that were held back.
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

func describe(p *lang.Printer, e ledger.Event, elapsed time.Duration) string {
	files := p.Number(int64(e.Files))
	if e.Expected.Files > 0 {
		files = p.Text("terminal.of", "done", e.Files, "total", e.Expected.Files)
	}
	line := p.Text("terminal.indexing", "files", files, "size", megabytes(e.Bytes), "grams", fmt.Sprintf("%.1f", float64(e.Grams)/1e6),
		"speed", megabytes(int64(float64(e.Bytes)/elapsed.Seconds())))
	if left := e.Expected.Bytes - e.Bytes; left > 0 && e.Bytes > 0 {
		line += ", " + p.Text("terminal.left-time", "left", round(time.Duration(float64(elapsed)*float64(left)/float64(e.Bytes))))
	}
	return line
}

func round(d time.Duration) string { return d.Round(time.Second).String() }

// megabytes formats a number of bytes in units of 1,000,000 bytes.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// A question asks on the terminal about each changed document, until an answer applies to all
// or the input ends.
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
	p := printerOf(q.err)
	for {
		fmt.Fprint(q.err, p.Text("terminal.overwrite", "name", printable(doc.Name())))
		answer, err := q.answers.next(ctx)
		if err != nil {
			q.failed = err
			return indexer.Skip, err
		}
		decision := indexer.Overwrite
		switch {
		case isYes(p, answer):
			return indexer.Overwrite, nil
		case answer == "n" || answer == p.Text("terminal.no-word"):
			return indexer.Skip, nil
		case answer == "s":
			decision = indexer.Skip
		case answer != p.Text("terminal.all") && answer != p.Text("terminal.all-word"):
			continue
		}
		q.always = &decision
		return decision, nil
	}
}

// isYes reports whether an answer is yes in the language of p or in English.
func isYes(p *lang.Printer, answer string) bool {
	return slices.Contains([]string{"y", "yes", p.Text("terminal.yes"), p.Text("terminal.yes-word")}, answer)
}

func confirm(cmd *cobra.Command, message string, args ...any) (bool, error) {
	p := printerOf(cmd.ErrOrStderr())
	fmt.Fprint(cmd.ErrOrStderr(), p.Text(message, args...))
	answer, err := newAnswers(cmd).next(cmd.Context())
	return isYes(p, answer), err
}

type answers struct {
	lines chan string
	err   error // error that ended the lines, valid after lines is closed
}

// newAnswers reads from the standard input. It reads in the background, since an interrupt does
// not end a read.
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

func (a *answers) next(ctx context.Context) (string, error) {
	select {
	case answer, ok := <-a.lines:
		if !ok {
			return "", lang.NewMessage("error.answer", "cause", a.err)
		}
		return answer, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// printable returns a name with control characters, line ends and invalid UTF-8 escaped as in Go
// strings, so that it cannot control the terminal.
func printable(name string) string {
	plain := func(r rune) bool { return r != utf8.RuneError && (r == ' ' || unicode.IsGraphic(r)) }
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	quoted := strconv.QuoteToGraphic(name)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
