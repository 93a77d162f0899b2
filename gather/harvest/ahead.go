package harvest

import (
	"bytes"
	"compress/flate"
	"context"
	"io"
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

// Limits of reading ahead: Zenodo forgets a list after two minutes, but the texts of a page can take longer.
const (
	shortLife = time.Hour // lists that are forgotten within this time are read ahead
	mostAhead = 64 << 20  // bytes of compressed answers
)

// next returns the next page of the list. If the repository soon forgets its list, next first reads the
// following pages and retains them.
func (l *listing) next(ctx context.Context) (*page, error) {
	if len(l.ahead) > 0 {
		raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(l.ahead[0])))
		if err != nil {
			return nil, err
		}
		l.ahead = l.ahead[1:]
		p, err := parsePage(ctx, raw)
		if p != nil { // as when it was read, possibly in part
			err = nil
		}
		return p, err
	}
	p, err := l.listed(ctx, l.job.Window.Token)
	if err == nil && p.token != "" && (l.forgets || p.isShortLived()) {
		err = l.readAhead(ctx, p)
	}
	return p, err
}

func (l *listing) listed(ctx context.Context, token string) (*page, error) {
	w := *l.job.Window
	w.Token = token
	p, err := l.repo.ask(ctx, l.args(&w))
	if err == nil {
		err = l.progress(p)
	}
	return p, err
}

// isShortLived reports whether the token of a page states that it expires soon.
func (p *page) isShortLived() bool {
	until, ok := parseDate(p.expires)
	now, known := parseDate(p.Date)
	return ok && known && until.Sub(now) < shortLife
}

// readAhead reads the pages after p. It stops early if a page cannot be read, which the next run of the
// loop reports, or if there are enough.
func (l *listing) readAhead(ctx context.Context, p *page) error {
	l.emit(Event{Note: phrase.Error("said.list-ahead", "the repository soon forgets its list: reading it before the texts")})
	records, bytesAhead := len(p.records), 0
	for p.token != "" && bytesAhead < mostAhead && (l.opts.Limit == 0 || records < l.opts.Limit-l.sum.Records) {
		following, err := l.listed(ctx, p.token)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return nil
		}
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level is valid
		_, _ = w.Write(following.raw)                     // a buffer does not fail
		_ = w.Close()
		l.ahead, p = append(l.ahead, packed.Bytes()), following
		records, bytesAhead = records+len(p.records), bytesAhead+packed.Len()
	}
	return nil
}
