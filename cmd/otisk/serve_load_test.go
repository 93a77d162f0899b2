package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/measure"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/zipped"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The load: clients, theses of each, and documents of the collection. OTISK_CLIENTS sets the number
// of clients.
const (
	loadClients = 50
	loadTheses  = 20
	loadSources = 200
)

// TestServeLoad signs in many users at once, each of whom uploads theses of 300 KB to 10 MB. All
// theses are checked once, each finds its own source, and server and worker processes have less than
// 1 GB of memory. The test logs how long pages took meanwhile, and the time beside that of otisk search on
// the same files.
func TestServeLoad(t *testing.T) {
	need.Long(t)
	t.Setenv("GOGC", "100") // memory is measured as users have it
	clients := loadClients
	if v, err := strconv.Atoi(os.Getenv("OTISK_CLIENTS")); err == nil {
		clients = v
	}
	s := startServe(t, t.TempDir(), "--workers", "2")
	s.first()
	var sources []string
	for i := range loadSources {
		sources = append(sources, fmt.Sprintf("source%d.txt", i), strings.Join(loadWords(uint64(i), 20_000), " "))
	}
	id := s.collection("Theses", map[string]string{"sources.zip": string(zipped.Of(sources...))})
	memory := watchMemory(s.cmd.Process.Pid)
	users := s.signedIn(clients)
	start, pages := time.Now(), s.watchPages(id)
	var group sync.WaitGroup
	for n, u := range users {
		group.Go(func() {
			for i := range loadTheses {
				name, data := loadThesis(n*loadTheses + i)
				u.upload("/submissions", map[string]string{name: data}, []string{"collection", id}, nil)
			}
		})
	}
	group.Wait()
	uploaded := time.Since(start)
	s.idle()
	t.Logf("%d clients: uploaded in %v, checked in %v", clients, uploaded.Round(time.Second), time.Since(start).Round(time.Second))
	for _, line := range pages() {
		t.Log(line)
	}
	s.sameTheses(clients * loadTheses)
	s.kill()
	most := memory()
	t.Logf("resident memory of server and workers: at most %d MB; CPU %v", most>>20, (s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()).Round(time.Second))
	if most > 1<<30 {
		t.Errorf("server and workers had %d MB of memory, want less than 1 GB", most>>20)
	}
	searchTheses(t, filepath.Join(s.data, storage.Collections, id), clients*loadTheses)
}

// loadWords returns random words, the same for a seed.
func loadWords(seed uint64, n int) []string {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("word%d", rng.IntN(30_000))
	}
	return list
}

// loadThesis returns thesis i: its words are its own, but for 200 of a source. Every tenth is plain text, the
// others are documents with a picture.
func loadThesis(i int) (name, data string) {
	words := loadWords(uint64(10_000+i), loadLength(i))
	copy(words[1000:], loadWords(uint64(i%loadSources), 20_000)[5000:5200])
	size := int(300_000 * math.Pow(33, float64(i*7919%1000)/1000))
	if i%10 == 0 {
		return fmt.Sprintf("thesis%d.txt", i), strings.Join(words, " ")
	}
	var paragraphs strings.Builder
	for p := range slices.Chunk(words, 100) {
		fmt.Fprintf(&paragraphs, "<w:p><w:r><w:t>%s</w:t></w:r></w:p>", strings.Join(p, " "))
	}
	picture := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(i), byte(i >> 8)}).Read(picture) // never fails
	return fmt.Sprintf("thesis%d.docx", i), string(zipped.Of(
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`+paragraphs.String()+`</w:body></w:document>`,
		"word/media/image1.png", string(picture)))
}

// loadLength is the number of words of thesis i, which identifies it. As plain text, it has at least
// 300 KB.
func loadLength(i int) int { return 32_000 + 7*i }

// signedIn creates users, who sign in at the same time.
func (s *testServer) signedIn(n int) []*testServer {
	s.t.Helper()
	users := make([]*testServer, n)
	var group sync.WaitGroup
	for i := range users {
		var invited desk.Invited
		login := fmt.Sprintf("user%d", i)
		s.call("POST", "/users", desk.Invitation{Login: login, Role: accounts.Checker}, http.StatusCreated, &invited)
		jar, err := cookiejar.New(nil)
		if err != nil {
			s.t.Fatal(err)
		}
		users[i] = &testServer{t: s.t, address: s.address, client: &http.Client{Jar: jar}}
		group.Go(func() {
			users[i].call("POST", "/links", api.Accept{Link: invited.Link, Password: testPassword}, http.StatusNoContent, nil)
		})
	}
	group.Wait()
	for _, u := range users {
		group.Go(func() { u.call("DELETE", "/session", nil, http.StatusNoContent, nil) })
	}
	group.Wait()
	for i, u := range users {
		group.Go(func() {
			u.call("POST", "/session", api.SignIn{Login: fmt.Sprintf("user%d", i), Password: testPassword}, http.StatusNoContent, nil)
		})
	}
	group.Wait()
	return users
}

// idle waits until no job is queued or running.
func (s *testServer) idle() {
	s.t.Helper()
	for {
		var h desk.Health
		s.call("GET", "/health", nil, http.StatusOK, &h)
		if h.Jobs[work.Queued]+h.Jobs[work.Running] == 0 {
			return
		}
		time.Sleep(time.Second)
	}
}

// watchPages opens pages, one each 100 ms, until the function that it returns is called. That returns a
// line with the times of each page.
func (s *testServer) watchPages(collection string) func() []string {
	var found api.Checks
	s.call("GET", "/checks?limit=1", nil, http.StatusOK, &found)
	paths := []string{"/check", "/checks", "/checks?sort=-score&q=thesis", "/collections", "/collections/" + collection, "/courses", "/audit"}
	times, stop, ended := map[string][]time.Duration{}, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
			path := paths[i%len(paths)]
			start := time.Now()
			s.open(path)
			times[path] = append(times[path], time.Since(start))
		}
	}()
	return func() (lines []string) {
		close(stop)
		<-ended
		var all []time.Duration
		for _, path := range paths {
			lines = append(lines, percentiles(path, times[path]))
			all = append(all, times[path]...)
		}
		return append(lines, percentiles("all pages", all))
	}
}

// open opens a page.
func (s *testServer) open(path string) {
	resp, err := s.client.Get(s.address + path)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Errorf("%s: %s %v", path, resp.Status, err)
	}
}

// percentiles returns a line with the times of a page.
func percentiles(path string, times []time.Duration) string {
	if len(times) == 0 {
		return path + ": never opened"
	}
	slices.Sort(times)
	at := func(p int) time.Duration { return times[(len(times)-1)*p/100].Round(time.Millisecond) }
	return fmt.Sprintf("%s: %d times, median %v, p95 %v, most %v", path, len(times), at(50), at(95), at(100))
}

// sameTheses expects one check of each thesis, which found 200 words of it in one source.
func (s *testServer) sameTheses(n int) {
	s.t.Helper()
	seen := map[string]bool{}
	for offset := 0; offset < n; offset += 500 {
		var list api.Checks
		s.call("GET", fmt.Sprintf("/checks?limit=500&sort=created&offset=%d", offset), nil, http.StatusOK, &list)
		if list.Total != n {
			s.t.Fatalf("%d checks, want %d", list.Total, n)
		}
		for _, c := range list.Checks {
			var i int
			if _, err := fmt.Sscanf(c.Name, "thesis%d.", &i); err != nil || seen[c.Name] {
				s.t.Errorf("there is a further check of %q", c.Name)
			}
			seen[c.Name] = true
			if words := math.Round(c.Score * float64(c.Words) / 100); c.State != work.Done || c.Words != loadLength(i) || c.Sources != 1 || words != 200 {
				s.t.Errorf("the check of %s is %s %q: %v of %d words in %d sources, want 200 of %d in 1", c.Name, c.State, c.Reason, words, c.Words, c.Sources, loadLength(i))
			}
		}
	}
	if len(seen) != n {
		s.t.Errorf("%d theses were checked, want %d", len(seen), n)
	}
}

// searchTheses logs the cost of otisk search on the same theses.
func searchTheses(t *testing.T, index string, n int) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		name, data := loadThesis(i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cost, err := measure.Run(t.Context(), program(t), "search", "--index", index, "--format", "json", "--output", filepath.Join(t.TempDir(), "out"), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("otisk search on the same theses: %v, CPU %v, %d MB", cost.Wall.Round(time.Second), cost.CPU.Round(time.Second), cost.Resident>>20)
}

// watchMemory samples the resident memory of a process and its children until the function that it
// returns is called, which returns the highest sum. Pages that processes share count for each.
func watchMemory(pid int) func() int64 {
	if runtime.GOOS != "linux" {
		return func() int64 { return 0 }
	}
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		var peak int64
		for {
			select {
			case <-stop:
				most <- peak
				return
			case <-time.After(100 * time.Millisecond):
				peak = max(peak, residentOf(pid))
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-most
	}
}

// residentOf returns the resident memory of a process and its children, in bytes.
func residentOf(pid int) (sum int64) {
	own := strconv.Itoa(pid)
	statuses, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is well-formed
	for _, path := range statuses {
		data, err := os.ReadFile(path)
		if err != nil { // it has ended
			continue
		}
		fields := map[string]string{}
		for line := range bytes.Lines(data) {
			name, value, _ := strings.Cut(string(line), ":")
			fields[name] = strings.TrimSpace(value)
		}
		if fields["Pid"] != own && fields["PPid"] != own {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSuffix(fields["VmRSS"], " kB"), 10, 64)
		if err == nil {
			sum += kilobytes << 10
		}
	}
	return sum
}
