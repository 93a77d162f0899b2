package host

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestDistribution: derived distributions have the package manager of their parent.
func TestDistribution(t *testing.T) {
	for file, want := range map[string]string{
		"ID=debian\n": "debian",
		"NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n":      "debian",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":    "fedora",
		"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n": "suse",
		"ID=nixos\n": "",
		"":           "",
	} {
		if got := distribution(strings.NewReader(file)); got != want {
			t.Errorf("distribution(%q) = %q, want %q", file, got, want)
		}
	}
}

// TestInstall: each system has its names of packages, and of languages.
func TestInstall(t *testing.T) {
	for _, tt := range []struct {
		system    string
		program   Program
		languages []string
		want      string
	}{
		{"debian", Tesseract, nil, "apt install tesseract-ocr"},
		{"debian", Tesseract, []string{"ces", "chi_sim"}, "apt install tesseract-ocr tesseract-ocr-ces tesseract-ocr-chi-sim"},
		{"fedora", Tesseract, []string{"chi_sim"}, "dnf install tesseract tesseract-langpack-chi_sim"},
		{"darwin", Tesseract, []string{"ces"}, "brew install tesseract tesseract-lang"},
		{"windows", Office, nil, "winget install TheDocumentFoundation.LibreOffice"},
		{"debian", Browser, []string{"ces"}, "apt install xdg-utils"},
		{"darwin", Browser, nil, ""},
		{"", Office, nil, ""},
	} {
		if got := install(tt.system, tt.program, tt.languages); got != tt.want {
			t.Errorf("install(%q, %d, %q) = %q, want %q", tt.system, tt.program, tt.languages, got, tt.want)
		}
	}
}

// TestFree: a folder that does not exist has the room of the folder above it.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	here, err := Free(dir)
	if errors.Is(err, ErrUnknown) {
		t.Skip(err)
	}
	if err != nil || here <= 0 {
		t.Fatalf("Free(%s) = %d, %v", dir, here, err)
	}
	if there, err := Free(filepath.Join(dir, "not", "yet")); err != nil || there <= 0 {
		t.Errorf("Free of a folder that does not exist = %d, %v", there, err)
	}
}
