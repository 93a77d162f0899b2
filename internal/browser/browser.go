// Package browser drives a headless Chromium for tests, over its DevTools
// protocol.
//
// It is the little of such a driver that a page from disk needs: open it, run
// script in it, press keys, take its picture, print it, and know of every
// error and request it makes. [Start] skips the test aloud where there is no
// Chromium.
package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/otisk/otisk/internal/need"
)

// names are what the program is called; the environment variable
// OTISK_CHROMIUM goes first.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// flags keep the browser from doing anything but what it is told.
var flags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-port=0", "--remote-allow-origins=http://127.0.0.1",
	// No name resolves: a page that asks for one is seen to, and gets nothing.
	"--host-resolver-rules=MAP * ~NOTFOUND",
}

// startTime is how long a busy machine may take to start a browser.
const startTime = 60 * time.Second

// A Page is the one page of a running browser.
type Page struct {
	t        testing.TB
	conn     *websocket.Conn
	last     int
	Errors   []string // console errors and uncaught exceptions since Open
	Requests []string // addresses asked for, but for the file itself
}

// Start starts a browser that ends with the test.
func Start(t testing.TB) *Page {
	t.Helper()
	program := find()
	if program == "" {
		need.Skip(t, "no Chromium to open HTML reports in (package chromium, or name one in OTISK_CHROMIUM)")
	}
	dir := t.TempDir()
	cmd := exec.Command(program, append(flags, "--user-data-dir="+dir, "about:blank")...)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		removeAll(dir)
	})
	p := &Page{t: t, conn: dial(t, filepath.Join(dir, "DevToolsActivePort"))}
	t.Cleanup(func() { _ = p.conn.Close() })
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		p.call(domain+".enable", nil, nil)
	}
	return p
}

// In hands the page to a subtest until that ends, at the size and in the
// colours that a page starts with.
func (p *Page) In(t testing.TB) *Page {
	outer := p.t
	p.t = t
	t.Cleanup(func() { p.t = outer })
	p.call("Emulation.clearDeviceMetricsOverride", nil, nil)
	p.Dark(false)
	return p
}

// removeAll removes what dying children of the browser may still write to.
func removeAll(dir string) {
	for range 50 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func find() string {
	for _, name := range append([]string{os.Getenv("OTISK_CHROMIUM")}, names...) {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

// dial connects to the first page, once the file with the port is there.
func dial(t testing.TB, portFile string) *websocket.Conn {
	t.Helper()
	var last error
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		port, err := os.ReadFile(portFile)
		if err != nil {
			last = err
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(port)), "\n")
		if len(lines) < 2 {
			continue
		}
		conn, err := websocket.Dial("ws://127.0.0.1:"+lines[0]+lines[1], "", "http://127.0.0.1")
		if err != nil {
			last = err
			continue
		}
		return attach(t, conn, lines[0])
	}
	t.Fatalf("start browser: %v", last)
	return nil
}

// attach trades the connection to the browser for one to its page.
func attach(t testing.TB, conn *websocket.Conn, port string) *websocket.Conn {
	t.Helper()
	defer conn.Close()
	p := &Page{t: t, conn: conn}
	var made struct{ TargetID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	page, err := websocket.Dial("ws://127.0.0.1:"+port+"/devtools/page/"+made.TargetID, "", "http://127.0.0.1")
	if err != nil {
		t.Fatalf("connect to page: %v", err)
	}
	page.MaxPayloadBytes = 256 << 20
	return page
}

// A message is a call, an answer or an event.
type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// call sends a command and waits for its answer, noting events on the way.
func (p *Page) call(method string, params, result any) {
	p.t.Helper()
	p.last++
	raw, err := json.Marshal(params)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := websocket.JSON.Send(p.conn, message{ID: p.last, Method: method, Params: raw}); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	for {
		m := p.receive(method)
		if m.ID != p.last {
			continue
		}
		if m.Error != nil {
			p.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				p.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

func (p *Page) receive(what string) message {
	p.t.Helper()
	var m message
	if err := p.conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		p.t.Fatal(err)
	}
	if err := websocket.JSON.Receive(p.conn, &m); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	p.note(m)
	return m
}

// note keeps what an event says.
func (p *Page) note(m message) {
	var e struct {
		Type             string
		Args             []json.RawMessage
		ExceptionDetails json.RawMessage
		Request          struct{ URL string }
		Entry            struct{ Level, Text string }
	}
	if m.Method == "" || json.Unmarshal(m.Params, &e) != nil {
		return
	}
	switch m.Method {
	case "Runtime.consoleAPICalled":
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			p.Errors = append(p.Errors, fmt.Sprintf("%s: %s", e.Type, e.Args))
		}
	case "Runtime.exceptionThrown":
		p.Errors = append(p.Errors, string(e.ExceptionDetails))
	case "Log.entryAdded":
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			p.Errors = append(p.Errors, e.Entry.Text)
		}
	case "Network.requestWillBeSent":
		p.Requests = append(p.Requests, e.Request.URL)
	}
}

// Open opens a file and waits until it is loaded.
func (p *Page) Open(file string) {
	p.t.Helper()
	p.Errors, p.Requests = nil, nil
	abs, err := filepath.Abs(file)
	if err != nil {
		p.t.Fatal(err)
	}
	address := "file://" + filepath.ToSlash(abs)
	p.call("Page.navigate", map[string]any{"url": address}, nil)
	for p.receive("open "+file).Method != "Page.loadEventFired" {
	}
	var others []string
	for _, r := range p.Requests {
		if r != address {
			others = append(others, r)
		}
	}
	p.Requests = others
}

// Eval runs script, waits for the promise if it is one, and puts its value
// into result unless that is nil.
func (p *Page) Eval(script string, result any) {
	p.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &answer)
	if e := answer.ExceptionDetails; e != nil {
		p.t.Fatalf("script %.200s: %s %s", script, e.Text, e.Exception.Description)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result.Value, result); err != nil {
			p.t.Fatalf("script %.200s: %v", script, err)
		}
	}
}

// Text returns what script evaluates to, as a string.
func (p *Page) Text(script string) string {
	p.t.Helper()
	var s string
	p.Eval("String("+script+")", &s)
	return s
}

// Press presses and releases keys, as a keyboard would: single characters, and
// names such as Tab or Escape.
func (p *Page) Press(keys ...string) {
	p.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40}
	for _, k := range keys {
		down := map[string]any{"type": "keyDown", "key": k}
		if code, ok := codes[k]; ok {
			down["windowsVirtualKeyCode"] = code
		}
		if len(k) == 1 {
			down["text"] = k
		}
		if k == "Enter" {
			down["text"] = "\r"
		}
		p.call("Input.dispatchKeyEvent", down, nil)
		p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": k}, nil)
	}
}

// Size sets the size of the window.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// Dark asks for dark colours, as the setting of a system does, or for light.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	p.call("Emulation.setEmulatedMedia", map[string]any{
		"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Print shows the page as it is on paper, or as it is on a screen.
func (p *Page) Print(paper bool) {
	p.t.Helper()
	p.call("Emulation.setEmulatedMedia", map[string]any{"media": map[bool]string{true: "print", false: ""}[paper]}, nil)
}

// Download makes the browser put downloads into a folder.
func (p *Page) Download(dir string) {
	p.t.Helper()
	p.call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir}, nil)
}

// Screenshot returns a picture of the window, as PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	return p.data("Page.captureScreenshot", map[string]any{"format": "png"})
}

// PDF returns the page as it is printed on A4.
func (p *Page) PDF() []byte {
	p.t.Helper()
	return p.data("Page.printToPDF", map[string]any{"printBackground": true, "paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": true})
}

func (p *Page) data(method string, params map[string]any) []byte {
	p.t.Helper()
	var answer struct{ Data string }
	p.call(method, params, &answer)
	data, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}
