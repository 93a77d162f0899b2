package closing

import (
	"errors"
	"testing"
)

type closer struct{ err error }

func (c closer) Close() error { return c.err }

// TestInto keeps the first error.
func TestInto(t *testing.T) {
	work, end := errors.New("work"), errors.New("end")
	for _, test := range []struct{ before, closed, want error }{{nil, nil, nil}, {nil, end, end}, {work, nil, work}, {work, end, work}} {
		err := test.before
		Into(&err, closer{test.closed})
		if err != test.want {
			t.Errorf("after %v, a Close with %v makes it %v, want %v", test.before, test.closed, err, test.want)
		}
	}
}
