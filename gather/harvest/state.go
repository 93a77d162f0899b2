package harvest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/otisk/otisk/internal/statefile"
	"github.com/otisk/otisk/store"
)

// A job is what is known of one harvest: of one set of a repository, in one
// format, for one target.
type job struct {
	URL    string `json:"url"`
	Set    string `json:"set,omitempty"`
	Format string `json:"format"`
	Target string `json:"target"`

	ID   string `json:"id,omitempty"`   // random: tells its bookmark in an index from others
	Puts int64  `json:"puts,omitempty"` // batches that the target has

	Begun  string  `json:"begun,omitempty"` // date that was asked for to begin at
	Done   string  `json:"done,omitempty"`  // to when all is harvested: the repository's clock
	Window *window `json:"window,omitempty"`
}

// A window is a list that is being harvested.
type window struct {
	From    string `json:"from,omitempty"` // "" for all
	Until   string `json:"until,omitempty"`
	Started string `json:"started"`          // the repository's clock when it began
	Token   string `json:"token,omitempty"`  // what gives the next page; "" at the start
	Full    bool   `json:"full,omitempty"`   // what it does not have is gone
	Listed  int    `json:"listed,omitempty"` // records so far
	Size    int    `json:"size,omitempty"`   // of them, as the repository says it; 0 where it does not
	Lost    int    `json:"lost,omitempty"`   // of them, records of which nothing is known; nothing is gone then
	Round   int    `json:"round"`            // number of the window, which its records have
}

// An entry is what is known of a record.
type entry struct {
	Stamp   string   `json:"stamp"`
	Sum     string   `json:"sum,omitempty"`   // of its metadata
	Names   []string `json:"names,omitempty"` // of the documents from it
	Sources []source `json:"sources,omitempty"`
	Failed  string   `json:"failed,omitempty"` // what could not be had, for another time
	Tries   int      `json:"tries,omitempty"`
	Gone    bool     `json:"gone,omitempty"`
	Round   int      `json:"round,omitempty"`

	Said store.Description `json:"said,omitzero"` // what the record says of the work

	ident string
}

// A state is the file that harvests are remembered in. It is changed by whole
// transactions.
type state struct {
	db  *bbolt.DB
	key []byte
}

var (
	jobKey        = []byte("job")
	recordsBucket = []byte("records")
	formatKey     = []byte("format")
)

// stateFormat is raised where an older program would take the state wrongly.
const stateFormat = "1"

// errState says that the file of the state is not as it should be.
var errState = errors.New("the state of the harvest")

// openState opens the state of a job, or begins it.
func openState(path string, j *job) (*state, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", j.URL, j.Set, j.Format, j.Target))
	s := &state{key: []byte("job:" + hex.EncodeToString(sum[:16]))}
	busy := fmt.Errorf("%s: another otisk harvest is at work with it", path)
	var err error
	s.db, err = statefile.Open(path, errState, busy, func(tx *bbolt.Tx) error { return s.prepare(tx, j) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *state) prepare(tx *bbolt.Tx, j *job) error {
	bucket, err := tx.CreateBucketIfNotExists(s.key)
	if err != nil {
		return err
	}
	if _, err := bucket.CreateBucketIfNotExists(recordsBucket); err != nil {
		return err
	}
	if format := bucket.Get(formatKey); format != nil && string(format) != stateFormat {
		return fmt.Errorf("it has format %s, and this program knows %s", format, stateFormat)
	}
	if err := bucket.Put(formatKey, []byte(stateFormat)); err != nil {
		return err
	}
	if data := bucket.Get(jobKey); data != nil {
		return json.Unmarshal(data, j)
	}
	return nil
}

// record returns what is known of a record; ok is false for nothing.
func (s *state) record(ident string) (e entry, ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		data := tx.Bucket(s.key).Bucket(recordsBucket).Get([]byte(ident))
		if data == nil {
			return nil
		}
		ok = true
		return json.Unmarshal(data, &e)
	})
	return e, ok, err
}

// each calls fn for each record.
func (s *state) each(fn func(ident string, e entry) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(s.key).Bucket(recordsBucket).ForEach(func(k, v []byte) error {
			var e entry
			if err := json.Unmarshal(v, &e); err != nil {
				return fmt.Errorf("record %s: %w", k, err)
			}
			return fn(string(k), e)
		})
	})
}

// save keeps a job and records, all or nothing.
func (s *state) save(j *job, records map[string]entry) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(s.key)
		data, err := json.Marshal(j)
		if err != nil {
			return err
		}
		if err := bucket.Put(jobKey, data); err != nil {
			return err
		}
		for ident, e := range records {
			data, err := json.Marshal(e)
			if err != nil {
				return err
			}
			if err := bucket.Bucket(recordsBucket).Put([]byte(ident), data); err != nil {
				return err
			}
		}
		return nil
	})
}

// forget drops all that is known, but not what the job is.
func (s *state) forget(j *job) error {
	j.Done, j.Window, j.ID, j.Puts = "", nil, rand.Text(), 0
	return s.db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(s.key)
		if err := bucket.DeleteBucket(recordsBucket); err != nil {
			return err
		}
		if _, err := bucket.CreateBucket(recordsBucket); err != nil {
			return err
		}
		return bucket.Delete(jobKey)
	})
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
