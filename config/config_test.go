package config

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/normalize"
)

// neuromancer is a configuration file of Neuromancer: no root, CDATA.
const neuromancer = `<host>localhost:9200</host>
<index>theses</index>
<new_line>true</new_line>
<new_line_tags><nlt><![CDATA[<p>]]></nlt></new_line_tags>
<delete_tags><dt><![CDATA[<p>]]></dt></delete_tags>
<delete_chars>.,:;!-_-/\` + "`" + `(){}'</delete_chars>
<stopwords><sw>a</sw></stopwords>
`

func TestNeuromancerFile(t *testing.T) {
	want := Default()
	want.Cluster.Hosts = []string{"localhost:9200"}
	want.Index = "theses"
	want.Rules = normalize.Rules{
		NewLine:     normalize.Line,
		NewLineTags: []string{"<p>"},
		DeleteTags:  []string{"<p>"},
		DeleteChars: ".,:;!-_-/\\`(){}'",
		StopWords:   []string{"a"},
	}
	for _, form := range []struct{ name, data string }{
		{"bare elements", neuromancer},
		{"in a root", "<anything version='1'>\n" + neuromancer + "</anything>"},
		{"with a byte order mark", "\ufeff" + neuromancer},
		{"with a declaration", "<?xml version='1.0' encoding='windows-1250'?>" + neuromancer},
		{"escaped", strings.ReplaceAll(neuromancer, "<![CDATA[<p>]]>", "&lt;p&gt;")},
	} {
		got, err := Parse([]byte(form.data))
		if err != nil {
			t.Errorf("%s: Parse: %v", form.name, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: Parse =\n%+v, want\n%+v", form.name, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	secretFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secretFile, []byte("\ufeffs3cret\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, data string
		change     func(*Settings)
	}{
		{"nothing", "", func(*Settings) {}},
		{"empty root", "<otisk/>", func(*Settings) {}},
		{"only a type", `<type ext="html"/>`, func(s *Settings) {
			s.Types["html"] = s.Rules
		}},
		{"type overrides one element", `<delete_chars>-</delete_chars>
			<type ext="HTML .htm, xhtml"><new_line>blank</new_line></type>`, func(s *Settings) {
			s.Rules.DeleteChars = "-"
			rules := s.Rules
			rules.NewLine = normalize.Blank
			s.Types["html"], s.Types["htm"], s.Types["xhtml"] = rules, rules, rules
		}},
		{"ocr", "<ocr> cs, eng </ocr>", func(s *Settings) { s.OCR = "ces+eng" }},
		{"no ocr", "<ocr>none</ocr>", func(s *Settings) { s.OCR = NoOCR }},
		{"boilerplate", "<boilerplate>strip</boilerplate>", func(s *Settings) { s.Strip = true }},
		{"type by content", `<type ext="text/html, log"><delete_chars>#</delete_chars></type>`, func(s *Settings) {
			rules := s.Rules
			rules.DeleteChars = "#"
			s.Types["text/html"], s.Types["log"] = rules, rules
		}},
		{"type before the general rules", `<type ext="a"/><stopwords><sw>x</sw></stopwords>`, func(s *Settings) {
			s.Rules.StopWords = []string{"x"}
			s.Types["a"] = s.Rules
		}},
		{"delete_chars on a line of its own", "<delete_chars>\n &amp;- \n</delete_chars>", func(s *Settings) {
			s.Rules.DeleteChars = " &- "
		}},
		{"no delete_chars", "<delete_chars/>", func(s *Settings) { s.Rules.DeleteChars = "" }},
		{"punctuation", "<punctuation>keep</punctuation>", func(s *Settings) { s.Rules.KeepPunctuation = true }},
		{"limits", "<common>0</common><max_file>2gb</max_file><memory>512 KB</memory><max_time>90 s</max_time><max_check>2m</max_check><max_memory>64 MB</max_memory><keep_texts>false</keep_texts><reworded>false</reworded><hints>false</hints>",
			func(s *Settings) {
				s.Common, s.MaxFile, s.Memory, s.MaxTime, s.MaxCheck, s.MaxMemory, s.KeepTexts, s.Reworded, s.Hints = 0, 2<<30, 512<<10, 90*time.Second, 2*time.Minute, 64<<20, false, false, false
			}},
		{"size in bytes", "<max_file>1000</max_file>", func(s *Settings) { s.MaxFile = 1000 }},
		{"server without index", "<host>a:1, b:2</host>", func(s *Settings) {
			s.Cluster.Hosts, s.Index = []string{"a:1", "b:2"}, "otisk"
		}},
		{"server", "<cloud_id>x:y</cloud_id><index>i</index><user>u</user><ca_file>ca.pem</ca_file><fingerprint>ab</fingerprint>" +
			"<timeout>90 s</timeout><compress>true</compress><shards>3</shards><replicas>0</replicas>" +
			"<password_file>" + secretFile + "</password_file><api_key_file>" + secretFile + "</api_key_file>",
			func(s *Settings) {
				s.Index = "i"
				s.Cluster = Cluster{CloudID: "x:y", User: "u", Password: "s3cret", APIKey: "s3cret", CAFile: "ca.pem",
					Fingerprint: "ab", Timeout: 90 * time.Second, Compress: true, Shards: 3, Replicas: -1}
			}},
	}
	for _, tt := range tests {
		want := Default()
		tt.change(want)
		got, err := Parse([]byte(tt.data))
		if err != nil {
			t.Errorf("%s: Parse: %v", tt.name, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: Parse =\n%+v, want\n%+v", tt.name, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	bomb := `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>` + "\n<otisk><index>&lol2;</index></otisk>"
	tests := []struct{ name, data, want string }{
		{"unknown element", "<otisk>\n\n<stopword>a</stopword></otisk>", `line 3: unknown element "stopword"`},
		{"unknown element alone", "<stopword>a</stopword>", `line 1: unknown element "stopword"`},
		{"unknown bare element", "<index>a</index>\n<foo/>", `line 2: unknown element "foo"`},
		{"unknown element in a list", "<stopwords><word>a</word></stopwords>", `line 1: unknown element "word" in <stopwords>: want <sw>`},
		{"unknown element in a type", "<type ext='a'>\n<index>b</index></type>", `line 2: unknown element "index"`},
		{"unknown attribute", `<index a="b">c</index>`, `line 1: index: unknown attribute "a"`},
		{"too little memory for PDFs", "<max_memory>1 MB</max_memory>", `line 1: max_memory: "1 MB" is not allowed: want a size from 64 MB to 4 GB`},
		{"more memory for PDFs than there can be", "<max_memory>5 GB</max_memory>", `line 1: max_memory: "5 GB" is not allowed: want a size from 64 MB to 4 GB`},
		{"twice", "<index>a</index>\n<index>b</index>", "line 2: index: given twice, first on line 1"},
		{"rule twice in a type", "<type ext='a'>\n<new_line>true</new_line>\n<new_line>true</new_line></type>", "line 3: new_line: given twice, first on line 2"},
		{"type twice", "<type ext='a'/><type ext='b A'/>", `line 1: type: rules for "a" given twice`},
		{"type of no content", "<type ext='text/foo'/>", `line 1: type: unknown type of content "text/foo": want one of text/`},
		{"type of a pattern", "<type ext='*.txt'/>", `line 1: type: "*.txt" is not a file extension`},
		{"type of two extensions in one", "<type ext='tar.gz'/>", `line 1: type: "tar.gz" is not a file extension`},
		{"type without extension", "<type/>", "line 1: type: names no file extension"},
		{"new_line", "<new_line>maybe</new_line>", `line 1: new_line: "maybe" is not allowed: want true, false, blank or auto`},
		{"punctuation", "<punctuation/>", `line 1: punctuation: "" is not allowed: want split or keep`},
		{"keep_texts", "<keep_texts>yes</keep_texts>", `line 1: keep_texts: "yes" is not allowed: want true or false`},
		{"common", "<common>-1</common>", `line 1: common: "-1" is not allowed: want a whole number from 0`},
		{"max_file", "<max_file>12 parsecs</max_file>", `line 1: max_file: "12 parsecs" is not allowed: want a size`},
		{"max_file of nothing", "<max_file>0 MB</max_file>", `line 1: max_file: "0 MB" is not allowed`},
		{"max_file that overflows", "<max_file>9999999999999 GB</max_file>", `line 1: max_file: "9999999999999 GB" is not allowed`},
		{"timeout", "<timeout>5</timeout>", `line 1: timeout: "5" is not allowed: want a time`},
		{"replicas", "<replicas>few</replicas>", `line 1: replicas: "few" is not allowed`},
		{"empty index", "<index> </index>", "line 1: index: is empty"},
		{"password", "<otisk>\n<password>hunter2</password></otisk>", "line 2: password: secrets are not allowed here: name a file that has it by <password_file>"},
		{"no such secret", "<password_file>/no/such</password_file>", "line 1: password_file: read /no/such: "},
		{"stop word of two", "<otisk>\n<stopwords><sw>two words</sw></stopwords></otisk>", `line 2: stopwords: "two words" is 2 words, want 1`},
		{"tag as markup", "<delete_tags>\n<dt><b/></dt></delete_tags>", `line 2: element b inside dt: write a tag as <![CDATA[<b>]]>`},
		{"empty tag", "<delete_tags><dt/></delete_tags>", "line 1: dt: is empty"},
		{"text in a list", "<stopwords>a</stopwords>", "line 1: stopwords: has text outside of <sw>"},
		{"text in the root", "<otisk>\nmemory: 64 MB\n<index>a</index></otisk>", `line 1: otisk: has text outside of its elements: "memory: 64 MB"`},
		{"setting as an attribute", "<otisk index='a'><common>5</common></otisk>", "line 1: otisk: settings are elements: write <index> in it"},
		{"UTF-16", "\xff\xfe<\x00a\x00/\x00>\x00", "is in UTF-16: save it in UTF-8"},
		{"UTF-16 the other way round", "\xfe\xff\x00<\x00a\x00/\x00>", "is in UTF-16: save it in UTF-8"},
		{"text between", "<index>a</index>\nfoo", "line 2: text outside of any element"},
		{"not closed", "<otisk>\n<index>a</index>\n", "line 3: broken XML: unexpected EOF"},
		{"wrongly nested", "<otisk><index>a</otisk></index>", "line 1: broken XML: element <index> closed by </otisk>"},
		{"not XML", "index = foo", "line 1: text outside of any element"},
		{"invalid UTF-8", "<index>\xff</index>", "line 1: broken XML: invalid UTF-8"},
		{"unknown encoding", "<?xml version='1.0' encoding='klingon'?><index>a</index>", `line 1: `},
		{"entity bomb", bomb, "line 1: <!DOCTYPE> and entity declarations are not allowed"},
		{"entity of one's own", "<index>&lol;</index>", "line 1: broken XML: invalid character entity &lol;"},
		{"deep", strings.Repeat("<a>", 100), "line 1: elements are nested more than 16 deep"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.data))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: Parse: error %v, want one starting %q", tt.name, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error shows the secret: %v", tt.name, err)
		}
	}
}

// TestShippedFile checks that config.xml says what holds without it, also in
// its comments.
func TestShippedFile(t *testing.T) {
	got, err := Load(filepath.Join("..", DefaultFile))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Path = got.Path
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Load = %+v, want the defaults %+v", got, want)
	}
	data, err := os.ReadFile(filepath.Join("..", DefaultFile))
	if err != nil {
		t.Fatal(err)
	}
	for name := range setters {
		if !strings.Contains(string(data), "<"+name+">") {
			t.Errorf("config.xml does not show <%s>", name)
		}
	}
	for _, r := range ruleSetters {
		if !strings.Contains(string(data), "<"+r.name+">") {
			t.Errorf("config.xml does not show <%s>", r.name)
		}
	}
}

func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, err := Find(""); err != nil || !reflect.DeepEqual(got, Default()) {
		t.Errorf("Find without a file = %+v, %v, want the defaults", got, err)
	}
	if _, err := Find("other.xml"); err == nil || !strings.HasPrefix(err.Error(), "read other.xml: ") {
		t.Errorf("Find(other.xml): error %v, want one naming it", err)
	}
	if err := os.WriteFile(DefaultFile, []byte("<index>here</index>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(""); err != nil || got.Index != "here" || got.Path != DefaultFile {
		t.Errorf("Find with a file = %+v, %v, want its settings", got, err)
	}
	if err := os.WriteFile(DefaultFile, []byte("<password_file>none</password_file>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(""); err == nil {
		t.Errorf("Find with a missing password file = nil, want %v", fs.ErrNotExist)
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.xml")
	if err := os.WriteFile(large, []byte("<index>a</index>"+strings.Repeat(" ", maxFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty.xml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:   "read " + dir + ": is a folder",
		empty: "read " + empty + ": is empty: <otisk/> is a file of defaults",
		large: "read " + large + ": larger than 1048576 bytes",
	} {
		if _, err := Load(path); err == nil || err.Error() != want {
			t.Errorf("Load(%s): error %v, want %s", path, err, want)
		}
	}
}

func TestDifference(t *testing.T) {
	tests := []struct{ name, a, b, setting, inA, inB string }{
		{"same", neuromancer, neuromancer, "", "", ""},
		{"where the index is", "<index>a</index>", "<index>b</index>", "", "", ""},
		{"order and repetition of stop words", "<stopwords><sw>a</sw><sw>b</sw></stopwords>", "<stopwords><sw>b</sw><sw>a</sw><sw>b</sw></stopwords>", "", "", ""},
		{"characters", "<delete_chars>-a</delete_chars>", "<delete_chars>-</delete_chars>", "delete_chars", "-a", "-"},
		{"mode", "<new_line>true</new_line>", "", "new_line", "true", "auto"},
		{"punctuation", "", "<punctuation>keep</punctuation>", "punctuation", "split", "keep"},
		{"type that changes nothing", "<type ext='html'/>", "", "", "", ""},
		{"type", "<type ext='html'><delete_chars/></type>", "<delete_chars>x</delete_chars>", "delete_chars", "-'`´‘’ʼ‐‑", "x"},
		{"type against none", "<type ext='html'><new_line>true</new_line></type>", "", "html: new_line", "true", "auto"},
	}
	for _, tt := range tests {
		setting, inA, inB, differ := Difference(normalization(t, tt.a), normalization(t, tt.b))
		if differ != (tt.setting != "") || setting != tt.setting || !sameRunes(inA, tt.inA) || inB != tt.inB {
			t.Errorf("%s: Difference = %q, %q, %q, %v, want %q, %q, %q", tt.name, setting, inA, inB, differ, tt.setting, tt.inA, tt.inB)
		}
	}
}

func normalization(t *testing.T, data string) map[string]string {
	t.Helper()
	s, err := Parse([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Normalizers(); err != nil {
		t.Fatal(err)
	}
	return s.Normalization()
}

func sameRunes(a, b string) bool {
	count := func(s string) map[rune]int {
		m := map[rune]int{}
		for _, r := range s {
			m[r]++
		}
		return m
	}
	return maps.Equal(count(a), count(b))
}

// FuzzParse checks that no file makes it panic, and that settings which are
// accepted can be used.
func FuzzParse(f *testing.F) {
	f.Add([]byte(neuromancer))
	f.Add([]byte("<type ext='html'><delete_tags><dt>&lt;b&gt;</dt></delete_tags></type>"))
	f.Add([]byte("<!DOCTYPE a><a>&b;</a>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.Contains(string(data), "_file") {
			t.Skip("names a file")
		}
		s, err := Parse(data)
		if err != nil {
			return
		}
		if _, err := s.Normalizers(); err != nil {
			t.Fatalf("Parse accepted rules that cannot be used: %v", err)
		}
		if name, a, b, differ := Difference(s.Normalization(), s.Normalization()); differ {
			t.Fatalf("settings differ from themselves in %s: %q, %q", name, a, b)
		}
	})
}
