package memory_test

import (
	"testing"

	"otisk/store"
	"otisk/store/memory"
	"otisk/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T, settings store.Settings) store.Store {
		return memory.New(settings)
	})
}
