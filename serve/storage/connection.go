package storage

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// openPostgres opens a pool of connections to a PostgreSQL database.
func openPostgres(address string) (*sql.DB, error) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "otisk"
	}
	// Options of the driver pgx, which addresses for other programs may have. The server would refuse them.
	for _, name := range []string{"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity"} {
		delete(config.RuntimeParams, name)
	}
	return sql.OpenDB(postgresConnector{config}), nil
}

// A postgresConnector opens connections. It has no driver, since its database is not opened by name.
type postgresConnector struct{ config *pgconn.Config }

func (c postgresConnector) Driver() driver.Driver { return nil }

func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := pgconn.ConnectConfig(ctx, c.config.Copy())
	if err != nil {
		return nil, err
	}
	return &postgresConn{conn: conn}, nil
}

// A postgresConn is a connection of database/sql. It rewrites queries. A query with parameters is sent in one round trip
// as a statement without a name, so no statement is kept in a connection, and a pooler may be between.
type postgresConn struct {
	conn    *pgconn.PgConn
	checked time.Time // when it was last known to be open
}

// Types of PostgreSQL by their OIDs. Values of other types are texts.
const (
	typeBool   = 16
	typeBytea  = 17
	typeInt8   = 20
	typeInt2   = 21
	typeInt4   = 23
	typeFloat8 = 701
)

// Prepare and Begin implement [driver.Conn]. database/sql calls BeginTx instead of Begin.
func (c *postgresConn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c *postgresConn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }

// Close implements [driver.Conn].
func (c *postgresConn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return c.conn.Close(ctx)
}

// IsValid implements [driver.Validator]: a connection is not used again if it is closed, as after a canceled query, or
// if its transaction has not ended.
func (c *postgresConn) IsValid() bool { return !c.conn.IsClosed() && c.conn.TxStatus() == 'I' }

// ResetSession implements [driver.SessionResetter]. It checks whether a connection that was idle is still open.
func (c *postgresConn) ResetSession(ctx context.Context) error {
	if !c.IsValid() || time.Since(c.checked) > time.Second && c.conn.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	c.checked = time.Now()
	return nil
}

// BeginTx implements [driver.ConnBeginTx].
func (c *postgresConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if opts != (driver.TxOptions{}) {
		return nil, errors.ErrUnsupported
	}
	if _, err := c.execute(ctx, "BEGIN"); err != nil {
		return nil, retriable(err)
	}
	return postgresTx{ctx, c}, nil
}

// ExecContext implements [driver.ExecerContext]. Without arguments, query may have several statements.
func (c *postgresConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	var tag pgconn.CommandTag
	var err error
	if len(args) == 0 {
		tag, err = c.execute(ctx, postgresQuery(query))
	} else {
		tag, err = c.send(ctx, query, args).Close()
	}
	return driver.RowsAffected(tag.RowsAffected()), retriable(err)
}

// QueryContext implements [driver.QueryerContext].
func (c *postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	r := &postgresRows{reader: c.send(ctx, query, args)}
	r.ahead = r.reader.NextRow()
	for _, field := range r.reader.FieldDescriptions() {
		r.names = append(r.names, field.Name)
		r.types = append(r.types, field.DataTypeOID)
	}
	if !r.ahead {
		if err := r.Close(); err != nil {
			return nil, retriable(err)
		}
	}
	return r, nil
}

// CheckNamedValue implements [driver.NamedValueChecker]. PostgreSQL has no text with NUL or bytes
// that are not UTF-8, which names of files may have; pages show the same character for them.
func (c *postgresConn) CheckNamedValue(v *driver.NamedValue) (err error) {
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	switch value := v.Value.(type) {
	case string:
		v.Value = strings.ReplaceAll(strings.ToValidUTF8(value, "\uFFFD"), "\x00", "\uFFFD")
	case time.Time:
		return errors.New("times are stored as milliseconds")
	}
	return err
}

// send sends a query. Numbers and booleans have their types, since PostgreSQL compares two parameters as texts
// otherwise; the types of texts depend on the query.
func (c *postgresConn) send(ctx context.Context, query string, args []driver.NamedValue) *pgconn.ResultReader {
	values, types, formats := make([][]byte, len(args)), make([]uint32, len(args)), make([]int16, len(args))
	for i, arg := range args {
		switch v := arg.Value.(type) {
		case int64:
			values[i], types[i] = strconv.AppendInt(nil, v, 10), typeInt8
		case float64:
			values[i], types[i] = strconv.AppendFloat(nil, v, 'g', -1, 64), typeFloat8
		case bool:
			values[i], types[i] = strconv.AppendBool(nil, v), typeBool
		case []byte:
			values[i], types[i], formats[i] = v, typeBytea, 1 // not a text
		case string:
			values[i] = []byte(v)
		}
	}
	return c.conn.ExecParams(ctx, postgresQuery(query), values, types, formats, nil)
}

// execute executes statements without parameters, and returns the tag of the last one.
func (c *postgresConn) execute(ctx context.Context, statements string) (tag pgconn.CommandTag, err error) {
	results, err := c.conn.Exec(ctx, statements).ReadAll()
	if len(results) > 0 {
		tag = results[len(results)-1].CommandTag
	}
	return tag, err
}

// retriable returns an error after which database/sql tries another connection if nothing was sent.
func retriable(err error) error {
	if pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

// A postgresTx is a transaction. A connection is not used again if a transaction does not end.
type postgresTx struct {
	ctx context.Context
	c   *postgresConn
}

func (t postgresTx) Commit() error {
	tag, err := t.c.execute(t.ctx, "COMMIT")
	if err == nil && tag.String() != "COMMIT" {
		err = errors.New("the transaction was rolled back, since a statement had failed")
	}
	return err
}

func (t postgresTx) Rollback() error {
	_, err := t.c.execute(t.ctx, "ROLLBACK")
	return err
}

// postgresRows are the rows of a query.
type postgresRows struct {
	reader *pgconn.ResultReader
	names  []string
	types  []uint32
	ahead  bool // the reader is at a row that Next has not returned
}

func (r *postgresRows) Columns() []string { return r.names }

func (r *postgresRows) Close() error {
	_, err := r.reader.Close()
	return err
}

func (r *postgresRows) Next(row []driver.Value) (err error) {
	found := r.ahead || r.reader.NextRow()
	r.ahead = false
	if !found {
		if err := r.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	values := r.reader.Values()
	if len(values) != len(row) {
		return fmt.Errorf("read a row: it has %d columns instead of %d", len(values), len(row))
	}
	for i, text := range values {
		if row[i], err = parseValue(r.types[i], text); err != nil {
			return fmt.Errorf("read column %s: %w", r.names[i], err)
		}
	}
	return nil
}

// parseValue returns the value of a column, whose text is nil for NULL.
func parseValue(oid uint32, text []byte) (driver.Value, error) {
	if text == nil {
		return nil, nil
	}
	switch oid {
	case typeBool:
		return strconv.ParseBool(string(text))
	case typeInt8, typeInt4, typeInt2:
		return strconv.ParseInt(string(text), 10, 64)
	case typeFloat8:
		return strconv.ParseFloat(string(text), 64)
	case typeBytea:
		digits, isHex := bytes.CutPrefix(text, []byte(`\x`))
		if !isHex {
			return nil, errors.New("the database has bytea_output = escape: set it to hex")
		}
		return hex.AppendDecode([]byte{}, digits)
	}
	return string(text), nil
}

// Queries are written once, in the SQL that SQLite and PostgreSQL share. A connection to PostgreSQL rewrites
// their parameters, and the first of its migrations adds the functions of SQLite that queries and triggers
// call. SQLite numbers the rows of each table as rowid, by which queries order those of one millisecond:
// tables in PostgreSQL have such a column.

// parameter matches a parameter of SQLite: ?, which is the one after the greatest before, or ?N.
var parameter = regexp.MustCompile(`\?(\d*)`)

// others are the words of SQLite for which PostgreSQL has others: integers of 64 bits, and a LIKE that
// ignores case.
var others = strings.NewReplacer(" AS INTEGER)", " AS BIGINT)", " LIKE ", ` COLLATE "default" ILIKE `)

// postgresQuery returns a query for PostgreSQL.
func postgresQuery(query string) string {
	last := 0
	return parameter.ReplaceAllStringFunc(others.Replace(query), func(found string) string {
		n := last + 1
		if len(found) > 1 {
			n, _ = strconv.Atoi(found[1:])
		}
		last = max(last, n)
		return "$" + strconv.Itoa(n)
	})
}
