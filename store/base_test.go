package store

import "testing"

func TestFile(t *testing.T) {
	bases := []Base{{Key: "1", Name: "theses", Folder: "/srv/theses"}, {Key: "2", Folder: "/home/x"}}
	for _, tt := range []struct{ key, path, want string }{
		{"1", "theses/2001/a.txt", "/srv/theses/2001/a.txt"},
		{"1", "theses/all.zip!/2001/a.txt", "/srv/theses/all.zip!/2001/a.txt"},
		{"1", "theses/all.zip!/a//b/../c.txt", "/srv/theses/all.zip!/a//b/../c.txt"},
		{"1", "theses/!/a.txt", "/srv/theses/!/a.txt"},
		{"1", "theses/theses/a.txt", "/srv/theses/theses/a.txt"},
		{"2", "theses/a.txt", "/home/x/theses/a.txt"},
		{"", "/old/a.txt", "/old/a.txt"},
		{"3", "a.txt", ""},
	} {
		if got := File(bases, tt.key, tt.path); got != tt.want {
			t.Errorf("File(%q, %q) = %q, want %q", tt.key, tt.path, got, tt.want)
		}
	}
}
