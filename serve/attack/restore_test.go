package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// Phases of TestRestoreUnderLoad.
const (
	beforeBackup = int64(iota)
	duringBackup
	afterBackup
	never
)

// A restoredUpload is an upload of two texts, with the phases in which it was answered, its deletion was asked for, and
// that was answered.
type restoredUpload struct {
	id                     string
	words                  []string
	answered, asked, ended int64
}

// TestRestoreUnderLoad makes a backup while 8 clients upload and delete, and starts a server with it. What was answered
// before the backup began and not deleted before it ended is there, and is checked. What was deleted before it began
// is not: no row, and no byte.
func TestRestoreUnderLoad(t *testing.T) {
	t.Parallel()
	if os.Getenv(storagetest.Variable) != "" {
		t.Skip("PostgreSQL has backups of its own")
	}
	const clients, rounds = 8, 4
	s := startDeletion(t, t.TempDir())
	collection := s.collection()
	var phase, sent atomic.Int64
	var mu sync.Mutex
	var uploads []*restoredUpload
	begun, copied := make(chan struct{}), make(chan struct{})
	work := func(client, round int) {
		u := &restoredUpload{asked: never, ended: never}
		var pairs []string
		for i := range 2 {
			n := 1000*(1+client) + 10*round + i
			u.words = append(u.words, fmt.Sprintf("namem%dq", n), fmt.Sprintf("textm%dq", n))
			pairs = append(pairs, fmt.Sprintf("namem%dq.txt", n), fmt.Sprintf("textm%dq %s", n, deletionFiller(client)))
		}
		kind, body := deletionForm(t, "class.zip", deletionZip(t, pairs...), "collection", collection, "among", "true")
		status, data := s.try(s.client, "POST", "/submissions", kind, body)
		var made api.ID
		if err := json.Unmarshal(data, &made); status != http.StatusAccepted || err != nil {
			t.Errorf("upload: status %d, %s", status, data)
			return
		}
		u.id, u.answered = made.ID, phase.Load()
		mu.Lock()
		uploads = append(uploads, u)
		mu.Unlock()
		if (client+round)%2 == 0 {
			u.asked = phase.Load()
			if status, data := s.try(s.client, "DELETE", "/submissions/"+u.id, "", nil); status != http.StatusOK {
				t.Errorf("deletion: status %d, %s", status, data)
				return
			}
			u.ended = phase.Load()
		}
		if sent.Add(1) == clients*rounds/2 {
			close(begun)
		}
	}
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			for round := range rounds {
				work(client, round)
			}
			for round := rounds; ; round++ { // until the backup is made, but no more than ten
				select {
				case <-copied:
					return
				default:
				}
				if round == 10 {
					return
				}
				work(client, round)
			}
		})
	}
	<-begun
	phase.Store(duringBackup)
	out := filepath.Join(t.TempDir(), "backup")
	err := s.backup(t.Context(), out)
	phase.Store(afterBackup)
	close(copied)
	group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	s.kill()

	restored := *s
	restored.data, restored.flags, restored.client, restored.mu = out, nil, deletionClient(t), new(sync.RWMutex)
	restored.start()
	t.Cleanup(restored.kill)
	restored.must("POST", "/session", api.SignIn{Login: "admin", Password: deletionPassword}, nil)
	restored.idle()
	var gone, present []string
	for _, u := range uploads {
		status, data := restored.try(restored.client, "GET", "/submissions/"+u.id, "", nil)
		switch {
		case u.ended == beforeBackup:
			if gone = append(gone, u.words...); status != http.StatusNotFound {
				t.Errorf("upload %s was deleted before the backup: status %d, %s", u.words[0], status, data)
			}
		case u.answered == beforeBackup && u.asked >= afterBackup:
			present = append(present, u.words...)
			var answer api.Submission
			if err := json.Unmarshal(data, &answer); status != http.StatusOK || err != nil || !answer.Finished || len(answer.Checks) != 2 {
				t.Errorf("upload %s was answered before the backup: status %d, %s", u.words[0], status, data)
			}
		}
	}
	t.Logf("%d uploads, %d words of deleted ones, %d of those that stay", len(uploads), len(gone), len(present))
	if len(gone) == 0 || len(present) == 0 {
		t.Fatal("the backup began before anything was deleted or stayed: it proves nothing")
	}
	restored.present(present...)
	restored.gone(gone...)
}
