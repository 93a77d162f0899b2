package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

type rules struct {
	ready chan struct{} // closed when the other fields are set
	until time.Time     // expiry; zero until ready
	list  []rule
	delay time.Duration
	err   error // refuses all paths
}

type rule struct {
	allow   bool
	pattern string // may contain * and end with $
}

// Limits of robots.txt, as in RFC 9309, and the time until the next try.
const (
	robotsBytes = 512 << 10 // the rest is not read

	robotsKept  = 24 * time.Hour
	robotsAgain = 10 * time.Minute // if it could not be read
)

// checkRobots returns an error if robots.txt of the host forbids an address.
func (c *Client) checkRobots(ctx context.Context, at *url.URL, trusted bool) error {
	if at.Path == "/robots.txt" {
		return nil
	}
	r, err := c.robotsOf(ctx, at, trusted)
	if err != nil {
		return err
	}
	if r.err != nil {
		return r.err
	}
	if r.delay > 0 {
		c.hostOf(at).slow(min(r.delay, c.opts.MaxWait))
	}
	if line := r.forbids(at); line != "" {
		return phrase.Error("gather.disallow", "{cause}, by Disallow: {rule}", "cause", ErrRobots, "rule", line)
	}
	return nil
}

// robotsOf returns the rules for an origin. Concurrent callers wait for the first
// one to fetch them. The only error is that of ctx.
func (c *Client) robotsOf(ctx context.Context, at *url.URL, trusted bool) (*rules, error) {
	key := fmt.Sprintf("%s://%s:%s %v", at.Scheme, hostName(at.Hostname()), port(at), trusted)
	for {
		c.mu.Lock()
		r := c.robots[key]
		if r == nil {
			r = &rules{ready: make(chan struct{})}
			c.robots[key] = r
			c.mu.Unlock()
			return r, c.readRobots(ctx, key, r, at, trusted)
		}
		c.mu.Unlock()
		select {
		case <-r.ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if c.clock.Now().Before(r.until) {
			return r, nil
		}
		c.forget(key, r)
	}
}

func (c *Client) forget(key string, r *rules) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.robots[key] == r {
		delete(c.robots, key)
	}
}

// readRobots fetches the rules. If ctx ends, the waiting callers fetch them
// themselves.
func (c *Client) readRobots(ctx context.Context, key string, r *rules, at *url.URL, trusted bool) error {
	defer close(r.ready)
	place := &url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}
	w := &way{client: c, req: Request{URL: place.String()}, limit: robotsBytes, trusted: trusted, forBots: true}
	res, err := w.walk(ctx)
	if ctx.Err() != nil {
		c.forget(key, r)
		return context.Cause(ctx)
	}
	r.until = c.clock.Now().Add(robotsKept)
	switch {
	case errors.Is(err, ErrLoop), errors.Is(err, ErrRedirects):
		// Treated as a missing robots.txt.
	case err != nil:
		r.until, r.err = c.clock.Now().Add(robotsAgain), unreadable(err)
	case res.Status >= 500 || res.Status == http.StatusTooManyRequests || res.partial():
		r.until, r.err = c.clock.Now().Add(robotsAgain), unreadable(res.Err())
	case res.Status >= 200 && res.Status < 300:
		r.list, r.delay = parseRobots(res.Body, productName(c.opts.UserAgent))
	}
	return nil
}

// unreadable returns the error for all paths of a host whose robots.txt cannot be
// read: it wraps ErrRobots if the host has answered, and is err itself otherwise.
func unreadable(err error) error {
	if status, ok := errors.AsType[*Error](err); ok {
		return phrase.Error("gather.robots-unread", "{cause} while it cannot be read: {why}", "cause", ErrRobots, "why", status.Err)
	}
	return err
}

// productName returns the name of a user agent in robots.txt.
func productName(agent string) string {
	if at := strings.IndexAny(agent, "/ ("); at >= 0 {
		agent = agent[:at]
	}
	return strings.ToLower(agent)
}

// parseRobots returns the rules and the Crawl-delay of all groups for name; if
// there are none, of the groups for "*".
func parseRobots(data []byte, name string) ([]rule, time.Duration) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	var ours, all group
	into, agents := []*group(nil), false // groups of the next rule; whether the last line was a User-agent
	for line := range bytes.Lines(data) {
		key, value, ok := field(string(line))
		switch {
		case !ok:
		case key == "user-agent" || key == "useragent":
			if !agents {
				into = nil
			}
			agents = true
			switch product := productName(value); {
			case value == "*":
				into, all.named = append(into, &all), true
			case product == name:
				into, ours.named = append(into, &ours), true
			}
		case key == "allow" || key == "disallow" || key == "crawl-delay":
			agents = false
			for _, g := range into {
				g.add(key, value)
			}
		}
	}
	if ours.named {
		return ours.list, ours.delay
	}
	return all.list, all.delay
}

type group struct {
	named bool
	list  []rule
	delay time.Duration
}

func (g *group) add(key, value string) {
	if key == "crawl-delay" {
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < 1e6 {
			g.delay = time.Duration(seconds * float64(time.Second))
		}
		return
	}
	if value != "" {
		g.list = append(g.list, rule{key == "allow", encoded(value)})
	}
}

func field(line string) (key, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok = strings.Cut(line, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), ok
}

// forbids returns the pattern of the rule that forbids an address; "" if it is
// allowed. The longest matching pattern decides; among equally long ones, Allow does.
func (r *rules) forbids(u *url.URL) string {
	path := encoded(u.RequestURI())
	best := rule{allow: true}
	for _, next := range r.list {
		longer := len(next.pattern) > len(best.pattern) || len(next.pattern) == len(best.pattern) && next.allow
		if longer && matches(next.pattern, path) {
			best = next
		}
	}
	if best.allow {
		return ""
	}
	return best.pattern
}

// encoded normalizes a path: it percent-encodes all but ASCII, and decodes
// unreserved characters.
func encoded(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]):
			n, _ := strconv.ParseUint(path[i+1:i+3], 16, 8) // both are digits
			if unreserved(byte(n)) {
				b.WriteByte(byte(n))
			} else {
				b.WriteString(strings.ToUpper(path[i : i+3]))
			}
			i += 2
		case c >= 0x80 || c <= ' ':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unreserved(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("-._~", c) >= 0
}

// matches reports whether a pattern matches the start of a path, or all of it if
// the pattern ends with $. Each part after a * matches at its first occurrence, so
// the time is at most the product of both lengths.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 {
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !whole || rest == ""
}
