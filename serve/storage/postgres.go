package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Queries are written once, in the SQL that SQLite and PostgreSQL share. A connection to PostgreSQL rewrites
// their parameters, and the first of its migrations adds the functions of SQLite that queries and triggers
// call. SQLite numbers the rows of each table as rowid, by which queries order those of one millisecond:
// tables in PostgreSQL have such a column.

// parameter matches a parameter of SQLite: ?, which is the one after the greatest before, or ?N.
var parameter = regexp.MustCompile(`\?(\d*)`)

// others are the words of SQLite for which PostgreSQL has others: integers of 64 bits, and a LIKE that
// ignores case.
var others = strings.NewReplacer(" AS INTEGER)", " AS BIGINT)", " LIKE ", ` COLLATE "default" ILIKE `)

// postgresQuery returns a query for PostgreSQL. Numbers have their types, since PostgreSQL compares two
// parameters as texts otherwise.
func postgresQuery(query string, args []driver.NamedValue) string {
	last := 0
	return parameter.ReplaceAllStringFunc(others.Replace(query), func(found string) string {
		n := last + 1
		if len(found) > 1 {
			n, _ = strconv.Atoi(found[1:])
		}
		last = max(last, n)
		return "$" + strconv.Itoa(n) + typeOf(args, n)
	})
}

// typeOf returns the cast of parameter n to the type of its value.
func typeOf(args []driver.NamedValue, n int) string {
	if n < 1 || n > len(args) {
		return "" // an error, which PostgreSQL reports
	}
	switch args[n-1].Value.(type) {
	case int64:
		return "::BIGINT"
	case float64:
		return "::DOUBLE PRECISION"
	case bool:
		return "::BOOLEAN"
	}
	return ""
}

// openPostgres opens a pool of connections to a PostgreSQL database.
func openPostgres(address string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	// No statement is kept in a connection, so that a pooler may be between.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "otisk"
	}
	return sql.OpenDB(postgresConnector{stdlib.GetConnector(*config)}), nil
}

// A postgresConnector opens connections that rewrite queries.
type postgresConnector struct{ driver.Connector }

func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &postgresConn{conn.(*stdlib.Conn)}, nil
}

type postgresConn struct{ *stdlib.Conn }

// ExecContext implements [driver.ExecerContext].
func (c *postgresConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, postgresQuery(query, args), args)
}

// QueryContext implements [driver.QueryerContext].
func (c *postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.QueryContext(ctx, postgresQuery(query, args), args)
}

// CheckNamedValue implements [driver.NamedValueChecker]. PostgreSQL has no text with NUL or bytes
// that are not UTF-8, which names of files may have; pages show the same character for them.
func (c *postgresConn) CheckNamedValue(v *driver.NamedValue) (err error) {
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	if text, ok := v.Value.(string); ok {
		v.Value = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	}
	return err
}
