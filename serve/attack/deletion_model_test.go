package attack

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// A deletionModel is a server with clients that add and delete texts at random. Text number n has the
// words textm<n>q and namem<n>q, which no other has.
type deletionModel struct {
	*deletionServer
	collection string
	left       atomic.Int64 // operations
	next       atomic.Int64 // number of a text
	counts     sync.Map     // by operation and status
	halted     sync.RWMutex // held while the server is killed

	mu          sync.Mutex
	submissions []string // ids that may have checks
	checks      []string // ids that were not deleted
	documents   []string // names that were not deleted
	sent        []int64  // numbers of texts in acknowledged uploads
}

// TestDeletionModel has 8 clients delete, check, add and back up at random, while the server is killed and
// its disk is full. Afterwards, no word of a deleted text is in the data folder.
func TestDeletionModel(t *testing.T) {
	operations, kills := int64(300), 2
	if need.All() {
		operations, kills = 10_000, 40
	}
	data := deletionDisk(t)
	m := &deletionModel{deletionServer: startDeletion(t, data)}
	m.collection = m.deletionServer.collection()
	m.left.Store(operations)
	var group sync.WaitGroup
	for client := range 8 {
		rng := rand.New(rand.NewPCG(45, uint64(client)))
		group.Go(func() {
			for m.left.Add(-1) >= 0 {
				m.step(rng)
			}
		})
	}
	rng := rand.New(rand.NewPCG(45, 99))
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	m.disturb(rng, operations, kills, done)
	<-done
	m.idle()
	for range 30 { // on a slow machine, few checks had finished before
		m.look(rng)
		m.deleteOne(rng, "delete check", "/checks/", &m.checks)
	}
	m.idle()
	m.verify()
	m.counts.Range(func(what, n any) bool {
		t.Logf("%v: %d", what, n.(*atomic.Int64).Load())
		return true
	})
}

// deletionDisk returns a data folder on a small disk of its own, if the test may mount one.
func deletionDisk(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := deletionMount(dir, 256<<20); err != nil {
		t.Logf("the disk is never full, since none can be mounted: %v", err)
		return dir
	}
	t.Cleanup(func() { deletionUnmount(dir) })
	if err := os.WriteFile(filepath.Join(dir, deletionSmall), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// deletionSmall is the name of a file on a small disk, which fills it.
const deletionSmall = "full"

// disturb kills the server and fills its disk at random moments, until done is closed.
func (m *deletionModel) disturb(rng *rand.Rand, operations int64, kills int, done chan struct{}) {
	ballast := filepath.Join(m.data, deletionSmall)
	_, err := os.Stat(ballast)
	small := err == nil
	for i := range kills {
		at := operations - operations*int64(i+1)/int64(kills+1)
		for m.left.Load() > at {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
		if small && i%2 == 1 {
			m.fill(ballast, time.Duration(200+rng.IntN(400))*time.Millisecond, func() {})
			continue
		}
		again := func() {
			m.halted.Lock()
			m.kill()
			_ = os.Truncate(ballast, 0)
			m.start()
			m.halted.Unlock()
			m.count("kill", 0)
		}
		if small && i%4 == 2 {
			m.fill(ballast, time.Duration(100+rng.IntN(200))*time.Millisecond, again)
		} else {
			time.Sleep(time.Duration(rng.IntN(50)) * time.Millisecond)
			again()
		}
	}
}

// fill fills the disk for a time, and then calls fn.
func (m *deletionModel) fill(ballast string, wait time.Duration, fn func()) {
	f, err := os.OpenFile(ballast, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		m.t.Error(err)
		return
	}
	block := make([]byte, 64<<10)
	for end := time.Now().Add(wait); time.Now().Before(end); { // also what others free
		if _, err := f.Write(block); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
	_ = f.Close()
	m.count("full disk", 0)
	fn()
	_ = os.Truncate(ballast, 0)
}

func (m *deletionModel) count(what string, status int) {
	if status != 0 {
		what = fmt.Sprint(what, " ", status)
	}
	n, _ := m.counts.LoadOrStore(what, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// send sends a request while the server is not being killed by the test itself.
func (m *deletionModel) send(what, method, path, kind string, body []byte) (status int, data []byte) {
	status, data = m.try(m.client, method, path, kind, body)
	m.count(what, status)
	if status == 0 || status >= 500 { // killed, or the disk is full
		m.halted.RLock()
		defer m.halted.RUnlock()
		time.Sleep(20 * time.Millisecond)
	}
	return status, data
}

// pick removes a random element from a list of the model and returns it, "" if there is none.
func (m *deletionModel) pick(rng *rand.Rand, all *[]string) (one string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(*all) == 0 {
		return ""
	}
	i := rng.IntN(len(*all))
	one = (*all)[i]
	*all = slices.Delete(*all, i, i+1)
	return one
}

func (m *deletionModel) put(all *[]string, one ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*all = append(*all, one...)
}

// step does one operation.
func (m *deletionModel) step(rng *rand.Rand) {
	switch n := rng.IntN(1000); {
	case n < 120:
		m.submit(rng)
	case n < 150:
		m.document(rng)
	case n < 300:
		m.look(rng)
	case n < 800:
		m.deleteOne(rng, "delete check", "/checks/", &m.checks)
	case n < 850:
		m.deleteOne(rng, "delete upload", "/submissions/", &m.submissions)
	case n < 900:
		m.deleteDocument(rng)
	case n < 997:
		m.expire(rng)
	default:
		m.copy()
	}
}

// texts returns new texts that share a passage, as pairs of name and content.
func (m *deletionModel) texts(n int) (pairs []string, numbers []int64) {
	shared := deletionFiller(int(m.next.Load()))
	for range n {
		i := m.next.Add(1)
		numbers = append(numbers, i)
		pairs = append(pairs, fmt.Sprintf("namem%dq.txt", i), fmt.Sprintf("textm%dq begins %s and textm%dq ends", i, shared, i))
	}
	return pairs, numbers
}

// Limits of the clients, so that the server has checks and documents to delete while they send requests.
const (
	modelPause   = 100 * time.Millisecond // if there is nothing to delete
	modelPending = 100                    // uploads that may be unfinished
)

func (m *deletionModel) submit(rng *rand.Rand) {
	m.mu.Lock()
	many := len(m.submissions) >= modelPending
	m.mu.Unlock()
	if many {
		m.look(rng)
		return
	}
	pairs, numbers := m.texts(1 + rng.IntN(9))
	kind, body := deletionForm(m.t, fmt.Sprintf("class%d.zip", numbers[0]), deletionZip(m.t, pairs...), "collection", m.collection, "among", "true")
	status, data := m.send("upload", "POST", "/submissions", kind, body)
	var made api.ID
	if status != http.StatusAccepted || json.Unmarshal(data, &made) != nil {
		return
	}
	m.mu.Lock()
	m.sent = append(m.sent, numbers...)
	m.submissions = append(m.submissions, made.ID)
	m.mu.Unlock()
}

func (m *deletionModel) document(rng *rand.Rand) {
	pairs, numbers := m.texts(1)
	kind, body := deletionForm(m.t, pairs[0], pairs[1])
	if status, _ := m.send("add document", "POST", "/collections/"+m.collection+"/documents", kind, body); status == http.StatusAccepted {
		m.mu.Lock()
		m.sent = append(m.sent, numbers...)
		m.mu.Unlock()
		m.put(&m.documents, pairs[0])
	}
}

// look reads an upload, whose finished checks can be deleted then.
func (m *deletionModel) look(rng *rand.Rand) {
	id := m.pick(rng, &m.submissions)
	if id == "" {
		return
	}
	status, data := m.send("look", "GET", "/submissions/"+id, "", nil)
	var answer api.Submission
	if status == http.StatusNotFound {
		return
	}
	if json.Unmarshal(data, &answer) == nil && answer.Finished {
		for _, c := range answer.Checks {
			if _, name, found := strings.Cut(c.Path, "namem"); found && rng.IntN(4) == 0 {
				m.count("comment", m.remark(c.ID, "begins", "textm"+strings.TrimSuffix(name, ".txt")))
			}
			m.put(&m.checks, c.ID)
		}
	}
	m.put(&m.submissions, id)
}

func (m *deletionModel) deleteOne(rng *rand.Rand, what, path string, all *[]string) {
	id := m.pick(rng, all)
	if id == "" {
		m.look(rng)
		time.Sleep(modelPause)
		return
	}
	status, data := m.send(what, "DELETE", path+id, "", nil)
	var gone desk.Deleted
	if status == http.StatusOK && json.Unmarshal(data, &gone) == nil {
		m.count(what+", "+gone.State, 0)
	} else if status != http.StatusNotFound {
		m.put(all, id)
	}
}

func (m *deletionModel) deleteDocument(rng *rand.Rand) {
	name := m.pick(rng, &m.documents)
	if name == "" {
		time.Sleep(modelPause)
		return
	}
	status, _ := m.send("delete document", "DELETE", "/collections/"+m.collection+"/documents?name="+url.QueryEscape(name), "", nil)
	if status != http.StatusAccepted {
		m.put(&m.documents, name)
	}
}

// expire makes the server delete a check by retention.
func (m *deletionModel) expire(rng *rand.Rand) {
	if os.Getenv(storagetest.Variable) != "" {
		m.look(rng)
		return
	}
	id := m.pick(rng, &m.checks)
	if id == "" {
		return
	}
	db, err := sql.Open("sqlite", filepath.Join(m.data, "otisk.db")+"?_pragma=busy_timeout(10000)&_pragma=secure_delete(on)")
	if err != nil {
		m.t.Error(err)
		return
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE checks SET keep = 1, created = created - 100000000, keep_set = 1 WHERE id = ?`, id); err != nil {
		m.put(&m.checks, id)
		return
	}
	m.count("retention", 0)
}

// copy backs the folder up.
func (m *deletionModel) copy() {
	if os.Getenv(storagetest.Variable) != "" {
		return
	}
	ctx, cancel := context.WithTimeout(m.t.Context(), 20*time.Second)
	defer cancel()
	if err := m.backup(ctx, filepath.Join(m.t.TempDir(), "backup")); err != nil {
		m.count("backup that failed", 0)
	} else {
		m.count("backup", 0)
	}
}

// live returns all checks.
func (m *deletionModel) live() (all []desk.Check) {
	m.t.Helper()
	for {
		var page api.Checks
		m.must("GET", fmt.Sprintf("/checks?limit=500&offset=%d", len(all)), nil, &page)
		all = append(all, page.Checks...)
		if len(page.Checks) < 500 {
			return all
		}
	}
}

// verify searches the data folder for all texts that the server no longer has.
func (m *deletionModel) verify() {
	m.t.Helper()
	m.until("retention has deleted all checks that are due", func() bool {
		return !slices.ContainsFunc(m.live(), func(c desk.Check) bool { return c.Keep > 0 })
	})
	m.idle()
	m.until("no temporary files are left", func() bool {
		files, err := os.ReadDir(filepath.Join(m.data, storage.Work))
		return err == nil && len(files) == 0
	})
	live := map[string]bool{}
	for _, c := range m.live() {
		live[c.Path[strings.LastIndex(c.Path, "/")+1:]] = true
	}
	var documents []desk.Document
	m.must("GET", "/collections/"+m.collection+"/documents?limit=500", nil, &documents)
	for _, d := range documents {
		live[d.Name] = true
	}
	var words []string
	stays := ""
	for _, n := range m.sent {
		if name := fmt.Sprintf("namem%dq", n); !live[name+".txt"] {
			words = append(words, name, fmt.Sprintf("textm%dq", n))
		} else {
			stays = name
		}
	}
	m.t.Logf("%d texts were uploaded, %d of them are deleted", len(m.sent), len(words)/2)
	if len(words) == 0 {
		m.t.Error("no text was deleted")
	}
	if stays != "" && os.Getenv(storagetest.Variable) == "" {
		m.present(stays)
	}
	m.gone(words...)
}
