package walk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree makes empty files below a new canonical folder, and returns the folder.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	top, err := Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		f = filepath.Join(top, f)
		if err := errors.Join(os.MkdirAll(filepath.Dir(f), 0o777), os.WriteFile(f, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Skip(err)
	}
}

func TestFilesOrderHiddenAndExcluded(t *testing.T) {
	top := tree(t, "b.txt", "a/2.txt", "a/1.txt", ".hidden", "a/.git/config", "index/manifest")
	var got []string
	err := Files(t.Context(), []string{top}, []string{filepath.Join(top, "index")}, func(path string) {
		rel, _ := Within(top, path)
		got = append(got, rel)
	}, func(path string, err error) { t.Errorf("%s: %v", path, err) })
	if want := []string{"a/1.txt", "a/2.txt", "b.txt"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Files found %q (error %v), want %q", got, err, want)
	}
}

// TestLinks: a link is followed, a link to a folder above itself and a broken link are
// reported.
func TestLinks(t *testing.T) {
	outside := tree(t, "far.txt")
	top := tree(t, "near.txt")
	link(t, outside, filepath.Join(top, "link"))
	link(t, top, filepath.Join(top, "loop"))
	link(t, filepath.Join(top, "nothing"), filepath.Join(top, "broken"))
	var found, failed []string
	w := Walker{
		File: func(f File) { found = append(found, f.Canonical, f.Reached(), f.Root) },
		Fail: func(path string, err error) { failed = append(failed, filepath.Base(path)) },
	}
	if err := w.Walk(t.Context(), top); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(outside, "far.txt"), filepath.Join(top, "link/far.txt"), top, filepath.Join(top, "near.txt"), filepath.Join(top, "near.txt"), top}
	if !slices.Equal(found, want) {
		t.Errorf("Walk found %q, want %q", found, want)
	}
	if want := []string{"broken", "loop"}; !slices.Equal(failed, want) {
		t.Errorf("Walk reports %q, want %q", failed, want)
	}
	failed = nil
	if err := w.At(t.Context(), top, filepath.Join(top, "loop")); err != nil || !slices.Equal(failed, []string{"loop"}) {
		t.Errorf("At a link to its own folder reports %q (error %v), want the link", failed, err)
	}
}

func TestIsGone(t *testing.T) {
	top := tree(t, "file", "folder/file")
	link(t, filepath.Join(top, "disk"), filepath.Join(top, "mounted"))
	for path, want := range map[string]bool{"file": false, "nothing": true, "folder": true, "file/below": true, "mounted/file": false} {
		if got := IsGone(filepath.Join(top, path)); got != want {
			t.Errorf("IsGone(%s) = %v, want %v", path, got, want)
		}
	}
}

// TestWhole visits folders as files or by their files. A folder of which this is unknown fails, and none of its
// files is visited.
func TestWhole(t *testing.T) {
	top := tree(t, "one/1.txt", "parts/2.txt", "unknown/3.txt")
	unknown := errors.New("unknown")
	var found, failed []string
	w := Walker{
		Whole: func(path string) (bool, error) {
			if filepath.Base(path) == "unknown" {
				return false, unknown
			}
			return filepath.Base(path) == "one", nil
		},
		File: func(f File) { found = append(found, filepath.Base(f.Path)) },
		Fail: func(path string, err error) {
			if failed = append(failed, filepath.Base(path)); !errors.Is(err, unknown) {
				t.Errorf("%s: %v, want the error of Whole", path, err)
			}
		},
	}
	err := w.Walk(t.Context(), top)
	if want := []string{"one", "2.txt"}; err != nil || !slices.Equal(found, want) || !slices.Equal(failed, []string{"unknown"}) {
		t.Errorf("Walk found %q, failed %q (error %v), want %q and a failure of unknown", found, failed, err, want)
	}
}
