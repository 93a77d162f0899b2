package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/otisk/otisk/report/paper"
)

// A picture is a screenshot of a page that the tour has written.
type picture struct {
	name   string
	page   string // path below the folder of the tour
	script string // script that runs before the picture is taken; "" for none
	width  int
	height int
	paper  bool // as printed
}

// press returns a script that presses a key.
func press(key string) string {
	return fmt.Sprintf("document.dispatchEvent(new KeyboardEvent('keydown', {key: %q, bubbles: true}));", key)
}

const report = "checked/czech-essay.txt.out.html"

var pictures = []picture{
	{name: "overview", page: "checked/index.html", width: 1280, height: 800},
	{name: "report", page: report, width: 1280, height: 860},
	{name: "passage", page: report, script: press("n") + press("n"), width: 1280, height: 860},
	{name: "decide", page: report, script: press("n") + press("n") + press("x"), width: 1280, height: 860},
	{name: "print", page: report, width: 800, height: 1100, paper: true},
}

// settle waits until the browser has drawn the page twice, so that it shows the effect of a script.
const settle = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"

// shown lists the words in the visible part of a page, without the texts that it compares: a pixel of scrolling changes these.
const shown = `(() => {
	const texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		if (walk.currentNode.parentElement.closest("#suspect-text, #source-text")) {
			continue;
		}
		const range = document.createRange();
		range.selectNodeContents(walk.currentNode);
		const box = range.getBoundingClientRect(), text = walk.currentNode.textContent.trim();
		if (text && box.width && box.bottom > 0 && box.top < innerHeight) {
			texts.push(text);
		}
	}
	return texts.join("\n") + "\n";
})()`

// photograph makes the pictures of the pages in the folder from, in the folder to, each with the words that it shows in a file
// beside it. Decisions of one picture are kept in the following ones.
func photograph(ctx context.Context, from, to string) error {
	options := []chromedp.ExecAllocatorOption{chromedp.Headless, chromedp.NoSandbox, chromedp.NoFirstRun, chromedp.Flag("disable-gpu", true), chromedp.Flag("hide-scrollbars", true)}
	if path := paper.Program(); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	ctx, stopTab := chromedp.NewContext(ctx)
	defer stopTab()
	for _, p := range pictures {
		image, words, err := p.screenshot(ctx, from)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(to, p.name+".png"), image, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, p.name+".txt"), []byte(words), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// screenshot returns the picture of a page below dir, as PNG, and the words in it.
func (p picture) screenshot(ctx context.Context, dir string) (image []byte, words string, err error) {
	err = chromedp.Do(ctx,
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: int64(p.width), Height: int64(p.height), DeviceScaleFactor: 1}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: map[bool]string{true: "print"}[p.paper]}),
		chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(dir, p.page))))
	if err != nil {
		return nil, "", err
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](p.script+settle, chromedp.EvalAwaitPromise)); err != nil {
		return nil, "", err
	}
	if words, err = chromedp.Run(ctx, chromedp.Evaluate[string](shown)); err != nil {
		return nil, "", err
	}
	image, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
	return image, words, err
}

// command converts a command of the protocol to an action.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}
