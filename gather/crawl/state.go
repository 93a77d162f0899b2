package crawl

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/statefile"
	"github.com/otisk/otisk/lang/phrase"
)

type entry struct {
	URL      string    `json:"url"`  // address after all redirects, without tracking parameters
	Link     string    `json:"link"` // requested address
	ETag     string    `json:"etag,omitempty"`
	Modified string    `json:"modified,omitempty"`
	Hash     string    `json:"hash,omitempty"` // of title and text; "" if no text was found
	Checked  time.Time `json:"checked"`
	Gone     bool      `json:"gone,omitempty"`
	Versions int       `json:"versions,omitempty"`
	Last     uint64    `json:"last,omitempty"` // number of the last version
}

type version struct {
	URL  string    `json:"url"`
	At   time.Time `json:"at"` // time of the download
	Day  string    `json:"day"`
	At0  int64     `json:"offset"` // of its line in the file of texts of this day
	Size int64     `json:"size"`
	Prev uint64    `json:"prev,omitempty"` // number of the version that it replaced
}

var (
	feedsBucket    = []byte("feeds")    // address: feed
	articlesBucket = []byte("articles") // key of the address: entry
	linksBucket    = []byte("links")    // key of a link that leads elsewhere: key of an article
	versionsBucket = []byte("versions") // number: version
	filesBucket    = []byte("files")    // name: committed size in bytes
	formatBucket   = []byte("format")
	idKey          = []byte("id") // in formatBucket: random id of the crawl, which does not depend on its path
)

// stateFormat changes if an older program would misread the state.
const stateFormat = "1"

var errState error = phrase.Error("gather.crawl-state", "the state of the crawl")

// A state stores feeds, articles, versions and sizes of files in one database.
type state struct{ db *statefile.DB }

func openState(dir string, step lasting.Step) (*state, error) {
	db, err := statefile.Open(filepath.Join(dir, "state.db"), step, errState, phrase.Error("gather.crawl-busy", "{name}: another crawl is using it", "name", dir), prepare)
	if err != nil {
		return nil, err
	}
	return &state{db}, nil
}

// prepare creates the buckets of a new state, and rejects the state of a newer program.
func prepare(tx *bbolt.Tx) error {
	for _, name := range [][]byte{feedsBucket, articlesBucket, linksBucket, versionsBucket, filesBucket, formatBucket} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	b := tx.Bucket(formatBucket)
	if b.Get(idKey) == nil {
		if err := b.Put(idKey, []byte(rand.Text())); err != nil {
			return err
		}
	}
	switch have := string(b.Get(formatBucket)); have {
	case "":
		return b.Put(formatBucket, []byte(stateFormat))
	case stateFormat:
		return nil
	default:
		return phrase.Error("gather.newer", "was written by a newer otisk: format {format}", "format", have)
	}
}

func (s *state) id() (id string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		id = string(tx.Bucket(formatBucket).Get(idKey))
		return nil
	})
	return id, err
}

func (s *state) get(bucket []byte, key string, v any) (ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		data := tx.Bucket(bucket).Get([]byte(key))
		if ok = data != nil; ok {
			return json.Unmarshal(data, v)
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("%w: %s: %w", errState, key, err)
	}
	return ok, nil
}

// number returns the key of a version. Keys sort by their bytes, hence big endian.
func number(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

func (s *state) files() (map[string]int64, error) {
	all := map[string]int64{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(filesBucket).ForEach(func(name, data []byte) error {
			var n int64
			err := json.Unmarshal(data, &n)
			all[string(name)] = n
			return err
		})
	})
	return all, err
}
