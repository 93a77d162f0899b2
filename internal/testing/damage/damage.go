// Package damage damages files, as disks and transfers do, and people who want to.
package damage

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// Of returns a damaged copy of data: some bytes are changed, inserted, or removed, and
// every fourth copy is truncated.
func Of(random *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + random.IntN(8) {
		if len(data) == 0 {
			return []byte{0}
		}
		at := random.IntN(len(data))
		switch random.IntN(5) {
		case 0, 1:
			data[at] = byte(random.Uint32())
		case 2: // a length, or bytes that look like one
			if at+4 <= len(data) {
				binary.LittleEndian.PutUint32(data[at:], 0xFFFFFFFE)
			}
		case 3:
			data = slices.Insert(data, at, bytes.Repeat([]byte{byte(random.Uint32())}, 1+random.IntN(9))...)
		case 4:
			data = slices.Delete(data, at, min(at+1+random.IntN(50), len(data)))
		}
	}
	if len(data) > 0 && random.IntN(4) == 0 {
		data = data[:1+random.IntN(len(data))]
	}
	return data
}
