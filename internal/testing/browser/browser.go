// Package browser drives a headless Chromium for tests.
//
// It wraps the driver chromedp for tests of a page on disk: open the page, run
// scripts, press keys, take screenshots, print, and record every error and request.
// [Start] skips the test if there is no Chromium. Every method fails the test if the
// browser returns an error.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/report/paper"
)

// flags turn off everything the browser does by itself. They replace the driver's
// own list.
var flags = []chromedp.ExecAllocatorOption{
	chromedp.Headless, chromedp.NoSandbox, chromedp.NoFirstRun,
	chromedp.Flag("disable-gpu", true),
	chromedp.Flag("disable-quic", true),
	chromedp.Flag("disable-background-networking", true),
	chromedp.Flag("disable-component-update", true),
	chromedp.Flag("disable-sync", true),
	// No host name resolves: requests of a page are recorded and fail. Tests of servers use 127.0.0.1, and 127.0.0.2 as
	// another site.
	chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2"),
}

// Time limits for starting the browser and for one action, on a busy machine.
const (
	startTime = 60 * time.Second
	patience  = 2 * time.Minute
	keyTime   = 15 * time.Second
)

// A Page is the one page of a running browser.
type Page struct {
	t        testing.TB
	ctx      context.Context
	Errors   []string // console errors and uncaught exceptions since Open
	Requests []string // addresses requested, except the file itself and data addresses, whose content is in the page

	// Events come on the goroutine of the driver, and are stored here until the goroutine
	// of the test reads them.
	mu               sync.Mutex
	errors, requests []string
}

// Start starts a browser that ends with the test.
func Start(t testing.TB) *Page {
	t.Helper()
	program := paper.Program()
	if program == "" {
		need.Skip(t, "no Chromium to open HTML reports in (package chromium, or name one in OTISK_CHROMIUM)")
	}
	p := &Page{t: t}
	options := append(flags[:len(flags):len(flags)], chromedp.ExecPath(program), chromedp.Env("TMPDIR="+scratch(t)))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop) // kills the browser, and waits until its files are gone
	ctx, _ = chromedp.NewContext(ctx, chromedp.WithListener(p.note), chromedp.WithErrorf(p.complain))
	p.ctx = ctx
	late := time.AfterFunc(startTime, stop)
	defer late.Stop()
	// Disable the driver's copy of the page's tree, which slows large pages down and is not
	// used.
	if err := chromedp.Do(ctx, command(css.Disable, cdp.Empty{}), command(dom.Disable, cdp.Empty{})); err != nil {
		t.Fatalf("start %s within %v: %v", program, startTime, err)
	}
	return p
}

// scratch makes a folder for temporary files of the browser, since a killed browser leaves
// its lock behind. The lock is a socket, whose path must be short, so t.TempDir, which
// contains the name of the test, does not serve.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "otisk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the browser's files: %v", err)
		}
	})
	return dir
}

// In returns the page for use by a subtest, with the initial size and colours.
func (p *Page) In(t testing.TB) *Page {
	outer := p.t
	p.t = t
	t.Cleanup(func() { p.t = outer })
	run(p, "size", command(emulation.ClearDeviceMetricsOverride, cdp.Empty{}))
	p.Dark(false)
	return p
}

// command converts a command of the protocol to an action.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// run runs an action, and then handles the events that arrived meanwhile.
func run[T any](p *Page, what string, step chromedp.Action[T]) T {
	p.t.Helper()
	value, err := attempt(p, patience, step)
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	return value
}

// attempt is run for an action that may fail, or take longer than a limit.
func attempt[T any](p *Page, limit time.Duration, step chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	value, err := chromedp.Run(ctx, step)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Errors, p.errors = append(p.Errors, p.errors...), nil
	p.Requests, p.requests = append(p.Requests, p.requests...), nil
	return value, err
}

// note records an event.
func (p *Page) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			p.errors = append(p.errors, fmt.Sprintf("%s: %s", e.Type, values(e.Args)))
		}
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			p.errors = append(p.errors, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			p.requests = append(p.requests, e.Request.URL)
		}
	}
}

func values(args []*runtime.RemoteObject) []string {
	var said []string
	for _, a := range args {
		if len(a.Value) > 0 {
			said = append(said, string(a.Value))
		} else {
			said = append(said, a.Description)
		}
	}
	return said
}

// complain records errors of the driver: an event that it cannot parse may be a
// request that would go unnoticed. Complaints about its own model of the page
// ("unhandled page event") are ignored.
func (p *Page) complain(format string, args ...any) {
	if strings.HasPrefix(format, "unhandled ") {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = append(p.errors, "driver: "+fmt.Sprintf(format, args...))
}

// Open opens a file and waits until it is loaded.
func (p *Page) Open(file string) {
	p.t.Helper()
	abs, err := filepath.Abs(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.forget()
	address := "file://" + filepath.ToSlash(abs)
	run(p, "open "+file, chromedp.Navigate(address))
	var others []string
	for _, r := range p.Requests {
		if r != address {
			others = append(others, r)
		}
	}
	p.Requests = others
}

// Visit opens an address of a server, such as http://127.0.0.1:8080/, and waits until it is loaded.
// Requests has all requests of the page.
func (p *Page) Visit(address string) {
	p.t.Helper()
	p.forget()
	run(p, "visit "+address, chromedp.Navigate(address))
}

// Attach chooses files in the file field that a selector matches, as a user would.
func (p *Page) Attach(selector string, names ...string) {
	p.t.Helper()
	field := run(p, "find "+selector, chromedp.Evaluate[*runtime.RemoteObject](fmt.Sprintf("document.querySelector(%q)", selector)))
	run(p, "attach files to "+selector, command(dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: names, ObjectID: field.ObjectID}))
}

func (p *Page) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Errors, p.Requests, p.errors, p.requests = nil, nil, nil, nil
}

// Eval runs script, waits for its result if that is a promise, and stores the value in
// result unless that is nil.
func (p *Page) Eval(script string, result any) {
	p.t.Helper()
	value := run(p, fmt.Sprintf("script %.200s", script), evaluate(script))
	if result != nil {
		if err := json.Unmarshal(value, result); err != nil {
			p.t.Fatalf("script %.200s: %v", script, err)
		}
	}
}

// evaluate returns the action that evaluates script, as by a user's click.
func evaluate(script string) chromedp.Action[[]byte] {
	byHand := func(e *runtime.EvaluateParams) { e.UserGesture = new(true) }
	return chromedp.Evaluate[[]byte](script, chromedp.EvalAsValue, chromedp.EvalAwaitPromise, byHand)
}

// Text returns the value of script, which must change nothing, as a string. If another page is loaded
// meanwhile, it evaluates the script there.
func (p *Page) Text(script string) string {
	p.t.Helper()
	for range 100 {
		value, err := attempt(p, patience, evaluate("String("+script+")"))
		if err != nil && strings.Contains(err.Error(), "Inspected target navigated") {
			continue
		}
		var s string
		if err == nil {
			err = json.Unmarshal(value, &s)
		}
		if err != nil {
			p.t.Fatalf("script %.200s: %v", script, err)
		}
		return s
	}
	p.t.Fatalf("script %.200s: the page is replaced again and again", script)
	return ""
}

// Press presses and releases keys, as a keyboard would: single characters, and
// names such as Tab or Escape.
func (p *Page) Press(keys ...string) {
	p.t.Helper()
	named := map[string]string{"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape,
		"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowDown": kb.ArrowDown}
	for _, k := range keys {
		key, ok := named[k]
		if !ok {
			key = k
		}
		switch {
		case !ok && utf8.RuneCountInString(k) != 1:
			p.t.Fatalf("press %s: no such key", k)
		case ok || key[0] < utf8.RuneSelf:
			// A frame that is replaced at this moment never answers. The caller waits for the effect, and repeats the key or fails.
			if _, err := attempt(p, keyTime, chromedp.KeyEvent(key)); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				p.t.Fatalf("press %q: %v", k, err)
			}
		default: // not by the driver, which interprets some letters as keys: č is its code for Shift
			run(p, "press "+k, command(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kb.KeyDown, Key: k, Text: k}))
			run(p, "release "+k, command(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kb.KeyUp, Key: k}))
		}
	}
}

// Size sets the size of the window.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	run(p, "size", command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 1, Mobile: width < 600}))
}

// Dark emulates the system setting for dark or light colours.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	run(p, "colours", command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
}

// Print switches between the styles for paper and for screens.
func (p *Page) Print(paper bool) {
	p.t.Helper()
	run(p, "medium", command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: map[bool]string{true: "print", false: ""}[paper]}))
}

// Download sets the folder for downloads.
func (p *Page) Download(dir string) {
	p.t.Helper()
	run(p, "downloads", command(browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}))
}

// Screenshot returns a picture of the window, as PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	return run(p, "screenshot", chromedp.CaptureScreenshot())
}

// PDF returns the page printed on A4, as PDF.
func (p *Page) PDF() []byte {
	p.t.Helper()
	return run(p, "print", chromedp.PrintToPDF(
		chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPrintBackground(), chromedp.PDFPreferCSSPageSize()))
}
