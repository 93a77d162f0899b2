package desk

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/storage"
)

// The assets are the submissions that learning platforms send, and the reports to them.
type assets struct {
	rounds
	uploads   *uploads
	platforms *platforms
}

// Reasons for which an asset is not checked: error codes of the specification, and one of our own.
const (
	codeDownload    = "DOWNLOAD_FAILED"
	codeTooLarge    = "ASSET_TOO_LARGE"
	codeTooSmall    = "ASSET_TOO_SMALL"
	codeUnsupported = "UNSUPPORTED_ASSET_TYPE"
	codeUnreadable  = "ASSET_UNREADABLE"
)

// errChecksum is the error for an asset that was not received as the platform has it.
var errChecksum = errors.New("the content does not have the checksum of the notice")

// Register makes a platform send notices of submissions to this server. One failed request is repeated.
func (d *platforms) Register(ctx context.Context, p *Platform, notices, handler string) error {
	if d.opts.Services == nil {
		return lti.ErrServices
	}
	key, err := d.PlatformKey(ctx)
	if err != nil {
		return err
	}
	for range 2 {
		if err = d.opts.Services.Register(ctx, key, p.Tool(), notices, handler); err == nil {
			return nil
		}
	}
	d.opts.Log.Warn("register for notices", "platform", p.ID, "cause", err)
	return Wrong("link", "lti.not-registered", "the learning platform did not accept this server for submissions: try again; if it fails again, an administrator finds the cause in the log")
}

// StoreNotice stores the assets of a notice, which are then fetched and checked as texts of its course. A
// notice counts once. It returns ErrNotFound unless the course is of the group of the platform.
func (d *assets) StoreNotice(ctx context.Context, p *lti.Platform, n *lti.Notice) error {
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		if !useNonce(tx, "notice "+p.ID+" "+n.ID, n.Expires) {
			return
		}
		a := submitter(tx, p, n)
		ownCourse(tx, a, n.Course)
		addStudent(tx, a.User, n.Course)
		for i := range n.Assets {
			d.insertAsset(tx, p, n, a.User, &n.Assets[i])
		}
	})
}

// submitter returns the user of a notice, who is created as a student if he is new.
func submitter(tx *storage.Tx, p *lti.Platform, n *lti.Notice) (a accounts.Actor) {
	l := &lti.Launch{Platform: p, Subject: n.Subject}
	id := &oidc.Identity{Issuer: platformIssuer(p.ID), Subject: n.Subject, Name: n.Name, Role: accounts.Student}
	group := identify(tx, l, id)
	if !tx.Row(`SELECT id, login FROM users WHERE external = ?`, externalOf(id.Issuer, id.Subject)).Scan(&a.User, &a.Login) {
		var refused error
		a, refused = createExternal(tx, id, group)
		tx.Fail(refused)
	}
	a.Group, a.Role = group, accounts.Student
	return a
}

// insertAsset queues an asset. One that the platform sends again, as a teacher may demand, is fetched
// again if that failed, and its report is sent again.
func (d *assets) insertAsset(tx *storage.Tx, p *lti.Platform, n *lti.Notice, user string, x *lti.Asset) {
	name, err := fileName(x.Name)
	if err != nil {
		name = "text" + extensions(x.Name)
	}
	state, code := "queued", ""
	if x.Size > d.opts.MaxFile {
		state, code = "failed", codeTooLarge
	}
	tx.Exec(`INSERT INTO assets (id, platform_id, course_id, user_id, activity, submission, submitted, asset, url, report_url, name, sum, language, created, state, code)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (platform_id, report_url, asset) DO UPDATE SET url = excluded.url, sum = excluded.sum, sent = '', sent_tries = 0, sent_ready = 0,
			state = CASE assets.state WHEN 'failed' THEN excluded.state ELSE assets.state END, code = CASE assets.state WHEN 'failed' THEN excluded.code ELSE assets.code END,
			tries = CASE assets.state WHEN 'failed' THEN 0 ELSE assets.tries END, ready = 0`,
		accounts.NewID(), p.ID, n.Course, user, n.Activity, n.Submission, n.At.UnixMilli(), x.ID, x.URL, n.Report, name, x.Sum[:], n.Language, now(), state, code)
}

// ServeAssets fetches the assets of platforms and sends reports on them until ctx ends.
func (d *assets) ServeAssets(ctx context.Context) error {
	if d.opts.Services == nil {
		return nil
	}
	var group sync.WaitGroup
	group.Go(func() { d.repeat(ctx, fetchStep, "fetch assets", d.fetchDue) })
	group.Go(func() { d.repeat(ctx, reportStep, "report on assets", d.reportDue) })
	group.Wait()
	return nil
}

// A dueAsset is an asset whose time has come.
type dueAsset struct {
	id, platform, course, url, name string
	sum                             []byte
	tries                           int
	user                            accounts.Actor
}

// fetchDue fetches assets whose time has come, and returns their number.
func (d *assets) fetchDue(ctx context.Context) (int, error) {
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, x *dueAsset) error {
		x.user.Role = accounts.Student
		return row(&x.id, &x.platform, &x.course, &x.url, &x.name, &x.sum, &x.tries, &x.user.User, &x.user.Login, &x.user.Group)
	}, `SELECT a.id, platform_id, course_id, url, a.name, sum, tries, u.id, u.login, x.group_id FROM assets a JOIN courses x ON x.id = course_id JOIN users u ON u.id = user_id
		WHERE state = 'queued' AND (ready <= ? OR ready > ?) ORDER BY ready, a.rowid LIMIT ?`, now(), time.Now().Add(hooks.MostDelay).UnixMilli(), fetchers)
	if err != nil {
		return 0, err
	}
	return len(all), each(all, func(x dueAsset) error { return d.fetchAsset(ctx, x) })
}

// fetchAsset fetches an asset and hands it in to its course, or records the failure.
func (d *assets) fetchAsset(ctx context.Context, x dueAsset) error {
	u, err := d.receiveAsset(ctx, x)
	if err == nil {
		err = d.handInAsset(ctx, x, u)
	}
	if err == nil || ctx.Err() != nil {
		return nil // the next server fetches it again
	}
	d.opts.Log.Warn("asset not fetched", "asset", x.id, "try", x.tries+1, "cause", err)
	state, code, next := "failed", codeDownload, int64(0)
	if errors.Is(err, ErrTooLarge) {
		code = codeTooLarge
	} else if wait, again := hooks.Delay(x.tries + 1); again {
		state, code, next = "queued", "", time.Now().Add(wait).UnixMilli()
	}
	return d.write(ctx, `UPDATE assets SET state = ?, code = ?, tries = tries + 1, ready = ? WHERE id = ? AND state = 'queued'`, state, code, next, x.id)
}

// callerOf returns the key by which this server calls the services of a platform, and the platform.
func (d *platforms) callerOf(ctx context.Context, platform string) (*lti.Key, *lti.Platform, error) {
	p, err := d.PlatformOf(ctx, platform)
	if err != nil {
		return nil, nil, err
	}
	key, err := d.PlatformKey(ctx)
	return key, p.Tool(), err
}

// receiveAsset writes the content of an asset to the disk, as an upload of its user.
func (d *assets) receiveAsset(ctx context.Context, x dueAsset) (u *Upload, err error) {
	key, p, err := d.platforms.callerOf(ctx, x.platform)
	if err != nil {
		return nil, err
	}
	content, err := d.opts.Services.Open(ctx, key, p, x.url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	if u, err = d.uploads.Receive(ctx, x.user, accounts.OwnTexts, x.name, content); err != nil {
		return nil, err
	}
	if u.sum != hex.EncodeToString(x.sum) {
		d.uploads.Discard(ctx, []*Upload{u})
		return nil, errChecksum
	}
	return u, nil
}

// handInAsset makes an upload a text of the course of its asset. Earlier submissions of the user to the
// same assignment no longer count: their texts would be found in the later one.
func (d *assets) handInAsset(ctx context.Context, x dueAsset, u *Upload) error {
	err := d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE assets SET state = 'done', code = '', file = ? WHERE id = ? AND state = 'queued'`, u.file, x.id)
		ownCourse(tx, x.user, x.course)
		insertWaiting(tx, x.user, x.course, []*Upload{u})
		d.uploads.withinQuota(tx, x.user)
		const submissions = `FROM assets WHERE course_id = ?1 AND user_id = ?2 AND activity = (SELECT activity FROM assets WHERE id = ?3) AND file != ''`
		leaveOut(tx, `SELECT file `+submissions+` AND submission != (SELECT submission `+submissions+` ORDER BY submitted DESC, rowid DESC LIMIT 1)`, x.course, x.user.User, x.id)
		setPending(tx, x.course, 1)
		note(tx, x.user, "hand in texts", x.course, "LTI")
	})
	if err != nil {
		d.uploads.Discard(ctx, []*Upload{u})
	}
	return err
}

// setReviewed sets the check of a launch that opens the report on an asset: of its texts, the one with the
// highest score, as in the report to the platform.
func setReviewed(tx *storage.Tx, l *lti.Launch) {
	tx.RowOr(ErrNotFound, `SELECT b.id, b.state = 'done' FROM assets a JOIN checks b ON b.id = `+bestText+` WHERE a.platform_id = ? AND a.asset = ? AND a.submission = ? ORDER BY a.rowid DESC LIMIT 1`,
		l.Platform.ID, l.Asset, l.Submission).Scan(&l.Check, &l.Reported)
}

// bestText selects the text of an asset a with the highest score: an archive may have many.
const bestText = `(SELECT c.id FROM checks c WHERE c.file = a.file AND a.file != '' ORDER BY c.state = 'done' DESC, c.score DESC, c.rowid LIMIT 1)`

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
	failure := d.sendReport(ctx, x, stamp)
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

// sendReport sends the report on an asset with a time.
func (d *assets) sendReport(ctx context.Context, x changedAsset, stamp int64) error {
	key, p, err := d.platforms.callerOf(ctx, x.platform)
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
