package config

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/xmltree"
	"github.com/otisk/otisk/lang/phrase"
)

type setter func(s *Settings, e *element) error

// setters has the elements that are not rules of normalisation, by name.
var setters = map[string]setter{
	"host":          setHosts,
	"index":         func(s *Settings, e *element) error { return text(&s.Index, e) },
	"boilerplate":   setBoilerplate,
	"ocr":           setOCR,
	"keep_texts":    func(s *Settings, e *element) error { return boolean(&s.KeepTexts, e) },
	"hints":         func(s *Settings, e *element) error { return boolean(&s.Hints, e) },
	"reworded":      func(s *Settings, e *element) error { return boolean(&s.Reworded, e) },
	"sample":        func(s *Settings, e *element) error { return number(&s.Sample, e, 0, MostSample) },
	"common":        func(s *Settings, e *element) error { return number(&s.Common, e, 0, 1<<30) },
	"max_file":      func(s *Settings, e *element) error { return size(&s.MaxFile, e) },
	"max_time":      func(s *Settings, e *element) error { return duration(&s.MaxTime, e) },
	"max_check":     func(s *Settings, e *element) error { return duration(&s.MaxCheck, e) },
	"max_memory":    func(s *Settings, e *element) error { return engineMemory(&s.MaxMemory, e) },
	"memory":        func(s *Settings, e *element) error { return size(&s.Memory, e) },
	"cloud_id":      func(s *Settings, e *element) error { return text(&s.Cluster.CloudID, e) },
	"user":          func(s *Settings, e *element) error { return text(&s.Cluster.User, e) },
	"password_file": func(s *Settings, e *element) error { return secret(&s.Cluster.Password, e) },
	"api_key_file":  func(s *Settings, e *element) error { return secret(&s.Cluster.APIKey, e) },
	"ca_file":       func(s *Settings, e *element) error { return text(&s.Cluster.CAFile, e) },
	"fingerprint":   func(s *Settings, e *element) error { return text(&s.Cluster.Fingerprint, e) },
	"timeout":       func(s *Settings, e *element) error { return duration(&s.Cluster.Timeout, e) },
	"compress":      func(s *Settings, e *element) error { return boolean(&s.Cluster.Compress, e) },
	"shards":        func(s *Settings, e *element) error { return number(&s.Cluster.Shards, e, 1, 1024) },
	"replicas":      replicas,
}

// MostSample is the largest value of Settings.Sample.
const MostSample = 1000

// secrets maps elements that users may try to the ones to use instead.
var secrets = map[string]string{
	"password": "password_file",
	"pass":     "password_file",
	"api_key":  "api_key_file",
	"apikey":   "api_key_file",
}

func known(name string) bool {
	return setters[name] != nil || isRule(name) || secrets[name] != "" || name == "type"
}

func resolve(elements []*element) (*Settings, error) {
	s := Default()
	if err := unique(elements); err != nil {
		return nil, err
	}
	var rules []*element
	named := false
	for _, e := range elements {
		set := setters[e.Name]
		switch {
		case isRule(e.Name):
			rules = append(rules, e)
			continue
		case e.Name == "type":
			continue
		case secrets[e.Name] != "":
			return nil, e.Wrong(phrase.Error("settings.secret", "secrets are not allowed here: name a file that has it by <{name}>, or use the environment", "name", secrets[e.Name]))
		case set == nil:
			return nil, unknown(e)
		}
		if err := leaf(e); err != nil {
			return nil, err
		}
		if err := set(s, e); err != nil {
			return nil, err
		}
		named = named || e.Name == "index"
	}
	if !named && !s.Embedded() {
		s.Index = DefaultName
	}
	if err := applyRules(&s.Rules, rules); err != nil {
		return nil, err
	}
	return s, addTypes(s, elements)
}

// unique checks that no setting is given twice; types may be, for different extensions.
func unique(elements []*element) error {
	lines := map[string]int{}
	for _, e := range elements {
		if first := lines[e.Name]; first != 0 && e.Name != "type" {
			return e.Wrong(phrase.Error("settings.twice", "given twice, first on line {line}", "line", first))
		}
		lines[e.Name] = e.Line
	}
	return nil
}

func leaf(e *element) error {
	if len(e.Children) > 0 {
		c := e.Children[0]
		return xmltree.AtLine(c.Line, phrase.Error("settings.inside", "element {name} inside {outer}: write a tag as <![CDATA[<{name}>]]>", "name", c.Name, "outer", e.Name))
	}
	return noAttrs(e)
}

func noAttrs(e *element) error {
	if len(e.Attrs) > 0 {
		return e.Wrong(phrase.Error("settings.unknown-attribute", "unknown attribute {name}", "name", strconv.Quote(e.Attrs[0].Name.Local)))
	}
	return nil
}

func text(to *string, e *element) error {
	*to = e.Value()
	if *to == "" {
		return e.Wrong(phrase.Error("settings.empty", "is empty"))
	}
	return nil
}

// setHosts stores the addresses of a cluster. It rejects addresses with a password, which belongs
// in a separate file.
func setHosts(s *Settings, e *element) error {
	if strings.Contains(e.Text(), "@") {
		return e.Wrong(phrase.Error("settings.host-password", "has a user or a password: use <user> and <password_file>"))
	}
	return words(&s.Cluster.Hosts, e)
}

// words stores a list separated by white space or commas.
func words(to *[]string, e *element) error {
	*to = list(e.Text())
	if len(*to) == 0 {
		return e.Wrong(phrase.Error("settings.empty", "is empty"))
	}
	return nil
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
}

func boolean(to *bool, e *element) error {
	word, err := choice(e, "true", "false")
	*to = word == "true"
	return err
}

func setBoilerplate(s *Settings, e *element) error {
	word, err := choice(e, "keep", "strip")
	s.Strip = word == "strip"
	return err
}

// setOCR stores the languages of text in pictures, or NoOCR.
func setOCR(s *Settings, e *element) error {
	if s.OCR = e.Value(); s.OCR == NoOCR {
		return nil
	}
	languages, err := Languages(s.OCR)
	if err != nil {
		return e.Wrong(err)
	}
	s.OCR = strings.Join(languages, "+")
	return nil
}

// choice returns the text of an element, which must be one of the allowed words.
func choice(e *element, allowed ...string) (string, error) {
	word := e.Value()
	if slices.Contains(allowed, word) {
		return word, nil
	}
	last := len(allowed) - 1
	return "", e.Wrong(notAllowed(word, phrase.Error("settings.or", "{first} or {last}", "first", strings.Join(allowed[:last], ", "), "last", allowed[last])))
}

func notAllowed(value string, want error) error {
	return phrase.Error("settings.not-allowed", "{value} is not allowed: want {wanted}", "value", strconv.Quote(value), "wanted", want)
}

func number(to *int, e *element, low, high int) error {
	n, err := strconv.Atoi(e.Value())
	if err != nil || n < low || n > high {
		return e.Wrong(notAllowed(e.Value(), phrase.Error("settings.number", "a whole number from {low} to {high}", "low", low, "high", high)))
	}
	*to = n
	return nil
}

// replicas stores the number of replicas: -1 for none, since 0 means unset.
func replicas(s *Settings, e *element) error {
	if err := number(&s.Cluster.Replicas, e, 0, 100); err != nil {
		return err
	}
	s.Cluster.Replicas = cmp.Or(s.Cluster.Replicas, -1)
	return nil
}

func duration(to *time.Duration, e *element) error {
	d, err := time.ParseDuration(strings.ReplaceAll(e.Value(), " ", ""))
	if err != nil || d <= 0 {
		return e.Wrong(notAllowed(e.Value(), phrase.Error("settings.time", "a time such as 30s or 2m")))
	}
	*to = d
	return nil
}

// units are the units of sizes; a number without unit is in bytes.
var units = []struct {
	name  string
	bytes int64
}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", 1 << 40}, {"", 1}}

func size(to *int64, e *element) (err error) {
	n, err := ParseSize(e.Text())
	if err != nil {
		return e.Wrong(err)
	}
	*to = n
	return nil
}

// Limits for the memory of the PDF engine: with less it can read hardly any file, and it cannot
// address more.
const leastMemory, mostMemory = 64 << 20, 4 << 30

func engineMemory(to *int64, e *element) error {
	var n int64
	if err := size(&n, e); err != nil {
		return err
	}
	if n < leastMemory || n > mostMemory {
		return e.Wrong(notAllowed(e.Text(), phrase.Error("settings.memory", "a size from 64 MB to 4 GB")))
	}
	*to = n
	return nil
}

// ParseSize parses a size such as 500 KB, 256 MB or 2 GB and returns its bytes.
func ParseSize(typed string) (int64, error) {
	value := strings.ToUpper(strings.TrimSpace(typed))
	for _, u := range units {
		digits, ok := strings.CutSuffix(value, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 1 || n > (1<<50)/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, notAllowed(strings.TrimSpace(typed), phrase.Error("settings.size", "a size such as 500 KB, 256 MB or 2 GB"))
}

// maxSecret is the size limit for a file with a secret, in bytes.
const maxSecret = 64 << 10

// secret stores the content of the named file without surrounding white space.
func secret(to *string, e *element) error {
	path := e.Value()
	f, err := os.Open(path)
	if err != nil {
		return e.Wrong(phrase.Error("settings.read", "read {file}: {cause}", "file", path, "cause", oserror.Cause(err)))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return e.Wrong(phrase.Error("settings.read", "read {file}: {cause}", "file", path, "cause", oserror.Cause(err)))
	}
	if len(data) > maxSecret {
		return e.Wrong(phrase.Error("settings.larger", "larger than {most} bytes", "most", maxSecret))
	}
	*to = strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff")) // as some editors of Windows begin a file
	if *to == "" {
		return e.Wrong(phrase.Error("settings.file-empty", "{file} is empty", "file", path))
	}
	return nil
}
