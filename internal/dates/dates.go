// Package dates parses dates that may have one of several forms.
package dates

import "time"

// Parse returns the time in text by the first of the layouts of package time that fits, in UTC. If
// none does, ok is false. A text without a time zone is taken as UTC.
func Parse(text string, layouts ...string) (t time.Time, ok bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
