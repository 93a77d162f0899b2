package desk

import (
	"context"
	"strings"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The checks are the uploads that users have checked, with their texts.
type checks struct {
	room
	queue   *work.Queue
	uploads *uploads
}

// A Check is the check of one text. Before its file was read, it stands for the file, which may have
// many texts.
type Check struct {
	ID             string         `json:"id"`
	Submission     string         `json:"submission"`
	Name           string         `json:"name"` // of the uploaded file
	Path           string         `json:"path"` // name with the member of an archive
	Size           int64          `json:"size"` // bytes of the file
	Label          string         `json:"label"`
	Collection     string         `json:"collection"`
	CollectionName string         `json:"collection_name"`                                           // names of all collections, separated by commas
	By             string         `json:"by"`                                                        // login
	State          string         `json:"state" enum:"waiting,queued,running,done,failed,cancelled"` // waiting for the date of a course
	Reason         string         `json:"reason,omitempty"`                                          // why it failed or waits
	Message        *phrase.Stored `json:"-"`                                                         // of the reason
	Position       int            `json:"position,omitempty"`                                        // in the queue, from 1
	Score          float64        `json:"score"`                                                     // percent, after decisions
	Found          float64        `json:"found"`                                                     // percent, before decisions
	Grades         Grades         `json:"grades" doc:"words that the score counts, by grade"`
	Groups         Groups         `json:"groups,omitzero" doc:"the same words by quotation marks and citations"`
	Words          int            `json:"words"`
	Sources        int            `json:"sources"`
	Flags          int            `json:"flags"`   // stretches that may hide copying
	Partial        bool           `json:"partial"` // part of the collection was not searched: the score may be too low
	Verdict        string         `json:"verdict,omitempty"`
	Comment        string         `json:"comment,omitempty"`
	VerdictBy      string         `json:"verdict_by,omitempty"`
	VerdictAt      time.Time      `json:"verdict_at,omitzero"`
	Created        time.Time      `json:"created"`
	Finished       time.Time      `json:"finished,omitzero"`
	Case           string         `json:"case,omitempty" enum:"notice,statement,reply,closed,reopened" doc:"state of the case: its last step but verdicts and comments"`
	Keep           int            `json:"keep,omitempty" doc:"days after the upload until it is deleted; 0 for ever"`
	Expires        time.Time      `json:"expires,omitzero" doc:"when it will be deleted"`

	Counts bool     `json:"counts" doc:"the text is checked; others in its course are compared with it"`
	Rose   *float64 `json:"rose_from,omitempty" doc:"percent before the score rose, unless somebody has seen it"`

	job    string
	report int // number of the report
}

// selectChecks reads checks of a group, its first parameter. The CROSS JOIN makes SQLite begin with the
// checks, as in chosen: to find them by all submissions of a group took ten times as long.
const selectChecks = `SELECT c.id, c.submission_id, c.name, c.path, c.size, s.label, s.collection_id,
	k.name || coalesce((SELECT ', ' || string_agg(m.name, ', ' ORDER BY n.place) FROM submission_collections n JOIN collections m ON m.id = n.collection_id WHERE n.submission_id = s.id), ''), u.login, c.state, c.reason, c.message,
	CASE c.state WHEN 'queued' THEN (SELECT count(*) + 1 FROM jobs j, jobs own WHERE own.id = c.job_id AND j.state = 'queued' AND (j.created < own.created OR j.created = own.created AND j.rowid < own.rowid)) ELSE 0 END,
	c.score, c.found, ` + countColumns + `, c.words, c.sources, c.flags, c.partial, c.verdict, c.comment, c.verdict_by, c.verdict_at, c.created, c.finished, c.case_state, c.keep, c.keep_set,
	c.counts, c.rose, c.job_id, c.reported
	FROM checks c CROSS JOIN submissions s JOIN collections k ON k.id = s.collection_id JOIN users u ON u.id = coalesce(c.user_id, s.user_id) WHERE s.id = c.submission_id AND s.group_id = ?`

func scanCheck(row func(...any) error, c *Check) error {
	var created, set int64
	values := []any{&c.ID, &c.Submission, &c.Name, &c.Path, &c.Size, &c.Label, &c.Collection, &c.CollectionName, &c.By, &c.State, &c.Reason, storage.Message{To: &c.Message}, &c.Position, &c.Score, &c.Found}
	values = append(values, c.Grades.values(&c.Groups)...)
	err := row(append(values, &c.Words, &c.Sources, &c.Flags, &c.Partial, &c.Verdict, &c.Comment, &c.VerdictBy, millis{&c.VerdictAt}, &created, millis{&c.Finished}, &c.Case, &c.Keep, &set, &c.Counts, &c.Rose, &c.job, &c.report)...)
	c.Created, c.Expires = timeOf(created), expiry(c.Keep, created, set)
	return err
}

// A Filter chooses checks. Its zero value means all.
type Filter struct {
	Query      string // in names, labels and logins, without regard to case
	Label      string
	State      string
	Verdict    string // "none" for checks without one
	Case       string // state of the case
	Submission string
	Sort       string // created, score, name or words; with - before it in descending order; "" for -created
	Limit      int    // 1 to 500, 100 for 0
	Offset     int
}

// sortings are the values of Filter.Sort with their SQL.
var sortings = map[string]string{
	"": "c.created DESC, c.rowid DESC", "-created": "c.created DESC, c.rowid DESC", "created": "c.created, c.rowid",
	"-score": "c.score DESC, c.rowid", "score": "c.score, c.rowid", "name": "c.path COLLATE NOCASE, c.rowid", "-name": "c.path COLLATE NOCASE DESC, c.rowid",
	"words": "c.words, c.rowid", "-words": "c.words DESC, c.rowid",
}

// chosen are the checks of a group, its first parameter, before the conditions of a filter.
const chosen = ` FROM checks c CROSS JOIN submissions s WHERE s.id = c.submission_id AND s.group_id = ?`

// conditions returns the filter as SQL with its parameters.
func (f *Filter) conditions() (where string, args []any) {
	add := func(condition string, values ...any) {
		where, args = where+" AND "+condition, append(args, values...)
	}
	if f.Query != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(storage.Fold(f.Query)) + "%"
		add(`(c.folded LIKE ? ESCAPE '\' OR s.folded LIKE ? ESCAPE '\' OR (SELECT folded FROM users WHERE id = coalesce(c.user_id, s.user_id)) LIKE ? ESCAPE '\')`, like, like, like)
	}
	for _, equal := range []struct{ column, value string }{{"s.label", f.Label}, {"c.state", f.State}, {"c.case_state", f.Case}, {"c.submission_id", f.Submission}} {
		if equal.value != "" {
			add(equal.column+" = ?", equal.value)
		}
	}
	switch f.Verdict {
	case "":
	case "none":
		add("c.verdict = ''")
	default:
		add("c.verdict = ?", f.Verdict)
	}
	return where, args
}

// Checks returns checks of the actor's group, and the number of all that the filter chooses.
func (d *checks) Checks(ctx context.Context, a accounts.Actor, f Filter) (checks []Check, total int, err error) {
	if err := may(a, accounts.ReadChecks); err != nil {
		return nil, 0, err
	}
	order, ok := sortings[f.Sort]
	if !ok {
		return nil, 0, Wrong("sort", "serve.sort", "unknown order")
	}
	where, args := f.conditions()
	args = append([]any{a.Group}, args...)
	err = d.folder.Read.QueryRowContext(ctx, `SELECT count(*)`+chosen+where, args...).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	// The rows are chosen first: sorting all of them would evaluate the columns of each.
	rows := ` AND c.rowid IN (SELECT c.rowid` + chosen + where + ` ORDER BY ` + order + ` LIMIT ? OFFSET ?)`
	args = append(append([]any{a.Group}, args...), page(f.Limit), max(f.Offset, 0))
	checks, err = list(ctx, d.folder.Read, scanCheck, selectChecks+rows+` ORDER BY `+order, args...)
	return checks, total, err
}

// Check returns a check of the actor's group.
func (d *checks) Check(ctx context.Context, a accounts.Actor, id string) (*Check, error) {
	return firstFor(ctx, may(a, accounts.ReadChecks), d.folder.Read, scanCheck, selectChecks+" AND c.id = ?", a.Group, id)
}

// checkOwn returns ErrNotFound unless the check is of the actor's group.
func (d *checks) checkOwn(ctx context.Context, a accounts.Actor, id string) error {
	_, err := d.Check(ctx, a, id)
	return err
}

// Labels returns the labels of the group's submissions, the latest first.
func (d *checks) Labels(ctx context.Context, a accounts.Actor) ([]string, error) {
	return listFor(ctx, may(a, accounts.ReadChecks), d.folder.Read, scanString, `SELECT label FROM submissions WHERE group_id = ? AND label != '' GROUP BY label ORDER BY max(created) DESC LIMIT 500`, a.Group)
}

// A Histogram has the numbers of checks by score: 20 ranges of 5 percent.
type Histogram [20]int

// Histogram returns how many finished checks that the filter chooses have each score.
func (d *checks) Histogram(ctx context.Context, a accounts.Actor, f Filter) (h Histogram, err error) {
	if err := may(a, accounts.ReadChecks); err != nil {
		return h, err
	}
	type count struct{ rank, n int }
	where, args := f.conditions()
	counts, err := list(ctx, d.folder.Read, func(row func(...any) error, c *count) error { return row(&c.rank, &c.n) },
		`SELECT CAST(floor(min(c.score / 5, 19)) AS INTEGER) AS rank, count(*)`+chosen+` AND c.state = 'done'`+where+` GROUP BY rank`, append([]any{a.Group}, args...)...)
	for _, c := range counts {
		h[max(0, min(c.rank, len(h)-1))] += c.n
	}
	return h, err
}

// Grades are the words that the score of a check counts, by the grades of their passages. All are 0 for checks of earlier
// versions.
type Grades struct {
	Verbatim int `json:"verbatim" doc:"words in verbatim passages"`
	Edited   int `json:"edited" doc:"words in lightly edited passages"`
	Reworded int `json:"reworded" doc:"words in reworded passages only"`
	Run      int `json:"longest_run" doc:"longest run of equal words in these passages"`
}

// Groups are the same words by the groups of their passages: see [search.Groups]. All are 0 for checks of earlier versions.
type Groups struct {
	QuotedCited int `json:"quoted_and_cited" doc:"words in passages that are quoted and cited"`
	Quoted      int `json:"quoted" doc:"words in passages that are only quoted"`
	Cited       int `json:"cited" doc:"words in passages that are only cited"`
	Neither     int `json:"neither" doc:"words in passages that are neither quoted nor cited"`
}

// Words returns the words by group, in the order of [search.Groups].
func (g Groups) Words() []int { return []int{g.QuotedCited, g.Quoted, g.Cited, g.Neither} }

// A countedWords is what the score of a check consists of.
type countedWords struct {
	Grades Grades
	Groups Groups
}

// countOf returns the counted words of the row of a report.
func countOf(r *report.RowCount) countedWords {
	return countedWords{Grades{r.Verbatim, r.Edited, r.Reworded, r.CountedRun}, Groups(r.RowGroups)}
}

// countColumns are the columns with counted words.
const countColumns = "verbatim, edited, reworded, longest_run, quoted_cited, quoted, cited, neither"

// values returns pointers to the values of countColumns.
func (g *Grades) values(p *Groups) []any {
	return []any{&g.Verbatim, &g.Edited, &g.Reworded, &g.Run, &p.QuotedCited, &p.Quoted, &p.Cited, &p.Neither}
}

// values returns pointers to the values of countColumns.
func (c *countedWords) values() []any { return c.Grades.values(&c.Groups) }

// Counted returns the score of a check as its report has it.
func (c *Check) Counted() search.Score {
	g := c.Grades
	return search.NewScore(c.Words, score.Total{Covered: g.Verbatim + g.Edited + g.Reworded, Percent: c.Score, Grades: []int{g.Verbatim, g.Edited, g.Reworded}, Run: g.Run})
}

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
