package store

import "maps"

// A Description is what people say of a document.
type Description struct {
	Title   string            `json:"title,omitempty"`
	Author  string            `json:"author,omitempty"`
	Year    int               `json:"year,omitempty"`
	Address string            `json:"address,omitempty"` // where it can be read: a URL
	Labels  map[string]string `json:"labels,omitempty"`  // by name, in lower case
}

// IsZero reports whether d says nothing.
func (d Description) IsZero() bool {
	return d.Title == "" && d.Author == "" && d.Year == 0 && d.Address == "" && len(d.Labels) == 0
}

// Equal reports whether d and other say the same.
func (d Description) Equal(other Description) bool {
	return d.Title == other.Title && d.Author == other.Author && d.Year == other.Year && d.Address == other.Address &&
		maps.Equal(d.Labels, other.Labels)
}

// Over returns what d says, and where it says nothing, what under does. Labels
// are those of both.
func (d Description) Over(under Description) Description {
	if d.Title != "" {
		under.Title = d.Title
	}
	if d.Author != "" {
		under.Author = d.Author
	}
	if d.Year != 0 {
		under.Year = d.Year
	}
	if d.Address != "" {
		under.Address = d.Address
	}
	if len(d.Labels) > 0 {
		labels := map[string]string{}
		maps.Copy(labels, under.Labels)
		maps.Copy(labels, d.Labels)
		under.Labels = labels
	}
	return under
}

// Description returns what is known of the document: what people said of it,
// and else what its file states.
func (d *Document) Description() Description {
	return d.Said.Over(Description{Title: d.Title, Author: d.Author, Year: d.Year, Address: d.Address})
}
