package mail

import (
	"bytes"
	"context"

	"github.com/otisk/otisk/document/format"
)

// boxLine starts each message of a box.
var boxLine = []byte("From ")

// LooksBox reports whether data is a box of messages.
func LooksBox(data []byte) bool {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	return bytes.HasPrefix(line, boxLine) && Looks(rest)
}

// SplitBox gives the messages of a box. Each starts with a line after an empty one,
// whose first word is From; a line of the text that has it, too, has a sign before it,
// which is taken out.
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
	for line := range bytes.Lines(src.Data) {
		if err := pulse.Err(); err != nil {
			return err
		}
		switch {
		case blank && bytes.HasPrefix(line, boxLine):
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
