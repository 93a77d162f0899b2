package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// dateVariable is the name of the environment variable with the date of reports, in seconds
// since 1970, for reproducible output:
// https://reproducible-builds.org/specs/source-date-epoch/
const dateVariable = "SOURCE_DATE_EPOCH"

func (o *searchOptions) dates(changed time.Time, opts *search.Options) (err error) {
	opts.Checked, opts.Changed, err = datesOf(os.Getenv(dateVariable), time.Now(), changed)
	return err
}

// datesOf returns the date of a check and the date of its index. given, if not empty, replaces
// the clock: no date is later than it.
func datesOf(given string, now, changed time.Time) (checked, index time.Time, err error) {
	if given == "" {
		return now, changed, nil
	}
	seconds, err := strconv.ParseInt(given, 10, 64)
	if err != nil || seconds < 0 || seconds > 253402300799 {
		return now, changed, misuse("usage.want", "what", fmt.Sprintf("%s %q", dateVariable, given), "wanted", lang.Say("usage.seconds"))
	}
	checked = time.Unix(seconds, 0).UTC()
	if changed.After(checked) {
		changed = checked
	}
	return checked, changed, nil
}
