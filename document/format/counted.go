package format

import "fmt"

// Counted formats n in the singular form one or in the plural form others.
func Counted(n int, one, others string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(others, n)
}
