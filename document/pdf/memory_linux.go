package pdf

import "golang.org/x/sys/unix"

// hugePage is the size of the pages that Linux has beside those of 4 KB.
const hugePage = 2 << 20

// useHugePages makes the system back a large buffer with huge pages where it can: 12 MB of code in small
// pages take 3,000 page faults. A buffer that is not a mapping of its own is left as it is.
func useHugePages(buf []byte) {
	if len(buf) >= hugePage {
		_ = unix.Madvise(buf, unix.MADV_HUGEPAGE)
	}
}
