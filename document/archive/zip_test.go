package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/otisk/otisk/document/format"
)

// sharing returns an archive of count members that are one stream of data.
func sharing(t *testing.T, count int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("00000")
	if err == nil {
		_, err = w.Write(bytes.Repeat([]byte("words of a text "), 1000))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	list, end := bytes.Index(data, []byte("PK\x01\x02")), bytes.Index(data, []byte("PK\x05\x06"))
	entry, out := data[list:end], bytes.Clone(data[:list])
	for i := range count {
		copied := bytes.Clone(entry)
		copy(copied[46:], fmt.Sprintf("%05d", i))
		out = append(out, copied...)
	}
	tail := bytes.Clone(data[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(count))
	binary.LittleEndian.PutUint16(tail[10:], uint16(count))
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(out)-list))
	return append(out, tail...)
}

// TestMembersShareData: an archive of which members are one stream is refused, before
// anything is unpacked; with one member it is as any other.
func TestMembersShareData(t *testing.T) {
	if _, err := Open(sharing(t, 1), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(sharing(t, 1000), ""); !errors.Is(err, format.ErrDamaged) {
		t.Errorf("Open = %v, want an error wrapping ErrDamaged", err)
	}
}
