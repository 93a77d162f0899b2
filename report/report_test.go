package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/otisk/otisk/internal/testing/golden"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

func TestGolden(t *testing.T) {
	for name, r := range samples() {
		for _, format := range []string{"xml", "json", "text"} {
			golden.Compare(t, name+Extension(format), render(t, format, r, Options{}))
		}
	}
	golden.Compare(t, "sample-color.txt", render(t, "text", sample(), Options{Color: true, Width: 60}))
	for _, tag := range lang.Tags() {
		golden.Compare(t, "reviewed-"+tag+".txt", render(t, "text", reviewed(), Options{Lang: lang.Of(tag), Places: true}))
	}
}

// TestTextSaysWhoReviewed says who reviewed and when, as far as that is known.
func TestTextSaysWhoReviewed(t *testing.T) {
	r := sample()
	for _, tt := range []struct {
		by   string
		at   time.Time
		want string
	}{
		{"Jana Nová", time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC), "reviewed by Jana Nová, 1 November 2026"},
		{"Jana Nová", time.Time{}, "reviewed by Jana Nová"},
		{"", time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC), "reviewed on 1 November 2026"},
		{"", time.Time{}, ""},
	} {
		r.Review = &Review{By: tt.by, At: tt.at}
		if got := strings.Join(reviewLines(lang.Of("en"), r), "; "); got != tt.want {
			t.Errorf("by %q at %v: %q, want %q", tt.by, tt.at, got, tt.want)
		}
	}
}

// TestTextSaysAll checks that no message lacks an argument, in any language.
func TestTextSaysAll(t *testing.T) {
	unfilled := regexp.MustCompile(`\{\w+\}|\b(text|common|said)\.[a-z]`)
	all := reviewed()
	all.Sources[0].NoText = true
	all.Review.Filter = Filter{Kinds: []string{"quotation", "template"}, Grades: []string{search.Reworded}, PassageWords: 1, SourceWords: 1, SourcePercent: 0.5}
	all.Review.Passages = []Decision{{Index: 2, Reason: "quoted"}}
	for _, tag := range lang.Tags() {
		for name, r := range map[string]*Report{"all": all, "empty": empty(), "sample": sample()} {
			text := render(t, "text", r, Options{Lang: lang.Of(tag), Places: true})
			if found := unfilled.FindAllString(text, -1); found != nil {
				t.Errorf("%s in %s says %q:\n%s", name, tag, found, text)
			}
		}
	}
}

// lone returns the formats that need no other program.
func lone() []string {
	return slices.DeleteFunc(Formats(), func(format string) bool { return format == PDF })
}

func TestSameInputSameBytes(t *testing.T) {
	for _, format := range lone() {
		for range 20 {
			if a, b := render(t, format, sample(), Options{}), render(t, format, sample(), Options{}); a != b {
				t.Fatalf("%s: two reports of one result differ", format)
			}
		}
	}
}

func TestWriteUnknownFormat(t *testing.T) {
	err := Write(io.Discard, "docx", sample(), Options{})
	if err == nil || !strings.Contains(err.Error(), `unknown format "docx": want xml`) {
		t.Errorf("Write(docx) = %v", err)
	}
	if Extension("docx") != "" || Check("docx") == nil || Check("json") != nil {
		t.Errorf("Extension or Check knows docx, or not json")
	}
	if err := Write(io.Discard, PDF, sample(), Options{}); !errors.Is(err, ErrNoPrinter) {
		t.Errorf("Write(pdf) without a printer = %v", err)
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]string{
		"a.xml": "xml", "a.junit.xml": "junit", "out/A.JUNIT.XML": "junit", "junit.xml": "xml", ".xml": "", "a.sarif": "sarif", "a.PDF": "pdf", "a": "", "": "", "a.docx": "",
	} {
		if got := FormatOf(path); got != want {
			t.Errorf("FormatOf(%q) = %q, want %q", path, got, want)
		}
	}
}

// fullAfter fails after this number of bytes.
type fullAfter int

var errFull = errors.New("disk full")

func (f *fullAfter) Write(p []byte) (int, error) {
	if *f -= fullAfter(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteToFullDisk(t *testing.T) {
	for _, format := range lone() {
		w := fullAfter(100)
		if err := Write(&w, format, sample(), Options{}); !errors.Is(err, errFull) {
			t.Errorf("Write(%s) to a full disk = %v, want %v", format, err, errFull)
		}
	}
}

// jsonSchema returns one of the schemas.
func jsonSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("schema/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJSONFollowsSchema(t *testing.T) {
	schema := jsonSchema(t, "otisk-report.schema.json")
	all := samples()
	all["alike"], all["places"] = alike(2), withoutDeclaration()
	all["joined"], _ = joinedSample()
	all["hinted"], all["accepted"] = hintedSample(), acceptedSample(t)
	for name, r := range all {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(render(t, "json", r, Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := schema.Validate(map[string]any{"format": 1}); err == nil {
		t.Error("the schema accepts a report without anything")
	}
}

// TestJSONSchemaIsComplete fails when a field is added to the result and not to
// the schema.
func TestJSONSchemaIsComplete(t *testing.T) {
	checkSchemaHas(t, "otisk-report.schema.json", reflect.TypeFor[Report]())
}

// checkSchemaHas fails if a schema lacks a field of types.
func checkSchemaHas(t *testing.T, schema string, types ...reflect.Type) {
	t.Helper()
	text, err := os.ReadFile("schema/" + schema)
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Properties map[string]any
		Defs       map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		if m, ok := v.(map[string]any); ok {
			for name, sub := range m {
				have[name] = true
				walk(sub)
			}
		}
	}
	walk(map[string]any{"root": root.Properties})
	for _, d := range root.Defs {
		walk(d.Properties)
	}
	for _, typ := range types {
		for name := range fieldNames(typ, map[string]bool{}) {
			if !have[name] {
				t.Errorf("%s does not know the field %q", schema, name)
			}
		}
	}
}

// fieldNames collects the JSON names of all fields in a type.
func fieldNames(t reflect.Type, names map[string]bool) map[string]bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		fieldNames(t.Elem(), names)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if f.IsExported() && name != "" {
				names[name] = true
			}
			fieldNames(f.Type, names)
		}
	}
	return names
}

func TestXMLFollowsSchema(t *testing.T) {
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		need.Skip(t, "no xmllint to check the XML reports with (package libxml2-utils)")
	}
	all := samples()
	all["alike"], all["places"] = alike(2), withoutDeclaration()
	all["joined"], _ = joinedSample()
	all["hinted"], all["accepted"] = hintedSample(), acceptedSample(t)
	for name, r := range all {
		cmd := exec.Command(xmllint, "--nonet", "--noout", "--schema", "schema/otisk-report.xsd", "-")
		cmd.Stdin = strings.NewReader(render(t, "xml", r, Options{}))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// An xmlTexts holds the texts of an XML report.
type xmlTexts struct {
	Suspect struct {
		Path string `xml:"path,attr"`
		Text string `xml:"text"`
	} `xml:"suspect"`
	Excerpts []string `xml:"document>source>excerpt"`
}

// asXML returns the text that an XML parser must return: the rule stated in docs/REPORT.md.
func asXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, string([]rune(s))) // one U+FFFD for each byte that is not UTF-8
}

func TestXMLKeepsTexts(t *testing.T) {
	for name, r := range samples() {
		var got xmlTexts
		if err := xml.Unmarshal([]byte(render(t, "xml", r, Options{})), &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := asXML(r.Suspect.Text); got.Suspect.Text != want {
			t.Errorf("%s: text = %q, want %q", name, got.Suspect.Text, want)
		}
		if want := asXML(r.Suspect.Path); got.Suspect.Path != want {
			t.Errorf("%s: path = %q, want %q", name, got.Suspect.Path, want)
		}
		if n := utf8.RuneCountInString(got.Suspect.Text); r.Suspect.Text != "" && n != r.Suspect.Runes {
			t.Errorf("%s: text of %d code points, want %d", name, n, r.Suspect.Runes)
		}
	}
}

func FuzzXMLText(f *testing.F) {
	f.Add("]]> & < \x00\x1b\r\n\t\uFFFE\xff žluťoučký 😀")
	f.Fuzz(func(t *testing.T, s string) {
		var b strings.Builder
		m := &markup{w: &b}
		m.open("a", required("b", s))
		m.leaf("c", s)
		m.close()
		var got struct {
			B string `xml:"b,attr"`
			C string `xml:"c"`
		}
		if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatalf("%q: %v", b.String(), err)
		}
		if want := asXML(s); got.B != want || got.C != want {
			t.Errorf("%q came back as %q and %q, want %q", s, got.B, got.C, want)
		}
	})
}

func TestTextIsSafeOnTerminal(t *testing.T) {
	out := render(t, "text", hostile(), Options{})
	for _, r := range out {
		if r < ' ' && r != '\n' || r >= 0x7F && r < 0xA0 || r == 0x202E {
			t.Fatalf("text report holds %U: %q", r, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("text report without colours holds an escape sequence")
	}
}

func TestTextKeepsWidth(t *testing.T) {
	r := sample()
	r.Suspect.Text = strings.Repeat("x", len(r.Suspect.Text))
	for _, line := range strings.Split(render(t, "text", r, Options{Width: 60}), "\n") {
		if strings.HasPrefix(line, "      |") && utf8.RuneCountInString(line) > 60 {
			t.Errorf("line of %d columns: %q", utf8.RuneCountInString(line), line)
		}
	}
}

func TestReadJSON(t *testing.T) {
	for name, r := range samples() {
		r = normal(r)
		first := render(t, "json", r, Options{})
		back, err := ReadJSON(strings.NewReader(first))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := render(t, "json", back, Options{}); again != first {
			t.Errorf("%s: read and written again, the report differs", name)
		}
		for _, format := range lone() {
			if render(t, format, back, Options{}) != render(t, format, r, Options{}) {
				t.Errorf("%s: %s of what was read differs from that of the result", name, format)
			}
		}
	}
}

// normal returns r with names as JSON can say them.
func normal(r *Report) *Report {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	c := new(Report)
	if err := json.Unmarshal(text, c); err != nil {
		panic(err)
	}
	return c
}

func TestReadJSONRefuses(t *testing.T) {
	good := func() *Report { return sample() }
	tests := []struct {
		name   string
		change func(r *Report)
		want   string
	}{
		{"passage of a source that is not there", func(r *Report) { r.Passages[0].Source = 2 }, "passages[0]: source=2 len(sources)=2"},
		{"negative source", func(r *Report) { r.Passages[0].Source = -1 }, "source=-1 len(sources)=2"},
		{"passage beyond the end", func(r *Report) { r.Passages[0].Suspect.End = 1 << 20 }, "start=36 end=1048576"},
		{"words beyond the end", func(r *Report) { r.Passages[0].Words = 1 << 62 }, "word=7 suspect.words=52"},
		{"unknown grade", func(r *Report) { r.Passages[0].Grade = "stolen" }, `grade="stolen"`},
		{"numbers out of order", func(r *Report) { r.Passages[0].Number = 7 }, "passages[0].number=7"},
		{"text of another length", func(r *Report) { r.Suspect.Text = "short" }, "len(text)=5 bytes=310"},
		{"too many words", func(r *Report) { r.Suspect.Words = 1 << 40 }, "words=1099511627776"},
		{"excerpt of another length", func(r *Report) { r.Sources[0].Excerpts[0].End-- }, "sources[0]: excerpts[0]"},
		{"equal words outside", func(r *Report) { r.Passages[0].Equal[0].Origin[1] = 1 << 30 }, "equal=[36 119]"},
		{"paragraph source", func(r *Report) { r.Paragraphs[0].Sources[0].Source = 9 }, "paragraphs[0]: source=9"},
		{"like itself", func(r *Report) { one := 1; r.Sources[1].LikeSource = &one }, "sources[1].like_source=1"},
		{"like what is not there", func(r *Report) { one := -1; r.Sources[1].LikeSource = &one }, "sources[1].like_source=-1"},
		{"exclusion", func(r *Report) { r.Exclusions[0].Word = -1 }, "exclusions[0]"},
		{"rune_start=42 rune_end=", func(r *Report) { r.Passages[0].Origin.RuneEnd = 1 << 30 }, "rune_start=42 rune_end="},
		{"review of other sources", func(r *Report) { r.Review = &Review{} }, "len(remains)=0"},
		{"decision on nothing", func(r *Report) {
			r.Review = &Review{Remains: make([]Remains, 2), Passages: []Decision{{Index: 3}}}
		}, "review.passages: index=3 len=3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			tt.change(r)
			_, err := ReadJSON(strings.NewReader(spoiledJSON(t, r)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ReadJSON = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestReadJSONOther(t *testing.T) {
	whole := render(t, "json", sample(), Options{})
	tests := []struct{ name, text, want string }{
		{"nothing", "", "the file is empty"},
		{"half", whole[:len(whole)/2], "unexpected end of file"},
		{"other JSON", `{"a": 1}`, "not a report in JSON or HTML"},
		{"a list", `[1]`, "not a report in JSON or HTML"},
		{"a text that starts with a quotation", `"Tom!" No answer.`, "not a report in JSON or HTML"},
		{"a text", `Tom!`, "not a report in JSON or HTML"},
		{"a field of another kind", strings.Replace(whole, `"score": {`, `"score": 7, "x": {`, 1), "score at byte"},
		{"damage", strings.Replace(whole, `"score": {`, `"score": {{`, 1), "byte "},
		{"later format", strings.Replace(whole, `"format": 1`, `"format": 2`, 1), "format 2, this program reads 1"},
		{"two", whole + whole, "unexpected text after the end"},
	}
	for _, tt := range tests {
		if _, err := ReadJSON(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: ReadJSON = %v, want an error with %q", tt.name, err, tt.want)
		}
	}
	if _, err := readJSON(strings.NewReader(whole), 1000); err == nil || !strings.Contains(err.Error(), "longer than 1000 bytes") {
		t.Errorf("a report over the limit: %v", err)
	}
	if _, err := readJSON(strings.NewReader(whole), int64(len(whole))); err != nil {
		t.Errorf("a report at the limit: %v", err)
	}
	later := strings.Replace(whole, `"format": 1`, `"format": 1, "new_in_a_later_version": [{}]`, 1)
	if _, err := ReadJSON(strings.NewReader(later)); err != nil {
		t.Errorf("a field of a later version: %v", err)
	}
}

// FuzzReadJSON checks that whatever is read can be written in every format.
func FuzzReadJSON(f *testing.F) {
	for _, r := range samples() {
		var b bytes.Buffer
		if err := Write(&b, "json", r, Options{}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadJSON(bytes.NewReader(text))
		if err != nil || r.Suspect.Words > 1<<16 {
			return
		}
		for _, format := range lone() {
			if err := Write(io.Discard, format, r, Options{}); err != nil {
				t.Errorf("Write(%s): %v", format, err)
			}
		}
	})
}

// spoiledJSON returns the JSON of a report that is inconsistent, so that its groups cannot be counted.
func spoiledJSON(t *testing.T, r *Report) string {
	t.Helper()
	text, err := json.Marshal(jsonReport{Version, listed(r), nil})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
