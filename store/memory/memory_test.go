package memory_test

import (
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T, settings store.Settings) store.Store {
		return memory.New(settings)
	})
}
