package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/bucket/buckettest"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// ciServer starts a server with a collection, and returns it with the file of a token and a folder with an index of the
// same text and texts to check.
func ciServer(t *testing.T) (s *testServer, token, dir string) {
	t.Helper()
	for _, name := range []string{"bash", "sh"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Skip(t, "no "+name+" to run the scripts of continuous integration with")
		}
	}
	s = startServe(t, t.TempDir())
	s.first()
	s.collection("Theses", map[string]string{"source.txt": foxes})
	var made api.CreatedToken
	s.call("POST", "/tokens", api.NewToken{Name: "ci", Scopes: []accounts.Scope{accounts.ScopeCheck, accounts.ScopeRead}}, http.StatusCreated, &made)
	dir = t.TempDir()
	files.Write(t, filepath.Join(dir, "token"), made.Secret+"\n")
	files.Write(t, filepath.Join(dir, "source.txt"), foxes)
	files.Write(t, filepath.Join(dir, "thesis", "part one.tex"), foxes)
	files.Write(t, filepath.Join(dir, "thesis", "deep", "part2.tex"), textNumber(99, 0))
	otisk(t, "index", "--index", filepath.Join(dir, "idx"), filepath.Join(dir, "source.txt"))
	return s, filepath.Join(dir, "token"), dir
}

// script runs a script of a shell in a folder, and returns its exit status and output.
func script(t *testing.T, dir string, env []string, name string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// composeFlags returns the flags of the servers of the compose file, by name.
func composeFlags(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.ReadFile("../../packaging/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]string{}
	for _, flag := range regexp.MustCompile(`(?m)^    - --([\w-]+)=(.*)`).FindAllStringSubmatch(string(file), -1) {
		flags[flag[1]] = flag[2]
	}
	if len(flags) < 7 {
		t.Fatalf("flags %q, want at least 7", flags)
	}
	return flags
}

// TestCompose: the flags of the compose file are flags of otisk serve.
func TestCompose(t *testing.T) {
	t.Parallel()
	serve := newServeCommand(&globalOptions{})
	for name := range composeFlags(t) {
		if serve.Flags().Lookup(name) == nil {
			t.Errorf("compose.yaml has --%s, which otisk serve has not", name)
		}
	}
}

// TestComposeServers starts the two servers of the compose file with its flags, each with an empty folder, and a
// database, a cluster and a bucket in common. A user signs in at one, works at the other, and reads a report at the first
// one after the other was killed and has lost its folder.
func TestComposeServers(t *testing.T) {
	storagetest.NeedPostgres(t)
	c := sharedCluster(t)
	flags := composeFlags(t)
	store := buckettest.Start(t)
	t.Setenv(storagetest.BucketVariable, "")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for name, value := range map[string]string{
		"database": storagetest.Schema(t, os.Getenv(storagetest.Variable), t.TempDir()), "cluster": c.URL(0) + "/" + filepath.Base(flags["cluster"]), "bucket": store.Address(),
		"listen": "127.0.0.1:0", "data": "", "base-url": "",
	} {
		if flags[name] == "" {
			t.Fatalf("compose.yaml has no --%s", name)
		}
		if flags[name] = value; value == "" {
			delete(flags, name)
		}
	}
	var args []string
	for name, value := range flags {
		args = append(args, "--"+name+"="+value)
	}
	one := startServe(t, t.TempDir(), args...)
	one.first()
	two := startServe(t, t.TempDir(), args...)
	two.call("POST", "/session", api.SignIn{Login: "admin", Password: testPassword}, http.StatusNoContent, nil)
	collection := two.collection("Theses", map[string]string{"source.txt": foxes})
	checked := two.check(map[string]string{"essay.txt": foxes}, "collection", collection)[0]
	two.kill()
	if err := os.RemoveAll(two.data); err != nil {
		t.Fatal(err)
	}
	var r struct{ Score struct{ Percent float64 } }
	one.call("GET", "/checks/"+checked.ID+"/report?format=json", nil, http.StatusOK, &r)
	if r.Score.Percent != 100 {
		t.Errorf("the report at the other server has %v %%, want 100", r.Score.Percent)
	}
	two = startServe(t, t.TempDir(), args...)
	two.call("POST", "/session", api.SignIn{Login: "admin", Password: testPassword}, http.StatusNoContent, nil)
	if again := two.check(map[string]string{"essay.txt": foxes}, "collection", collection)[0]; again.Score != 100 {
		t.Errorf("a server with a new folder checks with %v %%, want 100", again.Score)
	}
}

// TestAction runs the script of action.yml as GitHub does: with inputs as variables, and -e and -o pipefail.
func TestAction(t *testing.T) {
	t.Parallel()
	s, token, dir := ciServer(t)
	action, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, step, _ := strings.Cut(string(action), "- name: Check the texts\n")
	environment, run, ok := strings.Cut(step, "run: |\n")
	variables := regexp.MustCompile(`(\w+): \$\{\{ (inputs|runner)\.([\w-]+) \}\}(.*)`).FindAllStringSubmatch(environment, -1)
	if !ok || len(variables) != 8 {
		t.Fatalf("action.yml has no script with 8 variables: %q", variables)
	}
	secret, err := os.ReadFile(token)
	if err != nil {
		t.Fatal(err)
	}
	temp := onlyOtisk(t)
	for _, tt := range []struct {
		inputs map[string]string
		status int
		report string
	}{
		{map[string]string{"paths": "thesis/**/*.tex", "index": "idx", "reports": "a"}, 0, "a/part one.tex.out.sarif"},
		{map[string]string{"paths": "thesis/**/*.tex\n", "index": "idx", "reports": "b", "fail-over": "20"}, statusOver, "b/part one.tex.out.junit.xml"},
		{map[string]string{"paths": "thesis/part one.tex\nthesis/deep/*", "server": s.address, "token": strings.TrimSpace(string(secret)), "reports": "c", "fail-over": "20"}, statusOver, "c/part2.tex.out.html"},
		{map[string]string{"paths": "thesis/deep/*.tex", "server": s.address, "token": strings.TrimSpace(string(secret)), "collection": "Theses", "reports": "d", "fail-over": "20"}, 0, "d/part2.tex.out.json"},
		{map[string]string{"paths": "*.md", "index": "idx", "reports": "e"}, statusUsage, ""},
		{map[string]string{"paths": "thesis/part one.tex", "server": s.address, "token": "guess", "reports": "f"}, statusServer, ""},
		{map[string]string{"paths": "$(touch broken)\n`touch broken`", "index": "idx", "reports": "g"}, statusFailed, ""},
	} {
		var env []string
		for _, v := range variables {
			value := tt.inputs[v[3]]
			if v[2] == "runner" {
				value = temp + v[4]
			}
			env = append(env, v[1]+"="+value)
		}
		status, out := script(t, dir, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run)
		if status != tt.status {
			t.Errorf("inputs %q: status %d, want %d\n%s", tt.inputs, status, tt.status, out)
		}
		if _, err := os.Stat(filepath.Join(dir, tt.report)); err != nil {
			t.Errorf("inputs %q: %v\n%s", tt.inputs, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "broken")); err == nil {
		t.Error("a path is executed")
	}
}

// TestPreCommit runs the entries of .pre-commit-hooks.yaml as pre-commit does: with the arguments and files after them.
func TestPreCommit(t *testing.T) {
	t.Parallel()
	s, token, dir := ciServer(t)
	hooks, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bin := onlyOtisk(t)
	args := map[string][]string{"otisk": {"--index", "idx"}, "otisk-server": {"--server", s.address, "--token-file", token}}
	entries := regexp.MustCompile(`(?m)^- id: (\S+)(?:\n  .*)*?\n  entry: (.*)\n`).FindAllStringSubmatch(string(hooks), -1)
	if len(entries) != len(args) {
		t.Fatalf("%d hooks, want %d", len(entries), len(args))
	}
	for _, hook := range entries {
		for name, want := range map[string]int{"thesis/part one.tex": statusOver, "thesis/deep/part2.tex": 0} {
			temp := t.TempDir()
			command := append([]string{"-c", hook[2] + ` "$@"`, "sh"}, append(args[hook[1]], "--fail-over", "20", name, "thesis/deep/part2.tex")...)
			status, out := script(t, dir, []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + temp}, "sh", command...)
			if status != want {
				t.Errorf("%s on %s: status %d, want %d\n%s", hook[1], name, status, want, out)
			}
			if _, err := os.Stat(filepath.Join(temp, "otisk-reports", filepath.Base(name)+".out.html")); err != nil {
				t.Errorf("%s: %v\n%s", hook[1], err, out)
			}
		}
	}
}
