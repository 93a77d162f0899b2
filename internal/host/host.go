// Package host reports the resources of the machine that Otisk can use: room on disks, commands
// that install programs, and the output of other programs.
package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ErrUnknown reports that the system has no known way to answer.
var ErrUnknown = errors.New("unknown on this system")

// Free returns the bytes that the current user may write to the disk of path. If path does not
// exist, the nearest folder above it counts.
func Free(path string) (int64, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, err
	}
	for {
		free, err := free(path)
		if !errors.Is(err, os.ErrNotExist) || path == filepath.Dir(path) {
			return free, err
		}
		path = filepath.Dir(path)
	}
}

// A Program is a program that Otisk can use.
type Program int

// The programs that Otisk can use.
const (
	Browser   Program = iota // opens files in the browser
	Tesseract                // recognizes text in pictures
	Office                   // LibreOffice
)

// An installer is the command of a package manager, and the packages of each program. LANG in the
// name of a package is replaced by a language of Tesseract.
type installer struct {
	command  string
	packages [3]string // by Program
	language string    // package of a language of Tesseract, "" if its name is unknown or not needed
}

// installers are the package managers by the ID of a Linux distribution, or by runtime.GOOS.
// Languages follow the codes of Tesseract, such as ces and chi_sim; on openSUSE their packages have
// English names.
var installers = map[string]installer{
	"debian":  {"apt install", [3]string{"xdg-utils", "tesseract-ocr", "libreoffice-nogui"}, "tesseract-ocr-LANG"},
	"fedora":  {"dnf install", [3]string{"xdg-utils", "tesseract", "libreoffice-writer libreoffice-impress"}, "tesseract-langpack-LANG"},
	"arch":    {"pacman -S", [3]string{"xdg-utils", "tesseract", "libreoffice-fresh"}, "tesseract-data-LANG"},
	"alpine":  {"apk add", [3]string{"xdg-utils", "tesseract-ocr", "libreoffice"}, "tesseract-ocr-data-LANG"},
	"suse":    {"zypper install", [3]string{"xdg-utils", "tesseract-ocr", "libreoffice-writer libreoffice-impress"}, ""},
	"darwin":  {"brew install", [3]string{"", "tesseract tesseract-lang", "--cask libreoffice"}, ""},
	"windows": {"winget install", [3]string{"", "UB-Mannheim.TesseractOCR", "TheDocumentFoundation.LibreOffice"}, ""},
}

// Install returns the command that installs p and, for Tesseract, the given languages. It is empty
// if the package manager of this system is unknown.
func Install(p Program, languages ...string) string { return install(system(), p, languages) }

func install(system string, p Program, languages []string) string {
	m, ok := installers[system]
	if !ok || m.packages[p] == "" {
		return ""
	}
	parts := []string{m.command, m.packages[p]}
	for _, l := range languages {
		if p == Tesseract && m.language != "" {
			name := strings.ReplaceAll(m.language, "LANG", l)
			if system == "debian" {
				name = strings.ReplaceAll(name, "_", "-")
			}
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " ")
}

// system returns the key of this system in installers, "" if it has none.
func system() string {
	if runtime.GOOS != "linux" {
		return runtime.GOOS
	}
	f, err := os.Open("/etc/os-release")
	if err != nil {
		return ""
	}
	defer f.Close()
	return distribution(f)
}

// distribution returns the key in installers of the distribution that an os-release file
// describes: its ID, else the first known one of ID_LIKE. See os-release(5).
func distribution(file io.Reader) string {
	values := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok {
			values[key] = strings.Trim(value, `"'`)
		}
	}
	for _, id := range append([]string{values["ID"]}, strings.Fields(values["ID_LIKE"])...) {
		if _, ok := installers[id]; ok {
			return id
		}
	}
	return ""
}

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
