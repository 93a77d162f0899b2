package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/files"
)

// TestClusterGathered watches a folder and harvests a repository into an index in a cluster,
// which must equal an index in a folder.
func TestClusterGathered(t *testing.T) {
	c := sharedCluster(t)
	t.Chdir(t.TempDir())
	t.Setenv(session.DateVariable, "1795262400")
	address, host := repositoryOf(t, 12)
	collection(t, 20, 3)
	gathered := c.URL(0) + "/gathered"
	harvest := func(index string) {
		t.Helper()
		otisk(t, "harvest", "-q", "--delay", "0s", "--allow-host", host, "--state", filepath.Base(index)+".state", "--index", index, address)
	}
	watch := func() {
		t.Helper()
		otisk(t, "watch", "-q", "--once", "--settle", "50ms", "--index", gathered, "sources")
	}
	watch()
	harvest(gathered)
	for i := range 20 {
		name := filepath.Join("sources", fmt.Sprintf("%03d.txt", i))
		switch i % 5 {
		case 0:
			mustDo(t, os.Remove(name))
		case 1:
			mustDo(t, os.Rename(name, filepath.Join("sources", fmt.Sprintf("renamed%d.txt", i))))
		case 2:
			files.Write(t, name, textNumber(i, 5))
		}
	}
	watch()
	watch()
	harvest(gathered)
	otisk(t, "index", "-q", "--index", "built", "sources")
	harvest("built")
	compareStates(t, "gathered into the cluster", state(t, "--index", gathered), state(t, "--index", "built"))
}
