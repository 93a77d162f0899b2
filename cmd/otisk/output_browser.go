package main

import (
	"errors"
	"os/exec"
	"runtime"

	"github.com/otisk/otisk/lang"
)

// opener returns the program that opens a file as a user would, and the arguments before the file.
func opener() (name string, args []string) {
	switch runtime.GOOS {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	return "xdg-open", nil
}

func openBrowser(path string) error {
	name, args := opener()
	cmd := exec.Command(name, append(args, path)...)
	err := cmd.Start()
	if errors.Is(err, exec.ErrNotFound) {
		return lang.NewMessage("error.no-opener", "file", path)
	}
	if err != nil {
		return lang.NewMessage("error.browser", "file", path, "cause", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
