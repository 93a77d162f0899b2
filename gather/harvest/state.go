package harvest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/statefile"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A job is the state of the harvest of one set of a repository in one format for one target.
type job struct {
	URL    string `json:"url"`
	Set    string `json:"set,omitempty"`
	Format string `json:"format"`
	Target string `json:"target"`

	ID   string `json:"id,omitempty"`   // random; identifies its bookmark in an index
	Puts int64  `json:"puts,omitempty"` // number of batches in the target

	Begun  string  `json:"begun,omitempty"` // Options.From of the first run
	Done   string  `json:"done,omitempty"`  // time of the repository up to which all is harvested
	Window *window `json:"window,omitempty"`
}

type window struct {
	From    string `json:"from,omitempty"` // "" for no limit
	Until   string `json:"until,omitempty"`
	Started string `json:"started"`          // time of the repository at the start
	Token   string `json:"token,omitempty"`  // resumption token; "" at the start
	Part    bool   `json:"part,omitempty"`   // some records of the page of Token are done
	Full    bool   `json:"full,omitempty"`   // records that are not listed are gone
	Listed  int    `json:"listed,omitempty"` // records so far
	Size    int    `json:"size,omitempty"`   // stated size of the list; 0 if not stated
	Lost    int    `json:"lost,omitempty"`   // unidentified damaged records; if there are any, no record is removed
	Round   int    `json:"round"`            // number of the window, stored in its records
}

type entry struct {
	Stamp   string   `json:"stamp"`
	Sum     string   `json:"sum,omitempty"`   // checksum of its metadata
	Names   []string `json:"names,omitempty"` // names of its documents
	Sources []source `json:"sources,omitempty"`
	Failed  string   `json:"failed,omitempty"` // why its text could not be fetched; retried later
	Tries   int      `json:"tries,omitempty"`
	Gone    bool     `json:"gone,omitempty"`
	Round   int      `json:"round,omitempty"`

	Said store.Description `json:"said,omitzero"` // metadata of the work

	ident string
}

// A state is the file with the state of harvests. Changes are transactions.
type state struct {
	db  *statefile.DB
	key []byte
}

var (
	jobKey        = []byte("job")
	recordsBucket = []byte("records")
	formatKey     = []byte("format")
)

// stateFormat is the version of the state, increased if older programs would misread it.
const stateFormat = "1"

var errState error = phrase.Error("gather.harvest-state", "the state of the harvest")

func openState(path string, step lasting.Step, j *job) (*state, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", j.URL, j.Set, j.Format, j.Target))
	s := &state{key: []byte("job:" + hex.EncodeToString(sum[:16]))}
	busy := phrase.Error("gather.harvest-busy", "{name}: another harvest is using it", "name", path)
	var err error
	s.db, err = statefile.Open(path, step, errState, busy, func(tx *bbolt.Tx) error { return s.prepare(tx, j) })
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
		return phrase.Error("gather.state-format", "it has format {format}, and this program knows {known}", "format", format, "known", stateFormat)
	}
	if err := bucket.Put(formatKey, []byte(stateFormat)); err != nil {
		return err
	}
	if data := bucket.Get(jobKey); data != nil {
		return json.Unmarshal(data, j)
	}
	return nil
}

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

func (s *state) each(fn func(ident string, e entry) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(s.key).Bucket(recordsBucket).ForEach(func(k, v []byte) error {
			var e entry
			if err := json.Unmarshal(v, &e); err != nil {
				return phrase.Error("gather.record", "record {name}: {cause}", "name", k, "cause", err)
			}
			return fn(string(k), e)
		})
	})
}

// save keeps a job and records, all or nothing.
func (s *state) save(j *job, records map[string]entry) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(s.key)
		if err := statefile.Put(bucket, jobKey, j); err != nil {
			return err
		}
		for ident, e := range records {
			if err := statefile.Put(bucket.Bucket(recordsBucket), []byte(ident), e); err != nil {
				return err
			}
		}
		return nil
	})
}

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
