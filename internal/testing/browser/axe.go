package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/otisk/otisk/internal/testing/need"
)

// The accessibility checker axe-core, as npm publishes it.
const (
	axePackage = "axe-core-4.14.1.tgz"
	axeSum     = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// Violations runs the accessibility checker axe-core over the page, with all rules or those of the given names, and
// returns each violation with up to three elements. It downloads the checker from npm into the user's cache folder if it is
// not there, and skips the test if that fails.
func (p *Page) Violations(rules ...string) (found []string) {
	p.t.Helper()
	script, err := loadAxe()
	if errors.Is(err, errNoAxe) {
		need.Skip(p.t, err.Error())
	}
	// axe-core neither describes passes nor computes selectors, which no test reads.
	options := map[string]any{"resultTypes": []string{"violations"}, "selectors": false}
	if rules != nil {
		options["runOnly"] = rules
	}
	given, failed := json.Marshal(options)
	if err := errors.Join(err, failed); err != nil {
		p.t.Fatal(err)
	}
	if p.Text(`typeof axe`) == "undefined" {
		p.Eval(script+"; 1", nil)
	}
	p.Eval(`axe.run(document, `+string(given)+`).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html).join(" | ")))`, &found)
	return found
}

// errNoAxe marks an error because axe-core is neither in the cache nor available from npm.
var errNoAxe = errors.New("no axe-core to check accessibility with")

// loadAxe returns the script. It is unpacked once in a process.
var loadAxe = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	name := filepath.Join(cache, "otisk-test", axePackage)
	script, err := axeOf(name)
	if errors.Is(err, os.ErrNotExist) {
		if err = fetchAxe(filepath.Dir(name)); err != nil {
			return "", fmt.Errorf("%w: %w", errNoAxe, err)
		}
		script, err = axeOf(name)
	}
	return script, err
})

// fetchAxe downloads the package to a folder, atomically, since tests of other packages
// may run at the same time.
func fetchAxe(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(dir, "part")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	version := strings.TrimSuffix(strings.TrimPrefix(axePackage, "axe-core-"), ".tgz")
	cmd := exec.Command("npm", "pack", "--silent", "axe-core@"+version)
	cmd.Dir = part
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w: %.300s", err, out)
	}
	return os.Rename(filepath.Join(part, axePackage), filepath.Join(dir, axePackage))
}

// axeOf returns the script in the package, if its checksum is right.
func axeOf(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	sum := sha512.Sum512(data)
	if got := base64.StdEncoding.EncodeToString(sum[:]); got != axeSum {
		return "", fmt.Errorf("%s: SHA-512 %s, want %s", name, got, axeSum)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	for files := tar.NewReader(unpacked); ; {
		h, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("%s: axe.min.js: %w", name, err)
		}
		if h.Name == "package/axe.min.js" {
			script, err := io.ReadAll(files)
			return string(script), err
		}
	}
}
