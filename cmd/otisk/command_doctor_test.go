package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
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

// TestDoctorCondition: what stops an index in a cluster is a finding with what to do, and what could not be read is said.
func TestDoctorCondition(t *testing.T) {
	d := &doctor{p: lang.Of("en")}
	d.condition(&esclient.Condition{
		Server: "Elasticsearch 9.5.0", Health: "green", Templates: "all-logs", Blocks: []string{"theses-documents: index.blocks.write"},
		Disks:   []esclient.Disk{{Node: "a", Percent: 40, Low: 85, Marks: "85%, 90%, 95%"}, {Node: "b", Percent: 85, Low: 85, Marks: "85%, 90%, 95%"}},
		Missing: []string{"manage"}, Unknown: []error{errors.New("read disks: refused")},
	})
	var got []string
	for _, f := range d.found {
		got = append(got, d.p.Text(f.state)+" "+f.subject+": "+f.detail)
	}
	want := []string{
		"ok server of the cluster: Elasticsearch 9.5.0, green", "warning index templates: all-logs apply to new indices",
		"warning writing: stopped by theses-documents: index.blocks.write", "ok disk of the node a: 40 % used; watermarks 85%, 90%, 95%",
		"low disk of the node b: 85 % used; watermarks 85%, 90%, 95%", "missing privileges to write: manage",
		"warning server of the cluster: not checked: read disks: refused",
	}
	if !slices.Equal(got, want) {
		t.Errorf("findings are\n%q, want\n%q", got, want)
	}
}
