package format

import (
	"regexp"
	"strconv"
)

var fourDigits = regexp.MustCompile(`\d+`)

// Year returns the first year in a date of any form, a number from 1000 to 2999; 0 if there is
// none.
func Year(date string) int {
	for _, digits := range fourDigits.FindAllString(date, -1) {
		if y, err := strconv.Atoi(digits); err == nil && len(digits) == 4 && y >= 1000 && y < 3000 {
			return y
		}
	}
	return 0
}
