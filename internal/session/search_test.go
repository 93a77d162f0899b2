package session

import (
	"testing"
	"time"
)

func TestDatesOf(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		given          string
		checked, index time.Time
	}{
		{"", day(22), day(20)},           // the clock's
		{"1795262400", day(21), day(20)}, // given
		{"1795089600", day(19), day(19)}, // given, and before the index: nothing is later
	} {
		checked, index, err := datesOf(tt.given, day(22), day(20))
		if err != nil || !checked.Equal(tt.checked) || !index.Equal(tt.index) {
			t.Errorf("datesOf(%q) = %v, %v, %v, want %v, %v", tt.given, checked, index, err, tt.checked, tt.index)
		}
	}
	for _, given := range []string{"yesterday", "-1", "1e9", "253402300800", "2026-11-22"} {
		if _, _, err := datesOf(given, day(22), day(20)); err == nil {
			t.Errorf("datesOf(%q) takes it for a date", given)
		}
	}
}
