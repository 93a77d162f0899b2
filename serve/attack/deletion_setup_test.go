package attack

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// deletionBuilt is the folder of the program, "" if no test has built it.
var deletionBuilt string

// deletionProgram builds the program once. OTISK_TEST_PROGRAM names another one, such as that of an
// earlier version.
var deletionProgram = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("OTISK_TEST_PROGRAM"); path != "" {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "otisk-attack-")
	if err != nil {
		return "", err
	}
	deletionBuilt = dir
	path := filepath.Join(dir, "otisk")
	out, err := exec.Command("go", "build", "-o", path, "github.com/otisk/otisk/cmd/otisk").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// TestMain removes the program after the tests.
func TestMain(m *testing.M) {
	status := m.Run()
	if deletionBuilt != "" {
		_ = os.RemoveAll(deletionBuilt)
	}
	os.Exit(status)
}

// A deletionServer is a server in a process of its own, which tests kill and start again.
type deletionServer struct {
	t     *testing.T
	data  string
	flags []string
	env   []string

	mu      *sync.RWMutex // of cmd and address
	cmd     *exec.Cmd
	address string
	link    string
	client  *http.Client
}

const deletionPassword = "correct horse battery"

// clusterVariable is the environment variable with the address of a cluster, such as http://localhost:9200, in
// which servers keep their collections. Tests leave indexes in it.
const clusterVariable = "OTISK_TEST_ES"

// startDeletion starts a server on a new data folder, with an administrator who is signed in. The
// environment chooses the cluster, and the database and the store of files as for package storagetest.
func startDeletion(t *testing.T, data string, flags ...string) *deletionServer {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes")
	}
	s := &deletionServer{t: t, data: data, flags: flags, mu: new(sync.RWMutex), client: deletionClient(t)}
	if address := os.Getenv(storagetest.Variable); address != "" {
		s.flags = append(s.flags, "--database", storagetest.Schema(t, address, data))
	}
	if b := storagetest.Bucket(t, data); b != nil {
		s.flags = append(s.flags, "--bucket", b.Address)
		s.env = []string{"AWS_ACCESS_KEY_ID=" + b.Key, "AWS_SECRET_ACCESS_KEY=" + b.Secret}
	}
	if address := os.Getenv(clusterVariable); address != "" {
		s.flags = append(s.flags, "--cluster", address+"/"+strings.ToLower(rand.Text()))
	}
	s.start()
	t.Cleanup(s.kill)
	s.must("POST", "/first", api.First{Link: s.link, Login: "admin", Name: "Admin", Password: deletionPassword}, nil)
	return s
}

func deletionClient(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
}

func (s *deletionServer) start() {
	s.t.Helper()
	program, err := deletionProgram()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"serve", "--data", s.data, "--listen", "127.0.0.1:0"}, s.flags...)...)
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		s.t.Fatalf("the server printed no address: %v\n%s", err, errs.String())
	}
	_, address, _ := strings.Cut(strings.TrimSpace(line), "http://")
	address, _, _ = strings.Cut("http://"+address, ";")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cmd = cmd
	s.address, s.link, _ = strings.Cut(address, "/link?secret=")
	s.address = strings.TrimSuffix(s.address, "/")
}

// kill ends the process as a power failure does.
func (s *deletionServer) kill() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// try sends a request and returns the status and the answer; 0 if there is none.
func (s *deletionServer) try(client *http.Client, method, path, kind string, body []byte) (status int, data []byte) {
	s.mu.RLock()
	address := s.address
	s.mu.RUnlock()
	req, err := http.NewRequestWithContext(s.t.Context(), method, address+api.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	if data, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil
	}
	return resp.StatusCode, data
}

// remark comments on words of a text by the form of its record, and returns the status; 0 if there is no answer.
func (s *deletionServer) remark(check, quote, text string) (status int) {
	s.mu.RLock()
	address := s.address
	s.mu.RUnlock()
	resp, err := s.client.PostForm(address+"/checks/"+check+"/remarks", url.Values{"quote": {quote}, "text": {text}})
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// must sends a request in JSON that succeeds, and decodes the answer into out, which may be nil.
func (s *deletionServer) must(method, path string, in, out any) {
	s.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	status, data := s.try(s.client, method, path, "application/json", body)
	if status < 200 || status >= 300 {
		s.t.Fatalf("%s %s: status %d, %s", method, path, status, data)
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			s.t.Fatalf("%s %s: %v in %s", method, path, err, data)
		}
	}
}

// deletionForm returns an upload of one file with fields, as pairs of name and value, and its type.
func deletionForm(t *testing.T, name, content string, fields ...string) (kind string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = form.WriteField(fields[i], fields[i+1])
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	_ = form.Close()
	return form.FormDataContentType(), b.Bytes()
}

// upload sends one file, and returns the id in the answer.
func (s *deletionServer) upload(path, name, content string, fields ...string) string {
	s.t.Helper()
	kind, body := deletionForm(s.t, name, content, fields...)
	status, data := s.try(s.client, "POST", path, kind, body)
	if status != http.StatusAccepted {
		s.t.Fatalf("POST %s: status %d, %s", path, status, data)
	}
	var made api.ID
	_ = json.Unmarshal(data, &made)
	return made.ID
}

// collection creates a collection with a document.
func (s *deletionServer) collection() string {
	s.t.Helper()
	var made api.ID
	s.must("POST", "/collections", api.NewCollection{Name: "Theses"}, &made)
	s.upload("/collections/"+made.ID+"/documents", "first.txt", deletionFiller(7))
	s.idle()
	return made.ID
}

// check uploads a file, waits, and returns its checks.
func (s *deletionServer) check(name, content string, fields ...string) []desk.Check {
	s.t.Helper()
	id := s.upload("/submissions", name, content, fields...)
	var answer api.Submission
	s.until("the checks are finished", func() bool {
		s.must("GET", "/submissions/"+id, nil, &answer)
		return answer.Finished
	})
	return answer.Checks
}

func (s *deletionServer) until(what string, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("after two minutes, not true: %s", what)
		}
	}
}

// idle waits until no job runs and nothing is left to remove.
func (s *deletionServer) idle() {
	s.t.Helper()
	var h desk.Health
	least := math.MaxInt
	for end := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		h = desk.Health{}
		s.must("GET", "/health", nil, &h)
		left := int(h.Jobs["queued"]+h.Jobs["running"]) + len(h.Remains)
		if left == 0 {
			return
		}
		if left < least { // a busy machine is slow, not stuck
			least, end = left, time.Now().Add(10*time.Minute)
		}
		if time.Now().After(end) {
			s.t.Fatalf("the server is not idle: jobs %v, still to remove %+v", h.Jobs, h.Remains)
		}
	}
}

// delete deletes a check, and fails unless the answer is true: what is done has left no file with the
// text.
func (s *deletionServer) delete(path string) (gone desk.Deleted) {
	s.t.Helper()
	s.must("DELETE", path, nil, &gone)
	return gone
}

// deletionZip returns a zip archive with members, as pairs of name and content. A name that is not UTF-8
// has no sign of its encoding, as Windows writes it.
func deletionZip(t *testing.T, pairs ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: pairs[i], Method: zip.Deflate, NonUTF8: true})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, pairs[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// deletionFiller returns words that no other seed has.
func deletionFiller(seed int) string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "w%dx%d ", seed, i)
	}
	return b.String()
}

// deletionNumbered adds to found the words of the form texti12q in data, by which tests recognise a text. An index is
// large: a regular expression takes twenty times as long.
func deletionNumbered(data []byte, found map[string]bool) {
	for _, start := range []string{"texti", "textm", "namei", "namem"} {
		for rest := data; ; rest = rest[len(start):] {
			at := bytes.Index(rest, []byte(start))
			if at < 0 {
				break
			}
			rest = rest[at:]
			digits := len(rest) - len(start) - len(bytes.TrimLeft(rest[len(start):], "0123456789"))
			if end := len(start) + digits; digits > 0 && end < len(rest) && rest[end] == 'q' {
				found[string(rest[:end+1])] = true
			}
		}
	}
}

// holding returns which of the words are in which files of the data folder, and in the bucket if there
// is one: as bytes, in members of zip archives, and in compressed parts of an index.
func (s *deletionServer) holding(words ...string) map[string][]string {
	s.t.Helper()
	found, isNumbered := map[string][]string{}, map[string]bool{}
	for _, word := range words {
		deletionNumbered([]byte(word), isNumbered)
	}
	look := func(where string, data []byte) {
		for _, part := range deletionParts(data) {
			numbered := map[string]bool{} // faster than a search for each of thousands
			deletionNumbered(part, numbered)
			for _, word := range words {
				if numbered[word] || !isNumbered[word] && bytes.Contains(part, []byte(word)) {
					found[word] = append(found[word], where)
				}
			}
		}
	}
	err := filepath.WalkDir(s.data, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Type().IsRegular() {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		name, _ := filepath.Rel(s.data, path)
		look(name, data)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	b := storagetest.Bucket(s.t, s.data)
	if b == nil {
		return found
	}
	for _, kind := range []string{storage.Files, storage.Reports} {
		err := b.Each(s.t.Context(), kind+"/", func(key string, _ time.Time) error {
			path := filepath.Join(s.t.TempDir(), "copy")
			if err := b.Get(s.t.Context(), key, path); err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			look(key, data)
			return err
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return found
}

// deletionParts returns data, and the contents that are compressed in it.
func deletionParts(data []byte) (parts [][]byte) {
	parts = append(parts, data)
	if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		for _, f := range z.File {
			parts = append(parts, []byte(f.Name))
			if member, err := fs.ReadFile(z, f.Name); err == nil {
				parts = append(parts, member)
			} else if r, err := f.Open(); err == nil { // a name that package fs does not accept
				member, _ := io.ReadAll(r)
				parts = append(parts, member)
			}
		}
	}
	magic := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	for rest := data; ; {
		at := bytes.Index(rest, magic)
		if at < 0 {
			return parts
		}
		rest = rest[at:]
		if r, err := zstd.NewReader(bytes.NewReader(rest), zstd.WithDecoderConcurrency(1)); err == nil {
			part, _ := io.ReadAll(r) // what follows the frame is an error
			parts = append(parts, part)
			r.Close()
		}
		rest = rest[len(magic):]
	}
}

// gone fails if a word is left in the data folder.
func (s *deletionServer) gone(words ...string) {
	s.t.Helper()
	for word, files := range s.holding(words...) {
		s.t.Errorf("%q is still in %v", word, files)
	}
}

// present fails unless all words are in the data folder: otherwise a search for deleted ones proves nothing.
func (s *deletionServer) present(words ...string) {
	s.t.Helper()
	found := s.holding(words...)
	for _, word := range words {
		if len(found[word]) == 0 {
			s.t.Fatalf("%q is nowhere before its deletion", word)
		}
	}
}

// as returns a client of a new user in a new group.
func (s *deletionServer) as(login, group string) *deletionServer {
	s.t.Helper()
	var made api.ID
	s.must("POST", "/groups", api.Name{Name: group}, &made)
	var invited desk.Invited
	s.must("POST", "/users", desk.Invitation{Login: login, Role: accounts.Librarian, Group: made.ID}, &invited)
	other := *s
	other.client = deletionClient(s.t)
	other.must("POST", "/links", api.Accept{Link: invited.Link, Password: deletionPassword}, nil)
	return &other
}

// backup copies the data folder by the program.
func (s *deletionServer) backup(ctx context.Context, out string) error {
	program, err := deletionProgram()
	if err != nil {
		return err
	}
	args := []string{"serve", "backup", "--data", s.data, out}
	if i := slices.Index(s.flags, "--bucket"); i >= 0 {
		args = append(args, s.flags[i:i+2]...)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), s.env...)
	if message, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, message)
	}
	return nil
}
