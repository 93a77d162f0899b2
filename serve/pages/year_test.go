package pages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/measure"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// yearRows fill the database with the rows of a year in which ?1 texts were checked
// against the collection of submission ?2: half of them alone, half in courses of 50. Each thirtieth still waits in the queue. A fifth
// has decisions, a tenth a case with a link.
var yearRows = []string{
	`CREATE TEMP TABLE year AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
		SELECT i, 's' || CASE WHEN i % 100 < 50 THEN i - i % 50 ELSE i END AS sub, c.collection_id, c.group_id, c.user_id, ?3 - i * (365 * 86400000 / ?1) AS at
		FROM n, submissions c WHERE c.id = ?2`,
	`INSERT INTO submissions (id, group_id, user_id, collection_id, label, among, preset, created)
		SELECT DISTINCT sub, group_id, user_id, collection_id, 'Course ' || (i / 100 % 150), 0, '{}', at FROM year GROUP BY sub`,
	`INSERT INTO jobs (id, kind, collection_id, state, ready, created)
		SELECT 'j' || i, 'check', collection_id, iif(i < ?1 / 30, 'queued', 'done'), 0, at FROM year`,
	`INSERT INTO courses (id, group_id, job_id, name, ends, rise, begun) SELECT sub, group_id, 'j' || i, 'Course ' || i, at, 10, 1 FROM year WHERE i % 100 = 0`,
	`INSERT INTO checks (id, submission_id, job_id, file, name, path, size, state, score, found, words, sources, reported, created, finished, base)
		SELECT 'c' || i, sub, 'j' || i, 'f' || i, 'thesis' || i || '.pdf', 'thesis' || i || '.pdf', 1000000, iif(i < ?1 / 30, 'queued', 'done'), i * 37 % 1000 / 10.0, i * 37 % 1000 / 10.0, 10000 + i, i % 9, 1, at, at, 0 FROM year`,
	`INSERT INTO decisions (check_id, user_id, at, score, data) SELECT 'c' || i, user_id, at, 1, CAST('{}' AS BLOB) FROM year WHERE i % 5 = 0`,
	`INSERT INTO case_steps (check_id, kind, at, user_id, name, detail, text) SELECT 'c' || i, 'comment', at, user_id, 'A', '', 'text' FROM year WHERE i % 10 = 0`,
	`INSERT INTO shares (id, hash, check_id, user_id, recipient, created, expires) SELECT 'l' || i, 'h' || i, 'c' || i, user_id, 'Committee', at, at + 86400000 FROM year WHERE i % 10 = 0`,
	`INSERT INTO additions (id, collection_id, job_id, user_id, file, name, size, state, created) SELECT 'a' || i, collection_id, 'j' || i, user_id, 'g' || i, 'source.zip', 1, 'done', at FROM year WHERE i % 10 = 0`,
	`INSERT INTO audit (at, group_id, user_id, login, action, object) SELECT at, group_id, user_id, 'administrator', 'check texts', 'c' || i FROM year, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)`,
	`DROP TABLE year`,
}

// addYear fills the database with a year of n checks.
func (s *testSite) addYear(submission string, n int) {
	s.t.Helper()
	values := strings.NewReplacer("?1", strconv.Itoa(n), "?2", "'"+submission+"'", "?3", strconv.FormatInt(time.Now().UnixMilli(), 10))
	err := s.folder.Write(s.t.Context(), func(tx *storage.Tx) {
		for _, query := range yearRows {
			tx.Exec(values.Replace(query))
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// addFiles writes the files that the rows of a year refer to: uploads of 10 kB, and reports of 20 kB.
func (s *testSite) addFiles() (bytes int64) {
	s.t.Helper()
	content := make([]byte, 20<<10)
	random := rand.NewChaCha8([32]byte{})
	for sub, f := range map[string]struct {
		query string
		size  int
	}{
		storage.Files:   {`SELECT file FROM checks`, 10 << 10},
		storage.Reports: {`SELECT id || iif(reported > 1, '-' || reported, '') || '.json' FROM checks WHERE reported > 0`, 20 << 10},
	} {
		rows, err := s.folder.Read.QueryContext(s.t.Context(), f.query)
		if err != nil {
			s.t.Fatal(err)
		}
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				s.t.Fatal(err)
			}
			_, _ = random.Read(content[:f.size])
			if err := os.WriteFile(s.folder.Path(sub, name), content[:f.size], 0o600); err != nil {
				s.t.Fatal(err)
			}
			bytes += int64(f.size)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			s.t.Fatal(err)
		}
	}
	return bytes
}

// dump returns a checksum of the rows of each table but the audit log, which grows, and of each file.
func dump(t *testing.T, f *storage.Folder) map[string]string {
	t.Helper()
	all := map[string]string{}
	var tables []string
	rows, err := f.Read.QueryContext(t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('audit', 'servers') AND name NOT LIKE 'sqlite%'`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	for _, name := range tables {
		rows, err := f.Read.QueryContext(t.Context(), `SELECT * FROM `+name)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values, pointers, sum := make([]any, len(columns)), make([]any, len(columns)), sha256.New()
		for i := range values {
			pointers[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(pointers...); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(sum, values...)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		all["table "+name] = hex.EncodeToString(sum.Sum(nil))
	}
	for _, sub := range []string{storage.Files, storage.Reports} {
		entries, err := os.ReadDir(f.Path(sub))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(f.Path(sub, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			all[sub+"/"+e.Name()] = hex.EncodeToString(sum[:])
		}
	}
	return all
}

// TestYearBackup backs up a server after a year with 20,000 checks, while it answers requests and
// writes its audit log. The copy has the same rows and files.
func TestYearBackup(t *testing.T) {
	need.Long(t)
	s := newTestSite(t)
	_, submission, _ := s.queued("2026")
	s.addYear(submission, 20_000)
	bytes := s.addFiles()
	out := filepath.Join(t.TempDir(), "backup")
	session, ended, slowest := s.sessions[accounts.Administrator], make(chan struct{}), make(chan time.Duration)
	go func() {
		var most time.Duration
		for {
			select {
			case <-ended:
				slowest <- most
				return
			default:
			}
			start := time.Now()
			s.ask(http.MethodGet, "/checks", session, nil)
			s.ask(http.MethodPost, "/groups", session, url.Values{"name": {fmt.Sprint(start)}})
			most = max(most, time.Since(start))
			time.Sleep(50 * time.Millisecond)
		}
	}()
	start, before := time.Now(), measure.CPU()
	if _, err := storage.Backup(t.Context(), s.folder.Path(), out, nil, func(context.Context, string, string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	t.Logf("backup of %d MB in files: %v by the clock, %v of CPU with the requests meanwhile", bytes>>20, time.Since(start).Round(100*time.Millisecond), (measure.CPU() - before).Round(100*time.Millisecond))
	close(ended)
	t.Logf("slowest page and form meanwhile: %v", <-slowest)
	start = time.Now()
	copied, err := storage.Open(t.Context(), out, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if err := copied.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("start of the copy: %v", time.Since(start).Round(time.Millisecond))
	got, want := dump(t, copied), dump(t, s.folder)
	if len(want) < 39_000 {
		t.Fatalf("%d tables and files, want more to compare", len(want))
	}
	delete(got, "table groups") // grew meanwhile
	delete(want, "table groups")
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s has the checksum %q, want %q", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the copy has %d tables and files, want %d", len(got), len(want))
	}
}

// TestYear opens every page after a year with 20,000 checks, and logs the CPU time that each takes.
func TestYear(t *testing.T) {
	need.Long(t)
	s := newTestSite(t)
	collection, submission, check := s.queued("2026")
	s.addYear(submission, 20_000)
	session := s.sessions[accounts.Administrator]
	for _, path := range []string{
		"/check", "/checks", "/checks?page=300", "/checks?q=thesis123", "/checks?q=nothing", "/checks?sort=-score", "/checks?sort=name", "/checks?label=Course+7", "/checks?state=queued", "/checks?verdict=none&state=done", "/checks?case=comment",
		"/checks/" + check, "/checks/c20", "/submissions/" + submission, "/submissions/s150", "/courses", "/courses/s1000", "/collections", "/collections/" + collection, "/presets", "/account", "/tokens", "/users", "/webhooks", "/audit",
	} {
		var times []time.Duration
		start := time.Now()
		for range 10 {
			before := measure.CPU()
			if w := s.ask(http.MethodGet, path, session, nil); w.Code != http.StatusOK {
				t.Fatalf("%s: status %d", path, w.Code)
			}
			times = append(times, measure.CPU()-before)
		}
		slices.Sort(times)
		t.Logf("%-35s CPU %v to %v, %v by the clock", path, times[0], times[9], (time.Since(start) / 10).Round(time.Millisecond))
	}
}
