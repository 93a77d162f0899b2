// Package storagetest opens data folders for tests: on SQLite, or on the PostgreSQL database that the
// environment variable OTISK_TEST_POSTGRES names; with uploads and reports in the folder, or in the
// bucket that OTISK_TEST_S3 names. So the same tests run on all of them.
package storagetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/bucket/buckettest"
	"github.com/otisk/otisk/serve/storage"
)

// Variable is the environment variable with the address of a PostgreSQL database for tests.
const Variable = "OTISK_TEST_POSTGRES"

// NeedPostgres skips a test of several servers on SQLite.
func NeedPostgres(t *testing.T) {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skip("needs a PostgreSQL database in " + Variable)
	}
}

// Open opens the data folder dir, with a schema of its own in PostgreSQL. A folder that a test opens
// again has the same schema, which the end of the test removes.
func Open(t *testing.T, dir string) (*storage.Folder, error) {
	t.Helper()
	address := os.Getenv(Variable)
	if address != "" {
		address = Schema(t, address, dir)
	} else if err := copyEmpty(dir); err != nil {
		t.Fatal(err)
	}
	return storage.Open(t.Context(), dir, storage.Options{Database: address, Bucket: Bucket(t, dir)})
}

// databaseName is the name of the database in a data folder.
const databaseName = "otisk.db"

// empty returns a database without rows, made once for all tests of a package: its migrations take 50 ms of CPU.
var empty = sync.OnceValues(func() (data []byte, err error) {
	dir, err := os.MkdirTemp("", "otisk-empty-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	f, err := storage.Open(context.Background(), dir, storage.Options{})
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, databaseName))
})

// copyEmpty writes the empty database into a folder that has no files.
func copyEmpty(dir string) error {
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return nil // storage.Open reports an error
	}
	data, err := empty()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, databaseName), data, 0o600)
}

// Trigger returns a statement that makes the database of the test execute another one at an event, such as
// "BEFORE UPDATE ON checks WHEN NEW.state = 'failed'".
func Trigger(name, event, statement string) string {
	if os.Getenv(Variable) == "" {
		return "CREATE TRIGGER " + name + " " + event + " BEGIN " + statement + "; END"
	}
	event, when, found := strings.Cut(event, " WHEN ")
	if !found {
		when = "TRUE"
	}
	return "CREATE FUNCTION " + name + "() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN " + statement + "; RETURN NEW; END $$;\n" +
		"CREATE TRIGGER " + name + " " + event + " FOR EACH ROW WHEN (" + when + ") EXECUTE FUNCTION " + name + "()"
}

// Refusal returns a statement that makes the database of the test refuse what an event does, as on a full disk.
func Refusal(name, event string) string {
	if os.Getenv(Variable) == "" {
		return Trigger(name, event, "SELECT RAISE(ABORT, 'full')")
	}
	return Trigger(name, event, "RAISE EXCEPTION 'full'")
}

// Dropped returns a statement that removes a trigger, if it exists.
func Dropped(name string) string {
	if os.Getenv(Variable) == "" {
		return "DROP TRIGGER IF EXISTS " + name
	}
	return "DROP FUNCTION IF EXISTS " + name + " CASCADE"
}

// BucketVariable is the environment variable with the address of a bucket in an S3 store, as
// http://KEY:SECRET@HOST/BUCKET. Tests leave files in it. With "stub", it is one in memory.
const BucketVariable = "OTISK_TEST_S3"

// stub starts a server of package buckettest for all tests of a package, and returns the address of its bucket.
var stub = sync.OnceValue(func() string {
	server := httptest.NewServer(buckettest.New())
	return strings.Replace(server.URL, "http://", "http://key:secret@", 1) + "/" + buckettest.Name
})

// Bucket returns a part of the bucket that the environment names, for a data folder; nil if it names
// none.
func Bucket(t *testing.T, dir string) *bucket.Bucket {
	t.Helper()
	typed := os.Getenv(BucketVariable)
	if typed == "" {
		return nil
	}
	if typed == "stub" {
		typed = stub()
	}
	u, err := url.Parse(typed)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	c := bucket.Config{Region: "us-east-1", Key: u.User.Username(), Secret: secret}
	u.User = nil
	c.Address = u.JoinPath(nameOf(dir)).String()
	b, err := bucket.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Names returns the names of the files of a kind that a folder keeps: storage.Files or storage.Reports.
func Names(t *testing.T, f *storage.Folder, kind string) (list []string) {
	t.Helper()
	if b := Bucket(t, f.Path()); b != nil {
		err := b.Each(t.Context(), kind+"/", func(key string, _ time.Time) error {
			list = append(list, key[len(kind)+1:])
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	files, err := os.ReadDir(f.Path(kind))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		list = append(list, file.Name())
	}
	return list
}

// nameOf returns a name that belongs to a folder.
func nameOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return "test_" + hex.EncodeToString(sum[:8])
}

// Schema returns the address of a schema for a folder in the database at address.
func Schema(t *testing.T, address, dir string) string {
	t.Helper()
	name := nameOf(dir)
	execute(t, address, "CREATE SCHEMA IF NOT EXISTS "+name)
	t.Cleanup(func() { execute(t, address, "DROP SCHEMA IF EXISTS "+name+" CASCADE") })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	return u.String()
}

func execute(t *testing.T, address, statement string) {
	t.Helper()
	ctx := context.Background() // also after the test
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement).ReadAll(); err != nil {
		t.Fatal(err)
	}
}
