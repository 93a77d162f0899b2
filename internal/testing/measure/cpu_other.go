//go:build !unix

package measure

import "time"

// CPU returns 0: the processor time of this process is not measured here.
func CPU() time.Duration { return 0 }
