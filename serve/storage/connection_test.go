package storage

import (
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// openServer opens the database that OTISK_TEST_POSTGRES names.
func openServer(t *testing.T) *sql.DB {
	t.Helper()
	address := os.Getenv("OTISK_TEST_POSTGRES")
	if address == "" {
		t.Skip("needs a PostgreSQL database in OTISK_TEST_POSTGRES")
	}
	return openAddress(t, address)
}

func openAddress(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := openPostgres(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestPostgresValues: values come back as they were sent, also as any.
func TestPostgresValues(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	for _, tt := range []struct {
		query string
		arg   any
		want  any
	}{
		{"SELECT ?", int64(-1 << 63), int64(-1 << 63)},
		{"SELECT ?::INT", 7, int64(7)},
		{"SELECT ?::SMALLINT", 7, int64(7)},
		{"SELECT ?", 0.1, 0.1},
		{"SELECT ?", 1e300, 1e300},
		{"SELECT ?", true, true},
		{"SELECT ?", false, false},
		{"SELECT ?", []byte{0, 255, '\\'}, []byte{0, 255, '\\'}},
		{"SELECT ?", []byte{}, []byte{}},
		{"SELECT ?::BYTEA", []byte(nil), nil},
		{"SELECT ?::TEXT", "Žluť", "Žluť"},
		{"SELECT ?::TEXT", "", ""},
		{"SELECT ?::TEXT", "a\x00b\xff", "a\uFFFDb\uFFFD"},
		{"SELECT ?::TEXT", nil, nil},
		{"SELECT ?::NUMERIC", "1.50", "1.50"},
		{"SELECT ?::BIGINT", sql.NullInt64{}, nil},
	} {
		var got any
		if err := db.QueryRow(tt.query, tt.arg).Scan(&got); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s of %#v = %#v, %v, want %#v", tt.query, tt.arg, got, err, tt.want)
		}
	}
	if err := db.QueryRow("SELECT ?", time.Now()).Scan(new(any)); err == nil {
		t.Error("a time is accepted, want an error")
	}
	var number int
	var text string
	if err := db.QueryRow("SELECT 1, 'a' WHERE 2 = ?", 2).Scan(&number, &text); err != nil || number != 1 || text != "a" {
		t.Errorf("SELECT of two columns = %d, %q, %v", number, text, err)
	}
}

// TestPostgresRows: a query returns all its rows, or an error in the middle of them. A connection is used again after
// a reader has stopped earlier.
func TestPostgresRows(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	db.SetMaxOpenConns(1)
	count := func(query string) (n int, err error) {
		rows, err := db.Query(query)
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		for rows.Next() {
			n++
		}
		return n, rows.Err()
	}
	rows, err := db.Query("SELECT generate_series(1, 100000)")
	if err != nil || !rows.Next() || rows.Close() != nil {
		t.Fatalf("a query of which one row is read = %v", err)
	}
	for query, want := range map[string]int{"SELECT generate_series(1, 100000)": 100000, "SELECT 1 WHERE false": 0} {
		if n, err := count(query); err != nil || n != want {
			t.Errorf("%s = %d rows, %v, want %d", query, n, err, want)
		}
	}
	var failed *pgconn.PgError
	n, err := count("SELECT 1 / (50000 - i) FROM generate_series(1, 100000) AS i")
	if !errors.As(err, &failed) || failed.Code != "22012" || n != 49999 {
		t.Errorf("a division by zero after 49999 rows = %d rows, %v", n, err)
	}
	if _, err := count("SELECT nothing"); !errors.As(err, &failed) || failed.Code != "42703" {
		t.Errorf("a query for a missing column = %v", err)
	}
	result, err := db.Exec("CREATE TEMPORARY TABLE one (n BIGINT); INSERT INTO one VALUES (1), (2), (3)")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 3 {
		t.Errorf("two statements = %d rows, %v, want the 3 of the last", n, err)
	}
	if result, err = db.Exec("DELETE FROM one WHERE n > ?", 1); err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 2 {
		t.Errorf("DELETE = %d rows, %v, want 2", n, err)
	}
}

// TestPostgresTransactions: a transaction with a failed statement is not committed, and the connection is used again.
func TestPostgresTransactions(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	db.SetMaxOpenConns(1)
	process := func() (pid int) {
		if err := db.QueryRow("SELECT pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	first := process()
	for _, statement := range []string{"SELECT nothing", "SELECT 1"} {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, failed := tx.Exec(statement)
		if err := tx.Commit(); (err != nil) != (failed != nil) {
			t.Errorf("Commit after %s = %v", statement, err)
		}
	}
	if again := process(); again != first {
		t.Error("another connection after transactions have ended")
	}
	if _, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a read-only transaction = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := tx.Commit(); err == nil {
		t.Error("a canceled transaction is committed")
	}
	var open int
	err = db.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE pid = ? AND pid != pg_backend_pid() AND state LIKE 'idle in%'", first).Scan(&open)
	if err != nil || open != 0 {
		t.Errorf("%d canceled transactions are open, %v", open, err)
	}
}

// TestPostgresCancel: a canceled query returns, and the server stops it.
func TestPostgresCancel(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const query = "SELECT pg_sleep(3600), 'TestPostgresCancel'"
	running := func() (yes bool) {
		err := db.QueryRow("SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE query = ? AND state = 'active')", query).Scan(&yes)
		if err != nil {
			t.Error(err)
			cancel()
		}
		return yes
	}
	go func() {
		for ctx.Err() == nil && !running() {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := db.ExecContext(ctx, query); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled query = %v", err)
	}
	for running() {
		time.Sleep(time.Millisecond)
	}
}

// TestPostgresBroken: a connection that the server has closed is replaced.
func TestPostgresBroken(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	err = conn.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&pid)
	idle := conn.Raw(func(c any) error { c.(*postgresConn).checked = time.Time{}; return nil })
	if err := errors.Join(err, idle, conn.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := openServer(t).Exec("SELECT pg_terminate_backend(?::INT, 60000)", pid); err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatalf("BeginTx after the server has closed the connection = %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
}

// A fakeServer answers the start of connections as PostgreSQL does, and no queries.
type fakeServer struct {
	net.Listener
	tls     *tls.Config // nil for a server without TLS
	started chan map[string]string
	queried chan struct{}
}

func fake(t *testing.T, config *tls.Config) *fakeServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &fakeServer{l, config, make(chan map[string]string, 10), make(chan struct{}, 10)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_ = s.serve(conn)
			}()
		}
	}()
	return s
}

func (s *fakeServer) serve(conn net.Conn) error {
	b := pgproto3.NewBackend(conn, conn)
	for {
		message, err := b.ReceiveStartupMessage()
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *pgproto3.SSLRequest:
			answer := "N"
			if s.tls != nil {
				answer = "S"
			}
			if _, err := io.WriteString(conn, answer); err != nil {
				return err
			}
			if s.tls != nil {
				conn = tls.Server(conn, s.tls)
				b = pgproto3.NewBackend(conn, conn)
			}
			continue
		case *pgproto3.StartupMessage:
			s.started <- m.Parameters
		default:
			return nil
		}
		b.Send(&pgproto3.AuthenticationOk{})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if err := b.Flush(); err != nil {
			return err
		}
		for {
			if _, err := b.Receive(); err != nil {
				return err
			}
			s.queried <- struct{}{}
		}
	}
}

// TestPostgresTLS: an address without sslmode connects to servers with and without TLS. One that asks for a verified
// server refuses others.
func TestPostgresTLS(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil)
	web.Close()
	root := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, encrypted := fake(t, nil), fake(t, &tls.Config{Certificates: web.TLS.Certificates})
	for _, tt := range []struct {
		server  *fakeServer
		host    string
		options string
		refused string
	}{
		{plain, "127.0.0.1", "", ""},
		{encrypted, "127.0.0.1", "", ""},
		{plain, "127.0.0.1", "sslmode=disable", ""},
		{encrypted, "127.0.0.1", "sslmode=require", ""},
		{plain, "127.0.0.1", "sslmode=require", "refused TLS"},
		{plain, "127.0.0.1", "sslmode=verify-full", "refused TLS"},
		{encrypted, "127.0.0.1", "sslmode=verify-ca", "certificate"},
		{encrypted, "127.0.0.1", "sslmode=verify-full", "certificate"},
		{encrypted, "127.0.0.1", "sslmode=verify-full sslrootcert=" + root, ""},
		{encrypted, "localhost", "sslmode=verify-full sslrootcert=" + root, "certificate"},
		{encrypted, "localhost", "sslmode=verify-ca sslrootcert=" + root, ""},
	} {
		_, port, err := net.SplitHostPort(tt.server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{
			"postgres://otisk@" + tt.host + ":" + port + "/base?" + strings.ReplaceAll(tt.options, " ", "&"),
			"host=" + tt.host + " port=" + port + " user=otisk dbname=base " + tt.options,
		} {
			conn, err := openAddress(t, address).Conn(t.Context())
			if err == nil {
				_ = conn.Close()
				if got := <-tt.server.started; got["user"] != "otisk" || got["database"] != "base" || got["application_name"] != "otisk" {
					t.Errorf("%s: the server was sent %v", address, got)
				}
			}
			if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s: %v, want %q", address, err, tt.refused)
			}
		}
	}
}

// TestPostgresSilent: a query to a server that does not answer returns when it is canceled.
func TestPostgresSilent(t *testing.T) {
	t.Parallel()
	server := fake(t, nil)
	db := openAddress(t, "postgres://otisk@"+server.Addr().String()+"/base")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-server.queried
		cancel()
	}()
	if err := db.QueryRowContext(ctx, "SELECT 1").Scan(new(int)); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled query = %v", err)
	}
}
