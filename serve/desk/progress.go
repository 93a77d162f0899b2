package desk

import (
	"context"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/serve/accounts"
)

// A Progress is how far the check of the texts of a course or upload is.
type Progress struct {
	Share float64       // 0 to 1
	Left  time.Duration // at the present pace; 0 if unknown
}

// A round is a job that checks texts of a course or upload.
type round struct {
	id       string
	open     bool
	created  int64
	finished int64 // last of its texts
	texts    int
}

// Progress returns how far the check of the texts of a course or upload is, nil if none is being checked. Jobs that ended
// before those that are open were created are of an earlier check.
func (d *checks) Progress(ctx context.Context, a accounts.Actor, submission string) (*Progress, error) {
	if _, err := d.Submission(ctx, inGroup(a), submission); err != nil {
		return nil, err
	}
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, r *round) error {
		return row(&r.id, &r.open, &r.created, &r.finished, &r.texts)
	}, `SELECT j.id, j.state IN ('queued', 'running'), j.created, max(c.finished), count(*) FROM checks c JOIN jobs j ON j.id = c.job_id
		WHERE c.submission_id = ? AND j.kind = 'check' AND j.state != 'waiting' GROUP BY j.id, j.state, j.created ORDER BY j.created`, submission)
	if err != nil {
		return nil, err
	}
	begun := int64(-1)
	for _, r := range all {
		if r.open && (begun < 0 || r.created < begun) {
			begun = r.created
		}
	}
	if begun < 0 {
		return nil, nil
	}
	done, texts := 0.0, 0.0
	for _, r := range all {
		switch {
		case r.open:
			done += float64(r.texts) * shareOf(d.queue.Progress(r.id))
		case r.finished >= begun:
			begun = min(begun, r.created)
			done += float64(r.texts)
		default:
			continue
		}
		texts += float64(r.texts)
	}
	p := &Progress{Share: done / texts}
	if passed := time.Since(timeOf(begun)); p.Share >= leastShare && passed > 0 {
		p.Left = time.Duration(float64(passed) * (1 - p.Share) / p.Share)
	}
	return p, nil
}

const (
	leastShare   = 0.05 // below which the pace is unknown
	readingShare = 0.1  // of the time of a job
)

// shareOf returns the share of a running job that is done.
func shareOf(at check.Progress) float64 {
	part := 0.0
	if at.Total > 0 {
		part = float64(at.Done) / float64(at.Total)
	}
	switch at.Stage {
	case check.Searching:
		return readingShare + (1-readingShare)*part
	case check.Comparing:
		return readingShare
	case check.Reading:
		return readingShare * part
	}
	return 0
}
