// Package config reads the configuration file into settings that are resolved
// once, before any work starts.
//
// [Find] is what a command calls: it takes the file that the user named, or
// config.xml of the working directory, or no file at all. What the file leaves
// out has its default, so that [Default] and a file without a setting are the
// same. The files of Neuromancer are read as they are.
//
// The file is hostile input: entities beyond the five of XML are refused, and
// an element that is unknown, appears twice or has a wrong value is an error
// that names its line. A setting that was silently ignored would change every
// result.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/normalize"
)

// DefaultFile is the file that is read where none is named, if it is there.
const DefaultFile = "config.xml"

// maxFile is the size that a configuration file may have.
const maxFile = 1 << 20

// Defaults of the settings that have one. DefaultIndex is a folder,
// DefaultName the name of the index on a server.
const (
	DefaultIndex   = "otisk.index"
	DefaultName    = "otisk"
	DefaultCommon  = 1000
	DefaultMaxFile = 256 << 20
	DefaultMaxTime = 5 * time.Minute

	DefaultMaxMemory = 1 << 30
)

// NoOCR is the OCR of settings that say that text in pictures is not to be recognised.
const NoOCR = "none"

// AsIndexed is the Sample of settings that do not say it: that of the index, if
// there is one.
const AsIndexed = -1

// Settings say how a text is normalised and where the index is.
type Settings struct {
	Path  string // the file they were read from, "" for the defaults
	Index string // folder of the embedded index, or name of the one on the servers

	Rules     normalize.Rules            // general rules
	Types     map[string]normalize.Rules // whole rules of a file type, by extension
	Strip     bool                       // whether what is around the text of web pages is left out
	OCR       string                     // languages of text in pictures of pages; "" or NoOCR leaves these alone
	KeepTexts bool                       // whether the index keeps original texts
	Reworded  bool                       // whether documents are indexed by pairs of words too
	Sample    int                        // words of the shortest run that a sampled index finds for certain; 0 for all n-grams, AsIndexed where nothing is said
	Common    int                        // an n-gram in more documents than this is common; 0 for no limit
	MaxFile   int64                      // bytes that a file may have
	MaxTime   time.Duration              // that one file may take to be read
	MaxCheck  time.Duration              // after which a check aligns no more texts; 0 for no limit
	MaxMemory int64                      // bytes that the engine for PDFs may take for one file
	Memory    int64                      // bytes that indexing may take for its buffers; 0 leaves it to each part

	Cluster Cluster // Elasticsearch
}

// A Cluster says how Elasticsearch is reached. Zero values leave the choice to
// the client.
type Cluster struct {
	Hosts       []string // addresses
	CloudID     string   // in place of Hosts
	User        string
	Password    string // from <password_file>
	APIKey      string // from <api_key_file>
	CAFile      string
	Fingerprint string
	Timeout     time.Duration
	Compress    bool
	Shards      int
	Replicas    int // -1 for none
}

// Embedded reports whether the index is the embedded one, a folder.
func (s *Settings) Embedded() bool { return len(s.Cluster.Hosts) == 0 && s.Cluster.CloudID == "" }

// Default returns the settings that hold without a configuration file.
func Default() *Settings {
	return &Settings{
		Index:     DefaultIndex,
		Rules:     normalize.DefaultRules(),
		Types:     map[string]normalize.Rules{},
		KeepTexts: true,
		Reworded:  true,
		Sample:    AsIndexed,
		Common:    DefaultCommon,
		MaxFile:   DefaultMaxFile,
		MaxTime:   DefaultMaxTime,
		MaxMemory: DefaultMaxMemory,
	}
}

// Find returns the settings of the file that a flag named, which must exist;
// without one those of config.xml in the working directory, or the defaults
// where there is no such file.
func Find(flag string) (*Settings, error) {
	if flag != "" {
		return Load(flag)
	}
	s, err := Load(DefaultFile)
	if errors.Is(err, fs.ErrNotExist) && !exists(DefaultFile) {
		return Default(), nil
	}
	return s, err
}

// exists distinguishes a missing configuration file from one that names a missing file.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Load reads the settings of a file.
func Load(path string) (*Settings, error) {
	s, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	s.Path = path
	return s, nil
}

func load(path string) (*Settings, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, oserror.Cause(err)
	}
	if info.IsDir() {
		return nil, errors.New("is a folder")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, oserror.Cause(err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("larger than %d bytes", maxFile)
	}
	if len(data) == 0 && info.Mode().IsRegular() { // as a full disk or a crash leaves it
		return nil, errors.New("is empty: <otisk/> is a file of defaults")
	}
	return Parse(data)
}

// Parse reads settings out of the content of a configuration file. Errors
// start with the line, where there is one to name.
func Parse(data []byte) (*Settings, error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errors.New("is in UTF-16: save it in UTF-8")
	}
	elements, err := parse(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, err
	}
	elements, err = unwrap(elements)
	if err != nil {
		return nil, err
	}
	return resolve(elements)
}
