package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// An Upload is a stored file that no row refers to yet.
type Upload struct {
	file string // name in storage.Files
	Name string // as uploaded, without folders
	Size int64
	sum  string // SHA-256
}

// longestName is the limit of the name of an uploaded file, in characters.
const longestName = 255

// Receive stores an uploaded file under a name of its own for an action: CheckTexts or
// ChangeCollections. Call Submit or Add with it, or Discard.
func (d *Desk) Receive(ctx context.Context, a accounts.Actor, action accounts.Action, name string, r io.Reader) (*Upload, error) {
	if err := may(a, action); err != nil {
		return nil, err
	}
	switch {
	case d.folder.ReadOnly() != nil:
		return nil, storage.ErrReadOnly
	case d.folder.Full():
		return nil, ErrFull
	}
	name, err := fileName(name)
	if err != nil {
		return nil, err
	}
	u := &Upload{file: accounts.NewID() + extensions(name), Name: name}
	sum := sha256.New()
	err = d.files.Put(ctx, u.file, func(w io.Writer) error {
		u.Size, err = io.Copy(io.MultiWriter(w, sum), &stopped{ctx, io.LimitReader(r, d.opts.MaxFile+1)})
		if err == nil && u.Size > d.opts.MaxFile {
			return ErrTooLarge
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	u.sum = hex.EncodeToString(sum.Sum(nil))
	if err := d.nameMembers(ctx, u); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), d.files.Remove(context.WithoutCancel(ctx), u.file))
	}
	return u, nil
}

// Discard removes uploads that were not submitted.
func (d *Desk) Discard(ctx context.Context, uploads []*Upload) {
	ctx = context.WithoutCancel(ctx)
	for _, u := range uploads {
		_ = d.files.Remove(ctx, u.file) // a later start removes it otherwise
	}
}

// A stopped reader ends with its context.
type stopped struct {
	ctx context.Context
	io.Reader
}

// Read implements [io.Reader].
func (s *stopped) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(b)
}

// fileName returns the last part of the name of an uploaded file. It is shown, and never a path on
// the disk.
func fileName(name string) (string, error) {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if turns(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = strings.ReplaceAll(name, document.MemberMark, "_")
	if name == "." || name == ".." || name == "/" || name == "-" || longer(name, longestName) {
		return "", Wrong("file", "serve.file-name", "the file needs a name of at most {most} characters", "most", longestName)
	}
	return name, nil
}

// turns reports whether a character is not shown, but ends a line or turns the direction of others: "\u202etxt.exe"
// would be shown as exe.txt.
func turns(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// extensions returns up to two extensions of a file name, which help to detect its format. Only
// letters and digits of ASCII pass.
func extensions(name string) string {
	var list []string
	for range 2 {
		ext := path.Ext(name)
		if len(ext) < 2 || len(ext) > 11 || strings.ContainsFunc(ext[1:], func(r rune) bool { return r >= utf8.RuneSelf || !isAlnum(byte(r)) }) {
			break
		}
		list, name = append(list, strings.ToLower(ext)), strings.TrimSuffix(name, ext)
	}
	slices.Reverse(list)
	return strings.Join(list, "")
}

func isAlnum(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// distinct gives files with the same name numbers, or with that of an earlier one.
func distinct(uploads []*Upload, earlier []string) {
	taken := map[string]bool{}
	for _, name := range earlier {
		taken[name] = true
	}
	for _, u := range uploads {
		name := u.Name
		for i := 2; taken[name]; i++ {
			ext := path.Ext(u.Name)
			name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(u.Name, ext), i, ext)
		}
		taken[name], u.Name = true, name
	}
}

// fingerprint identifies a request with uploads, for its idempotency key.
func fingerprint(what any, uploads []*Upload) (string, error) {
	sum := sha256.New()
	err := json.NewEncoder(sum).Encode(what)
	for _, u := range uploads {
		err = errors.Join(err, json.NewEncoder(sum).Encode([]string{u.Name, u.sum}))
	}
	return hexSum(sum), err
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
