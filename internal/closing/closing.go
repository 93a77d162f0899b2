// Package closing closes files in deferred calls without losing the error.
package closing

import "io"

// Into closes c. If that fails and err is nil, it sets err. Defer it in a function
// with a named error result.
func Into(err *error, c io.Closer) {
	if cerr := c.Close(); *err == nil {
		*err = cerr
	}
}
