package sevenzip_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/archive/sevenzip"
	"github.com/otisk/otisk/document/archive/sevenzip/seventest"
	"github.com/otisk/otisk/document/format"
)

var texts = []seventest.File{
	{Name: "a/kůň.txt", Content: strings.Repeat("the quick brown fox ", 4000)},
	{Name: "a/b.txt", Content: "jumps over the lazy dog"},
	{Name: "c.txt", Content: strings.Repeat("x", 100_000)},
}

// read returns the entries of an archive, a line a file, and the error of the whole archive.
func read(t *testing.T, data []byte) (list []string, err error) {
	t.Helper()
	r, err := sevenzip.Open(t.Context(), bytes.NewReader(data), int64(len(data)), 64<<20)
	if err != nil {
		return nil, err
	}
	err = r.Each(t.Context(), func(m sevenzip.Member, content io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(content, 1<<20))
		if err == nil && int64(len(text)) != min(m.Size, 1<<20) {
			t.Errorf("%s has %d bytes, and its size is %d", m.Name, len(text), m.Size)
		}
		line := m.Name + ": " + string(text)
		if err != nil {
			line = m.Name + ": " + err.Error()
		}
		list = append(list, line)
		return nil
	})
	return list, err
}

func lines(files []seventest.File) (list []string) {
	for _, f := range files {
		list = append(list, f.Name+": "+f.Content)
	}
	return list
}

// TestEach: archives are read however they are packed.
func TestEach(t *testing.T) {
	for _, method := range []string{"copy", "lzma", "lzma2"} {
		for i := range 4 {
			a := seventest.Archive{Files: texts, Method: method, Single: i&1 > 0, Packed: i&2 > 0}
			t.Run(fmt.Sprintf("%s %v %v", method, a.Single, a.Packed), func(t *testing.T) {
				got, err := read(t, a.Bytes())
				if err != nil || !slices.Equal(got, lines(texts)) {
					t.Errorf("Each() gives %.200q, %v", got, err)
				}
			})
		}
	}
}

// TestEmpty: an archive may have nothing in it.
func TestEmpty(t *testing.T) {
	if got, err := read(t, seventest.Wrap(nil, nil)); err != nil || got != nil {
		t.Errorf("Each() gives %q, %v, want nothing", got, err)
	}
}

// TestPassOver: a file that is not read is skipped, and the next one is read correctly.
func TestPassOver(t *testing.T) {
	data := seventest.Archive{Files: texts, Method: "lzma2"}.Bytes()
	r, err := sevenzip.Open(t.Context(), bytes.NewReader(data), int64(len(data)), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	var last []byte
	err = r.Each(t.Context(), func(m sevenzip.Member, content io.Reader) error {
		if m.Name == "c.txt" {
			last, err = io.ReadAll(content)
		}
		return err
	})
	if err != nil || string(last) != texts[2].Content {
		t.Errorf("the last member is %d bytes, %v, want %d", len(last), err, len(texts[2].Content))
	}
}

// TestDamage: damaged files are reported, and files compressed separately from them are read.
func TestDamage(t *testing.T) {
	single := seventest.Archive{Files: texts, Method: "lzma", Single: true}.Bytes()
	single[32+40] ^= 0xff
	got, err := read(t, single)
	if err != nil || len(got) != 3 || !strings.Contains(got[0], "damaged or not whole") || !slices.Equal(got[1:], lines(texts)[1:]) {
		t.Errorf("Each() of an archive whose first member is damaged gives %.300q, %v", got, err)
	}
	copied := seventest.Archive{Files: texts, Method: "copy"}.Bytes()
	copied[40] ^= 0xff
	got, err = read(t, copied)
	if err != nil || len(got) != 3 || !strings.Contains(got[0], "its checksum is wrong") || !slices.Equal(got[1:], lines(texts)[1:]) {
		t.Errorf("Each() of an archive with a changed byte gives %.300q, %v", got, err)
	}
	long := seventest.Archive{Files: texts, Method: "lzma2", Longer: 1 << 40}.Bytes()
	got, err = read(t, long)
	if err != nil || len(got) != 3 || !strings.Contains(got[2], "damaged or not whole") {
		t.Errorf("Each() of a member that is said to be longer gives %.300q, %v", got, err)
	}
}

// TestRefused: unsupported archives are rejected with the reason.
func TestRefused(t *testing.T) {
	whole := seventest.Archive{Files: texts, Method: "lzma", Packed: true}.Bytes()
	for name, tt := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"password":     {seventest.Archive{Files: texts, Method: "\x06\xf1\x07\x01"}.Bytes(), format.ErrEncrypted, "encrypted"},
		"PPMd":         {seventest.Archive{Files: texts, Method: "\x03\x04\x01"}.Bytes(), format.ErrBinary, "PPMd"},
		"unknown":      {seventest.Archive{Files: texts, Method: "\x7f\x01"}.Bytes(), format.ErrBinary, "method 7f01"},
		"cut off":      {whole[:len(whole)-9], format.ErrDamaged, "truncated"},
		"start":        {whole[:20], format.ErrDamaged, "truncated"},
		"list":         {append(whole[:len(whole)-1:len(whole)-1], 9), format.ErrDamaged, "checksum of its list"},
		"too many":     {seventest.Archive{Files: texts, Method: "lzma", Count: 1 << 30}.Bytes(), format.ErrDamaged, "is inconsistent"},
		"one too many": {seventest.Archive{Files: texts, Method: "lzma", Count: 1}.Bytes(), format.ErrDamaged, "is inconsistent"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, tt.data)
			if err == nil && len(got) > 0 {
				err = errors.New(got[0])
			} else if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), tt.want.Error()) {
				t.Errorf("it is read as %.200q, %v, want an error with %q", got, err, tt.says)
			}
		})
	}
}

// TestMemory: sizes claimed by a small archive allocate no memory.
func TestMemory(t *testing.T) {
	small := []seventest.File{{Name: "a", Content: "some text that is short"}}
	list := bytes.Repeat([]byte{0}, 1<<20)
	for name, data := range map[string][]byte{
		"dictionary": seventest.Archive{Files: small, Method: "lzma", Dictionary: 1<<32 - 1, Longer: 1 << 40}.Bytes(),
		"size":       seventest.Archive{Files: small, Method: "lzma2", Longer: 1 << 50}.Bytes(),
		"count":      seventest.Archive{Files: small, Method: "copy", Packed: true, Count: 1 << 31}.Bytes(),
		"list":       seventest.Wrap(nil, append([]byte{1, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, list[:100]...)),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = read(t, data) // whatever it says
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
				t.Errorf("reading %d bytes took %d bytes of memory", len(data), took)
			}
		})
	}
}

// FuzzSevenZip: no archive causes a panic, and each file read has its declared size.
func FuzzSevenZip(f *testing.F) {
	for _, method := range []string{"copy", "lzma", "lzma2", "\x03\x04\x01"} {
		for i := range 4 {
			data := seventest.Archive{Files: texts[1:2], Method: method, Single: i&1 > 0, Packed: i&2 > 0}.Bytes()
			f.Add(data[32:], uint16(len(data)-32-int(data[12])), true)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, list uint16, sums bool) {
		at := len(data) - int(list)
		if !sums || at < 0 {
			_, _ = read(t, data)
			return
		}
		_, _ = read(t, seventest.Wrap(data[:at], data[at:]))
	})
}
