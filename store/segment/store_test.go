package segment_test

import (
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T, settings store.Settings) store.Store {
		return create(t, t.TempDir(), settings, segment.Options{})
	})
}

// TestStoreInSmallRuns does the same with so little memory that documents are
// spread over many segments.
func TestStoreInSmallRuns(t *testing.T) {
	storetest.Test(t, func(t *testing.T, settings store.Settings) store.Store {
		return create(t, t.TempDir(), settings, segment.Options{Workers: 2, Memory: 1})
	})
}

func create(t testing.TB, dir string, settings store.Settings, opts segment.Options) *segment.Store {
	t.Helper()
	s, err := segment.Create(dir, settings, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
