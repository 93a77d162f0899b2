package indexer

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestCommitThatFailsOnce lets one commit after another fail once, and repeats the
// command as its message says. The run ends with the failure, its summary counts as
// lasting no more than the index has, and after the second run nothing is missing.
func TestCommitThatFailsOnce(t *testing.T) {
	texts := map[string]string{"a.jsonl": linesOf(60)}
	for i := range 30 {
		texts[fmt.Sprintf("folder/%02d.txt", i)] = fmt.Sprintf("the text of file %d has words enough for an n-gram, and then some", i)
	}
	dir := files.Folder(t, texts)
	opts := Options{N: 5, Base: dir, Norms: norms(t, normalize.Blank), Workers: 2, CommitBytes: 300, CommitEvery: time.Hour}
	undisturbed := segments(t, t.TempDir())
	defer undisturbed.Close()
	index(t, undisturbed, opts, dir)
	want := wholeOf(t, undisturbed)
	for at := 1; ; at += 3 {
		home := filepath.Join(t.TempDir(), "index")
		s := storetest.FailOnce(segments(t, home), at)
		sum, err := Run(t.Context(), s, []string{dir}, opts)
		if !s.Failed() {
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
			if at < 7 {
				t.Fatalf("only %d commits were tried", at-1)
			}
			return
		}
		if !errors.Is(err, storetest.ErrInjected) || errors.Is(err, store.ErrAborted) {
			t.Errorf("commit %d failed: Run = %v, want the failure itself", at, err)
		}
		if has := len(documents(t, s)); has < sum.Committed-sum.Replaced {
			t.Errorf("commit %d failed: %d documents are called lasting, and %d are there", at, sum.Committed, has)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again := segments(t, home)
		index(t, again, opts, dir)
		if got := wholeOf(t, again); got != want {
			t.Errorf("commit %d failed, and after the next run the index differs:\n%s", at, differing(got, want))
		}
		again.Close()
		if t.Failed() {
			return
		}
	}
}
