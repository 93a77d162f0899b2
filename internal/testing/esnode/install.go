package esnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// ErrMissing means that this machine lacks Java or Maven, or cannot fetch artifacts.
var ErrMissing = errors.New("no server can be started here")

// cacheDir returns the folder that keeps servers between test runs: OTISK_CACHE, or a
// folder in the user's cache.
func cacheDir() (string, error) {
	if dir := os.Getenv("OTISK_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	return filepath.Join(dir, "otisk"), nil
}

// install returns the folder of s, which Maven fetches if it does not exist. Its folder lib
// has the class path, home the modules.
func install(ctx context.Context, s Server) (dir string, err error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, s.String())
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	lock := flock.New(dir + ".lock")
	if err := lock.Lock(); err != nil { // tests of several packages run concurrently
		return "", fmt.Errorf("lock %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := fetch(ctx, s, part); err != nil {
		return "", err
	}
	return dir, os.Rename(part, dir)
}

// fetch copies the artifacts of s into dir by Maven, and moves those that are modules.
func fetch(ctx context.Context, s Server, dir string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("%w: fetch %v: %w", ErrMissing, s, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(s.pom()), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: fetch %v with Maven: %w\n%s", ErrMissing, s, err, out)
	}
	if s.netty {
		return moveModule(s, dir)
	}
	return nil
}

// moveModule moves the network layer from the class path to a module.
func moveModule(s Server, dir string) error {
	module := filepath.Join(dir, "home", "modules", "transport-netty4")
	for _, d := range []string{module, filepath.Join(dir, "home", "plugins"), filepath.Join(dir, "home", "lib")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	for _, pattern := range []string{"netty-*.jar", "transport-netty4-*.jar"} {
		jars, err := filepath.Glob(filepath.Join(dir, "lib", pattern))
		if err != nil {
			return err
		}
		for _, jar := range jars {
			if err := os.Rename(jar, filepath.Join(module, filepath.Base(jar))); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(module, "plugin-descriptor.properties"), []byte(s.descriptor()), 0o644)
}

// findJava returns the program java of the oldest installed JDK of at least that version.
// A runtime without a compiler does not suffice, as java compiles the class that starts a
// node.
func findJava(ctx context.Context, version int) (string, error) {
	best, found := 0, ""
	for _, java := range javas() {
		if v := javaVersion(ctx, java); v >= version && (found == "" || v < best) {
			best, found = v, java
		}
	}
	if found == "" {
		return "", fmt.Errorf("%w: no JDK of version %d or newer in JAVA_HOME, PATH or /usr/lib/jvm", ErrMissing, version)
	}
	return found, nil
}

// javas returns the programs java of all JDKs in the usual places, including those in
// variables such as JAVA_HOME_21_X64, which hosted CI runners set.
func javas() []string {
	var homes []string
	for _, env := range os.Environ() {
		if name, value, _ := strings.Cut(env, "="); strings.HasPrefix(name, "JAVA_HOME") {
			homes = append(homes, value)
		}
	}
	if java, err := exec.LookPath("java"); err == nil {
		if real, err := filepath.EvalSymlinks(java); err == nil {
			homes = append(homes, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, pattern := range []string{"/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home"} {
		dirs, _ := filepath.Glob(pattern) // fails only on an invalid pattern
		homes = append(homes, dirs...)
	}
	var list []string
	for _, home := range homes {
		if real, err := filepath.EvalSymlinks(home); err == nil && exists(filepath.Join(real, "bin", exe("javac"))) {
			list = append(list, filepath.Join(real, "bin", exe("java")))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

var versionPattern = regexp.MustCompile(`version "(\d+)`)

// javaVersion returns the feature version of a program java, or 0.
func javaVersion(ctx context.Context, java string) int {
	out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return 0
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return 0
	}
	v, _ := strconv.Atoi(string(m[1])) // digits, by the pattern
	return v
}
