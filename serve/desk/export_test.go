package desk

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// exported writes an export and returns its files.
func exported(t *testing.T, e *Export) map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		data, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name] = string(data); strings.HasSuffix(f.Name, ".json") && !json.Valid(data) {
			t.Errorf("%s is not JSON: %s", f.Name, data)
		}
	}
	return files
}

// want tests that files of an export contain texts.
func want(t *testing.T, files, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if got, ok := files[name]; !ok || !strings.Contains(got, text) {
			t.Errorf("%s lacks %q: %s\nfiles %q", name, text, got, slices.Sorted(maps.Keys(files)))
		}
	}
}

// TestExport: exports of a check, a document, a user and a person have all that is kept about them, no
// secret, and nothing of others. The audit log notes them. Only an administrator of the group may.
func TestExport(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "the uploaded text", "")
	finish(t, d, f, c)
	other := submit(t, d, a, "dvorak.txt", "another text", "")
	finish(t, d, f, other)
	sent := report.Decisions{Kind: "decisions", Format: report.Version, Places: []report.LeftOut{{Suspect: [2]int{0, 3}, Words: 1, Reason: "other"}}}
	sent.Suspect.Bytes, sent.Suspect.Words = 29, 7
	data, err := json.Marshal(sent)
	if err == nil {
		_, err = d.Decide(ctx, a, c.ID, 0, data)
	}
	_, secret, failed := d.Share(ctx, a, c.ID, NewShare{For: "Jana Nováková", Days: 3})
	if err := errors.Join(err, failed, d.Verdict(ctx, a, c.ID, "minor", "a comment")); err != nil {
		t.Fatal(err)
	}
	files := exported(t, must(d.ExportCheck(ctx, a, c.ID, report.Options{})))
	want(t, files, map[string]string{
		"check.json": `"a comment"`, "submission.json": c.Collection, "decisions.json": `"reason": "other"`, "links.json": "Jana Nováková", "report.json": "six words of text",
		"report.html": "six words of text", "upload/novak.txt": "the uploaded text", "audit.json": `"export check"`,
	})
	names := []string{"thesis.txt", "other.txt"}
	add(t, d, f, c.Collection, names...)
	quote(t, d, c.ID, search.Source{ID: "0123456789abcdef", Name: "thesis.txt"})
	document := exported(t, must(d.ExportDocument(ctx, a, c.Collection, "thesis.txt")))
	want(t, document, map[string]string{"quotations.json": `"passages":1`, "document.json": `"content": "`, "text.txt": "the text of thesis.txt has some words"})
	user := exported(t, must(d.ExportUser(ctx, a, a.User)))
	want(t, user, map[string]string{"user.json": `"admin"`, "checks.json": "novak.txt", "decisions.json": c.ID, "verdicts.json": "a comment", "sessions.json": "created", "audit.json": "export document"})
	person := exported(t, must(d.ExportPerson(ctx, a, "NOVÁKOVÁ", report.Options{})))
	want(t, person, map[string]string{"person.json": c.ID, "checks/" + c.ID + "/upload/novak.txt": "the uploaded text"})
	byName := exported(t, must(d.ExportPerson(ctx, a, "thesis", report.Options{})))
	want(t, byName, map[string]string{"documents/" + c.Collection + "/quotations.json": c.ID})
	if text := strings.Join(slices.Sorted(maps.Keys(byName)), " "); strings.Count(text, "document.json") != 1 || strings.Contains(text, "checks/") {
		t.Errorf("the export about thesis has %s, want one document and no check", text)
	}
	nothing := exported(t, must(d.ExportPerson(ctx, a, "Nobody", report.Options{})))
	if len(nothing) != 1 || !strings.Contains(nothing["person.json"], `"checks": []`) {
		t.Errorf("the export about nobody has %v", nothing)
	}
	for what, files := range map[string]map[string]string{"check": files, "document": document, "user": user, "person": person} {
		all := strings.Join(slices.Collect(maps.Values(files)), "\n")
		for _, hidden := range []string{secret, accounts.HashSecret(secret), "$argon2id", a.Session} {
			if strings.Contains(all, hidden) {
				t.Errorf("the export of the %s contains the secret %q", what, hidden)
			}
		}
		if what != "user" && strings.Contains(all, "dvorak.txt") {
			t.Errorf("the export of the %s names another text", what)
		}
	}
	stranger, reader := accounts.Actor{Role: accounts.Administrator, Group: "other"}, accounts.Actor{Role: accounts.Librarian, Group: a.Group}
	for who, refusal := range map[*accounts.Actor]error{&stranger: ErrNotFound, &reader: ErrForbidden} {
		_, check := d.ExportCheck(ctx, *who, c.ID, report.Options{})
		_, document := d.ExportDocument(ctx, *who, c.Collection, "thesis.txt")
		if !errors.Is(check, refusal) || !errors.Is(document, refusal) {
			t.Errorf("exports for %v of %s: %v, %v, want %v", who.Role, who.Group, check, document, refusal)
		}
	}
	if all := exported(t, must(d.ExportPerson(ctx, stranger, "novak", report.Options{}))); len(all) != 1 {
		t.Errorf("another group exports %v", all)
	}
	if _, err := d.ExportPerson(ctx, a, "ab", report.Options{}); !errors.As(err, new(*Invalid)) {
		t.Errorf("ExportPerson of two letters = %v, want an Invalid", err)
	}
}

// must returns a value without its error, with which it panics.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestExportMember: of an archive with texts of others, the export has only the text of the check. A
// file that is missing is an error, and not an archive without it.
func TestExportMember(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a/eva.txt", "b/petr.txt"} {
		w := must(z.Create(name))
		must(io.WriteString(w, "text of "+name))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	c := submit(t, d, a, "class.zip", b.String(), "")
	finish(t, d, f, c)
	err := f.Write(t.Context(), execute(`UPDATE checks SET path = 'class.zip!/a/eva.txt' WHERE id = ?`, c.ID))
	if err == nil {
		err = f.Write(t.Context(), execute(`INSERT INTO checks (id, submission_id, job_id, file, name, path, size, state, created) SELECT 'second', submission_id, job_id, file, name, 'class.zip!/b/petr.txt', size, 'failed', created FROM checks WHERE id = ?`, c.ID))
	}
	if err != nil {
		t.Fatal(err)
	}
	files := exported(t, must(d.ExportCheck(t.Context(), a, c.ID, report.Options{})))
	if all := strings.Join(slices.Collect(maps.Values(files)), "\n"); files["upload/eva.txt"] != "text of a/eva.txt" || strings.Contains(all, "petr") {
		t.Errorf("the export has %q", files)
	}
	e := must(d.ExportCheck(t.Context(), a, c.ID, report.Options{}))
	if err := d.shelf.Remove(t.Context(), reportName(c.ID, 1)); err != nil {
		t.Fatal(err)
	}
	var cut bytes.Buffer
	if err := e.Write(&cut); err == nil {
		t.Error("an export without its report is written")
	}
	if _, err := zip.NewReader(bytes.NewReader(cut.Bytes()), int64(cut.Len())); err == nil {
		t.Error("the incomplete export is a zip archive")
	}
}

// TestExportUnnoted: nothing is exported that the audit log cannot note, as on a full disk.
func TestExportUnnoted(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	if err := f.Write(ctx, execute(storagetest.Refusal("full_disk", "BEFORE INSERT ON audit"))); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ExportUser(ctx, a, a.User); err == nil {
		t.Error("a user is exported without an entry of the audit log")
	}
	if _, err := d.ExportCheck(ctx, a, c.ID, report.Options{}); err == nil {
		t.Error("a check is exported without an entry of the audit log")
	}
	if _, err := d.ExportPerson(ctx, a, "Novák", report.Options{}); err == nil {
		t.Error("the data of a person is exported without an entry of the audit log")
	}
}
