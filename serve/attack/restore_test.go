package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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

// A restoredText is a text that a client uploads, or deletes. It has the phase in which the upload was answered, and
// those in which the deletion was asked for and answered.
type restoredText struct {
	path                   string // of the upload or the check
	words                  []string
	answered, asked, ended int64
}

// TestRestoreUnderLoad makes a backup while 8 clients upload texts and delete those of an archive, and starts a server
// with it. Texts whose upload was answered before the backup began and that were not deleted before it ended are there, and
// are checked. Of texts that were deleted before it began, no row and no byte is there.
func TestRestoreUnderLoad(t *testing.T) {
	t.Parallel()
	if os.Getenv(storagetest.Variable) != "" || os.Getenv(clusterVariable) != "" {
		t.Skip("PostgreSQL and clusters have backups of their own")
	}
	const clients, rounds = 8, 3
	s := startDeletion(t, t.TempDir())
	collection := s.collection()
	checks := s.check("class.zip", deletionZip(t, deletionClass(clients*rounds)...), "collection", collection, "among", "true")
	if len(checks) != clients*rounds {
		t.Fatalf("%d checks, want %d", len(checks), clients*rounds)
	}
	var phase, done atomic.Int64
	var mu sync.Mutex
	var texts []restoredText
	begun := make(chan struct{})
	step := func(client, round int) {
		n := 100*(1+client) + round
		up := restoredText{words: []string{fmt.Sprintf("namem%dq", n), fmt.Sprintf("textm%dq", n)}, asked: never, ended: never}
		kind, body := deletionForm(t, up.words[0]+".txt", up.words[1]+" "+deletionFiller(client), "collection", collection)
		status, data := s.try(s.client, "POST", "/submissions", kind, body)
		var made api.ID
		if err := json.Unmarshal(data, &made); status != http.StatusAccepted || err != nil {
			t.Errorf("upload: status %d, %s", status, data)
		}
		up.path, up.answered = "/submissions/"+made.ID, phase.Load()
		check := checks[client*rounds+round]
		name := check.Path[strings.LastIndex(check.Path, "/")+1:]
		gone := restoredText{path: "/checks/" + check.ID, words: []string{strings.TrimSuffix(name, ".txt"), strings.TrimSuffix(strings.Replace(name, "name", "text", 1), ".txt")}, asked: never, ended: never}
		if round%2 == 0 {
			gone.asked = phase.Load()
			if status, data := s.try(s.client, "DELETE", gone.path, "", nil); status != http.StatusOK {
				t.Errorf("deletion: status %d, %s", status, data)
			}
			gone.ended = phase.Load()
		}
		mu.Lock()
		texts = append(texts, up, gone)
		mu.Unlock()
		if done.Add(1) == clients*rounds/2 {
			close(begun)
		}
	}
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			for round := range rounds {
				step(client, round)
			}
		})
	}
	<-begun
	phase.Store(duringBackup)
	out := filepath.Join(t.TempDir(), "backup")
	err := s.backup(t.Context(), out)
	phase.Store(afterBackup)
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
	for _, x := range texts {
		status, data := restored.try(restored.client, "GET", x.path, "", nil)
		switch {
		case x.ended == beforeBackup:
			if gone = append(gone, x.words...); status != http.StatusNotFound {
				t.Errorf("%s was deleted before the backup: status %d, %s", x.words[0], status, data)
			}
		case x.answered == beforeBackup && x.asked >= afterBackup:
			present = append(present, x.words...)
			if status != http.StatusOK || !strings.Contains(string(data), `"state":"done"`) {
				t.Errorf("%s was answered before the backup: status %d, %s", x.words[0], status, data)
			}
		}
	}
	t.Logf("%d texts; words that stay: %d; of deleted ones: %d", len(texts), len(present), len(gone))
	if len(gone) == 0 || len(present) == 0 {
		t.Fatal("the backup began before anything was deleted or stayed: it proves nothing")
	}
	restored.present(present...)
	restored.gone(gone...)
}
