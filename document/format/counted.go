package format

import "fmt"

// Counted says how many things there are, in the form for one or for others.
func Counted(n int, one, others string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(others, n)
}
