package esnode

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A starter starts nodes of an installed server with one version of Java. It is made once and kept
// in the folder of the server.
type starter struct {
	jar     string // compiled class that starts a node
	archive string // class data of Java, with which a start takes less than half the CPU time
}

// newStarter returns the starter for a server in the folder home, and makes it if there is none.
func newStarter(ctx context.Context, s Server, java, home string) (st starter, err error) {
	source, err := sources.ReadFile("java/" + s.source + ".java")
	if err != nil {
		return st, err
	}
	sum := sha256.Sum256(fmt.Appendf(source, "%s %d", java, javaVersion(ctx, java)))
	base := filepath.Join(home, fmt.Sprintf("start-%x", sum[:6]))
	st = starter{jar: base + ".jar", archive: base + ".jsa"}
	lock := flock.New(base + ".lock")
	if err := lock.Lock(); err != nil { // tests of several packages run concurrently
		return st, fmt.Errorf("lock %s: %w", base, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if _, err := os.Stat(st.jar); err == nil {
		return st, nil
	}
	dir, err := os.MkdirTemp("", "otisk-start-")
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	part := starter{jar: st.jar + ".part.jar", archive: filepath.Join(dir, "part.jsa")}
	if err := compile(ctx, s, java, home, dir, part.jar); err != nil {
		return st, err
	}
	if err := os.Rename(part.jar, st.jar); err != nil {
		return st, err
	}
	part.jar = st.jar
	if part.train(ctx, s, java, home) == nil {
		_ = copyFile(part.archive, st.archive) // without the archive, nodes start more slowly
	}
	return st, nil
}

// option returns the option of Java for the archive. If there is no archive, it selects the one that
// comes with Java, which is the default.
func (st starter) option() string {
	if _, err := os.Stat(st.archive); err != nil {
		return "-Xshare:auto"
	}
	return "-XX:SharedArchiveFile=" + st.archive
}

// compile compiles the class that starts a node of s into a jar file.
func compile(ctx context.Context, s Server, java, home, dir, jar string) error {
	file := filepath.Join(dir, s.source+".java")
	source, err := sources.ReadFile("java/" + s.source + ".java")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return err
	}
	classes := filepath.Join(dir, "classes")
	javac := filepath.Join(filepath.Dir(java), "javac")
	if out, err := exec.CommandContext(ctx, javac, "-nowarn", "-d", classes, "-cp", filepath.Join(home, "lib", "*"), file).CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s: %w\n%s", s.source, err, out)
	}
	f, err := os.Create(jar)
	if err != nil {
		return err
	}
	w := zip.NewWriter(f)
	err = w.AddFS(os.DirFS(classes))
	return errors.Join(err, w.Close(), f.Close())
}

// endTime is the limit of time for a node to write its archive and end.
const endTime = 2 * time.Minute

// train starts a node, writes and searches a document, and lets the node write the archive of the
// classes that it has loaded.
func (st starter) train(ctx context.Context, s Server, java, home string) error {
	dir, err := tempDir(s, Options{})
	if err != nil {
		return err
	}
	c := &Cluster{Server: s, dir: dir, home: home}
	defer c.Close()
	if err := c.prepare(java, Options{Nodes: 1, Heap: "512m"}, st.jar, "-XX:ArchiveClassesAtExit="+st.archive); err != nil {
		return err
	}
	if err := c.startAll(ctx); err != nil {
		return err
	}
	if _, err := Call("PUT", c.URL(0)+"/index/_doc/1?refresh=true", `{"a": 1, "b": "text"}`); err != nil {
		return err
	}
	if _, err := Call("GET", c.URL(0)+"/index/_search?q=b:text", ""); err != nil {
		return err
	}
	n := c.nodes[0]
	if err := n.stdin.Close(); err != nil {
		return err
	}
	select {
	case <-n.done:
	case <-time.After(endTime):
		return errors.New("the node did not end")
	}
	_, err = os.Stat(st.archive)
	return err
}

// copyFile copies a file. The copy appears under its name when it is complete.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to + ".part")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(to+".part", to)
}
