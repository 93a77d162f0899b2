package desk

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk/members"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The uploads are the files that users send, within the space that they may use.
type uploads struct {
	room
	files *storage.Shelf
}

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
func (d *uploads) Receive(ctx context.Context, a accounts.Actor, action accounts.Action, name string, r io.Reader) (*Upload, error) {
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

// read returns the content of an upload of at most this many bytes.
func (d *uploads) read(ctx context.Context, u *Upload, most int64) (data []byte, err error) {
	if u.Size > most {
		return nil, ErrTooLarge
	}
	err = d.files.Use(ctx, u.file, func(path string) error {
		data, err = os.ReadFile(path)
		return err
	})
	return data, err
}

// Discard removes uploads that were not submitted.
func (d *uploads) Discard(ctx context.Context, uploads []*Upload) {
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
	name = members.Plain(strings.ToValidUTF8(name, "_"))
	name = strings.ReplaceAll(name, document.MemberMark, "_")
	if name == "." || name == ".." || name == "/" || name == "-" || longer(name, longestName) {
		return "", Wrong("file", "serve.file-name", "the file needs a name of at most {most} characters", "most", longestName)
	}
	return name, nil
}

// extensions returns up to two extensions of a file name, which help to detect its format. Only
// letters and digits of ASCII pass.
func extensions(name string) string {
	var list []string
	for range 2 {
		ext := path.Ext(name)
		if len(ext) < 2 || len(ext) > 11 || strings.ContainsFunc(ext[1:], func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			break
		}
		list, name = append(list, strings.ToLower(ext)), strings.TrimSuffix(name, ext)
	}
	slices.Reverse(list)
	return strings.Join(list, "")
}

// distinct gives files with the same name numbers, or with that of an earlier one.
func distinct(uploads []*Upload, earlier []string) {
	taken := lists.Set(earlier)
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
	return hex.EncodeToString(sum.Sum(nil)), err
}

// fetch makes a folder for what a task reads and writes, and replaces the names of stored files in the
// task by paths. A process of an earlier server may still be writing, so each try has a folder of its
// own.
func (d *uploads) fetch(ctx context.Context, task *work.Task) error {
	task.Out = d.folder.Temporary()
	err := os.Mkdir(task.Out, 0o700)
	for _, files := range [][]work.File{task.Files, task.Given} {
		for i := range files {
			if err == nil {
				files[i].Path, err = d.files.Fetch(ctx, files[i].Path, task.Out)
			}
			if errors.Is(err, os.ErrNotExist) { // the job reports it, as for a file in the folder
				err = nil
			}
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(task.Out))
	}
	return nil
}

// Errors of uploads for which there is no space.
var (
	ErrFull  error = phrase.Error("serve.full", "the disk of the server is full: no files can be uploaded until somebody deletes some")
	ErrQuota error = phrase.Error("serve.quota", "the space for uploads of you or your group is used up: delete checks, or ask an administrator")
)

// Sums of the sizes of the uploaded files that are kept for a group and for a user.
const (
	sumOfGroup = `SELECT CAST(coalesce(sum(size), 0) AS INTEGER) FROM (SELECT DISTINCT c.file, c.size FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE s.group_id = ?) x`
	sumOfUser  = `SELECT CAST(coalesce(sum(size), 0) AS INTEGER) FROM (SELECT DISTINCT c.file, c.size FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE coalesce(c.user_id, s.user_id) = ?) x`
)

// withinQuota makes a transaction fail with ErrQuota if the files of checks exceed the quota of the actor or his group. A
// transaction that has added files calls it before its end.
func (d *uploads) withinQuota(tx *storage.Tx, a accounts.Actor) {
	for _, q := range []struct {
		most       int64
		sum, owner string
	}{{d.opts.GroupQuota, sumOfGroup, a.Group}, {d.opts.UserQuota, sumOfUser, a.User}} {
		if q.most == 0 {
			continue
		}
		var used int64
		tx.Row(q.sum, q.owner).Scan(&used)
		if used > q.most {
			tx.Fail(ErrQuota)
		}
	}
}

// keysLife is the lifetime of an idempotency key.
const keysLife = 7 * 24 * time.Hour

// A request is one with uploads. With an idempotency key, it changes nothing when it is repeated.
type request struct {
	key     string
	what    any // with the uploads, it identifies the request
	uploads []*Upload
	invalid error                // why it is refused
	allowed func(tx *storage.Tx) // nil if it always is
}

// once returns the result of fn or, if the actor used the key before, of the earlier request. It discards the uploads unless fn
// has used them.
func (d *uploads) once(ctx context.Context, a accounts.Actor, r request, fn func(tx *storage.Tx) string) (result string, err error) {
	used := false
	defer func() {
		if !used {
			d.Discard(ctx, r.uploads)
		}
	}()
	print, err := fingerprint(r.what, r.uploads)
	err = d.change(ctx, cmp.Or(r.invalid, err), func(tx *storage.Tx) {
		if r.allowed != nil {
			r.allowed(tx)
		}
		if result = earlierResult(tx, a, r.key, print); result != "" {
			return
		}
		used = true
		result = fn(tx)
		storeResult(tx, a, r.key, print, result)
	})
	used = used && err == nil
	return result, err
}

// anyFile returns an error for a request without uploads.
func anyFile(uploads []*Upload) error {
	if len(uploads) == 0 {
		return Wrong("file", "serve.no-file", "no file was uploaded")
	}
	return nil
}

// earlierResult returns the result of an earlier request with the same idempotency key, "" if there is
// none. It fails with ErrKeyReused if that request was a different one.
func earlierResult(tx *storage.Tx, a accounts.Actor, key, print string) (result string) {
	if key == "" {
		return ""
	}
	tx.Exec(`DELETE FROM idempotency WHERE created < ?`, time.Now().Add(-keysLife).UnixMilli())
	var earlier string
	if tx.Row(`SELECT fingerprint, result FROM idempotency WHERE user_id = ? AND key = ?`, a.User, key).Scan(&earlier, &result) && earlier != print {
		tx.Fail(ErrKeyReused)
	}
	return result
}

// forgetRequest deletes the result of a request with an idempotency key that meets a condition.
func forgetRequest(tx *storage.Tx, a accounts.Actor, key, condition string, args ...any) {
	tx.Exec(`DELETE FROM idempotency WHERE user_id = ? AND key = ? AND `+condition, append([]any{a.User, key}, args...)...)
}

// forgetRequests deletes the results of all requests of a user.
func forgetRequests(tx *storage.Tx, user string) {
	tx.Exec(`DELETE FROM idempotency WHERE user_id = ?`, user)
}

// storeResult stores the result of a request with an idempotency key.
func storeResult(tx *storage.Tx, a accounts.Actor, key, print, result string) {
	if key == "" {
		return
	}
	if len(key) > 255 {
		tx.Fail(Wrong("Idempotency-Key", "serve.key", "an Idempotency-Key has at most {most} bytes", "most", 255))
	}
	tx.Exec(`INSERT INTO idempotency (user_id, key, fingerprint, result, created) VALUES (?, ?, ?, ?, ?)`, a.User, key, print, result, now())
}

// trimArchive rewrites an uploaded zip archive with only the members that texts with some paths need, not
// those with other paths that are gone. It returns the names of the members with the former. Another
// archive stays as it is, and so does one whose members cannot be assigned to the paths: trimArchive then
// returns nil.
func (d *uploads) trimArchive(ctx context.Context, file string, paths, gone []string) (needed map[string]bool, err error) {
	err = d.files.Use(ctx, file, func(path string) error {
		z, err := archive.OpenFile(path)
		if errors.Is(err, format.ErrDamaged) || errors.Is(err, format.ErrTooLarge) {
			return nil
		}
		if err != nil {
			return err
		}
		defer z.Close()
		var kept []*zip.File
		if kept, needed = members.Needed(z.File, paths, gone); needed == nil || len(kept) == len(z.File) {
			return nil
		}
		err = d.files.Put(ctx, file, func(w io.Writer) error { return members.Copy(ctx, w, kept, nil) })
		if errors.Is(err, zip.ErrFormat) {
			needed, err = nil, nil
		}
		return err
	})
	return needed, err
}

// nameMembers gives the members of an uploaded zip archive names of their own in UTF-8, so that each text
// can be shown, and found again when it is deleted. An archive that is a document, such as EPUB, stays
// as it is, and so does one that is damaged.
func (d *uploads) nameMembers(ctx context.Context, u *Upload) error {
	return d.files.Use(ctx, u.file, func(path string) error {
		z, err := archive.OpenFile(path)
		if err != nil {
			return nil
		}
		defer z.Close()
		names := members.UniqueNames(z.File)
		if names == nil {
			return nil
		}
		err = d.files.Put(ctx, u.file, func(w io.Writer) error { return members.Copy(ctx, w, z.File, names) })
		if errors.Is(err, zip.ErrFormat) {
			return nil
		}
		return err
	})
}
