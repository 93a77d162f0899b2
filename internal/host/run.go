package host

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"
)

const outputTime = 5 * time.Second

// Run runs a command that was made with ctx. It returns the last line that the program printed, at most 200 bytes of it
// after a colon, "" if it printed nothing; standard output does not count if cmd.Stdout is set. If ctx ended the program,
// the error is the cause of ctx.
func Run(ctx context.Context, cmd *exec.Cmd) (lastLine string, err error) {
	var output bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &output
	}
	cmd.Stderr, cmd.WaitDelay = &output, outputTime
	if err = cmd.Run(); err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	text := strings.TrimSpace(strings.ToValidUTF8(output.String(), "?"))
	if text == "" {
		return "", err
	}
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return ": " + text[:min(len(text), 200)], err
}
