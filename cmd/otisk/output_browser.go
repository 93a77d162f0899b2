package main

import (
	"fmt"
	"os/exec"
	"runtime"
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
		return fmt.Errorf("open %s in a browser: %w", path, err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
