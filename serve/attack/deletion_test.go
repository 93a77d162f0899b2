package attack

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// deletionClass returns the members of an archive of texts that quote each other, as pairs of name and
// content. Text number i has the words texti<i>q and namei<i>q of its own, beside what all share.
func deletionClass(n int) (pairs []string) {
	shared := deletionFiller(99)
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("namei%dq.txt", i), fmt.Sprintf("texti%dq texti%dq starts %s and texti%dq ends it.\n\n%s", i, i, shared, i, deletionFiller(100+i)))
	}
	return pairs
}

func deletionWords(i int) []string {
	return []string{fmt.Sprintf("texti%dq", i), fmt.Sprintf("namei%dq", i)}
}

// TestDeletionPairs: 8 clients delete all texts but two of an archive at once. Nothing of a deleted text is left: in the
// archive, in reports on the others that quoted it, and in the database.
func TestDeletionPairs(t *testing.T) {
	t.Parallel()
	const texts, clients = 14, 8
	s := startDeletion(t, t.TempDir())
	id := s.collection()
	checks := s.check("class.zip", deletionZip(t, deletionClass(texts)...), "collection", id, "among", "true")
	if len(checks) != texts {
		t.Fatalf("%d checks, want %d", len(checks), texts)
	}
	s.present(append(deletionWords(0), deletionWords(texts-1)...)...)
	jobs := make(chan desk.Check)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for c := range jobs {
				if status, data := s.try(s.client, "DELETE", "/checks/"+c.ID, "", nil); status != http.StatusOK {
					t.Errorf("DELETE: status %d, %s", status, data)
				}
			}
		})
	}
	var words []string
	for i, c := range checks {
		if i > 1 {
			words = append(words, deletionWords(i)...)
			jobs <- c
		}
	}
	close(jobs)
	group.Wait()
	s.idle()
	s.gone(words...)
	s.present(append(deletionWords(0), deletionWords(1)...)...)
	var data map[string]any
	s.must("GET", "/checks/"+checks[0].ID+"/report", nil, &data)
}

// TestDeletionRemarks: a comment on a place is removed with its words when it is deleted, or the check.
func TestDeletionRemarks(t *testing.T) {
	t.Parallel()
	s := startDeletion(t, t.TempDir())
	checks := s.check("class.zip", deletionZip(t, deletionClass(2)...), "collection", s.collection())
	for i, c := range checks {
		if status := s.remark(c.ID, fmt.Sprintf("texti%dq starts", i), fmt.Sprintf("noted%dq", i)); status != http.StatusOK { // of the record
			t.Fatalf("a comment: status %d", status)
		}
	}
	inFolder := os.Getenv(storagetest.Variable) == "" // comments are in the database
	if inFolder {
		s.present("noted0q", "noted1q")
	}
	if gone := s.delete("/checks/" + checks[0].ID); gone.State != desk.Removed {
		t.Errorf("the deletion: %+v", gone)
	}
	s.gone(append(deletionWords(0), "noted0q")...)
	if inFolder {
		s.present("noted1q")
	}
	page, err := s.client.Get(s.address + "/checks/" + checks[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	record, err := io.ReadAll(page.Body)
	_ = page.Body.Close()
	form := regexp.MustCompile(`/checks/[a-z0-9]+/remarks/[a-z0-9]+/delete`).Find(record)
	if err != nil || form == nil {
		t.Fatalf("the record has no form to delete a comment: %v", err)
	}
	answer, err := s.client.PostForm(s.address+string(form), url.Values{"sure": {"1"}})
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	_ = answer.Body.Close()
	s.gone("noted1q")
	s.present("texti1q")
}

// TestDeletionNames: members of an archive with a name in the encoding of Windows, with one name, and with data of macOS are deleted
// one by one. The texts that stay are still in the archive.
func TestDeletionNames(t *testing.T) {
	t.Parallel()
	s := startDeletion(t, t.TempDir())
	id := s.collection()
	text := func(i int) string { return fmt.Sprintf("texti%dq %s", i, deletionFiller(i)) }
	data := deletionZip(t, "Nov\xa0kov\xa0.txt", text(0), "Nov\xa1kov\xa1.txt", text(1), "twice.txt", text(2), "twice.txt", text(3), "__MACOSX/._namei4q", "texti4q", "last.txt", text(5))
	checks := s.check("class.zip", data, "collection", id)
	if len(checks) != 5 {
		t.Fatalf("checks %+v, want 5", checks)
	}
	var names []string
	for _, c := range checks {
		names = append(names, strings.TrimPrefix(c.Path, "class.zip!/"))
	}
	if want := []string{"Nováková.txt", "Novíkoví.txt", "twice.txt", "twice (2).txt", "last.txt"}; !slices.Equal(names, want) {
		t.Errorf("the texts are called %q, want %q", names, want)
	}
	for i, c := range checks[:4] {
		if gone := s.delete("/checks/" + c.ID); gone.State != desk.Removed || !gone.File {
			t.Errorf("the deletion of %s: %+v, want it to be done", c.Path, gone)
		}
		s.gone(fmt.Sprintf("texti%dq", i), "texti4q", "namei4q")
		s.present(fmt.Sprintf("texti%dq", i+1+i/3))
	}
	s.gone("Novákov", "Nov\xa0kov", "twice")
}

// TestDeletionWaits: the answer to the deletion of a text in a tar archive says that it is still there. It
// is removed with the last text.
func TestDeletionWaits(t *testing.T) {
	t.Parallel()
	s := startDeletion(t, t.TempDir())
	id := s.collection()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	pairs := deletionClass(2)
	for i := 0; i < len(pairs); i += 2 {
		_ = w.WriteHeader(&tar.Header{Name: pairs[i], Mode: 0o600, Size: int64(len(pairs[i+1]))})
		_, _ = io.WriteString(w, pairs[i+1])
	}
	_ = w.Close()
	checks := s.check("class.tar", b.String(), "collection", id)
	if len(checks) != 2 {
		t.Fatalf("checks %+v, want 2", checks)
	}
	if gone := s.delete("/checks/" + checks[0].ID); gone.State != desk.RemoveLater || gone.Archive != "class.tar" || gone.File {
		t.Errorf("the first deletion: %+v, want that the archive still contains the text", gone)
	}
	var h desk.Health
	if s.must("GET", "/health", nil, &h); len(h.Remains) != 1 || !h.Remains[0].Waits {
		t.Errorf("the administrator sees %+v, want one removal that waits", h.Remains)
	}
	if gone := s.delete("/checks/" + checks[1].ID); gone.State != desk.Removed || !gone.File {
		t.Errorf("the last deletion: %+v, want it to be done", gone)
	}
	s.idle()
	s.gone("texti0q", "texti1q", "namei0q", "namei1q")
}

// TestDeletionKilled: a server that is killed after it has accepted deletions removes the texts at its
// next start. An answer that says done is true at once.
func TestDeletionKilled(t *testing.T) {
	t.Parallel()
	const texts = 8
	s := startDeletion(t, t.TempDir())
	id := s.collection()
	checks := s.check("class.zip", deletionZip(t, deletionClass(texts)...), "collection", id, "among", "true")
	var group sync.WaitGroup
	for _, c := range checks[1:] {
		group.Go(func() { s.try(s.client, "DELETE", "/checks/"+c.ID, "", nil) })
	}
	s.until("a row is deleted", func() bool {
		status, _ := s.try(s.client, "GET", "/checks/"+checks[1].ID, "", nil)
		return status != http.StatusOK
	})
	s.kill()
	group.Wait()
	s.start()
	s.idle()
	var left api.Checks
	s.must("GET", "/checks", nil, &left)
	if left.Total == texts {
		t.Error("the server was killed before a deletion")
	}
	var words []string
	for i, c := range checks {
		if !slices.ContainsFunc(left.Checks, func(l desk.Check) bool { return l.ID == c.ID }) {
			words = append(words, deletionWords(i)...)
		}
	}
	s.gone(words...)
}

// TestDeletionUpload: an upload of very many files is refused with a reason. All texts of an accepted one
// are deleted by one request.
func TestDeletionUpload(t *testing.T) {
	t.Parallel()
	s := startDeletion(t, t.TempDir())
	id := s.collection()
	var many []string
	count := 5_001
	if need.All() {
		count = 60_000
	}
	for i := range count {
		many = append(many, fmt.Sprint(i, ".txt"), "seven words are enough for one check")
	}
	checks := s.check("many.zip", deletionZip(t, many...), "collection", id)
	if len(checks) != 1 || checks[0].State != work.Failed || !strings.Contains(checks[0].Reason, "texts") {
		t.Fatalf("%d checks of %d files, the first %+v; want one that failed", len(checks), count, checks[0])
	}
	checks = s.check("class.zip", deletionZip(t, deletionClass(5)...), "collection", id, "among", "true")
	if gone := s.delete("/submissions/" + checks[0].Submission); gone.State != desk.Removed || gone.Checks != 5 {
		t.Errorf("deleted %+v, want 5 checks", gone)
	}
	s.gone("texti0q", "texti4q", "namei0q", "namei4q")
	if status, _ := s.try(s.client, "DELETE", "/submissions/"+checks[0].Submission, "", nil); status != http.StatusNotFound {
		t.Errorf("the second deletion: status %d, want 404", status)
	}
}
