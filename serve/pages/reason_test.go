package pages

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// TestReasons: the pages of a check, its upload and its collection show why something failed and what
// was skipped.
func TestReasons(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	collection, submission, check := s.queued("2026")
	s.change(`UPDATE checks SET state = 'failed', reason = 'no text in it' WHERE id = ?`, check)
	s.change(`INSERT INTO additions (id, collection_id, job_id, user_id, file, name, size, state, reason, skipped, created) SELECT 'a', ?, job_id, ?, '', 'a.zip', 1, 'failed', 'no text in it',
		'[{"path": "a.zip!/b.pdf", "reason": "no text in it"}]', 1 FROM checks`, collection, s.admin.User)
	for _, path := range []string{"/checks", "/checks/" + check, "/submissions/" + submission, "/collections/" + collection} {
		if w := s.ask("GET", path, s.sessions[accounts.Administrator], nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "no text in it") {
			t.Errorf("GET %s: %d, want a page with the reason", path, w.Code)
		}
	}
}

// TestReasonsAreTranslated: a reason with arguments is in the language of the reader.
func TestReasonsAreTranslated(t *testing.T) {
	t.Parallel()
	s := newTestSite(t)
	collection, submission, check := s.queued("2026")
	reason, message := storage.Reason(phrase.Error("serve.set-aside", "set aside after {n} tries: {cause}", "n", 2, "cause", phrase.Error("serve.crashed", "the worker process ended early: {cause}", "cause", "exit status 2")))
	s.change(`UPDATE checks SET state = 'failed', reason = ?, message = ? WHERE id = ?`, reason, message, check)
	s.change(`INSERT INTO additions (id, collection_id, job_id, user_id, file, name, size, state, reason, message, created) SELECT 'a', ?, job_id, ?, '', 'a.zip', 1, 'failed', ?, ?, 1 FROM checks`, collection, s.admin.User, reason, message)
	s.change(`INSERT INTO removals (id, collection_id, job_id, user_id, names, state, reason, message, documents, created) SELECT 'r', ?, job_id, ?, '[]', 'failed', ?, ?, 1, 1 FROM checks`, collection, s.admin.User, reason, message)
	for tag, want := range map[string]string{"en": reason, "cs": "odloženo, počet pokusů: 2: pracovní proces předčasně skončil: exit status 2"} {
		for path, count := range map[string]int{"/checks": 1, "/checks/" + check: 1, "/submissions/" + submission: 1, "/collections/" + collection: 2} {
			w := s.ask("GET", path, s.sessions[accounts.Administrator], nil, "Accept-Language", tag)
			if got := strings.Count(html.UnescapeString(w.Body.String()), want); w.Code != http.StatusOK || got != count {
				t.Errorf("GET %s in %s: %d, with %q %d times, want %d", path, tag, w.Code, want, got, count)
			}
		}
	}
}
