package pages

import (
	"net/url"
	"strconv"
)

// A paging is the part of a table that a page shows.
type paging struct {
	From, To, Total int    // rows, counted from 1
	Previous, Next  string // addresses, "" for none
}

// classRows is the limit of rows of the texts of a course or an upload, which keeps the page below 100 kB.
const classRows = 75

// pageNumber returns the number of the page of a table that a request asks for, the first if it names none.
func (v *visit) pageNumber() int {
	number, err := strconv.Atoi(v.FormValue("page"))
	if err != nil || number < 1 || number > 1_000_000 {
		return 1
	}
	return number
}

// pagingOf returns the part of a table of total rows on a page, of which each has at most most rows. address returns that of another page.
func pagingOf(number, most, total int, address func(page string) string) paging {
	offset := (number - 1) * most
	p := paging{From: min(offset+1, total), To: min(offset+most, total), Total: total}
	if number > 1 {
		p.Previous = address(strconv.Itoa(number - 1))
	}
	if p.To < total {
		p.Next = address(strconv.Itoa(number + 1))
	}
	return p
}

// pageOf returns the rows of a table on the page that the request asks for, or on the last one. Each page has at most most rows.
func pageOf[T any](v *visit, all []T, most int) ([]T, paging) {
	number := min(v.pageNumber(), max(1, (len(all)+most-1)/most))
	p := pagingOf(number, most, len(all), func(page string) string { return withValue(v.URL, "page", page) })
	return all[max(0, p.From-1):p.To], p
}

// withValue returns the address of a table with another value, on its first page.
func withValue(address *url.URL, name, value string) string {
	q := url.Values{}
	for k, v := range address.Query() {
		if k != "page" && len(v) > 0 && v[0] != "" {
			q[k] = v[:1]
		}
	}
	q.Set(name, value)
	return address.Path + "?" + q.Encode()
}
