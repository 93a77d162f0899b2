package desk

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk/members"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// The exports are all that is kept about a check, a document or a person.
type exports struct {
	room
	files       *storage.Shelf
	checks      *checks
	reports     *reports
	collections *collections
}

// An Export is all that is kept about a check, a document or a person, as files of a zip archive. It
// holds no contents of texts and reports: [Export.Write] reads them one after another.
type Export struct {
	Name  string // of the archive, without a path
	parts []part
}

// A part is a file of an export.
type part struct {
	name  string
	write func(w io.Writer) error
}

// Write writes the archive. After an error, it is incomplete and has no directory.
func (e *Export) Write(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, p := range e.parts {
		f, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: time.Now().UTC()})
		if err == nil {
			err = p.write(f)
		}
		if err != nil {
			return fmt.Errorf("export %s: %w", p.name, err)
		}
	}
	return z.Close()
}

// value adds a value as a file in JSON.
func (e *Export) value(name string, v any) {
	e.parts = append(e.parts, part{name, func(w io.Writer) error {
		j := json.NewEncoder(w)
		j.SetIndent("", "  ")
		return j.Encode(v)
	}})
}

// bytes adds a file with the content that read returns when it is written.
func (e *Export) bytes(name string, read func() ([]byte, error)) {
	e.parts = append(e.parts, part{name, func(w io.Writer) error {
		data, err := read()
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}})
}

// times are the columns with times, which exports write as text.
var times = map[string]bool{"at": true, "created": true, "finished": true, "expires": true, "opened": true, "seen": true, "used": true, "added": true, "verdict_at": true, "submitted": true}

// rows adds the rows of a query as a file in JSON, unless there are none. It returns their number.
func (d *exports) rows(ctx context.Context, e *Export, name, query string, args ...any) (n int, err error) {
	rows, err := d.folder.Read.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	var all []map[string]any
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return 0, err
		}
		one := map[string]any{}
		for i, column := range columns {
			switch v := values[i].(type) {
			case int64:
				one[column] = v
				if times[column] {
					one[column] = nil
					if v != 0 {
						one[column] = timeOf(v)
					}
				}
			case []byte: // JSON
				one[column] = json.RawMessage(v)
			default:
				one[column] = v
			}
		}
		all = append(all, one)
	}
	if len(all) > 0 {
		e.value(name, all)
	}
	return len(all), rows.Err()
}

// queries adds the rows of queries, by the names of the files.
func (d *exports) queries(ctx context.Context, e *Export, dir string, queries map[string]string, args ...any) error {
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		if _, err := d.rows(ctx, e, dir+name+".json", queries[name], args...); err != nil {
			return err
		}
	}
	return nil
}

// noteExport notes an export in the audit log, which it contains itself.
func (d *exports) noteExport(ctx context.Context, a accounts.Actor, action, object, detail string) error {
	return d.folder.Write(ctx, func(tx *storage.Tx) { note(tx, a, action, object, detail) })
}

// ExportCheck returns all that is kept about a check of the actor's group. opts are for the report in
// HTML.
func (d *exports) ExportCheck(ctx context.Context, a accounts.Actor, id string, opts report.Options) (*Export, error) {
	if err := may(a, accounts.ExportData); err != nil {
		return nil, err
	}
	c, err := d.checks.Check(ctx, inGroup(a), id)
	if err != nil {
		return nil, err
	}
	if err := d.noteExport(ctx, a, "export check", id, ""); err != nil {
		return nil, err
	}
	e := &Export{Name: "check-" + id + ".zip"}
	return e, d.addCheck(ctx, a, e, c, "", opts)
}

// checkQueries select what is kept about a check.
var checkQueries = map[string]string{
	"decisions":   `SELECT number, login, u.name, at, score, data FROM decisions JOIN users u ON u.id = user_id WHERE check_id = ? ORDER BY number`,
	"scores":      `SELECT at, score FROM check_scores WHERE check_id = ? ORDER BY number`,
	"case":        `SELECT number, kind, at, login, t.name, detail, text FROM case_steps t LEFT JOIN users u ON u.id = user_id WHERE check_id = ? ORDER BY number`,
	"comments":    `SELECT r.id, login, r.name, at, start_at, quote, student, text FROM remarks r JOIN users u ON u.id = user_id WHERE check_id = ? ORDER BY start_at, at`,
	"links":       `SELECT s.id, recipient, login, s.created, expires, opened, times FROM shares s JOIN users u ON u.id = user_id WHERE check_id = ? ORDER BY s.created`,
	"deliveries":  `SELECT d.id, url, event, state, tries, status, reason, d.created, finished FROM deliveries d JOIN webhooks w ON w.id = webhook_id WHERE check_id = ? ORDER BY d.created`,
	"assets":      `SELECT p.name AS platform, activity, submission, submitted, asset, a.url, a.created, state FROM assets a JOIN platforms p ON p.id = platform_id WHERE file = (SELECT file FROM checks WHERE id = ?) ORDER BY a.created`,
	"integration": `SELECT i.name, t.id, owner, submitter, title, assignment, context, t.created, requested, document FROM integration_texts t JOIN integrations i ON i.id = integration_id WHERE check_id = ?`,
	"audit":       `SELECT number, at, login, action, object, detail FROM audit WHERE object = ? ORDER BY number`,
	"mails":       `SELECT kind, address, created FROM mails WHERE check_id = ? ORDER BY created`,
}

// addCheck adds what is kept about a check, below the folder dir.
func (d *exports) addCheck(ctx context.Context, a accounts.Actor, e *Export, c *Check, dir string, opts report.Options) error {
	s, err := d.checks.Submission(ctx, inGroup(a), c.Submission)
	if err != nil {
		return err
	}
	e.value(dir+"check.json", c)
	e.value(dir+"submission.json", s)
	if err := d.queries(ctx, e, dir, checkQueries, c.ID); err != nil {
		return err
	}
	if c.State == work.Done {
		e.bytes(dir+"report.json", func() ([]byte, error) { return d.reports.ReportFile(ctx, inGroup(a), c.ID) })
		e.parts = append(e.parts, part{dir + "report.html", func(w io.Writer) error {
			r, err := d.reports.Report(ctx, inGroup(a), c.ID)
			if err != nil {
				return err
			}
			return report.Write(w, "html", r, opts)
		}})
	}
	return d.addUpload(ctx, e, c, dir)
}

// addUpload adds the uploaded file of a check. Of an archive with texts of other checks, it adds only
// the member with the text; if it cannot read the archive, it adds a note instead.
func (d *exports) addUpload(ctx context.Context, e *Export, c *Check, dir string) error {
	o, alone, err := d.originalOf(ctx, c)
	if err != nil {
		return err
	}
	if !alone {
		e.value(dir+"upload.json", map[string]string{"archive": c.Name, "note": "The archive contains texts of other checks, too. The text of this check is in report.json."})
		return nil
	}
	e.parts = append(e.parts, part{dir + "upload/" + o.Name, o.Write})
	return nil
}

// An Original is the uploaded file of a check.
type Original struct {
	Name  string // without folders
	Write func(io.Writer) error
}

// Original returns the uploaded file of a check of the actor's group. Of a zip archive with texts of other
// checks, it is the member with the text; another archive is whole.
func (d *exports) Original(ctx context.Context, a accounts.Actor, id string) (*Original, error) {
	c, err := d.checks.Check(ctx, a, id)
	if err != nil {
		return nil, err
	}
	o, _, err := d.originalOf(ctx, c)
	return o, err
}

// originalOf returns the uploaded file of a check, and whether it has no text of another check.
func (d *exports) originalOf(ctx context.Context, c *Check) (o *Original, alone bool, err error) {
	var file string
	var others int
	err = d.folder.Read.QueryRowContext(ctx, `SELECT file, (SELECT count(*) FROM checks o WHERE o.file = c.file AND o.id != c.id) FROM checks c WHERE id = ?`, c.ID).Scan(&file, &others)
	if err != nil {
		return nil, false, found(err)
	}
	name, alone, open := c.Name, others == 0, func(path string) (io.ReadCloser, error) { return os.Open(path) }
	if others > 0 {
		member := strings.TrimPrefix(strings.TrimPrefix(c.Path, c.Name), document.MemberMark)
		if err := d.files.Use(ctx, file, func(path string) error { alone = members.Has(path, member); return nil }); err != nil {
			return nil, false, err
		}
		if alone {
			name, open = member, func(path string) (io.ReadCloser, error) { return members.Open(path, member) }
		}
	}
	return &Original{path.Base(path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))), func(w io.Writer) error {
		return d.files.Use(ctx, file, func(path string) error {
			r, err := open(path)
			if err != nil {
				return err
			}
			_, err = io.Copy(w, &stopped{ctx, r})
			return errors.Join(err, r.Close())
		})
	}}, alone, nil
}

// ExportDocument returns all that is kept about a document of a collection of the actor's group: its
// entry in the index, its text, and what reports quote of it.
func (d *exports) ExportDocument(ctx context.Context, a accounts.Actor, collection, name string) (*Export, error) {
	if err := errors.Join(may(a, accounts.ExportData), d.collections.checkOwn(ctx, inGroup(a), collection)); err != nil {
		return nil, err
	}
	if _, err := d.collections.Document(ctx, inGroup(a), collection, name); err != nil {
		return nil, err
	}
	if err := d.noteExport(ctx, a, "export document", collection, ""); err != nil {
		return nil, err
	}
	e := &Export{Name: "document-" + store.IDOf("", name).String() + ".zip"}
	d.addQuotations(ctx, a, e, collection, "", name)
	return e, d.addDocument(ctx, a, e, collection, name, "")
}

// An indexed is the entry of a document in the index of a collection.
type indexed struct {
	Collection string         `json:"collection"`
	Name       string         `json:"name"`
	Entry      store.Document `json:"entry"`
	Described  *Document      `json:"described"`
}

// addDocument adds what is kept about a document, below the folder dir.
func (d *exports) addDocument(ctx context.Context, a accounts.Actor, e *Export, collection, name, dir string) error {
	one, err := d.collections.Document(ctx, inGroup(a), collection, name)
	if err != nil {
		return err
	}
	id := store.IDOf("", name)
	err = d.collections.withIndex(ctx, collection, func(r store.Reader) error {
		doc, err := store.Entry(ctx, r, id)
		if err == nil {
			e.value(dir+"document.json", indexed{collection, name, doc, one})
			if !doc.NoText {
				e.bytes(dir+"text.txt", func() (text []byte, err error) {
					err = d.collections.withIndex(ctx, collection, func(r store.Reader) error {
						content, err := store.TextOf(ctx, r, id)
						text = []byte(content)
						return err
					})
					return text, err
				})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	queries := map[string]string{
		"additions": `SELECT a.id, a.kind, a.name, size, login, state, reason, a.created, finished FROM additions a JOIN users u ON u.id = user_id WHERE collection_id = ?1 AND a.name = ?2 ORDER BY a.created`,
		"audit":     `SELECT number, at, login, action, object, detail FROM audit WHERE object = ?1 AND detail = ?2 ORDER BY number`,
		"times":     `SELECT added FROM document_times WHERE collection_id = ?1 AND document = ` + fmt.Sprint(rowOf(id)) + ` AND ?2 != ''`,
	}
	return d.queries(ctx, e, dir, queries, collection, name)
}

// addQuotations adds what the reports of the actor's group quote of documents of a collection, and the
// number of quotations in reports of other groups. It reads the reports when the file is written.
func (d *exports) addQuotations(ctx context.Context, a accounts.Actor, e *Export, collection, dir string, names ...string) {
	e.parts = append(e.parts, part{dir + "quotations.json", func(w io.Writer) error {
		j, foreign := json.NewEncoder(w), 0
		if _, err := io.WriteString(w, `{"quotations": [`); err != nil {
			return err
		}
		between := ""
		err := d.reports.quotations(ctx, collection, names, func(group string, q quotation) error {
			if group != a.Group {
				foreign++
				return nil
			}
			_, err := io.WriteString(w, between)
			between = ","
			return errors.Join(err, j.Encode(q))
		})
		if err == nil {
			_, err = fmt.Fprintf(w, `], "in_reports_of_other_groups": %d}`+"\n", foreign)
		}
		return err
	}})
}

// userQueries select what is kept about a user, without secrets.
var userQueries = map[string]string{
	"user":        `SELECT u.id, login, u.name, mail, lang, role, g.name AS "group", disabled, external, totp != '' AS second_factor, u.created FROM users u JOIN groups g ON g.id = group_id WHERE u.id = ?`,
	"sessions":    `SELECT created, seen, external FROM sessions WHERE user_id = ? ORDER BY created`,
	"tokens":      `SELECT id, name, scopes, created, expires, used FROM tokens WHERE user_id = ? ORDER BY created`,
	"submissions": `SELECT id, collection_id, label, created FROM submissions WHERE user_id = ? ORDER BY created`,
	"checks":      `SELECT c.id, c.path, c.created FROM checks c JOIN submissions s ON s.id = submission_id WHERE coalesce(c.user_id, s.user_id) = ? ORDER BY c.created`,
	"verdicts":    `SELECT id, path, verdict, comment, verdict_at FROM checks WHERE verdict_by = (SELECT login FROM users WHERE id = ?) ORDER BY verdict_at`,
	"decisions":   `SELECT number, check_id, at, score, data FROM decisions WHERE user_id = ? ORDER BY number`,
	"courses":     `SELECT m.course_id, x.name FROM course_students m JOIN courses x ON x.id = m.course_id WHERE m.user_id = ? ORDER BY m.course_id`,
	"case":        `SELECT number, check_id, kind, at, name, detail, text FROM case_steps WHERE user_id = ? ORDER BY number`,
	"comments":    `SELECT id, check_id, name, at, start_at, quote, student, text FROM remarks WHERE user_id = ? ORDER BY at`,
	"links":       `SELECT id, check_id, recipient, created, expires, opened, times FROM shares WHERE user_id = ? ORDER BY created`,
	"additions":   `SELECT id, collection_id, kind, name, size, state, created, finished FROM additions WHERE user_id = ? ORDER BY created`,
	"removals":    `SELECT id, collection_id, state, documents, reports, created, finished FROM removals WHERE user_id = ? ORDER BY created`,
	"sources":     `SELECT id, collection_id, kind, address, part, created FROM sources WHERE user_id = ? ORDER BY created`,
	"assets":      `SELECT p.name AS platform, course_id, activity, submission, submitted, asset, a.url, a.name, a.created, state FROM assets a JOIN platforms p ON p.id = platform_id WHERE user_id = ? ORDER BY a.created`,
	"mails":       `SELECT kind, address, created FROM mails WHERE user_id = ? ORDER BY created`,
	"audit":       `SELECT number, at, login, action, object, detail FROM audit WHERE user_id = ?1 OR object = ?1 ORDER BY number`,
}

// ExportUser returns all that is kept about a user.
func (d *exports) ExportUser(ctx context.Context, a accounts.Actor, id string) (*Export, error) {
	if err := may(a, accounts.ExportData); err != nil {
		return nil, err
	}
	var login string
	if err := d.folder.Read.QueryRowContext(ctx, `SELECT login FROM users WHERE id = ?`, id).Scan(&login); err != nil {
		return nil, found(err)
	}
	if err := d.folder.Write(ctx, func(tx *storage.Tx) { noteData(tx, a, "export user", id, login) }); err != nil {
		return nil, err
	}
	e := &Export{Name: "user-" + id + ".zip"}
	return e, d.queries(ctx, e, "", userQueries, id)
}

// A finding is a place where the name of a person was found.
type finding struct {
	Checks    []string          `json:"checks"`    // ids, each with a folder in the export
	Documents map[string]string `json:"documents"` // folders in the export by names
	Entries   []Entry           `json:"audit"`
	Name      string            `json:"name"`
}

// ExportPerson returns all that is kept in the actor's group about a person by name: documents with
// the name in their name, author or title, checks with it in the name of the text, the label, the
// comment, the case, the recipients of links, and entries of the audit log. It compares without regard to case,
// and does not search in texts.
func (d *exports) ExportPerson(ctx context.Context, a accounts.Actor, name string, opts report.Options) (*Export, error) {
	if err := may(a, accounts.ExportData); err != nil {
		return nil, err
	}
	if name = strings.TrimSpace(name); !longer(name, 2) || longer(name, mostLabel) {
		return nil, Wrong("name", "case.person", "type a name of 3 to {most} characters", "most", mostLabel)
	}
	if err := d.noteExport(ctx, a, "export person", "", name); err != nil {
		return nil, err
	}
	sought := strings.ToLower(name)
	has := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), sought) })
	}
	e, f := &Export{Name: "person.zip"}, &finding{Name: name, Checks: []string{}, Documents: map[string]string{}, Entries: []Entry{}}
	e.value("person.json", f)
	if err := d.addChecksOf(ctx, a, e, f, has, opts); err != nil {
		return nil, err
	}
	if err := d.addDocumentsOf(ctx, a, e, f, has); err != nil {
		return nil, err
	}
	entries, err := list(ctx, d.folder.Read, scanEntry, selectEntries+` ORDER BY number`, a.Group)
	for _, entry := range entries {
		if has(entry.Login, entry.Detail) {
			f.Entries = append(f.Entries, entry)
		}
	}
	return e, err
}

func (d *exports) addChecksOf(ctx context.Context, a accounts.Actor, e *Export, f *finding, has func(...string) bool, opts report.Options) error {
	checks, err := list(ctx, d.folder.Read, scanCheck, selectChecks+" ORDER BY c.created", a.Group)
	if err != nil {
		return err
	}
	type naming struct{ check, text string }
	names, err := list(ctx, d.folder.Read, func(row func(...any) error, n *naming) error { return row(&n.check, &n.text) }, personNames, a.Group)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, n := range names {
		named[n.check] = named[n.check] || has(n.text)
	}
	for i := range checks {
		c := &checks[i]
		if !named[c.ID] && !has(c.Path, c.Label, c.Comment) {
			continue
		}
		f.Checks = append(f.Checks, c.ID)
		if err := d.addCheck(ctx, a, e, c, "checks/"+c.ID+"/", opts); err != nil {
			return err
		}
	}
	return nil
}

// personNames selects texts about checks of a group that may name a person.
const personNames = `SELECT check_id, recipient FROM shares JOIN checks c ON c.id = check_id JOIN submissions s ON s.id = c.submission_id WHERE s.group_id = ?1
	UNION ALL SELECT check_id, t.name || '` + "\n" + `' || detail || '` + "\n" + `' || text FROM case_steps t JOIN checks c ON c.id = check_id JOIN submissions s ON s.id = c.submission_id WHERE s.group_id = ?1
	UNION ALL SELECT check_id, r.name || '` + "\n" + `' || text FROM remarks r JOIN checks c ON c.id = check_id JOIN submissions s ON s.id = c.submission_id WHERE s.group_id = ?1`

func (d *exports) addDocumentsOf(ctx context.Context, a accounts.Actor, e *Export, f *finding, has func(...string) bool) error {
	collections, err := d.collections.Collections(ctx, inGroup(a))
	if err != nil {
		return err
	}
	for _, c := range collections {
		if !c.Own {
			continue
		}
		var names []string
		err := d.collections.withIndex(ctx, c.ID, func(r store.Reader) error {
			return r.Documents(ctx, "", func(doc store.Document) error {
				one := documentOf(&doc)
				texts := append(slices.Collect(maps.Values(one.Labels)), one.Name, one.Title, one.Author)
				if has(texts...) {
					names = append(names, one.Name)
				}
				return nil
			})
		})
		for _, name := range names {
			dir := "documents/" + c.ID + "/" + store.IDOf("", name).String() + "/"
			f.Documents[c.Name+": "+name] = dir
			if err == nil {
				err = d.addDocument(ctx, a, e, c.ID, name, dir)
			}
		}
		if err != nil {
			return err
		}
		if len(names) > 0 {
			d.addQuotations(ctx, a, e, c.ID, "documents/"+c.ID+"/", names...)
		}
	}
	return nil
}
