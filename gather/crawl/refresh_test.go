package crawl

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/otisk/otisk/gather/fetch"
)

// TestFollow: a page that sends its readers on is as a redirect; one that does so later, or
// for readers without scripts, is the page.
func TestFollow(t *testing.T) {
	const base = "https://a.test/"
	pages := map[string]string{
		"sends":   `<html><head><meta charset="utf-8"><META HTTP-EQUIV="Refresh" CONTENT="0; URL='/there?a=1&amp;b=2'"></head>`,
		"comma":   `<meta content="0.5,there?a=1&b=2" http-equiv=refresh>`,
		"twice":   `<meta http-equiv="refresh" content="3;url=https://a.test/sends">`,
		"live":    `<meta http-equiv="refresh" content="300; url=/there">text`,
		"itself":  `<meta http-equiv="refresh" content="5"><meta http-equiv="refresh" content="5; url=/itself#top">text`,
		"scripts": `<noscript><meta http-equiv="refresh" content="0; url=/there"></noscript>text`,
		"told":    `<body>how to: <meta http-equiv="refresh" content="0; url=/there">`,
		"round":   `<meta http-equiv="refresh" content="0; url=/about">`,
		"about":   `<meta http-equiv="refresh" content="0; url=/round">`,
	}
	asked := map[string]string{}
	get := func(_ context.Context, req fetch.Request) (*fetch.Response, error) {
		asked[req.URL] = req.From
		name := req.URL[len(base):]
		return &fetch.Response{Hop: fetch.Hop{URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}}, Body: []byte(pages[name])}, nil
	}
	for name, want := range map[string]string{"sends": "there?a=1&b=2", "comma": "there?a=1&b=2", "twice": "there?a=1&b=2", "live": "live", "itself": "itself", "scripts": "scripts", "told": "told"} {
		res, err := Follow(t.Context(), fetch.Request{URL: base + name}, get)
		if err != nil || res.URL != base+want {
			t.Errorf("%s leads to %+v, %v, want %s", name, res, err, want)
		}
		if name == "twice" && (len(res.Hops) != 2 || asked[base+"sends"] != base+"twice") {
			t.Errorf("%s: by %+v, asked %v", name, res.Hops, asked)
		}
	}
	if _, err := Follow(t.Context(), fetch.Request{URL: base + "round"}, get); !errors.Is(err, fetch.ErrRedirects) {
		t.Errorf("round: %v", err)
	}
}
