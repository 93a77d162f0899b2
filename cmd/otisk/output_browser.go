package main

import (
	"os/exec"
	"runtime"

	"github.com/otisk/otisk/lang"
)

// openBrowser opens a file in the default program of the system.
func openBrowser(path string) error {
	name, args := "xdg-open", []string{path}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", path}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return lang.Say("error.browser", "file", path, "cause", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
