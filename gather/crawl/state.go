package crawl

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/otisk/otisk/internal/statefile"
)

// An entry is what is known of an article.
type entry struct {
	URL      string    `json:"url"`  // where it was found, after all redirects and without what only tells the way of a reader
	Link     string    `json:"link"` // by which it was asked for
	ETag     string    `json:"etag,omitempty"`
	Modified string    `json:"modified,omitempty"`
	Hash     string    `json:"hash,omitempty"` // of its title and text; "" where no text was found
	Checked  time.Time `json:"checked"`
	Gone     bool      `json:"gone,omitempty"`
	Versions int       `json:"versions,omitempty"`
	Last     uint64    `json:"last,omitempty"` // version
}

// A version is a text that an article had.
type version struct {
	URL  string    `json:"url"`
	At   time.Time `json:"at"` // when it was fetched
	Day  string    `json:"day"`
	At0  int64     `json:"offset"` // of its line in the text of that day
	Size int64     `json:"size"`
	Prev uint64    `json:"prev,omitempty"` // version that it replaced
}

// The buckets of the state.
var (
	feedsBucket    = []byte("feeds")    // address: feed
	articlesBucket = []byte("articles") // key of the address: entry
	linksBucket    = []byte("links")    // key of a link that leads elsewhere: key of an article
	versionsBucket = []byte("versions") // number: version
	filesBucket    = []byte("files")    // name: bytes that are good
	formatBucket   = []byte("format")
	idKey          = []byte("id") // there: of the crawl, random, so that neither a path nor a copy is taken for it
)

// stateFormat is raised where an older program would take the state wrongly.
const stateFormat = "1"

// errState says that a folder's state is not as it should be.
var errState = errors.New("the state of the crawl")

// A state is what is known of feeds, articles and files: one file, that is
// changed by whole transactions.
type state struct{ db *bbolt.DB }

func openState(dir string) (*state, error) {
	db, err := statefile.Open(filepath.Join(dir, "state.db"), errState, fmt.Errorf("%s: another otisk crawl is at work there", dir), prepare)
	if err != nil {
		return nil, err
	}
	return &state{db}, nil
}

// prepare makes what a state has, and refuses that of a newer program.
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
		return fmt.Errorf("was written by a newer otisk: format %s", have)
	}
}

// id returns what tells this crawl from others.
func (s *state) id() (id string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		id = string(tx.Bucket(formatBucket).Get(idKey))
		return nil
	})
	return id, err
}

// get reads a value into v, and reports whether there is one.
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

// put writes a value.
func put(tx *bbolt.Tx, bucket []byte, key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put([]byte(key), data)
}

// number is the key of a version: keys are in the order of their bytes.
func number(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// files returns how much of each file is good.
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

func versionNumber(key []byte) uint64 { return binary.BigEndian.Uint64(key) }
