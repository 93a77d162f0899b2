package pages

import (
	"net/http"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
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
