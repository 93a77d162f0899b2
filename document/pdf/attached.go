package pdf

import "fmt"

// An Attached file is a file that a PDF contains.
type Attached struct {
	Name string
	Data []byte
}

// Limits for attached files.
const (
	maxAttached     = 1000
	maxAttachedName = 1 << 12 // bytes
)

// attached reads the attached files within limit bytes and counts the others.
func (r *reader) attached(limit int64) (list []Attached, omitted int) {
	m := r.engine
	count := max(m.int(fnAttachedCount, uint64(r.doc)), 0)
	for i := range min(count, maxAttached) {
		file := m.handle(fnAttached, uint64(r.doc), uint64(i))
		if file == 0 || !m.ok(fnAttachedData, uint64(file), 0, 0, m.out(4, 0)) {
			omitted++
			continue
		}
		size := int(m.u32(0))
		if limit -= int64(size); limit < 0 {
			omitted++
			continue
		}
		buf := m.malloc(max(size, 1))
		if buf == 0 || size > 0 && !m.ok(fnAttachedData, uint64(file), uint64(buf), uint64(size), m.out(4, 0)) {
			omitted++
			continue
		}
		data := append([]byte(nil), m.bytes(buf, size)...)
		m.free(buf)
		name := m.text16(maxAttachedName, fnAttachedName, uint64(file))
		if name == "" {
			name = fmt.Sprintf("attachment %d", i+1)
		}
		list = append(list, Attached{name, data})
	}
	return list, omitted + max(count-maxAttached, 0)
}
