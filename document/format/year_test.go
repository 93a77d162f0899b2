package format

import "testing"

func TestYear(t *testing.T) {
	for date, want := range map[string]int{
		"1860": 1860, "2021-04-09": 2021, "9. 4. 2021": 2021, "c. 1475": 1475, "20210409": 0, "[s. a.]": 0, "": 0, "0999": 0, "12 3000 1999": 1999,
	} {
		if got := Year(date); got != want {
			t.Errorf("Year(%q) = %d, want %d", date, got, want)
		}
	}
}
