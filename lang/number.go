package lang

import (
	"math"
	"strconv"
	"time"

	"golang.org/x/text/number"
)

// Number writes a whole number with its thousands apart.
func (p *Printer) Number(n int64) string { return p.numbers.Sprint(number.Decimal(n)) }

// Decimal writes a number with as many decimals as it has.
func (p *Printer) Decimal(v float64) string {
	return p.numbers.Sprint(number.Decimal(v, number.MaxFractionDigits(decimals(v))))
}

// Percent writes a share, 0 to 100, with one decimal and the sign of percent.
func (p *Printer) Percent(share float64) string {
	tenths := math.Floor(share*10 + 0.5)
	return p.numbers.Sprint(number.Percent(tenths/1000, number.MinFractionDigits(1), number.MaxFractionDigits(1)))
}

// Limit writes a share, 0 to 100, with as many decimals as were typed, and the
// sign of percent.
func (p *Printer) Limit(share float64) string {
	return p.numbers.Sprint(number.Percent(share/100, number.MaxFractionDigits(decimals(share))))
}

// decimals returns how many digits the shortest writing of v has after its
// point.
func decimals(v float64) int {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	for i := range s {
		if s[i] == '.' {
			return len(s) - i - 1
		}
	}
	return 0
}

// monthNames are the messages with the names of months, in the case that a
// date has them in.
var monthNames = [...]string{
	"date.january", "date.february", "date.march", "date.april", "date.may", "date.june",
	"date.july", "date.august", "date.september", "date.october", "date.november", "date.december",
}

// Date writes a day, its month by name.
func (p *Printer) Date(t time.Time) string {
	return p.Text("date.day", "day", t.Day(), "month", p.Text(monthNames[t.Month()-1]), "year", strconv.Itoa(t.Year()))
}
