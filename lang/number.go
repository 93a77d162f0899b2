package lang

import (
	"math"
	"strconv"
	"time"

	"golang.org/x/text/number"
)

// Number formats a whole number with thousands separators.
func (p *Printer) Number(n int64) string { return p.numbers.Sprint(number.Decimal(n)) }

// Decimal formats a number with all decimals of its shortest exact form.
func (p *Printer) Decimal(v float64) string {
	return p.numbers.Sprint(number.Decimal(v, number.MaxFractionDigits(decimals(v))))
}

// Tenths formats a number with one decimal.
func (p *Printer) Tenths(v float64) string {
	return p.numbers.Sprint(number.Decimal(v, number.MinFractionDigits(1), number.MaxFractionDigits(1)))
}

// A Percent is an argument of a message that [Printer.Percent] formats.
type Percent float64

// A Limit is an argument of a message that [Printer.Limit] formats.
type Limit float64

// Percent formats a percentage, 0 to 100, with one decimal, rounded half up, and
// a percent sign.
func (p *Printer) Percent(share float64) string {
	tenths := math.Floor(share*10 + 0.5)
	return p.numbers.Sprint(number.Percent(tenths/1000, number.MinFractionDigits(1), number.MaxFractionDigits(1)))
}

// Limit formats a percentage, 0 to 100, with all its decimals and a percent sign.
func (p *Printer) Limit(share float64) string {
	return p.numbers.Sprint(number.Percent(share/100, number.MaxFractionDigits(decimals(share))))
}

// decimals returns the number of digits after the decimal point in the shortest
// exact form of v.
func decimals(v float64) int {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	for i := range s {
		if s[i] == '.' {
			return len(s) - i - 1
		}
	}
	return 0
}

// monthNames are the names of the messages for months, in the grammatical case
// that dates need.
var monthNames = [...]string{
	"date.january", "date.february", "date.march", "date.april", "date.may", "date.june",
	"date.july", "date.august", "date.september", "date.october", "date.november", "date.december",
}

// Date formats a date with the name of its month.
func (p *Printer) Date(t time.Time) string {
	return p.Text("date.day", "day", t.Day(), "month", p.Text(monthNames[t.Month()-1]), "year", strconv.Itoa(t.Year()))
}

// languageNames are the names of the messages for the languages that texts are recognized in, by code.
var languageNames = map[string]string{
	"cs": "common.language-cs",
	"de": "common.language-de",
	"en": "common.language-en",
	"es": "common.language-es",
	"fr": "common.language-fr",
	"hu": "common.language-hu",
	"it": "common.language-it",
	"pl": "common.language-pl",
	"ru": "common.language-ru",
	"sk": "common.language-sk",
}

// Language returns the name of a language in the language of p, or its code if it has no name there.
func (p *Printer) Language(code string) string {
	if name, ok := languageNames[code]; ok {
		return p.Text(name)
	}
	return code
}
