// Package closing closes what a function has opened, without losing the error.
package closing

import "io"

// Into closes c, and sets err where that fails and nothing did before. It is for defer, in a
// function whose error has a name.
func Into(err *error, c io.Closer) {
	if cerr := c.Close(); *err == nil {
		*err = cerr
	}
}
