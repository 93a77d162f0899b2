package work

import (
	"bufio"
	"os"

	"github.com/otisk/otisk/internal/closing"
)

// bufferBytes is the buffer of a temporary file that is written or read from its start to its end.
const bufferBytes = 1 << 20

// Write makes a temporary file with what write writes.
func (f *Folder) Write(name string, write func(*bufio.Writer) error) (err error) {
	file, err := os.Create(f.Path(name))
	if err != nil {
		return err
	}
	defer closing.Into(&err, file)
	w := bufio.NewWriterSize(file, bufferBytes)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// Read calls read with the content of a temporary file.
func (f *Folder) Read(name string, read func(*bufio.Reader) error) (err error) {
	file, err := os.Open(f.Path(name))
	if err != nil {
		return err
	}
	defer closing.Into(&err, file)
	return read(bufio.NewReaderSize(file, bufferBytes))
}
