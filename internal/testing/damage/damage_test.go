package damage

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestOf(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	whole := bytes.Repeat([]byte("whole "), 50)
	same, shorter := 0, 0
	for range 1000 {
		got := Of(random, whole)
		if bytes.Equal(got, whole) {
			same++
		}
		if len(got) < len(whole) {
			shorter++
		}
	}
	if !bytes.Equal(whole, bytes.Repeat([]byte("whole "), 50)) {
		t.Error("the file itself was changed")
	}
	if same > 10 || shorter < 300 {
		t.Errorf("of 1000 copies %d are whole and %d shorter, want few and many", same, shorter)
	}
	for range 100 {
		Of(random, []byte("a"))
		Of(random, nil)
	}
}
