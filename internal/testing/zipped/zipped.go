// Package zipped makes zip archives for tests and benchmarks.
package zipped

import (
	"archive/zip"
	"bytes"
)

// small is the size in bytes up to which a member is not compressed: a packer
// for each of them would slow fuzzing down.
const small = 4096

// Of makes an archive of names and contents, which come in turn, in their order.
// It panics for a name that an archive cannot have.
func Of(pairs ...string) []byte {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for i := 0; i < len(pairs); i += 2 {
		method := zip.Store
		if len(pairs[i+1]) > small {
			method = zip.Deflate
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: pairs[i], Method: method})
		if err == nil {
			_, err = f.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}
