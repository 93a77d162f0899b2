package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/lang"
)

// TestDoctorMissing: missing programs are listed with their purpose and how to install them, and
// are no failure.
func TestDoctorMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", t.TempDir())
	files.Write(t, "config.xml", "<config><ocr>ces+chi_sim</ocr></config>")
	status, out, errs := typed(t, "doctor")
	if status != 0 || errs != "" {
		t.Errorf("status %d, %q", status, errs)
	}
	for _, want := range []string{"(--open)", "(--ocr)", "(--pages)"} {
		if !strings.Contains(out, want+"\n  ") {
			t.Errorf("no line for a program used by %s, with a way to get it below:\n%s", want, out)
		}
	}
	if strings.Contains(out, "apt install tesseract") && !strings.Contains(out, "tesseract-ocr-ces tesseract-ocr-chi-sim\n") {
		t.Errorf("the line to install Tesseract lacks the languages of the settings:\n%s", out)
	}
}

// TestDoctorCertificate: a certificate that has expired is a failure, and one that soon will is low.
func TestDoctorCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for left, state := range map[time.Duration]string{-time.Hour: "doctor.failed", 24 * time.Hour: "doctor.low", 90 * 24 * time.Hour: "doctor.ok"} {
		template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(left)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "cert.pem")
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		d := &doctor{p: lang.Of("en")}
		if d.certificate(file); len(d.found) != 1 || d.found[0].state != state {
			t.Errorf("%v left: %+v, want %s", left, d.found, state)
		}
	}
}
