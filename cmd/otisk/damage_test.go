package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/need"
)

// TestDamagedIndex damages the files of an index, 200 times at random, or 600 times with OTISK_TEST_LONG. A search
// then ends with an error that says so, or its report is as if nothing were;
// verify names the file, unless it is where a deleted text was.
func TestDamagedIndex(t *testing.T) {
	t.Setenv(session.DateVariable, "0") // or reports differ by the second
	dir := t.TempDir()
	index, suspect := damageable(t, dir)
	search := []string{"search", "--index", index, "--format", "xml", suspect}
	want, errs, status := outcome(search)
	if status != 0 || !strings.Contains(want, "<passage") {
		t.Fatalf("search of the sound index: status %d, %s%s", status, errs, want)
	}
	damages := need.Seeds(200)
	if need.All() {
		damages = 600
	}
	rng := rand.New(rand.NewPCG(11, 12))
	files, err := filepath.Glob(filepath.Join(index, "*-*"))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range damages {
		path := files[rng.IntN(len(files))]
		what := damage(t, rng, path, func(same bool) {
			if same {
				return
			}
			got, errs, status := outcome(search)
			switch {
			case status != 0 && !strings.Contains(errs, "damaged"):
				t.Errorf("damage %d: status %d, and it does not say damaged: %s", i, status, errs)
			case status == 0 && got != want:
				t.Errorf("damage %d: another report and status 0; it differs at %q", i, difference(got, want))
			case status != 0:
				refused++
			}
			out, errs, status := outcome([]string{"verify", "--index", index})
			dead := strings.HasPrefix(filepath.Base(path), "texts-") // some of it is of documents that were deleted
			if status == 0 && !dead || status != 0 && !strings.Contains(out+errs, filepath.Base(path)) {
				t.Errorf("damage %d: verify says %s%s with status %d", i, out, errs, status)
			}
			if strings.Contains(errs, "otisk verify") {
				t.Errorf("damage %d: verify advises to use verify: %s", i, errs)
			}
		})
		if t.Failed() {
			t.Fatalf("damage %d is %s of %s", i, what, filepath.Base(path))
		}
	}
	if refused < damages/4 {
		t.Errorf("%d of %d damages were met by the search: the test tests little", refused, damages)
	}
	t.Logf("%d of %d damages were met by the search", refused, damages)
}

// TestVerifySoundIndex: verify reports no damage for harmless leftovers, and can be stopped.
func TestVerifySoundIndex(t *testing.T) {
	index, _ := damageable(t, t.TempDir())
	packs, err := filepath.Glob(filepath.Join(index, "texts-*"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(packs[0], os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("more")
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	out, errs, status := outcome([]string{"verify", "--index", index})
	if out != "sound\n" || status != 0 || !strings.HasPrefix(errs, "otisk: note: "+packs[0]+": its last 4 bytes are not part of the index") {
		t.Errorf("verify of an index with 4 bytes more: status %d, %s%s", status, out, errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, e bytes.Buffer
	status = run(ctx, []string{"verify", "--index", index}, strings.NewReader(""), &o, &e)
	if status != statusInterrupted || o.String() != "" || strings.Contains(e.String(), "damaged") {
		t.Errorf("interrupted verify: status %d, %s%s", status, &o, &e)
	}
}

// damageable makes an index of 40 documents by several commits, and a suspect
// that has copied from each.
func damageable(t *testing.T, dir string) (index, suspect string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(13, 14))
	texts, index := filepath.Join(dir, "texts"), filepath.Join(dir, "index")
	if err := os.MkdirAll(texts, 0o777); err != nil {
		t.Fatal(err)
	}
	var copied []string
	for i := range 40 {
		writeText(t, rng, texts, i)
		data, err := os.ReadFile(filepath.Join(texts, fmt.Sprintf("%02d.txt", i)))
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(string(data))
		copied = append(copied, words[40:40+rng.IntN(60)+20]...)
		copied = append(copied, "between", fmt.Sprint("these", i))
		if i%13 == 12 {
			otisk(t, "index", "--index", index, texts)
		}
	}
	otisk(t, "delete", "--index", index, filepath.Join(texts, "03.txt"), filepath.Join(texts, "20.txt"))
	otisk(t, "index", "--index", index, texts)
	suspect = filepath.Join(dir, "suspect.txt")
	if err := os.WriteFile(suspect, []byte(strings.Join(copied, " ")), 0o666); err != nil {
		t.Fatal(err)
	}
	return index, suspect
}

// outcome runs a command line and returns its output and status.
func outcome(args []string) (out, errs string, status int) {
	var o, e bytes.Buffer
	status = run(context.Background(), args, strings.NewReader(""), &o, &e)
	return o.String(), e.String(), status
}

// damage damages the file at path as disks, networks and people do, calls use with whether the
// file is unchanged nevertheless, and mends it. It returns a description of the damage.
func damage(t *testing.T, rng *rand.Rand, path string, use func(same bool)) (what string) {
	t.Helper()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bad, at := bytes.Clone(sound), rng.IntN(len(sound))
	page := at / 512 * 512
	switch rng.IntN(8) {
	default:
		bad[at] ^= 1 << rng.IntN(8)
		what = fmt.Sprintf("a changed bit in byte %d", at)
	case 3:
		bad[at] = byte(rng.Uint32())
		what = fmt.Sprintf("another byte %d", at)
	case 4:
		clear(bad[page:min(page+512, len(bad))])
		what = fmt.Sprintf("a cleared sector at byte %d", page)
	case 5:
		from := rng.IntN(len(sound)) / 512 * 512
		copy(bad[page:], sound[from:min(from+512, len(sound))])
		what = fmt.Sprintf("a sector of byte %d at byte %d", from, page)
	case 6:
		bad = bad[:at]
		what = fmt.Sprintf("a cut at byte %d", at)
	case 7:
		copy(bad[at:], bad[min(at+8, len(bad)):])
		what = fmt.Sprintf("8 bytes left out at byte %d", at)
	}
	write(bad)
	use(bytes.Equal(bad, sound))
	write(sound)
	return what
}
