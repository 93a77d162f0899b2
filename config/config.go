// Package config reads the configuration file into settings that are resolved
// once, before any work starts.
//
// Commands call [Find], which reads the file that the user named, or config.xml in the working
// directory, or no file. Missing settings have their defaults, so [Default] and an empty
// configuration are equal. Configuration files of Neuromancer are accepted.
//
// The file is not trusted: entities other than the five of XML are refused, and an element that
// is unknown, duplicated or has an invalid value is an error with its line. Silently ignoring
// a setting would change every result.
package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

// DefaultFile is the file that is read if the user names none and it exists.
const DefaultFile = "config.xml"

// maxFile is the size limit for a configuration file, in bytes.
const maxFile = 1 << 20

// Defaults of settings. DefaultIndex is a folder, DefaultName the name of an index on a server.
const (
	DefaultIndex   = "otisk.index"
	DefaultName    = "otisk"
	DefaultCommon  = 1000
	DefaultMaxFile = 256 << 20
	DefaultMaxTime = 5 * time.Minute

	DefaultMaxMemory = 1 << 30
)

// NoOCR is the value of Settings.OCR that disables the recognition of text in pictures.
const NoOCR = "none"

// AsIndexed is the value of Settings.Sample if it is not set: that of the index applies.
const AsIndexed = -1

// Settings are the resolved settings.
type Settings struct {
	Path  string // file that they were read from; "" for the defaults
	Index string // folder of the embedded index, or name of the index on servers

	Rules     normalize.Rules            // general rules
	Types     map[string]normalize.Rules // complete rules of file types, by extension
	Strip     bool                       // remove boilerplate of web pages
	OCR       string                     // languages of text in pictures of pages; "" or NoOCR disables recognition
	KeepTexts bool                       // the index keeps original texts
	Reworded  bool                       // also index pairs of words
	Hints     bool                       // searches also look for hints
	Sample    int                        // length in words of the shortest run that a sampled index is sure to find; 0 for all n-grams, or AsIndexed
	Common    int                        // an n-gram in more documents than this is common; 0 for no limit
	MaxFile   int64                      // size limit for a file in bytes
	MaxTime   time.Duration              // time limit for reading a file
	MaxCheck  time.Duration              // time after which a check aligns no more texts; 0 for no limit
	MaxMemory int64                      // memory limit of the PDF engine for a file in bytes
	Memory    int64                      // memory for the buffers of indexing in bytes; 0 for the default of each store

	Cluster Cluster // Elasticsearch
}

// A Cluster has the settings for connecting to Elasticsearch. Zero values mean the defaults of the
// client.
type Cluster struct {
	Hosts       []string // addresses
	CloudID     string   // replaces Hosts
	User        string
	Password    string // from <password_file>
	APIKey      string // from <api_key_file>
	CAFile      string
	Fingerprint string
	Timeout     time.Duration
	Compress    bool
	Shards      int
	Replicas    int // -1 for no replicas, 0 if not set
}

// Embedded reports whether the index is in a folder rather than on servers.
func (s *Settings) Embedded() bool { return len(s.Cluster.Hosts) == 0 && s.Cluster.CloudID == "" }

// Default returns the settings that apply without a configuration file.
func Default() *Settings {
	return &Settings{
		Index:     DefaultIndex,
		Rules:     normalize.DefaultRules(),
		Types:     map[string]normalize.Rules{},
		KeepTexts: true,
		Reworded:  true,
		Hints:     true,
		Sample:    AsIndexed,
		Common:    DefaultCommon,
		MaxFile:   DefaultMaxFile,
		MaxTime:   DefaultMaxTime,
		MaxMemory: DefaultMaxMemory,
	}
}

// Find returns the settings of the file named by flag, which must exist. If flag is "", it returns
// those of config.xml in the working directory, or the defaults if there is no such file.
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
		return nil, phrase.Error("settings.read", "read {file}: {cause}", "file", path, "cause", err)
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
		return nil, phrase.Error("settings.folder", "is a folder")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, oserror.Cause(err)
	}
	if len(data) > maxFile {
		return nil, phrase.Error("settings.larger", "larger than {most} bytes", "most", maxFile)
	}
	if len(data) == 0 && info.Mode().IsRegular() { // left by a full disk or a crash
		return nil, phrase.Error("settings.empty-file", "is empty: <otisk/> is a file of defaults")
	}
	return Parse(data)
}

// Parse returns the settings in the content of a configuration file. Errors start with the line if
// it is known.
func Parse(data []byte) (*Settings, error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, phrase.Error("settings.utf16", "is in UTF-16: save it in UTF-8")
	}
	elements, err := form.Parse(data)
	if err != nil {
		return nil, err
	}
	elements, err = unwrap(elements)
	if err != nil {
		return nil, err
	}
	return resolve(elements)
}
