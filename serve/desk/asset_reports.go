package desk

import (
	"context"
	"strings"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/storage"
)

// reportType is the type of our reports: a platform shows the latest one of each type.
const reportType = "otisk-similarity"

// Colours of reports. Neither warns: a passage in common may be a quotation.
const (
	colorNothing = "#5f6b76"
	colorFound   = "#2b6cb0"
)

// presentState selects the state of an asset a, with its course x and its text b. It has all that a
// report depends on, so whatever changes a score makes a report due.
const presentState = `CASE
	WHEN x.id IS NULL OR a.file != '' AND b.id IS NULL THEN 'gone'
	WHEN a.state = 'failed' THEN 'failed ' || a.code
	WHEN a.state = 'queued' THEN 'processing'
	WHEN b.state = 'done' THEN 'done ' || b.id || ' ' || CAST(b.score AS TEXT) || CASE WHEN EXISTS (SELECT 1 FROM shares l WHERE l.check_id = b.id AND l.own AND (l.score OR l.report) AND l.expires > ?1) THEN ' own' ELSE '' END
	WHEN b.state = 'failed' THEN 'failed ' || b.reason
	WHEN b.state = 'cancelled' OR NOT b.counts THEN 'left'
	ELSE 'processing' END`

// A changedAsset is an asset with a state that the platform does not know yet.
type changedAsset struct {
	id, asset, platform, address, language string
	stamp                                  int64 // of the last report
	tries                                  int
	code                                   string // why it was not fetched
	score                                  float64
	reason                                 string // why the check failed
	message                                *phrase.Stored
	rawMessage                             string
	state                                  string
}

// reportDue sends reports on assets whose state has changed, and returns their number.
func (d *assets) reportDue(ctx context.Context) (int, error) {
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, x *changedAsset) error {
		return row(&x.id, &x.asset, &x.platform, &x.address, &x.language, &x.stamp, &x.tries, &x.code, &x.score, &x.reason, storage.Message{To: &x.message}, &x.rawMessage, &x.state)
	}, `SELECT id, asset, platform_id, report_url, language, stamp, sent_tries, code, score, reason, message, message, state FROM (
		SELECT a.id, a.asset, a.platform_id, a.report_url, a.language, a.stamp, a.sent, a.sent_tries, a.sent_ready, a.code, coalesce(b.score, 0) AS score, coalesce(b.reason, '') AS reason, coalesce(b.message, '') AS message, `+presentState+` AS state
		FROM assets a LEFT JOIN courses x ON x.id = a.course_id LEFT JOIN checks b ON b.id = `+bestText+`) t
		WHERE state != sent AND (sent_ready <= ?1 OR sent_ready > ?2) LIMIT ?3`, now(), time.Now().Add(hooks.MostDelay).UnixMilli(), fetchers)
	if err != nil {
		return 0, err
	}
	return len(all), each(all, func(x changedAsset) error { return d.reportAsset(ctx, x) })
}

// reportAsset sends the report on an asset once, and records the result. The time of a report is on the disk
// before it is sent: it is later than those of all earlier ones, also if the clock was turned back.
func (d *assets) reportAsset(ctx context.Context, x changedAsset) error {
	stamp := max(now(), x.stamp+1)
	if err := d.write(ctx, `UPDATE assets SET stamp = ? WHERE id = ?`, stamp, x.id); err != nil {
		return err
	}
	failure := d.send(ctx, x, stamp)
	if ctx.Err() != nil {
		return nil // the next server sends it again
	}
	if failure != nil {
		d.opts.Log.Warn("report not sent to the learning platform", "asset", x.id, "try", x.tries+1, "cause", failure)
		if wait, again := hooks.Delay(x.tries + 1); again {
			return d.write(ctx, `UPDATE assets SET sent_tries = sent_tries + 1, sent_ready = ? WHERE id = ?`, time.Now().Add(wait).UnixMilli(), x.id)
		}
	}
	if x.state == "gone" {
		return d.write(ctx, `DELETE FROM assets WHERE id = ?`, x.id)
	}
	return d.write(ctx, `UPDATE assets SET sent = ?, sent_tries = 0, sent_ready = 0 WHERE id = ?`, x.state, x.id)
}

// send sends the report on an asset with a time.
func (d *assets) send(ctx context.Context, x changedAsset, stamp int64) error {
	key, p, err := d.platforms.caller(ctx, x.platform)
	if err != nil {
		return err
	}
	r := x.report()
	r.Timestamp = time.UnixMilli(stamp).UTC().Format("2006-01-02T15:04:05.000Z07:00")
	return d.opts.Services.Send(ctx, key, p, x.address, r)
}

// report returns the report on the state of an asset.
func (x *changedAsset) report() *lti.Report {
	p := lang.Of(x.language)
	r := &lti.Report{Asset: x.asset, Type: reportType, Title: "Otisk"}
	state, rest, _ := strings.Cut(x.state, " ")
	switch state {
	case "done":
		r.Progress, r.Result, r.Comment = "Processed", p.Percent(x.score), p.Text("lti.report-mean")
		r.Color, r.Meaning = colorNothing, p.Text("lti.report-nothing")
		if x.score > 0 {
			r.Color, r.Meaning = colorFound, p.Text("lti.report-found")
		}
		r.Visible = strings.HasSuffix(rest, " own")
	case "failed":
		r.Progress, r.Code, r.Comment = "Failed", x.code, p.Text("lti.report-download")
		switch x.code {
		case codeTooLarge:
			r.Comment = p.Err(ErrTooLarge)
		case "":
			r.Code, r.Comment = codeOf(x.rawMessage), p.Stored(x.reason, x.message)
		}
	case "left":
		r.Progress, r.Comment = "NotProcessed", p.Text("lti.report-left")
	case "gone":
		r.Progress, r.Comment = "NotProcessed", p.Text("lti.report-gone")
	default:
		r.Progress = "Processing"
	}
	return r
}

// codeOf returns the error code for the stored reason of a failed check.
func codeOf(message string) string {
	for _, c := range []struct{ code, name string }{
		{codeTooLarge, "said.too-large"}, {codeTooSmall, "said.too-short"}, {codeTooSmall, "said.no-text"}, {codeTooSmall, "serve.no-text"}, {codeUnsupported, "said.not-text"},
	} {
		if strings.Contains(message, `"`+c.name+`"`) {
			return c.code
		}
	}
	return codeUnreadable
}
