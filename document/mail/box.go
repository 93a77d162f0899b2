package mail

import (
	"bytes"
	"context"

	"github.com/otisk/otisk/document/format"
)

// boxLine starts each message of a mailbox.
var boxLine = []byte("From ")

// LooksBox reports whether data is a mailbox of several messages (mbox).
func LooksBox(data []byte) bool {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	return bytes.HasPrefix(line, boxLine) && Looks(rest)
}

// SplitBox calls give for each message of a mailbox. A message starts with a line that begins
// with "From ", follows an empty line and precedes a header. Lines of the text that begin like
// that are escaped by ">", which is removed.
func SplitBox(ctx context.Context, src *format.Source, give func(name string, part *format.Source) error) error {
	pulse := format.NewPulse(ctx)
	var message []byte
	begun, blank := false, true
	cut := func() error {
		part := *src
		part.Data, message = message, nil
		if !begun {
			return nil
		}
		return give("", &part)
	}
	at := 0
	for line := range bytes.Lines(src.Data) {
		at += len(line)
		if err := pulse.Err(); err != nil {
			return err
		}
		switch {
		case blank && bytes.HasPrefix(line, boxLine) && IsField(src.Data[at:]):
			if err := cut(); err != nil {
				return err
			}
			begun = true
		case bytes.HasPrefix(bytes.TrimLeft(line, ">"), boxLine) && line[0] == '>':
			message = append(message, line[1:]...)
		default:
			message = append(message, line...)
		}
		blank = len(bytes.TrimRight(line, "\r\n")) == 0
	}
	return cut()
}
