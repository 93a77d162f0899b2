package corpus

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
)

func newInput(t *testing.T, paths ...string) *Input {
	t.Helper()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Input{Paths: paths, Norms: norms}
}

// read returns the documents of in, as id: words, with | between paragraphs, and
// the problems.
func read(t *testing.T, in *Input) (docs, bad []string) {
	t.Helper()
	in.Problem = func(where string, err error) { bad = append(bad, filepath.Base(where)+": "+err.Error()) }
	_, err := Each(t.Context(), in, func(d *Doc) error {
		text, last := filepath.Base(d.ID)+":", 0
		d.Words(func(word []byte, paragraph int) {
			if paragraph != last {
				text += " |"
			}
			last = paragraph
			text += " " + string(word)
		})
		docs = append(docs, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs, bad
}

// TestForms reads the same two documents out of each form.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	const vertical = "<doc id=\"a\">\n<p>\nThe\tDT\nfox\tNN\n<g/>\n.\tSENT\n</p>\n<p>\nIt\nran\n</p>\n</doc>\n<doc id=\"b\">\nA\nB&amp;C\n</doc>\n"
	want := []string{"a: the fox | it ran", "b: a b c"}
	for _, path := range []string{
		files.Write(t, filepath.Join(dir, "x.vert"), vertical),
		files.Write(t, filepath.Join(dir, "single.vert"), strings.NewReplacer(`id="a"`, `lang='cs' id='a'`, `"b"`, `'b'`).Replace(vertical)),
		files.Write(t, filepath.Join(dir, "by-content"), vertical),
		filepath.Join("testdata", "x.vert.gz"), // this vertical file, packed by the programs of these names
		filepath.Join("testdata", "x.vert.bz2"),
		filepath.Join("testdata", "x.vert.xz"),
		filepath.Join("testdata", "x.vert.zst"),
		files.Write(t, filepath.Join(dir, "x.jsonl"), `{"id":"a","text":"The fox.\n\nIt ran"}`+"\n"+`{"text":"A B&C" , "id" : "b","more":[{"text":"no"}]}`+"\n"),
	} {
		docs, bad := read(t, newInput(t, path))
		if !slices.Equal(docs, want) || bad != nil {
			t.Errorf("%s has %q, problems %q; want %q", filepath.Base(path), docs, bad, want)
		}
	}
	long := strings.Repeat("the fox ", headBytes/8)
	for name, start := range map[string]string{"long": "", "mark": "\ufeff"} {
		path := files.Write(t, filepath.Join(dir, name), start+`{"id":"a","text":"`+long+`"}`+"\n"+`{"id":"b","text":"it ran"}`+"\n")
		if docs, bad := read(t, newInput(t, path)); len(docs) != 2 || docs[1] != "b: it ran" || bad != nil {
			t.Errorf("of a first line that is long come %d documents, problems %q", len(docs), bad)
		}
	}
	if docs, _ := read(t, newInput(t, files.Write(t, filepath.Join(dir, "braces"), "{fox "+long))); len(docs) != 1 {
		t.Errorf("a text that begins with a brace has %d documents", len(docs))
	}
	folder := filepath.Join(dir, "folder")
	os.Mkdir(folder, 0o700)
	files.Write(t, filepath.Join(folder, "a"), "The fox.\n\nIt ran")
	files.Write(t, filepath.Join(folder, "b"), "A B&C")
	if docs, bad := read(t, newInput(t, folder)); !slices.Equal(docs, want) || bad != nil {
		t.Errorf("the folder has %q, problems %q; want %q", docs, bad, want)
	}
}

// TestEncoding reads vertical files in the requested encoding, reports invalid bytes, and
// keeps them.
func TestEncoding(t *testing.T) {
	dir := t.TempDir()
	vertical := "<doc id=\"\xe8\">\nP\xf8\xedli\xb9\n</doc>\n<doc id=\"b\">\nk\xf9\xf2\n</doc>\n" // of ISO 8859-2
	in := newInput(t, files.Write(t, filepath.Join(dir, "x.vert"), vertical))
	if docs, bad := read(t, in); docs != nil || !slices.Equal(bad, []string{"x.vert: line 1: " + errNotUTF8.Error(), "x.vert: line 4: " + errNotUTF8.Error()}) {
		t.Errorf("without an encoding it has %q, problems %q", docs, bad)
	}
	in.Read.Encoding = "iso-8859-2"
	if docs, bad := read(t, in); !slices.Equal(docs, []string{"č: příliš", "b: kůň"}) || bad != nil {
		t.Errorf("in its encoding it has %q, problems %q", docs, bad)
	}
	var raw []byte
	if _, err := Each(t.Context(), in, func(d *Doc) error {
		raw = append(raw, d.Raw...)
		return nil
	}); err != nil || string(raw) != vertical {
		t.Errorf("its bytes are %q, %v", raw, err)
	}
	in.Read.Encoding = "utf-8"
	if docs, bad := read(t, in); docs != nil || len(bad) != 2 || !strings.Contains(bad[0], "x.vert: line 1: encoding unknown: not UTF-8 at byte 9") {
		t.Errorf("in a wrong encoding it has %q, problems %q", docs, bad)
	}
}

// TestBadInput reports and counts unusable input, and processes the rest.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	vertical := "stray\n<doc id=\"a\">\nx\n<doc id=\"a\">\n\xff\n</doc>\n<doc id=\"a\">\ny\n</doc>\n<doc id=\"a\">\nz\n</doc>\n"
	lines := `{"id":1,"text":"ok"}` + "\n\n" + `{"id":2,"text":7}` + "\n{\n" + `{"id":3}` + "\n[]\n"
	in := newInput(t, files.Write(t, filepath.Join(dir, "x.vert"), vertical), files.Write(t, filepath.Join(dir, "x.jsonl"), lines), filepath.Join(dir, "missing"), files.Write(t, filepath.Join(dir, "empty.txt"), ""))
	docs, bad := read(t, in)
	wantDocs := []string{"x.vert: line 1: stray", "a: x", "a~2: y", "a~3: z", "1: ok"}
	wantBad := []string{
		"missing: no such file or directory",
		"x.vert: line 1: text outside of any document; it is a document of its own",
		"x.vert: line 2: no end tag before the next document; it ends there",
		"x.vert: line 4: " + errNotUTF8.Error(),
		"x.vert: line 7 (a~2): another document has the same id; ~2 or a higher number is appended",
		"x.vert: line 10 (a~3): another document has the same id; ~2 or a higher number is appended",
		"x.jsonl: line 3: field text: its value is not a string",
		"x.jsonl: line 4: not a JSON object",
		"x.jsonl: line 5: no field text",
		"x.jsonl: line 6: not a JSON object",
		"empty.txt: " + document.ErrEmpty.Error(),
	}
	if !slices.Equal(docs, wantDocs) {
		t.Errorf("documents %q, want %q", docs, wantDocs)
	}
	if !slices.Equal(bad, wantBad) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(bad, "\n"), strings.Join(wantBad, "\n"))
	}
}

// TestTooLarge leaves a document out that is larger than the limit, and no other.
func TestTooLarge(t *testing.T) {
	var b strings.Builder
	for i, lines := range []int{10, 1_500_000, 10, 10} {
		fmt.Fprintf(&b, "<doc id=\"%d\">\n%s</doc>\n", i, strings.Repeat("w\n", lines))
	}
	in := newInput(t, files.Write(t, filepath.Join(t.TempDir(), "x.vert"), b.String()))
	in.Read.MaxBytes = 1 << 20
	var ids []string
	problems := 0
	in.Problem = func(_ string, err error) { problems++ }
	if _, err := Each(t.Context(), in, func(d *Doc) error { ids = append(ids, d.ID); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"0", "2", "3"}; !slices.Equal(ids, want) || problems != 1 {
		t.Errorf("documents %v with %d problems, want %v with 1", ids, problems, want)
	}
}

// TestBlocks cuts random streams. The concatenated blocks equal the stream, and each block
// begins at the start of a document, unless it is a part of a document that is too large for
// one.
func TestBlocks(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		form, pieces := Vertical, []string{"<doc>\n", "<doc id=\"1\">\n", "</doc>\n", "<document>\n", "x\n", "<do\n"}
		if seed%2 == 1 {
			form, pieces = JSONLines, []string{"{}\n", "\n", "{\"a\":1}\n"}
		}
		text := []byte("<doc>\n")
		for size := r.IntN(5 << 20); len(text) < size; {
			if text = append(text, pieces[r.IntN(len(pieces))]...); r.IntN(2000) == 0 {
				text = append(text, bytes.Repeat([]byte("word "), r.IntN(400_000))...)
			}
		}
		var got []byte
		over := false
		err := Blocks(t.Context(), bytes.NewReader(text), form, "doc", 1<<18, func(b *Block) error {
			if b.Offset != int64(len(got)) {
				t.Fatalf("seed %d: a block at %d says %d", seed, len(got), b.Offset)
			}
			starts := len(got) == 0 || form == JSONLines && got[len(got)-1] == '\n' || docStart("doc").startTag(b.Data) != nil && got[len(got)-1] == '\n'
			if !starts && !(over && b.Over) {
				t.Fatalf("seed %d: a block begins with %.20q", seed, b.Data)
			}
			over = b.Over
			got = append(got, b.Data...)
			b.Free()
			return nil
		})
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("seed %d: %d bytes come back of %d (%v)", seed, len(got), len(text), err)
		}
	}
}

// TestManySameIDs gives a hundred thousand documents of one id one each, also where a
// document has an id that another was given, and does not look for it from the start
// for each.
func TestManySameIDs(t *testing.T) {
	const count = 100_000
	in := newInput(t, files.Write(t, filepath.Join(t.TempDir(), "x.jsonl"), `{"id":"a~3","text":"x"}`+"\n"+strings.Repeat(`{"id":"a","text":"x"}`+"\n", count)))
	ids := map[string]bool{}
	if _, err := Each(t.Context(), in, func(d *Doc) error { ids[d.ID] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if len(ids) != count+1 || !ids["a"] || !ids["a~2"] || !ids[fmt.Sprint("a~", count+1)] {
		t.Errorf("%d documents have %d ids", count+1, len(ids))
	}
}

// TestCutOff reports a truncated compressed file, cut near its start or far on, and uses the
// part that can be read.
func TestCutOff(t *testing.T) {
	for _, count := range []int{3, need.Rounds(30_000)} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		r := rand.New(rand.NewPCG(1, 1))
		for i := range count {
			fmt.Fprintf(z, "{\"id\":%d,\"text\":\"w%d\"}\n", i, r.Uint64())
		}
		z.Close()
		path := files.Write(t, filepath.Join(t.TempDir(), "x.jsonl.gz"), packed.String()[:packed.Len()-12])
		docs, bad := read(t, newInput(t, path))
		if len(bad) == 0 || !strings.Contains(bad[len(bad)-1], "cut off") || count > 3 && len(docs) < count/2 {
			t.Errorf("of %d documents %d are read, problems %q", count, len(docs), bad)
		}
	}
}

// TestDamaged names a file whose packed bytes are cut off or others, whatever it is packed by,
// and has no other document than those that are in it.
func TestDamaged(t *testing.T) {
	for _, ext := range []string{".gz", ".bz2", ".xz", ".zst"} {
		whole, err := os.ReadFile(filepath.Join("testdata", "x.vert"+ext))
		if err != nil {
			t.Fatal(err)
		}
		for at := 8; at < len(whole)-1; at += 5 {
			other := bytes.Clone(whole)
			other[at] ^= 0x10
			for what, data := range map[string][]byte{"cut off": whole[:at], "another byte": other} {
				docs, bad := read(t, newInput(t, files.Write(t, filepath.Join(t.TempDir(), "x.vert"+ext), string(data))))
				if len(bad) == 0 && !slices.Equal(docs, []string{"a: the fox | it ran", "b: a b c"}) {
					t.Errorf("%s, %s at byte %d of %d: %q and no problem", ext, what, at, len(data), docs)
				}
			}
		}
	}
}

// TestBOM leaves the mark of UTF-8 at the start of a file out.
func TestBOM(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"x.vert": "<doc id=\"a\">\r\nw\r\n</doc>\r\n", "x.jsonl": "{\"id\":\"a\",\"text\":\"w\"}\n"} {
		docs, bad := read(t, newInput(t, files.Write(t, filepath.Join(dir, name), "\ufeff"+text)))
		if !slices.Equal(docs, []string{"a: w"}) || bad != nil {
			t.Errorf("%s with a mark has %q, problems %q", name, docs, bad)
		}
	}
}

// TestMost ends at the first document that there is no room for.
func TestMost(t *testing.T) {
	path := files.Write(t, filepath.Join(t.TempDir(), "x.jsonl"), strings.Repeat(`{"text":"x"}`+"\n", 5))
	for most, want := range map[int]error{0: nil, 5: nil, 4: ErrTooMany} {
		in := newInput(t, path)
		in.Most = most
		if _, err := Each(t.Context(), in, func(*Doc) error { return nil }); !errors.Is(err, want) {
			t.Errorf("5 documents with room for %d: %v, want %v", most, err, want)
		}
	}
}

// TestNames takes the name of a document from the field that is asked for, and else
// from that of its address.
func TestNames(t *testing.T) {
	path := files.Write(t, filepath.Join(t.TempDir(), "x.jsonl"), `{"id":"a","url":"u","key":7,"text":"x"}`+"\n"+`{"url":"v","text":"x"}`+"\n")
	for id, want := range map[string][]string{"": {"a: x", "v: x"}, "key": {"7: x", "v: x"}} {
		in := newInput(t, path)
		in.ID = id
		if docs, bad := read(t, in); !slices.Equal(docs, want) || bad != nil {
			t.Errorf("with ID %q the documents are %q, problems %q; want %q", id, docs, bad, want)
		}
	}
}

// FuzzFindField finds in a line the field that the decoder of the standard library finds, and no
// other, unless two have the name. A string has the value that the decoder returns.
func FuzzFindField(f *testing.F) {
	f.Add(`{"a":1,"text":"x\"}","text":"y"}`)
	f.Add(`{"te\u0078t":[{"text":"}"}, 2 ] , "b":null}`)
	f.Add("{\"text\":[\n1]}")
	for _, value := range []string{`"\ud800 \udc00\ud83d\ude00"`, `"\x"`, `"\u12g4"`, `"\u1"`, "\"seven77\x1f\"", "\"eight888\tnine\"", `"0123456\"8\\"`, `1,`, `{"a":"]"},"text":1`, `nul`, `"`, `[1}`} {
		f.Add(`{"text":` + value + `}`)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var fields map[string]json.RawMessage
		want, ok := []byte(nil), false
		if json.Unmarshal([]byte(line), &fields) == nil {
			want, ok = fields["text"]
		}
		if ok && fieldsCalled(t, line, "text") > 1 {
			want, ok = nil, false
		}
		start, end, err := FindField([]byte(line), "text")
		if (err == nil) != ok || !bytes.Equal([]byte(line[start:end]), want) {
			t.Errorf("the value in %q is found to be %q, %v, want %q", line, line[start:end], err, want)
		}
		var text *string
		if err == nil && utf8.ValidString(line) && json.Unmarshal(want, &text) == nil && text != nil {
			if got, ok := Unquote(want); !ok || got != *text {
				t.Errorf("the text of %s is %q, %v, want %q", want, got, ok, *text)
			}
		}
	})
}

// fieldsCalled counts the fields of an object that have a name.
func fieldsCalled(t *testing.T, object, name string) (count int) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if key == name {
			count++
		}
	}
	return count
}

// TestContainer reads a table that is larger than a batch: all of its rows in order, one
// of them unusable.
func TestContainer(t *testing.T) {
	const count = 5000
	var table, want strings.Builder
	table.WriteString("id,text\n")
	path := filepath.Join(t.TempDir(), "rows.csv")
	for i := range count {
		fmt.Fprintf(&table, "r%d,%s\n", i, strings.Repeat("word ", i%200+1))
		fmt.Fprintf(&want, "%s!/r%d %d\n", path, i, i%200+1)
	}
	table.WriteString("one value\n")
	if err := os.WriteFile(path, []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	problems := 0
	in := newInput(t, path)
	in.Problem = func(string, error) { problems++ }
	sum, err := Each(t.Context(), in, func(d *Doc) error {
		fmt.Fprintf(&got, "%s %d\n", d.ID, strings.Count(d.Text, "word"))
		return nil
	})
	if err != nil || sum.Documents != count || problems != 1 || got.String() != want.String() {
		t.Errorf("%d documents, %d problems, %v; got %.200q", sum.Documents, problems, err, got.String())
	}
}
