package storage

import (
	"regexp"
	"strconv"
	"strings"
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
