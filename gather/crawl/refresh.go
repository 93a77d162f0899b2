package crawl

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/lang/phrase"
)

// mostRefreshes is the maximum number of consecutive refreshes.
const mostRefreshes = 3

// Follow fetches a page by get, and follows <meta http-equiv="refresh">, which some
// sites have in place of a redirect.
func Follow(ctx context.Context, req fetch.Request, get func(context.Context, fetch.Request) (*fetch.Response, error)) (*fetch.Response, error) {
	res, err := get(ctx, req)
	for n := 0; err == nil; n++ {
		to := refreshOf(res)
		if to == "" {
			return res, nil
		}
		if n == mostRefreshes {
			return nil, phrase.Error("gather.refreshes", "{cause}: more than {most} by {element}", "cause", fetch.ErrRedirects, "most", n, "element", `<meta http-equiv="refresh">`)
		}
		hops := append(slices.Clip(res.Hops), res.Hop)
		req.URL, req.From = to, res.URL
		if res, err = get(ctx, req); err == nil {
			res.Hops = append(hops, res.Hops...)
		}
	}
	return nil, err
}

// refresh matches the content of the <meta> element: the delay in seconds and the address.
var refresh = format.Pattern(`(?i)^\s*(\d{1,3})(?:\.\d*)?\s*[;,]\s*(?:url\s*=)?\s*["']?([^"']+)`)

// soon is the maximum delay of a redirect, in seconds. Pages with a longer one have
// content of their own.
const soon = 10

// refreshOf returns the address to which a page redirects; "" if it does not. It
// ignores <noscript>.
func refreshOf(res *fetch.Response) string {
	if res.Status != http.StatusOK || !isPage(PageOf(res, "")) {
		return ""
	}
	z := html.NewTokenizer(bytes.NewReader(res.Body[:min(len(res.Body), 64<<10)]))
	for without := false; ; {
		kind := z.Next()
		name, more := z.TagName()
		switch tag := string(name); {
		case kind == html.ErrorToken || tag == "body":
			return ""
		case tag == "noscript":
			without = kind == html.StartTagToken
		case tag == "meta" && more && !without:
			if to := sentOn(z, res.URL); to != "" {
				return to
			}
		}
	}
}

// sentOn returns the address to which a <meta> element redirects; "" if it does not.
func sentOn(z *html.Tokenizer, from string) string {
	said := map[string]string{}
	for more := true; more; {
		var name, value []byte
		name, value, more = z.TagAttr()
		said[string(name)] = string(value)
	}
	parts := refresh().FindStringSubmatch(said["content"])
	if !strings.EqualFold(said["http-equiv"], "refresh") || parts == nil {
		return ""
	}
	base, err := url.Parse(from)
	if err != nil {
		return ""
	}
	to, err := base.Parse(strings.TrimSpace(parts[2]))
	if after, _ := strconv.Atoi(parts[1]); err != nil || after > soon || linkKey(to.String()) == linkKey(from) {
		return ""
	}
	return to.String()
}
