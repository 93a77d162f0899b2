// Package zipped makes zip archives for tests and benchmarks.
package zipped

import (
	"archive/zip"
	"bytes"
)

// small is the size in bytes up to which a member is stored uncompressed, since a
// compressor for each would slow fuzzing down.
const small = 4096

// Of returns an archive of pairs of a name and a content, in order. It panics if a name is
// invalid.
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
